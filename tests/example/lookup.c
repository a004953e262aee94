/*
 * lookup.c - a service that finds the home of keys in its own process.
 *
 *     cc lookup.c $(pkg-config --cflags --libs hrw) -o lookup
 *     printf 'photo-7\n' | ./lookup 2 cache-a cache-b cache-c=2 cache-d
 *
 * The arguments are the number of copies and the nodes, each with its weight; a
 * key a line comes in, a line "key<TAB>owner,second,…" goes out. How long a
 * lookup takes is said at the end.
 */
#include <hrw.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* "cache-c=2": a node and its weight. */
static int
add(struct hrw_membership *pool, char *argument, struct hrw_fault *fault)
{
	char *equals = strchr(argument, '=');
	struct hrw_node node = {.name = argument, .weight = 1, .id = HRW_ID_UNSET};

	if (equals != NULL) {
		*equals = '\0';
		node.weight = strtod(equals + 1, NULL);
	}
	return hrw_membership_add(pool, &node, NULL, fault);
}

/* A membership is built, frozen, and from then on read by any number of threads.
 * To change it, build the next one, and free the old when no one reads it. */
static struct hrw_membership *
pool_new(unsigned copies, char **nodes, struct hrw_fault *fault)
{
	struct hrw_membership *pool = hrw_membership_new(hrw_placement_find("rendezvous"), copies);
	int rc = 0;

	if (pool == NULL)
		return NULL;
	for (; *nodes != NULL && rc == 0; nodes++)
		rc = add(pool, *nodes, fault);
	if (rc == 0)
		rc = hrw_membership_freeze(pool, NULL, fault);
	if (rc == 0)
		return pool;
	hrw_membership_free(pool);
	return NULL;
}

static double
cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The next line of the text, without its end; data is NULL when there is none. */
static struct hrw_bytes
next_key(const char **text, const char *end)
{
	const char *line = *text, *stop;

	if (line == end)
		return (struct hrw_bytes){NULL, 0};
	stop = memchr(line, '\n', (size_t)(end - line));
	*text = stop == NULL ? end : stop + 1;
	return hrw_bytes(line, (size_t)((stop == NULL ? end : stop) - line));
}

static void
answer(const struct hrw_membership *pool, struct hrw_bytes key)
{
	uint32_t holder[HRW_COPIES_MAX];
	int count = hrw_holders(pool, key, pool->copies, holder);

	fwrite(key.data, 1, key.len, stdout);
	if (count < 0)
		printf("\t%s", hrw_error_code(count));
	for (int i = 0; i < count; i++)
		printf("%c%s", i == 0 ? '\t' : ',', pool->node[holder[i]].name);
	putchar('\n');
}

/* All keys once more, for the time alone. */
static void
measure(const struct hrw_membership *pool, const char *text, const char *end)
{
	uint32_t holder[HRW_COPIES_MAX];
	struct hrw_bytes key;
	size_t lookups = 0;
	double begun = cpu_seconds();

	while ((key = next_key(&text, end)).data != NULL) {
		hrw_holders(pool, key, pool->copies, holder);
		lookups++;
	}
	if (lookups > 0)
		fprintf(stderr, "%zu lookups, %.0f ns of CPU time each\n", lookups,
		    (cpu_seconds() - begun) / (double)lookups * 1e9);
}

int
main(int argc, char **argv)
{
	struct hrw_fault fault = {0};
	struct hrw_membership *pool;
	char *text = NULL;
	const char *at, *end;
	size_t room = 0;
	ssize_t len;
	struct hrw_bytes key;

	if (argc < 3) {
		fprintf(stderr, "usage: lookup COPIES NODE[=WEIGHT]...\n");
		return EXIT_FAILURE;
	}
	pool = pool_new((unsigned)strtoul(argv[1], NULL, 10), argv + 2, &fault);
	if (pool == NULL) {
		fprintf(stderr, "lookup: %s\n", fault.detail);
		return EXIT_FAILURE;
	}
	/* Keys may hold any byte but the line feed; here, no NUL either. */
	len = getdelim(&text, &room, '\0', stdin);
	if (len > 0) {
		at = text;
		end = text + len;
		while ((key = next_key(&at, end)).data != NULL)
			answer(pool, key);
		measure(pool, text, end);
	}
	free(text);
	hrw_membership_free(pool);
	return EXIT_SUCCESS;
}
