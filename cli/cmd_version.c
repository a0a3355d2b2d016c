/* version: which Alibi this is. */
#include "command.h"

#include <alibi.h>
#include <stdio.h>

static const struct option options[] = {{0}};

static int run(int argc, char **argv)
{
	struct words words;
	if (!options_parse("version", options, argc, argv, NULL, &words))
		return EXIT_USAGE;
	printf("alibi %s\n", alibi_version());
	return EXIT_VALID;
}

const struct command cmd_version = {
        .name = "version",
        .words = "",
        .summary = "print the version",
        .options = options,
        .run = run,
};
