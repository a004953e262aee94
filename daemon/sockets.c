/*
 * sockets.c - from the configuration's addresses to sockets, and their names.
 */
#include <stdio.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/http/listen.h"
#include "daemon/sockets.h"

static void
note_name(struct sockets *s, const struct config *config, const char *kind,
    const struct config_address *address, const char *bound, bool is_first)
{
	if (is_first)
		buffer_printf(&s->names, "%s%s on %s", s->names.len == 0 ? "" : ", ", kind, bound);
	else
		buffer_printf(&s->names, " and %s", bound);
	if (config_is_tls(config, address))
		buffer_add_text(&s->names, " with TLS");
	else
		s->has_plain = true;
	if (s->health[0] == '\0')
		snprintf(s->health, sizeof(s->health), "%s", bound);
}

static int
open_lookup(struct sockets *s, const struct config *config, struct hrw_fault *fault)
{
	char bound[LISTEN_BOUND];

	for (size_t i = 0; i < config->http.lookup.count; i++) {
		const struct config_address *a = &config->http.lookup.at[i];
		int fds[WORKERS_MAX];

		if (listen_open(a->text, &a->access, config->http.workers, fds, bound, fault) < 0)
			return fault->error;
		for (size_t k = 0; k < config->http.workers; k++)
			s->lookup[i][k] = fds[k];
		note_name(s, config, "lookup", a, bound, i == 0);
	}
	if (config->http.lookup.count == 0)
		buffer_add_text(&s->names, "lookup off");
	return 0;
}

static int
open_admin(struct sockets *s, const struct config *config, struct hrw_fault *fault)
{
	char bound[LISTEN_BOUND];
	int fd;

	for (size_t i = 0; i < config->http.admin.count; i++) {
		const struct config_address *a = &config->http.admin.at[i];

		if (listen_open(a->text, &a->access, 1, &fd, bound, fault) < 0)
			return fault->error;
		s->admin[i] = fd;
		note_name(s, config, "admin", a, bound, i == 0);
		if (!config_is_tls(config, a) && !listen_is_local(a->text))
			log_warn("tokens go to %s as they are, for anybody on the way to read: "
				 "give it a certificate (tls)",
			    bound);
	}
	if (config->http.admin.count == 0)
		buffer_add_text(&s->names, ", admin off");
	return 0;
}

int
sockets_open(struct sockets *s, const struct config *config, struct hrw_fault *fault)
{
	int rc;

	*s = (struct sockets){0};
	for (size_t i = 0; i < CONFIG_ADDRESSES_MAX; i++) {
		s->admin[i] = -1;
		for (size_t k = 0; k < WORKERS_MAX; k++)
			s->lookup[i][k] = -1;
	}
	rc = open_lookup(s, config, fault);
	if (rc == 0)
		rc = open_admin(s, config, fault);
	if (s->has_plain)
		s->health[0] = '\0';
	return rc;
}

int
sockets_take(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

static void
shut(int *fd)
{
	if (*fd >= 0)
		close(sockets_take(fd));
}

void
sockets_fini(struct sockets *s)
{
	for (size_t i = 0; i < CONFIG_ADDRESSES_MAX; i++) {
		shut(&s->admin[i]);
		for (size_t k = 0; k < WORKERS_MAX; k++)
			shut(&s->lookup[i][k]);
	}
	buffer_fini(&s->names);
}
