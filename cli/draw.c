/* draw: see draw.h. */
#include "draw.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Steps of an odd constant visit every state once; the rest scatters them. */
uint64_t draw_bits(struct draw *d)
{
	uint64_t x = d->state += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

uint32_t draw_below(struct draw *d, uint32_t n)
{
	assert(n > 0);
	return (uint32_t)((draw_bits(d) >> 32) * n >> 32);
}

bool draw_chance(struct draw *d, double share)
{
	return (double)(draw_bits(d) >> 11) < share * 0x1p53;
}

/* ---- skew ---- */

static uint32_t part_of_slot(double weight)
{
	return weight >= 1 ? UINT32_MAX : weight <= 0 ? 0 : (uint32_t)(weight * 0x1p32);
}

/* weight falls, and its mean is 1. */
static void fill_slots(struct skew_slot *slots, double *weight, uint32_t count)
{
	uint32_t rich = 0;
	for (uint32_t poor = count - 1; poor > rich; poor--) {
		slots[poor] = (struct skew_slot){part_of_slot(weight[poor]), rich};
		weight[rich] -= 1 - weight[poor];
		for (; weight[rich] < 1 && rich + 1 < poor; rich++) {
			slots[rich] = (struct skew_slot){part_of_slot(weight[rich]), rich + 1};
			weight[rich + 1] -= 1 - weight[rich];
		}
	}
	slots[rich] = (struct skew_slot){UINT32_MAX, rich};
}

bool skew_init(struct skew *s, uint32_t count, double exponent)
{
	double sum = 0;
	assert(count > 0);
	*s = (struct skew){.count = count};
	if (exponent == 0)
		return true;
	double *weight = malloc(count * sizeof *weight);
	s->slots = malloc(count * sizeof *s->slots);
	if (weight && s->slots) {
		for (uint32_t i = 0; i < count; i++)
			sum += weight[i] = pow(i + 1.0, -exponent);
		for (uint32_t i = 0; i < count; i++)
			weight[i] *= count / sum;
		fill_slots(s->slots, weight, count);
	}
	bool ok = weight && s->slots;
	free(weight);
	if (!ok)
		skew_release(s);
	return ok;
}

void skew_release(struct skew *s)
{
	free(s->slots);
	s->slots = NULL;
}

size_t skew_bytes(uint32_t count, double exponent)
{
	return exponent == 0 ? 0 : count * (sizeof(double) + sizeof(struct skew_slot));
}

uint32_t skew_draw(const struct skew *s, struct draw *d)
{
	if (!s->slots)
		return draw_below(d, s->count);
	uint64_t bits = draw_bits(d);
	uint32_t i = (uint32_t)((bits >> 32) * s->count >> 32);
	return (uint32_t)bits <= s->slots[i].own ? i : s->slots[i].other;
}
