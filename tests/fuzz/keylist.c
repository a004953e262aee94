/*
 * Key lists in their three forms: however the bytes are split, the keys and the
 * refusal are those of the whole.
 *
 * The first byte is the form (t, j or another), the second what the splits are
 * rolled from.
 */
#include "daemon/http/keylist.h"
#include "daemon/base/buffer.h"
#include "tests/dsl/dice.h"
#include "tests/fuzz/law.h"

enum { KEY_BYTES = 24 };

struct reading {
	struct buffer keys; /* each with its length before it */
	int status;
	struct hrw_fault fault;
};

static int
each(void *arg, struct hrw_bytes key)
{
	struct reading *r = arg;

	law(key.len >= 1 && key.len <= KEY_BYTES);
	buffer_add(&r->keys, &key.len, sizeof(key.len));
	buffer_add(&r->keys, key.data, key.len);
	return 0;
}

/* Feeds in pieces of at most `most` bytes, each in memory of its own. */
static struct reading
read_list(enum keylist_form form, const uint8_t *data, size_t len, struct dice *d, uint32_t most)
{
	struct reading r = {0};
	struct keylist *list = keylist_new(form, KEY_BYTES, each, &r);

	law(list != NULL);
	while (len > 0 && r.status == 0) {
		size_t piece_len = most == 0 ? len : 1 + dice_below(d, most);
		uint8_t *piece;

		if (piece_len > len)
			piece_len = len;
		piece = malloc(piece_len);
		memcpy(piece, data, piece_len);
		r.status = keylist_feed(list, hrw_bytes(piece, piece_len), &r.fault);
		free(piece);
		data += piece_len;
		len -= piece_len;
	}
	if (r.status == 0)
		r.status = keylist_end(list, &r.fault);
	keylist_free(list);
	law_of_faults(r.status, &r.fault);
	return r;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const uint32_t most[] = {1, 3, 40};
	struct reading whole;
	struct dice d;
	enum keylist_form form;

	if (len < 2)
		return 0;
	form = data[0] == 't' ? KEYLIST_TEXT : data[0] == 'j' ? KEYLIST_JSON : KEYLIST_NDJSON;
	d.state = data[1];
	whole = read_list(form, data + 2, len - 2, &d, 0);
	for (size_t i = 0; i < sizeof(most) / sizeof(*most); i++) {
		struct reading r = read_list(form, data + 2, len - 2, &d, most[i]);

		law(r.status == whole.status);
		law(hrw_bytes_equal(buffer_bytes(&r.keys), buffer_bytes(&whole.keys)));
		law(strcmp(r.fault.detail, whole.fault.detail) == 0);
		law(strcmp(r.fault.field, whole.fault.field) == 0);
		buffer_fini(&r.keys);
	}
	buffer_fini(&whole.keys);
	return 0;
}
