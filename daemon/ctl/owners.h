/*
 * owners.h - the owners, or holders, of several keys: one request, so that one epoch
 * answers.
 */
#ifndef HRWD_CTL_OWNERS_H
#define HRWD_CTL_OWNERS_H

#include "daemon/ctl/ctl.h"

/* Are the arguments more than one key, or "-", the keys on stdin? */
bool owners_are_asked(const struct ctl *ctl);

/* Prints a line with key, tab and owner each, or its holders: --copies of them, or as
 * many as the pool keeps. An enum ctl_exit. */
int owners_ask(struct ctl *ctl, bool all_holders);

#endif
