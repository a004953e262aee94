/*
 * fingerprint.h - equal on two daemons that place alike.
 *
 * The first 16 hex digits of SHA-256 over the canonical JSON of
 * {"copies","nodes","placement"}: the placement with every parameter, and nodes
 * by name with address, name, state, weight, zone, and of hash_name, healthy,
 * reweight, slots and tokens those that the placement uses. Epoch, health and
 * keys are not in it.
 *
 * Source: RFC 8785 (canonical JSON), FIPS 180-4.
 */
#ifndef HRWD_MEMBERS_FINGERPRINT_H
#define HRWD_MEMBERS_FINGERPRINT_H

#include "core/membership.h"
#include "daemon/base/buffer.h"
#include "daemon/members/pool.h"

/* 16 hex digits and a NUL; m is frozen. HRW_INTERNAL: no memory. */
int fingerprint_of(const struct hrw_membership *m, char out[POOL_FINGERPRINT + 1]);

/* The text that is hashed, appended. */
void fingerprint_text(const struct hrw_membership *m, struct buffer *out);

/* A number as RFC 8785 has it (ECMAScript's Number::toString). Finite. */
void fingerprint_number(double number, char out[32]);

#endif
