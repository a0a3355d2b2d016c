/*
 * job: what the commands that load histories share: the options for it, a
 * progress line on a terminal, and how a failure becomes an exit code.
 */
#ifndef ALIBI_CLI_JOB_H
#define ALIBI_CLI_JOB_H

#include "choices.h"
#include "command.h"

#include <alibi.h>
#include <stdint.h>

extern const char *const initial_choices[]; /* besides JSON */

struct load_values {
	const char *format, *initial, *model;
	size_t max_memory;
	double timeout;
};

/* Rows for a command whose values have a `struct load_values load`: the limits, … */
#define LIMIT_OPTIONS(values)                                                                      \
	{"max-memory",                                                                             \
	 OPTION_BYTES,                                                                             \
	 "SIZE",                                                                                   \
	 "use at most this much memory, such as 800M or 2G; give up if that is too little",        \
	 offsetof(values, load.max_memory),                                                        \
	 NULL},                                                                                    \
	{                                                                                          \
		"timeout", OPTION_SECONDS, "TIME", "give up after this time, such as 30s or 5m",   \
		        offsetof(values, load.timeout), NULL                                       \
	}

/* … and all that loading needs. */
#define LOAD_OPTIONS(values)                                                                       \
	{"format",                                                                                 \
	 OPTION_CHOICE,                                                                            \
	 "FORMAT",                                                                                 \
	 "read the input as this format instead of looking at it (alibi help formats)",            \
	 offsetof(values, load.format),                                                            \
	 format_choices},                                                                          \
	        {"initial",                                                                        \
	         OPTION_NAME,                                                                      \
	         "JSON",                                                                           \
	         "the initial value of all keys but those the input names one for, or the word "   \
	         "for what a key was first read as though no transaction wrote it",                \
	         offsetof(values, load.initial),                                                   \
	         initial_choices},                                                                 \
	        LIMIT_OPTIONS(values)

/* The option --min-commits before it is parsed, and what it is for the library. */
#define MIN_COMMITS_NOT_SAID (-1)
static inline double min_commits(double option)
{
	return option > 0 ? option : option < 0 ? 0 : -1;
}

struct job {
	alibi *alibi;
	uint64_t started_ns;
	double timeout; /* 0: none */
	struct progress *progress;
};

/* A job with these limits; a progress line appears on standard error if that is
 * a terminal and the job takes over a second. What is known of all levels is printed
 * there as well, elsewhere after ten seconds. */
struct job job_start(const struct load_values *load);
/* Ctrl-C (and SIGTERM) cancel the job instead of ending the program; once. */
void job_interruptible(const struct job *job);
bool job_interrupted(void);
void job_end(struct job *job);
double job_seconds(const struct job *job);
double cpu_seconds(void); /* that the program has used */

alibi_stats stats_of(const alibi_history *h);
const alibi_history *job_load(struct job *job, const char *path, const struct load_values *load);

/* alibi_check_all(), with a part of the time limit left for an explanation. */
const alibi_levels *job_check_all(struct job *job, const alibi_history *h,
                                  const alibi_check_options *asked);

/* Saves the history and says on standard error what could not be saved; the exit
 * code. h NULL: it was not made, for the job's last error. */
int job_save(struct job *job, const char *command, const alibi_history *h, const char *path,
             const char *format);

/* The exit code for the job's last error. */
int job_exit_code(const struct job *job);

#endif
