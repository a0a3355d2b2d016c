/* fingerprint: a hash of bytes, to recognise them (FNV-1a). */
#ifndef ALIBI_WATCH_FINGERPRINT_H
#define ALIBI_WATCH_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t fingerprint(const void *bytes, size_t length)
{
	const unsigned char *b = bytes;
	uint64_t f = 0xcbf29ce484222325u;
	for (size_t i = 0; i < length; i++)
		f = (f ^ b[i]) * 0x100000001b3u;
	return f;
}

#endif
