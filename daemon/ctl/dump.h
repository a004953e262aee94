/*
 * dump.h - keys out of what caches print of themselves.
 *
 *     memcached  "lru_crawler metadump all": key=photo%207 exp=-1 la=… …, then END
 *     redis      "redis-cli --scan": a key a line as it is, or with --no-raw
 *                in quotes, "\x00photo"
 *
 * Source: memcached's doc/protocol.txt; redis-cli --help.
 */
#ifndef HRWD_CTL_DUMP_H
#define HRWD_CTL_DUMP_H

#include "core/error.h"
#include "daemon/buffer.h"

enum dump_kind { DUMP_MEMCACHED, DUMP_REDIS };

/* The key of one line (without its LF; a CR before it is none of it), put into
 * `key`, which is emptied before.
 *   returns  1: a key; 0: a line without one; BAD_KEY with why in the fault */
int dump_line(
    enum dump_kind kind, struct hrw_bytes line, struct buffer *key, struct hrw_fault *fault);

#endif
