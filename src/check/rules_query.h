/* rules_query: which rules about queries does an order violate? See rules.h. */
#ifndef ALIBI_CHECK_RULES_QUERY_H
#define ALIBI_CHECK_RULES_QUERY_H

#include "check/lemma.h"
#include "check/outcome.h"
#include "check/query_inference.h"

struct query_rules {
	struct clauses *c;
	struct lemmas *lemmas;
	const struct walk *walk;
	struct rows *rows; /* of the walk */
	struct writers *writers;
	struct outcomes *outcomes;
	uint32_t *own, own_now;       /* by key: the transaction at hand wrote it before */
	uint32_t *done, done_now;     /* by key: the query at hand excepts it, or it was checked */
	struct saturation *inferring; /* where edges are derived instead of clauses added */
	size_t inferred;
	const struct saturation *known; /* what saturation derived; NULL: it was not run */
	struct map settled;             /* known pairs of nodes that are clauses already */
};

void query_rules_init(struct query_rules *r, struct clauses *c, struct lemmas *lemmas,
                      struct walk *walk, struct writers *writers, struct outcomes *outcomes);
/* Checks the queries of a transaction where the walk is. */
void check_queries(struct query_rules *r, uint32_t slot);

#endif
