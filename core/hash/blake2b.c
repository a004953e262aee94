#include "core/hash/blake2b.h"

#include <blake2.h>

enum { DIGEST = 8 };

uint64_t
hrw_blake2b_join(struct hrw_bytes a, struct hrw_bytes b, struct hrw_bytes c)
{
	uint8_t digest[DIGEST];
	blake2b_state state;
	uint64_t h = 0;

	/* None of these fails for lengths that are right, and these are constant. */
	blake2b_init(&state, DIGEST);
	blake2b_update(&state, a.data, a.len);
	blake2b_update(&state, b.data, b.len);
	blake2b_update(&state, c.data, c.len);
	blake2b_final(&state, digest, DIGEST);
	for (size_t i = 0; i < DIGEST; i++)
		h = h << 8 | digest[i];
	return h;
}

uint64_t
hrw_blake2b(struct hrw_bytes text)
{
	return hrw_blake2b_join(text, hrw_bytes(NULL, 0), hrw_bytes(NULL, 0));
}
