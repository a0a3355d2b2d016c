/*
 * board: what a watch shows to others while it goes on.
 *
 * Who checks must not wait for who looks. So the checking thread pins up copies, a few
 * times a second: some figures, and the latest findings as lines of JSON. Who looks takes
 * copies of these. The lock between the two is held for as long as it takes to copy, and
 * nobody but the checking thread ever touches the library.
 *
 * Findings are as long as somebody makes them (a list that was read has all its elements),
 * so what is kept of one is cut.
 */
#ifndef ALIBI_WATCH_BOARD_H
#define ALIBI_WATCH_BOARD_H

#include "text.h"

#include <alibi.h>
#include <stdbool.h>
#include <stdint.h>

enum { BOARD_LATEST = 50, BOARD_RATES = 120, BOARD_WAKE_MILLISECONDS = 250 };

/* Times are those of clock_seconds(); 0: it never happened. */
struct board_facts {
	alibi_watch_stats stats;
	bool has_checkpoint;
	double checkpoint; /* when the latest was written */
	double away_since; /* the source does not answer */
	uint64_t place;
	double pinned, came; /* when the facts were put here, and a transaction last came */
	/* Transactions a second, second by second, the latest first. */
	size_t rate_count;
	double rates[BOARD_RATES];
};

struct board;

/* What it is about, for those who look; the texts must stay. NULL: there is no memory. */
struct board *board_new(const char *stream, const char *level);
void board_free(struct board *b);

/* ---- for who checks ---- */

bool board_is_due(const struct board *b);
/* Takes what is up to the caller: all but pinned, came and the rates. */
void board_pin(struct board *b, const struct board_facts *facts);
void board_add(struct board *b, const alibi_watch_event *e);

/* ---- for who looks, in another thread ---- */

struct board_view {
	const char *stream, *level;
	double started;  /* seconds since 1970 */
	double now;      /* clock_seconds() */
	size_t resident; /* bytes of memory that the program has */
	struct board_facts facts;
};

struct board_view board_look(struct board *b);
/* Adds the latest findings, violations or others, the latest first, as a JSON list. */
void board_latest(struct board *b, bool violations, struct text *t);

/* Transactions a second lately. */
double board_rate(const struct board_view *v);
/* How far what is judged is behind the newest commit; false: nothing is judged yet. */
bool board_lag(const struct board_view *v, uint64_t *lag);
/* Why nothing is being checked at the moment; NULL: it is. */
const char *board_trouble(const struct board_view *v);

#endif
