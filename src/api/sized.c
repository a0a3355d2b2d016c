/* sized: see sized.h. */
#include "api/sized.h"

#include <assert.h>
#include <string.h>

SIZED_ENDS_IN(alibi_error, column);
SIZED_ENDS_IN(alibi_op, json_length);
SIZED_ENDS_IN(alibi_txn, op_count);
SIZED_ENDS_IN(alibi_load_options, model);
SIZED_ENDS_IN(alibi_format_info, title);
SIZED_ENDS_IN(alibi_stats, timestamps);
SIZED_ENDS_IN(alibi_level_info, why);
SIZED_ENDS_IN(alibi_check_options, explain_seconds);
SIZED_ENDS_IN(alibi_violation, text);
SIZED_ENDS_IN(alibi_coverage, contended_queries);
SIZED_ENDS_IN(alibi_work, largest_component);
SIZED_ENDS_IN(alibi_clocks, session);
SIZED_ENDS_IN(alibi_search_state, placed);
SIZED_ENDS_IN(alibi_edge, text);
SIZED_ENDS_IN(alibi_store, close);
SIZED_ENDS_IN(alibi_watch_options, timestamps);
SIZED_ENDS_IN(alibi_watch_stats, timestamps);
SIZED_ENDS_IN(alibi_solver, stop_when);
SIZED_ENDS_IN(alibi_synth_options, solver);
SIZED_ENDS_IN(alibi_report_options, note);
SIZED_ENDS_IN(alibi_finding, explanation);
SIZED_ENDS_IN(alibi_reported, expected);

static size_t size_of(const void *given)
{
	size_t size;
	memcpy(&size, given, sizeof size);
	return size;
}

void sized_read(struct guard *g, const char *type, void *own, size_t size, const void *given)
{
	memset(own, 0, size);
	if (!given)
		return;
	size_t theirs = size_of(given);
	if (theirs < sizeof theirs)
		guard_fail(g, ALIBI_USAGE, NULL, "the size of %s is %zu; start from ALIBI_INIT(%s)",
		           type, theirs, type);
	for (size_t i = size; i < theirs; i++)
		if (((const unsigned char *)given)[i])
			guard_fail(g, ALIBI_USAGE, NULL,
			           "%s has a member that this version of the library (%s) does not "
			           "know; leave it 0, or use a newer library",
			           type, alibi_version());
	memcpy(own, given, theirs < size ? theirs : size);
}

void sized_write(void *out, const void *own, size_t size)
{
	size_t theirs = size_of(out), known = theirs < size ? theirs : size;
	assert(theirs >= sizeof theirs);
	memset(out, 0, theirs);
	memcpy(out, own, known);
	memcpy(out, &theirs, sizeof theirs);
}
