/*
 * noticed.h - warnings of a list of keys that was sent as text.
 */
#ifndef HRWD_ROUTES_NOTICED_H
#define HRWD_ROUTES_NOTICED_H

#include "daemon/base/json.h"
#include "daemon/http/keylist.h"
#include "daemon/http/request.h"

/* Appends the elements of "warnings" to an empty buffer; nothing where none is due. */
void noticed_add(const struct keylist_notice *notice, struct buffer *elements);

/* The same array as the header Hrw-Warnings, of an answer that is no object. */
void noticed_header(struct request *req, const struct keylist_notice *notice);

#endif
