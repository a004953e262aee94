/*
 * How each command of hrwctl ends, whatever comes of it: command by outcome.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/dsl/ctl.h"
#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

enum { WORDS = 7 };

static const struct row {
	const char
	    *words[WORDS];     /* "@name": a file of the test's; "ID": a plan that drains cache-c */
	const char *before[3]; /* a change that it takes first */
	bool is_change;	       /* takes --yes, --dry-run and --exit-code */
	bool is_local;	       /* asks no daemon */
	bool has_no_pool;      /* is of no pool, or names it otherwise than by --pool */
	int status;	       /* where all goes well */
} rows[] = {
    {.words = {"owner", "photo-7"}},
    {.words = {"owner", "photo-7", "photo-1"}},
    {.words = {"owner", "-"}},
    {.words = {"replicas", "photo-7"}},
    {.words = {"replicas", "-", "--copies", "1"}},
    {.words = {"explain", "photo-7"}},
    {.words = {"nodes"}},
    {.words = {"nodes", "cache-a"}},
    {.words = {"pools"}, .has_no_pool = true},
    {.words = {"status"}, .has_no_pool = true},
    {.words = {"removable", "cache-a"}, .status = 1},
    {.words = {"removable", "cache-c", "--wait", "--deadline", "1"},
	.before = {"drain", "cache-c"},
	.status = 1},
    {.words = {"copies"}, .before = {"drain", "cache-c"}},
    {.words = {"copies", "--csv"}, .before = {"drain", "cache-c"}},
    {.words = {"add", "cache-e", "h:1"}, .is_change = true},
    {.words = {"drain", "cache-c"}, .is_change = true},
    {.words = {"activate", "cache-c"}, .before = {"drain", "cache-c"}, .is_change = true},
    {.words = {"rejoin", "cache-c"}, .is_change = true},
    {.words = {"reweight", "cache-a", "2"}, .is_change = true},
    {.words = {"address", "cache-a", "h:1"}, .is_change = true},
    {.words = {"zone", "cache-a", "r1"}, .is_change = true},
    {.words = {"remove", "cache-c"}, .before = {"drain", "cache-c"}, .is_change = true},
    {.words = {"settle"}, .before = {"drain", "cache-c"}, .is_change = true},
    {.words = {"change", "--drain", "cache-c", "--copies", "1"}, .is_change = true},
    {.words = {"change", "@change.json"}, .is_change = true},
    {.words = {"apply", "@pool.json"}, .is_change = true, .has_no_pool = true},
    {.words = {"revert", "1"}, .before = {"drain", "cache-c"}, .is_change = true},
    {.words = {"pool", "add", "web"}, .is_change = true, .has_no_pool = true},
    {.words = {"pool", "set", "--settles-after", "60", "--max-moved", "0.5"}, .is_change = true},
    {.words = {"pool", "drop", "default", "--force", "pool-not-empty"},
	.is_change = true,
	.has_no_pool = true},
    {.words = {"pool", "show"}},
    {.words = {"dump"}},
    {.words = {"plan", "--drain", "cache-c"}},
    {.words = {"plan", "show", "ID"}, .has_no_pool = true},
    {.words = {"plan", "changes", "ID"}, .has_no_pool = true},
    {.words = {"plan", "apply", "ID", "--yes"}, .has_no_pool = true},
    {.words = {"plans"}, .has_no_pool = true},
    {.words = {"history"}, .before = {"drain", "cache-c"}, .has_no_pool = true},
    {.words = {"compare", "ring"}},
    {.words = {"simulate", "@keys", "modulo"}},
    {.words = {"keys", "put", "@keys"}},
    {.words = {"keys", "add", "@keys"}},
    {.words = {"keys", "import", "redis", "@keys"}},
    {.words = {"keys", "get"}},
    {.words = {"keys", "stats"}},
    {.words = {"watch", "--count", "1"}, .status = -1},
    {.words = {"token", "ops", "read"}, .is_local = true, .has_no_pool = true},
    {.words = {"completion", "bash"}, .is_local = true, .has_no_pool = true},
    {.words = {"help", "drain"}, .is_local = true, .has_no_pool = true},
    {.words = {"version"}, .is_local = true, .has_no_pool = true},
};

/* Whose outcomes other suites look at. */
static const char *const elsewhere[] = {"backup", "restore", NULL};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* The row's words with others behind them, as a shell line where `tail` is given. */
static struct ran *
run(const struct daemon *d, const char *const *words, const char *id, const char *const *also,
    const char *tail)
{
	const char *w[16] = {NULL}, *line = "printf 'photo-7\\n' | hrwctl";
	size_t count = 0;

	if (d == NULL) {
		w[count++] = "--admin";
		w[count++] = "127.0.0.1:1";
	}
	for (size_t i = 0; i < WORDS && words[i] != NULL; i++)
		w[count++] = strcmp(words[i], "ID") == 0 ? id
			     : *words[i] == '@'		 ? text("%s%s", id, words[i] + 1)
							 : words[i];
	while (also != NULL && *also != NULL)
		w[count++] = *also++;
	if (tail == NULL)
		return ctl_with(d, "photo-7\n", w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7],
		    w[8], w[9], w[10], w[11], NULL);
	for (size_t i = 0; i < count; i++)
		line = text("%s '%s'", line, w[i]);
	return ctl_shell(d, text("%s %s", line, tail));
}

