/*
 * A start under hostile circumstances: each either works or ends with one clear line.
 *
 * A row prepares the process that becomes the daemon. "Serves" is to answer a lookup, to
 * take a change and keys, and to stop by SIGTERM with 0; "one line" is one on stderr and
 * status 1 or 2. What a machine does not let a row prepare is not tried.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

/* READS: it serves, but its store cannot grow, and a change is told so. */
enum { SERVES = 1, ONE_LINE = 2, EITHER = SERVES | ONE_LINE, READS = 4 };
enum { CANNOT_TRY = 77, NOBODY_WE_KNOW = 54321, LINE_MS = 20000 };

/* What a row prepares, in the child: its number says how far. */
struct birth {
	const struct row *row;
	struct daemon *d;
	long number;
	int log; /* the pipe's end, its stderr: no limit to files holds that up */
};

struct row {
	const char *name;
	void (*prepare)(const struct birth *b);
	long from, to, step; /* a start for each number */
	int may;
	const char *says; /* parts of the one line, separated by | */
};

/* In the child: this machine cannot make such a process. */
static void
cannot(const char *what)
{
	dprintf(STDERR_FILENO, "%s: %s", what, strerror(errno));
	_exit(CANNOT_TRY);
}

static void
must(int rc, const char *what)
{
	if (rc < 0)
		cannot(what);
}

static void
limit(int resource, long most)
{
	struct rlimit limits = {(rlim_t)most, (rlim_t)most};

	must(setrlimit(resource, &limits), "setrlimit");
}

static void
close_some(const struct birth *b)
{
	for (int fd = 0; fd <= 2; fd++)
		if ((b->number & 1 << fd) != 0)
			close(fd);
}

static void
block_and_ignore_signals(const struct birth *b)
{
	sigset_t all;

	(void)b;
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_IGN);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
}

static void
have_few_descriptors(const struct birth *b)
{
	limit(RLIMIT_NOFILE, b->number);
}

/* Another user, who has this folder alone. */
static void
become(const struct birth *b, uid_t user)
{
	const char *const own[] = {b->d->dir, text("%s/hrwd.json", b->d->dir)};

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		must(chown(own[i], user, user), "chown");
	must(setgroups(0, NULL), "setgroups");
	must(setresgid(user, user, user), "setresgid");
	must(setresuid(user, user, user), "setresuid");
	must(access(b->d->argv[0], X_OK), "the program, for another user");
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* a change of the user forgets it */
}

/* Each start a user of its own: one that ends may count for a moment more. */
static void
have_few_threads(const struct birth *b)
{
	limit(RLIMIT_NPROC, b->number);
	become(b, NOBODY_WE_KNOW + (uid_t)b->number);
}

static void
be_an_unknown_user(const struct birth *b)
{
	become(b, NOBODY_WE_KNOW);
}

static char *
group_folder(void)
{
	return text("/sys/fs/cgroup%s/hrwd-test-%ld",
	    access("/sys/fs/cgroup/pids", F_OK) == 0 ? "/pids" : "", (long)getpid());
}

static void
write_line(const char *folder, const char *file, const char *line)
{
	int fd = open(text("%s/%s", folder, file), O_WRONLY | O_CLOEXEC);

	must(fd, file);
	must((int)write(fd, line, strlen(line)), file);
	close(fd);
}

/* The parent removes the group, whose name has this child's id. */
static void
be_in_a_small_group(const struct birth *b)
{
	const char *folder = group_folder();

	must(mkdir(folder, 0755), "a control group");
	write_line(folder, "pids.max", text("%ld", b->number));
	write_line(folder, "cgroup.procs", "0");
}

static void
have_little_address_space(const struct birth *b)
{
	limit(RLIMIT_AS, b->number << 20);
}

static void
have_a_small_heap(const struct birth *b)
{
	limit(RLIMIT_DATA, b->number << 20);
}

static void
have_small_stacks(const struct birth *b)
{
	limit(RLIMIT_STACK, b->number << 10);
}

static void
have_small_files(const struct birth *b)
{
	signal(SIGXFSZ, SIG_DFL);
	limit(RLIMIT_FSIZE, b->number << 10);
}

