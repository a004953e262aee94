/*
 * json_out.c - writes JSON into a buffer.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "daemon/base/json.h"

struct json_out
json_out(struct buffer *to)
{
	return (struct json_out){.to = to, .is_first = true};
}

/* Do the eight bytes of a word stand in a string as they are? A byte below 0x20,
 * or equal to one that is escaped, borrows from its top bit when 0x20, or 1, is
 * taken away. Source: Alan Mycroft's test for a zero byte, 1987. */
static bool
is_plain(uint64_t word)
{
	static const uint64_t each = 0x0101010101010101u;
	uint64_t quotes, slashes;

	quotes = word ^ each * '"';
	slashes = word ^ each * '\\';
	return ((word | (word - each * 0x20) | (quotes - each) | (slashes - each)) & each * 0x80) ==
	       0;
}

/* How many bytes at the beginning stand in a string as they are. */
static size_t
plain_prefix(struct hrw_bytes text)
{
	size_t at = 0;
	uint64_t word;
	uint32_t half[2];

	for (; text.len - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, text.data + at, sizeof(word));
		if (!is_plain(word))
			break;
	}
	/* Most of what is left, and most names, have four to seven bytes. */
	if (text.len - at >= sizeof(half[0]) && text.len - at < sizeof(word)) {
		memcpy(&half[0], text.data + at, sizeof(half[0]));
		memcpy(&half[1], text.data + text.len - sizeof(half[1]), sizeof(half[1]));
		if (is_plain((uint64_t)half[0] << 32 | half[1]))
			return text.len;
	}
	while (at < text.len && text.data[at] >= 0x20 && text.data[at] < 0x80 &&
	       text.data[at] != '"' && text.data[at] != '\\')
		at++;
	return at;
}

static void
escape(struct buffer *to, uint8_t byte)
{
	if (byte == '\n')
		buffer_add_text(to, "\\n");
	else if (byte == '\r')
		buffer_add_text(to, "\\r");
	else if (byte == '\t')
		buffer_add_text(to, "\\t");
	else if (byte < 0x20)
		buffer_printf(to, "\\u%04x", byte);
	else
		buffer_printf(to, "\\%c", byte);
}

/* What a string holds from its first byte that does not stand there as it is.
 * Where it is not UTF-8 after all, U+FFFD stands for each byte that is not: the
 * document stays one. */
static void
quote_rest(struct buffer *to, struct hrw_bytes text)
{
	while (text.len > 0) {
		size_t good = hrw_utf8_prefix(text), from = 0;

		for (size_t i = 0; i < good; i++) {
			uint8_t byte = text.data[i];

			if (byte >= 0x20 && byte != '"' && byte != '\\')
				continue;
			buffer_add(to, text.data + from, i - from);
			from = i + 1;
			escape(to, byte);
		}
		buffer_add(to, text.data + from, good - from);
		if (good < text.len) {
			buffer_add_text(to, "\xef\xbf\xbd");
			good++;
		}
		text = hrw_bytes(text.data + good, text.len - good);
	}
}

/* Nearly always all of it is plain. */
void
json_quote(struct buffer *to, struct hrw_bytes text)
{
	size_t plain = plain_prefix(text);

	buffer_add(to, "\"", 1);
	buffer_add(to, text.data, plain);
	if (plain < text.len)
		quote_rest(to, hrw_bytes(text.data + plain, text.len - plain));
	buffer_add(to, "\"", 1);
}

/* What comes before a value: a comma, a name. */
static void
lead(struct json_out *o, const char *name)
{
	if (!o->is_first)
		buffer_add_text(o->to, ",");
	o->is_first = false;
	if (name != NULL) {
		json_quote(o->to, hrw_text(name));
		buffer_add_text(o->to, ":");
	}
}

static void
open_container(struct json_out *o, const char *name, const char *bracket)
{
	lead(o, name);
	buffer_add_text(o->to, bracket);
	o->is_first = true;
}

static void
close_container(struct json_out *o, const char *bracket)
{
	buffer_add_text(o->to, bracket);
	o->is_first = false;
}

void
json_open_object(struct json_out *o, const char *name)
{
	open_container(o, name, "{");
}

void
json_close_object(struct json_out *o)
{
	close_container(o, "}");
}

void
json_open_array(struct json_out *o, const char *name)
{
	open_container(o, name, "[");
}

void
json_close_array(struct json_out *o)
{
	close_container(o, "]");
}

void
json_put_text(struct json_out *o, const char *name, const char *text)
{
	if (text == NULL)
		json_put_null(o, name);
	else
		json_put_bytes(o, name, hrw_text(text));
}

void
json_put_bytes(struct json_out *o, const char *name, struct hrw_bytes utf8)
{
	lead(o, name);
	json_quote(o->to, utf8);
}

/* The digits of a number, written backwards from `end`; returns the first. printf's
 * machinery is not free: every answer has an epoch, every node a weight. */
static char *
digits_before(char *end, uint64_t number)
{
	do
		*--end = (char)('0' + number % 10);
	while ((number /= 10) != 0);
	return end;
}

/* 15 digits always survive the way to a double, 17 bring every double back
 * (IEEE 754): the first of them that does is taken. */
