/*
 * placement_vectors_test.c - published answers, replayed bit for bit.
 *
 * Every file here that has "dialect" lists pools as a configuration file has
 * them, each with keys and their whole answer. A new placement is tested by its
 * file alone: its parameters are read by the placement's own table. One that
 * takes a secret finds it in its file too, under "secrets", by the name that
 * "secret_file" gives.
 */
#include <cjson/cJSON.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/zones.h"
#include "tests/dsl/nodes.h"
#include "tests/dsl/suite.h"

#define FOLDER "tests/vectors"

static const char *
root(void)
{
	const char *folder = getenv("HRW_ROOT");

	return folder != NULL ? folder : ".";
}

/* A whole file as JSON. */
static cJSON *
read_json(const char *name)
{
	char path[4096];
	char *text;
	long len;
	FILE *file;
	cJSON *json;

	snprintf(path, sizeof(path), "%s/" FOLDER "/%s", root(), name);
	file = fopen(path, "rb");
	ck_assert_msg(file != NULL, "%s: cannot be read; set HRW_ROOT", path);
	fseek(file, 0, SEEK_END);
	len = ftell(file);
	rewind(file);
	text = calloc(1, (size_t)len + 1);
	ck_assert_uint_eq(fread(text, 1, (size_t)len, file), (size_t)len);
	fclose(file);
	json = cJSON_Parse(text);
	ck_assert_msg(json != NULL, "%s: is not JSON", path);
	free(text);
	return json;
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

static uint8_t
hex_byte(const char *digits)
{
	const char byte[3] = {digits[0], digits[1], '\0'};

	return (uint8_t)strtoul(byte, NULL, 16);
}

static uint64_t
choice_of(const struct hrw_param *param, const char *text)
{
	uint64_t i = 0;

	while (param->choices[i] != NULL && strcmp(param->choices[i], text) != 0)
		i++;
	ck_assert_msg(param->choices[i] != NULL, "%s: no \"%s\"", param->name, text);
	return i;
}

static void
set_hosts(struct hrw_value *value, const cJSON *list)
{
	const cJSON *item;

	value->host = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof(*value->host));
	cJSON_ArrayForEach (item, list) {
		struct hrw_host *host = &value->host[value->host_count++];

		host->name = strdup(text_of(item, "name"));
		host->has_id = cJSON_HasObjectItem(item, "id");
		host->id = host->has_id ? (int32_t)number_of(item, "id") : 0;
		host->has_weight = cJSON_HasObjectItem(item, "weight");
		host->weight = host->has_weight ? number_of(item, "weight") : 0;
	}
}

static void
set_secret(struct hrw_value *value, const char *name, const cJSON *secrets)
{
	const char *hex = text_of(secrets, name);

	ck_assert_msg(
	    hex != NULL && strlen(hex) == 2 * HRW_SECRET_BYTES, "%s: no such secret", name);
	value->text = strdup(name);
	value->has_secret = true;
	for (size_t i = 0; i < HRW_SECRET_BYTES; i++)
		value->secret[i] = hex_byte(hex + 2 * i);
}

static void
set_param(struct hrw_membership *m, const cJSON *json, const cJSON *secrets)
{
	const struct hrw_param *param = m->placement->params;
	struct hrw_value *value = m->param;
	const cJSON *item;

	for (; param != NULL && param->name != NULL && strcmp(param->name, json->string) != 0;
	     param++)
		value++;
	ck_assert_msg(param != NULL && param->name != NULL, "%s: no parameter of %s", json->string,
	    m->placement->name);
	value->is_given = true;
	switch (param->type) {
	case HRW_PARAM_CHOICE:
		value->number = choice_of(param, json->valuestring);
		break;
	case HRW_PARAM_COUNT:
		value->number = (uint64_t)json->valuedouble;
		break;
	case HRW_PARAM_FLAG:
		value->number = cJSON_IsTrue(json);
		break;
	case HRW_PARAM_TEXT:
		value->text = strdup(json->valuestring);
		break;
	case HRW_PARAM_SET:
		value->number = 0;
		cJSON_ArrayForEach (item, json)
			value->number |= UINT64_C(1) << choice_of(param, item->valuestring);
		break;
	case HRW_PARAM_HOSTS:
		set_hosts(value, json);
		break;
	case HRW_PARAM_SECRET:
		set_secret(value, json->valuestring, secrets);
		break;
	}
}

