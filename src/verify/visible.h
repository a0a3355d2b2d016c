/*
 * visible: the steps of a refutation at the levels that have no common state.
 *
 * Literals here are choices: (op, CHOICE | n), "op reads from its n-th candidate". See
 * docs/certificates.md and replay/visible.h.
 */
#ifndef ALIBI_VERIFY_VISIBLE_H
#define ALIBI_VERIFY_VISIBLE_H

#include "format/certificate.h"
#include "verify/claims.h"
#include "verify/refutation.h"

bool visible_choices(struct refutation *r, struct step *s, const uint32_t *w, size_t n);
bool visible_cycle(struct refutation *r, struct step *s, const uint32_t *w, size_t n);

/* Does the order hold? Behind it in the certificate stand the choices of reads with several
 * candidate writers. */
bool visible_order(struct pool *pool, const struct history *h, struct replay_rules rules,
                   const replay_event *events, size_t count, struct certificate *c,
                   uint32_t *wrong);

#endif
