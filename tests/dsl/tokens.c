#include <string.h>
#include <sys/stat.h>

#include <check.h>

#include "core/hash/sha256.h"
#include "tests/dsl/text.h"
#include "tests/dsl/tokens.h"

const char *
token_line(const char *name, const char *role, const char *patterns)
{
	uint8_t digest[HRW_SHA256_BYTES];
	struct page page = {0};

	hrw_sha256(hrw_text(text("token-of-%s", name)), digest);
	page_add(&page, "%s %s ", name, role);
	for (size_t i = 0; i < sizeof(digest); i++)
		page_add(&page, "%02x", digest[i]);
	page_add(&page, " %s\n", patterns);
	return kept(page.data);
}

const char *
token_lines(void)
{
	return text("# one for each role\n%s%s%s%s", token_line("read", "read", ""),
	    token_line("plan", "plan", ""), token_line("operate", "operate", ""),
	    token_line("admin", "admin", ""));
}

void
private_write(const struct daemon *d, const char *name, const char *content)
{
	daemon_write(d, name, content, strlen(content));
	ck_assert_int_eq(chmod(daemon_path(d, name), 0600), 0);
}

struct daemon *
fleet_with_tokens(const char *options, const char *lines)
{
	static const char ports[] =
	    "\"listen\":{\"lookup\":\"127.0.0.1:0\",\"admin\":\"127.0.0.1:0\"},";
	const char *listen = strstr(options, "\"listen\"") == NULL ? ports : "";
	struct daemon *d = daemon_prepare(text("{%s%s%s", listen, options, &FLEET_CONFIG("")[1]),
	    "--store", "$DIR/hrwd.db", NULL);

	private_write(d, "tokens", lines);
	return d;
}

struct answer *
ask_as(const char *name, const char *base, const char *method, const char *path, const char *body)
{
	const char *token = name != NULL ? text("Authorization: Bearer token-of-%s\n", name) : "";
	const char *type = body == NULL		 ? ""
			   : strchr("{[", *body) ? "Content-Type: application/json"
						 : "Content-Type: text/plain";

	/* What is replaced whole needs a precondition. */
	return ask(base, method, path,
	    text("%s%s\n%s", token, type, strcmp(method, "PUT") == 0 ? "If-Match: *" : ""), body);
}
