/*
 * jepsen_model: the operations of Jepsen's models, as transactions.
 *
 * Jepsen has a checker for each; here each is a translation. A verdict and its certificate are
 * about the translated history, at the level of the model, as for any other.
 *
 * - list-append, rw-register: transactions as they are.
 * - register, cas-register: linearizability, which is sser with one operation a transaction. A
 *   failed compare-and-set without an :error found another value. One of unknown outcome takes
 *   effect only if it finds its value.
 * - mutex: the same, of a register that is free at first: acquire, release.
 * - long-fork: transactions as they are, at si.
 * - sequential: an operation is several transactions of its process, at ser, which is sequential
 *   consistency.
 * - set: all adds, and the last read, at sser.
 * - set-full: for each element its add, the first read that has it, and the last one that does not,
 *   if none that begins later has it, at sser.
 * - comments: writes, and reads without their times, at sser. A read that has a comment has those
 *   that were complete before it was begun.
 * - bank: each read as a read of one key, the total of all accounts, which is never written.
 * - counter: each read as a read of one key that says whether it is within its bounds.
 *
 * The last two are folds: what a certificate proves is only that a read has another total, or is
 * out of the bounds that are computed here.
 *
 * The order of operations in the file is real time, as in Jepsen: their indexes, or their places if
 * there are none. Transactions may have times instead.
 */
#ifndef ALIBI_FORMAT_JEPSEN_MODEL_H
#define ALIBI_FORMAT_JEPSEN_MODEL_H

#include "format/jepsen_call.h"

/* The model of this name; NULL: none was named. All operations have an index then, but
 * for transactions with times. */
const struct jepsen_model *jepsen_model_begin(struct jepsen_parser *r, const char *name);

#endif
