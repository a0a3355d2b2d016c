/*
 * elle: elle-cli's command line on top of Alibi's checks, for scripts that call elle-cli.
 *
 * What is the same: the options, the line of each file ("FILE \t true"), and the exit codes: 255 if
 * a file cannot be read, else 1 if one is false, else 0. What is different: a mistake on the
 * command line is 254, as in Alibi's other commands, since 1 would look like a violation.
 */
#include "command.h"
#include "models.h"
#include "output.h"
#include "results.h"
#include "store.h"

#include <alibi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const formats[] = {"edn", "json", NULL};
static const char *const outputs[] = {"text", "json", NULL};
static const char *const plots[] = {"svg", NULL};

static const struct option options[] = {
        {"model", OPTION_TEXT, "MODEL", "what the operations are (above)",
         offsetof(struct elle_asked, model), elle_model_choices},
        {"consistency-models", OPTION_TEXT, "MODELS",
         "the consistency models that must hold, by Elle's names, with commas between them "
         "(strict-serializable)",
         offsetof(struct elle_asked, consistency_models), NULL},
        {"anomalies", OPTION_TEXT, "ANOMALIES",
         "the anomalies that must not be there, too, by Elle's names, with commas between them",
         offsetof(struct elle_asked, anomalies), NULL},
        {"cycle-search-timeout", OPTION_COUNT, "MS",
         "search at most so many milliseconds for each model and anomaly; then it is unknown "
         "(no limit)",
         offsetof(struct elle_asked, cycle_search_timeout), NULL},
        {"directory", OPTION_TEXT, "DIRECTORY",
         "write results.edn and a page, index.html, into it; of several histories, each into a "
         "directory of its own there: 1, 2, …",
         offsetof(struct elle_asked, directory), NULL},
        {"format", OPTION_CHOICE, "FORMAT",
         "the notation of the histories; otherwise it is detected",
         offsetof(struct elle_asked, format), formats},
        {"output", OPTION_CHOICE, "OUTPUT", "what is printed about a history (text)",
         offsetof(struct elle_asked, output), outputs},
        {"verbose", OPTION_FLAG, NULL, "the same as --output json",
         offsetof(struct elle_asked, verbose), NULL},
        {"plot-format", OPTION_CHOICE, "FORMAT", "of pictures (svg)",
         offsetof(struct elle_asked, plot_format), plots},
        {"plot-timeout", OPTION_COUNT, "MS", "has no effect: pictures take no time",
         offsetof(struct elle_asked, plot_timeout), NULL},
        {"max-plot-bytes", OPTION_COUNT, "BYTES", "has no effect: pictures are small",
         offsetof(struct elle_asked, max_plot_bytes), NULL},
        {"total-amount", OPTION_TEXT, "N", "bank: the total of all accounts (of the first read)",
         offsetof(struct elle_asked, total_amount), NULL},
        {"allow-negative-balances", OPTION_FLAG, NULL, "bank: balances may be negative",
         offsetof(struct elle_asked, allow_negative_balances), NULL},
        {"max-transfer", OPTION_TEXT, "N", "has no effect, as in elle-cli",
         offsetof(struct elle_asked, max_transfer), NULL},
        {"group-size", OPTION_TEXT, "N", "has no effect: reads of any keys are compared",
         offsetof(struct elle_asked, group_size), NULL},
        {"version", OPTION_FLAG, NULL, "print the version", offsetof(struct elle_asked, version),
         NULL},
        {"initial", OPTION_TEXT, "JSON",
         "the initial value of keys for which the history has none (null)",
         offsetof(struct elle_asked, load.initial), NULL},
        LIMIT_OPTIONS(struct elle_asked),
        {0},
};

/* elle-cli's letters; our options have none. */
static const struct {
	char letter;
	char *option;
} letters[] = {{'m', "--model"},
               {'c', "--consistency-models"},
               {'a', "--anomalies"},
               {'s', "--cycle-search-timeout"},
               {'d', "--directory"},
               {'f', "--format"},
               {'p', "--plot-format"},
               {'t', "--plot-timeout"},
               {'b', "--max-plot-bytes"},
               {'g', "--group-size"},
               {'n', "--allow-negative-balances"},
               {'o', "--total-amount"}};

static void spell_out(int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		char *word = argv[i];
		if (word[0] != '-' || !word[1] || word[1] == '-' || word[2])
			continue;
		for (size_t k = 0; k < sizeof letters / sizeof *letters; k++)
			if (letters[k].letter == word[1])
				argv[i] = letters[k].option;
		/* Up to 0.1.9 it was --verbose; since then it is --output. */
		if (word[1] == 'v')
			argv[i] = i + 1 < argc && (!strcmp(argv[i + 1], "text") ||
			                           !strcmp(argv[i + 1], "json"))
			                  ? "--output"
			                  : "--verbose";
	}
}

