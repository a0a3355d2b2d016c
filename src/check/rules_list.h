/*
 * rules_list: which rules about lists does an order violate? See rules.h.
 *
 * Where elements are unique a list shows its appenders and their order, which are known from the
 * start (order/known.h). A transaction that appends and is not in the list comes after the read.
 *
 * Where elements repeat, there are four rules. A list that is read after another one begins with
 * that. If some transactions appended an element more often than it was read, not all of
 * them are before the read; if all but some did so less often, not all of those are after it.
 * And the appenders in their order do not make up the list: a rule that excludes little more
 * than this order, and comes last.
 */
#ifndef ALIBI_CHECK_RULES_LIST_H
#define ALIBI_CHECK_RULES_LIST_H

#include "check/clauses.h"
#include "order/writers.h"

struct last_read {
	uint32_t slot; /* ID_NONE: there was none */
	uint32_t read; /* in problem.list_reads */
};

struct list_rules {
	struct clauses *c;
	slot_vec *appenders;     /* by key: in the order of the walk; NULL: there are no lists */
	slot_vec *all_appenders; /* by key, where elements repeat: in the order of the history */
	struct last_read *last;  /* by key, where elements repeat: in the walk */
	uint32_t *marked, mark;  /* by slot */
};

void list_rules_init(struct list_rules *l, struct clauses *c);
void list_rules_restart(struct list_rules *l);
/* Checks the lists that the slot read where the walk is. */
void check_lists(struct list_rules *l, uint32_t slot);

#endif
