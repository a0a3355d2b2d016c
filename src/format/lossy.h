/*
 * lossy: what the writers of formats that say less than a history share.
 *
 * Such a writer declares what its format can represent. lossy_check() holds the history against
 * that: what no verdict depends on is dropped, and the user is told (sink_drops); what would make
 * it another history is refused (sink_refuse), before anything is written.
 *
 * One thing is translated: the version of a key that no transaction wrote. In a history it is the
 * key's initial value, mostly null. The plain formats of other checkers spell it 0, or null, or
 * not at all. Where a key's initial value is null or 0, and no other version of the key is
 * spelled alike, the two spellings mean the same, and one is written for the other.
 */
#ifndef ALIBI_FORMAT_LOSSY_H
#define ALIBI_FORMAT_LOSSY_H

#include "format/sink.h"
#include "format/written.h"

enum initial_spelling {
	INITIAL_BY_WRITER, /* the format's writer says initial values, or refuses them itself */
	INITIAL_IS_ZERO,   /* 0 is always there, and may be written again */
	INITIAL_IS_NULL,   /* null, and 0 where no transaction writes 0 to the key */
	INITIAL_IS_SILENT, /* every value that is read was written */
};

/* Kinds of keys and values, as bits. */
enum { NON_NEGATIVE = 1, INTEGERS = 2, STRINGS = 4, ANY_KIND = 8 };

enum name_kinds { NO_NAMES, INTEGER_NAMES, ANY_NAMES };

/* What a format can represent. */
struct capabilities {
	unsigned keys, values;         /* kinds; null can always be read */
	enum name_kinds sessions, ids; /* NO_NAMES: they are numbered by position */
	enum initial_spelling initial;
	bool single_initial; /* and other initial values of single keys, non-negative integers */
	bool lists, deletes;
	bool unknown_status, aborts, empty_txns; /* the latter two are dropped otherwise */
	bool times, stamps, info, writers;
	bool source, skew, annotations;
};

void lossy_check(const struct history *h, struct sink *s, const struct capabilities *c);

/* What lossy_check() asks of the key and the value of every operation. */
void lossy_check_key(const struct history *h, struct sink *s, const struct capabilities *c,
                     uint32_t key);
void lossy_check_value(const struct history *h, struct sink *s, const struct capabilities *c,
                       uint32_t key, uint32_t value);

/* Integers for things with names: a name that is one stays, the others get fresh ones above
 * these and above floor. name() gives ALIBI_NULL for none. */
typedef alibi_value name_fn(const struct history *h, uint32_t i);
int64_t *integer_names(const struct history *h, struct sink *s, uint32_t count, name_fn *name,
                       int64_t floor);
alibi_value session_name(const struct history *h, uint32_t session);

/* "transaction <id>", for messages. */
const char *shown_txn(const struct history *h, struct sink *s, uint32_t txn);
const char *shown_key(const struct history *h, struct sink *s, uint32_t key);

/* Of an operation whose key and value are integers, as was checked; null is 0. */
static inline int64_t integer_key(const struct history *h, struct op o)
{
	return atoms_value(&h->keys, op_key(o)).integer;
}

static inline int64_t integer_value(const struct history *h, struct op o)
{
	return atoms_value(&h->values, o.value).integer;
}

/* A whole number from 0 on. */
static inline bool is_non_negative(alibi_value v)
{
	return v.kind == ALIBI_INT && v.integer >= 0;
}

#endif