/* Mounts of its own, of which nothing reaches the machine. */
static void
see_other_mounts(void)
{
	must(unshare(CLONE_NEWNS), "unshare");
	must(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "mount");
}

static void
make_read_only(const char *path)
{
	must(mount(path, path, NULL, MS_BIND | MS_REC, NULL), "mount");
	must(mount(NULL, path, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL), "mount");
}

/* Only its own folder can be written to, or not even that. */
static void
have_a_read_only_root(const struct birth *b)
{
	see_other_mounts();
	if (b->number == 0)
		must(mount(b->d->dir, b->d->dir, NULL, MS_BIND, NULL), "mount");
	must(mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL), "mount");
	if (strncmp(b->d->dir, "/tmp/", 5) == 0 && b->number != 0)
		make_read_only(b->d->dir);
	must(chdir(b->d->dir), "chdir");
}

static void
have_no_proc(const struct birth *b)
{
	(void)b;
	see_other_mounts();
	must(mount("none", "/proc", "tmpfs", 0, NULL), "mount");
}

/* And descriptors 0 to 2 closed, so that it is missed. */
static void
have_no_dev(const struct birth *b)
{
	see_other_mounts();
	must(mount("none", "/dev", "tmpfs", 0, NULL), "mount");
	close_some(b);
}

static void
have_no_network(const struct birth *b)
{
	(void)b;
	must(unshare(CLONE_NEWNET), "unshare");
}

static pid_t first;

static void
pass_on(int signal)
{
	kill(first, signal);
}

/* As in a container: the kernel gives it no signal that it does not handle. */
static void
be_process_one(const struct birth *b)
{
	int status = 0;

	(void)b;
	must(unshare(CLONE_NEWPID), "unshare");
	first = fork();
	must(first, "fork");
	if (first == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		return;
	}
	signal(SIGTERM, pass_on);
	while (waitpid(first, &status, 0) < 0 && errno == EINTR)
		;
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
}

static void
be_started_by_the_loader(const struct birth *b)
{
	static const char *const loaders[] = {"/lib64/ld-linux-x86-64.so.2",
	    "/lib/ld-linux-aarch64.so.1", "/lib/ld-linux-armhf.so.3"};
	char **argv = calloc(8, sizeof(*argv));

	for (size_t i = 0; i < sizeof(loaders) / sizeof(*loaders); i++)
		if (access(loaders[i], X_OK) == 0)
			argv[0] = text("%s", loaders[i]);
	if (argv[0] == NULL)
		cannot("the loader");
	for (size_t i = 0; b->d->argv[i] != NULL && i < 6; i++)
		argv[i + 1] = b->d->argv[i];
	execv(argv[0], argv);
	cannot("the loader");
}

static void
be_in_a_folder_that_is_gone(const struct birth *b)
{
	must(mkdir("gone", 0700), "mkdir");
	must(chdir("gone"), "chdir");
	must(rmdir(text("%s/gone", b->d->dir)), "rmdir");
}

static void
have_a_bare_environment(const struct birth *b)
{
	(void)b;
	clearenv();
}

static void
have_an_odd_environment(const struct birth *b)
{
	static const char *const odd[][2] = {{"UV_THREADPOOL_SIZE", "1"},
	    {"UV_THREADPOOL_SIZE", "-1"}, {"UV_THREADPOOL_SIZE", "many"},
	    {"UV_THREADPOOL_SIZE", "99999999999999999999"}, {"TMPDIR", "/no/such/folder"},
	    {"GLIBC_TUNABLES", "nonsense"}, {"NOTIFY_SOCKET", "/no/such/socket"},
	    {"WATCHDOG_USEC", "x"}, {"LISTEN_FDS", "x"}, {"LC_ALL", "xx_XX"}};

	setenv(odd[b->number][0], odd[b->number][1], 1);
}

static void
name_a_kernel_that_is_none(const struct birth *b)
{
	(void)b;
	setenv("HRW_KERNEL", "abacus", 1);
}

static void
mask_its_files(const struct birth *b)
{
	umask((mode_t)b->number);
}

