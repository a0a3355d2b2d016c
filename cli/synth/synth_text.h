/*
 * synth_text: what alibi synth and compare share: lists of levels, and a history that
 * was found, as text and as JSON.
 */
#ifndef ALIBI_CLI_SYNTH_TEXT_H
#define ALIBI_CLI_SYNTH_TEXT_H

#include <alibi.h>

enum { LEVEL_LIST_MAX = 16, LEVEL_LIST_BYTES = 4096 };

struct level_list {
	const char *names[LEVEL_LIST_MAX];
	size_t count;
	char text[LEVEL_LIST_BYTES];
};

/* The words between commas; NULL: none. False: there are too many. */
bool level_list_split(struct level_list *list, const char *text);

unsigned bound(unsigned long long n); /* the largest there is, if it is larger */

void synth_print_text(const alibi_synth_history *h);
void synth_print_json(const alibi_synth_history *h);

#endif
