/* jepsen_model: see jepsen_model.h. */
#include "format/jepsen_model.h"

#include "format/jepsen_folds.h"
#include "format/jepsen_registers.h"
#include "format/jepsen_sets.h"

#include <string.h>

/* Reads come at the end. The others write nothing that is looked at. */
static void take_others(struct jepsen_parser *r, struct jepsen_call *c)
{
	if (!model_is(r, c->answer, "read"))
		model_end(r, &c->head);
}

/* All is done at the end. */
static void take_nothing(struct jepsen_parser *r, struct jepsen_call *c)
{
	(void)r, (void)c;
}

static const struct jepsen_model models[] = {
        {"list-append", "transactions of :append and :r", NULL, NULL},
        {"rw-register", "transactions of :w and :r", NULL, NULL},
        {"register", ":read and :write", take_register, NULL},
        {"cas-register", ":read, :write and :cas", take_register, NULL},
        {"mutex", ":acquire and :release", take_mutex, NULL},
        {"long-fork", "transactions of :r and :w", NULL, NULL},
        {"sequential", ":write (or :add) and :read", take_nothing, finish_sequential},
        {"set", ":add and :read", take_set, finish_set},
        {"set-full", ":add and :read", take_set, finish_set_full},
        {"comments", ":write and :read", take_comment, finish_comments},
        {"bank", ":read and :transfer", take_others, finish_bank},
        {BANK_NEGATIVE, ":read and :transfer", take_others, finish_bank},
        {"counter", ":add and :read", take_others, finish_counter},
};

static void number_operations(struct jepsen_parser *r)
{
	for (size_t i = 0; i < r->ops.count; i++) {
		r->ops.items[i].index = (int64_t)i;
		r->ops.items[i].flags |= HAS_INDEX;
	}
	r->clock = BY_INDEX;
	r->ids = true;
}

static bool any_has_clock(const struct jepsen_parser *r)
{
	for (size_t i = 0; i < r->ops.count; i++)
		if (r->ops.items[i].flags & (HAS_INDEX | HAS_TIME))
			return true;
	return false;
}

const struct jepsen_model *jepsen_model_begin(struct jepsen_parser *r, const char *name)
{
	if (!name)
		return NULL;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		if (strcmp(models[i].name, name) != 0)
			continue;
		if (!r->ids && (models[i].take || !any_has_clock(r)))
			number_operations(r);
		return &models[i];
	}
	guard_fail(r->json.guard, ALIBI_USAGE, NULL, "there is no model '%s'", name);
}
