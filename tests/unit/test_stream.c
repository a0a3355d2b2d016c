/* stream: what is reported when, what is collected, and that memory stays flat. */
#include "../random.h"
#include "../stream/stats.h"
#include "support.h"

#include "base/guard.h"
#include "stream/core/table.h"
#include "stream/core/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct watch {
	alibi *job;
	alibi_watch *w;
	char reported[4096]; /* what came out since the last call, a line each */
};

static struct watch start(const char *level, uint64_t horizon, uint64_t longest)
{
	struct watch t = {.job = alibi_new()};
	t.w = alibi_watch_new(t.job,
	                      &(alibi_watch_options){ALIBI_INIT(alibi_watch_options),
	                                             .level = level, .has_horizon = true,
	                                             .horizon = horizon, .longest = longest});
	assert_non_null(t.w);
	return t;
}

static const char *reported(struct watch *t)
{
	const alibi_watch_event *e;
	size_t at = 0;
	t->reported[0] = 0;
	while ((e = alibi_watch_next(t->w)))
		at += (size_t)snprintf(t->reported + at, sizeof t->reported - at, "%s %s%s\n",
		                       e->about.kind, e->about.txn ? e->about.txn : e->from,
		                       e->what == ALIBI_WATCH_UNDECIDED ? "?" : "");
	return t->reported;
}

static const char *add(struct watch *t, const char *lines)
{
	assert_true(alibi_watch_text(t->w, "stream", lines, strlen(lines)));
	return reported(t);
}

static const char *finish(struct watch *t)
{
	assert_true(alibi_watch_finish(t->w));
	return reported(t);
}

static void reads_wait_for_the_horizon(void **state)
{
	(void)state;
	struct watch t = start("si", 10, 10);
	add(&t, "{\"id\":1,\"start_ts\":1,\"commit_ts\":2,\"ops\":[[\"w\",\"x\",1]]}\n");
	/* 5 was not there yet, but its writer may still come … */
	assert_string_equal(
	        add(&t, "{\"id\":2,\"start_ts\":20,\"commit_ts\":20,\"ops\":[[\"r\",\"x\",5]]}\n"
	                "{\"id\":3,\"start_ts\":30,\"commit_ts\":30,\"ops\":[]}\n"),
	        "");
	assert_int_equal(watch_stats(t.w).waiting, 2);
	assert_string_equal(
	        add(&t, "{\"id\":4,\"start_ts\":20,\"commit_ts\":20,\"ops\":[[\"w\",\"x\",5]]}\n"),
	        "");
	/* … and has. A read of a value that no transaction wrote is reported when the watermark
	 * passes it. */
	assert_string_equal(
	        add(&t, "{\"id\":5,\"start_ts\":31,\"commit_ts\":31,\"ops\":[[\"r\",\"x\",6]]}\n"
	                "{\"id\":6,\"start_ts\":41,\"commit_ts\":41,\"ops\":[]}\n"),
	        "");
	assert_string_equal(
	        add(&t, "{\"id\":7,\"start_ts\":42,\"commit_ts\":42,\"ops\":[[\"r\",\"x\",5]]}\n"),
	        "EXT 5\n");
	assert_string_equal(finish(&t), "");
	assert_int_equal(watch_stats(t.w).verdict, ALIBI_VIOLATES);
	alibi_free(t.job);
}

static void writes_are_checked_at_once(void **state)
{
	(void)state;
	struct watch t = start("si", 1000, 1000);
	const char *lines = "{\"id\":1,\"session\":1,\"start_ts\":1,\"commit_ts\":5,"
	                    "\"ops\":[[\"w\",\"x\",1]]}\n"
	                    "{\"id\":2,\"session\":2,\"start_ts\":4,\"commit_ts\":8,"
	                    "\"ops\":[[\"w\",\"x\",2],[\"w\",\"x\",3]]}\n";
	assert_string_equal(add(&t, lines), "NOCONFLICT 2\n");
	assert_string_equal(
	        add(&t, "{\"id\":3,\"session\":2,\"start_ts\":7,\"commit_ts\":9,\"ops\":[]}\n"),
	        "SESSION 3\n");
	assert_string_equal(finish(&t), "");
	alibi_free(t.job);
}

