/*
 * certificate: what the search found, as the bytes that verify.h reads.
 */
#ifndef ALIBI_CHECK_CERTIFICATE_H
#define ALIBI_CHECK_CERTIFICATE_H

#include "check/search.h"
#include "verify/verify.h"

typedef VEC(unsigned char) byte_vec;

byte_vec certificate_of(struct pool *pool, const struct history *h,
                        const struct verify_rules *rules, const struct search_result *found);

#endif
