/*
 * trouble.c - curl's codes in words.
 *
 * Source: libcurl-errors(3).
 */
#include <curl/curl.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/ctl/trouble.h"

static int
judge_file(const char *option, const char *path)
{
	FILE *file = path != NULL ? fopen(path, "re") : NULL;
	struct stat st;
	int rc = 0;

	if (path == NULL)
		return 0;
	if (file == NULL)
		return ctl_fail(CTL_USAGE, "%s %s: %s", option, path, strerror(errno));
	if (fstat(fileno(file), &st) == 0 && S_ISDIR(st.st_mode))
		rc = ctl_fail(CTL_USAGE, "%s %s: %s", option, path, strerror(EISDIR));
	fclose(file);
	return rc;
}

int
trouble_files(const struct ctl *ctl)
{
	const struct options *o = &ctl->options;
	int rc = judge_file("--ca", o->ca);

	if (rc == 0)
		rc = judge_file("--certificate", o->certificate);
	if (rc == 0)
		rc = judge_file("--certificate-key", o->certificate_key);
	if (rc == 0 && o->certificate_key != NULL && o->certificate == NULL)
		rc = ctl_fail(CTL_USAGE,
		    "--certificate-key is the key of a certificate: --certificate FILE names it");
	return rc;
}

/* What to do where nobody answered as expected; NULL: no idea. */
static const char *
advice(const struct ctl *ctl, const char *base, int code, const char *said)
{
	static const char comes[] = "where it asks for a certificate, --certificate FILE and "
				    "--certificate-key FILE are it";
	bool is_tls = strncmp(base, "https:", 6) == 0;

	switch (code) {
	case CURLE_PEER_FAILED_VERIFICATION:
		return "it is not trusted: --ca FILE names whose certificates are to be";
	case CURLE_SSL_CONNECT_ERROR:
		if (strstr(said, "alert") == NULL)
			return "where it speaks no TLS, its address begins with http://";
		return ctl->options.certificate == NULL ? comes : NULL;
	case CURLE_GOT_NOTHING:
	case CURLE_RECV_ERROR:
	case CURLE_SEND_ERROR:
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_UNSUPPORTED_PROTOCOL:
		if (is_tls)
			return ctl->options.certificate == NULL ? comes : NULL;
		return strcmp(base, "http://localhost") == 0 /* a unix socket */
			   ? NULL
			   : "where it speaks TLS, its address begins with https://";
	default:
		return NULL;
	}
}

int
trouble_judge(
    const struct ctl *ctl, const char *base, int code, const char *said, char why[TROUBLE_WHY])
{
	const struct options *o = &ctl->options;
	const char *also = advice(ctl, base, code, said);

	if (code == CURLE_SSL_CACERT_BADFILE)
		return ctl_fail(CTL_USAGE, "--ca %s: it holds no certificate to trust (%s)",
		    o->ca != NULL ? o->ca : "", said);
	if (code == CURLE_SSL_CERTPROBLEM)
		return ctl_fail(CTL_USAGE, "--certificate %s: %s%s",
		    o->certificate != NULL ? o->certificate : "", said,
		    o->certificate_key == NULL ? "; --certificate-key FILE is its private key"
					       : "");
	snprintf(
	    why, TROUBLE_WHY, "%s%s%s", said, also != NULL ? "; " : "", also != NULL ? also : "");
	return 0;
}
