/*
 * body.c - options become the JSON that a file would have.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/config.h"
#include "daemon/ctl/body.h"
#include "daemon/ctl/command.h"

int
body_file(const char *path, struct buffer *out)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	char piece[16384];
	size_t len;
	int rc = 0;

	if (file == NULL)
		return ctl_fail(CTL_USAGE, "%s: %s", path, strerror(errno));
	while ((len = fread(piece, 1, sizeof(piece), file)) > 0)
		buffer_add(out, piece, len);
	if (ferror(file))
		rc = ctl_fail(CTL_USAGE, "%s: %s", path, strerror(errno));
	else if (out->failed)
		rc = ctl_no_memory();
	if (file != stdin)
		fclose(file);
	return rc;
}

struct json *
body_json(const char *path)
{
	struct hrw_fault fault = {0};
	struct buffer text = {0};
	struct json *j = NULL;

	if (body_file(path, &text) == 0) {
		j = json_parse(buffer_bytes(&text), JSON_COMMENTS | JSON_STORED, &fault);
		if (j == NULL)
			ctl_fail(CTL_USAGE, "%s: %s", path, fault.detail);
	}
	buffer_fini(&text);
	return j;
}

int
body_configuration(const char *path, struct json *j, const struct json **pools)
{
	struct hrw_fault fault = {0};

	*pools = json_get(j, "pools");
	if (config_check_elsewhere(path, j, &fault) < 0)
		return ctl_fail(CTL_USAGE, "%s", fault.detail);
	if (json_first(*pools) == NULL)
		return ctl_fail(CTL_USAGE,
		    "%s has no pool in it: \"pools\" is {\"NAME\":{\"nodes\":[…]}}", path);
	return 0;
}

int
body_number(const char *what, const char *text)
{
	struct json *j = json_parse(hrw_text(text), JSON_STRICT, NULL);
	bool is_number = j != NULL && json_type(j) == JSON_NUMBER;

	json_free(j);
	return is_number ? 0 : ctl_fail(CTL_USAGE, "%s is \"%s\": give a number", what, text);
}

/* "name,address=host:port,weight=2" as a node object. */
static int
put_node(struct json_out *o, const char *spec)
{
	size_t len = strcspn(spec, ",");
	const char *at = spec + len;
	int rc = 0;

	json_open_object(o, NULL);
	json_put_bytes(o, "name", hrw_bytes(spec, len));
	while (rc == 0 && *at == ',') {
		const char *name = at + 1;
		size_t name_len = strcspn(name, "=,"), value_len;
		const char *value = name + name_len + 1;
		char field[32], number[64];

		if (name[name_len] != '=' || name_len >= sizeof(field))
			return ctl_fail(CTL_USAGE,
			    "--add is \"%s\": give NAME, then ,field=value for what else is "
			    "known of it",
			    spec);
		value_len = strcspn(value, ",");
		snprintf(field, sizeof(field), "%.*s", (int)name_len, name);
		if (strcmp(field, "weight") == 0) {
			snprintf(number, sizeof(number), "%.*s", (int)value_len, value);
			rc = body_number("--add …,weight", number);
			json_put_raw(o, field, hrw_text(number));
		} else {
			json_put_bytes(o, field, hrw_bytes(value, value_len));
		}
		at = value + value_len;
	}
	json_close_object(o);
	return rc;
}

static int
put_nodes(struct json_out *o, const char *name, const struct option_list *list)
{
	int rc = 0;

	json_open_array(o, name);
	for (size_t i = 0; rc == 0 && i < list->count; i++)
		rc = put_node(o, list->at[i]);
	json_close_array(o);
	return rc;
}

static void
put_names(struct json_out *o, const char *name, const struct option_list *list)
{
	if (list->count == 0)
		return;
	json_open_array(o, name);
	for (size_t i = 0; i < list->count; i++)
		json_put_text(o, NULL, list->at[i]);
	json_close_array(o);
}

static int
put_weights(struct json_out *o, const struct option_list *list)
{
	int rc = 0;

	if (list->count == 0)
		return 0;
	json_open_object(o, "reweight");
	for (size_t i = 0; rc == 0 && i < list->count; i++) {
		const char *equals = strchr(list->at[i], '=');
		char name[256];

		if (equals == NULL || (size_t)(equals - list->at[i]) >= sizeof(name))
			return ctl_fail(
			    CTL_USAGE, "--reweight is \"%s\": give NODE=WEIGHT", list->at[i]);
		snprintf(name, sizeof(name), "%.*s", (int)(equals - list->at[i]), list->at[i]);
		rc = body_number("--reweight", equals + 1);
		json_put_raw(o, name, hrw_text(equals + 1));
	}
	json_close_object(o);
	return rc;
}

static int
put_placement(struct json_out *o, const char *name, const char *text)
{
	struct hrw_fault fault = {0};
	struct json *j;

	if (*text != '{') {
		json_put_text(o, name, text);
		return 0;
	}
	j = json_parse(hrw_text(text), JSON_STRICT, &fault);
	if (j == NULL)
		return ctl_fail(CTL_USAGE, "the placement %s: %s", text, fault.detail);
	json_put_tree(o, name, j);
	json_free(j);
	return 0;
}

static int
put_tasks(struct json_out *o, const struct options *options)
{
	int rc = options->add.count > 0 ? put_nodes(o, "add", &options->add) : 0;

	put_names(o, "drain", &options->drain);
	put_names(o, "activate", &options->activate);
	put_names(o, "rejoin", &options->rejoin);
	put_names(o, "remove", &options->remove);
	return rc == 0 ? put_weights(o, &options->reweight) : rc;
}

