/*
 * stall: warns when a watch by fences is held up by a session. The watch waits for the session that
 * is furthest behind; a notice names it when many transactions are waiting, and again whenever
 * their number has doubled.
 */
#ifndef ALIBI_WATCH_STALL_H
#define ALIBI_WATCH_STALL_H

#include "notices.h"

#include <alibi.h>
#include <stdint.h>

struct stall {
	uint64_t sessions; /* expected at least; 0: no fences */
	uint64_t noticed;  /* transactions that were waiting at the last notice */
};

void stall_check(struct stall *w, const alibi_watch *watch, const struct notices *notices);

#endif
