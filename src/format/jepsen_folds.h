/*
 * jepsen_folds: Jepsen's models whose checkers look at one read at a time (jepsen_model.h): bank
 * and counter; and sequential, whose operations are several transactions.
 *
 * bank. The accounts are those of the first read, and its total is the total of all, unless an
 * initial value was given. A read of another total reads a value of the key "total" that was never
 * written. So do reads of other accounts, of accounts without a balance, and of negative balances,
 * of keys that say so.
 *
 * counter. A read returns at least what was surely added before it was invoked, and at most what
 * may have been added when it returned. Negative numbers may be added, too. A read out of these
 * bounds reads a value of the key "counter" that was never written.
 */
#ifndef ALIBI_FORMAT_JEPSEN_FOLDS_H
#define ALIBI_FORMAT_JEPSEN_FOLDS_H

#include "format/jepsen_call.h"

#define BANK_NEGATIVE "bank-negative-balances"

void finish_bank(struct jepsen_parser *r);
void finish_counter(struct jepsen_parser *r);
void finish_sequential(struct jepsen_parser *r);

#endif
