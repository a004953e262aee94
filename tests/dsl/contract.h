/*
 * contract.h - what the tests have asked of the daemon so far.
 *
 * Kept in memory that all processes of a run share, so that a last test can
 * hold it against the daemon's own list of routes and errors.
 */
#ifndef TESTS_CONTRACT_H
#define TESTS_CONTRACT_H

#include <stddef.h>

struct answer;

/* One answer. A path counts as exercised when it was answered below 400.
 *   path   as sent: /v1, query and names are taken off it
 *   code   of an error answer; NULL */
void contract_record(const char *method, const char *path, long status, const char *code);

/* Adds what was asked and answered, as a line of JSON, to the file that HRW_RECORD
 * names (nothing without it): tests/scripts/openapi.sh holds the lines against
 * /openapi.json. Bodies that are long, or no UTF-8, are left out. */
void contract_keep(const char *method, const char *path, const char *headers, const void *body,
    size_t len, const struct answer *a);

/* Was this route ever answered below 400? Its path as in /openapi.json. */
int contract_has_route(const char *method, const char *path);

/* Was this error ever answered? */
int contract_has_code(const char *code);

#endif
