/*
 * manual.h - manual pages and completion of hrwd, from the tables of its flags and
 * options; run when it is built.
 */
#ifndef HRWD_MANUAL_MANUAL_H
#define HRWD_MANUAL_MANUAL_H

#include "daemon/base/buffer.h"

/* roff: hrwd(8) and hrwd.json(5). */
void pages_daemon(struct buffer *out);
void pages_config(struct buffer *out);

/* Scripts that complete hrwd's flags. */
void shells_bash(struct buffer *out);
void shells_zsh(struct buffer *out);
void shells_fish(struct buffer *out);

#endif