/* Of what changes with the libraries, a whole range is tried. */
static const struct row rows[] = {
    {"a usual start", NULL, 0, 0, 1, SERVES, NULL},
    {"descriptors 0 to 2 closed", close_some, 1, 7, 1, SERVES, NULL},
    {"signals blocked and ignored", block_and_ignore_signals, 0, 0, 1, SERVES, NULL},
    {"few descriptors", have_few_descriptors, 6, 78, 6, EITHER, "descriptors|ulimit -n"},
    {"enough descriptors", have_few_descriptors, 128, 128, 1, SERVES, NULL},
    {"few threads", have_few_threads, 1, 9, 4, ONE_LINE, "threads|ulimit -u"},
    {"hardly enough threads", have_few_threads, 12, 20, 2, EITHER, "threads|ulimit -u"},
    {"a small control group", be_in_a_small_group, 2, 8, 3, ONE_LINE, "threads|pids.max"},
    {"little address space", have_little_address_space, 24, 180, 12, EITHER, ""},
    {"enough address space", have_little_address_space, 1024, 1024, 1, SERVES, NULL},
    {"a small heap", have_a_small_heap, 4, 164, 40, EITHER, ""},
    {"small stacks", have_small_stacks, 128, 512, 128, EITHER, ""},
    {"small files", have_small_files, 0, 240, 24, EITHER | READS, ""},
    {"an unknown user", be_an_unknown_user, 0, 0, 1, SERVES, NULL},
    {"a read-only root", have_a_read_only_root, 0, 0, 1, SERVES, NULL},
    {"a read-only folder", have_a_read_only_root, 1, 1, 1, ONE_LINE, "Read-only"},
    {"no /proc", have_no_proc, 0, 0, 1, SERVES, NULL},
    {"no /dev", have_no_dev, 0, 0, 1, SERVES, NULL},
    {"no /dev and a gap", have_no_dev, 1, 1, 1, ONE_LINE, "/dev/null"},
    {"no network", have_no_network, 0, 0, 1, SERVES, NULL},
    {"process 1", be_process_one, 0, 0, 1, SERVES, NULL},
    {"started by ld.so", be_started_by_the_loader, 0, 0, 1, SERVES, NULL},
    {"a folder that is gone", be_in_a_folder_that_is_gone, 0, 0, 1, SERVES, NULL},
    {"a bare environment", have_a_bare_environment, 0, 0, 1, SERVES, NULL},
    {"an odd environment", have_an_odd_environment, 0, 9, 1, SERVES, NULL},
    {"no such kernel", name_a_kernel_that_is_none, 0, 0, 1, ONE_LINE, "abacus"},
    {"files that nobody may read", mask_its_files, 0, 0777, 0777, SERVES, NULL},
};

static void
born(void *arg)
{
	const struct birth *b = arg;

	dup2(b->log, STDOUT_FILENO);
	dup2(b->log, STDERR_FILENO);
	if (b->row->prepare != NULL)
		b->row->prepare(b);
}

/* Has it ended within so many ms? */
static bool
has_ended(struct daemon *d, int timeout_ms, int *status)
{
	double end = now_ms() + timeout_ms;

	while (waitpid(d->pid, status, WNOHANG) == 0) {
		if (now_ms() > end)
			return false;
		pause_ms(2);
	}
	d->pid = 0;
	return true;
}

/* What it wrote to stderr by now. */
static char *
read_log(int fd)
{
	static char log[1 << 16];
	ssize_t len = read(fd, log, sizeof(log) - 1);

	log[len > 0 ? len : 0] = '\0';
	return log;
}

