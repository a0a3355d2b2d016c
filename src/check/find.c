/* find: see find.h. */
#include "check/find.h"

#include "base/guard.h"
#include "base/team.h"
#include "check/stronger.h"
#include "check/weak.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TRY_CONFLICTS = 10000, FEW_CONFLICTS = 1000, FEW_PASSES = 30 };

enum part_state { PART_WAITING, PART_SEARCHED, PART_SEARCHED_STRONGER, PART_HOLDS };

struct part_log {
	enum part_state state;
	struct search_log search;
};

struct finder {
	struct parts *parts;
	struct replay_rules rules;
	struct part_log *logs;         /* by part */
	struct search_result *results; /* by part */
	replay_event *events;          /* of all parts */
};

/* ---- one part ---- */

/* What the search finds is in the pool; if it finds no order, nothing is. */
static struct search_result try_order(struct pool *pool, struct part part,
                                      struct problem_rules rules, struct search_log *log)
{
	struct pool *own = pool_child(pool);
	struct search_result found = search(
	        own, part, rules, (struct search_effort){.max_conflicts = TRY_CONFLICTS}, log);
	if (!found.found)
		pool_release(own);
	return found;
}

/* An order in which the clients' clocks count, although they need not. */
static struct search_result try_clocks(struct pool *pool, struct part part,
                                       struct problem_rules rules, struct search_log *log)
{
	rules.realtime = true;
	return try_order(pool, part, rules, log);
}

static struct search_result try_serially(struct pool *pool, struct part part,
                                         struct problem_rules rules, struct part_log *log)
{
	rules.snapshot = rules.noconflict = false;
	log->state = PART_SEARCHED_STRONGER;
	struct search_result found = try_order(pool, part, rules, &log->search);
	log->state = PART_SEARCHED;
	return found.found ? stronger_with_starts(pool, &found) : found;
}

static struct search_result look(struct pool *pool, struct part part, struct problem_rules rules,
                                 struct part_log *log)
{
	bool has_clocks = part.all->h->times && !rules.realtime;
	struct search_effort first = {.near_only = rules.snapshot,
	                              .max_conflicts =
	                                      has_clocks || rules.snapshot ? FEW_CONFLICTS : 0};
	struct pool *own = pool_child(pool);
	log->state = PART_SEARCHED;
	struct search_result found = search(own, part, rules, first, &log->search);
	if (!found.given_up)
		return found;
	pool_release(own);
	if (has_clocks)
		found = try_clocks(pool, part, rules, &log->search);
	if (rules.snapshot && !found.found)
		found = try_serially(pool, part, rules, log);
	return found.found ? found
	                   : search(pool, part, rules, (struct search_effort){0}, &log->search);
}

static bool find_part(void *data, uint32_t number, struct pool *pool)
{
	struct finder *f = data;
	struct search_result *found = &f->results[number];
	struct problem_rules rules = {.snapshot = f->rules.snapshot,
	                              .noconflict = f->rules.noconflict,
	                              .realtime = f->rules.realtime,
	                              .skew = f->rules.skew,
	                              .session = !f->rules.no_session};
	*found = look(pool, (struct part){f->parts, number}, rules, &f->logs[number]);
	if (!found->found)
		return false;
	f->logs[number].state = PART_HOLDS;
	size_t first = f->parts->txn_first[number];
	memcpy(f->events + first * (rules.snapshot ? 2 : 1), found->events,
	       found->event_count * sizeof *found->events);
	return true;
}

/* ---- all of them ---- */

static struct search_result find_parts(struct pool *pool, struct finder *f, unsigned threads)
{
	struct parts *p = f->parts;
	size_t count = (size_t)p->slots * (f->rules.snapshot ? 2 : 1);
	f->events = pool_array(pool, count + 1, sizeof *f->events);
	f->results = pool_zarray(pool, p->count, sizeof *f->results);
	uint32_t refuted = team_run(pool, threads, p->count, find_part, f);
	if (refuted < p->count)
		return f->results[refuted];
	return (struct search_result){.found = true, .events = f->events, .event_count = count};
}

/* For weak levels: a serial order, or one with snapshots. */
static struct search_result try_stronger(struct pool *pool, struct finder *f, bool snapshot)
{
	struct part whole = {f->parts, 0};
	struct pool *own = pool_child(pool);
	struct problem_rules rules = {.session = !f->rules.no_session, .snapshot = snapshot};
	struct search_result found = try_order(own, whole, rules, &f->logs[0].search);
	if (found.found)
		found = stronger_with_choices(pool, f->parts->h, &found, snapshot);
	pool_release(own);
	return found;
}

