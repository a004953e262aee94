/*
 * edge.c - bytes before an unreadable page.
 */
#include "tests/dsl/edge.h"

#include <check.h>
#include <sys/mman.h>

enum { READABLE = 1 << 16, UNREADABLE = 1 << 16 };

struct hrw_bytes
at_edge(struct hrw_bytes bytes)
{
	static uint8_t *room;
	uint8_t *at;

	if (room == NULL) {
		room = mmap(NULL, READABLE + UNREADABLE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		ck_assert_ptr_ne(room, MAP_FAILED);
		ck_assert_int_eq(mprotect(room + READABLE, UNREADABLE, PROT_NONE), 0);
	}
	ck_assert_uint_le(bytes.len, READABLE);
	at = room + READABLE - bytes.len;
	if (bytes.len > 0)
		memcpy(at, bytes.data, bytes.len);
	return hrw_bytes(at, bytes.len);
}
