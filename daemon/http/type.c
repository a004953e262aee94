/*
 * type.c - the type of a body.
 *
 * Whoever sent another one is shown a command to paste, so it must do what was asked
 * and nothing else: the same target, dry_run and pool included, and no byte in it that
 * a shell reads.
 */
#include <string.h>
#include <strings.h>
#include <sys/un.h>

#include "daemon/http/private.h"

static void
put(struct buffer *out, struct hrw_bytes bytes)
{
	for (size_t i = 0; i < bytes.len; i++) {
		unsigned char c = bytes.data[i], letter = c | 0x20;

		if ((letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9') ||
		    (c != '\0' && strchr("-._~:,*", c) != NULL))
			buffer_add(out, &bytes.data[i], 1);
		else
			buffer_printf(out, "%%%02X", c);
	}
}

/* The target that was asked for, encoded anew. */
static void
put_target(struct buffer *out, const struct target *t)
{
	for (size_t i = 0; i < t->segment_count; i++) {
		buffer_add_text(out, "/");
		put(out, t->segment[i]);
	}
	for (size_t i = 0; i < t->parameter_count; i++) {
		buffer_add_text(out, i == 0 ? "?" : "&");
		put(out, t->parameter[i].name);
		if (t->parameter[i].has_value)
			buffer_add_text(out, "=");
		put(out, t->parameter[i].value);
	}
}

/* Text that means itself between two quotes of a shell and in a URL; else `instead`. */
static void
put_plain(struct buffer *out, struct hrw_bytes text, const char *instead)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789.:_-[]/";
	bool is_plain = text.len > 0;

	for (size_t i = 0; i < text.len; i++)
		is_plain = is_plain && text.data[i] != '\0' && strchr(plain, text.data[i]) != NULL;
	if (is_plain)
		buffer_add(out, text.data, text.len);
	else
		buffer_add_text(out, instead);
}

static void
put_socket(struct buffer *out, int fd)
{
	struct sockaddr_un name = {0};
	socklen_t len = sizeof(name) - 1;

	getsockname(fd, (struct sockaddr *)&name, &len);
	buffer_add_text(out, " --unix-socket ");
	put_plain(out, hrw_text(name.sun_path), "SOCKET");
}

static void
put_command(
    struct buffer *out, const struct exchange *ex, const char *method, struct hrw_bytes host)
{
	const char *types = ex->request.route->types;
	size_t len = strcspn(types, " ");

	buffer_add_text(out, "curl");
	if (strncmp(types, "application/json", len) == 0)
		buffer_add_text(out, " --json @FILE");
	else
		buffer_printf(out, " --data-binary @FILE -H 'Content-Type: %.*s'", (int)len, types);
	buffer_printf(out, " -X %s", method);
	if (ex->server->is_unix)
		put_socket(out, ex->server->fd);
	buffer_add_text(out, ex->server->is_tls ? " 'https://" : " 'http://");
	put_plain(out, host, "localhost");
	put_target(out, &ex->target);
	buffer_add_text(out, "'");
}

static int
refuse(struct exchange *ex, struct hrw_bytes sent, const char *method, struct hrw_bytes host)
{
	const char *types = ex->request.route->types;
	struct hrw_fault *fault = &ex->request.fault;
	struct buffer command = {0};
	char shown[HRW_SHOWN];

	put_command(&command, ex, method, host);
	hrw_show(sent, shown, sizeof(shown));
	/* Half a command would do something else. */
	if (command.failed ||
	    command.len + strlen(types) + strlen(shown) > sizeof(fault->detail) - 80)
		hrw_fault(fault, HRW_BAD_TYPE, "the body's Content-Type is \"%s\"; this takes %s",
		    shown, types);
	else
		hrw_fault(fault, HRW_BAD_TYPE,
		    "the body's Content-Type is \"%s\"; this takes %s. With curl: %s", shown, types,
		    buffer_text(&command));
	buffer_fini(&command);
	return HRW_BAD_TYPE;
}

int
type_judge(struct exchange *ex, const char *method, struct hrw_bytes host)
{
	struct hrw_bytes sent = ex->framing.content_type;
	const char *at = ex->request.route->types, *end;

	ex->type = 0;
	if (at == NULL || *at == '\0')
		return 0;
	if (sent.data == NULL && ex->framing.origin.data == NULL)
		return 0;
	if (sent.data == NULL)
		sent = hrw_text("");
	end = memchr(sent.data, ';', sent.len);
	if (end != NULL)
		sent.len = (size_t)(end - (const char *)sent.data);
	while (sent.len > 0 && (sent.data[sent.len - 1] == ' ' || sent.data[sent.len - 1] == '\t'))
		sent.len--;
	for (int i = 0; *at != '\0'; i++) {
		size_t len = strcspn(at, " ");

		if (len == sent.len && strncasecmp(at, (const char *)sent.data, len) == 0) {
			ex->type = i;
			return 0;
		}
		at += len;
		at += strspn(at, " ");
	}
	return refuse(ex, sent, method, host);
}
