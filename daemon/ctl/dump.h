/*
 * dump.h - keys out of what caches print of themselves.
 *
 *     memcached  "lru_crawler metadump all": key=photo%207 exp=-1 la=… …, then END
 *     redis      "redis-cli --scan": a key a line as it is
 *     quoted     "redis-cli --no-raw --scan": every key in quotes, "\x00photo"
 *
 * Which of the last two it is no line tells: a key may have quotes of its own.
 *
 * Source: memcached's doc/protocol.txt; redis-cli --help.
 */
#ifndef HRWD_CTL_DUMP_H
#define HRWD_CTL_DUMP_H

#include "core/error.h"
#include "daemon/base/buffer.h"

enum dump_kind { DUMP_MEMCACHED, DUMP_REDIS, DUMP_REDIS_QUOTED };

enum dump_found {
	DUMP_NOTHING,
	DUMP_KEY,
	DUMP_EMPTY_KEY, /* which Redis has, and hrwd cannot place */
	DUMP_END,	/* of memcached's: the dump is whole */
};

/* The key of one line (without its LF), put into `key`, which is emptied before. A CR
 * at the end is a part of a key of redis, and of no other.
 *   returns  an enum dump_found; BAD_KEY with why in the fault */
int dump_line(
    enum dump_kind kind, struct hrw_bytes line, struct buffer *key, struct hrw_fault *fault);

#endif
