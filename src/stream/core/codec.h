/*
 * codec: the checkpoint codec, state as bytes and back.
 *
 * Each function handles one type in both directions: it writes the value it is given, or reads
 * into it. So the writer and the reader cannot drift apart. A struct has a table of its fields.
 * Integers take as many bytes as they need.
 *
 * A checkpoint ends in a digest of all bytes before it. The digest is checked before anything is
 * read, so a truncated or damaged checkpoint is rejected as a whole. Reads are bounds-checked all
 * the same.
 */
#ifndef ALIBI_STREAM_CORE_CODEC_H
#define ALIBI_STREAM_CORE_CODEC_H

#include "history/digest.h"
#include "stream/core/value.h"

enum { CODEC_BUFFER = 1 << 16 };

struct codec {
	struct guard *guard;
	struct store *store; /* owns the values that are read */
	struct digest digest;
	/* writing */
	alibi_write_fn *write; /* NULL: reading */
	void *data;
	unsigned char *buffer;
	size_t filled;
	/* reading */
	const unsigned char *at, *end;
};

void codec_write(struct codec *c, struct pool *pool, struct store *store, alibi_write_fn *write,
                 void *data);
void codec_read(struct codec *c, struct pool *pool, struct store *store, const unsigned char *bytes,
                size_t length);
void codec_end(struct codec *c);

/* Records without a digest: passes on the bytes written so far; reads one record. */
void codec_flush(struct codec *c);
void codec_open_record(struct codec *c, struct pool *pool, struct store *store, const void *bytes,
                       size_t length);

enum codec_error {
	CODEC_DAMAGED,
	CODEC_OTHER_SHARDS,  /* the keys were divided differently */
	CODEC_OTHER_OPTIONS, /* another level, session order or fence */
	CODEC_UNWRITTEN,
};
_Noreturn void codec_fail(struct guard *g, enum codec_error error);
/* The option had another value when the checkpoint was written. */
_Noreturn void codec_fail_option(struct guard *g, const char *option);
_Noreturn void codec_reject(const struct codec *c); /* damaged */

void codec_bytes(struct codec *c, void *bytes, size_t length);
/* The number of items that follow, each of at least one byte. */
void codec_count(struct codec *c, uint64_t *count);
/* A value whose word and kind are apart. */
void codec_split_value(struct codec *c, uint64_t *word, uint8_t *kind);

/* One function a type: codec_any() selects it. A value that is there before is not dropped. */
typedef void codec_function(struct codec *c, void *object);
codec_function codec_u64, codec_u32, codec_u8, codec_bool, codec_stamp, codec_value;

/* clang-format off */
#define CODEC_OF(object)                                                                           \
	_Generic(object, uint64_t: codec_u64, uint32_t: codec_u32, uint8_t: codec_u8,              \
	         bool: codec_bool, alibi_stamp: codec_stamp, struct value: codec_value)
/* clang-format on */
#define codec_any(c, object) CODEC_OF (*(object))(c, object)

/* A struct, by a table of its fields. */
struct codec_field {
	size_t offset;
	codec_function *function;
};
#define CODEC_FIELD(type, member)                                                                  \
	{                                                                                          \
		offsetof(type, member), CODEC_OF(((type *)0)->member)                              \
	}
#define codec_struct(c, object, fields)                                                            \
	codec_fields(c, object, fields, sizeof(fields) / sizeof *(fields))
void codec_fields(struct codec *c, void *object, const struct codec_field *fields, size_t count);

#endif
