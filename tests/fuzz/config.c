/*
 * Configuration files: what is taken stands, and reading it again changes
 * nothing; a refusal names the file.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/config/config.h"
#include "tests/fuzz/law.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct hrw_fault fault = {0};
	struct buffer fixed = {0};
	struct config *c;
	char path[64];
	int fd = memfd_create("hrwd.json", MFD_CLOEXEC);

	law(fd >= 0 && write(fd, data, len) == (ssize_t)len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	c = config_read(path, &fault);
	if (c == NULL) {
		law_of_faults((int)fault.error, &fault);
		law(strncmp(fault.detail, path, strlen(path)) == 0);
	} else {
		law_of_faults(config_check(c, &fault), &fault);
		law(config_reload(c, &fixed, &fault) == 0);
		law(fixed.len == 0);
		config_free(c);
	}
	buffer_fini(&fixed);
	close(fd);
	return 0;
}