/* Texts stay the JSON's; slots and tokens are new memory. */
static void
set_field(struct hrw_node *node, const cJSON *json)
{
	const char *name = json->string;
	size_t count = (size_t)cJSON_GetArraySize(json);
	const cJSON *item;

	if (strcmp(name, "name") == 0) {
		node->name = json->valuestring;
	} else if (strcmp(name, "address") == 0) {
		node->address = json->valuestring;
	} else if (strcmp(name, "zone") == 0) {
		node->zone = json->valuestring;
	} else if (strcmp(name, "hash_name") == 0) {
		node->hash_name = json->valuestring;
	} else if (strcmp(name, "weight") == 0) {
		node->weight = json->valuedouble;
	} else if (strcmp(name, "id") == 0) {
		node->id = (int32_t)json->valuedouble;
	} else if (strcmp(name, "state") == 0) {
		node->state = (enum hrw_state)hrw_state_from_name(json->valuestring);
	} else if (strcmp(name, "reweight") == 0) {
		node->has_reweight = true;
		node->reweight = json->valuedouble;
	} else if (strcmp(name, "healthy") == 0) {
		node->is_unhealthy = cJSON_IsFalse(json);
	} else if (strcmp(name, "slots") == 0) {
		node->slots = calloc(count + 1, sizeof(*node->slots));
		cJSON_ArrayForEach (item, json)
			node->slots[node->slot_count++] =
			    (struct hrw_range){(uint32_t)item->child->valuedouble,
				(uint32_t)item->child->next->valuedouble};
	} else if (strcmp(name, "tokens") == 0) {
		node->tokens = calloc(count + 1, sizeof(*node->tokens));
		cJSON_ArrayForEach (item, json)
			node->tokens[node->token_count++] = strtoll(item->valuestring, NULL, 10);
	} else {
		ck_abort_msg("%s: no such field of a node", name);
	}
}

/* The placement of a pool: a name, or an object with the name and parameters. */
static const char *
placement_name(const cJSON *pool)
{
	const cJSON *placement = cJSON_GetObjectItemCaseSensitive(pool, "placement");

	return cJSON_IsObject(placement) ? text_of(placement, "name")
					 : cJSON_GetStringValue(placement);
}

static struct hrw_membership *
pool_of(const cJSON *pool, const cJSON *secrets)
{
	const struct hrw_placement *placement = hrw_placement_find(placement_name(pool));
	const cJSON *nodes_json = cJSON_GetObjectItemCaseSensitive(pool, "nodes"), *item, *field;
	size_t count = (size_t)cJSON_GetArraySize(nodes_json), at = 0;
	struct hrw_node *list;
	struct hrw_membership *m;
	struct hrw_fault fault;

	ck_assert_msg(placement != NULL, "%s: no such placement", placement_name(pool));
	m = hrw_membership_new(placement, (unsigned)number_of(pool, "copies"));
	cJSON_ArrayForEach (item, cJSON_GetObjectItemCaseSensitive(pool, "placement"))
		if (strcmp(item->string, "name") != 0)
			set_param(m, item, secrets);
	list = calloc(count + 1, sizeof(*list));
	cJSON_ArrayForEach (item, nodes_json) {
		list[at] = (struct hrw_node){.weight = 1, .id = HRW_ID_UNSET};
		cJSON_ArrayForEach (field, item)
			set_field(&list[at], field);
		at++;
	}
	if (hrw_membership_add_all(m, list, count, NULL, &at, &fault) < 0)
		ck_abort_msg("node %zu: %s", at, fault.detail);
	for (size_t i = 0; i < count; i++) {
		free(list[i].slots);
		free(list[i].tokens);
	}
	free(list);
	return frozen(m);
}

