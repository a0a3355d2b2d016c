/*
 * waiting: a watch by fences waits for the session that is furthest behind. If that goes on,
 * somebody should know whom it waits for: it is noted when much waits, and again whenever that
 * has doubled.
 */
#ifndef ALIBI_WATCH_WAITING_H
#define ALIBI_WATCH_WAITING_H

#include "notes.h"

#include <alibi.h>
#include <stdint.h>

struct waiting {
	uint64_t sessions; /* so many there should be; 0: there are no fences */
	uint64_t noted;    /* how many transactions waited when it was last noted */
};

void waiting_look(struct waiting *w, const alibi_watch *watch, const struct notes *notes);

#endif
