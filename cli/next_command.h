/*
 * next_command: what to type next, after a check. The options of this run that decide what is
 * checked are those of the next one; what it writes and how it prints is left out. Words are
 * quoted for the shell.
 */
#ifndef ALIBI_CLI_NEXT_COMMAND_H
#define ALIBI_CLI_NEXT_COMMAND_H

#include "options.h"
#include "text.h"

/* " --level si --initial 0", from the arguments before they are parsed. */
struct text next_options(const struct option *table, int argc, char **argv);
/* Prints "  why: alibi command options more path"; more: or NULL. */
void next_print(const char *why, const char *command, const struct text *options, const char *more,
                const char *path);

#endif
