/* about: see about.h. */
#include "level/about.h"

#include <string.h>

static const struct {
	const char *name, *definition, *forbids;
} texts[] = {
        {"rc",
         "There is an order of all commits. In it a transaction comes after those that it read "
         "from and after the earlier ones of its session. After a transaction has read from T, "
         "each key that T wrote gives it T's version, or one that was committed after T.",
         "dirty writes (G0), aborted reads (G1a), intermediate reads (G1b), circular information "
         "flow (G1c), garbage reads, observed transactions that vanish (OTV)"},
        {"ra",
         "A transaction sees all or nothing of others. It sees those that it read from, and the "
         "earlier ones of its session: each key that such a T wrote gives it T's version, or one "
         "that was committed after T, in an order of all commits as at rc. A key that is read "
         "twice gives one value.",
         "fractured reads, non-repeatable reads, sessions that do not see their own writes"},
        {"cc",
         "As ra, and a transaction also sees what those depend on that it sees: whom they read "
         "from, the earlier ones of their sessions, and so on.",
         "causality violations, sessions whose reads go back (monotonic reads)"},
        {"pc",
         "There is an order of starts and commits. A transaction reads the state at its start: "
         "what the commits before it left. It starts after the earlier ones of its session have "
         "committed.",
         "long forks"},
        {"si",
         "As pc, and of two transactions that write one key, one commits before the other starts.",
         "lost updates (P4), and all that is left of G-single and G-nonadjacent"},
        {"ser",
         "There is an order of the transactions, as if they had run one after the other. Each "
         "reads the state that those before it left. It comes after the earlier ones of its "
         "session.",
         "write skew (A5B), read-only anomalies, all cycles (G2-item)"},
        {"sser",
         "As ser, and a transaction that ended before another began, by the clients' clocks, comes "
         "before it. Without client times it is the same as ser.",
         "stale reads, and all else that goes against real time"},
};

void about_level(alibi_level_info *info)
{
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (!strcmp(texts[i].name, info->name)) {
			info->definition = texts[i].definition;
			info->forbids = texts[i].forbids;
		}
}

static const alibi_level_step steps[] = {
        {"rc", "ra", false, "fractured read", "examples/levels/fractured-read.jsonl",
         "s1: T1 w(x,1) w(y,1)\n"
         "s2: T2 r(x,null) r(y,1)\n",
         "T2 sees one of T1's two writes. rc lets a read see more than the read before it."},
        {"ra", "cc", false, "causality violation", "examples/levels/causality-violation.jsonl",
         "s1: T1 w(x,1)\n"
         "s2: T2 r(x,1) w(y,1)\n"
         "s3: T3 r(y,1) r(x,null)\n",
         "T3 sees T2, and T2 saw T1, but T3 does not see T1: an answer without its question."},
        {"cc", "pc", false, "long fork", "examples/levels/long-fork.jsonl",
         "s1: T1 w(x,1)\n"
         "s2: T2 w(y,1)\n"
         "s3: T3 r(x,1) r(y,null)\n"
         "s4: T4 r(x,null) r(y,1)\n",
         "For T3 the commit of T1 came first, for T4 that of T2. Nobody depends on anybody, so "
         "that cc does not mind."},
        {"pc", "si", false, "lost update", "examples/levels/lost-update.jsonl",
         "s1: T1 r(x,null) w(x,1)\n"
         "s2: T2 r(x,null) w(x,2)\n",
         "Both start from the same state, and one of the two updates is overwritten unseen."},
        {"si", "ser", false, "write skew", "examples/levels/write-skew.jsonl",
         "s1: T1 r(y,null) w(x,1)\n"
         "s2: T2 r(x,null) w(y,1)\n",
         "Each changes what the other one read. They write different keys, so that si does not "
         "mind; one after the other, the second would have seen the first."},
        {"ser", "sser", false, "stale read", "examples/levels/stale-read.jsonl",
         "s1: T1 w(x,1) from 1 to 2\n"
         "s2: T2 r(x,null) from 3 to 4\n",
         "T2 began after T1 had ended, and does not see it. ser may put T2 first."},
        {"rc", "rc", true, "session order", "examples/levels/session-order.jsonl",
         "s1: T1 r(x,1)\n"
         "s1: T2 w(x,1)\n",
         "T1 read what only a later transaction of its own session wrote. Without session order T2 "
         "may come first, at every level."},
};

size_t about_step_count(void)
{
	return sizeof steps / sizeof *steps;
}

const alibi_level_step *about_step(size_t index)
{
	return &steps[index];
}
