/*
 * tls.c - each file is looked at by itself before they are put together, so that
 * a fault can name the file.
 */
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/base/json.h"
#include "daemon/base/private_file.h"
#include "daemon/http/tls.h"

/* Earlier versions are broken or on their way out (RFC 8996). */
const char tls_priorities[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:%SERVER_PRECEDENCE";

/* The files as they are read. */
struct files {
	const char *certificate_path, *key_path, *client_ca_path;
	struct buffer certificate, key, client_ca;
	struct hrw_fault *fault;
};

static gnutls_datum_t
datum(const struct buffer *b)
{
	return (gnutls_datum_t){(unsigned char *)b->data, (unsigned)b->len};
}

static int
at(struct files *f, const char *option, int rc)
{
	if (rc < 0)
		hrw_fault_at(f->fault, "/tls/%s", option);
	return rc;
}

static int
not_what(struct files *f, const char *path, const char *what, int why)
{
	return hrw_fault(
	    f->fault, HRW_BAD_FIELD, "%s holds no %s in PEM: %s", path, what, gnutls_strerror(why));
}

static int
check_time(struct files *f, gnutls_x509_crt_t certificate)
{
	time_t now = time(NULL), from = gnutls_x509_crt_get_activation_time(certificate),
	       to = gnutls_x509_crt_get_expiration_time(certificate);
	char text[JSON_TIME];

	if (from != (time_t)-1 && now < from) {
		json_time((int64_t)from * 1000, text);
		return hrw_fault(f->fault, HRW_BAD_FIELD,
		    "the certificate of %s is not valid before %s: is the clock right?",
		    f->certificate_path, text);
	}
	if (to != (time_t)-1 && now >= to) {
		json_time((int64_t)to * 1000, text);
		return hrw_fault(f->fault, HRW_BAD_FIELD,
		    "the certificate of %s ended at %s: renew it, or set the clock",
		    f->certificate_path, text);
	}
	return 0;
}

static int
check_certificate(struct files *f)
{
	gnutls_datum_t text = datum(&f->certificate);
	gnutls_x509_crt_t *list = NULL;
	unsigned count = 0;
	int rc = gnutls_x509_crt_list_import2(&list, &count, &text, GNUTLS_X509_FMT_PEM, 0);

	if (rc < 0)
		return not_what(f, f->certificate_path, "certificate", rc);
	rc = count > 0 ? check_time(f, list[0]) : 0;
	for (unsigned i = 0; i < count; i++)
		gnutls_x509_crt_deinit(list[i]);
	gnutls_free(list);
	return rc;
}

static int
check_key(struct files *f)
{
	gnutls_datum_t text = datum(&f->key);
	gnutls_x509_privkey_t key;
	int rc = gnutls_x509_privkey_init(&key);

	if (rc < 0)
		return not_what(f, f->key_path, "key", rc);
	rc = gnutls_x509_privkey_import2(key, &text, GNUTLS_X509_FMT_PEM, NULL, 0);
	gnutls_x509_privkey_deinit(key);
	if (rc == GNUTLS_E_DECRYPTION_FAILED)
		return hrw_fault(f->fault, HRW_BAD_FIELD,
		    "the key of %s is encrypted, and nobody is there to give its password: store "
		    "it "
		    "without one",
		    f->key_path);
	return rc < 0 ? not_what(f, f->key_path, "private key", rc) : 0;
}

static int
read_files(struct files *f)
{
	int rc = at(f, "certificate",
	    private_file_read_public(f->certificate_path, &f->certificate, f->fault));

	if (rc == 0)
		rc = at(f, "certificate", check_certificate(f));
	if (rc == 0)
		rc = at(f, "key", private_file_read(f->key_path, &f->key, f->fault));
	if (rc == 0)
		rc = at(f, "key", check_key(f));
	if (rc == 0 && f->client_ca_path != NULL)
		rc = at(f, "client_ca",
		    private_file_read_public(f->client_ca_path, &f->client_ca, f->fault));
	return rc;
}

static int
fill(struct tls *tls, struct files *f)
{
	gnutls_datum_t certificate = datum(&f->certificate), key = datum(&f->key),
		       client_ca = datum(&f->client_ca);
	int rc = gnutls_certificate_allocate_credentials(&tls->credentials);

	if (rc < 0)
		return hrw_fault(f->fault, HRW_INTERNAL, "no memory for TLS");
	rc = gnutls_certificate_set_x509_key_mem2(
	    tls->credentials, &certificate, &key, GNUTLS_X509_FMT_PEM, NULL, 0);
	if (rc < 0) {
		hrw_fault(f->fault, HRW_BAD_FIELD,
		    "the key of %s is not that of the certificate of %s: %s", f->key_path,
		    f->certificate_path, gnutls_strerror(rc));
		return at(f, "key", HRW_BAD_FIELD);
	}
	if (f->client_ca_path == NULL)
		return 0;
	tls->asks_clients = true;
	rc = gnutls_certificate_set_x509_trust_mem(
	    tls->credentials, &client_ca, GNUTLS_X509_FMT_PEM);
	if (rc > 0)
		return 0;
	return at(f, "client_ca", not_what(f, f->client_ca_path, "certificate", rc));
}

/* One digest for all three. */
static void
digest(const struct files *f, uint8_t out[HRW_SHA256_BYTES])
{
	uint8_t all[3 * HRW_SHA256_BYTES];

	hrw_sha256(buffer_bytes(&f->certificate), all);
	hrw_sha256(buffer_bytes(&f->key), all + HRW_SHA256_BYTES);
	hrw_sha256(buffer_bytes(&f->client_ca), all + 2 * HRW_SHA256_BYTES);
	hrw_sha256(hrw_bytes(all, sizeof(all)), out);
}

struct tls *
tls_read(const char *certificate, const char *key, const char *client_ca, struct hrw_fault *fault)
{
	struct files f = {.certificate_path = certificate,
	    .key_path = key,
	    .client_ca_path = client_ca,
	    .fault = fault};
	struct tls *tls = calloc(1, sizeof(*tls));
	int rc = tls == NULL ? hrw_fault(fault, HRW_INTERNAL, "no memory for TLS") : read_files(&f);

	if (rc == 0)
		rc = fill(tls, &f);
	if (rc == 0)
		digest(&f, tls->text);
	buffer_fini(&f.certificate);
	private_file_forget(&f.key);
	buffer_fini(&f.client_ca);
	if (rc == 0)
		return tls;
	tls_free(tls);
	return NULL;
}

void
tls_free(struct tls *tls)
{
	if (tls != NULL && tls->credentials != NULL)
		gnutls_certificate_free_credentials(tls->credentials);
	free(tls);
}

bool
tls_begin(const struct tls *tls, gnutls_session_t session)
{
	static gnutls_typed_vdata_st for_clients = {
	    .type = GNUTLS_DT_KEY_PURPOSE_OID, .data = (unsigned char *)GNUTLS_KP_TLS_WWW_CLIENT};

	if (gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, tls->credentials) < 0)
		return false;
	if (!tls->asks_clients)
		return true;
	/* A handshake without a good certificate fails: no request is ever read. */
	gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUIRE);
	gnutls_session_set_verify_cert2(session, &for_clients, 1, 0);
	return true;
}
