/* weakest: see weakest.h. */
#include "explain/weakest.h"

#include "base/attempt.h"

static const uint64_t TRY_NS = 250 * 1000 * 1000; /* and for each operation: */
static const uint64_t TRY_OP_NS = 10 * 1000;

struct checking {
	struct pool *pool;
	const struct history *h;
	const struct check_options *options;
	const alibi_result *result;
};

static void run_check(void *data)
{
	struct checking *c = data;
	c->result = check(c->pool, c->h, c->options);
}

const alibi_result *weakest_violated(struct pool *pool, const struct history *h,
                                     struct check_options *options)
{
	const alibi_result *violated = NULL;
	struct alibi_error why;
	while (options->level != level_at(0)) {
		struct check_options weaker = *options;
		struct checking c = {pool, h, &weaker, NULL};
		uint64_t until = monotonic_ns() + TRY_NS + TRY_OP_NS * h->op_count;
		weaker.level = level_below(options->level);
		weaker.time_order &= weaker.level->rules.visible == VISIBLE_STATE;
		if (!attempt(pool_guard(pool), until, run_check, &c, &why) ||
		    c.result->verdict != ALIBI_VIOLATES)
			break;
		*options = weaker;
		violated = c.result;
	}
	return violated;
}
