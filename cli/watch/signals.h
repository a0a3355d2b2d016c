/*
 * signals: ends a watch with a checkpoint and a summary.
 *
 * SIGINT and SIGTERM request the end, and SIGHUP reopens the log: they are blocked, and arrive at a
 * signalfd that is polled together with the stream. But a step may take long: a search, or a write
 * to a pipe without a reader. So a watchdog thread checks whether the signal was taken. If not, it
 * prints a notice, and from then on another signal has its default action. The previous checkpoint
 * is complete.
 *
 * Threads that are started later inherit the mask: nothing is ever interrupted.
 */
#ifndef ALIBI_WATCH_SIGNALS_H
#define ALIBI_WATCH_SIGNALS_H

#include "notices.h"

/* Once in a process. The descriptor, which stays open; -1: errno. */
int signals_open(const struct notices *notices);
/* The signal, when the descriptor is readable. */
int signals_take(int signals);

#endif