static int
put_terms(struct json_out *o, const struct options *options)
{
	if (options->copies != 0)
		json_put_count(o, "copies", options->copies);
	return options->placement != NULL ? put_placement(o, "placement", options->placement) : 0;
}

/* A field of a pool that may be null: "-" here. */
static int
put_field(struct json_out *o, const char *name, const char *option, const char *text)
{
	if (text == NULL)
		return 0;
	if (strcmp(text, "-") == 0)
		json_put_null(o, name);
	else
		json_put_raw(o, name, hrw_text(text));
	return strcmp(text, "-") == 0 ? 0 : body_number(option, text);
}

static int
put_fields(struct json_out *o, const struct options *options)
{
	int rc = put_terms(o, options);

	if (rc == 0)
		rc = put_field(o, "settles_after", "--settles-after", options->settles_after);
	if (rc == 0)
		rc = put_field(o, "max_ttl", "--max-ttl", options->max_ttl);
	return rc == 0 ? put_field(o, "max_moved", "--max-moved", options->max_moved) : rc;
}

int
body_terms(const struct options *options, struct buffer *out)
{
	struct json_out o = json_out(out);
	int rc;

	json_open_object(&o, NULL);
	rc = put_fields(&o, options);
	json_close_object(&o);
	if (rc == 0 && out->len <= strlen("{}"))
		rc = ctl_fail(CTL_USAGE,
		    "nothing is to be changed: --copies, --placement, --settles-after, --max-ttl "
		    "or --max-moved says what");
	return rc == 0 && out->failed ? ctl_no_memory() : rc;
}

static int
put_options(struct json_out *o, const struct options *options)
{
	int rc = put_tasks(o, options);

	return rc == 0 ? put_terms(o, options) : rc;
}

int
body_pool(const struct options *options, struct buffer *out)
{
	struct json_out o = json_out(out);
	int rc;

	json_open_object(&o, NULL);
	rc = put_fields(&o, options);
	if (rc == 0)
		rc = put_nodes(&o, "nodes", &options->add);
	json_close_object(&o);
	return rc == 0 && out->failed ? ctl_no_memory() : rc;
}

static int
put_placements(struct json_out *o, const char *name, char **texts, size_t count)
{
	int rc = 0;

	json_open_array(o, name);
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = put_placement(o, NULL, texts[i]);
	json_close_array(o);
	return rc;
}

int
body_placements(char **texts, size_t count, struct buffer *out)
{
	struct json_out o = json_out(out);

	return put_placements(&o, NULL, texts, count);
}

static int
put_file(struct json_out *o, const char *path)
{
	struct json *j = body_json(path);
	int rc = j != NULL ? 0 : CTL_USAGE;

	if (rc == 0 && json_type(j) != JSON_OBJECT)
		rc = ctl_fail(CTL_USAGE,
		    "%s holds %s: give an object such as {\"drain\":[\"cache-c\"]}", path,
		    json_type_name(json_type(j)));
	if (rc == 0)
		json_each (member, j)
			json_put_tree(o, json_name(member), member);
	json_free(j);
	return rc;
}

static int
put_keys(struct json_out *o, const char *path)
{
	struct buffer text = {0};
	int rc = path != NULL ? body_file(path, &text) : 0;
	const char *at = text.data, *end = text.data + text.len;

	if (rc == 0 && path != NULL) {
		json_open_array(o, "keys");
		while (at < end) {
			const char *line = memchr(at, '\n', (size_t)(end - at));
			size_t len = (size_t)((line != NULL ? line : end) - at);

			json_put_key_element(o, hrw_bytes(at, len));
			at += len + 1;
		}
		json_close_array(o);
	}
	buffer_fini(&text);
	return rc;
}

static bool
has_tasks(const struct options *o)
{
	return o->add.count + o->drain.count + o->activate.count + o->rejoin.count +
		   o->remove.count + o->reweight.count >
	       0;
}

static bool
has_options(const struct options *o)
{
	return has_tasks(o) || o->copies > 0 || o->placement != NULL;
}

int
body_compare(struct ctl *ctl, struct buffer *out)
{
	struct json_out o = json_out(out);
	int rc;

	json_open_object(&o, NULL);
	rc = put_placements(&o, "placements", ctl->argument, ctl->argument_count);
	if (ctl->options.copies != 0)
		json_put_count(&o, "copies", ctl->options.copies);
	if (rc == 0 && has_tasks(&ctl->options)) {
		json_open_object(&o, "change");
		rc = put_tasks(&o, &ctl->options);
		json_close_object(&o);
	}
	if (rc == 0)
		rc = put_keys(&o, ctl->options.keys);
	json_close_object(&o);
	return rc == 0 && out->failed ? ctl_no_memory() : rc;
}

int
body_change(struct ctl *ctl, const char *path, const char *keys, struct buffer *out)
{
	struct json_out o = json_out(out);
	bool has = has_options(&ctl->options);
	int rc;

	if (has == (path != NULL))
		return ctl_fail(CTL_USAGE,
		    "%s: give a file, or options such as --drain NODE (hrwctl %s --help)",
		    has ? "what is changed stands in a file and in options"
			: "nothing says what is to be changed",
		    ctl->command->name);
	json_open_object(&o, NULL);
	rc = path != NULL ? put_file(&o, path) : put_options(&o, &ctl->options);
	if (rc == 0)
		rc = put_keys(&o, keys);
	json_close_object(&o);
	return rc == 0 && out->failed ? ctl_no_memory() : rc;
}
