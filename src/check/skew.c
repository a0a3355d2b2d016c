/* skew: see skew.h. */
#include "check/skew.h"

#include "base/attempt.h"
#include "check/certificate.h"
#include "check/find.h"
#include "history/render.h"
#include "history/units.h"

#include <inttypes.h>
#include <string.h>

enum {
	STEPS_MAX = 64, /* halve any interval */
	STEPS_MIN = 4,
	STEP_OPS = 20 * 1000 * 1000, /* operations looked at, in all steps together */
};
static const uint64_t LEAST_NS = 1000 * 1000 * 1000; /* there is so much time, or more: */
enum { TIMES_OF_CHECK = 4 };                         /* so often what the verdict took */

/* The pair that an order puts the other way round than the clocks do, of those the one
 * whose clocks must differ most. */
struct gap {
	uint64_t skew;         /* so much, at least; 0: there is no such pair */
	uint32_t ended, begun; /* `ended` had ended by its clock before `begun` began */
};

struct decision {
	enum alibi_verdict verdict;
	struct gap gap; /* if it holds: of the order found */
};

static void widen(const struct history *h, uint32_t ended, uint32_t begun, struct gap *gap)
{
	if (begun == ID_NONE || !history_ended_before(h, ended, begun, gap->skew))
		return;
	*gap = (struct gap){(uint64_t)h->times[begun].begin - (uint64_t)h->times[ended].end, ended,
	                    begun};
}

static struct gap gap_of(const struct history *h, const struct search_result *found, bool snapshot)
{
	struct gap gap = {.ended = ID_NONE, .begun = ID_NONE};
	uint32_t begun[] = {ID_NONE, ID_NONE}; /* of those that have started */
	for (size_t i = 0; i < found->event_count; i++) {
		uint32_t txn = event_txn(found->events[i]);
		bool commits = !snapshot || found->events[i] & 1, starts = !snapshot || !commits;
		if (commits && h->txns[txn].status == ALIBI_COMMIT)
			widen(h, txn, begun_last(begun, txn), &gap);
		if (starts)
			history_note_begin(h, txn, begun);
	}
	return gap;
}

/* What is known when a limit ends it stays here. */
struct probe {
	struct pool *pool;      /* of its own */
	struct pool *text_pool; /* of the result */
	const struct history *h;
	const struct check_options *options;
	struct find_log log; /* of the search at hand */
	struct decision best;
	uint64_t low; /* too little */
	alibi_clocks clocks;
	alibi_result *result;
};

static struct decision decide(struct probe *p, const struct history *h, bool clocks, uint64_t skew)
{
	const struct check_options *options = p->options;
	struct verify_rules rules = check_rules(options);
	rules.replay.realtime = clocks;
	rules.replay.skew = skew;
	struct pool *own = pool_child(p->pool);
	struct decision d = {.verdict = ALIBI_UNKNOWN};
	p->log = (struct find_log){0};
	struct search_result found = find(own, h, rules.replay, options->threads, &p->log);
	if (!found.given_up) {
		byte_vec bytes = certificate_of(own, h, &rules, &found);
		if (verify(own, h, &rules, bytes.items, bytes.count, &d.verdict))
			d.verdict = ALIBI_UNKNOWN;
	}
	if (d.verdict == ALIBI_VALID)
		d.gap = gap_of(h, &found, rules.replay.snapshot);
	pool_release(own);
	return d;
}

/* Does it hold if the clock of a session says nothing? */
static bool holds_without(struct probe *p, uint32_t session)
{
	const struct history *h = p->h;
	struct history silent = *h;
	silent.txns = pool_array(p->pool, (size_t)h->txn_count + 1, sizeof *silent.txns);
	memcpy(silent.txns, h->txns, ((size_t)h->txn_count + 1) * sizeof *silent.txns);
	for (uint32_t t = 0; t < h->txn_count; t++)
		if (h->txns[t].session == session)
			silent.txns[t].has &= (uint8_t)~BOTH_TIMES;
	bool holds = decide(p, &silent, true, p->options->skew).verdict == ALIBI_VALID;
	pool_free(p->pool, silent.txns);
	return holds;
}

