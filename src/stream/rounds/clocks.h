/*
 * clocks: the engine that searches in rounds, by the clients' clocks.
 *
 * A client says when a transaction began and ended. Clocks differ by at most the skew, which the
 * user or the stream declares. The watermark follows the newest end at a distance (horizon and
 * longest), or comes from outside.
 */
#ifndef ALIBI_STREAM_ROUNDS_CLOCKS_H
#define ALIBI_STREAM_ROUNDS_CLOCKS_H

#include "stream/core/core.h"

extern const struct engine clocks_engine;

#endif
