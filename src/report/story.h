/*
 * story: an anomaly as a piece of a page: what happened, the picture, why it
 * cannot be, the transactions, what else happened then, and the reduced history.
 *
 * Everything that the picture shows is also there as text, in headings and lists.
 * A story is never longer than STORY_MAX, give or take a sentence: what is left out
 * is said, and other reports have it.
 */
#ifndef ALIBI_REPORT_STORY_H
#define ALIBI_REPORT_STORY_H

#include "report/words.h"

enum { STORY_MAX = 600 * 1000 };

struct story {
	const alibi_anomaly *anomaly;
	const char *level;
	const struct history *annotated; /* the whole history; NULL: not known */
	size_t number;                   /* on the page, from 1 */
};

void story_write(struct sink *s, const struct story *story);

#endif
