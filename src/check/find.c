/* find: see find.h. */
#include "check/find.h"

#include "base/searching.h"
#include "base/team.h"
#include "check/stronger.h"
#include "check/weak.h"
#include "findings/findings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TRY_CONFLICTS = 10000, FEW_CONFLICTS = 1000, FEW_PASSES = 30 };

struct component_log {
	enum { NOT_DECIDED, TRYING_STRONGER, HAS_ORDER } state;
	struct search_log search;
};

struct finder {
	struct components *components;
	struct replay_rules rules;
	struct component_log *logs;    /* by component */
	struct search_result *results; /* by component */
	replay_event *events;          /* of all components */
};

/* ---- one component ---- */

/* What is tried, for those who wait. */
static const char repair[] = "to repair a first order";
static const char by_the_clocks[] = "an order by the clients' clocks";
static const char serial_order[] = "a serial order", snapshot_order[] = "an order with snapshots";
static const char any_order[] = "any order", any_writers[] = "to choose the writer of each read";

/* If it finds no order, it leaves nothing in the pool. */
static struct search_result try_order(struct pool *pool, struct component component,
                                      struct problem_rules rules, struct search_log *log)
{
	struct pool *own = pool_child(pool);
	struct search_result found = search(
	        own, component, rules, (struct search_effort){.max_conflicts = TRY_CONFLICTS}, log);
	if (!found.found)
		pool_release(own);
	return found;
}

static struct search_result try_serial(struct pool *pool, struct component component,
                                       struct problem_rules rules, struct component_log *log)
{
	rules.snapshot = rules.noconflict = false;
	log->state = TRYING_STRONGER;
	struct search_result found = try_order(pool, component, rules, &log->search);
	log->state = NOT_DECIDED;
	return found.found ? stronger_with_starts(pool, &found) : found;
}

static struct search_result find_any(struct pool *pool, struct component component,
                                     struct problem_rules rules, struct component_log *log)
{
	bool has_clocks = component.all->h->times && !rules.realtime;
	struct search_effort first = {.near_only = rules.snapshot,
	                              .max_conflicts =
	                                      has_clocks || rules.snapshot ? FEW_CONFLICTS : 0};
	struct pool *own = pool_child(pool);
	struct guard *guard = pool_guard(pool);
	const char *second = rules.snapshot ? serial_order : any_order;
	searching_try(guard, repair, has_clocks ? by_the_clocks : second);
	struct search_result found = search(own, component, rules, first, &log->search);
	if (!found.given_up)
		return found;
	pool_release(own);
	if (has_clocks) {
		struct problem_rules by_clocks = rules;
		by_clocks.realtime = true;
		searching_try(guard, by_the_clocks, second);
		found = try_order(pool, component, by_clocks, &log->search);
	}
	if (rules.snapshot && !found.found) {
		searching_try(guard, serial_order, any_order);
		found = try_serial(pool, component, rules, log);
	}
	if (found.found)
		return found;
	searching_try(guard, any_order, NULL);
	return search(pool, component, rules, (struct search_effort){0}, &log->search);
}

static bool find_component(void *data, uint32_t number, struct pool *pool)
{
	struct finder *f = data;
	struct search_result *found = &f->results[number];
	struct problem_rules rules = {.snapshot = f->rules.snapshot,
	                              .noconflict = f->rules.noconflict,
	                              .realtime = f->rules.realtime,
	                              .skew = f->rules.skew,
	                              .session = !f->rules.no_session};
	*found = find_any(pool, (struct component){f->components, number}, rules, &f->logs[number]);
	if (!found->found)
		return false;
	f->logs[number].state = HAS_ORDER;
	size_t first = f->components->txns.first[number];
	memcpy(f->events + first * (rules.snapshot ? 2 : 1), found->events,
	       found->event_count * sizeof *found->events);
	searching_ordered(pool_guard(pool), f->components->txns.first[number + 1] - first);
	return true;
}

/* ---- all of them ---- */

static struct search_result find_components(struct pool *pool, struct finder *f, unsigned threads)
{
	struct components *c = f->components;
	size_t count = (size_t)c->slots * (f->rules.snapshot ? 2 : 1);
	f->events = pool_array(pool, count + 1, sizeof *f->events);
	f->results = pool_zarray(pool, c->count, sizeof *f->results);
	uint32_t refuted = team_run(pool, threads, c->count, find_component, f);
	if (refuted < c->count)
		return f->results[refuted];
	return (struct search_result){.found = true, .events = f->events, .event_count = count};
}

/* For weak levels: a serial order, or one with snapshots. */
static struct search_result try_stronger(struct pool *pool, struct finder *f, bool snapshot)
{
	struct pool *own = pool_child(pool);
	struct problem_rules rules = {.session = !f->rules.no_session, .snapshot = snapshot};
	struct search_result found =
	        try_order(own, (struct component){f->components, 0}, rules, &f->logs[0].search);
	if (found.found)
		found = stronger_with_choices(pool, f->components->h, &found, snapshot);
	pool_release(own);
	return found;
}

