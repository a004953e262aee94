/*
 * keylist.c - a machine that takes one byte at a time, so that a list cut into
 * pieces anywhere reads as the whole does. Lines of text are found by memchr.
 */
#include <stdio.h>
#include <stdlib.h>

#include "daemon/http/keylist_private.h"

struct keylist *
keylist_new(enum keylist_form form, size_t key_bytes, keylist_each each, void *arg)
{
	struct keylist *list = calloc(1, sizeof(*list) + key_bytes);

	if (list == NULL)
		return NULL;
	list->form = form;
	list->key_bytes = key_bytes;
	list->each = each;
	list->arg = arg;
	list->line = list->column = 1;
	list->state = form == KEYLIST_JSON ? AT_ARRAY : AT_ELEMENT;
	return list;
}

const struct keylist_notice *
keylist_notice(const struct keylist *list)
{
	return &list->notice;
}

void
keylist_free(struct keylist *list)
{
	free(list);
}

int
keylist_bad_item(
    const struct keylist *list, enum hrw_error error, const char *what, struct hrw_fault *fault)
{
	if (list->form != KEYLIST_JSON)
		return hrw_fault(
		    fault, error, "line %llu: %s", (unsigned long long)list->line, what);
	hrw_fault(fault, error, "key %llu of the array (line %llu, column %llu): %s",
	    (unsigned long long)list->count + 1, (unsigned long long)list->line,
	    (unsigned long long)list->column, what);
	hrw_fault_at(fault, "/%llu", (unsigned long long)list->count);
	return error;
}

static int
too_long(const struct keylist *list, struct hrw_fault *fault)
{
	char what[96];

	snprintf(what, sizeof(what), "the key is longer than %zu bytes (limits.key_bytes)",
	    list->key_bytes);
	return keylist_bad_item(list, HRW_BAD_KEY, what, fault);
}

int
keylist_give(struct keylist *list, struct hrw_bytes key, struct hrw_fault *fault)
{
	struct hrw_fault refused;
	int rc;

	if (key.len == 0)
		return keylist_bad_item(
		    list, HRW_BAD_KEY, "the key is empty; a key has 1 byte or more", fault);
	if (key.len > list->key_bytes)
		return too_long(list, fault);
	rc = list->each(list->arg, key);
	if (rc == HRW_BAD_KEY && fault != NULL) {
		refused = *fault;
		return keylist_bad_item(list, HRW_BAD_KEY, refused.detail, fault);
	}
	if (rc < 0)
		return rc;
	list->count++;
	list->len = 0;
	return 0;
}

int
keylist_keep(struct keylist *list, const void *data, size_t len, struct hrw_fault *fault)
{
	if (len > list->key_bytes - list->len)
		return too_long(list, fault);
	memcpy(list->key + list->len, data, len);
	list->len += len;
	return 0;
}

/* A whole line: looked at, then given. */
static int
give_line(struct keylist *list, struct hrw_bytes key, struct hrw_fault *fault)
{
	struct keylist_notice *n = &list->notice;

	if (list->line == 1 && key.len >= 2) {
		n->has_utf8_mark = key.len >= 3 && memcmp(key.data, "\xef\xbb\xbf", 3) == 0;
		n->has_utf16_mark =
		    memcmp(key.data, "\xff\xfe", 2) == 0 || memcmp(key.data, "\xfe\xff", 2) == 0;
	}
	if (key.len > 0 && key.data[key.len - 1] == '\r' && n->cr_lines++ == 0)
		n->cr_first = list->line;
	if (n->nul_first == 0 && key.len > 0 && memchr(key.data, '\0', key.len) != NULL)
		n->nul_first = list->line;
	return keylist_give(list, key, fault);
}

static int
feed_text(struct keylist *list, struct hrw_bytes bytes, struct hrw_fault *fault)
{
	const uint8_t *at = bytes.data, *end = at + bytes.len;
	int rc = 0;

	while (rc == 0 && at < end) {
		const uint8_t *stop = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((stop == NULL ? end : stop) - at);

		if (stop == NULL)
			return keylist_keep(list, at, len, fault);
		if (list->len == 0) {
			rc = give_line(list, hrw_bytes(at, len), fault);
		} else {
			rc = keylist_keep(list, at, len, fault);
			if (rc == 0)
				rc = give_line(list, hrw_bytes(list->key, list->len), fault);
		}
		list->line++;
		at = stop + 1;
	}
	return rc;
}

int
keylist_feed(struct keylist *list, struct hrw_bytes bytes, struct hrw_fault *fault)
{
	if (list->status < 0)
		return list->status;
	if (list->form == KEYLIST_TEXT) {
		list->status = feed_text(list, bytes, fault);
		return list->status;
	}
	for (size_t i = 0; i < bytes.len; i++) {
		list->status = keylist_json_take(list, bytes.data[i], fault);
		if (list->status < 0)
			return list->status;
		list->column++;
		if (bytes.data[i] == '\n') {
			list->line++;
			list->column = 1;
		}
	}
	return 0;
}

int
keylist_end(struct keylist *list, struct hrw_fault *fault)
{
	if (list->status < 0)
		return list->status;
	if (list->form != KEYLIST_TEXT)
		return keylist_json_end(list, fault);
	return list->len == 0 ? 0 : give_line(list, hrw_bytes(list->key, list->len), fault);
}
