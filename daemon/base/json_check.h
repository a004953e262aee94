/*
 * json_check.h - is this text JSON, by the letter of RFC 8259?
 *
 * One pass that accepts exactly the grammar, within the limits of json.h, and
 * leaves what the tree needs: where each value stands, and the same document in
 * a form that cJSON reads alike.
 */
#ifndef HRWD_BASE_JSON_CHECK_H
#define HRWD_BASE_JSON_CHECK_H

#include "daemon/base/json.h"

/* A NUL inside a string, where a C string would end. This byte is in no UTF-8. */
enum { JSON_NUL = 0xff };

struct json_span {
	uint32_t at, end; /* offsets in the text as it was given */
};

struct json_check {
	struct json_span *span; /* of every value, in preorder */
	size_t count, room;
	struct buffer clean; /* no white space, no comments, \u0000 as JSON_NUL, ends with a NUL */
};

/* Checks a whole text; out is all zeros before, and freed by json_check_fini().
 *   errors  BAD_JSON: "line L, column C: …".  INTERNAL: no memory
 *   cost    linear; recursion is bounded by JSON_DEPTH_MAX */
int json_check(
    struct hrw_bytes text, unsigned flags, struct json_check *out, struct hrw_fault *fault);
void json_check_fini(struct json_check *check);

/* Line and column, from 1, of an offset; a column counts characters. */
void json_check_position(struct hrw_bytes text, size_t at, unsigned *line, unsigned *column);

#endif
