/*
 * meaning: what the database's timestamps mean, by the names of the header's "timestamps".
 */
#ifndef ALIBI_FORMAT_MEANING_H
#define ALIBI_FORMAT_MEANING_H

#include "history/history.h"

/* NULL: not said. */
const char *meaning_name(enum stamp_meaning meaning);

/* False: there is no such meaning. */
bool meaning_named(const char *name, size_t length, enum stamp_meaning *meaning);

#endif
