/*
 * recent: the latest lines of a stream, as they came, so that the transactions of a finding can be
 * shown. Two buffers: when one is full, the older one is dropped. A finding is about transactions
 * of a short while ago; one that is gone is not shown.
 */
#ifndef ALIBI_WATCH_RECENT_H
#define ALIBI_WATCH_RECENT_H

#include "text.h"

#include <stdbool.h>

enum { RECENT_BYTES = 4 << 20 /* of each buffer */ };

struct recent {
	struct text older, newer;
	struct text header; /* the first line of the stream, if it is one */
	bool begun;
};

void recent_release(struct recent *r);
void recent_add(struct recent *r, const char *bytes, size_t length);
/* Adds the line that contains the text, which a comma, bracket, brace or space follows; false: none
 * does. */
bool recent_find(const struct recent *r, const char *wanted, struct text *line);

#endif
