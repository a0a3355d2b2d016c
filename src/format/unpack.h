/*
 * unpack: gzip, xz and zstd behind one table.
 */
#ifndef ALIBI_FORMAT_UNPACK_H
#define ALIBI_FORMAT_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

struct pool;

/* Input and output of one step; step() moves the positions on. */
struct unpack_step {
	const char *in;
	size_t in_at, in_end;
	char *out;
	size_t out_at, out_end;
	bool last; /* no more input will come */
};

enum unpack_result {
	UNPACK_MORE,
	UNPACK_DONE,
	UNPACK_BROKEN,
	UNPACK_TOO_LARGE, /* it needs more memory than is allowed */
};

struct unpacker {
	const char *name, *suffix;
	const char *magic;
	size_t magic_length;
	void *(*open)(struct pool *pool); /* NULL: out of memory */
	enum unpack_result (*step)(void *state, struct unpack_step *step);
};

/* By the first bytes; NULL: not compressed. */
const struct unpacker *unpacker_for(const char *bytes, size_t length);
/* Does name end like that of a compressed file? */
bool unpacker_is_suffix_of(const char *name);
/* Does name end in this suffix, compressed (".gz") or not? */
bool unpacker_suffix_matches(const char *name, const char *suffix);

#endif
