#include "core/hash/xxh64.h"

#include <xxhash.h>

uint64_t
hrw_xxh64(struct hrw_bytes text)
{
	return XXH64(text.data, text.len, 0);
}

uint64_t
hrw_xxh64_seeded(struct hrw_bytes text, uint64_t seed)
{
	return XXH64(text.data, text.len, seed);
}
