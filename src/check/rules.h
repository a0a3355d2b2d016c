/*
 * rules: which rules does an order violate?
 *
 * One walk along the order, as a replay would go: what each key holds is known at
 * each event, so each read, and each commit of a key that another transaction
 * commits too, is checked at once. Each violated rule becomes a clause, false in the
 * present order, and a step of the proof (clauses.h).
 *
 * A query says something of every key of its relation. These rules are never written
 * down unless an order violates them: the walk knows what each key holds at the query,
 * and checks whether that explains its result (rules_query.c). Lists have rules of their own
 * (rules_list.c).
 *
 * Cost. Linear in reads and writes; for lists whose elements repeat, in the
 * elements; for each query, in its rows, and with a quick look at the keys of its relation.
 */
#ifndef ALIBI_CHECK_RULES_H
#define ALIBI_CHECK_RULES_H

#include "check/lemma.h"
#include "check/outcome.h"
#include "check/rules_list.h"
#include "check/rules_query.h"

struct rules {
	struct clauses *c;
	uint32_t placed; /* transactions before the first rule that the latest order violates */
	struct walk walk;
	struct writers writers; /* with queries */
	struct outcomes outcomes;
	struct list_rules lists;
	struct query_rules queries;
};

void rules_init(struct rules *r, struct clauses *c, struct lemmas *lemmas);

/* Adds a clause for each rule that the present order violates; how many. */
size_t rules_add_violated(struct rules *r);
/* How many it violates, without adding anything. */
size_t rules_count_violated(struct rules *r);
/* Derives what follows from the queries whose rules an order by the known edges and the hint
 * violates; how many edges. */
size_t rules_infer(struct rules *r, struct saturation *s, const uint64_t *hint);

#endif
