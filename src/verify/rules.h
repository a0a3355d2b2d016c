/* rules: the steps of a refutation that speak of the history. See verify.h. */
#ifndef ALIBI_VERIFY_RULES_H
#define ALIBI_VERIFY_RULES_H

#include "verify/refutation.h"

/* Does the step hold? Fills its clause. */
bool rules_check(struct refutation *r, struct step *s);

#endif
