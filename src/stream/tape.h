/*
 * tape: state as bytes, and back.
 *
 * One function a type, which writes what it is shown or reads into it, so that what is
 * written and what is read cannot differ. Numbers take as many bytes as they need.
 *
 * A tape ends in a digest of all that stands before it, which is looked at before
 * anything is read: what was cut off or damaged is refused as a whole. What is read is
 * checked against the end all the same.
 */
#ifndef ALIBI_STREAM_TAPE_H
#define ALIBI_STREAM_TAPE_H

#include "history/digest.h"
#include "stream/value.h"

enum { TAPE_BUFFER = 1 << 16 };

struct tape {
	struct guard *guard;
	struct store *store; /* of the values that are read */
	struct digest digest;
	/* writing */
	alibi_write_fn *write; /* NULL: it is being read */
	void *data;
	unsigned char *buffer;
	size_t filled;
	/* reading */
	const unsigned char *at, *end;
};

void tape_write(struct tape *t, struct pool *pool, struct store *store, alibi_write_fn *write,
                void *data);
void tape_read(struct tape *t, struct pool *pool, struct store *store, const unsigned char *bytes,
               size_t length);
void tape_end(struct tape *t);
/* A part of one, without a digest: hands over what was written so far; reads. */
void tape_flush(struct tape *t);
void tape_open(struct tape *t, struct pool *pool, struct store *store, const void *bytes,
               size_t length);

/* The tape is not what it should be. */
_Noreturn void tape_refuse(struct tape *t);
_Noreturn void tape_damaged(struct guard *g);
_Noreturn void tape_of_others(struct guard *g);  /* that divided the keys otherwise */
_Noreturn void tape_of_another(struct guard *g); /* that judged otherwise */
/* That began with another such option. */
_Noreturn void tape_of_option(struct guard *g, const char *option);
/* It could not be written. */
_Noreturn void tape_unwritten(struct guard *g);

void tape_bytes(struct tape *t, void *bytes, size_t length);
void tape_count(struct tape *t, uint64_t *n);
void tape_u32(struct tape *t, uint32_t *n);
void tape_u8(struct tape *t, uint8_t *n);
void tape_flag(struct tape *t, bool *flag);
void tape_stamp(struct tape *t, alibi_stamp *stamp);
/* Lists too. What was there before is not dropped. */
void tape_value(struct tape *t, struct value *v);

#endif
