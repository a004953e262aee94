/*
 * site.h - what the servers ask of the routes: struct http_site's functions.
 */
#ifndef HRWD_ROUTES_SITE_H
#define HRWD_ROUTES_SITE_H

#include "daemon/http/request.h"

int site_reaches(const struct request *req, const struct token *token, struct hrw_fault *fault);
void site_answered(struct app *app, size_t route, unsigned status, uint64_t ns);

#endif
