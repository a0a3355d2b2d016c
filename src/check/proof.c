/* proof: see proof.h. */
#include "check/proof.h"

#include "base/guard.h"

#include <assert.h>

void proof_word(struct proof *p, uint32_t word)
{
	vec_push(p->pool, &p->words, word);
}

uint32_t proof_close(struct proof *p, unsigned kind)
{
	size_t done = 0;
	if (p->steps.count) {
		const struct proof_step *last = &p->steps.items[p->steps.count - 1];
		done = last->offset + last->count;
	}
	vec_push(p->pool, &p->steps,
	         ((struct proof_step){.kind = (uint8_t)kind,
	                              .offset = done,
	                              .count = (uint32_t)(p->words.count - done)}));
	return (uint32_t)(p->steps.count - 1);
}

uint32_t proof_hints(const struct proof *p, const struct proof_step *s)
{
	return 1 + 2 * p->words.items[s->offset];
}

void proof_trim(struct proof *p)
{
	size_t count = p->steps.count, kept = 0, words = 0;
	assert(count);
	for (const struct proof_step *s = &p->steps.items[count - 1];
	     s->kind == STEP_LEARNT && !p->words.items[s->offset] && s->count == 2;
	     s = &p->steps.items[count - 1])
		count = p->words.items[s->offset + 1] +
		        1; /* what it follows from is empty itself */
	uint32_t *renumbered = pool_zarray(p->pool, count, sizeof *renumbered);
	renumbered[count - 1] = 1; /* needed */
	for (size_t i = count; i-- > 0;) {
		const struct proof_step *s = &p->steps.items[i];
		guard_tick(pool_guard(p->pool));
		if (!renumbered[i] || s->kind != STEP_LEARNT)
			continue;
		for (uint32_t j = proof_hints(p, s); j < s->count; j++)
			renumbered[p->words.items[s->offset + j]] = 1;
	}
	for (size_t i = 0; i < count; i++) {
		struct proof_step s = p->steps.items[i];
		guard_tick(pool_guard(p->pool));
		if (!renumbered[i])
			continue;
		uint32_t hints = s.kind == STEP_LEARNT ? proof_hints(p, &s) : s.count;
		for (uint32_t j = 0; j < s.count; j++) {
			uint32_t word = p->words.items[s.offset + j];
			p->words.items[words + j] = j >= hints ? renumbered[word] : word;
		}
		renumbered[i] = (uint32_t)kept;
		p->steps.items[kept++] = (struct proof_step){s.kind, words, s.count};
		words += s.count;
	}
	p->steps.count = kept;
	p->words.count = words;
	pool_free(p->pool, renumbered);
}
