/*
 * synth: histories that some levels allow and others forbid.
 */
#include "engine.h"
#include "job.h"
#include "output.h"
#include "synth_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct synth_values {
	const char *allow, *forbid, *show, *out, *schedule;
	unsigned long long txns, keys, values, all;
	bool min, apart, json;
	struct load_values load; /* only the limits */
};

static const struct synth_values defaults = {.txns = 4, .keys = 2, .values = 3, .all = 1};

#define AT(field) offsetof(struct synth_values, field)

static const struct option options[] = {
        {"allow", OPTION_TEXT, "LEVELS",
         "levels that must allow the history, separated by commas: names, or files that end in "
         ".level",
         AT(allow), NULL},
        {"forbid", OPTION_TEXT, "LEVELS", "levels that must forbid it", AT(forbid), NULL},
        {"txns", OPTION_COUNT, "N", "histories with at most N transactions (4)", AT(txns), NULL},
        {"keys", OPTION_COUNT, "N", "… and N keys (2)", AT(keys), NULL},
        {"values", OPTION_COUNT, "N", "… and N values of a key, including the initial one (3)",
         AT(values), NULL},
        {"min", OPTION_FLAG, NULL,
         "of those with the fewest transactions, find one with the fewest operations", AT(min),
         NULL},
        {"apart", OPTION_FLAG, NULL, "give every transaction a session of its own", AT(apart),
         NULL},
        {"all", OPTION_COUNT, "N", "find N histories that differ by more than names", AT(all),
         NULL},
        {"out", OPTION_TEXT, "PATH",
         "write the history to this file; with --all, histories to this directory", AT(out), NULL},
        {"schedule", OPTION_TEXT, "FILE",
         "write the steps that would produce the history, for alibi record --schedule",
         AT(schedule), NULL},
        {"json", OPTION_FLAG, NULL, "print one JSON object", AT(json), NULL},
        {"show", OPTION_TEXT, "LEVEL",
         "print the definition of a level of the library, or, if it is 'all', their names",
         AT(show), NULL},
        LIMIT_OPTIONS(struct synth_values),
        {0},
};

/* ---- definitions ---- */

static int show(const char *name)
{
	struct job job = job_start(&(struct load_values){0});
	bool all = !strcmp(name, "all"), found = all;
	for (size_t i = 0; i < alibi_definition_count(); i++) {
		const alibi_definition *d = alibi_definition_at(job.alibi, i);
		if (!d) {
			found = false;
			break;
		}
		if (all)
			print_out("%-8s %-8s %s\n", alibi_definition_name(d),
			          alibi_definition_over(d),
			          alibi_definition_title(d) ? alibi_definition_title(d) : "");
		else if (!strcmp(alibi_definition_name(d), name)) {
			fputs(alibi_definition_text(d), stdout);
			found = true;
		}
	}
	if (!found)
		print_error("synth", "--show: there is no level '%s' (--show all lists them)",
		            name);
	job_end(&job);
	return found ? EXIT_VALID : EXIT_USAGE;
}

/* ---- output ---- */

static void print_json(const struct synth_values *v, const alibi_synthesis *s, double seconds)
{
	bool first = true, none = true;
	putchar('{');
	json_open_member(&first, "histories");
	putchar('[');
	for (size_t i = 0; i < alibi_synthesis_count(s); i++) {
		json_open_member(&none, NULL);
		synth_print_json(alibi_synthesis_at(s, i));
	}
	putchar(']');
	json_member_raw(&first, "all", alibi_synthesis_all(s) ? "true" : "false");
	json_member_count(&first, "exhausted", alibi_synthesis_exhausted(s));
	json_member_count(&first, "txns", v->txns);
	json_member_count(&first, "keys", v->keys);
	json_member_count(&first, "values", v->values);
	json_member_text(&first, "reason", alibi_synthesis_reason(s));
	json_member_count(&first, "proposals", alibi_synthesis_proposals(s));
	json_member_count(&first, "lessons", alibi_synthesis_lessons(s));
	json_open_member(&first, "seconds");
	print_out("%.3f}\n", seconds);
}

static void print_text(const struct synth_values *v, const alibi_synthesis *s)
{
	for (size_t i = 0; i < alibi_synthesis_count(s); i++) {
		if (i)
			putchar('\n');
		synth_print_text(alibi_synthesis_at(s, i));
	}
	if (alibi_synthesis_reason(s))
		print_out(alibi_synthesis_count(s) ? "\nunknown: %s\n" : "unknown: %s\n",
		          alibi_synthesis_reason(s));
	else if (!alibi_synthesis_count(s))
		print_out(
		        "none: no history of up to %llu transactions, %llu keys and %llu values a "
		        "key, by CaDiCaL\n",
		        v->txns, v->keys, v->values);
	else if (alibi_synthesis_all(s) && v->all > 1)
		print_out(
		        "\nno others of up to %llu transactions, %llu keys and %llu values a key, "
		        "by "
		        "CaDiCaL\n",
		        v->txns, v->keys, v->values);
}

