/*
 * Files of tokens: what is taken has tokens that can be told apart, and a refusal
 * never shows what stands in the file, where somebody may have put a token.
 */
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/http/tokens.h"
#include "tests/fuzz/law.h"

/* Short words may stand in a sentence by themselves. */
enum { WORD_MIN = 16, WORD_MAX = 200 };

static void
law_of_silence(char *text, const char *said)
{
	char *at = text;

	for (char *word; (word = strsep(&at, " \t\r\n")) != NULL;)
		if (strlen(word) >= WORD_MIN && strlen(word) <= WORD_MAX)
			law(strstr(said, word) == NULL);
}

static void
law_of_tokens(const struct tokens *tokens)
{
	law(tokens->count >= 1);
	law(tokens_find(tokens, hrw_bytes(NULL, 0)) == NULL);
	for (size_t i = 0; i < tokens->count; i++) {
		const struct token *t = &tokens->token[i];

		law(t->role >= ROLE_READ && t->role <= ROLE_ADMIN);
		law(t->pattern_count > 0 || token_sees(t, hrw_text("any")));
		token_sees(t, hrw_text("tier-1"));
		for (size_t k = 0; k < i; k++)
			law(strcmp(t->name, tokens->token[k].name) != 0);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct hrw_fault fault = {0};
	struct tokens *tokens;
	char path[64], *text;
	int fd = memfd_create("tokens", MFD_CLOEXEC);

	law(fd >= 0 && fchmod(fd, 0600) == 0 && write(fd, data, len) == (ssize_t)len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	tokens = tokens_read(path, &fault);
	if (tokens != NULL) {
		law_of_tokens(tokens);
	} else {
		text = law_text(data, len);
		law_of_faults((int)fault.error, &fault);
		law_of_silence(text, fault.detail);
		free(text);
	}
	tokens_free(tokens);
	close(fd);
	return 0;
}
