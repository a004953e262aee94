/*
 * JSON: what is taken is found where its pointer says, and once written reads
 * and writes the same. Comments and stored documents by the first byte.
 */
#include <math.h>

#include "daemon/base/json.h"
#include "tests/fuzz/law.h"

/* A number that is not 0, though the nearest double is. */
static bool
is_lost_in_zero(const struct json *j)
{
	struct hrw_bytes source = json_source(j);
	char *text = law_text(source.data, source.len);
	bool is_lost = strtod(text, NULL) == 0 && strcspn(text, "123456789") < strcspn(text, "eE");

	free(text);
	return is_lost;
}

static void
law_of_values(const struct json *j, const struct json *root)
{
	char pointer[256];
	unsigned line, column;
	int64_t integer;
	size_t count = 0;

	json_pointer(j, pointer, sizeof(pointer));
	if (strlen(pointer) < sizeof(pointer) / 2)
		law(json_at(root, pointer) == j);
	json_position(j, &line, &column);
	law(line >= 1 && column >= 1);
	law(json_source(j).len > 0);
	if (json_type(j) == JSON_NUMBER)
		law(isnan(json_number(j)) == is_lost_in_zero(j));
	if (json_integer(j, &integer))
		law(json_type(j) == JSON_NUMBER && (double)integer == json_number(j));
	if (json_text(j) != NULL)
		law(strlen(json_text(j)) == json_bytes(j).len);
	if (json_type(j) == JSON_STRING)
		law(hrw_is_utf8(json_bytes(j)));
	json_each (child, j) {
		law(json_type(j) != JSON_OBJECT || json_get(j, json_name(child)) == child);
		law_of_values(child, root);
		count++;
	}
	law(count == json_count(j));
}

static struct buffer
written(const struct json *root)
{
	struct buffer text = {0};
	struct json_out out = json_out(&text);

	json_put_tree(&out, NULL, root);
	law(!text.failed);
	return text;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct hrw_fault fault = {0};
	struct json *root, *again;
	struct buffer first, second;
	unsigned flags;

	if (len == 0)
		return 0;
	flags = data[0] == '/' ? JSON_COMMENTS : data[0] == '#' ? JSON_STORED : JSON_STRICT;
	root = json_parse(hrw_bytes(data + 1, len - 1), flags, &fault);
	if (root == NULL) {
		law(fault.error == HRW_BAD_JSON || fault.error == HRW_BAD_FIELD);
		law_of_faults((int)fault.error, &fault);
		return 0;
	}
	law_of_values(root, root);
	first = written(root);
	again = json_parse(buffer_bytes(&first), JSON_STRICT, &fault);
	law(again != NULL);
	second = written(again);
	law(hrw_bytes_equal(buffer_bytes(&first), buffer_bytes(&second)));
	buffer_fini(&first);
	buffer_fini(&second);
	json_free(again);
	json_free(root);
	return 0;
}
