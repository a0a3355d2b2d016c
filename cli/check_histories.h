/*
 * check_histories: the commands check and explain. Loads each history that the command line
 * names, checks it, and reports it; the exit code is that of the worst.
 */
#ifndef ALIBI_CLI_CHECK_HISTORIES_H
#define ALIBI_CLI_CHECK_HISTORIES_H

#include "options.h"

extern const struct option check_options[];

/* command: its name, for messages. explain: explain violations, even if no report requires it. */
int check_histories(const char *command, bool explain, int argc, char **argv);

#endif
