/*
 * auth.c - the list of tokens is read through one atomic pointer and never
 * freed while requests run, so nothing is locked.
 */
#include <strings.h>

#include "daemon/app.h"
#include "daemon/http/auth.h"
#include "daemon/members/snapshot.h"
#include "daemon/routes/routes.h"

bool
auth_is_asked(const struct config *config, enum listener listener)
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
	const struct tokens *tokens = atomic_load(&req->app->config->tokens);
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

/* The pool that the request names, by its path, its parameter or not at all. */
static struct hrw_bytes
pool_of(const struct request *req)
{
	static const char in_path[] = "/pools/{pool}";
	struct hrw_bytes named;

	if (strncmp(req->route->path, in_path, sizeof(in_path) - 1) == 0)
		return req->segment[0];
	named = request_parameter(req, "pool");
	return named.data != NULL ? named : hrw_text(req->app->config->default_pool);
}

static bool
is_every_pool(const struct request *req, struct hrw_bytes pool)
{
	return req->route->reach == REACH_POOLS && hrw_bytes_equal(pool, hrw_text("*"));
}

static int
judge_pool(struct request *req)
{
	struct hrw_bytes pool = pool_of(req);
	const struct token *token = req->token;
	struct buffer patterns = {0};
	char shown[HRW_SHOWN];

	if (is_every_pool(req, pool) || token_sees(token, pool))
		return 0;
	for (size_t i = 0; i < token->pattern_count && patterns.len < HRW_SHOWN; i++)
		buffer_printf(&patterns, "%s%s", i > 0 ? " " : "", token->pattern[i]);
	hrw_fault(&req->fault, HRW_FORBIDDEN,
	    "the token \"%s\" is for pools called %s alone, not for \"%s\": name one of them with "
	    "pool=, or use another token",
	    token->name, buffer_text(&patterns), hrw_show(pool, shown, sizeof(shown)));
	buffer_fini(&patterns);
	return hrw_fault_at(&req->fault, "pool");
}

int
auth_judge(struct request *req)
{
	int rc = request_needs(req, req->route->role, req->route->path);

	switch (req->route->reach) {
	case REACH_NOTHING:
	case REACH_SEEN:
		return rc;
	case REACH_POOL:
	case REACH_POOLS:
		break;
	}
	return rc < 0 || req->token == NULL ? rc : judge_pool(req);
}

/* Lists that were replaced are kept, so the request's token can be looked at. */
bool
auth_still_stands(const struct request *req)
{
	const struct config *config = req->app->config;
	const struct tokens *tokens = atomic_load(&config->tokens);

	if (!auth_is_asked(config, req->listener))
		return true;
	for (size_t i = 0; req->token != NULL && i < tokens->count; i++) {
		const struct token *now = &tokens->token[i];

		if (memcmp(now->digest, req->token->digest, sizeof(now->digest)) == 0)
			return now->role >= req->route->role &&
			       (req->route->reach != REACH_POOL || token_sees(now, pool_of(req)));
	}
	return false;
}
