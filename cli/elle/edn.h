/*
 * edn: values as EDN, or as JSON, where keywords are strings.
 */
#ifndef ALIBI_CLI_ELLE_EDN_H
#define ALIBI_CLI_ELLE_EDN_H

#include "text.h"

#include <alibi.h>
#include <stdbool.h>

/* In a history read from EDN, a string that begins with a colon was a keyword. */
void edn_value(struct text *t, const alibi_value *v, bool json);
void edn_keyword(struct text *t, const char *word, bool json);
void edn_string(struct text *t, const char *bytes, size_t length);

#endif
