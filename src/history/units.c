/* units: see units.h. */
#include "history/units.h"

#include "history/render.h"

#include <inttypes.h>
#include <string.h>

bool units_are_nanoseconds(const struct history *h)
{
	const char *space = h->source ? strchr(h->source, ' ') : NULL; /* of "PROGRAM COMMAND …" */
	return h->nanoseconds || (space && !strncmp(h->source, "alibi", strlen("alibi")) &&
	                          !strncmp(space, " record ", strlen(" record ")));
}

const char *units_distance(struct pool *pool, const struct history *h, uint64_t distance)
{
	if (!units_are_nanoseconds(h))
		return text_format(pool, "%" PRIu64, distance);
	return distance < 1000000      ? text_format(pool, "%.3f ms", (double)distance / 1e6)
	       : distance < 1000000000 ? text_format(pool, "%.1f ms", (double)distance / 1e6)
	                               : text_format(pool, "%.1f s", (double)distance / 1e9);
}
