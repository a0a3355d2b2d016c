/*
 * judge: what check and explain share: their options, and the way from paths to
 * verdicts, reports and an exit code.
 */
#ifndef ALIBI_CLI_JUDGE_H
#define ALIBI_CLI_JUDGE_H

#include "options.h"

extern const struct option judge_options[];

/* The whole command; command is its name, for messages. */
int judge(const char *command, int argc, char **argv);

#endif
