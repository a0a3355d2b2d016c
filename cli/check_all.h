/*
 * check_all: what a history is called at each level, for `check --level all`.
 */
#ifndef CLI_CHECK_ALL_H
#define CLI_CHECK_ALL_H

#include "alibi.h"

/* 0: all is decided, and the claimed level holds (or, if none is claimed, one does); 1: it
 * does not; 2: something is unknown. */
int all_exit_code(const alibi_levels *all, const char *claimed);

void all_print_text(const char *path, const alibi_levels *all, bool quiet);
/* As a member "levels" of an object that is open. */
void all_print_json(bool *first, const alibi_levels *all);

#endif
