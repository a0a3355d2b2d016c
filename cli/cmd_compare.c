/*
 * compare: which isolation levels imply which, and histories that tell them apart.
 */
#include "engine.h"
#include "job.h"
#include "lattice.h"
#include "level_choice.h"
#include "output.h"
#include "synth_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct compare_values {
	unsigned long long txns, keys, values;
	const char *html;
	bool json;
	struct load_values load; /* only the limits */
};

static const struct compare_values defaults = {.txns = 4, .keys = 2, .values = 4};

#define AT(field) offsetof(struct compare_values, field)

static const struct option options[] = {
        {"txns", OPTION_COUNT, "N", "histories with at most N transactions (4)", AT(txns), NULL},
        {"keys", OPTION_COUNT, "N", "… and N keys (2)", AT(keys), NULL},
        {"values", OPTION_COUNT, "N", "… and N values of a key, including the initial one (4)",
         AT(values), NULL},
        {"json", OPTION_FLAG, NULL, "print one JSON object", AT(json), NULL},
        {"html", OPTION_TEXT, "FILE", "write a page with a drawing and the histories", AT(html),
         NULL},
        LIMIT_OPTIONS(struct compare_values),
        {0},
};

/* The levels that were named, or all of the library's. */
static bool choose(struct lattice *l, struct job *job, const struct words *words)
{
	l->count = words->count ? (size_t)words->count : alibi_definition_count();
	if (l->count < 2 || l->count > LATTICE_MAX) {
		print_error("compare", "name 2 to %d levels, or none for all of the library's",
		            LATTICE_MAX);
		return false;
	}
	for (size_t i = 0; i < l->count; i++) {
		const alibi_definition *d =
		        words->count ? NULL : alibi_definition_at(job->alibi, i);
		if (!words->count && !d)
			return false;
		l->asked[i] = d ? alibi_definition_name(d) : level_formula(words->items[i]);
	}
	return true;
}

static bool write_page(const struct lattice *l, alibi *a, const char *path)
{
	FILE *out = fopen(path, "w");
	bool made = out && lattice_write_html(l, a, out);
	if (!out || fclose(out)) {
		print_error("compare", "%s: %s", path, strerror(errno));
		return false;
	}
	if (!made)
		print_error("compare", "%s: %s", path, alibi_last_error(a)->text);
	return made;
}

static int compare(struct lattice *l, struct job *job, const struct compare_values *v,
                   const alibi_solver *solver)
{
	if (!lattice_fill(l, job->alibi, solver)) {
		clear_status();
		print_error("compare", "%s", alibi_last_error(job->alibi)->text);
		return job_exit_code(job);
	}
	clear_status();
	if (v->json)
		lattice_print_json(l);
	else
		lattice_print_text(l);
	if (v->html && !write_page(l, job->alibi, v->html))
		return EXIT_BROKEN;
	bool differ = l->cells[0][1] == PAIR_FOUND || l->cells[1][0] == PAIR_FOUND;
	return l->count == 2 && differ ? EXIT_VIOLATES : l->reason ? EXIT_UNDECIDED : EXIT_VALID;
}

static int run(int argc, char **argv)
{
	struct compare_values v = defaults;
	struct words words;
	if (!options_parse("compare", options, argc, argv, &v, &words))
		return EXIT_USAGE;
	const alibi_solver *solver = engine_chosen("compare");
	if (!solver)
		return EXIT_USAGE;
	struct lattice l = {
	        .txns = bound(v.txns), .keys = bound(v.keys), .values = bound(v.values)};
	struct job job = job_start(&v.load);
	int code = choose(&l, &job, &words) ? compare(&l, &job, &v, solver) : EXIT_USAGE;
	job_end(&job);
	return code;
}

const struct command cmd_compare = {
        .name = "compare",
        .words = "[LEVEL…]",
        .summary = "say which isolation levels imply which, with histories that tell them apart",
        .details = "Two levels are equivalent, up to the bounds, or one is stronger, or they are "
                   "incomparable. With more levels, or none for all of the library, it prints the "
                   "lattice. LEVEL is a name (alibi synth --show all) or a file that ends "
                   "in .level. Of two levels it exits with 0 if they are equivalent, 1 if they "
                   "differ, and 2 if a limit was reached first.",
        .options = options,
        .run = run,
};
