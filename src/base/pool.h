/*
 * pool: memory with one owner and one end.
 *
 * Blocks belong to a pool, pools belong to a parent, and releasing a pool frees
 * all below it. So a job that is left in the middle (guard.h) leaks nothing,
 * and no structure in the project needs a destructor. Every byte is counted at
 * the job's guard before it is asked of the system.
 *
 * Cost: 32 bytes a block; blocks are few and large (vectors, tables).
 */
#ifndef ALIBI_BASE_POOL_H
#define ALIBI_BASE_POOL_H

#include <stddef.h>

struct guard;
struct pool;

/* The root of a job; it is not counted and not limited itself. NULL: no memory. */
struct pool *pool_root(struct guard *g);
struct pool *pool_child(struct pool *parent);
void pool_release(struct pool *p);

struct guard *pool_guard(const struct pool *p);

/* Memory is not zeroed by pool_alloc() and pool_resize(). They never return
 * NULL: they fail the job. pool_resize(p, NULL, n) allocates. */
void *pool_alloc(struct pool *p, size_t bytes);
void *pool_zalloc(struct pool *p, size_t bytes);
void *pool_resize(struct pool *p, void *block, size_t bytes);
void pool_free(struct pool *p, void *block);

/* count items of size bytes each, with the product checked. */
void *pool_array(struct pool *p, size_t count, size_t size);
void *pool_zarray(struct pool *p, size_t count, size_t size);

/* Calls end(data) when the pool is released: for what is not memory. */
void pool_defer(struct pool *p, void (*end)(void *data), void *data);

char *pool_text(struct pool *p, const char *bytes, size_t length); /* a copy, with a NUL */

#endif
