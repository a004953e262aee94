/*
 * document_placement.c - a placement with its parameters as JSON.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/params.h"
#include "core/range.h"
#include "daemon/members/document.h"
#include "daemon/members/secrets.h"

/* "a, b, c": every placement there is. */
static void
placements_list(struct buffer *out)
{
	for (size_t i = 0; hrw_placements[i] != NULL; i++)
		buffer_printf(out, "%s%s", i > 0 ? ", " : "", hrw_placements[i]->name);
}

static const struct hrw_placement *
find(const struct json *j, struct hrw_fault *fault)
{
	const char *name = json_text(j);
	const struct hrw_placement *placement = name != NULL ? hrw_placement_find(name) : NULL;
	struct buffer list = {0};
	char shown[HRW_SHOWN];

	if (placement != NULL)
		return placement;
	placements_list(&list);
	if (json_type(j) == JSON_STRING)
		json_fault(j, fault, HRW_BAD_FIELD, "there is no placement \"%s\": use %s",
		    hrw_show(json_bytes(j), shown, sizeof(shown)), buffer_text(&list));
	else
		json_fault(j, fault, HRW_BAD_FIELD, "a placement's name is %s: use %s",
		    json_type_name(json_type(j)), buffer_text(&list));
	buffer_fini(&list);
	return NULL;
}

/* What is given is none of what may be. */
static int
bad_member(const struct json *j, const char *use, struct hrw_fault *fault)
{
	char shown[HRW_SHOWN];

	return json_fault(j, fault, HRW_BAD_FIELD, "\"%s\" is %s here: use %s", json_name(j),
	    hrw_show(json_source(j), shown, sizeof(shown)), use);
}

/* The choice of that text: its index; -1: there is none. */
static int
choice_of(const struct hrw_param *param, const char *text)
{
	for (int i = 0; text != NULL && param->choices[i] != NULL; i++)
		if (strcmp(param->choices[i], text) == 0)
			return i;
	return -1;
}

static void
choices_list(const struct hrw_param *param, struct buffer *out)
{
	for (size_t i = 0; param->choices[i] != NULL; i++)
		buffer_printf(out, "%s%s", i > 0 ? ", " : "", param->choices[i]);
}

static int
choice_read(const struct json *j, const struct hrw_param *param, struct hrw_value *out,
    struct hrw_fault *fault)
{
	int choice = choice_of(param, json_text(j)), rc;
	struct buffer use = {0};

	out->number = (uint64_t)choice;
	if (choice >= 0)
		return 0;
	buffer_add_text(&use, param->choices[1] != NULL ? "one of " : "");
	choices_list(param, &use);
	rc = bad_member(j, buffer_text(&use), fault);
	buffer_fini(&use);
	return rc;
}

static int
count_read(const struct json *j, const struct hrw_param *param, struct hrw_value *out,
    struct hrw_fault *fault)
{
	char range[HRW_RANGE_SHOWN];
	int64_t number;

	if (!json_integer(j, &number) || number < 0 || (uint64_t)number < param->min ||
	    (uint64_t)number > param->max)
		return bad_member(j, hrw_show_whole_range(param->min, param->max, range), fault);
	out->number = (uint64_t)number;
	return 0;
}

static bool
is_empty_list(const struct json *j)
{
	return json_type(j) == JSON_ARRAY && json_first(j) == NULL;
}

/* A list that names nothing: to leave it out says what is meant. */
static int
empty_list(const struct json *j, const struct hrw_param *param, struct hrw_fault *fault)
{
	return json_fault(j, fault, HRW_BAD_FIELD,
	    "\"%s\" is an empty list: name one at least, or leave it out", param->name);
}

static int
stranger(const struct json *name, const struct hrw_param *param, struct hrw_fault *fault)
{
	struct buffer list = {0};
	char shown[HRW_SHOWN];
	int rc;

	choices_list(param, &list);
	rc = json_fault(name, fault, HRW_BAD_FIELD, "\"%s\" has %s: use some of %s", param->name,
	    hrw_show(json_source(name), shown, sizeof(shown)), buffer_text(&list));
	buffer_fini(&list);
	return rc;
}

/* A list out of the choices, one at least, each once. */
static int
set_read(const struct json *j, const struct hrw_param *param, struct hrw_value *out,
    struct hrw_fault *fault)
{
	uint64_t bits = 0;

	if (json_type(j) != JSON_ARRAY)
		return bad_member(j, "a list of names", fault);
	if (is_empty_list(j))
		return empty_list(j, param, fault);
	json_each (name, j) {
		int choice = choice_of(param, json_text(name));

		if (choice < 0)
			return stranger(name, param, fault);
		if ((bits >> choice & 1) != 0)
			return json_fault(name, fault, HRW_BAD_FIELD,
			    "\"%s\" lists \"%s\" twice: name it once", param->name,
			    param->choices[choice]);
		bits |= UINT64_C(1) << choice;
	}
	out->number = bits;
	return 0;
}

