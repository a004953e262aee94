/*
 * ops_words.c - operations as people say them.
 */
#include "daemon/members/change.h"

enum { WORDS = 400 }; /* bytes; as many operations as begin within */

/* "photos" of a text, "2" of a number, the name of a placement. */
static void
put_value(struct buffer *out, const struct json *j)
{
	const struct json *name = json_get(j, "name");
	struct hrw_bytes text = json_bytes(name != NULL ? name : j);

	if (text.data == NULL)
		text = json_source(j);
	buffer_add(out, text.data, text.len);
}

/* "drain cache-c", "patch cache-a weight zone", "copies 2 to 3". */
static void
put_op(struct buffer *out, const struct json *op)
{
	put_value(out, json_get(op, "op"));
	if (json_get(op, "node") != NULL) {
		buffer_add_text(out, " ");
		put_value(out, json_get(op, "node"));
	}
	json_each (field, json_get(op, "fields")) {
		buffer_add_text(out, " ");
		put_value(out, field);
	}
	if (json_get(op, "from") != NULL && json_get(op, "to") != NULL) {
		buffer_add_text(out, " ");
		put_value(out, json_get(op, "from"));
		buffer_add_text(out, " to ");
		put_value(out, json_get(op, "to"));
	}
}

void
ops_words(const struct outcome *out, struct buffer *words)
{
	struct json *ops = json_parse(buffer_bytes(&out->ops), JSON_STORED, NULL);
	size_t left = json_count(ops);

	json_each (op, ops) {
		if (words->len > WORDS)
			break;
		if (words->len > 0)
			buffer_add_text(words, ", ");
		put_op(words, op);
		left--;
	}
	if (left > 0)
		buffer_printf(words, ", and %zu more", left);
	json_free(ops);
}
