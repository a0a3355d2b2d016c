/* job: see job.h. */
#include "job.h"

#include "clock.h"
#include "output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { QUIET_NS = 1000 * 1000 * 1000 };

const char *const initial_choices[] = {"first-read", NULL};

struct progress {
	uint64_t started_ns, stage_ns;
	const char *stage;
	bool shown;
};

static void show_progress(void *data, const char *stage, uint64_t done, uint64_t total)
{
	struct progress *p = data;
	uint64_t now = clock_ns();
	if (p->stage != stage) {
		p->stage = stage;
		p->stage_ns = now;
	}
	if (now - p->started_ns < QUIET_NS)
		return;
	double seconds = (double)(now - p->stage_ns) / 1e9;
	print_to(stderr, "\r\033[K%s", stage);
	if (total && done)
		print_to(stderr, "  %" PRIu64 " %%", done * 100 / total);
	if (done && seconds > 0.1)
		print_to(stderr, "  %.1f M/s", (double)done / seconds / 1e6);
	if (total > done && done && seconds > 0.5)
		print_to(stderr, "  %.0f s left", seconds * (double)(total - done) / (double)done);
	fflush(stderr);
	p->shown = true;
}

struct job job_start(const struct load_values *load)
{
	struct job job = {.started_ns = clock_ns()};
	job.alibi = alibi_new();
	if (!job.alibi) {
		fputs("alibi: out of memory\n", stderr);
		exit(EXIT_BROKEN);
	}
	alibi_set_memory_limit(job.alibi, load->max_memory);
	alibi_set_timeout(job.alibi, load->timeout);
	if (isatty(STDERR_FILENO) && (job.progress = calloc(1, sizeof *job.progress))) {
		job.progress->started_ns = job.started_ns;
		alibi_set_progress(job.alibi, show_progress, job.progress);
	}
	return job;
}

void job_quiet(struct job *job)
{
	if (job->progress && job->progress->shown) {
		fputs("\r\033[K", stderr);
		fflush(stderr);
		job->progress->shown = false;
	}
}

void job_end(struct job *job)
{
	job_quiet(job);
	alibi_free(job->alibi);
	free(job->progress);
	*job = (struct job){0};
}

double job_seconds(const struct job *job)
{
	return (double)(clock_ns() - job->started_ns) / 1e9;
}

double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

const alibi_history *job_load(struct job *job, const char *path, const struct load_values *load)
{
	return alibi_load(job->alibi, path,
	                  &(alibi_load_options){ALIBI_INIT(alibi_load_options),
	                                        .format = load->format, .initial = load->initial,
	                                        .model = load->model});
}

alibi_stats stats_of(const alibi_history *h)
{
	alibi_stats stats = {ALIBI_INIT(alibi_stats)};
	alibi_history_stats(h, &stats);
	return stats;
}

int job_exit_code(const struct job *job)
{
	switch (alibi_last_error(job->alibi)->code) {
	case ALIBI_MEMORY:
	case ALIBI_TIMEOUT:
	case ALIBI_CANCELLED:
		return EXIT_UNDECIDED;
	case ALIBI_USAGE:
		return EXIT_USAGE;
	default:
		return EXIT_BROKEN;
	}
}

int job_save(struct job *job, const char *command, const alibi_history *h, const char *path,
             const char *format)
{
	const char *dropped = NULL;
	bool ok = h && alibi_save(job->alibi, h, path, format, &dropped);
	job_quiet(job);
	if (!ok) {
		print_error(command, "%s", alibi_last_error(job->alibi)->text);
		return job_exit_code(job);
	}
	if (dropped)
		print_error(command, "%s cannot say this, so it was left out: %s", format, dropped);
	return EXIT_VALID;
}
