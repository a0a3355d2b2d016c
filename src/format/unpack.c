/*
 * unpack: see unpack.h. Each step unpacks as much as input and output allow;
 * several members or frames one after another are one input, as with the
 * command-line tools.
 */
#include "format/unpack.h"

#include "base/guard.h"
#include "base/pool.h"

#include <lzma.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

/* A compressed file declares the window it needs, and may lie. zstd's own tool stops at 128 MiB;
 * xz -9 needs 65 MiB. */
enum {
	GZIP_WINDOW = 15 + 16,
	XZ_BYTES_MAX = 256 << 20,
	ZSTD_LOG_MIN = 10,
	ZSTD_LOG_MAX = 27,
};

/* zlib and liblzma take their memory from the pool, so it is counted. */
static void *pool_calloc_for_lzma(void *pool, size_t count, size_t size)
{
	return pool_array(pool, count, size);
}

static void *pool_calloc_for_zlib(void *pool, unsigned count, unsigned size)
{
	return pool_array(pool, count, size);
}

static void pool_free_for_both(void *pool, void *block)
{
	pool_free(pool, block);
}

/* ---- gzip ---- */

static void *gzip_open(struct pool *pool)
{
	z_stream *z = pool_zalloc(pool, sizeof *z);
	z->zalloc = pool_calloc_for_zlib;
	z->zfree = pool_free_for_both;
	z->opaque = pool;
	return inflateInit2(z, GZIP_WINDOW) == Z_OK ? z : NULL;
}

static unsigned as_uint(size_t n)
{
	return n > 1u << 30 ? 1u << 30 : (unsigned)n;
}

static enum unpack_result gzip_step(void *state, struct unpack_step *s)
{
	z_stream *z = state;
	z->next_in = (unsigned char *)(uintptr_t)(s->in + s->in_at);
	z->avail_in = as_uint(s->in_end - s->in_at);
	z->next_out = (unsigned char *)s->out + s->out_at;
	z->avail_out = as_uint(s->out_end - s->out_at);
	int result = inflate(z, Z_NO_FLUSH);
	s->in_at = s->in_end - z->avail_in;
	s->out_at = s->out_end - z->avail_out;
	if (result == Z_STREAM_END) {
		if (s->last && s->in_at == s->in_end)
			return UNPACK_DONE;
		return inflateReset(z) == Z_OK ? UNPACK_MORE : UNPACK_BROKEN;
	}
	if (result == Z_BUF_ERROR && s->last && s->in_at == s->in_end && s->out_at < s->out_end)
		return z->total_in == 0 ? UNPACK_DONE : UNPACK_BROKEN;
	return result == Z_OK || result == Z_BUF_ERROR ? UNPACK_MORE : UNPACK_BROKEN;
}

/* ---- xz ---- */

struct xz {
	lzma_stream stream;
	lzma_allocator allocator;
};

static void *xz_open(struct pool *pool)
{
	struct xz *x = pool_zalloc(pool, sizeof *x);
	x->allocator = (lzma_allocator){
	        .alloc = pool_calloc_for_lzma, .free = pool_free_for_both, .opaque = pool};
	x->stream = (lzma_stream)LZMA_STREAM_INIT;
	x->stream.allocator = &x->allocator;
	lzma_ret result = lzma_stream_decoder(&x->stream, XZ_BYTES_MAX, LZMA_CONCATENATED);
	return result == LZMA_OK ? x : NULL;
}

static enum unpack_result xz_step(void *state, struct unpack_step *s)
{
	struct xz *x = state;
	x->stream.next_in = (const unsigned char *)s->in + s->in_at;
	x->stream.avail_in = s->in_end - s->in_at;
	x->stream.next_out = (unsigned char *)s->out + s->out_at;
	x->stream.avail_out = s->out_end - s->out_at;
	lzma_ret result = lzma_code(&x->stream, s->last ? LZMA_FINISH : LZMA_RUN);
	s->in_at = s->in_end - x->stream.avail_in;
	s->out_at = s->out_end - x->stream.avail_out;
	if (result == LZMA_STREAM_END)
		return UNPACK_DONE;
	if (result == LZMA_MEMLIMIT_ERROR)
		return UNPACK_TOO_LARGE;
	return result == LZMA_OK ? UNPACK_MORE : UNPACK_BROKEN;
}

