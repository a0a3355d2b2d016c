/* pool: see pool.h. */
#include "base/pool.h"

#include "base/guard.h"

#include <assert.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/* Stands in front of every block; blocks form a ring around the pool's own. */
struct block {
	alignas(max_align_t) struct block *previous;
	struct block *next;
	size_t bytes; /* of the whole block, header included */
};

struct deferred {
	struct deferred *next;
	void (*end)(void *data);
	void *data;
};

struct pool {
	struct block ring;
	struct deferred *deferred;
	struct guard *guard;
	struct pool *first_child, *next_sibling, *parent;
};

static void pool_start(struct pool *p, struct guard *g, struct pool *parent)
{
	p->ring.previous = p->ring.next = &p->ring;
	p->deferred = NULL;
	p->guard = g;
	p->first_child = p->next_sibling = NULL;
	p->parent = parent;
}

struct pool *pool_root(struct guard *g)
{
	struct pool *p = malloc(sizeof *p);
	if (p)
		pool_start(p, g, NULL);
	return p;
}

struct pool *pool_child(struct pool *parent)
{
	struct pool *p = pool_alloc(parent, sizeof *p);
	pool_start(p, parent->guard, parent);
	p->next_sibling = parent->first_child;
	parent->first_child = p;
	return p;
}

struct guard *pool_guard(const struct pool *p)
{
	return p->guard;
}

static void unlink_block(struct block *b)
{
	b->previous->next = b->next;
	b->next->previous = b->previous;
}

static void link_block(struct pool *p, struct block *b)
{
	b->previous = &p->ring;
	b->next = p->ring.next;
	b->next->previous = b;
	p->ring.next = b;
}

static struct block *block_of(void *payload)
{
	return (struct block *)payload - 1;
}

static size_t whole_size(struct pool *p, size_t bytes)
{
	if (bytes > SIZE_MAX / 2)
		guard_fail(p->guard, ALIBI_MEMORY, NULL,
		           "more memory asked for than can be addressed");
	return bytes + sizeof(struct block);
}

static _Noreturn void refused(struct pool *p, size_t bytes)
{
	guard_give(p->guard, bytes);
	guard_fail(p->guard, ALIBI_MEMORY, NULL, "the system refused %zu MiB more memory while %s",
	           (bytes >> 20) + 1, *p->guard->stage ? p->guard->stage : "starting");
}

static void *allocate(struct pool *p, size_t bytes, bool zeroed)
{
	size_t whole = whole_size(p, bytes);
	guard_take(p->guard, whole);
	struct block *b = zeroed ? calloc(1, whole) : malloc(whole);
	if (!b)
		refused(p, whole);
	b->bytes = whole;
	link_block(p, b);
	return b + 1;
}

void *pool_alloc(struct pool *p, size_t bytes)
{
	return allocate(p, bytes, false);
}

void *pool_zalloc(struct pool *p, size_t bytes)
{
	return allocate(p, bytes, true);
}

void *pool_resize(struct pool *p, void *payload, size_t bytes)
{
	if (!payload)
		return pool_alloc(p, bytes);
	struct block *b = block_of(payload);
	size_t old = b->bytes, whole = whole_size(p, bytes);
	if (whole > old)
		guard_take(p->guard, whole - old);
	unlink_block(b);
	struct block *moved = realloc(b, whole);
	if (!moved) {
		link_block(p, b);
		refused(p, whole > old ? whole - old : 0);
	}
	if (whole < old)
		guard_give(p->guard, old - whole);
	moved->bytes = whole;
	link_block(p, moved);
	return moved + 1;
}

void pool_free(struct pool *p, void *payload)
{
	if (!payload)
		return;
	struct block *b = block_of(payload);
	guard_give(p->guard, b->bytes);
	unlink_block(b);
	free(b);
}

static void release_blocks(struct pool *p)
{
	for (struct block *b = p->ring.next, *next; b != &p->ring; b = next) {
		next = b->next;
		guard_give(p->guard, b->bytes);
		free(b);
	}
	p->ring.previous = p->ring.next = &p->ring;
}

/* Children live in blocks of their parent: theirs go first. */
void pool_release(struct pool *p)
{
	if (!p)
		return;
	while (p->first_child)                /* it takes itself out of the list */
		pool_release(p->first_child); /* NOLINT(clang-analyzer-unix.Malloc) */
	for (struct deferred *d = p->deferred; d; d = d->next)
		d->end(d->data);
	release_blocks(p);
	if (!p->parent) {
		free(p);
		return;
	}
	struct pool **link = &p->parent->first_child;
	while (*link != p)
		link = &(*link)->next_sibling;
	*link = p->next_sibling;
	pool_free(p->parent, p);
}

void pool_defer(struct pool *p, void (*end)(void *data), void *data)
{
	struct deferred *d = pool_alloc(p, sizeof *d);
	*d = (struct deferred){.next = p->deferred, .end = end, .data = data};
	p->deferred = d;
}

static size_t product(struct pool *p, size_t count, size_t size)
{
	assert(size > 0);
	if (count > SIZE_MAX / size)
		guard_fail(p->guard, ALIBI_MEMORY, NULL,
		           "more memory asked for than can be addressed");
	return count * size;
}

void *pool_array(struct pool *p, size_t count, size_t size)
{
	return pool_alloc(p, product(p, count, size));
}

void *pool_zarray(struct pool *p, size_t count, size_t size)
{
	return pool_zalloc(p, product(p, count, size));
}

char *pool_text(struct pool *p, const char *bytes, size_t length)
{
	char *copy = pool_alloc(p, length + 1);
	if (length)
		memcpy(copy, bytes, length);
	copy[length] = 0;
	return copy;
}
