/* survey: see survey.h. */
#include "survey.h"

#include "output.h"
#include "reporting.h"

#include <stdio.h>
#include <string.h>

/* For one level. */
static int exit_code_at(const alibi_levels *all, const char *level)
{
	static const int codes[] = {EXIT_VALID, EXIT_VIOLATES, EXIT_UNDECIDED};
	const alibi_result *r;
	for (size_t i = 0; (r = alibi_levels_at(all, i)); i++)
		if (!strcmp(alibi_result_level(r), level))
			return codes[alibi_result_verdict(r)];
	return EXIT_UNDECIDED;
}

static void print_claim(const char *path, const char *claimed, int code)
{
	static const char *const ends[] = {"holds", "is violated", "is undecided"};
	if (!*claimed)
		puts("  The database claims none of these levels here; name one with --level.");
	else
		print_out("  The claimed level, %s, %s.\n", claimed, ends[code]);
	if (code == EXIT_VIOLATES)
		print_out("  For details: alibi check --level %s %s\n", claimed, path);
}

static bool print_levels(const char *path, const alibi_history *h, const alibi_levels *all,
                         const char *claimed, int code)
{
	static const enum alibi_verdict verdicts[] = {ALIBI_VALID, ALIBI_VIOLATES, ALIBI_UNKNOWN};
	struct report_values values = {0};
	struct reporting r;
	alibi_finding findings[LEVELS_MAX];
	reporting_levels(all, false, findings);
	return reporting_start(&r, "record", &values, &(struct words){0}) &&
	       reporting_add(&r, &(alibi_reported){ALIBI_INIT(alibi_reported), .name = path,
	                                           .history = h,
	                                           .finding_count = alibi_levels_count(all),
	                                           .findings = findings,
	                                           .strongest = alibi_levels_strongest(all),
	                                           .claimed = *claimed ? claimed : NULL,
	                                           .verdict = verdicts[code]}) &&
	       reporting_end(&r);
}

int survey(const char *path, const char *claimed, double least_commits,
           const struct load_values *limits)
{
	struct job job = job_start(limits);
	const alibi_history *h = job_load(&job, path, limits);
	const alibi_levels *all =
	        h ? alibi_check_all(
	                    job.alibi, h,
	                    &(alibi_check_options){ALIBI_INIT(alibi_check_options),
	                                           .min_commits = min_commits(least_commits),
	                                           .max_violations = 1})
	          : NULL;
	int code;
	job_quiet(&job);
	if (all) {
		code = exit_code_at(all, claimed);
		bool printed = print_levels(path, h, all, claimed, code);
		print_claim(path, claimed, code);
		code = printed ? code : EXIT_BROKEN;
	} else {
		code = job_exit_code(&job);
		print_error("record", "%s", alibi_last_error(job.alibi)->text);
	}
	fflush(stdout);
	job_end(&job);
	return code;
}
