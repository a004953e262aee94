/*
 * fingerprint.c - the canonical JSON of a membership, and its hash.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/hash/sha256.h"
#include "daemon/members/fingerprint.h"

/* The shortest digits that read back, tried from one on. Among doubles at a
 * power of two a shorter text may exist that is not the nearest of its length;
 * powers of two in the range of weights are shorter than that. */
void
fingerprint_number(double number, char out[32])
{
	char text[32], digits[20] = {0};
	int count = 0, exponent, point;

	/* Nearly every weight is a small whole number, and stands as it is. */
	if (number >= 0 && number < 1e9 && number == (uint32_t)number) {
		char *end = out + 31, *at = end;
		uint32_t left = (uint32_t)number;

		do
			*--at = (char)('0' + left % 10);
		while ((left /= 10) != 0);
		memmove(out, at, (size_t)(end - at));
		out[end - at] = '\0';
		return;
	}
	for (int precision = 0; precision < 17; precision++) {
		snprintf(text, sizeof(text), "%.*e", precision, number);
		if (strtod(text, NULL) == number)
			break;
	}
	exponent = atoi(strchr(text, 'e') + 1);
	for (const char *at = text; *at != 'e'; at++)
		if (*at >= '0' && *at <= '9')
			digits[count++] = *at;
	while (count > 1 && digits[count - 1] == '0')
		count--;
	if (number < 0)
		*out++ = '-';

	/* ECMA-262, Number::toString: n is where the point stands. */
	point = exponent + 1;
	if (point > 21 || point < -5) {
		snprintf(out, 31, "%c%s%.*se%+d", digits[0], count > 1 ? "." : "", count - 1,
		    digits + 1, exponent);
	} else if (point <= 0) {
		snprintf(out, 31, "0.%.*s%.*s", -point, "00000", count, digits);
	} else if (count <= point) {
		snprintf(out, 31, "%.*s%.*s", count, digits, point - count, "00000000000000000000");
	} else {
		snprintf(out, 31, "%.*s.%.*s", point, digits, count - point, digits + point);
	}
}

static void
put_number(struct buffer *out, double number)
{
	char text[32];

	fingerprint_number(number, text);
	buffer_add_text(out, text);
}

/* RFC 8785, 3.2.2.2. NULL is null. */
static void
put_text(struct buffer *out, const char *text)
{
	static const char shorts[] = "btn\0fr"; /* from 0x08 on */

	if (text == NULL) {
		buffer_add_text(out, "null");
		return;
	}
	buffer_add_text(out, "\"");
	for (;;) {
		const char *from = text;
		unsigned char c;

		while ((unsigned char)*text >= 0x20 && *text != '"' && *text != '\\')
			text++;
		buffer_add(out, from, (size_t)(text - from));
		c = (unsigned char)*text++;
		if (c == '\0')
			break;
		if (c == '"' || c == '\\')
			buffer_printf(out, "\\%c", c);
		else if (c >= 0x08 && c <= 0x0d && shorts[c - 0x08] != '\0')
			buffer_printf(out, "\\%c", shorts[c - 0x08]);
		else
			buffer_printf(out, "\\u%04x", c);
	}
	buffer_add_text(out, "\"");
}

static void
put_set(struct buffer *out, const struct hrw_param *param, const struct hrw_value *value)
{
	const char *comma = "";

	buffer_add_text(out, "[");
	for (size_t i = 0; param->choices[i] != NULL; i++) {
		if ((value->number >> i & 1) == 0)
			continue;
		buffer_add_text(out, comma);
		put_text(out, param->choices[i]);
		comma = ",";
	}
	buffer_add_text(out, "]");
}

static void
put_hosts(struct buffer *out, const struct hrw_value *value)
{
	buffer_add_text(out, "[");
	for (size_t i = 0; i < value->host_count; i++) {
		const struct hrw_host *host = &value->host[i];

		buffer_add_text(out, i > 0 ? ",{" : "{");
		if (host->has_id)
			buffer_printf(out, "\"id\":%d,", host->id);
		buffer_add_text(out, "\"name\":");
		put_text(out, host->name);
		if (host->has_weight) {
			buffer_add_text(out, ",\"weight\":");
			put_number(out, host->weight);
		}
		buffer_add_text(out, "}");
	}
	buffer_add_text(out, "]");
}

/* By its hash: what a secret is stays unknown to whoever sees it compared. */
static void
put_secret(struct buffer *out, const struct hrw_value *value)
{
	uint8_t hash[HRW_SHA256_BYTES];

	hrw_sha256(hrw_bytes(value->secret, sizeof(value->secret)), hash);
	buffer_add_text(out, "\"");
	for (size_t i = 0; i < sizeof(hash); i++)
		buffer_printf(out, "%02x", hash[i]);
	buffer_add_text(out, "\"");
}

