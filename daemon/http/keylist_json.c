/*
 * keylist_json.c - JSON to the letter (RFC 8259), as daemon/base/json.c holds it, but
 * never a tree: a list of millions is read in the room of one key.
 */
#include <stdio.h>

#include "daemon/http/keylist_private.h"

static int
bad_json(const struct keylist *list, const char *what, struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_BAD_JSON, "line %llu, column %llu: %s",
	    (unsigned long long)list->line, (unsigned long long)list->column, what);
}

/* One character of base64: RFC 4648 with padding, no stray bits. */
static int
take_base64(struct keylist *list, uint8_t c, struct hrw_fault *fault)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *digit = c == '\0' ? NULL : strchr(digits, c);
	unsigned place = list->base64_chars++ % 4;
	uint8_t byte;

	if (c == '=' && place >= 2) {
		list->base64_pads++;
		list->base64_bits <<= 6;
	} else if (digit != NULL && list->base64_pads == 0) {
		list->base64_bits = list->base64_bits << 6 | (unsigned)(digit - digits);
	} else {
		return keylist_bad_item(list, HRW_BAD_KEY,
		    "key_base64 is not base64 (RFC 4648, with its padding)", fault);
	}
	if (place == 0 || (c == '=' && list->base64_pads > 0))
		return 0;
	byte = (uint8_t)(list->base64_bits >> (6 - 2 * place));
	return keylist_keep(list, &byte, 1, fault);
}

/* The end of base64: whole groups, and nothing in the bits that padding leaves. */
static int
end_base64(struct keylist *list, struct hrw_fault *fault)
{
	unsigned left = list->base64_pads == 1 ? 0xff : list->base64_pads == 2 ? 0xffff : 0;

	if (list->base64_chars % 4 != 0 || list->base64_pads > 2 || (list->base64_bits & left) != 0)
		return keylist_bad_item(list, HRW_BAD_KEY,
		    "key_base64 is not base64 (RFC 4648, with its padding)", fault);
	return 0;
}

/* One byte of the string being read, unescaped. */
static int
take(struct keylist *list, uint8_t byte, struct hrw_fault *fault)
{
	switch (list->purpose) {
	case FOR_ELEMENT:
	case FOR_KEY:
		return keylist_keep(list, &byte, 1, fault);
	case FOR_BASE64:
		return take_base64(list, byte, fault);
	case FOR_NAME:
		/* What is longer than any name known is told by its beginning. */
		if (list->name_len < KEYLIST_NAME_MAX)
			list->name[list->name_len++] = (char)byte;
		return 0;
	case FOR_ANSWER:
	case FOR_ANSWER_ITEM:
		return 0;
	}
	return 0;
}

/* A code point, as UTF-8. */
static int
take_code(struct keylist *list, unsigned code, struct hrw_fault *fault)
{
	uint8_t out[4];
	size_t len = 0;
	int rc = 0;

	if (code < 0x80) {
		out[len++] = (uint8_t)code;
	} else if (code < 0x800) {
		out[len++] = (uint8_t)(0xc0 | code >> 6);
	} else if (code < 0x10000) {
		out[len++] = (uint8_t)(0xe0 | code >> 12);
		out[len++] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
	} else {
		out[len++] = (uint8_t)(0xf0 | code >> 18);
		out[len++] = (uint8_t)(0x80 | (code >> 12 & 0x3f));
		out[len++] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
	}
	if (code >= 0x80)
		out[len++] = (uint8_t)(0x80 | (code & 0x3f));
	for (size_t i = 0; rc == 0 && i < len; i++)
		rc = take(list, out[i], fault);
	return rc;
}

static int
is_name(const struct keylist *list, const char *name)
{
	return list->name_len == strlen(name) && memcmp(list->name, name, list->name_len) == 0;
}

/* Members that our own answers have beside a key: a list of them can be sent back
 * as it is, and only the keys are read. */
