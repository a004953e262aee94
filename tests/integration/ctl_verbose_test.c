/*
 * What hrwctl --verbose prints, pasted into a shell.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/dsl/ctl.h"
#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"
#include "tests/dsl/tokens.h"

/* What a shell makes of a line that --verbose printed, run in the daemon's folder;
 * its status goes to *status. */
static const char *
pasted(const struct daemon *d, const char *line, const char *in, long *status)
{
	struct page page = {0};
	FILE *shell;
	char *last;
	int c;

	ck_assert_int_eq(strncmp(line, "curl ", 5), 0);
	daemon_write(d, "stdin", in, strlen(in));
	/* Before the command's own words: a remark may stand at their end. */
	shell = popen(
	    text("cd '%s' && exec <stdin; curl -s -w '\n%%{http_code}' %s", d->dir, line + 5), "r");
	ck_assert_ptr_nonnull(shell);
	while ((c = fgetc(shell)) != EOF)
		page_add(&page, "%c", c);
	pclose(shell);
	ck_assert_ptr_nonnull(page.data);
	kept(page.data);
	last = strrchr(page.data, '\n');
	*status = strtol(last + 1, NULL, 10);
	*last = '\0';
	return page.data;
}

static const char *
first_line(const char *lines)
{
	return text("%.*s", (int)strcspn(lines, "\n"), lines);
}

START_TEST(verbose_prints_commands_that_do_the_same)
{
	struct daemon *d = fleet_with_photos();
	struct ran *r = expect_ran(ctl(d, "change", "--drain", "cache-c", "--yes", "--verbose",
				       "--reason", "it's \"old\"", NULL),
	    0);
	const char *line = r->err;
	size_t commands = 0;
	long status;

	expect_ran(ctl(d, "revert", "1", "--yes", NULL), 0);
	for (const char *end; (end = strchr(line, '\n')) != NULL; line = end + 1, commands++) {
		const char *command = text("%.*s", (int)(end - line), line);

		/* The plan is of an epoch that is gone by now: all but its apply do well. */
		pasted(d, command, "", &status);
		ck_assert_msg(status / 100 == (strstr(command, "/apply") != NULL ? 4 : 2),
		    "%ld: %s", status, command);
	}
	ck_assert_uint_ge(commands, 3);
}
END_TEST

/* Commands with one request each, and one argument that is a file's name. */
START_TEST(verbose_prints_a_command_that_gets_the_same_answer)
{
	static const char *const rows[][5] = {
	    {"keys", "get", "--format", "json"},
	    {"keys", "get", "--format", "ndjson"},
	    {"keys", "get"},
	    {"keys", "stats"},
	    {"keys", "put", "FILE"},
	    {"keys", "add", "FILE", "--format", "text"},
	    {"keys", "import", "memcached", "FILE"},
	    {"keys", "import", "redis", "FILE", "--extend"},
	    {"keys", "put", "-"},
	    {"owner", "a [1-3] {b,c} it's"},
	    {"drain", ".."},
	    {"nodes", "--pool", "default"},
	};
	static const char *const files[] = {"keys", "keys[1] {a,b}.txt", "it's $HOME; # `x`"};
	struct daemon *d = fleet_with_photos();
	const char *dump = "key=photo-3 exp=-1\nEND\n";

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *const *w = rows[i];
		bool is_import = strcmp(w[1], "import") == 0;
		const char *in = is_import ? "\"photo-3\"\n" : "photo-3\n";

		for (size_t k = 0; k < sizeof(files) / sizeof(files[0]); k++) {
			const char *content =
			    is_import && strcmp(w[2], "memcached") == 0 ? dump : "photo-3\n";
			const char *words[5] = {NULL};
			struct answer *before;
			struct ran *r;
			const char *answer;
			long status;

			for (size_t at = 0; at < 5 && w[at] != NULL; at++)
				words[at] =
				    strcmp(w[at], "FILE") == 0 ? daemon_path(d, files[k]) : w[at];
			daemon_write(d, files[k], content, strlen(content));
			r = ctl_with(d, "photo-3\n", "--verbose", words[0], words[1], words[2],
			    words[3], words[4], NULL);
			/* A key set that is sent once more stays as it is. */
			before = get(d->admin, "/keys");
			answer = pasted(d, first_line(r->err), in, &status);
			ck_assert_msg((status / 100 == 2) == (r->status == 0), "%ld: %s\n%s",
			    status, r->err, answer);
			ck_assert_str_eq(get(d->admin, "/keys")->body, before->body);
			if (r->status == 0 && strcmp(w[0], "keys") == 0 && strcmp(w[1], "get") == 0)
				ck_assert_str_eq(answer, r->out);
		}
	}
	/* An import says that what it sends is not the file. */
	ck_assert_ptr_nonnull(
	    strstr(ctl_with(d, dump, "--verbose", "keys", "import", "memcached", "-", NULL)->err,
		" -T '-' 'http"));
}
END_TEST

/* A file's name is text to the shell, too: it is no second word, and no command. */
START_TEST(a_token_is_read_from_its_file_whatever_that_is_called)
{
	static const char *const files[] = {"tok's $f \"x)", "a b", "$(touch ran)", "`touch ran`"};
	struct daemon *d = fleet_with_tokens(
	    "\"auth\":{\"tokens\":\"$DIR/tokens\"},", token_line("reader", "read", "*"));
	const char *content = "token-of-reader\nsecond line\n";
	struct ran *r;
	long status;

	daemon_launch(d);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		/* Its second line is no part of the token. */
		daemon_write(d, files[i], content, strlen(content));
		r = expect_ran(ctl(d, "--verbose", "keys", "stats", "--token-file",
				   daemon_path(d, files[i]), NULL),
		    0);
		ck_assert_ptr_null(strstr(r->err, "token-of-reader"));
		pasted(d, first_line(r->err), "", &status);
		ck_assert_msg(status == 200, "%ld: %s", status, r->err);
		ck_assert_int_ne(access(daemon_path(d, "ran"), F_OK), 0);
	}
}
END_TEST

SUITE(ctl_verbose)
{
	tcase_add_test(tests, verbose_prints_commands_that_do_the_same);
	tcase_add_test(tests, verbose_prints_a_command_that_gets_the_same_answer);
	tcase_add_test(tests, a_token_is_read_from_its_file_whatever_that_is_called);
}
