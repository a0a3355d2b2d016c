/*
 * signals: how somebody ends a watch.
 *
 * It should end with a checkpoint and a summary, so SIGINT and SIGTERM only ask for that, and
 * SIGHUP for another log: they are blocked, a descriptor becomes readable, and who waits for the
 * stream looks at it. But a step may take long: a search, or a write to a pipe that nobody reads.
 * So a thread looks whether a signal was taken. If not, it says so, and from then on another one
 * does what it does to any program. The checkpoint before is whole.
 *
 * Threads that are started later have them blocked, too: nothing is ever interrupted.
 */
#ifndef ALIBI_WATCH_SIGNALS_H
#define ALIBI_WATCH_SIGNALS_H

#include "notes.h"

/* Once in a process. The descriptor, which stays open; -1: errno says why there is none. */
int signals_open(const struct notes *notes);
/* The one that came, when the descriptor can be read. */
int signals_take(int signals);

#endif
