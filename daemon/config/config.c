/*
 * config.c - from a file, and from flags, to a configuration.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/config/private.h"
#include "daemon/http/listen.h"

enum { FILE_BYTES_MAX = 64 << 20 };

/* Takes a flag's text as its option takes a JSON string. */
static int
set_option(struct config *c, const char *section, const char *name, const char *flag,
    const char *text, struct hrw_fault *fault)
{
	const struct config_option *o = config_options;
	struct buffer quoted = {0};
	struct json_out out = json_out(&quoted);
	char said[HRW_FAULT_DETAIL];
	struct json *j;
	int rc;

	while (o->section == NULL || strcmp(o->section, section) != 0 || strcmp(o->name, name) != 0)
		o++;
	json_put_text(&out, NULL, text);
	j = json_parse(buffer_bytes(&quoted), JSON_STRICT, fault);
	buffer_fini(&quoted);
	if (j == NULL)
		return fault->error;
	rc = o->read(c, o, j, fault);
	json_free(j);
	if (rc < 0) {
		snprintf(said, sizeof(said), "%s", fault->detail);
		hrw_fault(fault, fault->error, "%s: %s", flag, said);
	}
	return rc;
}

/* systemd may name several state directories, separated by colons. */
static int
set_default_store(struct config *c, struct hrw_fault *fault)
{
	const char *state = getenv("STATE_DIRECTORY");
	struct buffer path = {0};
	int rc;

	if (state != NULL && state[0] != '\0')
		buffer_printf(&path, "%.*s/", (int)strcspn(state, ":"), state);
	buffer_add_text(&path, "hrwd.db");
	rc = set_option(c, "store", "path", "$STATE_DIRECTORY", buffer_text(&path), fault);
	buffer_fini(&path);
	return rc;
}

struct config *
config_new(void)
{
	struct config *c = calloc(1, sizeof(*c));
	struct hrw_fault fault = {0};
	int rc;

	if (c == NULL)
		return NULL;
	rc = set_default_store(c, &fault);
	if (rc == 0)
		rc = config_read_defaults(c, &fault);
	if (rc < 0) {
		config_free(c);
		return NULL;
	}
	return c;
}

void
config_free(struct config *c)
{
	struct tokens *tokens;
	struct tls *tls;

	if (c == NULL)
		return;
	config_values_fini(c);
	while ((tls = atomic_load(&c->http.tls)) != NULL) {
		atomic_store(&c->http.tls, tls->older);
		tls_free(tls);
	}
	while ((tokens = atomic_load(&c->http.tokens)) != NULL) {
		atomic_store(&c->http.tokens, tokens->older);
		tokens_free(tokens);
	}
	free(c->path);
	json_free(c->document);
	free(c);
}

static int
read_tokens(struct config *c, struct hrw_fault *fault)
{
	struct tokens *tokens = NULL;

	if (c->tokens_path != NULL) {
		tokens = tokens_read(c->tokens_path, fault);
		if (tokens == NULL)
			return hrw_fault_at(fault, "/auth/tokens");
	} else if (atomic_load(&c->http.auth_lookup)) {
		hrw_fault(fault, HRW_BAD_FIELD,
		    "there are no tokens to ask for: name their file in auth.tokens");
		return hrw_fault_at(fault, "/auth/lookup");
	}
	atomic_store(&c->http.tokens, tokens);
	return 0;
}

static int
read_tls(struct config *c, struct hrw_fault *fault)
{
	struct tls *tls;

	if (c->certificate == NULL && c->key == NULL && c->client_ca == NULL)
		return 0;
	if (c->certificate == NULL || c->key == NULL) {
		hrw_fault(fault, HRW_BAD_FIELD,
		    "TLS takes both a certificate and its key: name tls.%s, too",
		    c->certificate == NULL ? "certificate" : "key");
		return hrw_fault_at(fault, "/tls");
	}
	tls = tls_read(c->certificate, c->key, c->client_ca, fault);
	if (tls == NULL)
		return (int)fault->error;
	atomic_store(&c->http.tls, tls);
	return 0;
}

static int
read_file(const char *path, struct buffer *text, struct hrw_fault *fault)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	ssize_t got = -1;

	if (fd < 0)
		goto failed;
	do {
		if (buffer_reserve(text, 65536) < 0) {
			close(fd);
			return config_no_memory(fault);
		}
		got = read(fd, text->data + text->len, 65536);
		text->len += got > 0 ? (size_t)got : 0;
	} while (got > 0 && text->len <= FILE_BYTES_MAX);
	if (got == 0) {
		close(fd);
		return 0;
	}
failed:
	hrw_fault(fault, HRW_INTERNAL, "%s cannot be read: %s", path,
	    got > 0 ? "it is larger than 64 MiB" : strerror(errno));
	if (fd >= 0)
		close(fd);
	return HRW_INTERNAL;
}

