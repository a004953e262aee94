/*
 * A pool with a secret: it places by it, shows its name and never itself.
 */
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"
#include "tests/dsl/tokens.h"

#define HEX   "00112233445566778899aabbccddeeff"
#define OTHER "ffeeddccbbaa99887766554433221100"
#define KEYED "{\"name\":\"rendezvous-keyed\",\"secret_file\":\"photos\"}"

/* A fleet whose default pool is plain, with two secrets in its folder. */
static struct daemon *
prepare(const char *options)
{
	struct daemon *d = daemon_prepare(
	    text("{%s\"secrets\":\"$DIR/secrets\",%s", options, &FLEET_CONFIG("")[1]), "--lookup",
	    "127.0.0.1:0", "--admin", "127.0.0.1:0", "--store", "$DIR/hrwd.db", NULL);

	ck_assert_int_eq(mkdir(daemon_path(d, "secrets"), 0700), 0);
	private_write(d, "secrets/photos", HEX "\n");
	private_write(d, "secrets/video", OTHER "\n");
	return d;
}

/* Where 24 photos live. */
static const char *
homes(const struct daemon *d)
{
	return expect_status(ask(d->lookup, "POST", "/owners", NULL, photos()), 200)->body;
}

START_TEST(a_pool_places_by_its_secret_after_a_restart_and_a_revert_too)
{
	struct daemon *d = prepare("\"log\":{\"level\":\"debug\"},");
	const char *plain, *keyed, *print, *files[8];
	struct answer *a;

	daemon_launch(d);
	plain = homes(d);
	a = expect_status(
	    patch(d->admin, "/pools/default", text("{\"placement\":%s}", KEYED)), 200);
	keyed = homes(d);
	ck_assert_str_ne(plain, keyed);
	a = get(d->admin, "/pools/default");
	print = text_at(a, "fingerprint");
	expect(a, "placement.secret_file", "'photos'");
	daemon_crash(d);
	ck_assert_str_eq(homes(d), keyed);
	expect_status(
	    patch(d->admin, "/pools/default",
		"{\"placement\":{\"name\":\"rendezvous-keyed\",\"secret_file\":\"video\"}}"),
	    200);
	ck_assert_str_ne(homes(d), keyed);
	ck_assert_str_ne(text_at(get(d->admin, "/pools/default"), "fingerprint"), print);
	expect_status(post(d->admin, "/pools/default/revert", "{\"to\":2}"), 200);
	ck_assert_str_eq(homes(d), keyed);
	ck_assert_str_eq(text_at(get(d->admin, "/pools/default"), "fingerprint"), print);
	a = post(d->admin, "/plan?wait=30", "{\"drain\":[\"cache-c\"]}");
	expect_status(get(d->admin, text("/plans/%s/changes", text_at(a, "plan"))), 200);

	/* It stands in no answer, no log and no file but its own. */
	expect_status(get(d->admin, "/explain?key=photo-7"), 200);
	files[0] = a->body;
	files[1] = get(d->admin, "/pools/default?epoch=2")->body;
	files[2] = get(d->admin, "/explain?key=photo-7")->body;
	files[3] = get(d->admin, "/metrics")->body;
	files[4] = get(d->admin, "/history")->body;
	files[5] = get(d->admin, "/plans")->body;
	files[6] = daemon_log(d);
	daemon_stop(d);
	files[7] = daemon_log(d);
	for (int i = 0; i < 8; i++)
		ck_assert_msg(
		    strcasestr(files[i], HEX) == NULL && strcasestr(files[i], OTHER) == NULL,
		    "a secret is shown: %s", files[i]);
	{
		static const unsigned char raw[] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77};
		size_t len;
		const char *store = text_file(d->store, &len);

		ck_assert_ptr_nonnull(store);
		ck_assert_ptr_null(memmem(store, len, raw, sizeof(raw)));
		ck_assert_ptr_null(memmem(store, len, HEX, 32));
	}
}
END_TEST

