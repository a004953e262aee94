#include "core/hash/memcached.h"

#include "core/hash/crc.h"
#include "core/hash/fnv1a.h"
#include "core/hash/md5.h"
#include "core/hash/murmur2.h"

uint32_t
hrw_memcached_md5(struct hrw_bytes text)
{
	uint8_t digest[16];

	hrw_md5(text, digest);
	return hrw_md5_word(digest, 0);
}

uint32_t
hrw_memcached_crc(struct hrw_bytes text)
{
	return hrw_crc32(text) >> 16 & 0x7fff;
}

uint32_t
hrw_memcached_fnv1_32(struct hrw_bytes text)
{
	return hrw_fnv1_32_signed(text, HRW_FNV32_OFFSET, HRW_FNV32_PRIME);
}

uint32_t
hrw_memcached_fnv1a_32(struct hrw_bytes text)
{
	return hrw_fnv1a32_signed(text, HRW_FNV32_OFFSET, HRW_FNV32_PRIME);
}

uint32_t
hrw_memcached_fnv1_64(struct hrw_bytes text)
{
	return hrw_fnv1_32_signed(text, (uint32_t)HRW_FNV64_OFFSET, (uint32_t)HRW_FNV64_PRIME);
}

uint32_t
hrw_memcached_fnv1a_64(struct hrw_bytes text)
{
	return hrw_fnv1a32_signed(text, (uint32_t)HRW_FNV64_OFFSET, (uint32_t)HRW_FNV64_PRIME);
}

uint32_t
hrw_memcached_murmur(struct hrw_bytes text)
{
	return hrw_murmur2(text, 0xdeadbeefu * (uint32_t)text.len);
}
