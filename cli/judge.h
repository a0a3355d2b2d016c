/*
 * judge: what check and explain share: their options, and the way from paths to
 * verdicts, reports and an exit code.
 */
#ifndef ALIBI_CLI_JUDGE_H
#define ALIBI_CLI_JUDGE_H

#include "options.h"

extern const struct option judge_options[];

/* The whole command; command is its name, for messages. explain: say why, even if no
 * report that needs it is wanted. */
int judge(const char *command, bool explain, int argc, char **argv);

#endif
