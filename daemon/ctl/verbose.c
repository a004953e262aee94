/*
 * verbose.c - words for a shell, quoted as POSIX has it.
 *
 * Source: POSIX.1-2017, Shell Command Language, 2.2; curl(1).
 */
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/ctl/verbose.h"

/* A terminal would obey control bytes, so they are printed as octal escapes, which the
 * shell's printf turns back into bytes. */
static bool
put_octal(FILE *to, const char *before, struct hrw_bytes text)
{
	size_t size = text.len * 4 + 8;
	char *shown = malloc(size);
	bool is_safe =
	    shown == NULL || hrw_bytes_equal(hrw_text(hrw_show(text, shown, size)), text);

	free(shown);
	if (is_safe)
		return false;
	fprintf(to, " %s\"$(printf '", before);
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] > ' ' && text.data[i] < 0x7f &&
		    strchr("'\\%", text.data[i]) == NULL)
			fputc(text.data[i], to);
		else
			fprintf(to, "\\%03o", text.data[i]);
	}
	fputs("')\"", to);
	return true;
}

/* In single quotes, as a shell takes any text but one with a quote in it. */
static void
put_quoted(FILE *to, const char *before, struct hrw_bytes text)
{
	if (put_octal(to, before, text))
		return;
	fprintf(to, " %s'", before);
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] == '\'')
			fputs("'\\''", to);
		else
			fputc(text.data[i], to);
	}
	fputc('\'', to);
}

static void
put_option(FILE *to, const char *option, const char *value)
{
	if (value != NULL && *value != '\0')
		put_quoted(to, option, hrw_text(value));
}

/* Within the double quotes a substitution is quoted anew. Only the first line of
 * the file is the token. */
static void
put_token(FILE *to, const char *path)
{
	if (path == NULL) {
		fputs(" -H \"Authorization: Bearer $HRW_TOKEN\"", to);
		return;
	}
	fputs(" -H \"Authorization: Bearer $(head -n 1 <", to);
	put_quoted(to, "", hrw_text(path));
	fputs(")\"", to);
}

/* curl adds an Accept of its own, which is another one. */
static void
put_headers(FILE *to, const struct ctl *ctl, const struct ask *ask, const struct curl_slist *h)
{
	for (; h != NULL; h = h->next) {
		if (strncmp(h->data, "Authorization:", 14) == 0)
			put_token(to, ctl->options.token_file);
		else if (ask->accept != NULL || strncmp(h->data, "Accept:", 7) != 0)
			put_quoted(to, "-H ", hrw_text(h->data));
	}
}

static void
put_body(FILE *to, const struct ask *ask)
{
	if (ask->read != NULL)
		put_quoted(to, "-T ", hrw_text(ask->read_as != NULL ? "-" : ask->read_from));
	else if (ask->body.data != NULL)
		put_quoted(to, "--data-binary ", ask->body);
}

static void
put_remark(FILE *to, const struct ask *ask)
{
	size_t room = strlen(ask->read_from) * 4 + 1;
	char *shown = malloc(room);

	/* It cannot end the line that it stands behind. */
	if (shown != NULL)
		fprintf(to, " # stdin: %s of %s", ask->read_as,
		    hrw_show(hrw_text(ask->read_from), shown, room));
	free(shown);
}

void
verbose_print(const struct ctl *ctl, const struct ask *ask, const struct curl_slist *headers,
    const char *base, const char *socket_path, FILE *to)
{
	struct buffer url = {0};

	fputs("curl", to);
	/* What curl would take for a pattern of names, and a step that it would take. */
	if (strpbrk(ask->path, "[]{}") != NULL ||
	    (ask->read != NULL && strpbrk(ask->read_from, "[]{}") != NULL))
		fputs(" -g", to);
	if (strstr(ask->path, "/%2E") != NULL)
		fputs(" --path-as-is", to);
	put_option(to, "--unix-socket ", socket_path);
	put_option(to, "--cacert ", ctl->options.ca);
	put_option(to, "--cert ", ctl->options.certificate);
	put_option(to, "--key ", ctl->options.certificate_key);
	if (strcmp(ask->method, "GET") != 0)
		fprintf(to, " -X %s", ask->method);
	put_headers(to, ctl, ask, headers);
	put_body(to, ask);
	buffer_printf(&url, "%s%s", base, ask->path);
	put_quoted(to, "", buffer_bytes(&url));
	if (ask->read != NULL && ask->read_as != NULL)
		put_remark(to, ask);
	fputc('\n', to);
	buffer_fini(&url);
}
