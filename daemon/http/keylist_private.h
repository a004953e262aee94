/*
 * keylist_private.h - what the two halves of keylist share: keylist.c has the list
 * and its lines, keylist_json.c the machine that reads JSON.
 */
#ifndef HRWD_HTTP_KEYLIST_PRIVATE_H
#define HRWD_HTTP_KEYLIST_PRIVATE_H

#include "daemon/http/keylist.h"

enum keylist_state {
	AT_ARRAY,	 /* before the '[' */
	AT_FIRST,	 /* after the '[': an element or ']' */
	AT_ELEMENT,	 /* an element must come; in NDJSON the start of a line */
	AFTER_ELEMENT,	 /* ',' or ']'; in NDJSON the end of the line */
	AFTER_ARRAY,	 /* white space alone */
	AT_FIRST_MEMBER, /* after the '{' */
	AT_MEMBER,	 /* a member's name must come */
	AT_COLON,
	AT_VALUE,
	AFTER_VALUE,	 /* ',' or '}' */
	AT_ANSWER,	 /* the value of a member that an answer had beside the key */
	AT_ANSWER_FIRST, /* within its array: a string or ']' */
	AT_ANSWER_ITEM,
	AFTER_ANSWER_ITEM,
	IN_NULL,
	IN_STRING,
	IN_ESCAPE,	  /* after a backslash */
	IN_HEX,		  /* the digits of \uXXXX */
	AT_LOW_BACKSLASH, /* after a high surrogate: its other half must follow */
	AT_LOW_U,
};

enum keylist_purpose { FOR_ELEMENT, FOR_NAME, FOR_KEY, FOR_BASE64, FOR_ANSWER, FOR_ANSWER_ITEM };

enum { KEYLIST_NAME_MAX = 16 };

struct keylist {
	enum keylist_form form;
	size_t key_bytes;
	keylist_each each;
	void *arg;
	int status;	/* the error that ended the reading */
	uint64_t count; /* keys given so far */
	struct keylist_notice notice;
	uint64_t line, column; /* of the byte at hand, from 1 */

	enum keylist_state state;
	enum keylist_purpose purpose; /* of the string being read */
	bool has_key;		      /* of the object being read */
	unsigned utf8_more;	      /* bytes that the character still needs… */
	uint8_t utf8_low, utf8_high;  /* … the next within these */
	unsigned hex_digits, code, high_half;
	char name[KEYLIST_NAME_MAX + 1];
	size_t name_len;
	unsigned null_len; /* letters of a null read so far */
	unsigned base64_bits, base64_chars, base64_pads;

	size_t len;
	uint8_t key[]; /* room for key_bytes */
};

/* Fills a fault about the key at hand: its line, or its index in the array. */
int keylist_bad_item(
    const struct keylist *list, enum hrw_error error, const char *what, struct hrw_fault *fault);

/* Bytes of the key at hand; BAD_KEY when it grows past key_bytes. */
int keylist_keep(struct keylist *list, const void *data, size_t len, struct hrw_fault *fault);

/* A whole key: checked, given to `each`, counted. */
int keylist_give(struct keylist *list, struct hrw_bytes key, struct hrw_fault *fault);

/* One byte of JSON; the end of it. */
int keylist_json_take(struct keylist *list, uint8_t c, struct hrw_fault *fault);
int keylist_json_end(const struct keylist *list, struct hrw_fault *fault);

#endif