static void late_ones_are_not_checked(void **state)
{
	(void)state;
	struct watch t = start("si", 10, 0);
	add(&t, "{\"id\":1,\"start_ts\":1,\"commit_ts\":2,\"ops\":[[\"w\",\"x\",1]]}\n"
	        "{\"id\":2,\"start_ts\":50,\"commit_ts\":50,\"ops\":[]}\n");
	const char *late = "{\"id\":3,\"start_ts\":3,\"commit_ts\":9,\"ops\":[[\"r\",\"x\",77],"
	                   "[\"w\",\"x\",3],[\"w\",\"y\",4]]}\n";
	assert_true(alibi_watch_text(t.w, "stream", late, strlen(late)));
	const alibi_watch_event *e = alibi_watch_next(t.w);
	assert_non_null(e);
	assert_int_equal(e->what, ALIBI_WATCH_UNVERIFIED);
	assert_string_equal(e->about.kind, "LATE");
	assert_string_equal(e->keys, "[\"x\",\"y\"]");
	assert_string_equal(e->from, "9");
	assert_null(alibi_watch_next(t.w));
	assert_int_equal(watch_stats(t.w).verdict, ALIBI_UNKNOWN);
	/* What it wrote is there for those that come after it. */
	assert_string_equal(
	        add(&t, "{\"id\":4,\"start_ts\":51,\"commit_ts\":51,\"ops\":[[\"r\",\"x\",3]]}\n"
	                "{\"id\":5,\"start_ts\":51,\"commit_ts\":51,\"ops\":[[\"r\",\"x\",1]]}\n"),
	        "");
	assert_string_equal(finish(&t), "EXT 5\n");
	alibi_free(t.job);
}

static void long_ones_are_not_checked(void **state)
{
	(void)state;
	struct watch t = start("si", 10, 20);
	add(&t, "{\"id\":1,\"start_ts\":1,\"commit_ts\":2,\"ops\":[[\"w\",\"x\",1]]}\n"
	        "{\"id\":2,\"start_ts\":100,\"commit_ts\":100,\"ops\":[]}\n");
	assert_string_equal(
	        add(&t, "{\"id\":3,\"start_ts\":69,\"commit_ts\":99,\"ops\":[[\"r\",\"x\",7]]}\n"
	                "{\"id\":4,\"start_ts\":70,\"commit_ts\":99,\"ops\":[[\"r\",\"x\",7]]}\n"),
	        "LONG 3\n");
	assert_string_equal(finish(&t), "EXT 4\n");
	alibi_free(t.job);
}

static void comes_again(void **state)
{
	(void)state;
	struct watch t = start("si", 10, 0);
	const char *line =
	        "{\"id\":\"a long id\",\"start_ts\":5,\"commit_ts\":5,\"ops\":[[\"r\",\"x\",7]]}\n";
	assert_string_equal(add(&t, line), "");
	assert_string_equal(add(&t, line), "");
	assert_string_equal(add(&t, "{\"id\":2,\"start_ts\":16,\"commit_ts\":16,\"ops\":[]}\n"),
	                    "EXT \"a long id\"\n");
	alibi_watch_stats s = watch_stats(t.w);
	assert_int_equal(s.txns, 2);
	assert_int_equal(s.duplicates, 1);
	alibi_free(t.job);
}

/* The same finding has the same id, in any order of arrival. */
static void ids_are_stable(void **state)
{
	(void)state;
	static const char *const lines[] = {
	        "{\"id\":1,\"start_ts\":1,\"commit_ts\":5,\"ops\":[[\"w\",\"x\",1]]}\n",
	        "{\"id\":2,\"start_ts\":4,\"commit_ts\":5,\"ops\":[[\"w\",\"x\",2]]}\n"};
	char ids[2][64];
	for (size_t i = 0; i < 2; i++) {
		struct watch t = start("si", 1000, 1000);
		alibi_watch_text(t.w, "stream", lines[i], strlen(lines[i]));
		alibi_watch_text(t.w, "stream", lines[1 - i], strlen(lines[1 - i]));
		const alibi_watch_event *e = alibi_watch_next(t.w);
		assert_non_null(e);
		snprintf(ids[i], sizeof ids[i], "%s", e->id);
		assert_null(alibi_watch_next(t.w));
		alibi_free(t.job);
	}
	assert_string_equal(ids[0], ids[1]);
	assert_int_equal(strlen(ids[0]), 32);
}

