/*
 * body.h - the bodies of changes: from a file, or from options.
 */
#ifndef HRWD_CTL_BODY_H
#define HRWD_CTL_BODY_H

#include "daemon/base/json.h"
#include "daemon/ctl/ctl.h"

/* A whole file ("-": stdin), to buffer_fini(). 0 or CTL_USAGE after saying why. */
int body_file(const char *path, struct buffer *out);

/* The same as JSON, in which comments may stand; to json_free(). NULL after
 * saying why. */
struct json *body_json(const char *path);

/* The pools of a configuration, at least one; what else stands in it must be right,
 * as hrwd itself reads it.
 *   pools   receives them; j's
 *   errors  CTL_USAGE after saying what is wrong, and where */
int body_configuration(const char *path, struct json *j, const struct json **pools);

/* Puts what --add, --drain and the like say as POST /changes takes it; with a
 * file's name, what is in that file instead.
 *   keys   a file of keys, one a line, as "keys"; NULL: none
 *   errors CTL_USAGE: both or neither were given, or a value is malformed */
int body_change(struct ctl *ctl, const char *path, const char *keys, struct buffer *out);

/* A new pool of --copies, --placement and --add, as PUT /pools/{pool} takes it. */
int body_pool(const struct options *options, struct buffer *out);

/* The same without nodes, of which something must be said: PATCH /pools/{pool}. */
int body_terms(const struct options *options, struct buffer *out);

/* Placements, names or JSON objects with parameters, as a JSON array. */
int body_placements(char **texts, size_t count, struct buffer *out);

/* What POST /compare takes: the arguments are placements, the options a change. */
int body_compare(struct ctl *ctl, struct buffer *out);

/* A text that is a number in JSON. CTL_USAGE with the name of what it is for. */
int body_number(const char *what, const char *text);

#endif
