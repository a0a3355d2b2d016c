/* survey: see survey.h. */
#include "survey.h"

#include "output.h"
#include "reporting.h"

#include <stdio.h>
#include <string.h>

static void print_claim(const char *path, const char *claimed, int code)
{
	static const char *const ends[] = {"holds", "is violated", "is undecided"};
	if (!*claimed)
		puts("  The database claims none of these levels here; name one with --level.");
	else
		print_out("  The claimed level, %s, %s.\n", claimed, ends[code]);
	if (*claimed && code == EXIT_VIOLATES)
		print_out("  For details: alibi check --level %s %s\n", claimed, path);
}

/* What a report needs besides: why the weakest level that is violated is, and the proof of the
 * verdict on the claimed one. If they take too long, the verdict still stands. */
static void add_details(struct job *job, const alibi_history *h, const struct report_values *values,
                        const alibi_check_options *asked, const char *claimed,
                        alibi_finding *findings, size_t count)
{
	bool explained = !reporting_explains(values);
	for (size_t i = 0; i < count; i++) {
		alibi_finding *f = &findings[i];
		alibi_check_options o = *asked;
		o.level = f->level;
		if (values->certificate && !strcmp(f->level, claimed)) {
			const alibi_result *again = alibi_check(job->alibi, h, &o);
			f->result = again ? again : f->result;
		}
		if (!explained && alibi_result_verdict(f->result) == ALIBI_VIOLATES) {
			f->explanation = alibi_explain(job->alibi, h, &o, f->result);
			explained = f->explanation;
		}
	}
	clear_status();
}

/* The history cannot be read or checked. */
static int report_error(struct job *job, const char *path, struct reporting *r)
{
	alibi_finding finding = {ALIBI_INIT(alibi_finding), .error = alibi_last_error(job->alibi)};
	reporting_add(r, &(alibi_reported){ALIBI_INIT(alibi_reported), .name = path,
	                                   .finding_count = 1, .findings = &finding});
	return job_exit_code(job);
}

static int check_and_report(struct job *job, const char *path, const alibi_history *h,
                            const alibi_check_options *asked, const char *claimed,
                            struct reporting *r)
{
	alibi_finding findings[LEVELS_MAX];
	const alibi_levels *all = job_check_all(job, h, asked);
	clear_status();
	if (!all)
		return report_error(job, path, r);
	enum alibi_verdict verdict = reporting_verdict(all, *claimed ? claimed : NULL);
	int code = reporting_exit_code(verdict);
	reporting_levels(all, false, findings);
	add_details(job, h, r->values, asked, claimed, findings, alibi_levels_count(all));
	bool written = reporting_add(
	        r, &(alibi_reported){ALIBI_INIT(alibi_reported), .name = path, .history = h,
	                             .finding_count = alibi_levels_count(all), .findings = findings,
	                             .strongest = alibi_levels_strongest(all),
	                             .claimed = *claimed ? claimed : NULL, .verdict = verdict});
	if (!r->values->json && !r->values->quiet)
		print_claim(path, claimed, code);
	return written ? code : EXIT_BROKEN;
}

int survey(const char *path, const char *claimed, double least_commits,
           const struct load_values *given, struct reporting *r)
{
	struct load_values bounded = *given, *limits = &bounded;
	if (limits->timeout <= 0)
		limits->timeout = SURVEY_SECONDS;
	struct job job = job_start(limits);
	alibi_check_options asked = {ALIBI_INIT(alibi_check_options),
	                             .min_commits = min_commits(least_commits),
	                             .max_violations = 1};
	job_interruptible(&job);
	const alibi_history *h = job_load(&job, path, limits);
	clear_status();
	int code = h ? check_and_report(&job, path, h, &asked, claimed, r)
	             : report_error(&job, path, r);
	fflush(stdout);
	job_end(&job);
	return code;
}
