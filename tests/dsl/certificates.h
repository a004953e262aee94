/*
 * certificates.h - certificates made for a test, and clients that trust them.
 */
#ifndef TESTS_CERTIFICATES_H
#define TESTS_CERTIFICATES_H

/* What is made of it, "NAME.pem" and "NAME.key" in the folder. */
struct certificate {
	const char *dir, *name;
	const char *issuer;  /* another's name in the folder; NULL: signed by itself */
	int is_ca;	     /* signs others */
	int is_client;	     /* for a client; else for localhost and 127.0.0.1 */
	long from_s, till_s; /* valid so many seconds from now; both 0: a day around it */
};

/* Makes the pair; fails the test where that fails. The key is 0600. */
void certificate_make(struct certificate c);

#endif
