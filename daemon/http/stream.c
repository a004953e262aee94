/*
 * stream.c - bodies made while they are sent. The connection is suspended while
 * a piece is made on the libuv pool, or while a live one waits for news, so a
 * piece is made only when the former one has left: however slowly a client
 * reads, it has one piece of ours at most.
 */
#include <stdlib.h>

#include "daemon/http/private.h"
#include "daemon/http/spool.h"

enum { BLOCK = 32 << 10 };

struct stream {
	struct exchange *exchange;
	int (*fill)(void *state, struct buffer *out);
	void *state;
	void (*free)(void *state);
	uv_work_t work;
	struct buffer piece;
	size_t sent; /* of the piece */
	int status;  /* what fill said last: 1 more, 0 the end, negative */

	const struct live *live; /* NULL: it is made by `fill` */
	struct hrw_bytes left;	 /* of its piece */
	bool is_idle;		 /* suspended, until there is news */
	bool is_over;		 /* its client is gone */
};

/* NULL with the fault filled, and the state freed: no memory. */
static struct stream *
stream_new(struct request *req, unsigned status, const char *type, void *state,
    void (*free_state)(void *state))
{
	struct exchange *ex = req->exchange;
	struct stream *s = calloc(1, sizeof(*s));

	if (s == NULL) {
		free_state(state);
		hrw_fault(&req->fault, HRW_INTERNAL, "no memory for the answer");
		return NULL;
	}
	s->exchange = ex;
	s->state = state;
	s->free = free_state;
	s->status = 1;
	ex->stream = s;
	ex->status = status;
	ex->has_answer = true;
	respond_text(req, "Content-Type", type);
	return s;
}

int
respond_stream(struct request *req, unsigned status, const char *type,
    int (*fill)(void *state, struct buffer *out), void *state, void (*free_state)(void *state))
{
	struct stream *s = stream_new(req, status, type, state, free_state);

	if (s == NULL)
		return HRW_INTERNAL;
	s->fill = fill;
	return 0;
}

int
respond_live(
    struct request *req, unsigned status, const char *type, const struct live *live, void *state)
{
	struct stream *s = stream_new(req, status, type, state, live->free);

	if (s == NULL)
		return HRW_INTERNAL;
	s->live = live;
	return 0;
}

static void
free_state(uv_work_t *work)
{
	struct stream *s = work->data;

	s->free(s->state);
	buffer_fini(&s->piece);
}

static void
state_freed(uv_work_t *work, int status)
{
	(void)status; /* never cancelled */
	free(work->data);
}

void
stream_free(struct stream *s)
{
	s->work.data = s;
	if (s->live == NULL &&
	    uv_queue_work(s->exchange->server->loop, &s->work, free_state, state_freed) == 0)
		return;
	free_state(&s->work);
	free(s);
}

static void
fill_piece(uv_work_t *work)
{
	struct stream *s = work->data;

	s->status = s->fill(s->state, &s->piece);
	if (s->piece.failed)
		s->status = HRW_INTERNAL;
}

static void
piece_filled(uv_work_t *work, int status)
{
	struct stream *s = work->data;

	(void)status;
	wait_resume(s->exchange);
}

/* libmicrohttpd asks for bytes. */
static ssize_t
read_stream(void *arg, uint64_t at, char *out, size_t max)
{
	struct stream *s = arg;
	size_t len = s->piece.len - s->sent;

	(void)at;
	if (len > 0) {
		len = len < max ? len : max;
		memcpy(out, s->piece.data + s->sent, len);
		s->sent += len;
		s->exchange->sent += len;
		return (ssize_t)len;
	}
	if (s->status == 0)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (s->status < 0)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	buffer_clear(&s->piece);
	s->sent = 0;
	s->work.data = s;
	if (uv_queue_work(s->exchange->server->loop, &s->work, fill_piece, piece_filled) < 0)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	wait_suspend(s->exchange);
	return 0;
}

static void
make_live(uv_work_t *work)
{
	struct stream *s = work->data;

	s->live->make(s->state);
}

static void
live_gone(struct request *req)
{
	struct stream *s = req->exchange->stream;

	s->is_over = true;
	request_news(req);
}

void
request_news(struct request *req)
{
	struct stream *s = req->exchange->stream;

	if (s == NULL || !s->is_idle)
		return;
	s->is_idle = false;
	wait_resume(req->exchange);
}

static ssize_t
read_live(void *arg, uint64_t at, char *out, size_t max)
{
	struct stream *s = arg;
	struct exchange *ex = s->exchange;
	size_t len;

	(void)at;
	while (s->left.len == 0) {
		enum live_step step = LIVE_END;

		if (!s->is_over && !ex->server->is_stopping)
			step = s->live->next(s->state, &s->left);
		switch (step) {
		case LIVE_PIECE:
			break;
		case LIVE_MAKE:
			s->work.data = s;
			if (uv_queue_work(ex->server->loop, &s->work, make_live, piece_filled) < 0)
				return MHD_CONTENT_READER_END_WITH_ERROR;
			wait_suspend(ex);
			return 0;
		case LIVE_WAIT:
			s->is_idle = true;
			ex->gone = live_gone;
			wait_suspend(ex);
			return 0;
		case LIVE_END:
			return MHD_CONTENT_READER_END_OF_STREAM;
		}
	}
	len = s->left.len < max ? s->left.len : max;
	memcpy(out, s->left.data, len);
	s->left.data += len;
	s->left.len -= len;
	ex->sent += len;
	return (ssize_t)len;
}

struct MHD_Response *
stream_response(struct exchange *ex)
{
	/* The stream stays the exchange's: no byte is asked for once that has ended. */
	return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK,
	    ex->stream->live != NULL ? read_live : read_stream, ex->stream, NULL);
}

static ssize_t
read_spool(void *arg, uint64_t at, char *out, size_t max)
{
	struct exchange *ex = arg;
	long got = spool_read(ex->spool, at, out, max);

	if (got <= 0)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	ex->sent += (uint64_t)got;
	return (ssize_t)got;
}

struct MHD_Response *
spool_response(struct exchange *ex)
{
	return MHD_create_response_from_callback(spool_len(ex->spool), BLOCK, read_spool, ex, NULL);
}