static void lines_may_be_cut_anywhere(void **state)
{
	(void)state;
	const char *text =
	        "{\"alibi\":1,\"initial\":[[\"x\",\"as at the beginning\"]]}\n\n"
	        "{\"id\":1,\"start_ts\":1,\"commit_ts\":2,\"ops\":[[\"r\",\"x\",\"as at the "
	        "beginning\"],[\"w\",\"x\",{\"b\":1,\"a\":2}]]}\n"
	        "{\"event\":\"nothing\"}\n"
	        "{\"start_ts\":3,\"commit_ts\":4,\"ops\":[[\"r\",\"x\",{\"a\":2,\"b\":3}]]}";
	for (size_t cut = 0; cut <= strlen(text); cut++) {
		struct watch t = start("si", 0, 0);
		assert_true(alibi_watch_text(t.w, "stream", text, cut));
		assert_true(alibi_watch_text(t.w, "stream", text + cut, strlen(text) - cut));
		assert_true(alibi_watch_finish(t.w));
		assert_string_equal(reported(&t), "EXT 5\n"); /* its line */
		alibi_free(t.job);
	}
}

static void says_where_a_line_is_wrong(void **state)
{
	(void)state;
	static const struct {
		const char *text, *error;
	} cases[] = {
	        {"{\"ops\":[]}\n{\"ops\":[1]}\n",
	         "stream:2:9: expected an operation such as [\"r\", key, value], found a number"},
	        {"{\"ops\":[[\"w\",\"x\",1]]}\n{\"ops\":[[\"append\",\"x\",1]]}\n",
	         "stream:2: key \"x\" is a list (it is appended to, or read as one), so it cannot "
	         "be "
	         "written, deleted or read as anything else"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct watch t = start("si", 0, 0);
		assert_false(alibi_watch_text(t.w, "stream", cases[i].text, strlen(cases[i].text)));
		assert_string_equal(alibi_last_error(t.job)->text, cases[i].error);
		alibi_free(t.job);
	}
	alibi *job = alibi_new();
	assert_null(alibi_watch_new(
	        job, &(alibi_watch_options){ALIBI_INIT(alibi_watch_options), .level = "rc"}));
	assert_int_equal(alibi_last_error(job)->code, ALIBI_USAGE);
	alibi_free(job);
}

/* Everything is new all the time: values, ids and sessions, short and long ones. */
static void feed(alibi_watch *w, int64_t i, int64_t keys)
{
	char value[64], id[64];
	alibi_builder *b = alibi_watch_builder(w);
	alibi_op op = {ALIBI_INIT(alibi_op), .kind = ALIBI_WRITE,
	               .key = {.kind = ALIBI_INT, .integer = i % keys},
	               .value = {.kind = ALIBI_STRING, .text = value}};
	op.value.length = (size_t)snprintf(value, sizeof value, "%*" PRId64, (int)(i % 40), i);
	assert_true(alibi_builder_op(b, &op));
	alibi_txn txn = {ALIBI_INIT(alibi_txn),
	                 .id = {.kind = ALIBI_STRING, .text = id},
	                 .session = {.kind = ALIBI_INT, .integer = i},
	                 .has = ALIBI_HAS_START_TS | ALIBI_HAS_COMMIT_TS,
	                 .start_ts = {.physical = 10 * i - i % 7 * 10},
	                 .commit_ts = {.physical = 10 * i - i % 7 * 10 + 5}};
	txn.id.length = (size_t)snprintf(id, sizeof id, "transaction %" PRId64, i);
	assert_true(alibi_builder_end(b, &txn));
}

static void memory_stays_flat(void **state)
{
	(void)state;
	struct watch t = start("si", 100, 100);
	alibi_watch_stats before = {0};
	for (int64_t i = 0; i < 200000; i++) {
		feed(t.w, i, 100);
		if (i == 20000)
			before = watch_stats(t.w);
	}
	assert_string_equal(reported(&t), "");
	alibi_watch_stats after = watch_stats(t.w);
	assert_int_equal(after.txns, 200000);
	assert_int_equal(after.violations + after.unverified, 0);
	assert_true(after.sessions < 5000 && after.versions < 100);
	assert_true(after.bytes <= before.bytes + before.bytes / 4);
	alibi_free(t.job);
}

/* ---- threads ---- */

/* All that 3000 transactions lead to; some of them read what was never there. */
static alibi_watch_stats on_threads(uint32_t threads)
{
	alibi *job = alibi_new();
	alibi_watch *w = alibi_watch_new(
	        job, &(alibi_watch_options){ALIBI_INIT(alibi_watch_options), .level = "ser",
	                                    .has_horizon = true, .horizon = 100, .threads = threads,
	                                    .timestamps = "serial"});
	uint64_t events = 0;
	for (int64_t i = 0; i < 3000; i++) {
		alibi_op never = {ALIBI_INIT(alibi_op), .kind = ALIBI_READ,
		                  .key = {.kind = ALIBI_INT, .integer = i % 50},
		                  .value = {.kind = ALIBI_INT, .integer = -1}};
		if (i % 100 == 3)
			assert_true(alibi_builder_op(alibi_watch_builder(w), &never));
		feed(w, i, 50);
		if (i == 2000)
			assert_int_equal(watch_stats(w).txns,
			                 threads > 1 ? 1536 : 1984); /* whole batches */
	}
	assert_true(alibi_watch_finish(w));
	while (alibi_watch_next(w))
		events++;
	alibi_watch_stats stats = watch_stats(w);
	assert_int_equal(stats.violations + stats.unverified + stats.undecided, events);
	alibi_free(job);
	return stats;
}

static void threads_change_nothing(void **state)
{
	(void)state;
	alibi_watch_stats one = on_threads(1);
	assert_int_equal(one.violations, 30);
	for (uint32_t threads = 2; threads < 6; threads++) {
		alibi_watch_stats many = on_threads(threads);
		assert_int_equal(many.violations, one.violations);
		assert_int_equal(many.by_ext, one.by_ext);
		assert_int_equal(many.unverified, one.unverified);
		assert_int_equal(many.txns, one.txns);
		assert_int_equal(many.keys, one.keys);
		assert_int_equal(many.verdict, one.verdict);
	}
}

/* Lines that threads share keep their numbers, in messages and as ids. */
static void threads_know_their_lines(void **state)
{
	(void)state;
	static char text[200000];
	size_t at = 0;
	for (int i = 1; i <= 2000; i++)
		at += (size_t)snprintf(
		        text + at, sizeof text - at,
		        "{\"start_ts\":%d,\"commit_ts\":%d,\"ops\":[[\"r\",%d,%s]]}\n", i, i, i % 7,
		        i == 1800 ? "5" : "null");
	snprintf(text + at, sizeof text - at, "{}\n");
	struct watch t = {.job = alibi_new()};
	t.w = alibi_watch_new(t.job,
	                      &(alibi_watch_options){ALIBI_INIT(alibi_watch_options), .level = "si",
	                                             .has_horizon = true, .threads = 4});
	assert_true(alibi_watch_text(t.w, "stream", text, at));
	assert_string_equal(reported(&t), "EXT 1800\n");
	assert_false(alibi_watch_text(t.w, "stream", text, strlen(text)));
	assert_non_null(strstr(alibi_last_error(t.job)->text, "stream:4001:"));
	alibi_free(t.job);
}

/* ---- checkpoints ---- */

struct saved {
	char bytes[8192];
	size_t length;
};

static bool save_to(void *data, const void *bytes, size_t length)
{
	struct saved *s = data;
	assert_true(s->length + length <= sizeof s->bytes);
	memcpy(s->bytes + s->length, bytes, length);
	s->length += length;
	return true;
}

static bool refuse(void *data, const void *bytes, size_t length)
{
	(void)data, (void)bytes, (void)length;
	return false;
}

static void only_whole_checkpoints_are_read(void **state)
{
	(void)state;
	struct saved saved = {0};
	struct watch t = start("si", 100, 100);
	add(&t, "{\"alibi\":1,\"initial_default\":\"something to begin with\"}\n"
	        "{\"id\":\"the first of them\",\"session\":\"some session\",\"start_ts\":1,"
	        "\"commit_ts\":[5,-1],\"ops\":[[\"w\",{\"a\":1},true],[\"append\",\"list\",7],"
	        "[\"r\",\"list\",[7]],[\"r\",\"x\",\"something to begin with\",{\"from\":null}]]}\n"
	        "{\"id\":2,\"status\":\"unknown\",\"ops\":[[\"w\",false,-3]]}\n"
	        "{\"id\":3,\"start_ts\":300,\"commit_ts\":301,\"ops\":[[\"r\",\"x\",null]]}\n");
	assert_true(alibi_watch_save(t.w, save_to, &saved));
	assert_false(alibi_watch_save(t.w, refuse, NULL));
	assert_int_equal(alibi_last_error(t.job)->code, ALIBI_IO);
	alibi_free(t.job);
	for (size_t i = 0; i <= 2 * saved.length; i++) {
		struct saved damaged = saved;
		if (i < saved.length)
			damaged.length = i;
		else if (i < 2 * saved.length)
			damaged.bytes[i - saved.length] ^= 0x10;
		t = start("si", 100, 100);
		bool whole = i == 2 * saved.length;
		assert_int_equal(alibi_watch_load(t.w, damaged.bytes, damaged.length), whole);
		if (whole)
			assert_string_equal(finish(&t), "EXT 3\n");
		alibi_free(t.job);
	}
	t = start("ser", 100, 100);
	assert_false(alibi_watch_load(t.w, saved.bytes, saved.length));
	assert_int_equal(alibi_last_error(t.job)->code, ALIBI_USAGE);
	alibi_free(t.job);
}

/* ---- what the timestamps mean ---- */

/* Of a stream with this header, at ser: b read before the commit of a, which is before its own, and
 * committed before the one that comes before it in its session. Across a checkpoint. */
static void assert_meaning(const char *header, const char *option, const char *means,
                           const char *expected)
{
	alibi_watch_options o = {ALIBI_INIT(alibi_watch_options), .level = "ser",
	                         .has_horizon = true, .horizon = 1000, .timestamps = option};
	struct saved saved = {0};
	struct watch t = {.job = alibi_new()};
	t.w = alibi_watch_new(t.job, &o);
	add(&t, header);
	add(&t, "{\"id\":\"c\",\"session\":1,\"commit_ts\":30,\"ops\":[]}\n"
	        "{\"id\":\"a\",\"commit_ts\":10,\"ops\":[[\"w\",\"x\",1]]}\n");
	assert_true(alibi_watch_save(t.w, save_to, &saved));
	alibi_free(t.job);
	t.job = alibi_new();
	t.w = alibi_watch_new(t.job, &o);
	assert_true(alibi_watch_load(t.w, saved.bytes, saved.length));
	const char *session = add(&t, "{\"id\":\"b\",\"session\":1,\"commit_ts\":20,\"ops\":"
	                              "[[\"r\",\"x\",null],[\"w\",\"y\",1],[\"r\",\"y\",2]]}\n");
	char all[256];
	snprintf(all, sizeof all, "%s", session);
	snprintf(all + strlen(all), sizeof all - strlen(all), "%s", finish(&t));
	assert_string_equal(all, expected);
	const char *said = watch_stats(t.w).timestamps;
	assert_string_equal(said ? said : "nothing", means);
	alibi_free(t.job);
}

static void only_a_serial_order_is_violated(void **state)
{
	(void)state;
	static const char serial[] = "SESSION \"b\"\nEXT \"b\"\nINT \"b\"\n",
	                  not_said[] = "SESSION \"b\"?\nEXT \"b\"?\nINT \"b\"\n";
	assert_meaning("{\"alibi\":1,\"timestamps\":\"serial\"}\n", NULL, "serial", serial);
	assert_meaning("{\"alibi\":1,\"timestamps\":\"snapshot\"}\n", NULL, "snapshot", not_said);
	assert_meaning("", NULL, "nothing", not_said);
	assert_meaning("", "serial", "serial", serial);
	assert_meaning("{\"alibi\":1,\"timestamps\":\"serial\"}\n", "snapshot", "snapshot",
	               not_said);
	struct watch t = start("ser", 10, 0);
	assert_null(alibi_watch_new(t.job, &(alibi_watch_options){ALIBI_INIT(alibi_watch_options),
	                                                          .level = "ser",
	                                                          .timestamps = "Serial"}));
	assert_int_equal(alibi_last_error(t.job)->code, ALIBI_USAGE);
	struct saved saved = {0};
	assert_true(alibi_watch_save(t.w, save_to, &saved));
	alibi_watch *other = alibi_watch_new(
	        t.job, &(alibi_watch_options){ALIBI_INIT(alibi_watch_options), .level = "ser",
	                                      .timestamps = "serial"});
	assert_false(alibi_watch_load(other, saved.bytes, saved.length));
	assert_non_null(strstr(alibi_last_error(t.job)->text, "another meaning of the timestamps"));
	alibi_free(t.job);
}

/* ---- the table ---- */

static bool same_number(const void *item, const void *wanted)
{
	return *(const uint64_t *)item == *(const uint64_t *)wanted;
}

static bool is_odd(void *data, void *item)
{
	(void)data;
	return *(uint64_t *)item & 1;
}

static void table_takes_out_what_was_put_in(void **state)
{
	(void)state;
	enum { N = 2000 };
	static uint64_t items[N];
	static bool in[N];
	struct guard g;
	struct table t;
	guard_init(&g);
	struct pool *pool = pool_root(&g);
	guard_begin(&g);
	table_init(&t, pool, 7);
	uint64_t x = 1;
	for (int step = 0; step < 200000; step++) {
		uint64_t i = random_below(&x, N),
		         hash = i / 8 * 0x9e3779b97f4a7c15u; /* many collide */
		items[i] = i;
		void *there = table_find(&t, hash, same_number, &i);
		assert_ptr_equal(there, in[i] ? &items[i] : NULL);
		if (in[i])
			table_remove(&t, hash, &items[i]);
		else
			table_add(&t, hash, &items[i]);
		in[i] = !in[i];
	}
	table_filter(&t, is_odd, NULL);
	for (uint64_t i = 0; i < N; i++)
		assert_ptr_equal(table_find(&t, i / 8 * 0x9e3779b97f4a7c15u, same_number, &i),
		                 in[i] && !(i & 1) ? &items[i] : NULL);
	guard_leave(&g);
	pool_release(pool);
}

/* Of items with one value, the first that was added is found, whatever else comes and goes. */
static void table_finds_the_first_of_equals(void **state)
{
	(void)state;
	enum { N = 3000, VALUES = 40 };
	static struct value items[N];
	struct guard g;
	struct table t;
	guard_init(&g);
	struct pool *pool = pool_root(&g);
	guard_begin(&g);
	table_init(&t, pool, 3);
	uint32_t first[VALUES] = {0}, end[VALUES] = {0}, *queue = calloc(N * VALUES, sizeof *queue);
	uint64_t x = 5;
	assert_non_null(queue);
	for (uint32_t i = 0; i < N;) {
		uint32_t v = random_below(&x, VALUES), at = v * N;
		struct value *found = table_get(&t, value_integer(v));
		assert_ptr_equal(found, first[v] < end[v] ? &items[queue[at + first[v]]] : NULL);
		if (found && !random_below(&x, 4)) {
			table_take_out(&t, found);
			first[v]++;
		} else {
			items[i] = value_integer(v);
			table_put(&t, &items[i]);
			queue[at + end[v]++] = i++;
		}
	}
	free(queue);
	guard_leave(&g);
	pool_release(pool);
}

static struct watch restart_from(struct watch *t, const alibi_watch_options *o)
{
	struct saved saved = {0};
	struct watch next = {.job = alibi_new()};
	assert_true(alibi_watch_save(t->w, save_to, &saved));
	alibi_free(t->job);
	next.w = alibi_watch_new(next.job, o);
	assert_true(alibi_watch_load(next.w, saved.bytes, saved.length));
	return next;
}

/* What was lost may explain what was and will be read, until the key is written again. */
static void what_is_lost_is_doubt(void **state)
{
	(void)state;
	for (uint32_t threads = 1; threads < 4; threads++) {
		alibi_watch_options o = {ALIBI_INIT(alibi_watch_options), .level = "si",
		                         .has_horizon = true, .horizon = 10, .threads = threads};
		struct watch t = {.job = alibi_new()};
		t.w = alibi_watch_new(t.job, &o);
		assert_string_equal(add(&t,
		                        "{\"id\":1,\"start_ts\":1,\"commit_ts\":2,\"ops\":"
		                        "[[\"r\",\"x\",7],[\"w\",\"x\",1],[\"w\",\"y\",1]]}\n"
		                        "{\"id\":2,\"start_ts\":20,\"commit_ts\":20,\"ops\":[]}\n"),
		                    "EXT 1\n");
		assert_int_equal(watch_stats(t.w).verdict, ALIBI_VIOLATES);
		assert_true(alibi_watch_gap(t.w, 5, 7));
		assert_string_equal(reported(&t), "GONE 5\n");
		assert_int_equal(watch_stats(t.w).verdict, ALIBI_UNKNOWN);
		t = restart_from(&t, &o);
		/* One that wrote x and y at 45 was lost, and the first after it came at 40. */
		assert_string_equal(add(&t,
		                        "{\"id\":3,\"start_ts\":40,\"commit_ts\":40,\"ops\":"
		                        "[[\"w\",\"x\",3]]}\n"
		                        "{\"id\":4,\"start_ts\":46,\"commit_ts\":46,\"ops\":"
		                        "[[\"r\",\"x\",2]]}\n"
		                        "{\"id\":5,\"start_ts\":60,\"commit_ts\":60,\"ops\":[]}\n"),
		                    "EXT 4?\n");
		t = restart_from(&t, &o);
		assert_string_equal(
		        add(&t, "{\"id\":6,\"start_ts\":61,\"commit_ts\":61,\"ops\":"
		                "[[\"r\",\"x\",2],[\"w\",\"x\",4]]}\n"
		                "{\"id\":7,\"start_ts\":62,\"commit_ts\":62,\"ops\":"
		                "[[\"r\",\"y\",2]]}\n"
		                "{\"id\":8,\"start_ts\":63,\"commit_ts\":63,\"ops\":"
		                "[[\"r\",\"x\",2]]}\n"
		                "{\"id\":9,\"start_ts\":72,\"commit_ts\":72,\"ops\":[]}\n"
		                "{\"id\":10,\"start_ts\":73,\"commit_ts\":73,\"ops\":[]}\n"
		                "{\"id\":11,\"start_ts\":74,\"commit_ts\":74,\"ops\":[]}\n"),
		        threads == 1 ? "EXT 6?\nEXT 7?\nEXT 8\n" : t.reported);
		alibi_watch_stats s = watch_stats(t.w);
		assert_int_equal(s.verdict, ALIBI_VIOLATES); /* 8 read what was overwritten */
		assert_int_equal(s.violations, 2);
		assert_int_equal(s.undecided, 3);
		assert_int_equal(s.lost, 3);
		assert_int_equal(s.by_reason[ALIBI_WATCH_GONE], 1);
		alibi_free(t.job);
	}
}

/* So it is in rounds: reads are used again when the key was written after what was lost. */
static void rounds_continue_after_a_loss(void **state)
{
	(void)state;
	static const struct {
		alibi_watch_options o;
		const char *before, *after;
	} ways[] = {
	        {{ALIBI_INIT(alibi_watch_options), .level = "sser", .has_horizon = true,
	          .horizon = 10, .client_times = true, .round = 1},
	         "{\"id\":1,\"begin\":1,\"end\":2,\"ops\":[[\"w\",\"x\",1]]}\n",
	         "{\"id\":2,\"begin\":40,\"end\":41,\"ops\":[[\"r\",\"x\",2]]}\n"
	         "{\"id\":3,\"begin\":80,\"end\":81,\"ops\":[[\"r\",\"x\",2]]}\n"
	         "{\"id\":4,\"begin\":90,\"end\":91,\"ops\":[[\"r\",\"x\",2],[\"w\",\"x\",3]]}\n"
	         "{\"id\":5,\"begin\":100,\"end\":101,\"ops\":[[\"r\",\"x\",2]]}\n"},
	        {{ALIBI_INIT(alibi_watch_options), .level = "ser", .fence = "\"f\"",
	          .fence_sessions = 1, .round = 1},
	         "{\"id\":0,\"session\":1,\"ops\":[[\"r\",\"f\",null],[\"w\",\"f\",1]]}\n"
	         "{\"id\":1,\"session\":1,\"ops\":[[\"w\",\"x\",1]]}\n",
	         "{\"id\":2,\"session\":1,\"ops\":[[\"r\",\"x\",2]]}\n"
	         "{\"id\":7,\"session\":1,\"ops\":[[\"r\",\"f\",1],[\"w\",\"f\",2]]}\n"
	         "{\"id\":4,\"session\":1,\"ops\":[[\"r\",\"x\",2],[\"w\",\"x\",3]]}\n"
	         "{\"id\":8,\"session\":1,\"ops\":[[\"r\",\"f\",2],[\"w\",\"f\",3]]}\n"
	         "{\"id\":5,\"session\":1,\"ops\":[[\"r\",\"x\",2]]}\n"},
	};
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		struct watch t = {.job = alibi_new()};
		t.w = alibi_watch_new(t.job, &ways[i].o);
		assert_string_equal(add(&t, ways[i].before), "");
		assert_true(alibi_watch_gap(t.w, 1, 1));
		assert_string_equal(reported(&t), "GONE 1\n");
		t = restart_from(&t, &ways[i].o);
		add(&t, ways[i].after);
		assert_true(alibi_watch_finish(t.w));
		const alibi_watch_event *e = alibi_watch_next(t.w);
		assert_non_null(e);
		assert_string_equal(e->about.kind, "ORDER");
		assert_non_null(strstr(e->txns, "5"));
		assert_null(alibi_watch_next(t.w));
		assert_int_equal(watch_stats(t.w).verdict, ALIBI_VIOLATES);
		alibi_free(t.job);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(reads_wait_for_the_horizon),
	        cmocka_unit_test(writes_are_checked_at_once),
	        cmocka_unit_test(late_ones_are_not_checked),
	        cmocka_unit_test(long_ones_are_not_checked),
	        cmocka_unit_test(comes_again),
	        cmocka_unit_test(ids_are_stable),
	        cmocka_unit_test(lines_may_be_cut_anywhere),
	        cmocka_unit_test(says_where_a_line_is_wrong),
	        cmocka_unit_test(memory_stays_flat),
	        cmocka_unit_test(threads_change_nothing),
	        cmocka_unit_test(threads_know_their_lines),
	        cmocka_unit_test(only_whole_checkpoints_are_read),
	        cmocka_unit_test(only_a_serial_order_is_violated),
	        cmocka_unit_test(what_is_lost_is_doubt),
	        cmocka_unit_test(rounds_continue_after_a_loss),
	        cmocka_unit_test(table_takes_out_what_was_put_in),
	        cmocka_unit_test(table_finds_the_first_of_equals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