/* The histories of an earlier run would be taken for more of this one. */
static bool is_taken(const struct synth_values *v)
{
	char first[4096];
	snprintf(first, sizeof first, "%s/1.jsonl", v->out ? v->out : "");
	if (!v->out || v->all <= 1 || access(first, F_OK))
		return false;
	print_error("synth", "--out: %s exists already; name another directory", first);
	return true;
}

static bool save_all(const struct synth_values *v, struct job *job, const alibi_synthesis *s)
{
	char path[4096];
	if (v->all > 1 && mkdir(v->out, 0777) && errno != EEXIST) {
		print_error("synth", "%s: %s", v->out, strerror(errno));
		return false;
	}
	for (size_t i = 0; i < alibi_synthesis_count(s); i++) {
		snprintf(path, sizeof path, v->all > 1 ? "%s/%zu.jsonl" : "%s", v->out, i + 1);
		if (job_save(job, "synth", alibi_synth_history_history(alibi_synthesis_at(s, i)),
		             path, "alibi") != EXIT_VALID)
			return false;
	}
	return true;
}

/* Of the first history. */
static bool save_schedule(const char *path, const alibi_synth_history *h)
{
	const char *schedule = alibi_synth_history_schedule(h);
	if (!schedule) {
		fputs("alibi synth: --schedule requires --allow: the steps follow the order at "
		      "that level\n",
		      stderr);
		return false;
	}
	bool standard = !strcmp(path, "-");
	FILE *out = standard ? stdout : fopen(path, "w");
	if (out)
		fputs(schedule, out);
	if (!out || (standard ? fflush(out) : fclose(out))) {
		print_error("synth", "%s: %s", path, strerror(errno));
		return false;
	}
	return true;
}

/* ---- the command ---- */

static int search(const struct synth_values *v, const alibi_solver *solver)
{
	struct level_list allow, forbid;
	if (!level_list_split(&allow, v->allow) || !level_list_split(&forbid, v->forbid)) {
		fputs("alibi synth: too many levels\n", stderr);
		return EXIT_USAGE;
	}
	struct job job = job_start(&v->load);
	alibi_synth_options o = {
	        ALIBI_INIT(alibi_synth_options),
	        .allow = allow.names,
	        .allow_count = allow.count,
	        .forbid = forbid.names,
	        .forbid_count = forbid.count,
	        .txns = bound(v->txns),
	        .keys = bound(v->keys),
	        .values = bound(v->values),
	        .smallest = v->min,
	        .apart = v->apart,
	        .count = v->all,
	        .solver = solver,
	};
	const alibi_synthesis *s = alibi_synth(job.alibi, &o);
	int code = EXIT_VALID;
	clear_status();
	if (!s) {
		print_error("synth", "%s", alibi_last_error(job.alibi)->text);
		code = job_exit_code(&job);
	} else {
		if (v->json)
			print_json(v, s, job_seconds(&job));
		else
			print_text(v, s);
		if (!alibi_synthesis_count(s))
			code = alibi_synthesis_reason(s) ? EXIT_UNDECIDED : EXIT_VIOLATES;
		if (v->out && !save_all(v, &job, s))
			code = EXIT_BROKEN;
		if (v->schedule && alibi_synthesis_count(s) &&
		    !save_schedule(v->schedule, alibi_synthesis_at(s, 0)))
			code = EXIT_BROKEN;
	}
	job_end(&job);
	return code;
}

static int run(int argc, char **argv)
{
	struct synth_values v = defaults;
	struct words words;
	if (!options_parse("synth", options, argc, argv, &v, &words))
		return EXIT_USAGE;
	if (words.count) {
		print_error("synth", "expected only options, found '%s'", words.items[0]);
		return EXIT_USAGE;
	}
	if (v.show)
		return show(v.show);
	const alibi_solver *solver = engine_chosen("synth");
	return solver && !is_taken(&v) ? search(&v, solver) : EXIT_USAGE;
}

const struct command cmd_synth = {
        .name = "synth",
        .words = "",
        .summary = "find a history that one isolation level allows and another forbids",
        .details = "Levels are formulas: alibi synth --show all lists those of the library, --show "
                   "LEVEL prints one, and your own are in files (docs/synth.md). A history that is "
                   "found has the fewest transactions possible. It is confirmed by evaluating the "
                   "formulas and by alibi check. That there is none within the bounds rests on the "
                   "SAT solver, CaDiCaL. Exits with 0 if a history was found, 1 if there is none, "
                   "and 2 if a limit was reached first.",
        .options = options,
        .run = run,
};
