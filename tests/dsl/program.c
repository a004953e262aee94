#include <stdio.h>
#include <unistd.h>

#include "tests/dsl/program.h"
#include "tests/dsl/text.h"

static const char *const folders[] = {"/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"};

const char *
program_path(const char *program)
{
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		const char *path = text("%s/%s", folders[i], program);

		if (access(path, X_OK) == 0)
			return path;
	}
	return NULL;
}

bool
program_is_here(const char *program, const char *package, unsigned tests)
{
	if (program_path(program) != NULL)
		return true;
	printf("not tried: %u tests of %s: it is not installed (Debian: %s)\n", tests, program,
	    package);
	fflush(stdout); /* or each test's process would say it again */
	return false;
}
