/*
 * java.h - hashCode() of Java's String, Integer, Long and UUID.
 *
 * Source: the documentation of java.lang and java.util, Java SE.
 */
#ifndef HRW_HASH_JAVA_H
#define HRW_HASH_JAVA_H

#include "core/bytes.h"

/* Of the text's UTF-16 code units; the text must be UTF-8. */
uint32_t hrw_java_string(struct hrw_bytes text);

/* Of an Integer, whose 32 bits are the low ones: itself. */
static inline uint32_t
hrw_java_int(uint64_t number)
{
	return (uint32_t)number;
}

static inline uint32_t
hrw_java_long(uint64_t number)
{
	return (uint32_t)(number ^ number >> 32);
}

/* Of the UUID's bytes as they are written. */
uint32_t hrw_java_uuid(const uint8_t uuid[16]);

#endif
