/*
 * first_read: reads of values that no transaction wrote, and initial values that follow from them.
 *
 * Problem. A first history usually begins with what was there: ["r","x",100]. Unless the header
 * states it, x is initially absent, and the read is one of a value from nowhere.
 *
 * Definitions. A read is unwritten if its transaction committed and had not written the key before,
 * it names no transaction as its writer, the key is no list, and no transaction of the history,
 * whatever its outcome, writes this value to the key. The value is then the initial one, or
 * garbage. first_read_bind() states: each key without an initial value of its own has that of its
 * first unwritten read, in the order of the history; a key without such reads has the default.
 *
 * Invariant. If a key has unwritten reads of several values, all but one of these are garbage,
 * whichever is the initial one. So which one is taken changes no verdict.
 *
 * An opaque update (opaque_update.h) may have written what no recorded write did. With such updates
 * nothing can be said.
 *
 * Cost. Two passes, and 12 to 24 bytes for each write while they last.
 */
#ifndef ALIBI_HISTORY_FIRST_READ_H
#define ALIBI_HISTORY_FIRST_READ_H

#include "history/query.h"

typedef VEC(uint32_t) op_vec;

/* The unwritten reads of a key, or, if it is ID_NONE, of all keys. No update is opaque. */
op_vec first_read_unwritten(struct pool *pool, const struct history *h, uint32_t key);

/* For a reader that has just made the history. */
void first_read_bind(struct history *h);

#endif
