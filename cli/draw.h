/*
 * draw: chance that repeats itself. The same seed gives the same draws, so a
 * generated history can be made again from its command line.
 *
 * Skewed draws pick item i (from 0) of n with a chance in proportion to
 * 1 / (i + 1)^exponent. A table has one slot an item; each slot is shared by the
 * item itself and at most one other, such that all slots weigh the same. Then a
 * draw is one look into one slot, however many items there are. The weights
 * come sorted, so the table is filled in one walk from both ends: the poorest
 * item left is topped up by the richest left.
 */
#ifndef ALIBI_CLI_DRAW_H
#define ALIBI_CLI_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct draw {
	uint64_t state; /* the seed */
};

uint64_t draw_bits(struct draw *d);
uint32_t draw_below(struct draw *d, uint32_t n); /* n > 0 */
bool draw_chance(struct draw *d, double share);

struct skew_slot {
	uint32_t own;   /* of 2^32: how much of the slot is its item's … */
	uint32_t other; /* … and whose the rest is */
};

struct skew {
	uint32_t count;
	struct skew_slot *slots; /* NULL: all items are alike */
};

/* False: no memory. */
bool skew_init(struct skew *s, uint32_t count, double exponent);
void skew_release(struct skew *s);
size_t skew_bytes(uint32_t count, double exponent); /* at most, while it is made */
uint32_t skew_draw(const struct skew *s, struct draw *d);

#endif
