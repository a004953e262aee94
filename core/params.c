/*
 * params.c - parameters of a draft: defaults, which of them count, checks.
 */
#include "core/params.h"

#include <math.h>

#include "core/range.h"

static void
reset(struct hrw_value *value, const struct hrw_param *param)
{
	hrw_value_fini(value);
	value->number = param->initial; /* 0 where it has none */
}

void
hrw_params_reset(struct hrw_membership *m)
{
	const struct hrw_param *param = m->placement->params;

	for (size_t i = 0; i < HRW_PARAMS_MAX; i++)
		hrw_value_fini(&m->param[i]);
	for (size_t i = 0; param != NULL && param[i].name != NULL; i++)
		reset(&m->param[i], &param[i]);
}

bool
hrw_param_counts(const struct hrw_membership *m, size_t at)
{
	const struct hrw_param *param = m->placement->params;
	size_t other = 0;

	if (param[at].with == NULL)
		return true;
	while (strcmp(param[other].name, param[at].with) != 0)
		other++;
	return hrw_param_counts(m, other) &&
	       strcmp(param[other].choices[m->param[other].number], param[at].is) == 0;
}

void
hrw_params_complete(struct hrw_membership *m)
{
	const struct hrw_param *param = m->placement->params;

	for (size_t i = 0; param != NULL && param[i].name != NULL; i++)
		if (!hrw_param_counts(m, i))
			reset(&m->param[i], &param[i]);
	if (m->placement->complete != NULL)
		m->placement->complete(m->param);
}

static size_t
choice_count(const struct hrw_param *param)
{
	size_t count = 0;

	while (param->choices[count] != NULL)
		count++;
	return count;
}

static int
check_text(const struct hrw_placement *placement, const struct hrw_param *param, const char *text,
    struct hrw_fault *fault)
{
	char range[HRW_RANGE_SHOWN];

	if (text == NULL && param->is_required)
		return hrw_fault(fault, HRW_BAD_FIELD, "%s needs its parameter \"%s\": %s",
		    placement->name, param->name, param->help);
	if (text == NULL || (strlen(text) >= param->min && strlen(text) <= param->max))
		return 0;
	return hrw_fault(fault, HRW_BAD_FIELD, "parameter \"%s\" of %s has %zu bytes: use %s",
	    param->name, placement->name, strlen(text),
	    hrw_show_range(param->min, param->max, range));
}

static int
check(const struct hrw_placement *placement, const struct hrw_param *param,
    const struct hrw_value *value, struct hrw_fault *fault)
{
	bool is_good = true;

	switch (param->type) {
	case HRW_PARAM_CHOICE:
		is_good = value->number < choice_count(param);
		break;
	case HRW_PARAM_COUNT:
		is_good = value->number >= param->min && value->number <= param->max;
		break;
	case HRW_PARAM_FLAG:
		is_good = value->number <= 1;
		break;
	case HRW_PARAM_SET:
		is_good = value->number < UINT64_C(1) << choice_count(param) &&
			  (value->number != 0 || param->initial == 0);
		break;
	case HRW_PARAM_HOSTS:
		break; /* the placement's own to judge */
	case HRW_PARAM_SECRET:
	case HRW_PARAM_TEXT:
		return check_text(placement, param, value->text, fault);
	}
	if (is_good)
		return 0;
	return hrw_fault(fault, HRW_BAD_FIELD,
	    "%llu is out of range for parameter \"%s\" of %s: %s",
	    (unsigned long long)value->number, param->name, placement->name, param->help);
}

int
hrw_params_check(const struct hrw_membership *m, struct hrw_fault *fault)
{
	const struct hrw_param *param = m->placement->params;
	int rc = 0;

	for (size_t i = 0; rc == 0 && param != NULL && param[i].name != NULL; i++) {
		rc = check(m->placement, &param[i], &m->param[i], fault);
		if (rc < 0)
			hrw_fault_at(fault, "/placement/%s", param[i].name);
	}
	return rc;
}

int
hrw_check_most_copies(const struct hrw_placement *placement, size_t copies, struct hrw_fault *fault)
{
	if (copies <= hrw_copies_most(placement))
		return 0;
	return hrw_fault(fault, HRW_BAD_COPIES, "%zu copies are more than %s can place: %s", copies,
	    placement->name,
	    (placement->traits & HRW_SINGLE_COPY) != 0
		? "it is single-copy, it defines one owner: use 1"
		: "it defines an owner and a second: use 1 or 2");
}

bool
hrw_takes_weight(const struct hrw_weights *weights, double weight)
{
	switch (weights->rule) {
	case HRW_WEIGHT_REAL:
		return weight >= weights->min && weight <= weights->max;
	case HRW_WEIGHT_WHOLE:
		return weight >= weights->min && weight <= weights->max && weight == floor(weight);
	case HRW_WEIGHT_NONE:
		return weight == 1;
	case HRW_WEIGHT_IGNORED:
		break;
	}
	return true;
}
