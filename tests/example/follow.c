/*
 * follow.c - a service that keeps a pool in its own memory, in step with hrwd.
 *
 *     cc follow.c $(pkg-config --cflags --libs hrw libcurl libcjson) -pthread -o follow
 *     printf 'photo-7\n' | ./follow http://127.0.0.1:7070 default
 *
 * One thread reads the stream of GET /watch and builds a membership of each event;
 * lookups, on any other thread, ask no daemon. A key a line comes in, a line
 * "key<TAB>owner,second,…<TAB>epoch<TAB>read,…" goes out at once; the last are the
 * nodes to read from in turn: warm holders, fallback, cold holders. While the daemon is away the
 * last pool it told serves on. "unix:/path" names a unix socket.
 */
#include <cJSON.h>
#include <curl/curl.h>
#include <hrw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BEAT_SECONDS = 2, SILENT_SECONDS = 10, AGAIN_SECONDS = 1 };

/* What lookups read. A change is one exchange of the pointer, so the lock is held
 * for the time of a lookup and never for that of a membership's making. */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct hrw_membership *present; /* NULL: the pool was dropped */
static struct hrw_membership *settled; /* where its copies are; NULL: in place */
static char *empty; /* of its nodes, those without their copies: "\nname\nname\n" */
static unsigned long long present_epoch;

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t first_came = PTHREAD_COND_INITIALIZER;
static bool has_come;

/* The stream, line by line. */
struct stream {
	char *line;
	size_t len, room;
	char *data; /* of the event that is coming */
	char type[16], id[64], last_id[64];
	time_t heard; /* when anything came last */
};

static void
publish(struct hrw_membership *pool, struct hrw_membership *copies, char *without, double epoch)
{
	struct hrw_membership *old, *old_copies;
	char *old_empty;

	pthread_rwlock_wrlock(&lock);
	old = present;
	old_copies = settled;
	present = pool;
	settled = copies;
	old_empty = empty;
	empty = without;
	present_epoch = (unsigned long long)epoch;
	pthread_rwlock_unlock(&lock);
	hrw_membership_free(old);
	hrw_membership_free(old_copies);
	free(old_empty);
	pthread_mutex_lock(&first_lock);
	has_come = true;
	pthread_cond_signal(&first_came);
	pthread_mutex_unlock(&first_lock);
}

static char *
text_of(const cJSON *object, const char *name)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

static double
number_of(const cJSON *object, const char *name)
{
	return cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

/* One parameter of the placement, as its row says; 0, or what it cannot read. */
static int
read_parameter(const struct hrw_param *row, const cJSON *j, struct hrw_value *value)
{
	const char *text = cJSON_GetStringValue(j);

	switch (row->type) {
	case HRW_PARAM_CHOICE:
		value->number = 0;
		while (text != NULL && row->choices[value->number] != NULL &&
		       strcmp(row->choices[value->number], text) != 0)
			value->number++;
		if (row->choices[value->number] == NULL)
			return HRW_BAD_FIELD;
		break;
	case HRW_PARAM_COUNT:
		value->number = (uint64_t)cJSON_GetNumberValue(j);
		break;
	case HRW_PARAM_FLAG:
		value->number = cJSON_IsTrue(j);
		break;
	case HRW_PARAM_TEXT:
		value->text = text != NULL ? strdup(text) : NULL; /* the membership's now */
		break;
	default:
		return HRW_BAD_FIELD; /* sets, hosts, secrets: left to a longer program */
	}
	value->is_given = true;
	return 0;
}

static int
read_placement(struct hrw_membership *pool, const cJSON *placement, struct hrw_fault *fault)
{
	const struct hrw_param *row = pool->placement->params;

	for (size_t i = 0; row != NULL && row[i].name != NULL; i++) {
		const cJSON *j = cJSON_GetObjectItemCaseSensitive(placement, row[i].name);

		pool->param[i].number =
		    j != NULL && row[i].type == HRW_PARAM_CHOICE ? 0 : pool->param[i].number;
		if (j != NULL && read_parameter(&row[i], j, &pool->param[i]) < 0)
			return hrw_fault(fault, HRW_BAD_FIELD,
			    "%s has a %s, which this does not read", pool->placement->name,
			    row[i].name);
	}
	return 0;
}

static int
read_node(struct hrw_membership *pool, const cJSON *j, struct hrw_fault *fault)
{
	const char *state = text_of(j, "state");
	struct hrw_node node = {.name = text_of(j, "name"),
	    .address = text_of(j, "address"),
	    .zone = text_of(j, "zone"),
	    .weight = number_of(j, "weight"),
	    .id = (int32_t)number_of(j, "id")};

	if (cJSON_HasObjectItem(j, "slots") || cJSON_HasObjectItem(j, "tokens") ||
	    cJSON_HasObjectItem(j, "reweight") || cJSON_HasObjectItem(j, "healthy"))
		return hrw_fault(fault, HRW_BAD_FIELD, "a node has more than this reads");
	if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(j, "hash_name_default")))
		node.hash_name = text_of(j, "hash_name");
	node.state = state != NULL ? (enum hrw_state)hrw_state_from_name(state) : HRW_ACTIVE;
	return hrw_membership_add(pool, &node, NULL, fault);
}

