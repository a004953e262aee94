/*
 * Host and Origin, a line each: an Origin is let in only with a Host that is.
 */
#include "daemon/config/config.h"
#include "daemon/http/origin.h"
#include "tests/fuzz/law.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct config *config;
	struct hrw_bytes none = hrw_bytes(NULL, 0), host, origin = none;
	struct hrw_fault fault = {0};
	uint8_t *copy = malloc(len);
	const uint8_t *line;
	int rc;

	if (config == NULL)
		config = config_new();
	law(config != NULL);
	if (len > 0)
		memcpy(copy, data, len);
	line = len > 0 ? memchr(copy, '\n', len) : NULL;
	host = hrw_bytes(copy, line != NULL ? (size_t)(line - copy) : len);
	if (line != NULL)
		origin = hrw_bytes(line + 1, len - host.len - 1);
	rc = origin_check(host, origin, "127.0.0.1:7071", "http", &config->http, &fault);
	law_of_faults(rc, &fault);
	law(rc == 0 || rc == HRW_FORBIDDEN);
	if (rc == 0) {
		law(host.len > 0);
		law(origin_check(host, none, "127.0.0.1:7071", "http", &config->http, &fault) == 0);
		law(origin_check(host, origin, NULL, "http", &config->http, &fault) == 0);
	}
	free(copy);
	return 0;
}
