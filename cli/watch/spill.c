/* spill: see spill.h. */
#include "spill.h"

#if HAVE_LMDB

#include <errno.h>
#include <inttypes.h>
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	NAME_BYTES = 4096,
	WHY_BYTES = NAME_BYTES + 256,
	PUTS = 1 << 13 /* puts in a transaction: bounds the dirty pages in memory */
};
#define MAP_BYTES ((size_t)1 << 40) /* of address space; the file is as large as needed */

struct spilled {
	MDB_env *env;
	MDB_dbi keys;
	MDB_txn *reading; /* begun, or reset if `stale` */
	MDB_txn *writing; /* or NULL */
	unsigned puts;    /* in `writing` */
	bool stale;
	bool failed;
	const char *folder;
	char why[WHY_BYTES];
};

/* Records an error. */
static bool is_ok(struct spilled *s, const char *what, int status)
{
	if (status == MDB_SUCCESS)
		return true;
	snprintf(s->why, sizeof s->why, "%s: %s", what, mdb_strerror(status));
	s->failed = true;
	return false;
}

/* A full disk is one of several errors in LMDB. */
static bool is_written(struct spilled *s, int status)
{
	if (is_ok(s, "cannot write", status))
		return true;
	snprintf(
	        s->why, sizeof s->why,
	        "cannot write to %s: %s; if it is full, free some space, or name another directory "
	        "with --spill, and start the watch again",
	        s->folder, mdb_strerror(status));
	return false;
}

static int make_table(struct spilled *s)
{
	MDB_txn *txn;
	int status = mdb_txn_begin(s->env, NULL, 0, &txn);
	if (status == MDB_SUCCESS)
		status = mdb_dbi_open(txn, NULL, MDB_CREATE, &s->keys);
	if (status == MDB_SUCCESS)
		status = mdb_txn_commit(txn);
	if (status == MDB_SUCCESS)
		status = mdb_txn_begin(s->env, NULL, MDB_RDONLY, &s->reading);
	return status;
}

static void *spill_open(void *data, uint32_t number)
{
	struct spilled *s = calloc(1, sizeof *s);
	char name[NAME_BYTES];
	if (!s)
		return NULL;
	s->folder = data;
	snprintf(name, sizeof name, "%s/alibi-%ld-%" PRIu32, s->folder, (long)getpid(), number);
	unlink(name); /* of an earlier process with this pid */
	int status = mdb_env_create(&s->env);
	if (status == MDB_SUCCESS)
		status = mdb_env_set_mapsize(s->env, MAP_BYTES);
	if (status == MDB_SUCCESS)
		status = mdb_env_open(s->env, name,
		                      MDB_NOSUBDIR | MDB_NOSYNC | MDB_NOLOCK | MDB_NOTLS |
		                              MDB_NORDAHEAD | MDB_NOMEMINIT,
		                      0600);
	if (status == MDB_SUCCESS)
		status = make_table(s);
	is_ok(s, name, status);
	unlink(name);
	return s;
}

/* An open read transaction would keep old pages from being reused. */
static bool begin_writing(struct spilled *s)
{
	if (!s->stale)
		mdb_txn_reset(s->reading);
	s->stale = true;
	s->puts = 0;
	return is_written(s, mdb_txn_begin(s->env, NULL, 0, &s->writing));
}

static bool spill_flush(void *store)
{
	struct spilled *s = store;
	MDB_txn *txn = s->writing;
	s->writing = NULL;
	return !txn || is_written(s, mdb_txn_commit(txn));
}

static bool spill_put(void *store, const void *key, size_t key_length, const void *bytes,
                      size_t length)
{
	struct spilled *s = store;
	MDB_val k = {key_length, (void *)(uintptr_t)key}, v = {length, (void *)(uintptr_t)bytes};
	return (s->writing || begin_writing(s)) &&
	       is_written(s, mdb_put(s->writing, s->keys, &k, &v, 0)) &&
	       (++s->puts < PUTS || spill_flush(s));
}

static bool can_read(struct spilled *s)
{
	if (s->stale && !is_ok(s, "cannot read", mdb_txn_renew(s->reading)))
		return false;
	s->stale = false;
	return true;
}

static bool spill_get(void *store, const void *key, size_t key_length, const void **bytes,
                      size_t *length)
{
	struct spilled *s = store;
	MDB_val k = {key_length, (void *)(uintptr_t)key}, v = {0};
	*bytes = NULL;
	if (!can_read(s))
		return false;
	int status = mdb_get(s->reading, s->keys, &k, &v);
	if (status == MDB_NOTFOUND)
		return true;
	*bytes = v.mv_data;
	*length = v.mv_size;
	return is_ok(s, "cannot read", status);
}

static bool spill_each(void *store, alibi_store_fn *fn, void *data)
{
	struct spilled *s = store;
	MDB_val k, v;
	MDB_cursor *cursor;
	if (!can_read(s) || !is_ok(s, "cannot read", mdb_cursor_open(s->reading, s->keys, &cursor)))
		return false;
	int status = MDB_SUCCESS;
	bool ok = true;
	while (ok && !(status = mdb_cursor_get(cursor, &k, &v, MDB_NEXT)))
		ok = fn(data, k.mv_data, k.mv_size, v.mv_data, v.mv_size);
	mdb_cursor_close(cursor);
	return ok && (status == MDB_NOTFOUND || is_ok(s, "cannot read", status));
}

static const char *spill_why(void *store)
{
	const struct spilled *s = store;
	return s->failed ? s->why : NULL;
}

static void spill_close(void *store)
{
	struct spilled *s = store;
	if (s->writing)
		mdb_txn_abort(s->writing);
	if (s->reading)
		mdb_txn_abort(s->reading);
	if (s->env)
		mdb_env_close(s->env);
	free(s);
}

const alibi_store spill_store = {ALIBI_INIT(alibi_store), .open = spill_open,  .put = spill_put,
                                 .flush = spill_flush,    .get = spill_get,    .each = spill_each,
                                 .why = spill_why,        .close = spill_close};

#else

const alibi_store spill_store = {0}; /* --spill is refused before */

#endif
