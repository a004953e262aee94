/*
 * The request target: what was taken apart, encoded byte by byte and put together
 * again, is taken apart the same.
 */
#include "daemon/http/target.h"
#include "daemon/base/buffer.h"
#include "tests/fuzz/law.h"

enum { PARAMETERS = 8 };

static void
encode(struct buffer *out, struct hrw_bytes bytes)
{
	for (size_t i = 0; i < bytes.len; i++)
		buffer_printf(out, "%%%02X", bytes.data[i]);
}

/* Behind /v1, which is no segment and keeps the next from being taken for it. */
static void
write_again(const struct target *t, struct buffer *out)
{
	if (t->authority.data != NULL) {
		buffer_add_text(out, "http://");
		buffer_add(out, t->authority.data, t->authority.len);
	}
	buffer_add_text(out, "/v1");
	for (size_t i = 0; i < t->segment_count; i++) {
		buffer_add_text(out, "/");
		encode(out, t->segment[i]);
	}
	for (size_t i = 0; i < t->parameter_count; i++) {
		buffer_add_text(out, i == 0 ? "?" : "&");
		encode(out, t->parameter[i].name);
		if (t->parameter[i].has_value)
			buffer_add_text(out, "=");
		encode(out, t->parameter[i].value);
	}
}

static void
law_of_sameness(const struct target *a, const struct target *b)
{
	law(hrw_bytes_equal(a->authority, b->authority));
	law(a->segment_count == b->segment_count);
	for (size_t i = 0; i < a->segment_count; i++)
		law(hrw_bytes_equal(a->segment[i], b->segment[i]));
	law(a->parameter_count == b->parameter_count);
	for (size_t i = 0; i < a->parameter_count; i++) {
		const struct target_parameter *p = &a->parameter[i], *q = &b->parameter[i];

		law(hrw_bytes_equal(p->name, q->name));
		law(hrw_bytes_equal(p->value, q->value));
		law(p->has_value == q->has_value);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct target_parameter room[PARAMETERS], room_again[PARAMETERS];
	struct target t = {.parameter = room, .parameter_max = PARAMETERS};
	struct target again = {.parameter = room_again, .parameter_max = PARAMETERS};
	struct hrw_fault fault = {0};
	struct buffer written = {0};
	char *text = malloc(len); /* no byte behind it */
	int rc;

	if (len > 0)
		memcpy(text, data, len);
	rc = target_parse(text, len, &t, &fault);
	law_of_faults(rc, &fault);
	if (rc == 0) {
		law(t.segment_count >= 1 && t.segment_count <= TARGET_SEGMENTS_MAX);
		/* A name of no bytes ("=x") is refused or kept, never lost. */
		law(t.parameter_count <= PARAMETERS);
		write_again(&t, &written);
		law(!written.failed);
		law(target_parse(written.data, written.len, &again, &fault) == 0);
		law_of_sameness(&t, &again);
		law_of_faults(target_only(&t, "key copies pool", &fault), &fault);
	}
	buffer_fini(&written);
	free(text);
	return 0;
}
