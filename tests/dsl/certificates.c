#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <check.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include "tests/dsl/certificates.h"
#include "tests/dsl/folder.h"
#include "tests/dsl/text.h"

enum { DAY_S = 86400 };

static const char *
path_of(const struct certificate *c, const char *name, const char *ending)
{
	return text("%s/%s.%s", c->dir, name, ending);
}

static gnutls_datum_t
file_of(const char *path)
{
	size_t len;
	char *data = text_file(path, &len);

	ck_assert_msg(data != NULL, "no %s", path);
	return (gnutls_datum_t){(unsigned char *)data, (unsigned)len};
}

static void
fill(const struct certificate *c, gnutls_x509_crt_t crt, gnutls_x509_privkey_t key)
{
	static const unsigned char loopback[] = {127, 0, 0, 1};
	time_t now = time(NULL);
	unsigned char serial[8] = {1};
	long from = c->from_s, till = c->till_s;

	if (from == 0 && till == 0) {
		from = -DAY_S;
		till = DAY_S;
	}
	gnutls_rnd(GNUTLS_RND_NONCE, serial + 1, sizeof(serial) - 1);
	gnutls_x509_crt_set_version(crt, 3);
	gnutls_x509_crt_set_serial(crt, serial, sizeof(serial));
	gnutls_x509_crt_set_activation_time(crt, now + from);
	gnutls_x509_crt_set_expiration_time(crt, now + till);
	gnutls_x509_crt_set_dn_by_oid(
	    crt, GNUTLS_OID_X520_COMMON_NAME, 0, c->name, (unsigned)strlen(c->name));
	gnutls_x509_crt_set_basic_constraints(crt, c->is_ca != 0, -1);
	gnutls_x509_crt_set_key_usage(
	    crt, c->is_ca ? GNUTLS_KEY_KEY_CERT_SIGN : GNUTLS_KEY_DIGITAL_SIGNATURE);
	if (!c->is_ca)
		gnutls_x509_crt_set_key_purpose_oid(
		    crt, c->is_client ? GNUTLS_KP_TLS_WWW_CLIENT : GNUTLS_KP_TLS_WWW_SERVER, 0);
	if (!c->is_ca && !c->is_client) {
		gnutls_x509_crt_set_subject_alt_name(
		    crt, GNUTLS_SAN_DNSNAME, "localhost", 9, GNUTLS_FSAN_SET);
		gnutls_x509_crt_set_subject_alt_name(
		    crt, GNUTLS_SAN_IPADDRESS, loopback, sizeof(loopback), GNUTLS_FSAN_APPEND);
	}
	ck_assert_int_eq(gnutls_x509_crt_set_key(crt, key), 0);
}

void
certificate_make(struct certificate c)
{
	gnutls_x509_crt_t crt, issuer;
	gnutls_x509_privkey_t key, issuer_key;
	gnutls_datum_t pem, key_pem;

	gnutls_x509_privkey_init(&key);
	gnutls_x509_crt_init(&crt);
	ck_assert_int_eq(gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA,
			     GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0),
	    0);
	fill(&c, crt, key);
	if (c.issuer != NULL) {
		gnutls_datum_t of = file_of(path_of(&c, c.issuer, "pem"));
		gnutls_datum_t by = file_of(path_of(&c, c.issuer, "key"));

		gnutls_x509_crt_init(&issuer);
		gnutls_x509_privkey_init(&issuer_key);
		ck_assert_int_eq(gnutls_x509_crt_import(issuer, &of, GNUTLS_X509_FMT_PEM), 0);
		ck_assert_int_eq(
		    gnutls_x509_privkey_import(issuer_key, &by, GNUTLS_X509_FMT_PEM), 0);
		ck_assert_int_eq(
		    gnutls_x509_crt_sign2(crt, issuer, issuer_key, GNUTLS_DIG_SHA256, 0), 0);
		gnutls_x509_crt_deinit(issuer);
		gnutls_x509_privkey_deinit(issuer_key);
	} else {
		ck_assert_int_eq(gnutls_x509_crt_sign2(crt, crt, key, GNUTLS_DIG_SHA256, 0), 0);
	}
	ck_assert_int_eq(gnutls_x509_crt_export2(crt, GNUTLS_X509_FMT_PEM, &pem), 0);
	ck_assert_int_eq(gnutls_x509_privkey_export2(key, GNUTLS_X509_FMT_PEM, &key_pem), 0);
	folder_write(path_of(&c, c.name, "pem"), pem.data, pem.size);
	folder_write(path_of(&c, c.name, "key"), key_pem.data, key_pem.size);
	ck_assert_int_eq(chmod(path_of(&c, c.name, "key"), 0600), 0);
	gnutls_free(pem.data);
	gnutls_free(key_pem.data);
	gnutls_x509_crt_deinit(crt);
	gnutls_x509_privkey_deinit(key);
}