void
json_put_number(struct json_out *o, const char *name, double number)
{
	char text[32];

	if (!isfinite(number)) {
		json_put_null(o, name);
		return;
	}
	/* Whole numbers of up to 15 digits stand as they are; -0 keeps its sign. */
	if (!signbit(number) && number < 1e15 && number == (double)(uint64_t)number) {
		json_put_count(o, name, (uint64_t)number);
		return;
	}
	lead(o, name);
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	buffer_add_text(o->to, text);
}

void
json_put_int(struct json_out *o, const char *name, int64_t number)
{
	char text[20], *end = text + sizeof(text), *at;

	at = digits_before(end, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
	if (number < 0)
		*--at = '-';
	lead(o, name);
	buffer_add(o->to, at, (size_t)(end - at));
}

void
json_put_count(struct json_out *o, const char *name, uint64_t number)
{
	char text[20], *end = text + sizeof(text), *at = digits_before(end, number);

	lead(o, name);
	buffer_add(o->to, at, (size_t)(end - at));
}

void
json_put_count_or_null(struct json_out *o, const char *name, uint64_t number)
{
	if (number == 0)
		json_put_null(o, name);
	else
		json_put_count(o, name, number);
}

void
json_put_bool(struct json_out *o, const char *name, bool is_true)
{
	lead(o, name);
	buffer_add_text(o->to, is_true ? "true" : "false");
}

void
json_put_null(struct json_out *o, const char *name)
{
	lead(o, name);
	buffer_add_text(o->to, "null");
}

void
json_put_raw(struct json_out *o, const char *name, struct hrw_bytes json)
{
	lead(o, name);
	buffer_add(o->to, json.data, json.len);
}

/* RFC 4648, the standard alphabet with padding. */
static void
put_base64(struct json_out *o, const char *name, struct hrw_bytes bytes)
{
	static const char digit[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	lead(o, name);
	buffer_add_text(o->to, "\"");
	for (size_t i = 0; i < bytes.len; i += 3) {
		size_t left = bytes.len - i;
		uint32_t bits = (uint32_t)bytes.data[i] << 16;
		char group[4];

		if (left > 1)
			bits |= (uint32_t)bytes.data[i + 1] << 8;
		if (left > 2)
			bits |= bytes.data[i + 2];
		group[0] = digit[bits >> 18];
		group[1] = digit[(bits >> 12) & 63];
		group[2] = left > 1 ? digit[(bits >> 6) & 63] : '=';
		group[3] = left > 2 ? digit[bits & 63] : '=';
		buffer_add(o->to, group, sizeof(group));
	}
	buffer_add_text(o->to, "\"");
}

void
json_put_key(struct json_out *o, struct hrw_bytes key)
{
	if (hrw_is_utf8(key))
		json_put_bytes(o, "key", key);
	else
		put_base64(o, "key_base64", key);
}

void
json_put_key_element(struct json_out *o, struct hrw_bytes key)
{
	if (hrw_is_utf8(key)) {
		json_put_bytes(o, NULL, key);
		return;
	}
	json_open_object(o, NULL);
	put_base64(o, "key_base64", key);
	json_close_object(o);
}

/* Recursion is bounded by JSON_DEPTH_MAX. A number stays as it was written. */
void
json_put_tree(struct json_out *o, const char *name, const struct json *j)
{
	switch (json_type(j)) {
	case JSON_ARRAY:
		json_open_array(o, name);
		json_each (child, j)
			json_put_tree(o, NULL, child);
		json_close_array(o);
		break;
	case JSON_OBJECT:
		json_open_object(o, name);
		json_each (child, j)
			json_put_tree(o, json_name(child), child);
		json_close_object(o);
		break;
	case JSON_STRING:
		json_put_bytes(o, name, json_bytes(j));
		break;
	case JSON_NULL:
	case JSON_BOOL:
	case JSON_NUMBER:
		json_put_raw(o, name, json_source(j));
		break;
	}
}

/* The last digits of a number, as many as there is room for. */
static void
fill_digits(char *out, int count, int number)
{
	while (count-- > 0) {
		out[count] = (char)('0' + number % 10);
		number /= 10;
	}
}

/* Every node has a time, and strftime would be a fifth of writing it. */
const char *
json_time(int64_t unix_ms, char out[JSON_TIME])
{
	time_t seconds = (time_t)(unix_ms / 1000);
	int ms = (int)(unix_ms % 1000);
	struct tm utc;

	if (ms < 0) {
		ms += 1000;
		seconds--;
	}
	gmtime_r(&seconds, &utc);
	if (utc.tm_year < -1900 || utc.tm_year > 9999 - 1900) {
		strftime(out, JSON_TIME, "%Y-%m-%dT%H:%M:%SZ", &utc);
		return out;
	}
	memcpy(out, "0000-00-00T00:00:00.000Z", sizeof("0000-00-00T00:00:00.000Z"));
	fill_digits(out, 4, utc.tm_year + 1900);
	fill_digits(out + 5, 2, utc.tm_mon + 1);
	fill_digits(out + 8, 2, utc.tm_mday);
	fill_digits(out + 11, 2, utc.tm_hour);
	fill_digits(out + 14, 2, utc.tm_min);
	fill_digits(out + 17, 2, utc.tm_sec);
	fill_digits(out + 20, 3, ms);
	return out;
}

void
json_put_time(struct json_out *o, const char *name, int64_t unix_ms)
{
	char text[JSON_TIME];

	json_put_text(o, name, json_time(unix_ms, text));
}
