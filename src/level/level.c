/* level: see level.h. */
#include "level/level.h"

#include "history/render.h"

#include <assert.h>
#include <string.h>

static const struct level levels[] = {
        {"rc",
         "read committed",
         {.visible = VISIBLE_EARLIER, .unrepeatable = true},
         "There is an order of all commits. In it a transaction comes after those that it read "
         "from and after the earlier ones of its session. After a transaction has read from T, "
         "each key that T wrote gives it T's version, or one that was committed after T.",
         "dirty writes (G0), aborted reads (G1a), intermediate reads (G1b), circular information "
         "flow (G1c), garbage reads, observed transactions that vanish (OTV)",
         "session order",
         "examples/levels/session-order.jsonl",
         "s1: T1 r(x,1)\n"
         "s1: T2 w(x,1)\n",
         "T1 read what only a later transaction of its own session wrote. Without session order T2 "
         "may come first, at every level."},
        {"ra",
         "read atomic",
         {.visible = VISIBLE_DIRECT},
         "A transaction sees all or nothing of others. It sees those that it read from, and the "
         "earlier ones of its session: each key that such a T wrote gives it T's version, or one "
         "that was committed after T, in an order of all commits as at rc. A key that is read "
         "twice gives one value.",
         "fractured reads, non-repeatable reads, sessions that do not see their own writes",
         "fractured read",
         "examples/levels/fractured-read.jsonl",
         "s1: T1 w(x,1) w(y,1)\n"
         "s2: T2 r(x,null) r(y,1)\n",
         "T2 sees one of T1's two writes. rc lets a read see more than the read before it."},
        {"cc",
         "causal",
         {.visible = VISIBLE_CAUSAL},
         "As ra, and a transaction also sees what the transactions it sees depend on: those that "
         "they read from, the earlier ones of their sessions, and so on.",
         "causality violations, sessions whose reads go back (monotonic reads)",
         "causality violation",
         "examples/levels/causality-violation.jsonl",
         "s1: T1 w(x,1)\n"
         "s2: T2 r(x,1) w(y,1)\n"
         "s3: T3 r(y,1) r(x,null)\n",
         "T3 sees T2, and T2 saw T1, but T3 does not see T1: an answer without its question."},
        {"pc",
         "prefix",
         {.snapshot = true},
         "There is an order of starts and commits. A transaction reads the state at its start: "
         "what the commits before it left. It starts after the earlier ones of its session have "
         "committed.",
         "long forks",
         "long fork",
         "examples/levels/long-fork.jsonl",
         "s1: T1 w(x,1)\n"
         "s2: T2 w(y,1)\n"
         "s3: T3 r(x,1) r(y,null)\n"
         "s4: T4 r(x,null) r(y,1)\n",
         "For T3 the commit of T1 came first, for T4 that of T2. T1 and T2 do not depend on each "
         "other, so cc allows both views."},
        {"si",
         "snapshot isolation",
         {.snapshot = true, .noconflict = true},
         "As pc, and of two transactions that write one key, one commits before the other starts.",
         "lost updates (P4), and all that is left of G-single and G-nonadjacent",
         "lost update",
         "examples/levels/lost-update.jsonl",
         "s1: T1 r(x,null) w(x,1)\n"
         "s2: T2 r(x,null) w(x,2)\n",
         "Both start from the same state, and one of the two updates is overwritten unseen."},
        {"ser",
         "serializable",
         {.snapshot = false},
         "There is an order of the transactions, as if they had run one after the other. Each "
         "reads the state that those before it left. It comes after the earlier ones of its "
         "session.",
         "write skew (A5B), read-only anomalies, all cycles (G2-item)",
         "write skew",
         "examples/levels/write-skew.jsonl",
         "s1: T1 r(y,null) w(x,1)\n"
         "s2: T2 r(x,null) w(y,1)\n",
         "Each changes what the other one read. They write different keys, so si allows it; one "
         "after the other, the second would have seen the first."},
        {"sser",
         "strict serializable",
         {.realtime = true},
         "As ser, and a transaction that ended before another began, by the clients' clocks, comes "
         "before it. Without client times it is the same as ser.",
         "stale reads, and all else that goes against real time",
         "stale read",
         "examples/levels/stale-read.jsonl",
         "s1: T1 w(x,1) from 1 to 2\n"
         "s2: T2 r(x,null) from 3 to 4\n",
         "T2 began after T1 had ended, and does not see it. ser may put T2 first."},
};
enum { LEVELS = sizeof levels / sizeof *levels };

size_t level_count(void)
{
	return LEVELS;
}

const struct level *level_at(size_t index)
{
	assert(index < LEVELS);
	return &levels[index];
}

const struct level *level_below(const struct level *level)
{
	assert(level > levels && level < levels + LEVELS);
	return level - 1;
}

const struct level *level_named(const char *name)
{
	for (size_t i = 0; i < LEVELS; i++)
		if (!strcmp(levels[i].name, name))
			return &levels[i];
	return NULL;
}

const char *level_names(struct pool *pool, bool realtime)
{
	text_vec t = {0};
	for (size_t i = 0; i < LEVELS; i++)
		if (realtime || !levels[i].rules.realtime)
			text_addf(pool, &t, "%s%s", t.count ? ", " : "", levels[i].name);
	return text_string(pool, &t);
}