/* ---- zstd ---- */

struct zst {
	ZSTD_DCtx *context;
	struct guard *guard;
	size_t counted; /* bytes taken from the guard for it */
	bool between;   /* frames: the input may end here */
};

static void zst_free(void *state)
{
	struct zst *z = state;
	ZSTD_freeDCtx(z->context);
	guard_give(z->guard, z->counted);
}

/* zstd's memory is counted only after it is allocated, so a window beyond the limit is refused
 * before. */
static int largest_window(const struct guard *g)
{
	int log = ZSTD_LOG_MAX;
	while (log > ZSTD_LOG_MIN && g->max_memory && g->max_memory - g->used < (size_t)1 << log)
		log--;
	return log;
}

static void *zst_open(struct pool *pool)
{
	struct zst *z = pool_zalloc(pool, sizeof *z);
	z->guard = pool_guard(pool);
	z->between = true;
	z->context = ZSTD_createDCtx();
	if (!z->context)
		return NULL;
	ZSTD_DCtx_setParameter(z->context, ZSTD_d_windowLogMax, largest_window(z->guard));
	pool_defer(pool, zst_free, z);
	return z;
}

static enum unpack_result zst_step(void *state, struct unpack_step *s)
{
	struct zst *z = state;
	ZSTD_inBuffer in = {.src = s->in, .size = s->in_end, .pos = s->in_at};
	ZSTD_outBuffer out = {.dst = s->out, .size = s->out_end, .pos = s->out_at};
	size_t result = ZSTD_decompressStream(z->context, &out, &in);
	size_t now = ZSTD_sizeof_DCtx(z->context), before = z->counted;
	bool moved = in.pos > s->in_at || out.pos > s->out_at;
	s->in_at = in.pos;
	s->out_at = out.pos;
	if (now > before) {
		guard_take(z->guard, now - before);
		z->counted = now;
	}
	if (ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge)
		return UNPACK_TOO_LARGE;
	if (ZSTD_isError(result))
		return UNPACK_BROKEN;
	if (moved)
		z->between = result == 0;
	if (s->last && s->in_at == s->in_end && s->out_at < s->out_end)
		return z->between ? UNPACK_DONE : UNPACK_BROKEN;
	return UNPACK_MORE;
}

static const struct unpacker unpackers[] = {
        {"gzip", ".gz", "\x1f\x8b", 2, gzip_open, gzip_step},
        {"xz", ".xz",
         "\xfd"
         "7zXZ\0",
         6, xz_open, xz_step},
        {"zstd", ".zst", "\x28\xb5\x2f\xfd", 4, zst_open, zst_step},
};
enum { UNPACKERS = sizeof unpackers / sizeof *unpackers };

const struct unpacker *unpacker_for(const char *bytes, size_t length)
{
	for (size_t i = 0; i < UNPACKERS; i++)
		if (length >= unpackers[i].magic_length &&
		    !memcmp(bytes, unpackers[i].magic, unpackers[i].magic_length))
			return &unpackers[i];
	return NULL;
}

static bool ends_in(const char *name, size_t length, const char *suffix)
{
	size_t n = strlen(suffix);
	return length > n && !memcmp(name + length - n, suffix, n);
}

bool unpacker_is_suffix_of(const char *name)
{
	for (size_t i = 0; i < UNPACKERS; i++)
		if (ends_in(name, strlen(name), unpackers[i].suffix))
			return true;
	return false;
}

bool unpacker_suffix_matches(const char *name, const char *suffix)
{
	size_t length = strlen(name);
	if (ends_in(name, length, suffix))
		return true;
	for (size_t i = 0; i < UNPACKERS; i++)
		if (ends_in(name, length, unpackers[i].suffix) &&
		    ends_in(name, length - strlen(unpackers[i].suffix), suffix))
			return true;
	return false;
}
