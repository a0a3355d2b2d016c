/* job: see job.h. */
#include "job.h"

#include "clock.h"
#include "output.h"
#include "text.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { QUIET_NS = 1000 * 1000 * 1000, KNOWN_MAX = 32 };
static const uint64_t QUIET_LOG_NS = 10000000000u; /* where it is a log */

const char *const initial_choices[] = {"first-read", NULL};

struct progress {
	const alibi *alibi;
	uint64_t started_ns, stage_ns;
	const char *stage;
	bool terminal;
	struct {
		const char *level, *verdict;
		double seconds;
	} known[KNOWN_MAX]; /* of all levels; those that are not printed yet: */
	size_t known_count;
};

/* "1,234,567" */
static void add_count(struct text *line, uint64_t n)
{
	char digits[24];
	int length = snprintf(digits, sizeof digits, "%" PRIu64, n);
	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			text_word(line, ",");
		text_add(line, digits + i, 1);
	}
}

static void describe_stage(struct text *line, struct progress *p, uint64_t done, uint64_t total)
{
	double seconds = (double)(clock_ns() - p->stage_ns) / 1e9;
	text_word(line, p->stage);
	if (total && done)
		text_print(line, "  %" PRIu64 " %%", done * 100 / total);
	if (done && seconds > 0.1)
		text_print(line, "  %.1f M/s", (double)done / seconds / 1e6);
	if (total > done && done && seconds > 0.5)
		text_print(line, "  %.0f s left", seconds * (double)(total - done) / (double)done);
}

/* "ser  12 s  120 of 1,104 transactions placed, 38,000 conflicts; tries a serial order; next: …" */
static void describe_search(struct text *line, const alibi_search_state *s, const char *stage)
{
	text_print(line, "%s  %.0f s  ", s->level, s->seconds);
	if (s->txns) {
		add_count(line, s->placed);
		text_word(line, " of ");
		add_count(line, s->txns);
		text_word(line, " transactions placed, ");
	} else if (s->orders) {
		add_count(line, s->orders);
		text_word(line, " orders tried, ");
	}
	if (s->orders) {
		add_count(line, s->conflicts);
		text_word(line, " conflicts; ");
	}
	if (s->trying)
		text_print(line, "tries %s", s->trying);
	else
		text_word(line, stage);
	if (s->next || s->next_level)
		text_print(line, "; next: %s", s->next ? s->next : s->next_level);
}

/* On a terminal after a second, elsewhere after ten: a check that is quicker needs no log. */
static void print_known(struct progress *p)
{
	if (clock_ns() - p->started_ns < (p->terminal ? QUIET_NS : QUIET_LOG_NS))
		return;
	for (size_t i = 0; i < p->known_count; i++)
		print_to(stderr, "%s %s, known after %.1f s\n", p->known[i].level,
		         p->known[i].verdict, p->known[i].seconds);
	p->known_count = 0;
}

static void note_known(void *data, const alibi_result *r)
{
	struct progress *p = data;
	if (p->known_count == KNOWN_MAX)
		return;
	p->known[p->known_count].level = alibi_result_level(r);
	p->known[p->known_count].verdict = alibi_verdict_name(alibi_result_verdict(r));
	p->known[p->known_count++].seconds = (double)(clock_ns() - p->started_ns) / 1e9;
	print_known(p);
}

static void show_progress(void *data, const char *stage, uint64_t done, uint64_t total)
{
	struct progress *p = data;
	struct text line = {0};
	alibi_search_state search = {ALIBI_INIT(alibi_search_state)};
	if (p->stage != stage) {
		p->stage = stage;
		p->stage_ns = clock_ns();
	}
	print_known(p);
	if (!p->terminal || clock_ns() - p->started_ns < QUIET_NS)
		return;
	alibi_searching(p->alibi, &search);
	if (search.level)
		describe_search(&line, &search, stage);
	else
		describe_stage(&line, p, done, total);
	print_status("%s", line.data);
	text_release(&line);
}

/* ---- Ctrl-C ---- */

static alibi *volatile interruptible;
static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
	if (interruptible)
		alibi_cancel(interruptible);
}

void job_interruptible(const struct job *job)
{
	/* The second one ends the program at once. */
	struct sigaction once = {.sa_handler = interrupt, .sa_flags = SA_RESETHAND};
	sigemptyset(&once.sa_mask);
	interruptible = job->alibi;
	sigaction(SIGINT, &once, NULL);
	sigaction(SIGTERM, &once, NULL);
}

bool job_interrupted(void)
{
	return interrupted;
}

/* ---- jobs ---- */

struct job job_start(const struct load_values *load)
{
	struct job job = {.started_ns = clock_ns(), .timeout = load->timeout};
	job.alibi = alibi_new();
	if (!job.alibi) {
		fputs("alibi: out of memory\n", stderr);
		exit(EXIT_BROKEN);
	}
	alibi_set_memory_limit(job.alibi, load->max_memory);
	alibi_set_timeout(job.alibi, load->timeout);
	if ((job.progress = calloc(1, sizeof *job.progress))) {
		job.progress->alibi = job.alibi;
		job.progress->started_ns = job.started_ns;
		job.progress->terminal = isatty(STDERR_FILENO);
		alibi_set_progress(job.alibi, show_progress, job.progress);
		alibi_set_decided(job.alibi, note_known, job.progress);
	}
	return job;
}

void job_end(struct job *job)
{
	clear_status();
	interruptible = NULL;
	alibi_free(job->alibi);
	free(job->progress);
	*job = (struct job){0};
}

double job_seconds(const struct job *job)
{
	return (double)(clock_ns() - job->started_ns) / 1e9;
}

/* Sets the time limit to this share of what is left. */
static void limit_time(struct job *job, double share)
{
	double left = share * (job->timeout - job_seconds(job));
	if (job->timeout > 0)
		alibi_set_timeout(job->alibi, left > 1e-3 ? left : 1e-3);
}

const alibi_levels *job_check_all(struct job *job, const alibi_history *h,
                                  const alibi_check_options *asked)
{
	limit_time(job, 0.95);
	const alibi_levels *all = alibi_check_all(job->alibi, h, asked);
	limit_time(job, 1);
	return all;
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
	clear_status();
	if (!ok) {
		print_error(command, "%s", alibi_last_error(job->alibi)->text);
		return job_exit_code(job);
	}
	if (dropped)
		print_error(command, "%s cannot say this, so it was left out: %s", format, dropped);
	return EXIT_VALID;
}
