/*
 * target.c - decodes in place: what is decoded is never longer than it was.
 */
#include "daemon/http/target.h"

#define ENCODE_HINT                                                                                \
	"an & of a key that was not encoded is the usual cause: encode it as %%26, or let "        \
	"curl -G --data-urlencode 'key=…' do it"
#define KEY_HINT                                                                                   \
	"; if it is part of the key, its & was not encoded: encode it as %26, or let "             \
	"curl -G --data-urlencode 'key=…' do it"
#define PATHS_HINT "GET /openapi.json lists those there are"

static int
hex(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	if (digit >= 'A' && digit <= 'F')
		return digit - 'A' + 10;
	return -1;
}

/* Decodes text[0..len) onto itself: the bytes left, or -1 for a % without two
 * hexadecimal digits, -2 for a byte that may not stand there raw; then *at is
 * where. */
static long
decode(char *text, size_t len, bool plus_is_space, size_t *at)
{
	size_t out = 0;

	/* What stands for itself stays where it is; most often that is all. */
	while (out < len && text[out] > ' ' && text[out] < 0x7f && text[out] != '%' &&
	       text[out] != '+' && text[out] != '#')
		out++;
	for (size_t i = out; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		*at = i;
		if (c == '%') {
			int high = i + 2 < len ? hex(text[i + 1]) : -1;
			int low = i + 2 < len ? hex(text[i + 2]) : -1;

			if (high < 0 || low < 0)
				return -1;
			text[out++] = (char)(high * 16 + low);
			i += 2;
		} else if (c <= ' ' || c == 0x7f || c == '#') {
			return -2;
		} else {
			text[out++] = c == '+' && plus_is_space ? ' ' : (char)c;
		}
	}
	return (long)out;
}

/* What is wrong at text[at], in the words of the part of the target it is in. */
static int
refuse(const struct target *t, const char *text, size_t len, size_t at, long why,
    enum hrw_error error, const char *part, struct hrw_fault *fault)
{
	char shown[HRW_SHOWN];
	size_t shown_len = why == -2 ? 1 : len - at < 3 ? len - at : 3;
	size_t place = (size_t)(text + at - t->from) + 1;

	hrw_show(hrw_bytes(text + at, shown_len), shown, sizeof(shown));
	if (why == -1)
		return hrw_fault(fault, error,
		    "\"%s\" in the %s (byte %zu of the target) is no percent-encoded byte: %% is "
		    "followed by two hexadecimal digits, and a %% itself is written %%25",
		    shown, part, place);
	return hrw_fault(fault, error,
	    "the %s holds a raw \"%s\" (byte %zu of the target): write it %%%02X, or let curl -G "
	    "--data-urlencode 'key=…' encode a key",
	    part, shown, place, (unsigned char)text[at]);
}

/* The same of a parameter, whose name becomes the field. */
static int
refuse_parameter(const struct target *t, const char *text, size_t len, size_t at, long why,
    struct hrw_bytes name, struct hrw_fault *fault)
{
	char field[HRW_SHOWN];

	refuse(t, text, len, at, why, HRW_BAD_PARAMETER, "query", fault);
	return hrw_fault_at(fault, "%s", hrw_show(name, field, sizeof(field)));
}

/* Skips "http://authority" (any scheme); false when it is no absolute form. */
static bool
skip_authority(char **text, size_t *len, struct target *t)
{
	char *mark = memchr(*text, ':', *len);
	char *from, *end = *text + *len;

	if (mark == NULL || end - mark < 3 || memcmp(mark, "://", 3) != 0)
		return false;
	from = mark + 3;
	for (mark = from; mark < end && *mark != '/' && *mark != '?'; mark++)
		;
	if (mark == from)
		return false;
	t->authority = hrw_bytes(from, (size_t)(mark - from));
	*len = (size_t)(end - mark);
	*text = mark;
	return true;
}

static int
parse_path(char *text, size_t len, struct target *t, struct hrw_fault *fault)
{
	char *at = text + 1, *end = text + len;

	for (;;) {
		char *slash = memchr(at, '/', (size_t)(end - at));
		size_t segment_len = (size_t)((slash == NULL ? end : slash) - at), where;
		long got;

		if (t->segment_count == TARGET_SEGMENTS_MAX)
			return hrw_fault(
			    fault, HRW_UNKNOWN_PATH, "no path has so many parts; " PATHS_HINT);
		got = decode(at, segment_len, false, &where);
		if (got < 0)
			return refuse(
			    t, at, segment_len, where, got, HRW_UNKNOWN_PATH, "path", fault);
		/* "/v1" may stand before any path, and adds no segment. */
		if (at != text + 1 || got != 2 || memcmp(at, "v1", 2) != 0 || slash == NULL)
			t->segment[t->segment_count++] = hrw_bytes(at, (size_t)got);
		if (slash == NULL)
			return 0;
		at = slash + 1;
	}
}

