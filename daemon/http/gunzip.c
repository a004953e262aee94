/*
 * gunzip.c - one member or several behind one another, as `cat a.gz b.gz` and pigz
 * make them (RFC 1952, 2.2).
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "daemon/http/gunzip.h"

enum {
	PIECE = 16 << 10,
	GZIP_ONLY = 16 + MAX_WBITS, /* of inflateInit2(): no zlib header, no raw data */
};

struct gunzip {
	z_stream z;
	bool is_between; /* no member has begun, or one has ended */
	bool has_any;
	unsigned char out[PIECE];
};

struct gunzip *
gunzip_new(void)
{
	struct gunzip *g = calloc(1, sizeof(*g));

	if (g != NULL && inflateInit2(&g->z, GZIP_ONLY) != Z_OK) {
		free(g);
		return NULL;
	}
	if (g != NULL)
		g->is_between = true;
	return g;
}

void
gunzip_free(struct gunzip *g)
{
	if (g == NULL)
		return;
	inflateEnd(&g->z);
	free(g);
}

static int
refuse(const char *why, struct hrw_fault *fault)
{
	hrw_fault(fault, HRW_BAD_FIELD,
	    "the body is no gzip, though its Content-Encoding says so: %s", why);
	return hrw_fault_at(fault, "Content-Encoding");
}

int
gunzip_next(struct gunzip *g, struct hrw_bytes *in, struct hrw_bytes *out, struct hrw_fault *fault)
{
	int rc;

	for (;;) {
		if (g->is_between && in->len == 0)
			return 0;
		if (g->is_between && g->has_any)
			inflateReset(&g->z);
		g->is_between = false;
		g->has_any = true;
		g->z.next_in = (unsigned char *)(uintptr_t)in->data;
		g->z.avail_in = in->len < PIECE ? (unsigned)in->len : PIECE;
		g->z.next_out = g->out;
		g->z.avail_out = sizeof(g->out);
		rc = inflate(&g->z, Z_NO_FLUSH);
		in->len -= (size_t)(g->z.next_in - in->data);
		in->data = g->z.next_in;
		*out = hrw_bytes(g->out, sizeof(g->out) - g->z.avail_out);
		if (rc == Z_STREAM_END)
			g->is_between = true;
		else if (rc != Z_OK && rc != Z_BUF_ERROR)
			return refuse(rc == Z_MEM_ERROR	 ? "no memory"
				      : g->z.msg != NULL ? g->z.msg
							 : "it cannot be decoded",
			    fault);
		if (out->len > 0)
			return 1;
		if (rc == Z_BUF_ERROR || (rc == Z_OK && in->len == 0))
			return 0;
	}
}

int
gunzip_end(const struct gunzip *g, struct hrw_fault *fault)
{
	return g->is_between && g->has_any ? 0 : refuse("it is cut short", fault);
}
