#include "core/hash/md5.h"

#include <md5.h>

void
hrw_md5(struct hrw_bytes text, uint8_t out[16])
{
	MD5_CTX context;

	MD5Init(&context);
	MD5Update(&context, text.data, text.len);
	MD5Final(out, &context);
}
