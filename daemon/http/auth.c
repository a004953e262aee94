/*
 * auth.c - the list of tokens is read through one atomic pointer and never
 * freed while requests run, so nothing is locked.
 */
#include <strings.h>

#include "daemon/http/auth.h"
#include "daemon/http/private.h"

bool
auth_is_asked(const struct http_config *config, enum listener listener)
{
	return atomic_load(&config->tokens) != NULL &&
	       (listener == LISTENER_ADMIN || atomic_load(&config->auth_lookup));
}

/* What follows the scheme; data NULL where it is another. */
static struct hrw_bytes
bearer_of(struct hrw_bytes sent)
{
	static const char scheme[] = "Bearer ";
	size_t len = sizeof(scheme) - 1;

	if (sent.len <= len || strncasecmp((const char *)sent.data, scheme, len) != 0)
		return hrw_bytes(NULL, 0);
	while (len < sent.len && sent.data[len] == ' ')
		len++;
	return hrw_bytes(sent.data + len, sent.len - len);
}

int
auth_identify(struct request *req, struct hrw_bytes sent)
{
	const struct tokens *tokens = atomic_load(&req->exchange->server->config->tokens);
	struct hrw_bytes token = bearer_of(sent);

	if (sent.data == NULL)
		return hrw_fault(&req->fault, HRW_UNAUTHORIZED,
		    "this needs a token: send a header Authorization: Bearer TOKEN");
	if (token.data == NULL)
		return hrw_fault(&req->fault, HRW_UNAUTHORIZED,
		    "the Authorization header is no bearer token: send Authorization: Bearer "
		    "TOKEN");
	req->token = tokens_find(tokens, token);
	if (req->token == NULL)
		return hrw_fault(&req->fault, HRW_UNAUTHORIZED,
		    "the token that was sent is not known here: its SHA-256 stands in no line of "
		    "auth.tokens (which is read at start and on SIGHUP)");
	req->by = req->token->name;
	return 0;
}

/* A change may be planned by whoever may not make it. */
static int
judge_role(struct request *req)
{
	const struct route *route = req->route;
	bool is_change = route->role == ROLE_PLAN && route->parameters != NULL &&
			 strstr(route->parameters, "dry_run") != NULL;
	char what[160];

	snprintf(what, sizeof(what),
	    is_change ? "%s needs a token of role operate or admin, as the change may be; to plan "
			"it (?dry_run=true)"
		      : "%s",
	    route->path);
	return request_needs(req, route->role, what);
}

int
auth_judge(struct request *req)
{
	int rc = judge_role(req);

	if (rc < 0 || req->token == NULL)
		return rc;
	return req->exchange->server->site->reaches(req, req->token, &req->fault);
}

/* Lists that were replaced are kept, so the request's token can be looked at. */
bool
auth_still_stands(const struct request *req)
{
	const struct http_server *server = req->exchange->server;
	const struct http_config *config = server->config;
	const struct tokens *tokens = atomic_load(&config->tokens);

	if (!auth_is_asked(config, req->listener))
		return true;
	for (size_t i = 0; req->token != NULL && i < tokens->count; i++) {
		const struct token *now = &tokens->token[i];

		if (memcmp(now->digest, req->token->digest, sizeof(now->digest)) == 0)
			return now->role >= req->route->role &&
			       server->site->reaches(req, now, NULL) == 0;
	}
	return false;
}
