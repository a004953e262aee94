/*
 * hrwctl over TLS: whom it trusts, as whom it comes, and what it says where that
 * does not do.
 */
#include <string.h>
#include <unistd.h>

#include "tests/dsl/certificates.h"
#include "tests/dsl/ctl.h"
#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

#define PAIR "\"certificate\":\"$DIR/server.pem\",\"key\":\"$DIR/server.key\""

/* A fleet that speaks TLS, with an authority "ca", another one, and what the first
 * signed: "server", "client". */
static struct daemon *
start(const char *tls)
{
	struct daemon *d =
	    daemon_prepare(text("{\"tls\":{" PAIR "%s},%s", tls, &FLEET_CONFIG("")[1]), "--lookup",
		"127.0.0.1:0", "--admin", "127.0.0.1:0", "--store", "$DIR/hrwd.db", NULL);

	certificate_make((struct certificate){.dir = d->dir, .name = "ca", .is_ca = 1});
	certificate_make((struct certificate){.dir = d->dir, .name = "other", .is_ca = 1});
	certificate_make((struct certificate){.dir = d->dir, .name = "server", .issuer = "ca"});
	certificate_make(
	    (struct certificate){.dir = d->dir, .name = "client", .issuer = "ca", .is_client = 1});
	daemon_launch(d);
	return d;
}

/* How a run with these options ends, and a part of what it says. */
struct row {
	const char *option[6];
	int status;
	const char *said;
};

static void
expect_row(const struct daemon *d, const struct row *row)
{
	const char *words[6] = {NULL};
	struct ran *r;

	for (size_t i = 0; i < 6 && row->option[i] != NULL; i++)
		words[i] = strncmp(row->option[i], "--", 2) == 0 ? row->option[i]
								 : daemon_path(d, row->option[i]);
	r = expect_ran(
	    ctl(d, "nodes", words[0], words[1], words[2], words[3], words[4], words[5], NULL),
	    row->status);
	if (row->said == NULL)
		return;
	ck_assert_msg(strstr(r->err, row->said) != NULL, "%s: %s", r->what, r->err);
	ck_assert_str_eq(strchr(r->err, '\n'), "\n");
}

START_TEST(a_certificate_that_is_not_trusted_is_called_so)
{
	struct daemon *d = start("");
	const struct row rows[] = {
	    {{"--ca", "ca.pem"}, 0, NULL},
	    {{NULL}, 3, "not trusted: --ca FILE"},
	    {{"--ca", "other.pem"}, 3, "not trusted: --ca FILE"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_row(d, &rows[i]);
}
END_TEST

START_TEST(a_file_that_is_no_certificate_is_wrong_use)
{
	struct daemon *d = start(",\"client_ca\":\"$DIR/ca.pem\"");
	const struct row rows[] = {
	    {{"--ca", "ca.pem", "--certificate", "client.pem", "--certificate-key", "client.key"},
		0, NULL},
	    {{"--ca", "nofile"}, 2, "--ca "},
	    {{"--ca", "."}, 2, "Is a directory"},
	    {{"--ca", "hrwd.json"}, 2, "--ca "},
	    {{"--ca", "ca.pem", "--certificate", "nofile"}, 2, "--certificate "},
	    {{"--ca", "ca.pem", "--certificate", "hrwd.json"}, 2, "--certificate "},
	    {{"--ca", "ca.pem", "--certificate", "client.pem"}, 2, "--certificate-key FILE"},
	    {{"--ca", "ca.pem", "--certificate-key", "client.key"}, 2, "--certificate FILE"},
	    {{"--ca", "ca.pem", "--certificate", "client.pem", "--certificate-key", "nofile"}, 2,
		"--certificate-key "},
	    {{"--ca", "ca.pem", "--certificate", "client.pem", "--certificate-key", "other.key"}, 2,
		"--certificate "},
	    /* Right, but the daemon asks who comes. */
	    {{"--ca", "ca.pem"}, 3, "--certificate FILE"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_row(d, &rows[i]);
	/* So it is where no TLS is spoken at all. */
	expect_ran(ctl(NULL, "--admin", "127.0.0.1:1", "--ca", "/nowhere/ca", "nodes", NULL), 2);
	expect_ran(ctl(NULL, "watch", "--admin", "127.0.0.1:1", "--ca", "/nowhere/ca", NULL), 2);
}
END_TEST

START_TEST(a_listener_that_speaks_the_other_way_is_guessed)
{
	struct daemon *tls = start(""), *plain = fleet_start();
	struct ran *r = expect_ran(
	    ctl(NULL, "--admin", text_replace(tls->admin, "https", "http"), "nodes", NULL), 3);

	ck_assert_msg(strstr(r->err, "begins with https://") != NULL, "%s", r->err);
	/* It is answered in plain words or cut, as it comes. */
	for (int i = 0; i < 10; i++) {
		r = expect_ran(ctl(NULL, "--admin", text_replace(plain->admin, "http", "https"),
				   "nodes", NULL),
		    3);
		ck_assert_msg(strstr(r->err, "begins with http://") != NULL, "%s", r->err);
	}
	/* Of one that is not there nothing of the kind is said. */
	r = expect_ran(ctl(NULL, "--admin", "127.0.0.1:1", "nodes", NULL), 3);
	ck_assert_ptr_null(strstr(r->err, "begins with"));
}
END_TEST

SUITE(ctl_tls)
{
	tcase_add_test(tests, a_certificate_that_is_not_trusted_is_called_so);
	tcase_add_test(tests, a_file_that_is_no_certificate_is_wrong_use);
	tcase_add_test(tests, a_listener_that_speaks_the_other_way_is_guessed);
}
