/*
 * csv.h - fields of a CSV line, as RFC 4180 has them.
 */
#ifndef HRWD_BASE_CSV_H
#define HRWD_BASE_CSV_H

#include "core/bytes.h"
#include "daemon/base/buffer.h"

/* A field, quoted where it must be. */
void csv_text(struct buffer *out, struct hrw_bytes text);

/* A key as two fields, key and key_base64: one of them is empty. */
void csv_key(struct buffer *out, struct hrw_bytes key);

#endif
