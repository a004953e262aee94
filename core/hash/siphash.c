#include "core/hash/siphash.h"

#include <sodium.h>

uint64_t
hrw_siphash(struct hrw_bytes text, const uint8_t secret[16])
{
	uint8_t digest[crypto_shorthash_siphash24_BYTES];
	uint64_t h = 0;

	crypto_shorthash_siphash24(digest, text.data, text.len, secret);
	for (size_t i = sizeof(digest); i-- > 0;)
		h = h << 8 | digest[i];
	return h;
}
