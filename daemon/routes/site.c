/*
 * site.c - a token is bound to pools by name, whether there is such a pool or not.
 */
#include <string.h>

#include "daemon/app.h"
#include "daemon/http/route.h"
#include "daemon/members/snapshot.h"
#include "daemon/metrics/metrics.h"
#include "daemon/routes/site.h"

/* The pool that the request names, by its path, its parameter or not at all. */
static struct hrw_bytes
pool_of(const struct request *req)
{
	static const char in_path[] = "/pools/{pool}";
	struct hrw_bytes named;

	if (strncmp(req->route->path, in_path, sizeof(in_path) - 1) == 0)
		return req->segment[0];
	named = request_parameter(req, "pool");
	return named.data != NULL ? named : hrw_text(req->app->config->members.default_pool);
}

static bool
is_every_pool(const struct request *req, struct hrw_bytes pool)
{
	return req->route->reach == REACH_POOLS && hrw_bytes_equal(pool, hrw_text("*"));
}

int
site_reaches(const struct request *req, const struct token *token, struct hrw_fault *fault)
{
	struct hrw_bytes pool;
	struct buffer patterns = {0};
	char shown[HRW_SHOWN];
	int rc;

	if (req->route->reach == REACH_NOTHING || req->route->reach == REACH_SEEN)
		return 0;
	pool = pool_of(req);
	if (is_every_pool(req, pool) || token_sees(token, pool))
		return 0;
	for (size_t i = 0; i < token->pattern_count && patterns.len < HRW_SHOWN; i++)
		buffer_printf(&patterns, "%s%s", i > 0 ? " " : "", token->pattern[i]);
	rc = hrw_fault(fault, HRW_FORBIDDEN,
	    "the token \"%s\" is for pools called %s alone, not for \"%s\": name one of them with "
	    "pool=, or use another token",
	    token->name, buffer_text(&patterns), hrw_show(pool, shown, sizeof(shown)));
	buffer_fini(&patterns);
	hrw_fault_at(fault, "pool");
	return rc;
}

void
site_answered(struct app *app, size_t route, unsigned status, uint64_t ns)
{
	if (app->metrics != NULL)
		metrics_request(app->metrics, route, status, ns);
}
