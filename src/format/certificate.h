/*
 * certificate: the bytes of a certificate, in and out.
 *
 * One line of text (its version, the level, whether session order and clocks count, a
 * digest of the history, the verdict), then numbers, seven bits a byte, least first. The search
 * writes them (check/certificate.h), the verifier reads them (verify/verify.h), and
 * docs/certificates.md defines them.
 */
#ifndef ALIBI_FORMAT_CERTIFICATE_H
#define ALIBI_FORMAT_CERTIFICATE_H

#include "base/vec.h"
#include "history/digest.h"

#include <stdbool.h>

typedef VEC(unsigned char) byte_vec;
typedef VEC(uint32_t) word_vec;

struct certificate {
	char level[16];
	bool session;  /* session order counts */
	bool clocks;   /* so do the clients' clocks, … */
	uint64_t skew; /* … which may differ by so much */
	bool valid;    /* else it refutes */
	struct digest digest;
	const unsigned char *at, *end; /* reading: the numbers left */
};

/* Writes the first line; the numbers follow. */
void certificate_begin(struct pool *pool, byte_vec *bytes, const struct certificate *c);
void certificate_put(struct pool *pool, byte_vec *bytes, uint32_t number);
/* A difference of two numbers: small if they are near each other. */
void certificate_put_step(struct pool *pool, byte_vec *bytes, uint32_t from, uint32_t to);

/* Reads the first line; false: it is not a certificate of this version. */
bool certificate_open(struct certificate *c, const unsigned char *bytes, size_t length);
/* False: the bytes end here, or are not a number. */
bool certificate_get(struct certificate *c, uint32_t *number);
bool certificate_get_step(struct certificate *c, uint32_t *number);
/* A kind, how many words there are, and the words. */
bool certificate_get_words(struct certificate *c, struct pool *pool, uint32_t *kind,
                           word_vec *words);

#endif
