/* availability: see availability.h. */
#include "check/availability.h"

#include "history/availability.h"
#include "history/render.h"

const char *availability_lacks(struct pool *pool, const struct history *h, double least)
{
	const struct availability *a = h->availability;
	if (!a || availability_share(a) >= least)
		return NULL;
	return text_format(pool,
	                   "nothing that was recorded violates it, but the database committed "
	                   "nothing in %.1f s of "
	                   "%.1f s: in %.0f %% of the time there were commits, and at least %.0f "
	                   "%% are required. "
	                   "Find out why, and record again",
	                   (double)a->without_commits / 1e3, (double)a->milliseconds / 1e3,
	                   100 * availability_share(a), 100 * least);
}

void availability_require(const char *lack, alibi_result *result)
{
	if (!lack || result->verdict != ALIBI_VALID)
		return;
	result->verdict = ALIBI_UNKNOWN;
	result->reason = lack;
	result->certificate = NULL;
	result->certificate_length = 0;
	result->coverage.warning = NULL; /* it was for `valid` */
}