static int
host_read(const struct json *j, struct hrw_host *out, struct hrw_fault *fault)
{
	static const char *const names[] = {"name", "id", "weight", NULL};
	const struct json *name = json_get(j, "name"), *id = json_get(j, "id"),
			  *weight = json_get(j, "weight");
	int64_t number = 0;
	int rc = 0;

	if (json_type(j) != JSON_OBJECT || json_text(name) == NULL)
		return json_fault(j, fault, HRW_BAD_FIELD,
		    "a host is an object {\"name\":\"rack-1\",\"id\":-3,\"weight\":4.5}");
	rc = json_only(j, names, fault);
	if (rc == 0 && id != NULL &&
	    (!json_integer(id, &number) || number < INT32_MIN || number > INT32_MAX))
		rc = bad_member(id, "a negative whole number of 32 bits", fault);
	if (rc == 0 && weight != NULL && !(json_number(weight) >= 0 && json_number(weight) <= 1e9))
		rc = bad_member(weight, "a number from 0 to 65535", fault);
	if (rc < 0)
		return rc;
	*out = (struct hrw_host){.name = strdup(json_text(name)),
	    .has_id = id != NULL,
	    .has_weight = weight != NULL,
	    .id = (int32_t)number,
	    .weight = weight != NULL ? json_number(weight) : 0};
	return out->name != NULL ? 0 : hrw_fault(fault, HRW_INTERNAL, "out of memory");
}

static int
hosts_read(const struct json *j, const struct hrw_param *param, struct hrw_value *out,
    struct hrw_fault *fault)
{
	if (json_type(j) != JSON_ARRAY)
		return bad_member(j, "a list of hosts", fault);
	if (is_empty_list(j))
		return empty_list(j, param, fault);
	out->host = calloc(json_count(j) + 1, sizeof(*out->host));
	if (out->host == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	json_each (host, j) {
		int rc = host_read(host, &out->host[out->host_count], fault);

		if (rc < 0)
			return rc;
		out->host_count++;
	}
	return 0;
}

static int
flag_read(const struct json *j, const struct hrw_param *param, struct hrw_value *out,
    struct hrw_fault *fault)
{
	(void)param;
	if (json_type(j) != JSON_BOOL)
		return bad_member(j, "true or false", fault);
	out->number = json_bool(j);
	return 0;
}

static int
text_read(const struct json *j, const struct hrw_param *param, struct hrw_value *out,
    struct hrw_fault *fault)
{
	char range[HRW_RANGE_SHOWN], use[HRW_RANGE_SHOWN + 48];

	if (json_text(j) == NULL || json_bytes(j).len < param->min ||
	    json_bytes(j).len > param->max) {
		snprintf(use, sizeof(use), "a text of %s bytes%s",
		    hrw_show_range(param->min, param->max, range),
		    json_type(j) == JSON_STRING && json_text(j) == NULL ? " without NUL" : "");
		return bad_member(j, use, fault);
	}
	out->text = strdup(json_text(j));
	return out->text != NULL ? 0 : hrw_fault(fault, HRW_INTERNAL, "out of memory");
}

/* The file's name is the text, what it holds the secret. */
static int
secret_read(const struct json *j, const struct hrw_param *param, struct hrw_value *out,
    struct hrw_fault *fault)
{
	struct hrw_fault inner;
	int rc = text_read(j, param, out, fault);

