/*
 * ids: dense 32-bit numbers of things, from 0, and the one number that names nothing.
 *
 * Transactions, operations, keys, values, components, places in arrays: whatever is named by a
 * 32-bit number says "none" with ID_NONE. Limits elsewhere (history.h) keep real numbers below it.
 */
#ifndef ALIBI_BASE_IDS_H
#define ALIBI_BASE_IDS_H

#include <stdint.h>

#define ID_NONE UINT32_MAX

#endif