/* "key", or "key_hex" where the bytes are not text. */
static struct hrw_bytes
key_of(const cJSON *test_case, uint8_t *room, size_t size)
{
	const char *key = text_of(test_case, "key"), *hex = text_of(test_case, "key_hex");
	size_t len;

	if (key != NULL)
		return hrw_text(key);
	len = strlen(hex) / 2;
	ck_assert_uint_le(len, size);
	for (size_t i = 0; i < len; i++)
		room[i] = hex_byte(hex + 2 * i);
	return hrw_bytes(room, len);
}

/* Cases that were replayed, by row of the table of placements. */
static size_t replayed[64];

static size_t
row_of(const struct hrw_placement *placement)
{
	size_t row = 0;

	while (hrw_placements[row] != placement)
		row++;
	ck_assert_uint_lt(row, sizeof(replayed) / sizeof(*replayed));
	return row;
}

static void
replay_pool(const char *file, const cJSON *json, const cJSON *secrets)
{
	struct hrw_membership *m = pool_of(cJSON_GetObjectItemCaseSensitive(json, "pool"), secrets);
	const cJSON *test_case, *name;
	size_t count = 0;

	cJSON_ArrayForEach (test_case, cJSON_GetObjectItemCaseSensitive(json, "cases")) {
		static uint8_t room[HRW_KEY_BYTES_MAX];
		uint32_t holder[HRW_COPIES_MAX];
		const cJSON *owners = cJSON_GetObjectItemCaseSensitive(test_case, "owners");
		struct hrw_bytes key = key_of(test_case, room, sizeof(room));
		int held = hrw_holders(m, key, m->copies, holder), i = 0;

		ck_assert_msg(held == cJSON_GetArraySize(owners), "%s: %s: case %zu: %d holders",
		    file, text_of(json, "name"), count, held);
		cJSON_ArrayForEach (name, owners) {
			ck_assert_msg(strcmp(m->node[holder[i]].name, name->valuestring) == 0,
			    "%s: %s: case %zu: %s where %s belongs", file, text_of(json, "name"),
			    count, m->node[holder[i]].name, name->valuestring);
			i++;
		}
		count++;
	}
	ck_assert_msg(count > 0, "%s: %s: no cases", file, text_of(json, "name"));
	replayed[row_of(m->placement)] += count;
	forget_nodes();
}

/* Those without "dialect" are of plans and states, which tests of their own read. */
static void
replay_file(const char *name)
{
	cJSON *json = read_json(name);
	const cJSON *secrets = cJSON_GetObjectItemCaseSensitive(json, "secrets"), *pool;

	if (text_of(json, "dialect") != NULL)
		cJSON_ArrayForEach (pool, cJSON_GetObjectItemCaseSensitive(json, "pools"))
			replay_pool(name, pool, secrets);
	else
		ck_assert_msg(strcmp(name, "plans.json") == 0 || strcmp(name, "states.json") == 0,
		    "%s: of no dialect, so nothing replays it", name);
	cJSON_Delete(json);
}

/* So many for each row at least: a placement without a file is not tested. */
enum { CASES_MIN = 100 };

START_TEST(every_published_answer_is_given_and_every_placement_has_some)
{
	char path[4096];
	DIR *folder;
	struct dirent *entry;

	snprintf(path, sizeof(path), "%s/" FOLDER, root());
	folder = opendir(path);
	ck_assert_msg(folder != NULL, "%s: cannot be read; set HRW_ROOT", path);
	memset(replayed, 0, sizeof(replayed));
	while ((entry = readdir(folder)) != NULL) {
		size_t len = strlen(entry->d_name);

		if (len >= 5 && strcmp(entry->d_name + len - 5, ".json") == 0)
			replay_file(entry->d_name);
	}
	closedir(folder);
	for (size_t row = 0; hrw_placements[row] != NULL; row++)
		ck_assert_msg(replayed[row_of(hrw_placements[row])] >= CASES_MIN,
		    "%s: %zu cases in " FOLDER ": add a file of its answers",
		    hrw_placements[row]->name, replayed[row]);
}
END_TEST

SUITE(placement_vectors)
{
	tcase_add_test(tests, every_published_answer_is_given_and_every_placement_has_some);
}
