#include <string.h>

#include <check.h>

#include "tests/dsl/fleet.h"
#include "tests/dsl/text.h"

struct daemon *
fleet_start(void)
{
	return daemon_start(FLEET_CONFIG(""), NULL);
}

struct daemon *
fleet_with_photos(void)
{
	struct daemon *d = fleet_start();

	expect_status(keys_put(d, photos()), 200);
	return d;
}

const char *
photos(void)
{
	struct page page = {0};

	for (int i = 1; i <= 24; i++)
		page_add(&page, "photo-%d\n", i);
	return kept(page.data);
}

const char *
numbered_keys(const char *prefix, size_t count)
{
	struct page page = {0};

	for (size_t i = 0; i < count; i++)
		page_add(&page, "%s%zu\n", prefix, i);
	return kept(page.data);
}

struct answer *
keys_put(const struct daemon *d, const char *lines)
{
	return ask(d->admin, "PUT", "/keys", "Content-Type: text/plain", lines);
}

long
epoch_of(const struct daemon *d, const char *pool)
{
	const char *base = *d->admin != '\0' ? d->admin : d->lookup;

	return (long)number_at(expect_status(get(base, text("/pools/%s", pool)), 200), "epoch");
}

const char *
state_of(const struct daemon *d, const char *node)
{
	return text_at(expect_status(get(d->lookup, text("/nodes/%s", node)), 200), "state");
}
