/*
 * journal: the history's file, written while it happens, by many threads.
 *
 * Lines come whole and stay in the order in which each session gives them. What
 * is there is written at least every second, so that a recorder that is killed
 * loses little. A name that ends in .zst is packed: each part is a frame of its
 * own, so that a file cut off between two parts is still a whole one.
 */
#ifndef ALIBI_RECORD_JOURNAL_H
#define ALIBI_RECORD_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

struct journal;

/* path "-": standard output. NULL: it was complained. */
struct journal *journal_open(const char *path);
void journal_add(struct journal *j, const char *lines, size_t length);
void journal_tick(struct journal *j); /* writes what has waited for long; call it now and then */
bool journal_failed(struct journal *j);
/* False: not all could be written; it was complained. */
bool journal_close(struct journal *j);

#endif
