/*
 * target.h - the raw request target, taken apart by the byte.
 *
 * libmicrohttpd would cut values at %00, let a malformed % through and turn
 * "/owner%00x" into "/owner"; so the target is parsed here, length-exact, and
 * nothing is guessed: what a client most likely did not mean is refused.
 *
 * Forms: "/path?query", and "http://host/path?query" (RFC 9112, 3.2.2), whose
 * authority is kept apart. "*" and CONNECT's "host:port" name no path of ours.
 */
#ifndef HRWD_HTTP_TARGET_H
#define HRWD_HTTP_TARGET_H

#include "core/bytes.h"
#include "core/error.h"

enum { TARGET_SEGMENTS_MAX = 4 };

struct target_parameter {
	struct hrw_bytes name, value;
	bool has_value; /* false: the name stood alone, without a '=' */
};

struct target {
	const char *from;			       /* where its text begins */
	struct hrw_bytes authority;		       /* of the absolute form; else data NULL */
	struct hrw_bytes segment[TARGET_SEGMENTS_MAX]; /* decoded, without "v1" */
	size_t segment_count;			       /* "/" has one, of no bytes */
	struct target_parameter *parameter;	       /* the caller's, room for parameter_max */
	size_t parameter_count, parameter_max;
};

/* Takes a target apart, decoding in place.
 *   text     len bytes, written to; the parts of `t` point into it
 *   t        parameter and parameter_max set by the caller; the rest is filled
 *   errors   UNKNOWN_PATH: no path of ours could be meant, or a malformed % in
 *            it. BAD_PARAMETER: a malformed %, a raw space, control byte or '#'
 *            in the query, an empty or repeated parameter, or too many. The
 *            detail says at which byte, the field of which parameter
 *   cost     linear, and quadratic in the number of parameters */
int target_parse(char *text, size_t len, struct target *t, struct hrw_fault *fault);

/* The parameter of that name; NULL when absent. */
const struct target_parameter *target_parameter(const struct target *t, const char *name);

/* Every parameter must be one of `names` (separated by spaces): else
 * BAD_PARAMETER that names the stranger and lists what is known. */
int target_only(const struct target *t, const char *names, struct hrw_fault *fault);

#endif
