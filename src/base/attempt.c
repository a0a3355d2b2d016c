/* attempt: see attempt.h. */
#include "base/attempt.h"

bool attempt(struct guard *g, uint64_t until_ns, void (*fn)(void *data), void *data,
             struct alibi_error *why)
{
	uint64_t deadline = g->deadline_ns;
	if (until_ns && (!deadline || until_ns < deadline))
		g->deadline_ns = until_ns;
	bool ok = guard_try(g, fn, data);
	g->deadline_ns = deadline;
	if (ok)
		return true;
	if (!is_limit(g->error.code))
		guard_out(g);
	*why = g->error;
	g->error = (struct alibi_error){.size = sizeof g->error};
	return false;
}
