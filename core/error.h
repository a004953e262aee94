/*
 * error.h - every error there is, in one list.
 *
 * Zero or a count is good, negative is an error. The enum, the code that users
 * see and its short text all grow from HRW_ERRORS, so none can lack the others.
 * A fault carries one error to whoever asked, in words: what was wrong, with
 * the value, and how to mend it. Core fills it and stays silent.
 */
#ifndef HRW_ERROR_H
#define HRW_ERROR_H

#include <stddef.h>

/* name, number, code (stable, in answers), title */
#define HRW_ERRORS(X)                                                                              \
	X(NO_SERVERS, -1, "no-servers", "No node can take a key")                                  \
	X(TOO_MANY, -2, "too-many", "Too many nodes")                                              \
	X(BAD_SERVER, -3, "bad-server", "Bad node name")                                           \
	X(BAD_KEY, -4, "bad-key", "Bad key")                                                       \
	X(BAD_COPIES, -5, "bad-copies", "Bad number of copies")                                    \
	X(BAD_WEIGHT, -6, "bad-weight", "Bad weight")                                              \
	X(BAD_ADDRESS, -7, "bad-address", "Bad address")                                           \
	X(BAD_ZONE, -8, "bad-zone", "Bad zone")                                                    \
	X(BAD_POOL, -9, "bad-pool", "Bad pool name")                                               \
	X(BAD_JSON, -10, "bad-json", "Malformed body")                                             \
	X(BAD_FIELD, -11, "bad-field", "Bad field")                                                \
	X(BAD_PARAMETER, -12, "bad-parameter", "Bad query parameter")                              \
	X(UNKNOWN_PATH, -13, "unknown-path", "No such path")                                       \
	X(UNKNOWN_POOL, -14, "unknown-pool", "No such pool")                                       \
	X(UNKNOWN_NODE, -15, "unknown-node", "No such node")                                       \
	X(UNKNOWN_PLAN, -16, "unknown-plan", "No such plan")                                       \
	X(UNKNOWN_EPOCH, -17, "unknown-epoch", "No such epoch")                                    \
	X(BAD_METHOD, -18, "bad-method", "Method not allowed")                                     \
	X(BAD_TYPE, -19, "bad-type", "Unsupported media type")                                     \
	X(NOT_DRAINING, -20, "not-draining", "The node is not draining")                           \
	X(KEYS_AT_RISK, -21, "keys-at-risk", "Keys could lose every copy")                         \
	X(TOO_MUCH_MOVED, -22, "too-much-moved", "Too many keys would move")                       \
	X(POOL_NOT_EMPTY, -23, "pool-not-empty", "The pool still has nodes")                       \
	X(KEYS_CHANGED, -24, "keys-changed", "The key set has changed")                            \
	X(CONFLICT, -25, "conflict", "Another change won")                                         \
	X(STALE_EPOCH, -26, "stale-epoch", "The pool has moved on")                                \
	X(PRECONDITION_REQUIRED, -27, "precondition-required", "A precondition is required")       \
	X(TIMEOUT, -28, "timeout", "The request took too long")                                    \
	X(TOO_LARGE, -29, "too-large", "The body is too large")                                    \
	X(BUSY, -30, "busy", "Too much at once")                                                   \
	X(UNAUTHORIZED, -31, "unauthorized", "A token is needed")                                  \
	X(FORBIDDEN, -32, "forbidden", "Not allowed")                                              \
	X(READ_ONLY, -33, "read-only", "The store takes no changes")                               \
	X(STORE_FAILED, -34, "store-failed", "The store failed")                                   \
	X(LAST_NODE, -36, "last-node", "No node would take keys")                                  \
	X(INTERNAL, -35, "internal", "Our own fault")

enum hrw_error {
	HRW_OK = 0,
#define HRW_ERROR_ENUM(name, number, code, title) HRW_##name = (number),
	HRW_ERRORS(HRW_ERROR_ENUM)
#undef HRW_ERROR_ENUM
};

/* The stable code of an error, "internal" for a number not in the list.
 * Static storage. */
const char *hrw_error_code(int error);

/* Its short title, same rules. */
const char *hrw_error_title(int error);

/* The error whose code is `code`; 0 where there is none. */
int hrw_error_from_code(const char *code);

/* Room for a list of all placements; for a pointer that holds the longest name. */
enum { HRW_FAULT_DETAIL = 640, HRW_FAULT_FIELD = 320 };

/* One error in words. All texts are valid UTF-8 without control characters:
 * hrw_fault() escapes what it is given. */
struct hrw_fault {
	enum hrw_error error;
	const char *reason;	       /* static: "name", "taken", "collision"; NULL: none */
	char field[HRW_FAULT_FIELD];   /* JSON pointer or parameter at fault; "" when none */
	char detail[HRW_FAULT_DETAIL]; /* cut with "…" where it would not fit */
};

/* Fills a fault and returns `error`, so that `return hrw_fault(…)` reads well.
 *   f       may be NULL: then only the number is returned. reason and field
 *           are cleared
 *   format  as printf; the finished text is made safe: bytes below 0x20, 0x7f
 *           and bytes that are not UTF-8 become \xNN */
int hrw_fault(struct hrw_fault *f, enum hrw_error error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Analysers look into one file at a time: this is what it returns. */
#ifdef __clang_analyzer__
#define hrw_fault(f, error, ...) (hrw_fault((f), (error), __VA_ARGS__), (int)(error))
#endif

/* Adds the field (printf) to a fault already filled; returns f->error. NULL f: 0. */
int hrw_fault_at(struct hrw_fault *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
