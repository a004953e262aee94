/*
 * route.h - what a row of the table of routes says.
 *
 * The row holds all that is known of a route: the router, Allow, the parameter
 * check, /openapi.json and the tests read rows instead of repeating them.
 */
#ifndef HRWD_HTTP_ROUTE_H
#define HRWD_HTTP_ROUTE_H

#include "daemon/http/request.h"

enum body {
	BODY_NONE,   /* none is taken: with GET it is ignored, else it must say nothing */
	BODY_WHOLE,  /* collected into req->body, limits.json_bytes at most */
	BODY_STREAM, /* given to `feed` as it comes, limits.body_bytes at most */
	BODY_LONG,   /* as BODY_STREAM, not bound by body_bytes */
};

/* Which pools a request may reach; a token bound to pools is held to it. */
enum reach {
	REACH_NOTHING, /* no pool's own */
	REACH_POOL,    /* the one in the path, of ?pool=, or the default one */
	REACH_POOLS,   /* the same, or with pool=* every one that the token sees */
	REACH_SEEN,    /* whatever the token sees: the handler asks request_sees() */
};

struct route {
	enum method method;
	const char *path; /* segments in braces are captured: "/nodes/{name}/drain" */
	enum listener where;
	enum role role; /* the least that may use it; what a change needs: rights.h */
	enum reach reach;
	enum body body;
	/* Streams: before the first piece; 0, an error. NULL otherwise. */
	int (*begin)(struct request *req);
	/* Streams: a piece; 0, an error, or REQUEST_PENDING after
	 * request_background(): the next piece waits for it. */
	int (*feed)(struct request *req, struct hrw_bytes piece);
	/* The whole request is there: 0 after a respond…(), an error,
	 * REQUEST_PENDING. */
	int (*handle)(struct request *req);
	const char *parameters; /* names, separated by spaces */
	const char *types; /* media types of the body, separated by spaces; first the route's own */
	const char *summary; /* for /openapi.json and people */
	/* Of the request and of the answer, for /openapi.json alone. Headers by name;
	 * a JSON body as a type of shapes.h, NULL where there is none; answers as
	 * openapi.c reads them: "200:owner 200:text/plain 304". What any route may
	 * answer is not said again. */
	const char *headers, *sends, *answers;
};

#endif
