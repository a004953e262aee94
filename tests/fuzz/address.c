/*
 * Addresses to listen on: what is local is an address, and no flag lets through
 * what the check refuses.
 */
#include "daemon/config/config.h"
#include "daemon/http/listen.h"
#include "tests/fuzz/law.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct hrw_fault fault = {0};
	char *text = law_text(data, len);
	struct config *c = config_new();
	int rc = listen_check(text, &fault);

	law(c != NULL);
	law_of_faults(rc, &fault);
	law(rc == 0 || rc == HRW_BAD_ADDRESS);
	law(rc == 0 || !listen_is_local(text));
	if (strcmp(text, "off") != 0 && hrw_is_utf8(hrw_text(text)))
		law((config_set_admin(c, text, &fault) == 0) == (rc == 0));
	config_free(c);
	free(text);
	return 0;
}