	if (rc < 0)
		return rc;
	rc = secrets_get(out->text, out->secret, &inner);
	out->has_secret = rc == 0;
	return rc == 0 ? 0 : json_fault(j, fault, inner.error, "%s", inner.detail);
}

/* By enum hrw_param_type. */
static int (*const readers[])(const struct json *j, const struct hrw_param *param,
    struct hrw_value *out, struct hrw_fault *fault) = {
    [HRW_PARAM_CHOICE] = choice_read,
    [HRW_PARAM_COUNT] = count_read,
    [HRW_PARAM_FLAG] = flag_read,
    [HRW_PARAM_TEXT] = text_read,
    [HRW_PARAM_SET] = set_read,
    [HRW_PARAM_HOSTS] = hosts_read,
    [HRW_PARAM_SECRET] = secret_read,
};

/* One that does not count beside the others would only seem to do something. */
static int
check_counts(const struct json *j, const struct hrw_membership *m, struct hrw_fault *fault)
{
	const struct hrw_param *param = m->placement->params;
	int rc = 0;

	for (size_t i = 0; rc == 0 && param != NULL && param[i].name != NULL; i++)
		if (m->param[i].is_given && !hrw_param_counts(m, i))
			rc = json_fault(json_get(j, param[i].name), fault, HRW_BAD_FIELD,
			    "\"%s\" counts only where \"%s\" is \"%s\": leave it out",
			    param[i].name, param[i].with, param[i].is);
	return rc;
}

/* Every member of the object is the name or a parameter. What a store holds may
 * be of a version that wrote values without effect: they are passed over. */
static int
params_read(const struct json *j, bool is_stored, struct hrw_membership *m, struct hrw_fault *fault)
{
	const struct hrw_param *param = m->placement->params;
	const char *names[HRW_PARAMS_MAX + 2] = {"name"};
	size_t count = 1;
	int rc;

	for (size_t i = 0; param != NULL && param[i].name != NULL; i++)
		names[count++] = param[i].name;
	rc = json_only(j, names, fault);
	for (size_t i = 0; rc == 0 && i + 1 < count; i++) {
		const struct json *value = json_get(j, param[i].name);

		if (value == NULL || (is_stored && is_empty_list(value)))
			continue;
		m->param[i].is_given = true;
		rc = readers[param[i].type](value, &param[i], &m->param[i], fault);
	}
	return rc < 0 || is_stored ? rc : check_counts(j, m, fault);
}

struct hrw_membership *
document_placement_read(
    const struct json *j, bool is_stored, unsigned copies, struct hrw_fault *fault)
{
	bool is_object = json_type(j) == JSON_OBJECT;
	const struct json *name = is_object ? json_get(j, "name") : j;
	const struct hrw_placement *placement;
	struct hrw_membership *m;

	if (name == NULL) {
		json_lacks(j, "name", fault, HRW_BAD_FIELD,
		    "a placement has no name: give it one, such as {\"name\":\"%s\"}",
		    hrw_placements[0]->name);
		return NULL;
	}
	placement = find(name, fault);
	if (placement == NULL)
		return NULL;
	m = hrw_membership_new(placement, copies);
	if (m == NULL) {
		hrw_fault(fault, HRW_INTERNAL, "out of memory");
		return NULL;
	}
	if (is_object && params_read(j, is_stored, m, fault) < 0) {
		hrw_membership_free(m);
		return NULL;
	}
	return m;
}

int
document_placements_read(const struct json *list, size_t most, struct hrw_membership **out,
    size_t *count, struct hrw_fault *fault)
{
	if (json_type(list) != JSON_ARRAY || json_first(list) == NULL || json_count(list) > most)
		return json_fault(list, fault, HRW_BAD_FIELD,
		    "\"placements\" is not a list of 1 to %zu placements, such as "
		    "[\"rendezvous\",{\"name\":\"ring\",\"vnodes\":100}]",
		    most);
	json_each (placement, list) {
		out[*count] = document_placement_read(placement, false, 1, fault);
		if (out[*count] == NULL)
			return (int)fault->error;
		++*count;
	}
	return 0;
}

static void
set_write(struct json_out *o, const struct hrw_param *param, const struct hrw_value *value)
{
	json_open_array(o, param->name);
	for (size_t i = 0; param->choices[i] != NULL; i++)
		if ((value->number >> i & 1) != 0)
			json_put_text(o, NULL, param->choices[i]);
	json_close_array(o);
}

static void
hosts_write(struct json_out *o, const struct hrw_param *param, const struct hrw_value *value)
{
	json_open_array(o, param->name);
	for (size_t i = 0; i < value->host_count; i++) {
		const struct hrw_host *host = &value->host[i];

		json_open_object(o, NULL);
		json_put_text(o, "name", host->name);
		if (host->has_id)
			json_put_int(o, "id", host->id);
		if (host->has_weight)
			json_put_number(o, "weight", host->weight);
		json_close_object(o);
	}
	json_close_array(o);
}

/* What was left out and has no default stays out. */
static void
param_write(struct json_out *o, const struct hrw_param *param, const struct hrw_value *value)
{
	switch (param->type) {
	case HRW_PARAM_CHOICE:
		json_put_text(o, param->name, param->choices[value->number]);
		break;
	case HRW_PARAM_COUNT:
		json_put_count(o, param->name, value->number);
		break;
	case HRW_PARAM_FLAG:
		json_put_bool(o, param->name, value->number != 0);
		break;
	case HRW_PARAM_SET:
		if (value->number != 0)
			set_write(o, param, value);
		break;
	case HRW_PARAM_HOSTS:
		if (value->host != NULL)
			hosts_write(o, param, value);
		break;
	case HRW_PARAM_SECRET:
	case HRW_PARAM_TEXT:
		if (value->text != NULL)
			json_put_text(o, param->name, value->text);
		break;
	}
}

void
document_placement_write(struct json_out *o, const char *name, const struct hrw_membership *m)
{
	const struct hrw_param *param = m->placement->params;

	json_open_object(o, name);
	json_put_text(o, "name", m->placement->name);
	for (size_t i = 0; param != NULL && param[i].name != NULL; i++)
		if (hrw_param_counts(m, i))
			param_write(o, &param[i], &m->param[i]);
	json_close_object(o);
}
