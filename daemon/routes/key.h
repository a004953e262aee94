/*
 * key.h - what the lookups of one key have in common.
 */
#ifndef HRWD_ROUTES_KEY_H
#define HRWD_ROUTES_KEY_H

#include "core/settled.h"
#include "daemon/routes/common.h"

/* The key, the pool and the answer; counted, and with the epoch's headers.
 *   copies   0: each membership's own number */
int key_look_up(struct request *req, size_t copies, struct hrw_bytes *key, const struct pool **pool,
    struct hrw_lookup *look);

#endif
