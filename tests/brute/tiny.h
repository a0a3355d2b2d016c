/*
 * tiny: histories small enough for brute force, in plain arrays of fixed size.
 *
 * Keys are 0 to TINY_KEYS - 1, values are small integers or TINY_NULL. Transactions
 * stand in the order of the file; those of one session are in session order.
 */
#ifndef TESTS_BRUTE_TINY_H
#define TESTS_BRUTE_TINY_H

#include "alibi.h"

enum {
	TINY_TXNS = 7,
	TINY_OPS = 4, /* a transaction */
	TINY_KEYS = 3,
	TINY_LIST = TINY_TXNS * TINY_OPS,
	TINY_NULL = -1,    /* a value: the key is absent */
	TINY_INITIAL = -1, /* as a writer: the initial value */
	TINY_LEVELS = 7,
};

struct tiny_list {
	int count, items[TINY_LIST];
};

struct tiny_op {
	enum alibi_op_kind kind;
	int key;
	int value;             /* of a list read: not used */
	struct tiny_list list; /* what a read of a list key returned */
	bool has_from;
	int from; /* the id of the writer, as the database says, or TINY_INITIAL */
};

struct tiny_txn {
	int id, session;
	bool alone; /* it is the only one of its session, which has no name */
	enum alibi_status status;
	unsigned has; /* ALIBI_HAS_BEGIN, ALIBI_HAS_END */
	int begin, end;
	int op_count;
	struct tiny_op ops[TINY_OPS];
};

struct tiny {
	bool is_list[TINY_KEYS];
	int initial[TINY_KEYS]; /* of keys that are no lists */
	int initial_default;    /* where initial[] says nothing else */
	bool no_sessions;       /* session order does not count */
	int txn_count;
	struct tiny_txn txns[TINY_TXNS];
};

/* generate.c: the history number `index` of this seed. */
void tiny_generate(struct tiny *h, uint64_t seed, uint64_t index);

/* build.c: one history of several, whose transactions take turns; NULL: it cannot be built. */
const alibi_history *tiny_build(alibi *a, const struct tiny *h, int tenants);

/* brute.c: the verdict by trying all orders; level: 0 to TINY_LEVELS - 1. */
enum alibi_verdict brute(const struct tiny *h, int level);
const char *brute_level(int level);

/* weak.c: the same at the levels where it matters which transactions one sees. */
enum brute_visible { BRUTE_STATE, BRUTE_EARLIER, BRUTE_DIRECT, BRUTE_CAUSAL };
bool brute_weak(const struct tiny *h, enum brute_visible visible);

#endif
