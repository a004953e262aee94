/*
 * main.c - prints the text that its argument names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/manual/manual.h"

static const struct {
	const char *name;
	void (*write)(struct buffer *out);
} texts[] = {
    {"hrwd.8", pages_daemon},
    {"hrwd.json.5", pages_config},
    {"hrwd.bash", shells_bash},
    {"hrwd.zsh", shells_zsh},
    {"hrwd.fish", shells_fish},
};

int
main(int argc, char **argv)
{
	struct buffer out = {0};
	size_t i = 0, count = sizeof(texts) / sizeof(texts[0]);
	int status;

	while (argc == 2 && i < count && strcmp(texts[i].name, argv[1]) != 0)
		i++;
	if (argc != 2 || i == count) {
		fprintf(stderr, "usage: hrwd-manual hrwd.8|hrwd.json.5|hrwd.bash|hrwd.zsh|"
				"hrwd.fish\n");
		return EXIT_FAILURE;
	}
	texts[i].write(&out);
	status =
	    out.failed || fwrite(out.data, 1, out.len, stdout) != out.len || fflush(stdout) != 0
		? EXIT_FAILURE
		: EXIT_SUCCESS;
	buffer_fini(&out);
	return status;
}