static int
add_parameter(char *text, size_t len, struct target *t, struct hrw_fault *fault)
{
	char *mark = memchr(text, '=', len);
	size_t name_len = mark == NULL ? len : (size_t)(mark - text);
	struct target_parameter *p = &t->parameter[t->parameter_count];
	size_t where;
	long got;

	if (len == 0)
		return hrw_fault(fault, HRW_BAD_PARAMETER,
		    "the query has an & with no parameter beside it; " ENCODE_HINT);
	if (t->parameter_count == t->parameter_max)
		return hrw_fault(fault, HRW_BAD_PARAMETER,
		    "the query has more than %zu parameters; " ENCODE_HINT, t->parameter_max);
	got = decode(text, name_len, true, &where);
	if (got < 0)
		return refuse_parameter(
		    t, text, name_len, where, got, hrw_bytes(text, name_len), fault);
	p->name = hrw_bytes(text, (size_t)got);
	p->value = hrw_bytes(text + len, 0);
	p->has_value = mark != NULL;
	if (mark != NULL) {
		mark++;
		len -= name_len + 1;
		got = decode(mark, len, true, &where);
		if (got < 0)
			return refuse_parameter(t, mark, len, where, got, p->name, fault);
		p->value = hrw_bytes(mark, (size_t)got);
	}
	for (size_t i = 0; i < t->parameter_count; i++)
		if (hrw_bytes_equal(t->parameter[i].name, p->name)) {
			char shown[HRW_SHOWN];

			hrw_show(p->name, shown, sizeof(shown));
			hrw_fault(fault, HRW_BAD_PARAMETER,
			    "the parameter \"%s\" is given twice; " ENCODE_HINT, shown);
			return hrw_fault_at(fault, "%s", shown);
		}
	t->parameter_count++;
	return 0;
}

static int
parse_query(char *text, size_t len, struct target *t, struct hrw_fault *fault)
{
	char *at = text, *end = text + len;

	while (len > 0) {
		char *mark = memchr(at, '&', (size_t)(end - at));
		char *stop = mark == NULL ? end : mark;
		int rc = add_parameter(at, (size_t)(stop - at), t, fault);

		if (rc < 0 || mark == NULL)
			return rc;
		at = mark + 1;
	}
	return 0;
}

int
target_parse(char *text, size_t len, struct target *t, struct hrw_fault *fault)
{
	char *mark;
	size_t path_len;
	int rc = 0;

	t->from = text;
	t->authority = hrw_bytes(NULL, 0);
	t->segment_count = 0;
	t->parameter_count = 0;
	if (len == 0 || (text[0] != '/' && !skip_authority(&text, &len, t))) {
		char shown[HRW_SHOWN];

		return hrw_fault(fault, HRW_UNKNOWN_PATH,
		    "the target \"%s\" is no path, which begins with /; " PATHS_HINT,
		    hrw_show(hrw_bytes(text, len), shown, sizeof(shown)));
	}
	mark = memchr(text, '?', len);
	path_len = mark == NULL ? len : (size_t)(mark - text);
	if (path_len > 0)
		rc = parse_path(text, path_len, t, fault);
	else /* "http://host" means the root */
		t->segment[t->segment_count++] = hrw_bytes(text, 0);
	if (rc == 0 && mark != NULL)
		rc = parse_query(mark + 1, len - path_len - 1, t, fault);
	return rc;
}

const struct target_parameter *
target_parameter(const struct target *t, const char *name)
{
	struct hrw_bytes wanted = hrw_text(name);

	for (size_t i = 0; i < t->parameter_count; i++)
		if (hrw_bytes_equal(t->parameter[i].name, wanted))
			return &t->parameter[i];
	return NULL;
}

/* Is it one of the words of `names`? */
static bool
is_listed(struct hrw_bytes name, const char *names)
{
	while (*names != '\0') {
		size_t len = strcspn(names, " ");

		if (len > 0 && hrw_bytes_equal(name, hrw_bytes(names, len)))
			return true;
		names += len;
		names += strspn(names, " ");
	}
	return false;
}

/* May it be the rest of a key? */
static bool
is_after_key(const struct target *t, size_t at)
{
	return at > 0 && hrw_bytes_equal(t->parameter[at - 1].name, hrw_text("key"));
}

int
target_only(const struct target *t, const char *names, struct hrw_fault *fault)
{
	if (names == NULL)
		names = "";
	for (size_t i = 0; i < t->parameter_count; i++) {
		char shown[HRW_SHOWN];

		if (is_listed(t->parameter[i].name, names))
			continue;
		hrw_show(t->parameter[i].name, shown, sizeof(shown));
		hrw_fault(fault, HRW_BAD_PARAMETER, "no parameter is \"%s\" (%s%s)%s", shown,
		    *names == '\0' ? "this path takes none" : "known: ", names,
		    is_after_key(t, i) ? KEY_HINT : "");
		return hrw_fault_at(fault, "%s", shown);
	}
	return 0;
}
