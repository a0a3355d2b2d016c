/* consistency: see consistency.h. */
#include "consistency.h"

#include "level_names.h"

#include <stdio.h>
#include <string.h>

/* All forbid a list that has an element twice: no order of versions explains it. */
#define DUPLICATES " duplicate-elements"

const struct elle_consistency elle_consistencies[] = {
        {"read-uncommitted", "PL-1", NULL, "rc", ELLE_DATA, "G0" DUPLICATES},
        {"read-committed", "PL-2", "read-uncommitted", "rc", ELLE_DATA, "G1" DUPLICATES},
        {"monotonic-atomic-view", NULL, "read-committed", "ra", ELLE_DATA, "G1" DUPLICATES},
        {"monotonic-view", "PL-2L", "read-committed", "si", ELLE_DATA, "G1" DUPLICATES},
        {"monotonic-snapshot-read", "PL-MSR", "read-committed", "si", ELLE_DATA, "G1" DUPLICATES},
        {"cursor-stability", "PL-CS", "read-committed", "si", ELLE_DATA,
         "G1 lost-update" DUPLICATES},
        {"consistent-view", "PL-2+", "cursor-stability monotonic-view", "si", ELLE_DATA,
         "G1 G-single" DUPLICATES},
        {"forward-consistent-view", "PL-FCV", "consistent-view", "si", ELLE_DATA,
         "G1 G-single" DUPLICATES},
        {"read-atomic", NULL, "monotonic-atomic-view", NULL, ELLE_DATA, NULL},
        {"causal-cerone", NULL, "read-atomic", NULL, ELLE_DATA, NULL},
        {"prefix", NULL, "causal-cerone", NULL, ELLE_DATA, NULL},
        {"ROLA", NULL, "read-atomic", "si", ELLE_DATA, "G1 internal lost-update" DUPLICATES},
        {"parallel-snapshot-isolation", NULL, "causal-cerone ROLA", "si", ELLE_DATA,
         "G1 internal lost-update" DUPLICATES},
        {"snapshot-isolation", "PL-SI",
         "forward-consistent-view monotonic-snapshot-read parallel-snapshot-isolation prefix", NULL,
         ELLE_DATA, NULL},
        {"update-serializable", "PL-3U", "forward-consistent-view", "ser", ELLE_DATA,
         "G1 G-single" DUPLICATES},
        {"repeatable-read", "PL-2.99", "cursor-stability monotonic-atomic-view", "ser", ELLE_DATA,
         NULL},
        {"serializable", "PL-3 conflict-serializable",
         "repeatable-read snapshot-isolation update-serializable", NULL, ELLE_DATA, NULL},
        {"strong-session-read-uncommitted", "strong-session-PL-1", "read-uncommitted", "si",
         ELLE_PROCESS, "G0-process" DUPLICATES},
        {"strong-session-read-committed", "strong-session-PL-2",
         "read-committed strong-session-read-uncommitted", "si", ELLE_PROCESS,
         "G1-process" DUPLICATES},
        {"strong-session-snapshot-isolation", NULL,
         "snapshot-isolation strong-session-read-committed", NULL, ELLE_PROCESS, NULL},
        {"strong-session-serializable", NULL, "serializable strong-session-snapshot-isolation",
         NULL, ELLE_PROCESS, NULL},
        {"strong-read-uncommitted", "strong-PL-1", "strong-session-read-uncommitted", "si",
         ELLE_REALTIME, "G0-realtime" DUPLICATES},
        {"strong-read-committed", "strong-PL-2",
         "strong-session-read-committed strong-read-uncommitted", "si", ELLE_REALTIME,
         "G1-realtime" DUPLICATES},
        {"strong-snapshot-isolation", NULL,
         "strong-session-snapshot-isolation strong-read-committed", "si", ELLE_REALTIME, NULL},
        {"strict-serializable", "PL-SS strong-serializable",
         "strong-session-serializable strong-snapshot-isolation", NULL, ELLE_REALTIME, NULL},
        {0},
};

/* Is it one of the words? */
static bool among(const char *name, size_t length, const char *words)
{
	while (words && *words) {
		size_t n = strcspn(words, " ");
		if (n == length && !memcmp(words, name, n))
			return true;
		words += n;
		words += *words == ' ';
	}
	return false;
}

static const struct elle_consistency *row_named(const char *name, size_t length)
{
	for (const struct elle_consistency *c = elle_consistencies; c->name; c++)
		if (among(name, length, c->name) || among(name, length, c->aliases))
			return c;
	return NULL;
}

const struct elle_consistency *elle_consistency_named(const char *name)
{
	return row_named(name, strlen(name));
}

struct elle_consistency elle_consistency_as_level(const struct elle_consistency *c)
{
	struct elle_consistency full = *c;
	char name[64];
	struct level_name found;
	snprintf(name, sizeof name, "Elle:%s", c->name);
	if (!c->level && level_name_find(name, &found))
		full.level = found.level;
	return full;
}

bool elle_consistency_implies(const struct elle_consistency *c,
                              const struct elle_consistency *other)
{
	if (c == other || among(other->name, strlen(other->name), c->implies))
		return true;
	for (const struct elle_consistency *next = elle_consistencies; next->name; next++)
		if (among(next->name, strlen(next->name), c->implies) &&
		    elle_consistency_implies(next, other))
			return true;
	return false;
}
