/* skew: see skew.h. */
#include "check/skew.h"

#include "base/guard.h"
#include "check/certificate.h"
#include "check/find.h"
#include "history/render.h"

#include <inttypes.h>
#include <string.h>

enum {
	STEPS_MAX = 64, /* halve any interval */
	STEPS_MIN = 4,
	STEP_OPS = 20 * 1000 * 1000, /* operations looked at, in all steps together */
};

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

static struct decision decide(struct pool *pool, const struct history *h,
                              const struct check_options *options, bool clocks, uint64_t skew)
{
	struct verify_rules rules = check_rules(options);
	rules.replay.realtime = clocks;
	rules.replay.skew = skew;
	struct pool *own = pool_child(pool);
	struct find_log log = {0};
	struct decision d = {.verdict = ALIBI_UNKNOWN};
	struct search_result found = find(own, h, rules.replay, options->threads, &log);
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
static bool holds_without(struct pool *pool, const struct history *h,
                          const struct check_options *options, uint32_t session)
{
	struct history silent = *h;
	silent.txns = pool_array(pool, (size_t)h->txn_count + 1, sizeof *silent.txns);
	memcpy(silent.txns, h->txns, ((size_t)h->txn_count + 1) * sizeof *silent.txns);
	for (uint32_t t = 0; t < h->txn_count; t++)
		if (h->txns[t].session == session)
			silent.txns[t].has &= (uint8_t)~BOTH_TIMES;
	bool holds = decide(pool, &silent, options, true, options->skew).verdict == ALIBI_VALID;
	pool_free(pool, silent.txns);
	return holds;
}

static void name_suspect(struct pool *pool, const struct history *h,
                         const struct check_options *options, struct gap gap, alibi_clocks *clocks)
{
	uint32_t ended = h->txns[gap.ended].session, begun = h->txns[gap.begun].session;
	bool behind = holds_without(pool, h, options, ended);
	bool ahead = ended != begun && holds_without(pool, h, options, begun);
	uint32_t name = h->session_name[behind ? ended : begun];
	if (behind == ahead || name == ID_NONE)
		return; /* both would do, or neither */
	clocks->session = render_value(pool, atoms_value(&h->names, name));
	clocks->ahead = ahead;
}

static const char *say(struct pool *pool, const char *basis, const alibi_clocks *clocks)
{
	text_vec t = {0};
	text_addf(pool, &t, "%s, and by them alone: it holds if they may differ by %" PRIu64 "%s",
	          basis, clocks->enough, clocks->least ? ", not by less" : "");
	if (clocks->session)
		text_addf(pool, &t,
		          ". The clock of session %s seems to be %s: without its times, it holds "
		          "as well",
		          clocks->session, clocks->ahead ? "ahead" : "behind");
	text_addf(pool, &t, ". So either the database is wrong, or the clocks are");
	return text_string(pool, &t);
}

void suspect_clocks(struct pool *pool, const struct history *h, const struct check_options *options,
                    alibi_result *result)
{
	if (result->verdict != ALIBI_VIOLATES || options->order != ALIBI_ORDER_NONE || !h->times ||
	    !(options->level->rules.realtime || options->time_order))
		return;
	struct decision best = decide(pool, h, options, false, 0);
	if (best.verdict != ALIBI_VALID)
		return;
	uint64_t low = options->skew; /* too little, as the verdict says */
	uint64_t steps = STEP_OPS / ((uint64_t)h->op_count + 1);
	steps = steps < STEPS_MIN ? STEPS_MIN : steps > STEPS_MAX ? STEPS_MAX : steps;
	for (; steps && best.gap.skew - low > 1; steps--) {
		uint64_t middle = low + (best.gap.skew - low) / 2;
		struct decision d = decide(pool, h, options, true, middle);
		if (d.verdict == ALIBI_VALID)
			best = d;
		else if (d.verdict == ALIBI_VIOLATES)
			low = middle;
		else
			break;
	}
	result->clocks = (alibi_clocks){
	        .alone = true, .enough = best.gap.skew, .least = best.gap.skew - low == 1};
	name_suspect(pool, h, options, best.gap, &result->clocks);
	result->basis = say(pool, result->basis, &result->clocks);
}