/* At weak levels. */
static struct search_result find_whole(struct pool *pool, struct finder *f)
{
	struct component whole = {f->components, 0};
	struct component_log *log = &f->logs[0];
	struct pool *own = pool_child(pool);
	struct guard *guard = pool_guard(pool);
	searching_try(guard, any_writers, serial_order);
	struct search_result found = weak_search(own, whole, f->rules, FEW_PASSES, &log->search);
	if (!found.given_up)
		return found;
	pool_release(own);
	log->state = TRYING_STRONGER;
	for (int snapshot = 0; snapshot < 2 && !found.found; snapshot++) {
		searching_try(guard, snapshot ? snapshot_order : serial_order,
		              snapshot ? any_writers : snapshot_order);
		found = try_stronger(pool, f, snapshot);
	}
	if (found.found)
		return found;
	log->state = NOT_DECIDED;
	searching_try(guard, any_writers, NULL);
	return weak_search(pool, whole, f->rules, 0, &log->search);
}

struct search_result find(struct pool *pool, const struct history *h, struct replay_rules rules,
                          unsigned threads, struct find_log *log)
{
	struct guard *guard = pool_guard(pool);
	bool apart = rules.visible == VISIBLE_STATE;
	struct finder f = {.rules = rules};
	guard_clock(guard, &log->work.prepare_seconds);
	f.components = apart ? components_find(pool, h, rules.realtime) : components_whole(pool, h);
	f.logs = pool_zarray(pool, f.components->count, sizeof *f.logs);
	log->components = f.components;
	log->logs = f.logs;
	guard_clock(guard, NULL);
	struct search_result found =
	        apart ? find_components(pool, &f, threads) : find_whole(pool, &f);
	guard_clock(guard, NULL);
	*log = (struct find_log){.found = found.found      ? FOUND_ORDER
	                                  : found.given_up ? FOUND_NOTHING
	                                                   : FOUND_REFUTATION,
	                         .work = find_work(log)};
	return found;
}

/* ---- effort and progress ---- */

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
	if (!log->components)
		return sum;
	for (uint32_t i = 0; i < log->components->count; i++)
		add_work(&sum, &log->logs[i].search.work);
	sum.components = log->components->connected;
	sum.largest_component = (double)log->components->largest / (double)log->components->slots;
	return sum;
}

/* Of the components that are not decided. */
struct undecided {
	uint32_t components;
	bool stronger;
	enum search_proven proven; /* of all of them */
	uint64_t rounds, violated, derived, conflicts;
};

static struct undecided sum_undecided(const struct find_log *log)
{
	struct undecided u = {.proven = PROVEN_KNOWN};
	for (uint32_t i = 0; i < log->components->count; i++) {
		const struct component_log *l = &log->logs[i];
		if (l->state == HAS_ORDER)
			continue;
		u.components += log->components->connected_in[i];
		u.stronger |= l->state == TRYING_STRONGER;
		u.proven = l->search.proven < u.proven ? l->search.proven : u.proven;
		u.rounds += l->search.work.rounds;
		u.violated += l->search.violated;
		u.derived += l->search.work.derived;
		u.conflicts += l->search.work.conflicts;
	}
	return u;
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

void find_say(const struct find_log *log, char *text, size_t room)
{
	static const char *const proven[] = {
	        [PROVEN_NOTHING] = "nothing is proven yet",
	        [PROVEN_READS] = "every value read has a candidate writer",
	        [PROVEN_KNOWN] =
	                "every value read has a candidate writer, and the known order has no cycle",
	};
	static const char *const found[] = {
	        [FOUND_NOTHING] = "",
	        [FOUND_ORDER] = "; an order was found, but not verified",
	        [FOUND_REFUTATION] = "; a proof that there is no order was found, but not verified",
	};
	snprintf(text, room, "%s", found[log->found]);
	if (!log->components)
		return;
	struct undecided u = sum_undecided(log);
	uint32_t all = log->components->connected;
	size_t n = (size_t)snprintf(text, room, "; ");
	if (u.components < all)
		n += (size_t)snprintf(text + n, room - n,
		                      "%" PRIu32 " of %" PRIu32
		                      " independent components have an order; of the others: ",
		                      all - u.components, all);
	n += (size_t)snprintf(text + n, room - n, "%s", proven[u.proven]);
	if (u.proven == PROVEN_NOTHING || !u.rounds)
		return;
	snprintf(text + n, room - n,
	         "; the latest of %" PRIu64 " order%s tried%s violates %" PRIu64
	         " rule%s, with %" PRIu64 " edge%s derived and %" PRIu64 " conflict%s",
	         u.rounds, plural(u.rounds),
	         u.stronger ? " (those of stronger levels are tried first)" : "", u.violated,
	         plural(u.violated), u.derived, plural(u.derived), u.conflicts,
	         plural(u.conflicts));
}

const char *find_advise(const alibi_result *undecided, char *text, size_t room)
{
	if (!undecided->work.unsure_reads)
		return NULL;
	snprintf(text, room,
	         "%" PRIu64 " reads have several candidate writers, because values repeat; unique "
	         "values, %sthe writer of each read (from) or the database's timestamps leave less "
	         "to search",
	         undecided->work.unsure_reads,
	         undecided->coverage.has_client_times ? ""
	                                              : "the clients' times (begin and end), ");
	return text;
}
