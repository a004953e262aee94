/*
 * rights.c - a row a task: no default, a task without a row is the admin's.
 */
#include <stdio.h>

#include "daemon/routes/rights.h"

struct right {
	const char *name; /* as in a report's "op", where it has one */
	enum role role;
};

static const struct right rights[] = {
    [TASK_ADD] = {"add", ROLE_ADMIN},
    [TASK_PUT] = {"put", ROLE_ADMIN},
    [TASK_DRAIN] = {"drain", ROLE_OPERATE},
    [TASK_ACTIVATE] = {"activate", ROLE_OPERATE},
    [TASK_REJOIN] = {"rejoin", ROLE_OPERATE},
    [TASK_REMOVE] = {"remove", ROLE_ADMIN},
    [TASK_PATCH] = {"patch", ROLE_ADMIN}, /* of a weight alone: reweight, below */
    [TASK_NODES] = {"nodes", ROLE_ADMIN},
    [TASK_COPIES] = {"copies", ROLE_ADMIN},
    [TASK_PLACEMENT] = {"placement", ROLE_ADMIN},
    [TASK_TERMS] = {"terms", ROLE_ADMIN},
    [TASK_SETTLE] = {"settle", ROLE_OPERATE},
    [TASK_SETTLE_EPOCH] = {"settle", ROLE_ADMIN}, /* no request asks for it */
    [TASK_POOL] = {"pool", ROLE_ADMIN},
    [TASK_DROP] = {"drop", ROLE_ADMIN},
    [TASK_REVERT] = {"revert", ROLE_ADMIN},
};

static const struct right reweight = {"reweight", ROLE_OPERATE};
static const struct right force = {"force", ROLE_ADMIN};
static const struct right dry_run = {"dry_run", ROLE_PLAN};

static const struct right *
right_of(const struct task *task)
{
	static const struct right unknown = {"change", ROLE_ADMIN};

	if (task->op == TASK_PATCH && (task->set & ~(unsigned)NODE_NAME) == NODE_WEIGHT)
		return &reweight;
	if ((size_t)task->op >= sizeof(rights) / sizeof(rights[0]) ||
	    rights[task->op].role == ROLE_NONE)
		return &unknown;
	return &rights[task->op];
}

enum role
rights_of(const struct change *c, const char **because)
{
	const struct right *most = &dry_run;

	if (!c->is_dry_run && c->force != 0)
		most = &force;
	for (size_t i = 0; !c->is_dry_run && i < c->count; i++)
		if (right_of(&c->task[i])->role > most->role)
			most = right_of(&c->task[i]);
	*because = most->name;
	return most->role;
}

int
rights_judge(struct request *req, const struct change *c)
{
	const char *because;
	enum role role = rights_of(c, &because);
	char what[80];

	snprintf(
	    what, sizeof(what), "to do this (%s) and not only plan it (?dry_run=true)", because);
	return request_needs(req, role, what);
}
