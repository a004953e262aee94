/*
 * bare.c - the least that libmicrohttpd can do: a handler that answers one fixed
 * string, in the arrangement that hrwd runs it in. What hrwd costs above this is
 * its own.
 *
 *     bare PORT
 */
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <uv.h>

static struct MHD_Response *response;
static struct MHD_Daemon *mhd;
static uv_timer_t timer;
static uv_idle_t again;

static enum MHD_Result
answer(void *arg, struct MHD_Connection *connection, const char *url, const char *method,
    const char *version, const char *data, size_t *len, void **context)
{
	(void)arg;
	(void)url;
	(void)method;
	(void)version;
	(void)data;
	(void)len;
	if (*context == NULL) {
		*context = response;
		return MHD_YES;
	}
	return MHD_queue_response(connection, 200, response);
}

static void turn(void);

static void
on_timer(uv_timer_t *handle)
{
	(void)handle;
	turn();
}

static void
on_again(uv_idle_t *handle)
{
	(void)handle;
	turn();
}

static void
turn(void)
{
	MHD_UNSIGNED_LONG_LONG timeout;

	MHD_run(mhd);
	uv_idle_stop(&again);
	if (MHD_get_timeout(mhd, &timeout) == MHD_NO)
		return;
	if (timeout == 0)
		uv_idle_start(&again, on_again);
	else
		uv_timer_start(&timer, on_timer, timeout, 0);
}

static void
on_ready(uv_poll_t *poll, int status, int events)
{
	(void)poll;
	(void)status;
	(void)events;
	turn();
}

int
main(int argc, char **argv)
{
	static const char body[] =
	    "{\"key\":\"photo-7\",\"pool\":\"default\",\"owner\":\"node-17\",\"node\":\"node-17\","
	    "\"address\":\"10.0.0.17:11211\",\"passed_over\":[],\"fallback\":[],\"epoch\":1}\n";
	uv_loop_t *loop = uv_default_loop();
	uv_poll_t poll;

	if (argc != 2) {
		fprintf(stderr, "usage: bare PORT\n");
		return 2;
	}
	response = MHD_create_response_from_buffer(
	    sizeof(body) - 1, (void *)(uintptr_t)body, MHD_RESPMEM_PERSISTENT);
	MHD_add_response_header(response, "Content-Type", "application/json");
	mhd = MHD_start_daemon(MHD_USE_EPOLL, (uint16_t)atoi(argv[1]), NULL, NULL, answer, NULL,
	    MHD_OPTION_CONNECTION_TIMEOUT, 60u, MHD_OPTION_END);
	if (mhd == NULL)
		return 1;
	uv_timer_init(loop, &timer);
	uv_idle_init(loop, &again);
	uv_poll_init(loop, &poll, MHD_get_daemon_info(mhd, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd);
	uv_poll_start(&poll, UV_READABLE, on_ready);
	uv_run(loop, UV_RUN_DEFAULT);
	return 0;
}