struct config *
config_read(const char *path, struct hrw_fault *fault)
{
	struct config *c = config_new();
	struct buffer text = {0};
	int rc;

	if (c == NULL) {
		config_no_memory(fault);
		return NULL;
	}
	c->path = strdup(path);
	rc = c->path == NULL ? config_no_memory(fault) : read_file(path, &text, fault);
	if (rc < 0)
		goto out;
	c->document = json_parse(buffer_bytes(&text), JSON_COMMENTS, fault);
	rc = c->document == NULL ? (int)fault->error : config_read_document(c, fault);
	if (rc == 0)
		rc = read_tokens(c, fault);
	if (rc == 0)
		rc = read_tls(c, fault);
	if (rc < 0)
		config_locate(path, c->document, fault);
out:
	buffer_fini(&text);
	if (rc < 0) {
		config_free(c);
		return NULL;
	}
	return c;
}

int
config_set_lookup(struct config *c, const char *address, struct hrw_fault *fault)
{
	return set_option(c, "listen", "lookup", "--lookup", address, fault);
}

int
config_set_admin(struct config *c, const char *address, struct hrw_fault *fault)
{
	return set_option(c, "listen", "admin", "--admin", address, fault);
}

int
config_set_store(struct config *c, const char *path, struct hrw_fault *fault)
{
	return set_option(c, "store", "path", "--store", path, fault);
}

/* Where the file gives an address of that listener; NULL: it does not, a flag did. */
static const struct json *
address_in_file(const struct config *c, const char *listener, const char *address)
{
	const struct json *j = c->document;

	if (j != NULL)
		j = json_get(json_get(j, "listen"), listener);
	if (j == NULL || json_type(j) == JSON_STRING)
		return j != NULL && strcmp(json_text(j), address) == 0 ? j : NULL;
	if (json_type(j) == JSON_OBJECT)
		return strcmp(json_text(json_get(j, "address")), address) == 0 ? j : NULL;
	json_each (one, j) {
		const struct json *text =
		    json_type(one) == JSON_OBJECT ? json_get(one, "address") : one;

		if (strcmp(json_text(text), address) == 0)
			return one;
	}
	return NULL;
}

/* Refuses an address, where it stands. */
static int
refuse_address(const struct config *c, const char *listener, const char *address, const char *why,
    struct hrw_fault *fault)
{
	const struct json *at = address_in_file(c, listener, address);

	if (at == NULL)
		return hrw_fault(fault, HRW_BAD_ADDRESS, "%s", why);
	json_fault(at, fault, HRW_BAD_ADDRESS, "%s", why);
	return config_locate(c->path, c->document, fault);
}

bool
config_is_tls(const struct config *c, const struct config_address *address)
{
	return atomic_load(&c->http.tls) != NULL && address->tls != CONFIG_TLS_NEVER &&
	       !listen_is_unix(address->text);
}

static int
check_addresses(const struct config *c, const char *listener, const struct config_addresses *list,
    struct hrw_fault *fault)
{
	char why[HRW_FAULT_DETAIL];

	for (size_t i = 0; i < list->count; i++) {
		const struct config_address *a = &list->at[i];

		if (a->tls == CONFIG_TLS_ALWAYS && atomic_load(&c->http.tls) == NULL) {
			snprintf(why, sizeof(why),
			    "%s is to speak TLS, which takes a certificate: name tls.certificate "
			    "and tls.key",
			    a->text);
			return refuse_address(c, listener, a->text, why, fault);
		}
		if (list == &c->http.admin && atomic_load(&c->http.tokens) == NULL &&
		    !listen_is_local(a->text)) {
			snprintf(why, sizeof(why),
			    "the admin listener %s could be reached from other machines, so it "
			    "needs "
			    "tokens: name a file of them in auth.tokens, or give a loopback "
			    "address, "
			    "a unix socket (unix:/path) or \"off\"",
			    a->text);
			return refuse_address(c, listener, a->text, why, fault);
		}
	}
	return 0;
}

/* Of all addresses, the one at a place; NULL behind the last. */
static const struct config_address *
address_at(const struct config *c, size_t at, const char **listener)
{
	*listener = at < c->http.lookup.count ? "lookup" : "admin";
	if (at < c->http.lookup.count)
		return &c->http.lookup.at[at];
	at -= c->http.lookup.count;
	return at < c->http.admin.count ? &c->http.admin.at[at] : NULL;
}

/* No port is there for two. */
static int
check_pairs(const struct config *c, struct hrw_fault *fault)
{
	const struct config_address *a, *b;
	const char *first, *second;
	char why[HRW_FAULT_DETAIL];

	for (size_t i = 0; (a = address_at(c, i, &first)) != NULL; i++) {
		for (size_t k = 0; k < i && (b = address_at(c, k, &second)) != NULL; k++) {
			if (!listen_meet(a->text, b->text))
				continue;
			snprintf(why, sizeof(why),
			    "listen.%s has %s, which takes the place of %s in listen.%s: give each "
			    "listener an address of its own",
			    first, a->text, b->text, second);
			return refuse_address(c, first, a->text, why, fault);
		}
	}
	return 0;
}