static void
put_value(struct buffer *out, const struct hrw_param *param, const struct hrw_value *value)
{
	switch (param->type) {
	case HRW_PARAM_CHOICE:
		put_text(out, param->choices[value->number]);
		break;
	case HRW_PARAM_COUNT:
		put_number(out, (double)value->number);
		break;
	case HRW_PARAM_FLAG:
		buffer_add_text(out, value->number != 0 ? "true" : "false");
		break;
	case HRW_PARAM_SET:
		put_set(out, param, value);
		break;
	case HRW_PARAM_HOSTS:
		put_hosts(out, value);
		break;
	case HRW_PARAM_SECRET:
		put_secret(out, value);
		break;
	case HRW_PARAM_TEXT:
		put_text(out, value->text);
		break;
	}
}

/* The name stands among the parameters, in order. */
struct entry {
	const char *name;
	const struct hrw_param *param; /* NULL: the placement's name */
	const struct hrw_value *value;
};

static int
entry_cmp(const void *left, const void *right)
{
	return strcmp(((const struct entry *)left)->name, ((const struct entry *)right)->name);
}

static void
put_placement(struct buffer *out, const struct hrw_membership *m)
{
	const struct hrw_param *param = m->placement->params;
	struct entry entry[HRW_PARAMS_MAX + 1] = {{"name", NULL, NULL}};
	size_t count = 1;

	for (size_t i = 0; param != NULL && param[i].name != NULL; i++)
		entry[count++] = (struct entry){param[i].name, &param[i], &m->param[i]};
	qsort(entry, count, sizeof(*entry), entry_cmp);
	for (size_t i = 0; i < count; i++) {
		buffer_add_text(out, i == 0 ? "{" : ",");
		put_text(out, entry[i].name);
		buffer_add_text(out, ":");
		if (entry[i].param == NULL)
			put_text(out, m->placement->name);
		else
			put_value(out, entry[i].param, entry[i].value);
	}
	buffer_add_text(out, "}");
}

static void
put_slots(struct buffer *out, const struct hrw_node *node)
{
	for (size_t i = 0; i < node->slot_count; i++)
		buffer_printf(
		    out, "%s[%u,%u]", i > 0 ? "," : "", node->slots[i].first, node->slots[i].last);
}

static void
put_tokens(struct buffer *out, const struct hrw_node *node)
{
	for (size_t i = 0; i < node->token_count; i++)
		buffer_printf(out, "%s\"%lld\"", i > 0 ? "," : "", (long long)node->tokens[i]);
}

/* Members stand in order of names, all of them ASCII. */
static void
put_node(struct buffer *out, const struct hrw_placement *placement, const struct hrw_node *node)
{
	buffer_add_text(out, "{\"address\":");
	put_text(out, node->address);
	/* Where it says what the name or the address says, it says nothing. */
	if (!hrw_node_hashes_default(node, placement->hashed)) {
		buffer_add_text(out, ",\"hash_name\":");
		put_text(out, node->hash_name);
	}
	if ((placement->traits & HRW_HEALTH) != 0)
		buffer_printf(out, ",\"healthy\":%s", node->is_unhealthy ? "false" : "true");
	if ((placement->traits & HRW_BY_ID) != 0)
		buffer_printf(out, ",\"id\":%d", node->id);
	buffer_add_text(out, ",\"name\":");
	put_text(out, node->name);
	if ((placement->traits & HRW_REWEIGHT) != 0) {
		buffer_add_text(out, ",\"reweight\":");
		put_number(out, node->has_reweight ? node->reweight : 1);
	}
	if ((placement->traits & HRW_SLOTS) != 0) {
		buffer_add_text(out, ",\"slots\":[");
		put_slots(out, node);
		buffer_add_text(out, "]");
	}
	buffer_add_text(out, ",\"state\":");
	put_text(out, hrw_state_name(node->state));
	if ((placement->traits & HRW_TOKENS) != 0) {
		buffer_add_text(out, ",\"tokens\":[");
		put_tokens(out, node);
		buffer_add_text(out, "]");
	}
	buffer_add_text(out, ",\"weight\":");
	put_number(out, node->weight);
	buffer_add_text(out, ",\"zone\":");
	put_text(out, node->zone);
	buffer_add_text(out, "}");
}

void
fingerprint_text(const struct hrw_membership *m, struct buffer *out)
{
	buffer_printf(out, "{\"copies\":%u,\"nodes\":[", m->copies);
	for (size_t i = 0; i < m->count; i++) {
		if (i > 0)
			buffer_add_text(out, ",");
		put_node(out, m->placement, &m->node[i]);
	}
	buffer_add_text(out, "],\"placement\":");
	put_placement(out, m);
	buffer_add_text(out, "}");
}

int
fingerprint_of(const struct hrw_membership *m, char out[POOL_FINGERPRINT + 1])
{
	struct buffer text = {0};
	uint8_t hash[HRW_SHA256_BYTES];
	int rc = HRW_INTERNAL;

	fingerprint_text(m, &text);
	if (!text.failed) {
		hrw_sha256(buffer_bytes(&text), hash);
		for (size_t i = 0; i < POOL_FINGERPRINT / 2; i++)
			snprintf(out + 2 * i, 3, "%02x", hash[i]);
		rc = 0;
	}
	buffer_fini(&text);
	return rc;
}
