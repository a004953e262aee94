/*
 * shapes.h - what bodies look like, as tables: for /openapi.json.
 *
 * A type is written
 *     text  count  share …   a basic one: openapi_types.c
 *     count(1..64)           with the least and the most that it may be
 *     'active'               this very text
 *     node                   a shape
 *     [node]                 a list
 *     {weight}               an object with names of nodes, or others, as members
 *     text|null              one of several
 */
#ifndef HRWD_ROUTES_SHAPES_H
#define HRWD_ROUTES_SHAPES_H

#include "daemon/base/json.h"

/* One member of an object. */
struct shape_member {
	const char *name; /* NULL ends the table; "?" behind it: it may be left out */
	const char *type;
	const char *help;
};

enum { SHAPE_PARTS = 3 };

/* An object: the members of all its parts and no others; or, without parts, a
 * name for a type. */
struct shape {
	const char *name; /* NULL ends the table */
	const char *help;
	const struct shape_member *parts[SHAPE_PARTS];
	const char *type;     /* without parts */
	const char *required; /* names; NULL: every one without "?" */
};

/* By what they are for; shapes_pool.c and the others. The integration tests hold
 * every answer, and every body that was accepted, to them. */
extern const struct shape shapes_pool[], shapes_change[], shapes_compare[];

/* A key, as text or as Base64. */
extern const struct shape_member shape_key[];

/* A type as JSON Schema (2020-12).
 *   name  of the member it becomes, NULL in a list
 *   help  NULL: none */
void shape_put_type(struct json_out *o, const char *name, const char *type, const char *help);

/* Every shape, every placement: members of an open object. */
void shape_put_all(struct json_out *o);

#endif