static bool
is_of_answer(const struct keylist *list)
{
	static const char *const names[] = {"owner", "replicas", "lost", "gained", "from"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (is_name(list, names[i]))
			return true;
	return false;
}

/* The name of a member is there: what its value is for. */
static int
end_name(struct keylist *list, struct hrw_fault *fault)
{
	char what[128];

	list->state = AT_COLON;
	if (is_of_answer(list)) {
		list->purpose = FOR_ANSWER;
		return 0;
	}
	list->purpose = is_name(list, "key_base64") ? FOR_BASE64 : FOR_KEY;
	if (list->purpose == FOR_KEY && !is_name(list, "key")) {
		snprintf(what, sizeof(what),
		    "no field is \"%.*s\"; a key is a string, {\"key\":…} or {\"key_base64\":…}",
		    (int)list->name_len, list->name);
		return keylist_bad_item(list, HRW_BAD_FIELD, what, fault);
	}
	if (list->has_key)
		return keylist_bad_item(list, HRW_BAD_FIELD,
		    "a key is given twice; it has either \"key\" or \"key_base64\"", fault);
	return 0;
}

/* The closing quote. */
static int
end_string(struct keylist *list, struct hrw_fault *fault)
{
	switch (list->purpose) {
	case FOR_ELEMENT:
		list->state = AFTER_ELEMENT;
		return keylist_give(list, hrw_bytes(list->key, list->len), fault);
	case FOR_NAME:
		return end_name(list, fault);
	case FOR_BASE64:
		list->state = AFTER_VALUE;
		return end_base64(list, fault);
	case FOR_KEY:
	case FOR_ANSWER:
		list->state = AFTER_VALUE;
		return 0;
	case FOR_ANSWER_ITEM:
		list->state = AFTER_ANSWER_ITEM;
		return 0;
	}
	return 0;
}

static int
in_string(struct keylist *list, uint8_t c, struct hrw_fault *fault)
{
	if (list->utf8_more > 0) {
		if (c < list->utf8_low || c > list->utf8_high)
			return bad_json(
			    list, "the text is not UTF-8; send the key as key_base64", fault);
		list->utf8_more--;
		list->utf8_low = 0x80;
		list->utf8_high = 0xbf;
		return take(list, c, fault);
	}
	if (c == '"')
		return end_string(list, fault);
	if (c == '\\') {
		list->state = IN_ESCAPE;
		return 0;
	}
	if (c < 0x20)
		return bad_json(list,
		    "a control character in a string; write it \\u00XX, and end the string "
		    "with \"",
		    fault);
	if (c >= 0x80) {
		if (c < 0xc2 || c > 0xf4)
			return bad_json(
			    list, "the text is not UTF-8; send the key as key_base64", fault);
		list->utf8_more = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
		/* No overlong forms, no surrogates, nothing past U+10FFFF. */
		list->utf8_low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
		list->utf8_high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
	}
	return take(list, c, fault);
}

static int
in_escape(struct keylist *list, uint8_t c, struct hrw_fault *fault)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *found = c == '\0' ? NULL : strchr(from, c);

	if (c == 'u') {
		list->state = IN_HEX;
		list->hex_digits = list->code = 0;
		return 0;
	}
	if (found == NULL)
		return bad_json(list, "no such escape in a string", fault);
	list->state = IN_STRING;
	return take(list, (uint8_t)to[found - from], fault);
}

static int
in_hex(struct keylist *list, uint8_t c, struct hrw_fault *fault)
{
	unsigned digit, code;

	if (c >= '0' && c <= '9')
		digit = c - '0';
	else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
		digit = (c | 0x20) - 'a' + 10;
	else
		return bad_json(list, "\\u is followed by four hexadecimal digits", fault);
	list->code = list->code * 16 + digit;
	if (++list->hex_digits < 4)
		return 0;
	code = list->code;
	list->state = IN_STRING;
	if (list->high_half != 0) {
		if (code < 0xdc00 || code > 0xdfff)
			return bad_json(list, "half a surrogate pair", fault);
		code = 0x10000 + ((list->high_half - 0xd800) << 10) + (code - 0xdc00);
		list->high_half = 0;
	} else if (code >= 0xd800 && code <= 0xdbff) {
		list->high_half = code;
		list->state = AT_LOW_BACKSLASH;
		return 0;
	} else if (code >= 0xdc00 && code <= 0xdfff) {
		return bad_json(list, "half a surrogate pair", fault);
	}
	return take_code(list, code, fault);
}