static void name_suspect(struct probe *p)
{
	const struct history *h = p->h;
	uint32_t ended = h->txns[p->best.gap.ended].session;
	uint32_t begun = h->txns[p->best.gap.begun].session;
	bool behind = holds_without(p, ended);
	bool ahead = ended != begun && holds_without(p, begun);
	uint32_t name = h->session_name[behind ? ended : begun];
	if (behind == ahead || name == ID_NONE)
		return; /* both would do, or neither */
	p->clocks.session = render_value(p->text_pool, atoms_value(&h->names, name));
	p->clocks.ahead = ahead;
}

/* Are the times of one clock, by the history and by the options? */
static bool is_one_clock(const struct probe *p)
{
	return p->h->has_skew && !p->h->skew && !p->options->skew;
}

static const char *say_one_clock(struct pool *pool, const char *basis)
{
	return text_format(pool,
	                   "%s, and by them alone: without real-time order it holds. These times "
	                   "are one order for all sessions, so that no clock can be ahead: the "
	                   "database violated real-time order",
	                   basis);
}

static const char *say(struct pool *pool, const struct history *h, const char *basis,
                       const alibi_clocks *clocks)
{
	text_vec t = {0};
	bool unit = units_are_nanoseconds(h);
	text_addf(pool, &t,
	          "%s, and by them alone: it holds if they may differ by %" PRIu64 "%s%s%s%s",
	          basis, clocks->enough, unit ? " (" : "",
	          unit ? units_distance(pool, h, clocks->enough) : "", unit ? ")" : "",
	          clocks->least ? ", not by less" : "");
	if (clocks->session)
		text_addf(pool, &t,
		          ". The clock of session %s seems to be %s: without its times, it holds "
		          "as well",
		          clocks->session, clocks->ahead ? "ahead" : "behind");
	text_addf(pool, &t, ". So either the database is wrong, or the clocks are");
	return text_string(pool, &t);
}

static void probe(void *data)
{
	struct probe *p = data;
	p->best = decide(p, p->h, false, 0);
	if (p->best.verdict != ALIBI_VALID || is_one_clock(p))
		return;
	uint64_t steps = STEP_OPS / ((uint64_t)p->h->op_count + 1);
	steps = steps < STEPS_MIN ? STEPS_MIN : steps > STEPS_MAX ? STEPS_MAX : steps;
	for (; steps && p->best.gap.skew - p->low > 1; steps--) {
		uint64_t middle = p->low + (p->best.gap.skew - p->low) / 2;
		struct decision d = decide(p, p->h, true, middle);
		if (d.verdict == ALIBI_VALID)
			p->best = d;
		else if (d.verdict == ALIBI_VIOLATES)
			p->low = middle;
		else
			break;
	}
	name_suspect(p);
}

static void tell(void *data)
{
	struct probe *p = data;
	p->clocks.alone = true;
	p->clocks.enough = p->best.gap.skew;
	p->clocks.least = p->best.gap.skew - p->low == 1;
	p->result->basis = is_one_clock(p) ? say_one_clock(p->text_pool, p->result->basis)
	                                   : say(p->text_pool, p->h, p->result->basis, &p->clocks);
	p->result->clocks = p->clocks;
}

static uint64_t time_for(const alibi_work *w)
{
	double seconds =
	        w->prepare_seconds + w->saturate_seconds + w->solve_seconds + w->verify_seconds;
	uint64_t ns = (uint64_t)(seconds * 1e9) * TIMES_OF_CHECK;
	return ns > LEAST_NS ? ns : LEAST_NS;
}

void suspect_clocks(struct pool *pool, const struct history *h, const struct check_options *options,
                    alibi_result *result)
{
	if (result->verdict != ALIBI_VIOLATES || options->order != ALIBI_ORDER_NONE || !h->times ||
	    !(options->level->rules.realtime || options->time_order))
		return;
	struct guard *guard = pool_guard(pool);
	struct alibi_error why;
	struct probe p = {.pool = pool_child(pool),
	                  .text_pool = pool,
	                  .h = h,
	                  .options = options,
	                  .best.verdict = ALIBI_UNKNOWN,
	                  .low = options->skew, /* as the verdict says */
	                  .result = result};
	attempt(guard, monotonic_ns() + time_for(&result->work), probe, &p, &why);
	guard_clock(guard, NULL);
	pool_release(p.pool);
	if (p.best.verdict == ALIBI_VALID)
		attempt(guard, 0, tell, &p, &why);
}
