/*
 * notify.c - the one home of libsystemd.
 */
#include "daemon/notify.h"

#ifdef HRWD_SYSTEMD

#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <time.h>

#include "daemon/http/listen.h"

/* A listener that systemd has sockets for: its addresses are theirs. */
static int
take_socket(struct config_addresses *list, bool is_first, int fd, struct hrw_fault *fault)
{
	char bound[LISTEN_BOUND], *copy;
	int rc = listen_adopt(fd, bound, fault);

	if (rc < 0)
		return rc;
	while (is_first && list->count > 0)
		free(list->at[--list->count].text);
	if (list->count == CONFIG_ADDRESSES_MAX)
		return hrw_fault(fault, HRW_BAD_ADDRESS,
		    "systemd hands over more than %d sockets for one listener",
		    CONFIG_ADDRESSES_MAX);
	copy = strdup(bound);
	if (copy == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "no memory for the configuration");
	/* Who may connect to it was settled by who opened it. */
	list->at[list->count++] = (struct config_address){.text = copy};
	return 0;
}

static int
take_named(struct config *c, char **names, int count, struct hrw_fault *fault)
{
	bool has_lookup = false, has_admin = false;
	int rc = 0;

	for (int i = 0; i < count && rc == 0; i++) {
		int fd = SD_LISTEN_FDS_START + i;

		if (strcmp(names[i], "lookup") == 0) {
			rc = take_socket(&c->http.lookup, !has_lookup, fd, fault);
			has_lookup = true;
		} else if (strcmp(names[i], "admin") == 0) {
			rc = take_socket(&c->http.admin, !has_admin, fd, fault);
			has_admin = true;
		} else {
			rc = hrw_fault(fault, HRW_BAD_FIELD,
			    "systemd hands over a socket named \"%s\": FileDescriptorName= is "
			    "\"lookup\" or \"admin\"",
			    names[i]);
		}
	}
	return rc;
}

int
notify_take_sockets(struct config *c, struct hrw_fault *fault)
{
	char **names = NULL;
	int count = sd_listen_fds_with_names(1, &names);
	int rc;

	if (count < 0)
		return hrw_fault(
		    fault, HRW_INTERNAL, "sockets handed over by systemd: %s", strerror(-count));
	rc = take_named(c, names, count, fault);
	for (int i = 0; i < count; i++)
		free(names[i]);
	free(names);
	return rc;
}

void
notify_ready(const char *status)
{
	sd_notifyf(0, "READY=1\nSTATUS=%s", status);
}

void
notify_reloading(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu",
	    (unsigned long long)now.tv_sec * 1000000 + (unsigned long long)now.tv_nsec / 1000);
}

void
notify_stopping(void)
{
	sd_notify(0, "STOPPING=1\nSTATUS=finishing the requests under way");
}

void
notify_status(const char *status)
{
	sd_notifyf(0, "STATUS=%s", status);
}

uint64_t
notify_watchdog_ms(void)
{
	uint64_t us = 0;

	return sd_watchdog_enabled(0, &us) > 0 ? us / 1000 : 0;
}

void
notify_alive(void)
{
	sd_notify(0, "WATCHDOG=1");
}

#else

int
notify_take_sockets(struct config *c, struct hrw_fault *fault)
{
	(void)c;
	(void)fault;
	return 0;
}

void
notify_ready(const char *status)
{
	(void)status;
}

void
notify_reloading(void)
{
}

void
notify_stopping(void)
{
}

void
notify_status(const char *status)
{
	(void)status;
}

uint64_t
notify_watchdog_ms(void)
{
	return 0;
}

void
notify_alive(void)
{
}

#endif
