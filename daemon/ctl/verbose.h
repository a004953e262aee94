/*
 * verbose.h - a request as the curl command that sends it.
 */
#ifndef HRWD_CTL_VERBOSE_H
#define HRWD_CTL_VERBOSE_H

#include "daemon/ctl/client.h"

struct curl_slist;

/* Prints one line that a shell takes, whatever the texts hold. A token stands in it
 * by where it came from. What hrwctl makes while it sends it is no file: such a
 * body is read from stdin, and a remark says what it is.
 *   headers       as they are sent
 *   base, socket  as client_address() gave them */
void verbose_print(const struct ctl *ctl, const struct ask *ask, const struct curl_slist *headers,
    const char *base, const char *socket_path, FILE *to);

#endif
