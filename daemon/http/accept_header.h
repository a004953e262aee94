/*
 * accept_header.h - which of the media types on offer a client likes best.
 *
 * Source: RFC 9110, 12.5.1.
 */
#ifndef HRWD_HTTP_ACCEPT_HEADER_H
#define HRWD_HTTP_ACCEPT_HEADER_H

/* An index into `types` (ended by NULL): the highest weight wins; 0 on a tie, for
 * no match, and where no Accept was sent (NULL). */
int accept_header_choose(const char *accept, const char *const *types);

#endif
