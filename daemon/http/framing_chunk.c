/*
 * framing_chunk.c - the lines between the pieces of a chunked body.
 *
 * libmicrohttpd ends them at a bare LF, too, where a proxy may go on to the CR LF,
 * and does not tell what they were. But what was read lies in one run in front of a
 * piece. A line that a read ended with is not seen: it is gone with the next read.
 */
#include "daemon/http/framing.h"

enum { PAGE = 4096 };

/* Each LF has its CR, each CR its LF, and nothing else is a control byte. */
static bool
are_lines(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '\r' && i + 1 < len && text[i + 1] == '\n')
			i++;
		else if ((c < ' ' && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

static int
refuse(struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_BAD_PARAMETER,
	    "a line between two chunks of the body does not end in CR LF, or holds a control "
	    "byte; the connection is closed");
}

int
framing_chunk(const struct framing *f, struct framing_chunks *k, uint64_t turn, const char *data,
    size_t len, struct hrw_fault *fault)
{
	bool is_same = k->turn == turn && data >= k->end;
	const char *from = is_same ? k->end : f->end, *stop = data + len;
	size_t page_left = PAGE - 1 - ((uintptr_t)(stop - 1) & (PAGE - 1));
	bool is_seen = data >= from && !(is_same && k->unsure == turn);
	int rc = !is_seen || are_lines(from, (size_t)(data - from)) ? 0 : refuse(fault);

	k->turn = turn;
	k->end = stop;
	k->ahead_len = page_left < sizeof(k->ahead) ? page_left : sizeof(k->ahead);
	memcpy(k->ahead, stop, k->ahead_len);
	return rc;
}

int
framing_chunks_end(const struct framing_chunks *k, uint64_t turn, struct hrw_fault *fault)
{
	const char *feed = NULL;

	/* In the same turn, what lay behind the last piece was its line's end and the
	 * line of the last chunk. */
	if (k->turn != turn || k->ahead_len < 2)
		return 0;
	if (k->ahead[0] != '\r' || k->ahead[1] != '\n')
		return refuse(fault);
	feed = memchr(k->ahead + 2, '\n', k->ahead_len - 2);
	if (feed != NULL && !are_lines(k->ahead, (size_t)(feed + 1 - k->ahead)))
		return refuse(fault);
	return 0;
}