static void
start_string(struct keylist *list, enum keylist_purpose purpose)
{
	list->state = IN_STRING;
	list->purpose = purpose;
	if (purpose == FOR_NAME)
		list->name_len = 0;
	if (purpose != FOR_ELEMENT && purpose != FOR_KEY && purpose != FOR_BASE64)
		return; /* a key that was read stays */
	list->base64_bits = list->base64_chars = list->base64_pads = 0;
	list->len = 0;
}

/* A value where a key must stand; `c` is its first byte. */
static int
not_a_key(const struct keylist *list, uint8_t c, struct hrw_fault *fault)
{
	const char *kind = c == '['				? "an array"
			   : c == '{'				? "an object"
			   : c == 't' || c == 'f'		? "a boolean"
			   : c == 'n'				? "null"
			   : c == '-' || (c >= '0' && c <= '9') ? "a number"
								: NULL;
	char what[128];

	if (kind == NULL)
		return bad_json(list, "a key must stand here, as a string", fault);
	snprintf(what, sizeof(what),
	    "it is %s; a key is a string, {\"key\":…} or {\"key_base64\":…}", kind);
	return keylist_bad_item(list, HRW_BAD_KEY, what, fault);
}

static int
at_element(struct keylist *list, uint8_t c, struct hrw_fault *fault)
{
	if (c == '"') {
		start_string(list, FOR_ELEMENT);
	} else if (c == '{') {
		list->state = AT_FIRST_MEMBER;
		list->has_key = false;
	} else if (c == ']' && list->state == AT_FIRST) {
		list->state = AFTER_ARRAY;
	} else {
		return not_a_key(list, c, fault);
	}
	return 0;
}

static int
no_key(const struct keylist *list, struct hrw_fault *fault)
{
	return keylist_bad_item(
	    list, HRW_BAD_FIELD, "it has neither \"key\" nor \"key_base64\"", fault);
}

/* The value of a member that an answer had: a name, names, or null. */
static int
in_answer(struct keylist *list, uint8_t c, struct hrw_fault *fault)
{
	switch (list->state) {
	case IN_NULL:
		if (c != (uint8_t) "null"[list->null_len])
			break;
		if (++list->null_len == 4)
			list->state = AFTER_VALUE;
		return 0;
	case AT_ANSWER:
		if (c == 'n') {
			list->state = IN_NULL;
			list->null_len = 1;
			return 0;
		}
		if (c == '[') {
			list->state = AT_ANSWER_FIRST;
			return 0;
		}
		if (c != '"')
			break;
		start_string(list, FOR_ANSWER);
		return 0;
	case AFTER_ANSWER_ITEM:
		if (c != ',' && c != ']')
			break;
		list->state = c == ',' ? AT_ANSWER_ITEM : AFTER_VALUE;
		return 0;
	default:
		if (c == ']' && list->state == AT_ANSWER_FIRST) {
			list->state = AFTER_VALUE;
			return 0;
		}
		if (c != '"')
			break;
		start_string(list, FOR_ANSWER_ITEM);
		return 0;
	}
	return bad_json(list, "a name, an array of names or null must stand here", fault);
}

