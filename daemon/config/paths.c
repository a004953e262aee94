/*
 * paths.c - files and folders, which are absolute from here on.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/config/private.h"
#include "daemon/members/secrets.h"

/* An absolute path of a relative one, to free(). Where the working folder is gone or
 * out of reach, it stays as it is: whoever opens it says so. */
static char *
absolute(const char *path)
{
	struct buffer out = {0};
	char *here = NULL;

	if (path[0] != '/') {
		here = getcwd(NULL, 0);
		if (here == NULL)
			return errno == ENOMEM ? NULL : strdup(path);
		buffer_printf(&out, "%s%s", here, strcmp(here, "/") == 0 ? "" : "/");
	}
	buffer_add_text(&out, strncmp(path, "./", 2) == 0 ? path + 2 : path);
	free(here);
	return buffer_take(&out);
}

/* A path of the file system, or null for none. */
int
config_read_path(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	char **member = config_member(c, option), *whole = NULL;
	const char *text = json_text(j);

	if (json_type(j) != JSON_NULL && (text == NULL || text[0] == '\0'))
		return config_mistyped(option, j, fault);
	if (text != NULL) {
		whole = absolute(text);
		if (whole == NULL)
			return config_no_memory(fault);
	}
	free(*member);
	*member = whole;
	return 0;
}

/* Pools are read right after it, by their secrets. */
int
config_read_secrets(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	struct hrw_fault inner;
	int rc = config_read_path(c, option, j, fault);

	if (rc < 0 || c->secrets == NULL || c->is_elsewhere || secrets_use(c->secrets, &inner) == 0)
		return rc;
	return json_fault(j, fault, inner.error, "%s", inner.detail);
}

static int
set_store(struct config *c, enum config_store store, const char *path, struct hrw_fault *fault)
{
	char *whole = absolute(path);

	if (whole == NULL)
		return config_no_memory(fault);
	free(c->members.store_path);
	c->members.store_path = whole;
	c->store = store;
	return 0;
}

int
config_read_store_path(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	const char *text = json_text(j);

	if (text == NULL || text[0] == '\0')
		return config_mistyped(option, j, fault);
	return set_store(c, CONFIG_STORE_SQLITE, text, fault);
}

int
config_read_store_file(struct config *c, const struct config_option *option, const struct json *j,
    struct hrw_fault *fault)
{
	const char *text = json_text(j);

	if (text == NULL || text[0] == '\0')
		return config_mistyped(option, j, fault);
	if (c->document != NULL && json_at(c->document, "/store/path") != NULL)
		return json_fault(j, fault, HRW_BAD_FIELD,
		    "a store is either a \"path\" (SQLite) or a \"file\" (read only): keep one of "
		    "them");
	return set_store(c, CONFIG_STORE_FILE, text, fault);
}
