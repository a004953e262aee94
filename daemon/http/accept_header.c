/*
 * accept_header.c - the ranges of Accept, each with its weight; what is no range
 * fits nothing, what is no weight is 1.
 */
#include <string.h>
#include <strings.h>

#include "daemon/http/accept_header.h"

/* The weight of one element of Accept, in thousandths; 1000 where none is said,
 * also for what is no weight. */
static unsigned
quality(const char *at, const char *end)
{
	unsigned q = 1000;

	while (at < end && (at = memchr(at, ';', (size_t)(end - at))) != NULL) {
		at++;
		while (at < end && (*at == ' ' || *at == '\t'))
			at++;
		if (end - at < 3 || (*at | 0x20) != 'q' || at[1] != '=')
			continue;
		q = at[2] == '1' ? 1000 : 0;
		if (at[2] != '0' || end - at < 4 || at[3] != '.')
			return q;
		at += 4;
		for (unsigned unit = 100; unit > 0 && at < end && *at >= '0' && *at <= '9'; at++) {
			q += unit * (unsigned)(*at - '0');
			unit /= 10;
		}
		return q;
	}
	return q;
}

/* How well a range of Accept fits a type: 3 exact, 2 "text" of any kind, 1 any, 0 no. */
static unsigned
fit(const char *range, size_t len, const char *type)
{
	size_t major = strcspn(type, "/") + 1;

	if (len == strlen(type) && strncasecmp(range, type, len) == 0)
		return 3;
	if (len == major + 1 && range[major] == '*' && strncasecmp(range, type, major) == 0)
		return 2;
	return len == 3 && memcmp(range, "*/*", 3) == 0;
}

/* The weight that Accept gives a type: that of the range that fits best. */
static unsigned
weight_of(const char *accept, const char *type)
{
	unsigned best_fit = 0, q = 0;

	while (*accept != '\0') {
		size_t len = strcspn(accept, ","), range_len;
		const char *at = accept + strspn(accept, " \t"), *end = accept + len;
		unsigned fits;

		range_len = at < end ? strcspn(at, ";, \t") : 0;
		fits = fit(at, range_len, type);
		if (fits > best_fit) {
			best_fit = fits;
			q = quality(at, end);
		}
		accept = *end == ',' ? end + 1 : end;
	}
	return q;
}

int
accept_header_choose(const char *accept, const char *const *types)
{
	unsigned best;
	int chosen = 0;

	if (accept == NULL || strcmp(accept, "*/*") == 0)
		return 0;
	best = weight_of(accept, types[0]);
	for (int i = 1; types[i] != NULL; i++) {
		unsigned q = weight_of(accept, types[i]);

		if (q > best) {
			best = q;
			chosen = i;
		}
	}
	return chosen;
}