/* A pool as hrwd writes it, ready for lookups; NULL with the fault filled. */
static struct hrw_membership *
read_pool(const cJSON *j, struct hrw_fault *fault)
{
	const cJSON *placement = cJSON_GetObjectItemCaseSensitive(j, "placement"), *node;
	const char *name = text_of(placement, "name");
	const struct hrw_placement *known = name != NULL ? hrw_placement_find(name) : NULL;
	struct hrw_membership *pool = NULL;
	int rc;

	if (known != NULL)
		pool = hrw_membership_new(known, (unsigned)number_of(j, "copies"));
	if (pool == NULL) {
		hrw_fault(fault, HRW_BAD_FIELD, "no placement that this libhrw knows");
		return NULL;
	}
	rc = read_placement(pool, placement, fault);
	cJSON_ArrayForEach (node, cJSON_GetObjectItemCaseSensitive(j, "nodes"))
		rc = rc == 0 ? read_node(pool, node, fault) : rc;
	if (rc == 0)
		rc = hrw_membership_freeze(pool, NULL, fault);
	if (rc == 0)
		return pool;
	hrw_membership_free(pool);
	return NULL;
}

/* The names of the settled nodes that are empty. */
static char *
empty_of(const cJSON *where)
{
	const cJSON *nodes = cJSON_GetObjectItemCaseSensitive(where, "nodes"), *node;
	size_t room = 2, len = 0;
	char *names;

	cJSON_ArrayForEach (node, nodes)
		room += strlen(text_of(node, "name")) + 1;
	names = malloc(room);
	if (names == NULL)
		abort();
	names[len++] = '\n';
	cJSON_ArrayForEach (node, nodes)
		if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(node, "empty")))
			len += (size_t)sprintf(names + len, "%s\n", text_of(node, "name"));
	names[len] = '\0';
	return names;
}

/* To place keys otherwise than the daemon does would be worse than to end. */
static void
take_event(struct stream *s)
{
	cJSON *j = cJSON_Parse(s->data != NULL ? s->data : "");
	struct hrw_fault fault = {0};
	const cJSON *where = cJSON_GetObjectItemCaseSensitive(j, "settled");
	struct hrw_membership *pool, *copies = NULL;

	if (strcmp(s->type, "dropped") == 0) {
		publish(NULL, NULL, NULL, 0);
	} else if (j != NULL) {
		pool = read_pool(j, &fault);
		if (pool != NULL && cJSON_IsObject(where))
			copies = read_pool(where, &fault);
		if (pool == NULL || (copies == NULL && cJSON_IsObject(where))) {
			fprintf(stderr, "follow: %s\n", fault.detail);
			exit(EXIT_FAILURE);
		}
		publish(pool, copies, empty_of(where), number_of(j, "epoch"));
		strcpy(s->last_id, s->id);
	}
	cJSON_Delete(j);
	free(s->data);
	s->data = NULL;
	s->type[0] = s->id[0] = '\0';
}

static void
take_line(struct stream *s)
{
	s->line[s->len] = '\0';
	if (s->len == 0 && s->data != NULL) {
		take_event(s);
	} else if (strncmp(s->line, "event: ", 7) == 0) {
		snprintf(s->type, sizeof(s->type), "%s", s->line + 7);
	} else if (strncmp(s->line, "id: ", 4) == 0) {
		snprintf(s->id, sizeof(s->id), "%s", s->line + 4);
	} else if (strncmp(s->line, "data: ", 6) == 0) {
		free(s->data);
		s->data = strdup(s->line + 6);
	}
	s->len = 0;
}

static size_t
take_bytes(char *bytes, size_t size, size_t count, void *arg)
{
	struct stream *s = arg;

	s->heard = time(NULL);
	for (size_t i = 0; i < size * count; i++) {
		if (s->len + 1 >= s->room) {
			s->room = s->room * 2 + 4096;
			s->line = realloc(s->line, s->room);
			if (s->line == NULL)
				abort();
		}
		if (bytes[i] == '\n')
			take_line(s);
		else
			s->line[s->len++] = bytes[i];
	}
	return size * count;
}

/* A daemon that lives says so every BEAT_SECONDS; who does not is asked anew. */
static int
is_silent(void *arg, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	const struct stream *s = arg;

	(void)a, (void)b, (void)c, (void)d;
	return time(NULL) - s->heard > SILENT_SECONDS;
}

