/*
 * openapi.h - what the files that write /openapi.json share.
 */
#ifndef HRWD_ROUTES_OPENAPI_H
#define HRWD_ROUTES_OPENAPI_H

#include "daemon/base/json.h"

enum { OPENAPI_WORD = 96, OPENAPI_ERROR = 400 };

/* What a status means, and which headers it adds to an answer. */
struct openapi_status {
	unsigned status; /* 0 ends the table */
	const char *help, *headers;
};

extern const struct openapi_status openapi_statuses[];

/* The next word of a list separated by spaces, cut off; "" at its end. */
const char *openapi_word(const char **at, char word[OPENAPI_WORD]);

/* {"$ref":"#/components/KIND/TO"} as a member, or (name NULL) an element. */
void openapi_put_reference(struct json_out *o, const char *name, const char *kind, const char *to);

/* Headers of an answer: those of a row's words, and those of the status. */
void openapi_put_headers(struct json_out *o, const char *answers, const char *more);

/* The member "components" of an open object. */
void openapi_put_components(struct json_out *o);

#endif
