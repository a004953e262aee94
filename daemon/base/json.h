/*
 * json.h - JSON as RFC 8259 has it, and no more.
 *
 * cJSON builds the tree; this file holds it to the standard where the library
 * is lax: UTF-8 without a byte order mark, no control characters, no leading
 * zeros, no trailing text, no repeated members, limited depth and size. A NUL
 * in a string (written \u0000) survives and is seen by json_bytes() alone, so
 * that keys may hold one and nothing else can be cut short by it.
 *
 * The one place that includes cJSON.h; it stands outside http/ because the
 * configuration and the stored documents are JSON too.
 */
#ifndef HRWD_BASE_JSON_H
#define HRWD_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "core/bytes.h"
#include "core/error.h"
#include "daemon/base/buffer.h"

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

enum { JSON_DEPTH_MAX = 32, JSON_VALUES_MAX = 200000 };

enum json_flags {
	JSON_STRICT = 0,
	JSON_COMMENTS = 1, /* // and block comments are white space: configuration files */
	JSON_STORED = 2,   /* our own documents: any number of values, so that none of them
			    * is ever too long to be read back */
};

/* One value of a parsed document; borrowed from its root. */
struct json;

/* Parses a whole document.
 *   text     borrowed for the call, any bytes, no NUL needed
 *   returns  the root, to be freed by json_free(); NULL with the fault filled
 *   errors   BAD_JSON with "line L, column C: …" in the detail; BAD_FIELD for a
 *            repeated member (field = its JSON pointer); INTERNAL: no memory.
 *            A number may have 63 characters
 *   cost     linear; n log n in the members of one object */
struct json *json_parse(struct hrw_bytes text, unsigned flags, struct hrw_fault *fault);
void json_free(struct json *root);

enum json_type json_type(const struct json *j);
const char *json_type_name(enum json_type type); /* "a string", "an object", … */

/* Children of an array or object, in order; NULL past the last. What is not there
 * (NULL, as json_get() says it) has none. */
const struct json *json_first(const struct json *j);
const struct json *json_next(const struct json *j);
size_t json_count(const struct json *j); /* children */
#define json_each(child, parent)                                                                   \
	for (const struct json *child = json_first(parent); child != NULL; child = json_next(child))

/* The member's name in its object, "" elsewhere. A name with a NUL is refused
 * at parsing. */
const char *json_name(const struct json *j);

/* The member of that exact name; NULL where absent or j is no object (or NULL). */
const struct json *json_get(const struct json *j, const char *name);

/* The value as a type; NULL, a member that is absent, is of none.
 *
 * A string's bytes, NULs included; valid as long as the root. */
struct hrw_bytes json_bytes(const struct json *j);

/* A string without NUL as C string; NULL when it is none or holds one. */
const char *json_text(const struct json *j);

bool json_bool(const struct json *j);	  /* false when it is none */
double json_number(const struct json *j); /* the nearest double; ±inf past its range; NaN when none,
					   * and where it is not 0 but the nearest double is */
/* A number without fraction or exponent that fits: true and *out. */
bool json_integer(const struct json *j, int64_t *out);

/* The value's own text in the document (a number as it was written), borrowed. */
struct hrw_bytes json_source(const struct json *j);

/* Its JSON pointer (RFC 6901), cut to size; its line and column, from 1. */
void json_pointer(const struct json *j, char *out, size_t size);
void json_position(const struct json *j, unsigned *line, unsigned *column);

/* The value that a pointer names, seen from j ("" is j itself); NULL: none. */
const struct json *json_at(const struct json *j, const char *pointer);

/* Fills BAD_FIELD (or `error`) with the value's pointer as field; returns it. */
int json_fault(const struct json *j, struct hrw_fault *fault, enum hrw_error error,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The same for a member that is not there, but should be. */
int json_lacks(const struct json *object, const char *name, struct hrw_fault *fault,
    enum hrw_error error, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Points a fault that was filled at the value. */
void json_fault_at(const struct json *j, struct hrw_fault *fault);

#ifdef __clang_analyzer__ /* as for hrw_fault() */
#define json_fault(j, fault, error, ...)                                                           \
	(json_fault((j), (fault), (error), __VA_ARGS__), (int)(error))
#define json_lacks(object, name, fault, error, ...)                                                \
	(json_lacks((object), (name), (fault), (error), __VA_ARGS__), (int)(error))
#endif

/* A member that only answers have, sent back as it was: of one of `types` (bits by
 * enum json_type), or absent (NULL). BAD_FIELD. */
int json_as_given(const struct json *j, unsigned types, struct hrw_fault *fault);

/* Every member of an object must be one of `names` (ended by NULL): else
 * BAD_FIELD that names the stranger and lists what is known, with a guess where
 * one is near. */
int json_only(const struct json *object, const char *const *names, struct hrw_fault *fault);

/* Writing: into a buffer, commas and escapes by itself. A name of NULL is an
 * element of an array. The caller balances open and close. */
struct json_out {
	struct buffer *to;
	bool is_first; /* nothing yet in the innermost container */
};

struct json_out json_out(struct buffer *to);
void json_open_object(struct json_out *o, const char *name);
void json_close_object(struct json_out *o);
void json_open_array(struct json_out *o, const char *name);
void json_close_array(struct json_out *o);
void json_put_text(struct json_out *o, const char *name, const char *text); /* NULL: null */
void json_put_bytes(struct json_out *o, const char *name, struct hrw_bytes utf8);
void json_put_number(
    struct json_out *o, const char *name, double number); /* shortest that reads back */
void json_put_int(struct json_out *o, const char *name, int64_t number);
void json_put_count(struct json_out *o, const char *name, uint64_t number);
void json_put_count_or_null(struct json_out *o, const char *name, uint64_t number); /* 0: null */
void json_put_bool(struct json_out *o, const char *name, bool is_true);
void json_put_null(struct json_out *o, const char *name);
/* A string alone, in quotes, for whoever writes what is around it himself. */
void json_quote(struct buffer *to, struct hrw_bytes text);
/* Text that is JSON already. */
void json_put_raw(struct json_out *o, const char *name, struct hrw_bytes json);
/* A key as a member: "key":"…" where it is UTF-8, else "key_base64":"…". */
void json_put_key(struct json_out *o, struct hrw_bytes key);
/* A key as an element of a list: a string, else {"key_base64":"…"}. */
void json_put_key_element(struct json_out *o, struct hrw_bytes key);
/* A tree as it stands. */
void json_put_tree(struct json_out *o, const char *name, const struct json *j);
/* A time as "2026-01-02T03:04:05.678Z", UTC; as bare text, too. */
enum { JSON_TIME = 32 };
void json_put_time(struct json_out *o, const char *name, int64_t unix_ms);
const char *json_time(int64_t unix_ms, char out[JSON_TIME]);

#endif
