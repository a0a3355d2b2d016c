/* survey: see survey.h. */
#include "survey.h"

#include "output.h"

#include <stdio.h>
#include <string.h>

enum { LEVELS_MAX = 32, NOT_CHECKED = -1 };

struct findings {
	size_t count;
	int verdicts[LEVELS_MAX]; /* enum alibi_verdict, or NOT_CHECKED */
	const alibi_result *results[LEVELS_MAX];
};

static bool judge(struct job *job, const alibi_history *h, struct findings *f, size_t level)
{
	f->results[level] = alibi_check(
	        job->alibi, h,
	        &(alibi_check_options){.level = alibi_level_name(level), .max_violations = 1});
	f->verdicts[level] = f->results[level] ? (int)f->results[level]->verdict : ALIBI_UNKNOWN;
	return f->results[level];
}

/* start: the promised level. */
static void survey_levels(struct job *job, const alibi_history *h, struct findings *f, size_t start)
{
	size_t top = f->count - 1;
	if (!judge(job, h, f, top) || f->verdicts[top] == ALIBI_VALID)
		return;
	if (start != top && !judge(job, h, f, start))
		return;
	for (size_t i = start; f->verdicts[i] == ALIBI_VALID && i + 1 < top; i++)
		if (!judge(job, h, f, i + 1))
			return;
	for (size_t i = start; f->verdicts[i] == ALIBI_VIOLATES && i > 0; i--)
		if (!judge(job, h, f, i - 1))
			return;
}

/* What was not checked follows from a neighbour. */
static void fill_gaps(struct findings *f)
{
	for (size_t i = 1; i < f->count; i++)
		if (f->verdicts[i] == NOT_CHECKED && f->verdicts[i - 1] == ALIBI_VIOLATES)
			f->verdicts[i] = ALIBI_VIOLATES;
	for (size_t i = f->count - 1; i > 0; i--)
		if (f->verdicts[i - 1] == NOT_CHECKED && f->verdicts[i] == ALIBI_VALID)
			f->verdicts[i - 1] = ALIBI_VALID;
}

static void print_findings(const struct findings *f, const char *path, const char *level)
{
	static const enum colour colours[] = {COLOUR_GOOD, COLOUR_BAD, COLOUR_DOUBT};
	bool told = false;
	printf("%s\n", path);
	for (size_t i = 0; i < f->count; i++) {
		const alibi_result *r = f->results[i];
		if (f->verdicts[i] == NOT_CHECKED)
			continue;
		printf("  %-5s ", alibi_level_name(i));
		print_coloured(colours[f->verdicts[i]],
		               alibi_verdict_name((enum alibi_verdict)f->verdicts[i]));
		puts(strcmp(alibi_level_name(i), level) ? "" : ", what was promised");
		if (r && r->reason)
			printf("        %s\n", r->reason);
		if (r && r->described && !told) {
			printf("        %s\n", r->violations[0].text);
			printf("        alibi check --level %s %s says more\n", alibi_level_name(i),
			       path);
			told = true;
		}
	}
}

static size_t index_of(const char *level)
{
	for (size_t i = 0; i < alibi_level_count(); i++)
		if (!strcmp(alibi_level_name(i), level))
			return i;
	return LEVELS_MAX;
}

int survey(const char *path, const char *level, const struct load_values *limits)
{
	static const int codes[] = {EXIT_VALID, EXIT_VIOLATES, EXIT_UNDECIDED};
	struct job job = job_start(limits);
	struct findings f = {.count = alibi_level_count()};
	size_t promised = index_of(level);
	for (size_t i = 0; i < f.count; i++)
		f.verdicts[i] = NOT_CHECKED;
	const alibi_history *h = job_load(&job, path, limits);
	if (h)
		survey_levels(&job, h, &f, promised < LEVELS_MAX ? promised : 0);
	job_quiet(&job);
	fill_gaps(&f);
	int code = EXIT_UNDECIDED;
	if (promised < LEVELS_MAX && f.verdicts[promised] != NOT_CHECKED)
		code = codes[f.verdicts[promised]];
	if (alibi_last_error(job.alibi)->code != ALIBI_OK) {
		fprintf(stderr, "alibi record: %s\n", alibi_last_error(job.alibi)->text);
		code = job_exit_code(&job);
	}
	if (h)
		print_findings(&f, path, level);
	if (promised == LEVELS_MAX)
		fputs("  the database promises none of these levels here; --level says which one "
		      "counts\n",
		      stdout);
	fflush(stdout);
	job_end(&job);
	return code;
}
