/*
 * spill: keys of a watch in a file, with LMDB.
 *
 * The file is not needed after the watch has ended, however it ended: a checkpoint has all keys. So
 * it is unlinked as soon as it is open, never synced, and has no locks.
 */
#ifndef ALIBI_WATCH_SPILL_H
#define ALIBI_WATCH_SPILL_H

#include <alibi.h>

extern const alibi_store spill_store; /* its data is the name of a directory */

#endif
