/*
 * spill: keys of a watch in a file, with LMDB.
 *
 * Nothing in the file is needed once the watch has ended, however it did: a checkpoint
 * has all keys. So the file has no name from the moment it is open, nothing is made
 * durable, and there are no locks.
 */
#ifndef ALIBI_WATCH_SPILL_H
#define ALIBI_WATCH_SPILL_H

#include <alibi.h>

extern const alibi_store spill_store; /* its data is the name of a folder */

#endif
