/*
 * secrets.c - a list under a lock: there are few, and they are asked for when a
 * document is read.
 */
#include <errno.h>
#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/log.h"
#include "daemon/base/private_file.h"
#include "daemon/members/secrets.h"

enum { HEX_DIGITS = 2 * HRW_SECRET_BYTES };

struct secret {
	struct secret *next;
	uint8_t bytes[HRW_SECRET_BYTES];
	char name[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *folder; /* absolute, without links */
static struct secret *secrets;

int
secrets_use(const char *path, struct hrw_fault *fault)
{
	char *whole = realpath(path, NULL);
	bool is_first;

	if (whole == NULL)
		return hrw_fault(fault, HRW_BAD_FIELD, "the folder %s cannot be read: %s", path,
		    strerror(errno));
	pthread_mutex_lock(&lock);
	is_first = folder == NULL;
	if (is_first)
		folder = whole;
	pthread_mutex_unlock(&lock);
	if (!is_first)
		free(whole);
	return 0;
}

/* A name, and nothing that leads elsewhere. */
static int
check_name(const char *name, struct hrw_fault *fault)
{
	if (name[0] != '\0' && name[0] != '.' && strchr(name, '/') == NULL)
		return 0;
	return hrw_fault(fault, HRW_BAD_FIELD,
	    "a secret is named by its file alone, without a path and not beginning with '.'");
}

/* The file of that name, without links, to free(). A mounted secret is often a
 * link to a file beside it, which is as good as the file. */
static char *
find(const char *name, struct hrw_fault *fault)
{
	size_t len = strlen(folder);
	struct buffer path = {0};
	char *whole;

	buffer_printf(&path, "%s/%s", folder, name);
	whole = realpath(buffer_text(&path), NULL);
	buffer_fini(&path);
	if (whole == NULL) {
		hrw_fault(fault, HRW_BAD_FIELD,
		    "the secret \"%s\" cannot be read: %s (the folder is %s)", name,
		    strerror(errno), folder);
		return NULL;
	}
	if (strncmp(whole, folder, len) == 0 && (whole[len] == '/' || len == 1))
		return whole;
	free(whole);
	hrw_fault(fault, HRW_BAD_FIELD,
	    "the secret \"%s\" is a link to a file outside of %s: put the file there", name,
	    folder);
	return NULL;
}

/* 32 hex digits, and white space behind them. */
static int
parse(
    struct hrw_bytes text, const char *name, uint8_t out[HRW_SECRET_BYTES], struct hrw_fault *fault)
{
	size_t len = 0;

	while (text.len > 0 && strchr("\r\n\t ", text.data[text.len - 1]) != NULL &&
	       text.data[text.len - 1] != '\0')
		text.len--;
	if (text.len == HEX_DIGITS &&
	    sodium_hex2bin(
		out, HRW_SECRET_BYTES, (const char *)text.data, text.len, NULL, &len, NULL) == 0 &&
	    len == HRW_SECRET_BYTES)
		return 0;
	return hrw_fault(fault, HRW_BAD_FIELD,
	    "the secret \"%s\" is not 32 hex digits: make one with head -c 16 /dev/urandom | "
	    "od -An -v -tx1 | tr -d ' \\n'",
	    name);
}

static int
read_secret(const char *name, uint8_t out[HRW_SECRET_BYTES], struct hrw_fault *fault)
{
	char *path = find(name, fault);
	struct buffer text = {0};
	int rc;

	if (path == NULL)
		return HRW_BAD_FIELD;
	rc = private_file_read(path, &text, fault);
	if (rc == 0)
		rc = parse(buffer_bytes(&text), name, out, fault);
	private_file_forget(&text);
	free(path);
	return rc;
}

static struct secret *
known(const char *name)
{
	struct secret *s = secrets;

	while (s != NULL && strcmp(s->name, name) != 0)
		s = s->next;
	return s;
}

static int
add(const char *name, struct secret **out, struct hrw_fault *fault)
{
	size_t len = strlen(name);
	struct secret *s = calloc(1, sizeof(*s) + len + 1);
	int rc;

	if (s == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "no memory for a secret");
	rc = read_secret(name, s->bytes, fault);
	if (rc < 0) {
		free(s);
		return rc;
	}
	memcpy(s->name, name, len + 1);
	s->next = secrets;
	secrets = *out = s;
	return 0;
}

int
secrets_get(const char *name, uint8_t out[HRW_SECRET_BYTES], struct hrw_fault *fault)
{
	struct secret *s;
	int rc = check_name(name, fault);

	if (rc < 0)
		return rc;
	pthread_mutex_lock(&lock);
	s = known(name);
	if (s == NULL)
		rc =
		    folder != NULL
			? add(name, &s, fault)
			: hrw_fault(fault, HRW_BAD_FIELD,
			      "there is no folder for the secret \"%s\": name it in \"secrets\" of "
			      "the configuration, and start hrwd anew",
			      name);
	if (rc == 0)
		memcpy(out, s->bytes, HRW_SECRET_BYTES);
	pthread_mutex_unlock(&lock);
	return rc;
}

void
secrets_look(void)
{
	uint8_t now[HRW_SECRET_BYTES];
	struct hrw_fault fault;

	pthread_mutex_lock(&lock);
	for (const struct secret *s = secrets; s != NULL; s = s->next) {
		if (read_secret(s->name, now, &fault) < 0)
			log_warn("%s; the one that was read before stays in force", fault.detail);
		else if (sodium_memcmp(now, s->bytes, sizeof(now)) != 0)
			log_warn(
			    "the secret \"%s\" is another now: the one that was read before stays "
			    "in force, because keys would move. Put it back before a restart; to "
			    "change it, name a new file in the placement",
			    s->name);
	}
	pthread_mutex_unlock(&lock);
	sodium_memzero(now, sizeof(now));
}