/* One connection, to its end. */
static void
read_stream(struct stream *s, const char *const *target)
{
	CURL *curl = curl_easy_init();
	struct curl_slist *headers = NULL;
	char error[CURL_ERROR_SIZE] = "", line[128], url[1024];
	bool is_unix = strncmp(target[0], "unix:", 5) == 0;

	if (curl == NULL)
		abort();
	snprintf(url, sizeof(url), "%s/watch?pool=%s&heartbeat=%d",
	    is_unix ? "http://localhost" : target[0], target[1], BEAT_SECONDS);
	if (s->last_id[0] != '\0') {
		snprintf(line, sizeof(line), "Last-Event-ID: %s", s->last_id);
		headers = curl_slist_append(NULL, line);
	}
	s->len = 0;
	s->heard = time(NULL);
	curl_easy_setopt(curl, CURLOPT_URL, url);
	if (is_unix)
		curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, target[0] + 5);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_bytes);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, s);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, is_silent);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, s);
	curl_easy_perform(curl);
	fprintf(stderr, "follow: %s\n", error[0] != '\0' ? error : "the stream ended");
	curl_slist_free_all(headers);
	curl_easy_cleanup(curl);
	/* An event that was cut off comes whole the next time. */
	free(s->data);
	s->data = NULL;
}

static void *
follow(void *target)
{
	struct stream s = {0};

	for (;;) {
		read_stream(&s, target);
		sleep(AGAIN_SECONDS);
	}
	return NULL;
}

static int
place_of(const struct hrw_membership *pool, const uint32_t *nodes, int count, const char *name)
{
	for (int i = 0; i < count; i++)
		if (strcmp(pool->node[nodes[i]].name, name) == 0)
			return i;
	return -1;
}

/* Has its copies: it is not empty, and still listed. */
static bool
has_copies(const char *name)
{
	char line[300];

	snprintf(line, sizeof(line), "\n%s\n", name);
	return strstr(empty, line) == NULL && hrw_membership_find(present, name) != NULL;
}

/* The nodes to read from: the warm holders, the fallback (warm nodes that do not hold
 * the key now), the cold holders. */
static void
print_read(struct hrw_bytes key, const uint32_t *holder, int count)
{
	uint32_t warm[HRW_COPIES_MAX];
	int found = settled != NULL ? hrw_holders(settled, key, settled->copies, warm) : 0;
	int warm_count = 0;
	char before = '\t';

	for (int i = 0; i < found; i++)
		if (has_copies(settled->node[warm[i]].name))
			warm[warm_count++] = warm[i];
	for (int turn = 0; turn < 2; turn++) {
		for (int i = 0; i < count; i++) {
			const char *name = present->node[holder[i]].name;
			bool is_warm =
			    settled == NULL || place_of(settled, warm, warm_count, name) >= 0;

			if (is_warm == (turn == 0)) {
				printf("%c%s", before, name);
				before = ',';
			}
		}
		for (int i = 0; i < warm_count && turn == 0; i++) {
			const char *name = settled->node[warm[i]].name;

			if (place_of(present, holder, count, name) < 0) {
				printf("%c%s", before, name);
				before = ',';
			}
		}
	}
}

static void
answer(struct hrw_bytes key)
{
	uint32_t holder[HRW_COPIES_MAX];
	int count = HRW_UNKNOWN_POOL;

	fwrite(key.data, 1, key.len, stdout);
	pthread_rwlock_rdlock(&lock);
	if (present != NULL)
		count = hrw_holders(present, key, present->copies, holder);
	if (count < 0)
		printf("\t%s", hrw_error_code(count));
	for (int i = 0; i < count; i++)
		printf("%c%s", i == 0 ? '\t' : ',', present->node[holder[i]].name);
	printf("\t%llu", present_epoch);
	if (count > 0)
		print_read(key, holder, count);
	putchar('\n');
	pthread_rwlock_unlock(&lock);
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	const char *target[] = {argc > 1 ? argv[1] : NULL, argc > 2 ? argv[2] : "default"};
	char *line = NULL;
	pthread_t thread;
	size_t room = 0;
	ssize_t len;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: follow http://HOST:PORT|unix:/PATH [POOL]\n");
		return EXIT_FAILURE;
	}
	curl_global_init(CURL_GLOBAL_DEFAULT);
	if (pthread_create(&thread, NULL, follow, target) != 0)
		return EXIT_FAILURE;
	pthread_mutex_lock(&first_lock);
	while (!has_come)
		pthread_cond_wait(&first_came, &first_lock);
	pthread_mutex_unlock(&first_lock);
	while ((len = getline(&line, &room, stdin)) > 0) {
		len -= line[len - 1] == '\n';
		if (len > 0)
			answer(hrw_bytes(line, (size_t)len));
	}
	free(line);
	/* The other thread reads on until the process ends. */
	_exit(EXIT_SUCCESS);
}
