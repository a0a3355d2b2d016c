/*
 * command: one row a subcommand; each lives in its own cmd_*.c.
 */
#ifndef ALIBI_CLI_COMMAND_H
#define ALIBI_CLI_COMMAND_H

#include "options.h"

/* What the program exits with: Jepsen's codes. */
enum exit_code {
	EXIT_VALID = 0,
	EXIT_VIOLATES = 1,
	EXIT_UNDECIDED = 2,
	EXIT_USAGE = 254,
	EXIT_BROKEN = 255, /* unreadable input, or an internal error */
};

struct command {
	const char *name;
	const char *words;   /* what follows the options, for the usage line */
	const char *summary; /* one line */
	const char *details; /* a paragraph or two for help and manual; may be NULL */
	const struct option *options;
	int (*run)(int argc, char **argv); /* argv without the program and the command */
};

extern const struct command cmd_check, cmd_explain, cmd_verify, cmd_levels, cmd_stats, cmd_convert,
        cmd_generate, cmd_record, cmd_synth, cmd_compare, cmd_watch, cmd_elle, cmd_help,
        cmd_version;
extern const struct command *const commands[]; /* ends in NULL */

const struct command *command_named(const char *name); /* NULL: no such; it was complained */

#endif