START_TEST(a_secret_that_cannot_be_had_is_a_bad_field)
{
	static const struct {
		const char *file, *part;
	} rows[] = {
	    {"absent", "absent"},
	    {"../hrwd.db", "without a path"},
	    {"/etc/passwd", "without a path"},
	    {"", "1 to 255"},
	    {"open", "chmod"},
	    {"short", "32 hex digits"},
	};
	struct daemon *d = prepare("");

	private_write(d, "secrets/open", HEX);
	ck_assert_int_eq(chmod(daemon_path(d, "secrets/open"), 0644), 0);
	private_write(d, "secrets/short", "0011");
	daemon_launch(d);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *placement =
		    text("{\"placement\":{\"name\":\"rendezvous-keyed\",\"secret_file\":\"%s\"}}",
			rows[i].file);
		struct answer *a = patch(d->admin, "/pools/default", placement);

		expect_refusal(a, 400, "bad-field", rows[i].part);
		expect(a, "field", "'/placement/secret_file'");
		ck_assert_ptr_null(strstr(a->body, "0011"));
		expect_refusal(post(d->admin, "/plan", placement), 400, "bad-field", rows[i].part);
	}
	ck_assert_int_eq(epoch_of(d, "default"), 1);
	daemon_stop(d);
	/* Without a folder the remedy is to name one. */
	d = fleet_start();
	expect_refusal(patch(d->admin, "/pools/default", text("{\"placement\":%s}", KEYED)), 400,
	    "bad-field", "secrets|photos");
	daemon_stop(d);
}
END_TEST

START_TEST(a_secret_file_that_changes_moves_no_key)
{
	struct daemon *d = prepare("");
	const char *keyed;

	daemon_launch(d);
	expect_status(patch(d->admin, "/pools/default", text("{\"placement\":%s}", KEYED)), 200);
	keyed = homes(d);
	private_write(d, "secrets/photos", OTHER);
	kill(d->pid, SIGHUP);
	daemon_wait_log(d, "\"photos\" is another now");
	ck_assert_str_eq(homes(d), keyed);
	expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);
	expect_status(post(d->admin, "/nodes/cache-c/activate", NULL), 200);
	ck_assert_str_eq(homes(d), keyed);
	daemon_stop(d);
	/* A restart would move them: it refuses, and with the old one it goes on. */
	ck_assert_int_eq(daemon_exits_with(d), 1);
	ck_assert_ptr_nonnull(strstr(daemon_log(d), "secret file is not what it was"));
	ck_assert_int_eq(unlink(daemon_path(d, "secrets/photos")), 0);
	ck_assert_int_eq(daemon_exits_with(d), 1);
	ck_assert_ptr_nonnull(strstr(daemon_log(d), "the secret \"photos\" cannot be read"));
	private_write(d, "secrets/photos", HEX);
	daemon_launch(d);
	ck_assert_str_eq(homes(d), keyed);
	daemon_stop(d);
	ck_assert_ptr_null(strcasestr(daemon_log(d), HEX));
	ck_assert_ptr_null(strcasestr(daemon_log(d), OTHER));
}
END_TEST

START_TEST(a_configuration_and_a_file_of_pools_name_secrets_too)
{
	static const char pools[] = "\"pools\":{\"default\":{\"placement\":" KEYED
				    ",\"copies\":2,\"nodes\":" FLEET_NODES "}}";
	struct daemon *d = daemon_prepare(text("{\"secrets\":\"$DIR\",%s}", pools), "--lookup",
	    "127.0.0.1:0", "--admin", "127.0.0.1:0", "--store", "$DIR/hrwd.db", NULL);
	const char *seeded;

	private_write(d, "photos", HEX);
	daemon_launch(d);
	seeded = homes(d);
	daemon_stop(d);
	d = daemon_prepare("{\"secrets\":\"$DIR\",\"store\":{\"file\":\"$DIR/pools.json\"}}",
	    "--lookup", "127.0.0.1:0", "--admin", "127.0.0.1:0", NULL);
	private_write(d, "photos", HEX);
	private_write(d, "pools.json", text("{%s}", pools));
	daemon_launch(d);
	ck_assert_str_eq(homes(d), seeded);
	daemon_stop(d);
	/* Two daemons can be held against each other by it. */
	d = daemon_prepare(text("{\"secrets\":\"$DIR\",%s}", pools), "--check", NULL);
	ck_assert_int_eq(daemon_exits_with(d), 2);
	ck_assert_ptr_nonnull(strstr(daemon_log(d), "/pools/default/placement/secret_file"));
	private_write(d, "photos", HEX);
	ck_assert_int_eq(daemon_exits_with(d), 0);
}
END_TEST

SUITE(secrets)
{
	tcase_add_test(tests, a_pool_places_by_its_secret_after_a_restart_and_a_revert_too);
	tcase_add_test(tests, a_secret_that_cannot_be_had_is_a_bad_field);
	tcase_add_test(tests, a_secret_file_that_changes_moves_no_key);
	tcase_add_test(tests, a_configuration_and_a_file_of_pools_name_secrets_too);
}
