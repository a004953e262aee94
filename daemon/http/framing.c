/*
 * framing.c - one pass over the headers.
 *
 * What stood between the names and values, the library does not tell: scan.c has seen
 * that before.
 */
#include <microhttpd.h>
#include <strings.h>

#include "daemon/http/framing.h"

enum { HEADERS_MAX = 100 }; /* as Apache's LimitRequestFields */

enum once {
	ONCE_HOST = 1 << 0,
	ONCE_LENGTH = 1 << 1,
	ONCE_CODING = 1 << 2,
	ONCE_TYPE = 1 << 3,
	ONCE_ENCODING = 1 << 4,
	ONCE_ORIGIN = 1 << 5,
	ONCE_AUTHORIZATION = 1 << 6,
	ONCE_KEY = 1 << 7,
	ONCE_REASON = 1 << 8,
	ONCE_MATCH = 1 << 9,
	ONCE_NONE_MATCH = 1 << 10,
	ONCE_EXPECT = 1 << 11,
};

struct pass {
	struct framing *f;
	struct hrw_fault *fault;
	unsigned count, ids, traces;
	unsigned seen; /* enum once */
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
refuse(struct pass *s, const char *why)
{
	s->status = hrw_fault(s->fault, HRW_BAD_PARAMETER, "%s; the connection is closed", why);
	return s->status;
}

/* A header that has one value: the first takes the place, a second is refused,
 * since a proxy may go by the other one. */
static int
once(struct pass *s, enum once which, const char *name)
{
	if ((s->seen & which) != 0) {
		s->status = hrw_fault(s->fault, HRW_BAD_PARAMETER,
		    "the request has two %s headers; the connection is closed", name);
		return s->status;
	}
	s->seen |= which;
	return 0;
}

/* `sent` is the value as the library reads it, spaces at its end included: where
 * it decides by one, so must we. */
static int
look(struct pass *s, const char *name, size_t name_len, struct hrw_bytes sent)
{
	struct hrw_bytes value = trimmed((const char *)sent.data, sent.len);
	struct framing *f = s->f;

	if (!is_token(name, name_len))
		return refuse(s, "the name of a header holds a byte that no name may");
	if (is_called(name, name_len, "Host")) {
		f->host = value;
		return once(s, ONCE_HOST, "Host");
	}
	if (is_called(name, name_len, "Content-Length")) {
		f->length = number(value);
		return once(s, ONCE_LENGTH, "Content-Length");
	}
	if (is_called(name, name_len, "Transfer-Encoding")) {
		f->is_chunked = true;
		if ((s->seen & ONCE_CODING) != 0 || !is_text(sent, "chunked"))
			return refuse(s, "the request has a Transfer-Encoding other than chunked");
		return once(s, ONCE_CODING, "Transfer-Encoding");
	}
	if (is_called(name, name_len, "Content-Type")) {
		f->content_type = value;
		return once(s, ONCE_TYPE, "Content-Type");
	}
	if (is_called(name, name_len, "Content-Encoding")) {
		f->content_encoding = value;
		return once(s, ONCE_ENCODING, "Content-Encoding");
	}
	if (is_called(name, name_len, "Origin")) {
		f->origin = value;
		return once(s, ONCE_ORIGIN, "Origin");
	}
	if (is_called(name, name_len, "Authorization")) {
		f->authorization = value;
		return once(s, ONCE_AUTHORIZATION, "Authorization");
	}
	if (is_called(name, name_len, "Accept")) {
		f->has_accept = true;
	} else if (is_called(name, name_len, "Hrw-Key")) {
		f->key = value;
		return once(s, ONCE_KEY, "Hrw-Key");
	} else if (is_called(name, name_len, "Hrw-Reason")) {
		return once(s, ONCE_REASON, "Hrw-Reason");
	} else if (is_called(name, name_len, "If-Match")) {
		return once(s, ONCE_MATCH, "If-Match");
	} else if (is_called(name, name_len, "If-None-Match")) {
		return once(s, ONCE_NONE_MATCH, "If-None-Match");
	} else if (is_called(name, name_len, "Request-Id")) {
		f->request_id = ++s->ids == 1 ? value : hrw_bytes(NULL, 0);
	} else if (is_called(name, name_len, "traceparent")) {
		f->trace = ++s->traces == 1 ? value : hrw_bytes(NULL, 0);
	} else if (is_called(name, name_len, "Expect")) {
		f->expects_continue = is_text(sent, "100-continue");
		return once(s, ONCE_EXPECT, "Expect");
	}
	return 0;
}

static enum MHD_Result
each(void *arg, enum MHD_ValueKind kind, const char *name, size_t name_len, const char *value,
    size_t value_len)
{
	struct pass *s = arg;

	(void)kind;
	if (name == framing_hidden)
		return MHD_YES;
	s->count++;
	return look(s, name, name_len, hrw_bytes(value == NULL ? "" : value, value_len)) == 0
		   ? MHD_YES
		   : MHD_NO;
}

/* What a header costs of the connection's memory beside its text. */
enum { HEADER_RECORD = 64 };

int
framing_too_long(size_t room, struct hrw_fault *fault)
{
	hrw_fault(fault, HRW_TOO_LARGE,
	    "the request's head is too long: at most %zu bytes are taken (less %d for each "
	    "header), and %d headers",
	    room, HEADER_RECORD, HEADERS_MAX);
	fault->reason = "head";
	return HRW_TOO_LARGE;
}

int
framing_read(struct MHD_Connection *mhd, const struct framing_head *head, struct framing *f,
    struct hrw_fault *fault)
{
	struct pass s = {.f = f, .fault = fault};
	bool is_old = strcmp(head->version, "HTTP/1.0") == 0;

	*f = (struct framing){.end = head->method + head->size};
	MHD_get_connection_values_n(mhd, MHD_HEADER_KIND, each, &s);
	if (s.status < 0)
		return s.status;
	if (s.count > HEADERS_MAX || head->size + s.count * HEADER_RECORD > head->room) {
		s.status = framing_too_long(head->room, fault);
		return s.status;
	}
	if ((s.seen & ONCE_CODING) != 0 && (s.seen & ONCE_LENGTH) != 0)
		return refuse(&s, "the request has both a Content-Length and a Transfer-Encoding");
	if ((s.seen & ONCE_CODING) != 0 && is_old)
		return refuse(&s, "a request of HTTP/1.0 has a Transfer-Encoding");
	if ((s.seen & ONCE_HOST) == 0 && !is_old)
		return refuse(&s, "the request has no Host header, which HTTP/1.1 asks for");
	return 0;
}
