/*
 * trouble.h - why there was no answer: files of the user's, or the other side.
 */
#ifndef HRWD_CTL_TROUBLE_H
#define HRWD_CTL_TROUBLE_H

#include <stddef.h>

#include "daemon/ctl/ctl.h"

enum { TROUBLE_WHY = 512 };

/* Can the files of --ca, --certificate and --certificate-key be read? 0, or
 * CTL_USAGE after saying which cannot. */
int trouble_files(const struct ctl *ctl);

/* What a failed request of curl's comes to.
 *   base     the address that was asked: "https://…"
 *   code     a CURLcode, not CURLE_OK
 *   said     curl's own words
 *   why      receives them for people, and what to do about it where that is known
 *   returns  0: nobody answers there; CTL_USAGE after saying why: a certificate or
 *            key is no such thing */
int trouble_judge(
    const struct ctl *ctl, const char *base, int code, const char *said, char why[TROUBLE_WHY]);

#endif
