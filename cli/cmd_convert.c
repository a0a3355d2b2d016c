/*
 * convert: a history from one format to another.
 */
#include "choices.h"
#include "job.h"

#include <stdio.h>

struct convert_values {
	struct load_values load;
	const char *to, *out;
};

static const struct option options[] = {
        {"to", OPTION_CHOICE, "FORMAT", "the format to write (alibi); see alibi help formats",
         offsetof(struct convert_values, to), format_choices},
        {"out", OPTION_TEXT, "PATH",
         "where to write: a file, a directory for the formats that are one, or - (the default)",
         offsetof(struct convert_values, out), NULL},
        LOAD_OPTIONS(struct convert_values),
        {0},
};

static int run(int argc, char **argv)
{
	struct convert_values v = {.to = "alibi", .out = "-"};
	struct words files;
	if (!options_parse("convert", options, argc, argv, &v, &files))
		return EXIT_USAGE;
	if (files.count != 1) {
		fputs("alibi convert: name one history, or - for standard input\n", stderr);
		return EXIT_USAGE;
	}
	struct job job = job_start(&v.load);
	const alibi_history *h = job_load(&job, files.items[0], &v.load);
	int code = job_save(&job, "convert", h, v.out, v.to);
	job_end(&job);
	return code;
}

const struct command cmd_convert = {
        .name = "convert",
        .words = "HISTORY",
        .summary = "write a history in another format",
        .details = "What the other format cannot say and no verdict depends on is left out, with "
                   "a note on standard error. A history whose meaning would change is refused.",
        .options = options,
        .run = run,
};