/* A lookup, a change, keys, the stop. */
static void
serves(struct daemon *d, const struct row *row, const char *what, int log)
{
	struct answer *a = post(d->admin, "/nodes/cache-c/drain", NULL), *keys;
	int status = 0;

	expect_status(get(d->lookup, "/owner?key=photo-7"), 200);
	if ((row->may & READS) != 0 && a->status == 503) {
		expect_refusal(a, 503, "store-failed", NULL);
		expect(get(d->lookup, "/nodes/cache-c"), "state", "'active'");
	} else {
		expect(a, "outcome", "'applied'");
		expect(get(d->lookup, "/nodes/cache-c"), "state", "'draining'");
	}
	keys = keys_put(d, photos());
	if ((row->may & READS) != 0 && keys->status == 503)
		expect_refusal(keys, 503, "store-failed", NULL);
	else
		expect_status(keys, 200);
	kill(d->pid, SIGTERM);
	ck_assert_msg(has_ended(d, LINE_MS, &status), "%s: SIGTERM does not end it", what);
	ck_assert_msg(status == 0, "%s: ended with %#x: %s", what, (unsigned)status, read_log(log));
}

static void
ends_with_one_line(int status, const struct row *row, const char *what, const char *log)
{
	char *parts = text("%s", row->says != NULL ? row->says : "");

	ck_assert_msg(WIFEXITED(status) && (WEXITSTATUS(status) == 1 || WEXITSTATUS(status) == 2),
	    "%s: ended with %#x: %s", what, (unsigned)status, log);
	ck_assert_msg(strncmp(log, "hrwd: ", 6) == 0 && strlen(log) > 20 &&
			  strchr(log, '\n') == log + strlen(log) - 1,
	    "%s: this is not one line: \"%s\"", what, log);
	for (const char *part; (part = strsep(&parts, "|")) != NULL;)
		ck_assert_msg(strstr(log, part) != NULL, "%s: no \"%s\" in: %s", what, part, log);
}

/* One start: true where it could be tried. */
static bool
try_one(const struct row *row, long number)
{
	struct daemon *d =
	    daemon_prepare(text("{\"listen\":{\"lookup\":\"unix:$DIR/"
				"lookup.sock\",\"admin\":\"unix:$DIR/admin.sock\"},"
				"\"workers\":2,\"store\":{\"path\":\"$DIR/hrwd.db\"},"
				"\"pools\":{\"default\":{\"copies\":2,\"nodes\":%s}}}",
			       FLEET_NODES),
		NULL);
	const char *what = text("%s, %ld", row->name, number), *log;
	struct birth b = {.row = row, .d = d, .number = number};
	double end = now_ms() + LINE_MS;
	int end_of_log[2], status = 0;
	pid_t pid;

	ck_assert_int_eq(pipe2(end_of_log, O_CLOEXEC | O_NONBLOCK), 0);
	b.log = end_of_log[1];
	d->lookup = text("unix:%s/lookup.sock", d->dir);
	d->admin = text("unix:%s/admin.sock", d->dir);
	d->born = born;
	d->born_arg = &b;
	daemon_spawn(d);
	pid = d->pid;
	close(end_of_log[1]);
	while (!has_ended(d, 5, &status) && get(d->admin, "/readyz")->status != 200)
		ck_assert_msg(now_ms() < end, "%s: it neither serves nor ends: %s", what,
		    read_log(end_of_log[0]));
	if (d->pid != 0) {
		ck_assert_msg((row->may & SERVES) != 0, "%s: it serves", what);
		serves(d, row, what, end_of_log[0]);
	}
	log = read_log(end_of_log[0]);
	close(end_of_log[0]);
	rmdir(text("/sys/fs/cgroup/pids/hrwd-test-%ld", (long)pid));
	rmdir(text("/sys/fs/cgroup/hrwd-test-%ld", (long)pid));
	if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT_TRY) {
		printf("not tried: 1 tests of a start with %s: %s\n", row->name, log);
		fflush(stdout);
		return false;
	}
	if (status != 0 || (row->may & SERVES) == 0)
		ends_with_one_line(status, row, what, log);
	ck_assert_msg(status == 0 || (row->may & ONE_LINE) != 0, "%s: it ends: %s", what, log);
	return true;
}

START_TEST(a_start_works_or_ends_with_one_clear_line)
{
	const struct row *row = &rows[_i];

	for (long number = row->from; number <= row->to; number += row->step)
		if (!try_one(row, number))
			break;
}
END_TEST

SUITE(circumstances)
{
	tcase_add_loop_test(
	    tests, a_start_works_or_ends_with_one_clear_line, 0, sizeof(rows) / sizeof(*rows));
}
