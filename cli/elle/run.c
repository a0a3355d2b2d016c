/* run: see run.h. */
#include "run.h"

#include <stdio.h>
#include <string.h>

bool elle_load(struct elle_run *r)
{
	struct load_values load = r->asked->load;
	if (r->asked->format)
		load.format = !strcmp(r->asked->format, "edn") ? "jepsen-edn" : "jepsen-json";
	r->history = job_load(r->job, r->path, &load);
	if (!r->history)
		snprintf(r->why, sizeof r->why, "%s", alibi_last_error(r->job->alibi)->text);
	return r->history;
}
