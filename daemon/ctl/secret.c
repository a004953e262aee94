/*
 * secret.c - tokens: made here, known to nobody but who keeps the answer. The
 * daemon's file of tokens holds their hashes alone.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "core/hash/sha256.h"
#include "core/membership.h"
#include "daemon/ctl/client.h"
#include "daemon/ctl/command.h"

/* As the daemon reads them. */
enum { NAME_BYTES = 64, TOKEN_BYTES = 32 };

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

static void
put_hex(const uint8_t bytes[TOKEN_BYTES], char out[2 * TOKEN_BYTES + 1])
{
	for (size_t i = 0; i < TOKEN_BYTES; i++)
		sprintf(out + 2 * i, "%02x", bytes[i]);
}

static int
judge(const struct ctl *ctl)
{
	const char *name = ctl->argument[0];

	if (strlen(name) > NAME_BYTES || strspn(name, LETTERS "._-") != strlen(name) ||
	    *name == '\0' || strchr(LETTERS, *name) == NULL)
		return ctl_fail(CTL_USAGE,
		    "the name is \"%s\": it has 1 to %d letters, digits, '.', '_' and '-', a "
		    "letter or digit first",
		    name, NAME_BYTES);
	for (size_t i = 2; i < ctl->argument_count; i++) {
		const char *pattern = ctl->argument[i];

		if (*pattern == '\0' || strlen(pattern) > HRW_NAME_BYTES_MAX ||
		    strspn(pattern, "abcdefghijklmnopqrstuvwxyz0123456789.-*?") != strlen(pattern))
			return ctl_fail(CTL_USAGE,
			    "\"%s\" is no pattern of pools: it holds a pool's letters, '*' for "
			    "any of them and '?' for one",
			    pattern);
	}
	return 0;
}

int
secret_make(struct ctl *ctl)
{
	uint8_t chance[TOKEN_BYTES], digest[HRW_SHA256_BYTES];
	char token[2 * TOKEN_BYTES + 1], hash[2 * TOKEN_BYTES + 1];
	struct buffer line = {0}, out = {0};
	struct json_out o = json_out(&out);
	int rc = judge(ctl);

	if (rc != 0)
		return rc;
	if (getrandom(chance, sizeof(chance), 0) != sizeof(chance))
		return ctl_fail(CTL_REFUSED, "no random bytes: %s", strerror(errno));
	put_hex(chance, token);
	hrw_sha256(hrw_text(token), digest);
	put_hex(digest, hash);
	buffer_printf(&line, "%s %s %s", ctl->argument[0], ctl->argument[1], hash);
	for (size_t i = 2; i < ctl->argument_count; i++)
		buffer_printf(&line, " %s", ctl->argument[i]);
	if (ctl->is_json) {
		json_open_object(&o, NULL);
		json_put_text(&o, "name", ctl->argument[0]);
		json_put_text(&o, "role", ctl->argument[1]);
		json_put_text(&o, "token", token);
		json_put_text(&o, "line", buffer_text(&line));
		json_close_object(&o);
		client_print(&out);
	} else {
		printf("token, shown this once:\n%s\n\nline for the daemon's file of tokens "
		       "(auth.tokens):\n%s\n",
		    token, buffer_text(&line));
	}
	rc = line.failed || out.failed ? ctl_no_memory() : CTL_DONE;
	buffer_fini(&line);
	buffer_fini(&out);
	return rc;
}
