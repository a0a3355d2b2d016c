/* objects: see objects.h. */
#include "objects.h"

#include <stdio.h>
#include <string.h>

/* At which level a model is checked. */
static const struct object {
	const char *model, *level;
	bool ignore_sessions; /* the order of a process says nothing */
} objects[] = {
        {"register", "sser", false}, {"cas-register", "sser", false}, {"mutex", "sser", false},
        {"set", "sser", true},       {"set-full", "sser", true},      {"comments", "sser", true},
        {"long-fork", "si", true},   {"sequential", "ser", false},    {"bank", "si", false},
        {"counter", "si", false},
};

static const struct object *object_of(const char *model)
{
	size_t i = 0;
	while (strcmp(objects[i].model, model) != 0)
		i++;
	return &objects[i];
}

static void leave_open(struct elle_run *r, const char *why)
{
	r->verdict = ALIBI_UNKNOWN;
	snprintf(r->why, sizeof r->why, "%s: %s", r->path, why);
}

bool judge_object(struct elle_run *r)
{
	const struct object *object = object_of(r->asked->model);
	bool bank = !strcmp(object->model, "bank");
	r->model = bank && r->asked->allow_negative_balances ? "bank-negative-balances"
	                                                     : r->asked->model;
	r->initial = bank ? r->asked->total_amount : NULL;
	if (!elle_load(r))
		return false;
	alibi *job = r->job->alibi;
	bool sets = !strncmp(r->model, "set", 3);
	if (sets && !stats_of(r->history).reads) {
		leave_open(r, "the set was never read, or nothing was added to it");
		return true;
	}
	alibi_check_options asked = {ALIBI_INIT(alibi_check_options), .level = object->level,
	                             .ignore_sessions = object->ignore_sessions};
	const alibi_result *result = alibi_check(job, r->history, &asked);
	if (!result) {
		leave_open(r, alibi_last_error(job)->text);
		return true;
	}
	r->verdict = alibi_result_verdict(result);
	r->finding = (alibi_finding){ALIBI_INIT(alibi_finding), .level = asked.level,
	                             .ignore_sessions = asked.ignore_sessions, .result = result};
	r->scope = !strcmp(asked.level, "sser") ? ELLE_REALTIME : ELLE_PROCESS;
	if (r->verdict == ALIBI_UNKNOWN)
		leave_open(r, alibi_result_reason(result));
	if (r->verdict == ALIBI_VIOLATES && r->asked->explain)
		r->finding.explanation = alibi_explain(job, r->history, &asked, result);
	return true;
}
