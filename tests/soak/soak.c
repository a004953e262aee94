/*
 * soak.c - a daemon under everything at once, for as long as is asked: lookups,
 * batches, changes, plans, uploads, and clients that mean harm. Every so often
 * all of them rest, and what the daemon then holds is looked at: after a warm-up
 * its resident memory must be flat to 1 MiB, and its descriptors back to where
 * they began. Whoever asked to the end must have an answer, be it a refusal.
 *
 *     soak DAEMON SECONDS
 *
 * The daemon runs in a temporary folder on ports of loopback, with small limits
 * so that they are reached, and is ended by its pid.
 */
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/soak/clients.h"

enum {
	DEADLINE_SECONDS = 2, /* of heads and of idle connections */
	PERIOD_SECONDS = 20,  /* of load between two rests */
	CALM_MS = 3000,	      /* in which the daemon gives back what was let go */
	FLAT_KIB = 1024,
	CLIENTS_MAX = 16,
};

static const char config[] =
    "{\"workers\":2,\"limits\":{\"connections\":200,\"idle_seconds\":2,\"head_seconds\":2,"
    "\"body_seconds\":3,\"history\":200,\"plans\":20,\"nodes\":64},"
    "\"pools\":{\"default\":{\"copies\":2,\"nodes\":[]}}}";

static struct {
	pid_t pid;
	char dir[64];
} hrwd;

struct soak soak;

void
give_up(const char *format, ...)
{
	va_list values;

	va_start(values, format);
	vfprintf(stderr, format, values);
	va_end(values);
	fputc('\n', stderr);
	if (hrwd.pid > 0)
		kill(hrwd.pid, SIGKILL);
	exit(EXIT_FAILURE);
}

double
now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void
pause_ms(unsigned ms)
{
	const struct timespec pause = {ms / 1000, (long)(ms % 1000) * 1000000};

	nanosleep(&pause, NULL);
}

/* What the daemon holds. */

static long
resident_kib(void)
{
	char name[64], line[128];
	FILE *file;
	long kib = -1;

	snprintf(name, sizeof(name), "/proc/%ld/status", (long)hrwd.pid);
	file = fopen(name, "r");
	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "VmRSS: %ld", &kib) == 1)
			break;
	if (file != NULL)
		fclose(file);
	if (kib < 0)
		give_up("the daemon is gone");
	return kib;
}

/* SQLite keeps a reader's descriptor of a database's main file to use it again, as
 * many as there ever were at once, so those are not counted: a reader that is not
 * closed is seen by its descriptor of the log. */
static bool
counts(const char *path, size_t len)
{
	return len < 3 || memcmp(path + len - 3, ".db", 3) != 0;
}

/* How many there are, those that count; with `shows`, all of them by name. */
static int
descriptors(bool shows)
{
	char name[64], to[256];
	struct dirent *entry;
	int count = 0;
	DIR *dir;

	snprintf(name, sizeof(name), "/proc/%ld/fd", (long)hrwd.pid);
	dir = opendir(name);
	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		ssize_t len = readlinkat(dirfd(dir), entry->d_name, to, sizeof(to));

		if (len > 0 && shows)
			printf("soak: descriptor %s: %.*s\n", entry->d_name, (int)len, to);
		count += len > 0 && counts(to, (size_t)len);
	}
	if (dir != NULL)
		closedir(dir);
	return count;
}

/* Lets everything end, what was left idle be closed, and memory be given back. */
static void
rest(int wanted)
{
	double begun = now_s();

	atomic_store(&soak.is_resting, true);
	while (
	    atomic_load(&soak.at_rest) < client_count && now_s() - begun < 2 * ANSWER_MS / 1000.0)
		pause_ms(10);
	begun = now_s();
	while (descriptors(false) != wanted && now_s() - begun < 5 * DEADLINE_SECONDS)
		pause_ms(50);
	pause_ms(CALM_MS);
}

/* The daemon. */

static int
port_behind(const char *line, const char *label)
{
	const char *at = strstr(line, label);

	at = at != NULL ? strchr(at, ':') : NULL;
	return at != NULL ? atoi(at + 1) : 0;
}

