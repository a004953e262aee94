/*
 * Accept: an index of what is on offer, the same for every case of letters, and
 * the first where the header names neither type.
 */
#include <ctype.h>

#include "daemon/http/accept_header.h"
#include "tests/fuzz/law.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const char *const types[] = {"application/json", "text/plain", NULL};
	char *text = law_text(data, len);
	int chosen = accept_header_choose(text, types);

	law(chosen == 0 || chosen == 1);
	if (strchr(text, '/') == NULL)
		law(chosen == 0);
	for (char *at = text; *at != '\0'; at++)
		*at = (char)toupper((unsigned char)*at);
	law(accept_header_choose(text, types) == chosen);
	free(text);
	return 0;
}
