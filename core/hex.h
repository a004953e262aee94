/*
 * hex.h - hexadecimal digits, in either case.
 */
#ifndef HRW_HEX_H
#define HRW_HEX_H

#include <stdint.h>

/* The digit's number; -1: it is none. */
static inline int
hrw_hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#endif