/* At weak levels. */
static struct search_result find_whole(struct pool *pool, struct finder *f)
{
	struct part whole = {f->parts, 0};
	struct part_log *log = &f->logs[0];
	struct pool *own = pool_child(pool);
	log->state = PART_SEARCHED;
	struct search_result found = weak_search(own, whole, f->rules, FEW_PASSES, &log->search);
	if (!found.given_up)
		return found;
	pool_release(own);
	log->state = PART_SEARCHED_STRONGER;
	for (int snapshot = 0; snapshot < 2 && !found.found; snapshot++)
		found = try_stronger(pool, f, snapshot);
	if (found.found)
		return found;
	log->state = PART_SEARCHED;
	return weak_search(pool, whole, f->rules, 0, &log->search);
}

struct search_result find(struct pool *pool, const struct history *h, struct replay_rules rules,
                          unsigned threads, struct find_log *log)
{
	struct guard *guard = pool_guard(pool);
	bool apart = rules.visible == VISIBLE_STATE;
	struct finder f = {.rules = rules};
	guard_clock(guard, &log->work.prepare_seconds);
	f.parts = apart ? parts_apart(pool, h, rules.realtime) : parts_whole(pool, h);
	f.logs = pool_zarray(pool, f.parts->count, sizeof *f.logs);
	log->parts = f.parts;
	log->logs = f.logs;
	guard_clock(guard, NULL);
	struct search_result found = apart ? find_parts(pool, &f, threads) : find_whole(pool, &f);
	guard_clock(guard, NULL);
	*log = (struct find_log){.found = found.found      ? FOUND_ORDER
	                                  : found.given_up ? FOUND_NOTHING
	                                                   : FOUND_REFUTATION,
	                         .work = find_work(log)};
	return found;
}

/* ---- what it took, and what is proven ---- */

static void add_work(alibi_work *sum, const alibi_work *w)
{
	sum->prepare_seconds += w->prepare_seconds;
	sum->saturate_seconds += w->saturate_seconds;
	sum->solve_seconds += w->solve_seconds;
	sum->verify_seconds += w->verify_seconds;
	sum->unsure_reads += w->unsure_reads;
	sum->derived += w->derived;
	sum->choices += w->choices;
	sum->rounds += w->rounds;
	sum->conflicts += w->conflicts;
}

alibi_work find_work(const struct find_log *log)
{
	alibi_work sum = log->work;
	if (!log->parts)
		return sum;
	for (uint32_t i = 0; i < log->parts->count; i++)
		add_work(&sum, &log->logs[i].search.work);
	sum.components = log->parts->components;
	sum.largest_component = (double)log->parts->largest / (double)log->parts->slots;
	return sum;
}

/* Of the parts that are not decided. */
struct undecided {
	uint32_t components;
	bool stronger;
	enum search_proven proven; /* of all of them */
	uint64_t rounds, broken, derived, conflicts;
};

static struct undecided sum_undecided(const struct find_log *log)
{
	struct undecided u = {.proven = PROVEN_KNOWN};
	for (uint32_t i = 0; i < log->parts->count; i++) {
		const struct part_log *l = &log->logs[i];
		if (l->state == PART_HOLDS)
			continue;
		u.components += log->parts->components_in[i];
		u.stronger |= l->state == PART_SEARCHED_STRONGER;
		u.proven = l->search.proven < u.proven ? l->search.proven : u.proven;
		u.rounds += l->search.work.rounds;
		u.broken += l->search.broken;
		u.derived += l->search.work.derived;
		u.conflicts += l->search.work.conflicts;
	}
	return u;
}

static size_t say_some_hold(const struct find_log *log, const struct undecided *u, char *text,
                            size_t room)
{
	uint32_t all = log->parts->components;
	if (u->components == all)
		return (size_t)snprintf(text, room, "; ");
	return (size_t)snprintf(text, room,
	                        "; %" PRIu32 " of %" PRIu32
	                        " independent components have an order; of the others: ",
	                        all - u->components, all);
}

void find_say(const struct find_log *log, char *text, size_t room)
{
	static const char *const proven[] = {
	        [PROVEN_NOTHING] = "nothing is proven yet",
	        [PROVEN_READS] = "every value read has somebody who can have written it",
	        [PROVEN_KNOWN] = ("every value read has somebody who can have written it, and what "
	                          "is known of the order does not contradict itself"),
	};
	static const char *const found[] = {
	        [FOUND_NOTHING] = "",
	        [FOUND_ORDER] = "; an order was found, but not verified",
	        [FOUND_REFUTATION] = "; a proof that there is no order was found, but not verified",
	};
	snprintf(text, room, "%s", found[log->found]);
	if (!log->parts)
		return;
	struct undecided u = sum_undecided(log);
	size_t n = say_some_hold(log, &u, text, room);
	n += (size_t)snprintf(text + n, room - n, "%s", proven[u.proven]);
	if (u.proven == PROVEN_NOTHING || !u.rounds)
		return;
	snprintf(text + n, room - n,
	         "; the latest of %" PRIu64 " orders%s breaks %" PRIu64 " rules, after %" PRIu64
	         " pairs of events were ordered without guessing and %" PRIu64
	         " guesses went wrong",
	         u.rounds, u.stronger ? " (those of stronger levels are tried first)" : "",
	         u.broken, u.derived, u.conflicts);
}
