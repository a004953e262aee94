/*
 * login.c - the token that is sent, from a file or the environment.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/ctl/client.h"

enum { TOKEN_MAX = 4096 };

/* The first line of a file, to free(). */
static int
read_token_file(const char *path, char **out)
{
	char line[TOKEN_MAX + 2];
	FILE *file = fopen(path, "re");

	if (file == NULL)
		return ctl_fail(CTL_USAGE, "--token-file %s: %s", path, strerror(errno));
	if (fgets(line, sizeof(line), file) == NULL)
		line[0] = '\0';
	fclose(file);
	line[strcspn(line, "\r\n")] = '\0';
	*out = strdup(line);
	return *out != NULL ? 0 : ctl_no_memory();
}

/* A token is one word of visible characters: nothing else may enter a header. */
static bool
is_token(const char *text)
{
	size_t len = strlen(text);

	for (size_t i = 0; i < len; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return false;
	return len > 0 && len <= TOKEN_MAX;
}

int
client_login(struct ctl *ctl, char **authorization)
{
	const char *path = ctl->options.token_file, *variable = getenv("HRW_TOKEN");
	char *token = NULL;
	int rc = 0;

	if (path != NULL)
		rc = read_token_file(path, &token);
	else if (variable != NULL && *variable != '\0' && (token = strdup(variable)) == NULL)
		rc = ctl_no_memory();
	if (rc != 0 || token == NULL)
		return rc;
	if (!is_token(token))
		rc = ctl_fail(CTL_USAGE,
		    "%s has no token: it is one word of at most %d visible characters",
		    path != NULL ? path : "HRW_TOKEN", TOKEN_MAX);
	else if (asprintf(authorization, "Authorization: Bearer %s", token) < 0)
		rc = ctl_no_memory();
	free(token);
	return rc;
}
