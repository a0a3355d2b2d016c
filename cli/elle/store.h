/*
 * store: the histories of a store/ directory of Jepsen's.
 *
 * A run of a test leaves store/NAME/TIME/ with history.edn, and history.txt, which has the same
 * operations, a line each, without :index and :time. A directory is walked down to those that have
 * either; symbolic links within it (latest, current) lead to tests that it meets anyway. What has
 * only test.jepsen, Jepsen's own binary format, is told how to write the others.
 */
#ifndef ALIBI_CLI_ELLE_STORE_H
#define ALIBI_CLI_ELLE_STORE_H

#include "options.h"
#include "text.h"

#include <stdbool.h>

struct paths {
	char **items;
	size_t count, room;
};

/* The words, with the histories in them for directories, by name. False: one has none, or one
 * that cannot be read; it was complained, and the others are there. */
bool store_histories(struct paths *out, const struct words *words);
void paths_release(struct paths *p);

bool is_history_txt(const char *path);
/* history.txt as EDN, with :index. False: see errno. */
bool history_txt_read(struct text *edn, const char *path);

#endif