static const struct elle_model *chosen_model(const char *name)
{
	const char *names[32];
	size_t count = 0;
	for (const struct elle_model *m = elle_models; m->name && count < 31; m++) {
		if (name && !strcmp(m->name, name))
			return m;
		names[count++] = m->name;
	}
	names[count] = NULL;
	const char *near = name ? nearest_word(name, names) : NULL;
	print_to(stderr, "alibi elle: %s%s%s%s%s%s; expected --model and one of",
	         name ? "there is no model '" : "which model?", name ? name : "", name ? "'" : "",
	         near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
	for (size_t i = 0; i < count; i++)
		print_to(stderr, "%s %s", i ? "," : "", names[i]);
	fputc('\n', stderr);
	return NULL;
}

static void print_goals(const struct elle_goals *goals)
{
	char text[256];
	for (size_t i = 0; i < goals->count; i++) {
		elle_goal_text(&goals->items[i], text, sizeof text);
		print_error("elle", "%s", text);
	}
}

/* number: of the history, from 1; 0: there is one only. */
static bool write_results(const struct elle_run *run, size_t number)
{
	struct text directory = {0};
	text_word(&directory, run->asked->directory);
	if (number)
		text_print(&directory, "/%zu", number);
	bool ok = elle_results_write(run, directory.data);
	text_release(&directory);
	return ok;
}

static int check_path(const char *path, const struct elle_model *model,
                      const struct elle_asked *asked, size_t number)
{
	static const char *const names[] = {"true", "false", "unknown"};
	struct job job = job_start(&asked->load);
	struct elle_run run = {.job = &job, .path = path, .asked = asked};
	bool read = model->judge(&run);
	clear_status();
	struct text results = {0};
	if (read && asked->verbose) {
		elle_results(&results, &run, true);
		fputs(results.data, stdout);
	} else if (read) {
		print_out("%s \t %s\n", path, names[run.verdict]);
	}
	text_release(&results);
	fflush(stdout);
	if (!read || run.verdict == ALIBI_UNKNOWN)
		print_error("elle", "%s", run.why);
	else if (run.verdict == ALIBI_VIOLATES && *run.why && !asked->explain)
		print_error("elle",
		            "%s does not hold; --directory DIRECTORY writes a page "
		            "that says why",
		            run.why);
	bool written = !read || !asked->directory || write_results(&run, number);
	job_end(&job);
	return !read || !written               ? EXIT_BROKEN
	       : run.verdict == ALIBI_VIOLATES ? EXIT_VIOLATES
	                                       : EXIT_VALID;
}

static int run(int argc, char **argv)
{
	struct elle_asked asked = {0};
	struct words files;
	int worst = EXIT_VALID;
	spell_out(argc, argv);
	if (!options_parse("elle", options, argc, argv, &asked, &files))
		return EXIT_USAGE;
	if (asked.version) {
		print_out("alibi %s\n", alibi_version());
		return EXIT_VALID;
	}
	asked.verbose |= asked.output && !strcmp(asked.output, "json");
	asked.explain = asked.verbose || asked.directory;
	const struct elle_model *model = chosen_model(asked.model);
	if (!model)
		return EXIT_USAGE;
	if (!elle_goals_take(&asked.goals, asked.consistency_models, asked.anomalies)) {
		print_error("elle", "%s", asked.goals.why);
		return EXIT_USAGE;
	}
	if (!files.count) {
		fputs("alibi elle: which history? Name one or more files, or a store "
		      "directory of Jepsen's\n",
		      stderr);
		return EXIT_USAGE;
	}
	if (asked.consistency_models || asked.anomalies)
		print_goals(&asked.goals);
	struct paths paths;
	if (!store_histories(&paths, &files))
		worst = EXIT_BROKEN;
	for (size_t i = 0; i < paths.count; i++) {
		int code = check_path(paths.items[i], model, &asked, paths.count > 1 ? i + 1 : 0);
		worst = code > worst ? code : worst;
	}
	paths_release(&paths);
	return worst;
}

const struct command cmd_elle = {
        .name = "elle",
        .words = "HISTORY…",
        .summary = "check histories of Jepsen by the command line of elle-cli",
        .details =
                "Takes the options of elle-cli, prints its line for each history (the path, a tab "
                "and true, false or unknown), and exits with its codes: 255 if one cannot be read, "
                "else 1 if one is false, else 0, also if one is unknown. A mistake on the command "
                "line is 254. The options also have the letters of elle-cli: -m, -c, -a, -s, -d, "
                "-f, -v, -p, -t, -b, -g, -n, -o, -h.\n\n"
                "A directory is a store of Jepsen's, or a part of it, such as store/latest: each "
                "history.edn in it is checked, or history.txt where there is none.\n\n"
                "Models: list-append and rw-register, transactions on lists and on registers; "
                "register, cas-register and mutex, which must be linearizable; set, set-full, "
                "counter, bank, long-fork, comments and sequential, as docs/models.md has them. "
                "--consistency-models and --anomalies are for the first two.\n\n"
                "What a consistency model or an anomaly is taken for is printed to standard error; "
                "docs/guide/elle-cli.md has them all.",
        .options = options,
        .run = run,
};