static void
start(const char *program)
{
	char path[128], line[512] = "";
	double begun = now_s();
	FILE *file;
	int fd;

	strcpy(hrwd.dir, "/tmp/hrwd-soak-XXXXXX");
	if (mkdtemp(hrwd.dir) == NULL)
		give_up("%s: %s", hrwd.dir, strerror(errno));
	snprintf(path, sizeof(path), "%s/hrwd.json", hrwd.dir);
	file = fopen(path, "w");
	if (file == NULL || fputs(config, file) < 0 || fclose(file) != 0)
		give_up("%s: %s", path, strerror(errno));
	snprintf(path, sizeof(path), "%s/log", hrwd.dir);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	hrwd.pid = fork();
	if (hrwd.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(fd, STDERR_FILENO);
		if (chdir(hrwd.dir) == 0)
			execl(program, program, "--config", "hrwd.json", "--lookup", "127.0.0.1:0",
			    "--admin", "127.0.0.1:0", "--store", "hrwd.db", (char *)NULL);
		_exit(127);
	}
	close(fd);
	while (strstr(line, "ready: ") == NULL) {
		file = fopen(path, "r");
		while (file != NULL && strstr(line, "ready: ") == NULL &&
		       fgets(line, sizeof(line), file) != NULL)
			;
		if (file != NULL)
			fclose(file);
		if (now_s() - begun > 30)
			give_up("the daemon is not ready: see %s", path);
		pause_ms(10);
	}
	soak.lookup = port_behind(line, "lookup on ");
	soak.admin = port_behind(line, "admin on ");
}

static void
stop(void)
{
	double begun = now_s();
	int status = 0;

	kill(hrwd.pid, SIGTERM);
	while (waitpid(hrwd.pid, &status, WNOHANG) == 0) {
		if (now_s() - begun > 20)
			give_up("SIGTERM does not end the daemon");
		pause_ms(10);
	}
	hrwd.pid = 0;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		give_up("the daemon ended with %#x: see %s/log", (unsigned)status, hrwd.dir);
}

static void
clear_folder(void)
{
	DIR *dir = opendir(hrwd.dir);
	struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL)
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir != NULL)
		closedir(dir);
	rmdir(hrwd.dir);
}

int
main(int argc, char **argv)
{
	double seconds = argc > 2 ? atof(argv[2]) : 600, begun;
	char *program = argc > 1 ? realpath(argv[1], NULL) : NULL, json[96];
	pthread_t client[CLIENTS_MAX];
	long warm = 0, most = 0, least = 0;
	int fds, fds_end, is_good;

	if (program == NULL)
		give_up("use: soak DAEMON SECONDS");
	signal(SIGPIPE, SIG_IGN);
	start(program);
	for (int i = 0; i < NODES; i++) {
		snprintf(json, sizeof(json), "{\"name\":\"n%d\",\"address\":\"h:%d\"}", i, i + 1);
		if (ask_json(soak.admin, "POST", "/nodes", json) != 201)
			give_up("no node could be added");
	}
	pause_ms(1000 * (DEADLINE_SECONDS + 1));
	fds = descriptors(false);
	printf("soak: %.0f s, %u clients; at the start %ld KiB, %d descriptors\n", seconds,
	    client_count, resident_kib(), fds);
	for (size_t i = 0; i < client_count; i++)
		pthread_create(&client[i], NULL, act, (void *)i);
	begun = now_s();
	while (now_s() - begun < seconds) {
		double passed;
		long kib;

		atomic_store(&soak.is_resting, false);
		for (double until = now_s() + PERIOD_SECONDS;
		     now_s() < until && now_s() - begun < seconds;)
			pause_ms(100);
		rest(fds);
		passed = now_s() - begun;
		kib = resident_kib();
		printf("soak: %4.0f s: %ld KiB, %d descriptors, %lu answers, %lu refusals, "
		       "%lu unanswered\n",
		    passed, kib, descriptors(false), atomic_load(&soak.answers),
		    atomic_load(&soak.refusals), atomic_load(&soak.silences));
		fflush(stdout);
		/* The first third warms up. */
		if (passed < seconds / 3 || warm == 0)
			warm = most = least = kib;
		most = kib > most ? kib : most;
		least = kib < least ? kib : least;
	}
	fds_end = descriptors(false);
	if (fds_end != fds)
		descriptors(true);
	atomic_store(&soak.is_over, true);
	atomic_store(&soak.is_resting, false);
	for (size_t i = 0; i < client_count; i++)
		pthread_join(client[i], NULL);
	stop();
	is_good = most - warm <= FLAT_KIB && fds_end == fds && atomic_load(&soak.silences) == 0;
	printf(
	    "soak: resident %ld KiB after the warm-up, then %ld to %ld; descriptors %d, then %d; "
	    "%lu unanswered; in floods a new client waited %u ms at most: %s\n",
	    warm, least, most, fds, fds_end, atomic_load(&soak.silences),
	    atomic_load(&soak.slowest_ms), is_good ? "good" : "NOT GOOD");
	if (is_good)
		clear_folder();
	free(program);
	return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
