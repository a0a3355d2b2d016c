/*
 * journal: the history, written while it happens, by many threads, to a file or a stream
 * (sink.h).
 *
 * Lines come whole and stay in the order in which each session gives them. What
 * is there is written at least every second, so that a recorder that is killed
 * loses little.
 */
#ifndef ALIBI_RECORD_JOURNAL_H
#define ALIBI_RECORD_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

struct journal;

/* path: a file, "-" for standard output, or nats://…. NULL: it was complained. */
struct journal *journal_open(const char *path);

/* A journal that is NULL takes everything and writes nothing. */
void journal_add(struct journal *j, const char *lines, size_t length);
void journal_tick(struct journal *j); /* writes what has waited for long; call it now and then */
bool journal_is_full(struct journal *j);
bool journal_failed(struct journal *j);
/* False: not all could be written; it was complained. */
bool journal_close(struct journal *j);

#endif