static const char *
place(const struct daemon *d, const struct row *row, const char *plan)
{
	for (size_t i = 0; i < WORDS && row->words[i] != NULL; i++)
		if (*row->words[i] == '@')
			return text("%s/", d->dir);
	return plan;
}

static struct daemon *
prepared(const struct row *row)
{
	static const struct {
		const char *name, *text;
	} files[] = {
	    {"keys", "photo-1\nphoto-2\n"},
	    {"change.json", "{\"drain\":[\"cache-c\"]}"},
	    {"pool.json", "{\"name\":\"web\",\"nodes\":[{\"name\":\"a\",\"address\":\"h:1\"}]}"},
	};
	struct daemon *d = fleet_with_photos();

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		daemon_write(d, files[i].name, files[i].text, strlen(files[i].text));
	if (row->before[0] != NULL)
		expect_ran(ctl(d, "--yes", row->before[0], row->before[1], NULL), 0);
	return d;
}

START_TEST(each_outcome_has_its_status)
{
	static const char *const nonsense[] = {"--nonsense", NULL},
				 *const none[] = {"-p", "none", NULL},
				 *const yes[] = {"--yes", NULL},
				 *const dry[] = {"--dry-run", "--exit-code", NULL};
	const struct row *row = &rows[_i];
	struct daemon *d = prepared(row);
	const char *plan = text_at(post(d->admin, "/plan", "{\"drain\":[\"cache-c\"]}"), "plan");
	const char *id = place(d, row, plan);

	/* 2: an option that there is not; no terminal to ask on. */
	expect_ran(run(d, row->words, id, nonsense, NULL), 2);
	/* 3: nobody there. */
	if (!row->is_local)
		expect_ran(run(NULL, row->words, id, NULL, NULL), 3);
	/* 1: no such pool. */
	if (!row->has_no_pool)
		expect_ran(run(d, row->words, id, none, NULL), 1);
	if (row->is_change) {
		expect_ran(run(d, row->words, id, NULL, NULL), 2);
		/* 5: it would change something. */
		expect_ran(run(d, row->words, id, dry, NULL), 5);
	}
	if (row->status < 0)
		return;
	/* 0, or as the row has it. */
	expect_ran(run(d, row->words, id, row->is_change ? yes : NULL, NULL), row->status);
	/* 6, but where something else went wrong. */
	if (strcmp(row->words[0], "pool") != 0 && strcmp(row->words[0], "remove") != 0 &&
	    strcmp(row->words[0], "rejoin") != 0 && strcmp(row->words[0], "revert") != 0)
		expect_ran(run(d, row->words, id, row->is_change ? yes : NULL, ">/dev/full"),
		    row->status != 0 ? row->status
		    : strcmp(row->words[0], "plan") == 0 && strcmp(row->words[1], "apply") == 0
			? 4
			: 6);
}
END_TEST

/* 4: the pool is another by now. */
START_TEST(what_came_between_is_a_conflict)
{
	struct daemon *d = fleet_with_photos();
	const char *id = text_at(post(d->admin, "/plan", "{\"drain\":[\"cache-c\"]}"), "plan");

	expect_status(keys_put(d, "another\n"), 200);
	expect_ran(ctl(d, "plan", "changes", id, NULL), 4);
	expect_ran(ctl(d, "drain", "cache-a", "--yes", NULL), 0);
	expect_ran(ctl(d, "plan", "apply", id, "--yes", NULL), 4);
	expect_ran(ctl(d, "pool", "add", "default", "--yes", NULL), 4);
}
END_TEST

static bool
is_listed(const char *const *list, const char *word)
{
	for (; *list != NULL; list++)
		if (strcmp(*list, word) == 0)
			return true;
	return false;
}

static bool
has_row(const char *first, const char *second)
{
	for (size_t i = 0; i < ROWS; i++)
		if (strcmp(rows[i].words[0], first) == 0 &&
		    (second == NULL ||
			(rows[i].words[1] != NULL && strcmp(rows[i].words[1], second) == 0)))
			return true;
	return is_listed(elsewhere, first);
}

/* What can stand behind a word, as completion has it. */
static void
expect_rows(const char *first)
{
	struct ran *r = first == NULL ? ctl(NULL, "--print", "words", "--", "", NULL)
				      : ctl(NULL, "--print", "words", "--", first, "", NULL);
	char *lines = text("%s", r->out), *line;

	while ((line = strsep(&lines, "\n")) != NULL) {
		line[strcspn(line, "\t")] = '\0';
		if (*line != '\0')
			ck_assert_msg(
			    has_row(first != NULL ? first : line, first != NULL ? line : NULL),
			    "%s %s has no row here", first != NULL ? first : "", line);
	}
}

START_TEST(each_command_has_its_outcomes_looked_at)
{
	expect_rows(NULL);
	expect_rows("plan");
	expect_rows("pool");
	expect_rows("keys");
}
END_TEST

SUITE(ctl_exits)
{
	tcase_add_loop_test(tests, each_outcome_has_its_status, 0, ROWS);
	tcase_add_test(tests, what_came_between_is_a_conflict);
	tcase_add_test(tests, each_command_has_its_outcomes_looked_at);
}
