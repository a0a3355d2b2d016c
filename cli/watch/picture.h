/*
 * picture: the name of a finding, and a picture of its transactions.
 *
 * Problem. A watch says what is wrong with one read or write. A reader wants to see the
 * transactions, and to know by which name the anomaly goes.
 *
 * Idea. The transactions that a finding names, and the one that wrote the value that was read, are
 * looked up among the latest lines of the stream (recent.h). They are a small history, and that is
 * checked and explained as any other. Reads of other keys whose writers are not among them are left
 * out: without their writers they would look wrong. If the small history shows no anomaly of the
 * transaction, it is drawn without a name.
 *
 * Invariant. The verdict is the watch's; a name is only ever added.
 *
 * Cost. A search in the latest lines, and a check of a few transactions. At most PICTURES_A_SECOND.
 */
#ifndef ALIBI_WATCH_PICTURE_H
#define ALIBI_WATCH_PICTURE_H

#include "recent.h"

#include <alibi.h>

enum { PICTURES_A_SECOND = 20 };

struct picture {
	struct text svg;                  /* empty: there is none */
	struct text lines;                /* the transactions as they came */
	struct text name, title, summary; /* empty: it has none */
};

struct picture picture_of(const struct recent *r, const char *level, bool by_timestamps,
                          const alibi_watch_event *e);
void picture_release(struct picture *p);

#endif
