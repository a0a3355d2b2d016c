/* version: which Alibi this is, and what it was built with. */
#include "command.h"
#include "output.h"

#include <alibi.h>
#include <stdio.h>

static const struct option options[] = {{0}};

/* What a build may lack. */
static const struct {
	const char *name;
	bool is_built;
} parts[] = {
        {"PostgreSQL", HAVE_POSTGRES}, {"MariaDB", HAVE_MARIADB}, {"SQLite", HAVE_SQLITE},
        {"NATS", HAVE_NATS},           {"HTTP", HAVE_HTTP},       {"LMDB", HAVE_LMDB},
        {"CaDiCaL", HAVE_CADICAL},
};

static int run(int argc, char **argv)
{
	struct words words;
	if (!options_parse("version", options, argc, argv, NULL, &words))
		return EXIT_USAGE;
	if (words.count) {
		print_error("version", "expected no argument, found '%s'", words.items[0]);
		return EXIT_USAGE;
	}
	print_out("alibi %s\n", alibi_version());
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		print_out("  %-15s %s\n", parts[i].name, parts[i].is_built ? "yes" : "no");
	return EXIT_VALID;
}

const struct command cmd_version = {
        .name = "version",
        .words = "",
        .summary = "print the version, and what was built in",
        .options = options,
        .run = run,
};