int
config_check(const struct config *c, struct hrw_fault *fault)
{
	int rc;

	if (c->http.lookup.count == 0 && c->http.admin.count == 0)
		return hrw_fault(fault, HRW_BAD_FIELD,
		    "listen.lookup and listen.admin are both off, so nothing would be answered: "
		    "give one of them an address");
	rc = check_addresses(c, "lookup", &c->http.lookup, fault);
	if (rc == 0)
		rc = check_addresses(c, "admin", &c->http.admin, fault);
	return rc < 0 ? rc : check_pairs(c, fault);
}

/* An option's value in a document as JSON text; its default where left out. */
static void
value_text(const struct json *document, const struct config_option *o, struct buffer *out)
{
	const struct json *j = document;
	struct json_out to = json_out(out);

	if (o->section != NULL)
		j = json_get(document, o->section);
	j = json_get(j, o->name);
	if (j != NULL)
		json_put_tree(&to, NULL, j);
	else if (o->initial != NULL)
		buffer_add_text(out, o->initial);
}

static void
note_fixed(struct buffer *fixed, const char *name)
{
	buffer_printf(fixed, "%s%s", fixed->len == 0 ? "" : ", ", name);
}

/* Takes one option over from a newer reading of the file, or notes that it
 * would have to wait for a restart. */
static int
reload_option(struct config *c, const struct config *newer, const struct config_option *o,
    struct buffer *fixed, struct hrw_fault *fault)
{
	struct buffer was = {0}, is = {0};
	int rc = 0;

	value_text(c->document, o, &was);
	value_text(newer->document, o, &is);
	if (o->reloads) {
		struct json *j = json_parse(buffer_bytes(&is), JSON_STRICT, fault);

		rc = j == NULL ? (int)fault->error : o->read(c, o, j, fault);
		json_free(j);
	} else if (!hrw_bytes_equal(buffer_bytes(&was), buffer_bytes(&is))) {
		char name[80];

		snprintf(name, sizeof(name), "%s%s%s", o->section == NULL ? "" : o->section,
		    o->section == NULL ? "" : ".", o->name);
		note_fixed(fixed, name);
	}
	buffer_fini(&was);
	buffer_fini(&is);
	return rc;
}

/* Who was let in stays so until requests under way have ended, which nobody
 * counts: so lists that were replaced are kept. To do without tokens takes a
 * restart: by a slip of the pen no door should open. */
static void
reload_tokens(struct config *c, struct config *newer, struct buffer *fixed)
{
	struct tokens *now = atomic_load(&c->http.tokens), *next = atomic_load(&newer->http.tokens);

	if (next == NULL) {
		if (now != NULL)
			note_fixed(fixed, "auth.tokens");
		return;
	}
	if (now != NULL && memcmp(now->text, next->text, sizeof(now->text)) == 0)
		return;
	next->older = now;
	atomic_store(&newer->http.tokens, NULL);
	atomic_store(&c->http.tokens, next);
}

/* The same with the certificate: connections go on with the one that they began
 * with. A listener that speaks TLS cannot do without, nor another begin to. */
static void
reload_tls(struct config *c, struct config *newer, struct buffer *fixed)
{
	struct tls *now = atomic_load(&c->http.tls), *next = atomic_load(&newer->http.tls);

	if (now == NULL || next == NULL) {
		if (now != next)
			note_fixed(fixed, "tls");
		return;
	}
	if (memcmp(now->text, next->text, sizeof(now->text)) == 0)
		return;
	next->older = now;
	atomic_store(&newer->http.tls, NULL);
	atomic_store(&c->http.tls, next);
}

int
config_reload(struct config *c, struct buffer *fixed, struct hrw_fault *fault)
{
	struct config *newer;
	int rc = 0;

	if (c->path == NULL)
		return 0;
	newer = config_read(c->path, fault);
	if (newer == NULL)
		return fault->error;
	for (const struct config_option *o = config_options; o->name != NULL && rc == 0; o++)
		rc = reload_option(c, newer, o, fixed, fault);
	if (rc == 0) {
		reload_tokens(c, newer, fixed);
		reload_tls(c, newer, fixed);
	}
	config_free(newer);
	return rc;
}

void
config_describe(struct buffer *out, const struct config_option *option)
{
	buffer_add_text(out, option->type);
	if (strcmp(option->type, "a whole number") == 0)
		buffer_printf(out, " from %llu to %llu", (unsigned long long)option->min,
		    (unsigned long long)option->max);
	if (option->initial != NULL)
		buffer_printf(out, "; %s when left out", option->initial);
}

void
config_help(struct buffer *out)
{
	for (const struct config_option *o = config_options; o->name != NULL; o++) {
		buffer_printf(out, "  %s%s%s: %s\n      ", o->section == NULL ? "" : o->section,
		    o->section == NULL ? "" : ".", o->name, o->help);
		config_describe(out, o);
		buffer_add_text(out, "\n");
	}
}
