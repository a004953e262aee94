/*
 * values.c - readers of plain values: numbers, flags, words.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/base/cpus.h"
#include "daemon/config/private.h"

enum { WORKERS_AUTO_MAX = 16 };

int
config_no_memory(struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_INTERNAL, "no memory for the configuration");
}

int
config_mistyped(const struct config_option *option, const struct json *j, struct hrw_fault *fault)
{
	return json_fault(j, fault, HRW_BAD_FIELD, "\"%s\" is %s here: give %s", option->name,
	    json_type_name(json_type(j)), option->type);
}

/* A member of the configuration that a row points at. */
void *
config_member(struct config *c, const struct config_option *option)
{
	return (char *)c + option->offset;
}

/* Replaces a text that the configuration owns. */
int
config_set_text(char **at, const char *text, struct hrw_fault *fault)
{
	char *copy = strdup(text);

	if (copy == NULL)
		return config_no_memory(fault);
	free(*at);
	*at = copy;
	return 0;
}

static int
whole_number(const struct config_option *option, const struct json *j, uint64_t *out,
    struct hrw_fault *fault)
{
	int64_t number;

	if (json_type(j) != JSON_NUMBER)
		return config_mistyped(option, j, fault);
	if (!json_integer(j, &number) || number < (int64_t)option->min ||
	    (uint64_t)number > option->max)
		return json_fault(j, fault, HRW_BAD_FIELD,
		    "\"%s\" is %.*s: give a whole number from %llu to %llu", option->name,
		    (int)json_source(j).len, (const char *)json_source(j).data,
		    (unsigned long long)option->min, (unsigned long long)option->max);
	*out = (uint64_t)number;
	return 0;
}

int
config_read_count(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	uint64_t number;

	if (whole_number(option, j, &number, fault) < 0)
		return HRW_BAD_FIELD;
	/* Members have two widths, and those that reload are atomic. */
	if (option->size == sizeof(unsigned))
		*(unsigned *)config_member(c, option) = (unsigned)number;
	else
		atomic_store((atomic_uint_least64_t *)config_member(c, option), number);
	return 0;
}

struct config_limits {
	struct hrw_limits limits;
	struct config_limits *older;
};

/* One of core's limits: the offset is in struct hrw_limits. */
int
config_read_limit(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	const struct hrw_limits *now = atomic_load(&c->members.limits);
	struct config_limits *next;
	uint64_t number;
	size_t *member;

	if (whole_number(option, j, &number, fault) < 0)
		return HRW_BAD_FIELD;
	next = calloc(1, sizeof(*next));
	if (next == NULL)
		return config_no_memory(fault);
	if (now != NULL)
		next->limits = *now;
	member = (size_t *)(void *)((char *)&next->limits + option->offset);
	if (now != NULL && *member == number) {
		free(next);
		return 0;
	}
	*member = (size_t)number;
	next->older = c->all_limits;
	c->all_limits = next;
	atomic_store(&c->members.limits, &next->limits);
	atomic_store(&c->http.key_bytes, next->limits.key_bytes);
	return 0;
}

void
config_limits_fini(struct config *c)
{
	struct config_limits *limits;

	while ((limits = c->all_limits) != NULL) {
		c->all_limits = limits->older;
		free(limits);
	}
}

int
config_read_flag(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	if (json_type(j) != JSON_BOOL)
		return config_mistyped(option, j, fault);
	*(bool *)config_member(c, option) = json_bool(j);
	return 0;
}

int
config_read_live_flag(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	if (json_type(j) != JSON_BOOL)
		return config_mistyped(option, j, fault);
	atomic_store((atomic_bool *)config_member(c, option), json_bool(j));
	return 0;
}

/* One of the row's words: its number, or the error. */
static int
word_number(const struct config_option *option, const struct json *j, struct hrw_fault *fault)
{
	const char *text = json_text(j);

	if (text == NULL)
		return config_mistyped(option, j, fault);
	for (int i = 0; option->choices[i] != NULL; i++)
		if (strcmp(option->choices[i], text) == 0)
			return i;
	return json_fault(j, fault, HRW_BAD_FIELD, "\"%s\" is \"%.80s\": give %s", option->name,
	    text, option->type);
}

int
config_read_log_level(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	int number = word_number(option, j, fault);

	if (number < 0)
		return number;
	c->log_level = (enum log_level)number;
	return 0;
}

int
config_read_log_format(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	int number = word_number(option, j, fault);

	if (number < 0)
		return number;
	c->log_is_json = number == 1;
	return 0;
}

int
config_read_workers(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	const char *text = json_text(j);
	unsigned usable;

	if (json_type(j) == JSON_NUMBER)
		return config_read_count(c, option, j, fault);
	if (text == NULL || strcmp(text, "auto") != 0)
		return json_fault(
		    j, fault, HRW_BAD_FIELD, "\"%s\" takes %s", option->name, option->type);
	usable = cpus_usable();
	c->http.workers = usable < WORKERS_AUTO_MAX ? usable : WORKERS_AUTO_MAX;
	return 0;
}
