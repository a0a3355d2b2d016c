/* survey: see survey.h. */
#include "survey.h"

#include "check_all.h"

#include <stdio.h>
#include <string.h>

/* Of one level, whatever the others are. */
static int exit_code_at(const alibi_levels *all, const char *level)
{
	static const int codes[] = {EXIT_VALID, EXIT_VIOLATES, EXIT_UNDECIDED};
	for (size_t i = 0; i < all->count; i++)
		if (!strcmp(all->results[i]->level, level))
			return codes[all->results[i]->verdict];
	return EXIT_UNDECIDED;
}

static void print_promise(const char *path, const char *promised, int code)
{
	static const char *const ends[] = {"is kept", "is broken", "may be kept or not"};
	if (!*promised)
		puts("  The database promises none of these levels here; --level says which one "
		     "counts.");
	else
		printf("  The promise, %s, %s.\n", promised, ends[code]);
	if (code == EXIT_VIOLATES)
		printf("  alibi check --level %s %s says more.\n", promised, path);
}

int survey(const char *path, const char *promised, const struct load_values *limits)
{
	struct job job = job_start(limits);
	const alibi_history *h = job_load(&job, path, limits);
	const alibi_levels *all =
	        h ? alibi_check_all(job.alibi, h, &(alibi_check_options){.max_violations = 1})
	          : NULL;
	int code;
	job_quiet(&job);
	if (all) {
		code = exit_code_at(all, promised);
		all_print_text(path, all, false);
		print_promise(path, promised, code);
	} else {
		code = job_exit_code(&job);
		fprintf(stderr, "alibi record: %s\n", alibi_last_error(job.alibi)->text);
	}
	fflush(stdout);
	job_end(&job);
	return code;
}
