/*
 * visible: the steps of a refutation at the levels that have no common state.
 *
 * Literals here are choices: (op, CHOICE | n), "op reads from its n-th candidate". See
 * docs/certificates.md and replay/visible.h.
 */
#ifndef ALIBI_VERIFY_VISIBLE_H
#define ALIBI_VERIFY_VISIBLE_H

#include "verify/rules.h"

bool visible_choices(struct judge *j, struct step *s);
bool visible_cycle(struct judge *j, struct step *s);

#endif
