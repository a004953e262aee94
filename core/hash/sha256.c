#include <sodium.h>

#include "core/hash/sha256.h"

void
hrw_sha256(struct hrw_bytes text, uint8_t out[HRW_SHA256_BYTES])
{
	crypto_hash_sha256(out, text.data, text.len);
}

void
hrw_sha256_join(struct hrw_bytes a, struct hrw_bytes b, uint8_t out[HRW_SHA256_BYTES])
{
	static const uint8_t nul[1];
	crypto_hash_sha256_state state;

	crypto_hash_sha256_init(&state);
	crypto_hash_sha256_update(&state, a.data, a.len);
	crypto_hash_sha256_update(&state, nul, 1);
	crypto_hash_sha256_update(&state, b.data, b.len);
	crypto_hash_sha256_update(&state, nul, 1);
	crypto_hash_sha256_final(&state, out);
}
