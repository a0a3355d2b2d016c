/*
 * unknown: the writes of transactions of unknown outcome.
 *
 * Such a transaction may have committed at any time. So a read that finds one of its values
 * proves nothing, however much later it is, and its writes are remembered for good. They are
 * rare. If there are very many, a key with a write that is not remembered is marked, and no
 * unexpected read of that key proves anything.
 */
#ifndef ALIBI_STREAM_TIMESTAMPS_UNKNOWN_H
#define ALIBI_STREAM_TIMESTAMPS_UNKNOWN_H

#include "stream/timestamps/timestamps.h"

void unknown_add(struct timestamps *e, const struct inflight *t);
/* May a transaction of unknown outcome have written this value, or an element of this list? */
bool unknown_wrote(const struct timestamps *e, uint32_t key, struct value value);
void unknown_codec(struct timestamps *e, struct codec *c);

#endif
