/*
 * listen.c - where hrwd listens, and by which names it is asked.
 */
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/private.h"
#include "daemon/http/listen.h"

void
config_addresses_fini(struct config_addresses *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->at[i].text);
	*list = (struct config_addresses){0};
}

/* The rights of a unix socket's file, as chmod has them. */
static int
read_mode(const struct json *j, struct config_address *a, struct hrw_fault *fault)
{
	const char *text = json_text(j);
	unsigned long mode = 0;

	if (text != NULL && text[0] != '\0' && strlen(text) <= 4 &&
	    strspn(text, "01234567") == strlen(text))
		mode = strtoul(text, NULL, 8);
	if (mode == 0 || mode > 0777)
		return json_fault(j, fault, HRW_BAD_FIELD,
		    "a mode is a text of octal digits, as chmod has them: \"0660\"");
	a->access.mode = (mode_t)mode;
	return 0;
}

static int
read_group(
    const struct config *c, const struct json *j, struct config_address *a, struct hrw_fault *fault)
{
	const char *text = json_text(j);
	struct group *group = text != NULL ? getgrnam(text) : NULL;
	char shown[HRW_SHOWN];

	if (text != NULL && c->is_elsewhere)
		return 0;
	if (group == NULL)
		return json_fault(j, fault, HRW_BAD_FIELD,
		    "this machine has no group \"%s\": name one that it has (getent group)",
		    text != NULL ? hrw_show(hrw_text(text), shown, sizeof(shown)) : "");
	a->access.group = group->gr_gid;
	return 0;
}

/* {"address":"unix:/run/x","mode":"0660","group":"hrwd"}, {"address":"…","tls":false} */
static int
read_access(
    const struct config *c, const struct json *j, struct config_address *a, struct hrw_fault *fault)
{
	static const char *const names[] = {"address", "mode", "group", "tls", NULL};
	const struct json *mode = json_get(j, "mode"), *group = json_get(j, "group"),
			  *tls = json_get(j, "tls"), *for_unix = mode != NULL ? mode : group;
	int rc = json_only(j, names, fault);

	if (rc == 0 && for_unix != NULL && !listen_is_unix(a->text))
		rc = json_fault(for_unix, fault, HRW_BAD_FIELD,
		    "%s is no unix socket: only those have a mode and a group", a->text);
	if (rc == 0 && mode != NULL)
		rc = read_mode(mode, a, fault);
	if (rc == 0 && group != NULL)
		rc = read_group(c, group, a, fault);
	if (rc < 0 || tls == NULL)
		return rc;
	if (json_type(tls) != JSON_BOOL || (json_bool(tls) && listen_is_unix(a->text)))
		return json_fault(tls, fault, HRW_BAD_FIELD, "\"tls\" is %s",
		    json_type(tls) == JSON_BOOL ? "for TCP addresses: a unix socket has none"
						: "true or false");
	a->tls = json_bool(tls) ? CONFIG_TLS_ALWAYS : CONFIG_TLS_NEVER;
	return 0;
}

static int
address_add(const struct config *c, struct config_addresses *list,
    const struct config_option *option, const struct json *j, struct hrw_fault *fault)
{
	bool is_object = json_type(j) == JSON_OBJECT;
	const struct json *address = is_object ? json_get(j, "address") : j;
	const char *text = json_text(address);
	struct config_address *a;

	if (text == NULL)
		return config_mistyped(option, address != NULL ? address : j, fault);
	if (list->count == CONFIG_ADDRESSES_MAX)
		return json_fault(j, fault, HRW_BAD_FIELD, "\"%s\" takes at most %d addresses",
		    option->name, CONFIG_ADDRESSES_MAX);
	if (listen_check(text, fault) < 0) {
		char said[HRW_FAULT_DETAIL];

		snprintf(said, sizeof(said), "%s", fault->detail);
		return json_fault(address, fault, HRW_BAD_ADDRESS, "%s", said);
	}
	a = &list->at[list->count];
	*a = (struct config_address){
	    .text = strdup(text), .access = {.mode = 0660, .group = (gid_t)-1}};
	if (a->text == NULL)
		return config_no_memory(fault);
	list->count++;
	return is_object ? read_access(c, j, a, fault) : 0;
}

int
config_read_addresses(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	struct config_addresses *list = config_member(c, option);
	const char *text = json_text(j);

	config_addresses_fini(list);
	if (text != NULL && strcmp(text, "off") == 0)
		return 0;
	if (json_type(j) != JSON_ARRAY)
		return address_add(c, list, option, j, fault);
	json_each (address, j) {
		int rc = address_add(c, list, option, address, fault);

		if (rc < 0)
			return rc;
	}
	return 0;
}

void
config_hosts_fini(struct config *c)
{
	for (size_t i = 0; i < c->http.host_count; i++)
		free(c->http.hosts[i]);
	free(c->http.hosts);
	c->http.hosts = NULL;
	c->http.host_count = 0;
}

int
config_read_hosts(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	config_hosts_fini(c);
	if (json_type(j) != JSON_ARRAY)
		return config_mistyped(option, j, fault);
	c->http.hosts = calloc(json_count(j) + 1, sizeof(*c->http.hosts));
	if (c->http.hosts == NULL)
		return config_no_memory(fault);
	json_each (host, j) {
		const char *text = json_text(host);

		if (text == NULL || text[0] == '\0' || strpbrk(text, "/ \t@") != NULL)
			return json_fault(host, fault, HRW_BAD_FIELD,
			    "\"%s\" holds host names: give texts like \"hrwd.example.org\"",
			    option->name);
		if (config_set_text(&c->http.hosts[c->http.host_count], text, fault) < 0)
			return HRW_INTERNAL;
		c->http.host_count++;
	}
	return 0;
}
