/*
 * journal: the history, written by many threads during the recording, to a file or a stream
 * (sink.h).
 *
 * Lines are added whole, and those of a session stay in its order. The buffer is written at least
 * every second, so that a recorder that is killed loses little.
 */
#ifndef ALIBI_RECORD_JOURNAL_H
#define ALIBI_RECORD_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

struct journal;

/* path: a file, "-" for standard output, or nats://…. NULL: the error has been reported. */
struct journal *journal_open(const char *path);

/* NULL is a journal that writes nothing. */
void journal_add(struct journal *j, const char *lines, size_t length);
void journal_tick(struct journal *j); /* writes an old buffer; call it periodically */
bool journal_is_full(struct journal *j);
bool journal_failed(struct journal *j);
/* False: not all could be written; the error has been reported. */
bool journal_close(struct journal *j);

#endif
