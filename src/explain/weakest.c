/* weakest: see weakest.h. */
#include "explain/weakest.h"

#include "base/attempt.h"

static const uint64_t TRY_NS = 50 * 1000 * 1000; /* and for each operation: */
static const uint64_t TRY_OP_NS = 10 * 1000;

struct
try {
	struct pool *pool;
	const struct history *h;
	const struct check_options *options;
	const alibi_result *result;
};

static void run_check(void *data)
{
	struct try *t = data;
	t->result = check(t->pool, t->h, t->options);
}

const alibi_result *weakest_violated(struct pool *pool, const struct history *h,
                                     struct check_options *options)
{
	const alibi_result *violated = NULL;
	struct alibi_error why;
	while (options->level != level_at(0)) {
		struct check_options weaker = *options;
		struct try t = {pool, h, &weaker, NULL};
		uint64_t until = monotonic_ns() + TRY_NS + TRY_OP_NS * h->op_count;
		weaker.level = level_below(options->level);
		weaker.time_order &= weaker.level->rules.visible == VISIBLE_STATE;
		if (!attempt(pool_guard(pool), until, run_check, &t, &why) ||
		    t.result->verdict != ALIBI_VIOLATES)
			break;
		*options = weaker;
		violated = t.result;
	}
	return violated;
}
