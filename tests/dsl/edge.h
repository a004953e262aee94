/*
 * edge.h - bytes that end where memory ends: one read too far is a crash.
 */
#ifndef TESTS_EDGE_H
#define TESTS_EDGE_H

#include "core/bytes.h"

/* A copy of the bytes, its last byte before an unreadable page. Good until the
 * next call. At most 64 KiB. */
struct hrw_bytes at_edge(struct hrw_bytes bytes);

#endif
