/*
 * run: one history on its way through `alibi elle`: what is asked of it, and what came out.
 */
#ifndef ALIBI_CLI_ELLE_RUN_H
#define ALIBI_CLI_ELLE_RUN_H

#include "goals.h"
#include "job.h"

#include <alibi.h>

/* The values of the options. */
struct elle_asked {
	const char *model, *consistency_models, *anomalies, *format, *output, *directory;
	const char *plot_format;
	unsigned long long cycle_search_timeout, plot_timeout, max_plot_bytes;
	bool verbose, version;
	const char *total_amount, *max_transfer, *group_size;
	bool allow_negative_balances;
	struct load_values load;
	struct elle_goals goals; /* no option: of consistency_models and anomalies */
	bool explain;            /* no option: what was found is shown */
};

struct elle_run {
	struct job *job;
	const char *path;
	const struct elle_asked *asked;
	const char *model;   /* as alibi_load_options has it; NULL: transactions */
	const char *initial; /* instead of the one that was asked for; NULL: that one */
	const alibi_history *history;
	enum alibi_verdict verdict;
	char why[1024];        /* of unknown; why there is no verdict; or what is violated */
	alibi_finding finding; /* what decided it; its result NULL: nothing did */
	enum elle_scope scope; /* what had to count for the violation */
};

/* Loads the history of the run; false: see its why. */
bool elle_load(struct elle_run *r);

#endif
