/* run: see run.h. */
#include "run.h"

#include "store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* As EDN; it lives as long as this call. */
static const alibi_history *load_txt(struct elle_run *r, const struct load_values *load)
{
	struct text edn = {0};
	const alibi_history *h = NULL;
	alibi_load_options options = {ALIBI_INIT(alibi_load_options), .format = "jepsen-edn",
	                              .initial = load->initial, .model = load->model};
	if (!history_txt_read(&edn, r->path))
		snprintf(r->why, sizeof r->why, "%s: cannot read: %s", r->path, strerror(errno));
	else
		h = alibi_load_memory(r->job->alibi, r->path, edn.length ? edn.data : "",
		                      edn.length, &options);
	text_release(&edn);
	return h;
}

bool elle_load(struct elle_run *r)
{
	struct load_values load = r->asked->load;
	load.model = r->model;
	if (r->initial)
		load.initial = r->initial;
	if (r->asked->format)
		load.format = !strcmp(r->asked->format, "edn") ? "jepsen-edn" : "jepsen-json";
	r->history =
	        is_history_txt(r->path) ? load_txt(r, &load) : job_load(r->job, r->path, &load);
	if (!r->history && !*r->why)
		snprintf(r->why, sizeof r->why, "%s", alibi_last_error(r->job->alibi)->text);
	return r->history;
}
