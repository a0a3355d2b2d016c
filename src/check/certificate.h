/*
 * certificate: what the search found, as the bytes that the verifier reads
 * (format/certificate.h, verify/verify.h).
 */
#ifndef ALIBI_CHECK_CERTIFICATE_H
#define ALIBI_CHECK_CERTIFICATE_H

#include "check/search.h"
#include "format/certificate.h"
#include "verify/verify.h"

byte_vec certificate_of(struct pool *pool, const struct history *h,
                        const struct verify_rules *rules, const struct search_result *found);

#endif