static int
in_object(struct keylist *list, uint8_t c, struct hrw_fault *fault)
{
	switch (list->state) {
	case AT_FIRST_MEMBER:
	case AT_MEMBER:
		if (c == '}' && list->state == AT_FIRST_MEMBER)
			return no_key(list, fault);
		if (c != '"')
			return bad_json(list, "the name of a field must stand here", fault);
		start_string(list, FOR_NAME);
		return 0;
	case AT_COLON:
		if (c != ':')
			return bad_json(list, "a : must stand here", fault);
		list->state = list->purpose == FOR_ANSWER ? AT_ANSWER : AT_VALUE;
		return 0;
	case AT_VALUE:
		if (c != '"')
			return not_a_key(list, c, fault);
		list->has_key = true;
		start_string(list, list->purpose);
		return 0;
	default:
		if (c == ',') {
			list->state = AT_MEMBER;
			return 0;
		}
		if (c != '}')
			return bad_json(list, "a , or } must stand here", fault);
		if (!list->has_key)
			return no_key(list, fault);
		list->state = AFTER_ELEMENT;
		return keylist_give(list, hrw_bytes(list->key, list->len), fault);
	}
}

/* A byte outside of strings that is no white space. */
static int
take_mark(struct keylist *list, uint8_t c, struct hrw_fault *fault)
{
	switch (list->state) {
	case AT_ARRAY:
		if (c == '[') {
			list->state = AT_FIRST;
			return 0;
		}
		if (c == '{' || c == '"')
			return hrw_fault(fault, HRW_BAD_FIELD,
			    "the body is %s, not an array of keys: [\"photo-7\", …]",
			    c == '{' ? "an object" : "a string");
		return bad_json(list, "an array of keys must stand here", fault);
	case AT_FIRST:
	case AT_ELEMENT:
		return at_element(list, c, fault);
	case AFTER_ELEMENT:
		if (list->form == KEYLIST_JSON && (c == ',' || c == ']')) {
			list->state = c == ',' ? AT_ELEMENT : AFTER_ARRAY;
			return 0;
		}
		return bad_json(list,
		    list->form == KEYLIST_JSON ? "a , or ] must stand here"
					       : "the line goes on after its key",
		    fault);
	case AFTER_ARRAY:
		return bad_json(list, "the body goes on after the array", fault);
	case AT_ANSWER:
	case AT_ANSWER_FIRST:
	case AT_ANSWER_ITEM:
	case AFTER_ANSWER_ITEM:
	case IN_NULL:
		return in_answer(list, c, fault);
	default:
		return in_object(list, c, fault);
	}
}

/* The LF that ends a line of NDJSON. */
static int
end_line(struct keylist *list, struct hrw_fault *fault)
{
	if (list->state == AT_ELEMENT)
		return bad_json(list, "the line is empty; each holds one key", fault);
	if (list->state != AFTER_ELEMENT)
		return bad_json(list, "the line ends within its key", fault);
	list->state = AT_ELEMENT;
	return 0;
}

int
keylist_json_take(struct keylist *list, uint8_t c, struct hrw_fault *fault)
{
	switch (list->state) {
	case IN_STRING:
		return in_string(list, c, fault);
	case IN_ESCAPE:
		return in_escape(list, c, fault);
	case IN_HEX:
		return in_hex(list, c, fault);
	case AT_LOW_BACKSLASH:
	case AT_LOW_U:
		if (c != (list->state == AT_LOW_U ? 'u' : '\\'))
			return bad_json(list, "half a surrogate pair", fault);
		list->state = list->state == AT_LOW_U ? IN_HEX : AT_LOW_U;
		list->hex_digits = list->code = 0;
		return 0;
	default:
		break;
	}
	if (c == '\n' && list->form == KEYLIST_NDJSON)
		return end_line(list, fault);
	if (list->state == IN_NULL)
		return in_answer(list, c, fault);
	if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
		return 0;
	return take_mark(list, c, fault);
}

int
keylist_json_end(const struct keylist *list, struct hrw_fault *fault)
{
	if (list->form == KEYLIST_NDJSON) {
		if (list->state == AT_ELEMENT || list->state == AFTER_ELEMENT)
			return 0;
		return bad_json(list, "the body ends within a key", fault);
	}
	if (list->state == AFTER_ARRAY)
		return 0;
	return bad_json(list,
	    list->state == AT_ARRAY ? "the body is empty; an array of keys was expected"
				    : "the body ends before the array does",
	    fault);
}
