#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/twins.h"
#include "daemon/base/log.h"
#include "daemon/members/warnings.h"

enum { NAMES = 4 }; /* that a detail shows */

/* A node by what it may share with others. */
struct shared {
	const char *key;
	uint32_t node;
};

/* What is being looked for in a membership. */
struct search {
	const struct hrw_membership *m;
	warnings_each each;
	void *arg;
	uint32_t *group; /* nodes of the one at hand */
	size_t found;
};

/* "a", "b" and 2 more */
static void
put_names(struct buffer *out, const struct search *s, size_t count)
{
	size_t shown = count > NAMES ? NAMES : count;

	for (size_t i = 0; i < shown; i++)
		buffer_printf(out, "%s\"%s\"",
		    i == 0			       ? ""
		    : i + 1 == count && count == shown ? " and "
						       : ", ",
		    s->m->node[s->group[i]].name);
	if (count > shown)
		buffer_printf(out, " and %zu more", count - shown);
}

static int
tell(struct search *s, const char *code, size_t count, const char *have, const char *what,
    const char *advice)
{
	struct warning warning = {.code = code, .node = s->group, .count = count};
	struct buffer detail = {0};

	if (s->found++ >= WARNINGS_MOST)
		return 0;
	put_names(&detail, s, count);
	buffer_printf(&detail, " %s %s%s", have, what, advice);
	warning.detail = buffer_text(&detail);
	if (!detail.failed)
		s->each(s->arg, s->m, &warning);
	buffer_fini(&detail);
	return detail.failed ? HRW_INTERNAL : 0;
}

/* A host may be written in several ways: in capitals, an IPv6 address with its zeros. */
static void
same_written(const char *address, char room[HRW_ADDRESS_BYTES_MAX + 1])
{
	const char *port = strrchr(address, ':');
	char host[HRW_ADDRESS_BYTES_MAX + 1], v6[INET6_ADDRSTRLEN];
	struct in6_addr bits;

	snprintf(host, sizeof(host), "%.*s", (int)(port - address), address);
	if (host[0] == '[' && host[strlen(host) - 1] == ']') {
		host[strlen(host) - 1] = '\0';
		if (inet_pton(AF_INET6, host + 1, &bits) == 1 &&
		    inet_ntop(AF_INET6, &bits, v6, sizeof(v6)) != NULL)
			snprintf(host + 1, sizeof(host) - 1, "%s", v6);
	}
	for (char *at = host; *at != '\0'; at++)
		*at = (char)tolower((unsigned char)*at);
	snprintf(room, HRW_ADDRESS_BYTES_MAX + 1, "%.*s%s", (int)(HRW_ADDRESS_BYTES_MAX - 6), host,
	    port);
}

static int
by_key(const void *left, const void *right)
{
	const struct shared *a = left, *b = right;
	int order = strcmp(a->key, b->key);

	return order != 0 ? order : (a->node > b->node) - (a->node < b->node);
}

static int
find_addresses(struct search *s)
{
	const struct hrw_membership *m = s->m;
	char(*text)[HRW_ADDRESS_BYTES_MAX + 1] = calloc(m->count + 1, sizeof(*text));
	struct shared *list = calloc(m->count + 1, sizeof(*list));
	size_t count = 0, end;
	int rc = text == NULL || list == NULL ? HRW_INTERNAL : 0;

	for (uint32_t i = 0; rc == 0 && i < m->count; i++) {
		if (m->node[i].address == NULL)
			continue;
		same_written(m->node[i].address, text[count]);
		list[count] = (struct shared){text[count], i};
		count++;
	}
	if (rc == 0)
		qsort(list, count, sizeof(*list), by_key);
	for (size_t i = 0; rc == 0 && i < count; i = end) {
		for (end = i; end < count && strcmp(list[end].key, list[i].key) == 0; end++)
			s->group[end - i] = list[end].node;
		if (end - i > 1)
			rc = tell(s, "same-address", end - i, "have one address,",
			    m->node[s->group[0]].address,
			    ": their keys and their copies come to one cache. Give each its own "
			    "address, or remove those that are too many");
	}
	free(list);
	free(text);
	return rc;
}

static int
find_twins(struct search *s)
{
	const struct hrw_membership *m = s->m;
	uint32_t *twin_of = calloc(m->count + 1, sizeof(*twin_of));
	int found = twin_of != NULL ? hrw_twins(m, twin_of) : HRW_INTERNAL, rc = 0;

	for (uint32_t i = 0; found > 0 && rc == 0 && s->found < WARNINGS_MOST && i < m->count;
	     i++) {
		size_t count = 0;

		if (twin_of[i] != i)
			continue;
		for (uint32_t k = i; k < m->count; k++)
			if (twin_of[k] == i)
				s->group[count++] = k;
		found -= (int)count - 1;
		if (count > 1)
			rc = tell(s, "same-hash", count, "have one hash in", m->placement->name,
			    ", so no key tells them apart: one owns the keys of all, the others "
			    "none. "
			    "Choose another \"hash_name\" for each but one, here and in the system "
			    "that is followed");
	}
	free(twin_of);
	return found < 0 ? found : rc;
}

int
warnings_find(const struct hrw_membership *m, warnings_each each, void *arg)
{
	struct search s = {
	    .m = m, .each = each, .arg = arg, .group = calloc(m->count + 1, sizeof(*s.group))};
	int rc = s.group != NULL ? find_addresses(&s) : HRW_INTERNAL;

	if (rc == 0)
		rc = find_twins(&s);
	free(s.group);
	return rc;
}

void
warnings_add(void *buffer, const struct hrw_membership *m, const struct warning *warning)
{
	struct buffer *out = buffer;
	struct json_out o = json_out(out);

	if (out->len > 0)
		buffer_add_text(out, ",");
	json_open_object(&o, NULL);
	json_put_text(&o, "code", warning->code);
	json_put_text(&o, "detail", warning->detail);
	if (warning->count > 0) {
		json_open_array(&o, "nodes");
		for (size_t i = 0; i < warning->count; i++)
			json_put_text(&o, NULL, m->node[warning->node[i]].name);
		json_close_array(&o);
	}
	json_close_object(&o);
}

void
warnings_log(void *pool, const struct hrw_membership *m, const struct warning *warning)
{
	(void)m; /* the detail has its nodes */
	log_event(LOG_WARN, "odd nodes", log_text("pool", pool), log_text("code", warning->code),
	    log_text("detail", warning->detail));
}

void
warnings_put(struct json_out *o, const char *elements)
{
	if (elements == NULL || *elements == '\0')
		return;
	json_open_array(o, "warnings");
	json_put_raw(o, NULL, hrw_text(elements));
	json_close_array(o);
}
