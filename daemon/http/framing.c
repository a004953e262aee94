/*
 * framing.c - one pass over the headers.
 */
#include <microhttpd.h>
#include <strings.h>

#include "daemon/http/framing.h"

struct scan {
	struct framing *f;
	struct hrw_fault *fault;
	unsigned hosts, lengths, codings, keys, ids, traces;
	int status;
};

/* RFC 9110, 5.6.2. */
static bool
is_token(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)name[i], letter = c | 0x20;

		if ((letter < 'a' || letter > 'z') && c != '-' &&
		    (c <= ' ' || c >= 0x7f || strchr("\"(),/:;<=>?@[\\]{}", c) != NULL))
			return false;
	}
	return len > 0;
}

static bool
is_called(const char *name, size_t len, const char *wanted)
{
	return strlen(wanted) == len && strncasecmp(name, wanted, len) == 0;
}

/* Without the spaces and tabs at its end; the library drops those before it. */
static struct hrw_bytes
trimmed(const char *value, size_t len)
{
	while (len > 0 && (value[len - 1] == ' ' || value[len - 1] == '\t'))
		len--;
	return hrw_bytes(value, len);
}

static bool
is_text(struct hrw_bytes value, const char *wanted)
{
	return is_called((const char *)value.data, value.len, wanted);
}

/* A whole number of digits alone; the library refused what does not fit. */
static uint64_t
number(struct hrw_bytes value)
{
	uint64_t n = 0;

	for (size_t i = 0; i < value.len && value.data[i] >= '0' && value.data[i] <= '9'; i++)
		n = n * 10 + (value.data[i] - '0');
	return n;
}

static int
refuse(struct scan *s, const char *why)
{
	s->status = hrw_fault(s->fault, HRW_BAD_PARAMETER, "%s; the connection is closed", why);
	return s->status;
}

/* `sent` is the value as the library reads it, spaces at its end included: where
 * it decides by one, so must we. */
static int
look(struct scan *s, const char *name, size_t name_len, struct hrw_bytes sent)
{
	struct hrw_bytes value = trimmed((const char *)sent.data, sent.len);
	struct framing *f = s->f;

	if (!is_token(name, name_len))
		return refuse(s, "the name of a header holds a byte that no name may");
	if (is_called(name, name_len, "Host")) {
		f->host = value;
		if (++s->hosts > 1)
			return refuse(s, "the request has two Host headers");
	} else if (is_called(name, name_len, "Content-Length")) {
		f->length = number(value);
		if (++s->lengths > 1)
			return refuse(s, "the request has two Content-Length headers");
	} else if (is_called(name, name_len, "Transfer-Encoding")) {
		f->is_chunked = true;
		if (++s->codings > 1 || !is_text(sent, "chunked"))
			return refuse(s, "the request has a Transfer-Encoding other than chunked");
	} else if (is_called(name, name_len, "Content-Type")) {
		f->content_type = value;
	} else if (is_called(name, name_len, "Origin")) {
		f->origin = value;
	} else if (is_called(name, name_len, "Authorization")) {
		if (f->authorization.data != NULL)
			return refuse(s, "the request has two Authorization headers");
		f->authorization = value;
	} else if (is_called(name, name_len, "Accept")) {
		f->has_accept = true;
	} else if (is_called(name, name_len, "Hrw-Key")) {
		f->key = value;
		if (++s->keys > 1)
			return refuse(s, "the request has two Hrw-Key headers");
	} else if (is_called(name, name_len, "Request-Id")) {
		f->request_id = ++s->ids == 1 ? value : hrw_bytes(NULL, 0);
	} else if (is_called(name, name_len, "traceparent")) {
		f->trace = ++s->traces == 1 ? value : hrw_bytes(NULL, 0);
	} else if (is_called(name, name_len, "Expect")) {
		f->expects_continue = is_text(sent, "100-continue");
	}
	return 0;
}

static enum MHD_Result
each(void *arg, enum MHD_ValueKind kind, const char *name, size_t name_len, const char *value,
    size_t value_len)
{
	(void)kind;
	return look(arg, name, name_len, hrw_bytes(value == NULL ? "" : value, value_len)) == 0
		   ? MHD_YES
		   : MHD_NO;
}

int
framing_read(
    struct MHD_Connection *mhd, const char *version, struct framing *f, struct hrw_fault *fault)
{
	struct scan s = {.f = f, .fault = fault};
	bool is_old = strcmp(version, "HTTP/1.0") == 0;

	*f = (struct framing){0};
	MHD_get_connection_values_n(mhd, MHD_HEADER_KIND, each, &s);
	if (s.status < 0)
		return s.status;
	if (s.codings > 0 && s.lengths > 0)
		return refuse(&s, "the request has both a Content-Length and a Transfer-Encoding");
	if (s.codings > 0 && is_old)
		return refuse(&s, "a request of HTTP/1.0 has a Transfer-Encoding");
	if (s.hosts == 0 && !is_old)
		return refuse(&s, "the request has no Host header, which HTTP/1.1 asks for");
	return 0;
}
