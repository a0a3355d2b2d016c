/*
 * api: alibi.h on top of the rest.
 *
 * Each function enters the job's guard, does the work, and turns a failure into
 * NULL or false. That is all that happens here.
 */
#include "alibi.h"

#include "base/guard.h"
#include "check/all.h"
#include "check/check.h"
#include "explain/explain.h"
#include "format/alibi_query.h"
#include "format/certificate.h"
#include "format/format.h"
#include "format/json.h"
#include "level/about.h"
#include "level/names.h"
#include "report/report.h"
#include "stream/shards.h"
#include "synth/result.h"
#include "verify/verify.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct alibi {
	struct guard guard;
	struct pool *pool;
};

const char *alibi_version(void)
{
	return ALIBI_VERSION;
}

alibi *alibi_new(const alibi_limits *limits)
{
	alibi *a = malloc(sizeof *a);
	if (!a)
		return NULL;
	guard_init(&a->guard, limits);
	a->pool = pool_root(&a->guard);
	if (!a->pool) {
		free(a);
		return NULL;
	}
	return a;
}

void alibi_free(alibi *a)
{
	if (!a)
		return;
	pool_release(a->pool);
	free(a);
}

const alibi_error *alibi_last_error(const alibi *a)
{
	assert(a);
	return &a->guard.error;
}

size_t alibi_peak_bytes(const alibi *a)
{
	return a->guard.peak;
}

/* ---- building ---- */

struct alibi_builder {
	alibi *job;
	struct builder *b;
	uint32_t number;
	bool finished;
	struct shards *stream; /* that takes what is built; NULL: it becomes a history */
};

static void take_built(alibi_builder *b)
{
	uint32_t number = b->number;
	b->number = 0;
	if (number)
		b->b = shards_take(b->stream, number);
}

alibi_builder *alibi_builder_new(alibi *a)
{
	alibi_builder *volatile made = NULL;
	if (guard_enter(&a->guard)) {
		alibi_builder *b = pool_zalloc(a->pool, sizeof *b);
		b->job = a;
		b->b = builder_new(a->pool);
		made = b;
	}
	guard_leave(&a->guard);
	return made;
}

static uint32_t row_atom(alibi_builder *b, struct atoms *atoms, const alibi_value *v)
{
	struct json j;
	char *copy = json_copy(&j, b->job->pool, "a row", v->text, v->length);
	if (json_peek(&j) != '{')
		json_expected(&j, "a flat JSON object");
	uint32_t atom = json_atom(&j, atoms, false, "a row");
	json_end(&j);
	pool_free(b->job->pool, copy);
	return atom;
}

static uint32_t scalar_atom(alibi_builder *b, struct atoms *atoms, const alibi_value *v)
{
	switch (v->kind) {
	case ALIBI_BOOL:
		return atoms_bool(atoms, v->integer != 0);
	case ALIBI_INT:
		return atoms_integer(atoms, v->integer);
	case ALIBI_STRING:
		return atoms_string(atoms, v->text, v->length);
	case ALIBI_ROW:
		return row_atom(b, atoms, v);
	default:
		guard_fail(&b->job->guard, ALIBI_INPUT, NULL,
		           "transaction %u: null or a list where a key or a value must be",
		           b->number + 1);
	}
}

static uint32_t read_atom(alibi_builder *b, const alibi_value *v)
{
	struct pool *pool = b->job->pool;
	if (v->kind == ALIBI_NULL)
		return ATOM_NULL;
	if (v->kind != ALIBI_LIST)
		return scalar_atom(b, b->b->values, v);
	uint32_t *items = pool_array(pool, v->length + 1, sizeof *items);
	for (size_t i = 0; i < v->length; i++)
		items[i] = scalar_atom(b, b->b->values, &v->items[i]);
	uint32_t list = atoms_list(b->b->values, items, v->length);
	pool_free(pool, items);
	return list;
}

static uint32_t name_atom(alibi_builder *b, const alibi_value *v)
{
	if (v->kind == ALIBI_NULL)
		return ATOM_NONE;
	if (v->kind != ALIBI_INT && v->kind != ALIBI_STRING)
		guard_fail(&b->job->guard, ALIBI_INPUT, NULL,
		           "transaction %u: ids and sessions are integers or strings",
		           b->number + 1);
	return scalar_atom(b, b->b->names, v);
}

bool alibi_builder_op(alibi_builder *b, const alibi_op *op)
{
	bool volatile ok = false;
	size_t ops = b->b->ops.count;
	assert(!b->finished);
	if (guard_enter(&b->job->guard)) {
		uint32_t key = scalar_atom(b, b->b->keys, &op->key);
		bool null_ok = op->kind != ALIBI_APPEND && op->value.kind == ALIBI_NULL;
		uint32_t value = null_ok ? ATOM_NULL
		                 : op->kind == ALIBI_READ
		                         ? read_atom(b, &op->value)
		                         : scalar_atom(b, b->b->values, &op->value);
		uint32_t from = op->has_from ? name_atom(b, &op->from) : ATOM_NONE;
		builder_op(b->b, op->kind, key, value);
		if (op->has_from)
			builder_from(b->b, from);
		ok = true;
	}
	guard_leave(&b->job->guard);
	if (!ok)
		builder_drop(b->b, ops); /* its writer may not fit into memory */
	return ok;
}

static void read_query(alibi_builder *b, struct json *j)
{
	json_expect(j, '[', "[\"q\", …] or [\"u\", …]");
	struct text kind = json_string(j, "\"q\" or \"u\"");
	if (!text_is(kind, "q") && !text_is(kind, "u"))
		json_reject(j, "expected \"q\" or \"u\" before this");
	alibi_read_query(j, b->b, text_is(kind, "u"));
	json_expect(j, ']', "']' at the end of the query");
	json_end(j);
}

bool alibi_builder_query(alibi_builder *b, const char *json, size_t length)
{
	bool volatile ok = false;
	size_t ops = b->b->ops.count;
	assert(!b->finished);
	if (guard_enter(&b->job->guard)) {
		struct json j;
		char *copy = json_copy(&j, b->job->pool, "a query", json, length);
		read_query(b, &j);
		pool_free(b->job->pool, copy);
		ok = true;
	}
	guard_leave(&b->job->guard);
	if (!ok)
		builder_drop(b->b, ops); /* a part of it may have been added */
	return ok;
}

bool alibi_builder_end(alibi_builder *b, const alibi_txn *txn)
{
	bool volatile ok = false;
	assert(!b->finished);
	if (guard_enter(&b->job->guard)) {
		struct txn_head head = {
		        .session = name_atom(b, &txn->session),
		        .id = name_atom(b, &txn->id),
		        .number = b->number + 1,
		        .status = txn->status,
		        .has = txn->has,
		        .times = {txn->begin, txn->end},
		        .stamps = {txn->start_ts, txn->commit_ts},
		        .info = txn->info,
		        .info_length = txn->info_length,
		};
		builder_end(b->b, &head);
		b->number = head.number;
		if (b->stream && b->number == shards_batch(b->stream))
			take_built(b);
		ok = true;
	}
	guard_leave(&b->job->guard);
	return ok;
}

bool alibi_builder_initial(alibi_builder *b, const alibi_value *key, const alibi_value *value)
{
	bool volatile ok = false;
	assert(!b->finished);
	if (guard_enter(&b->job->guard)) {
		uint32_t v =
		        value->kind == ALIBI_NULL ? ATOM_NULL : scalar_atom(b, b->b->values, value);
		if (key)
			builder_initial(b->b, scalar_atom(b, b->b->keys, key), v);
		else
			b->b->h->initial_default = v;
		ok = true;
	}
	guard_leave(&b->job->guard);
	return ok;
}

static const char *copy_of(alibi_builder *b, const char *text)
{
	return text ? pool_text(b->job->pool, text, strlen(text)) : NULL;
}

bool alibi_builder_source(alibi_builder *b, const char *level, const char *source)
{
	bool volatile ok = false;
	assert(!b->finished);
	if (guard_enter(&b->job->guard)) {
		b->b->h->claimed_level = copy_of(b, level);
		b->b->h->source = copy_of(b, source);
		ok = true;
	}
	guard_leave(&b->job->guard);
	return ok;
}

const alibi_history *alibi_builder_finish(alibi_builder *b)
{
	struct history *volatile h = NULL;
	assert(!b->finished && !b->stream);
	b->finished = true;
	if (guard_enter(&b->job->guard))
		h = builder_finish(b->b);
	guard_leave(&b->job->guard);
	return (const alibi_history *)h;
}

/* ---- loading and saving ---- */

static const struct history *inside(const alibi_history *h)
{
	assert(h);
	return (const struct history *)h;
}

const alibi_history *alibi_load(alibi *a, const char *path, const alibi_load_options *options)
{
	struct history *volatile h = NULL;
	if (guard_enter(&a->guard))
		h = format_load(a->pool, path, options ? options->format : NULL,
		                options ? options->initial : NULL);
	guard_leave(&a->guard);
	return (const alibi_history *)h;
}

bool alibi_save(alibi *a, const alibi_history *h, const char *path, const char *format,
                const char **dropped)
{
	bool volatile ok = false;
	if (guard_enter(&a->guard)) {
		format_save(a->pool, inside(h), path, format, dropped);
		ok = true;
	}
	guard_leave(&a->guard);
	return ok;
}

size_t alibi_format_count(void)
{
	return format_count();
}

alibi_format_info alibi_format(size_t index)
{
	const struct format *f = format_at(index);
	return (alibi_format_info){
	        .name = f->name, .title = f->title, .directory = f->suffix != NULL};
}

alibi_stats alibi_history_stats(const alibi_history *h)
{
	return history_stats(inside(h));
}

/* ---- checking ---- */

enum { DESCRIBED_BY_DEFAULT = 1000 };

static struct check_options asked(const alibi_check_options *options, const struct history *h,
                                  const struct level *level)
{
	uint64_t skew = options->has_clock_skew ? options->clock_skew
	                : h->has_skew           ? (uint64_t)h->skew
	                                        : 0;
	return (struct check_options){
	        .level = level,
	        .order = options->order,
	        .session_order = !options->ignore_sessions,
	        .time_order = options->assume_time_order,
	        .skew = skew,
	        .require_txns = options->require_txns,
	        .threads = options->threads,
	        .max_violations =
	                options->max_violations ? options->max_violations : DESCRIBED_BY_DEFAULT,
	};
}

static const struct level *level_asked(alibi *a, const char *name, bool by_timestamps)
{
	const struct level *level = name ? level_named(name) : NULL;
	if (!level)
		guard_fail(&a->guard, ALIBI_USAGE, NULL,
		           "there is no level '%s'; expected one of %s", name ? name : "",
		           level_names(a->pool));
	if (by_timestamps && (level->rules.realtime || level->rules.visible != VISIBLE_STATE ||
	                      level->rules.snapshot != level->rules.noconflict))
		guard_fail(&a->guard, ALIBI_USAGE, NULL,
		           "timestamps are replayed at si and ser, not at %s", level->name);
	return level;
}

const alibi_result *alibi_check(alibi *a, const alibi_history *h,
                                const alibi_check_options *options)
{
	struct check *volatile c = NULL;
	const alibi_result *volatile result = NULL;
	if (guard_enter(&a->guard)) {
		const struct level *level =
		        level_asked(a, options->level, options->order == ALIBI_ORDER_TIMESTAMPS);
		if (options->assume_time_order && (level->rules.visible != VISIBLE_STATE ||
		                                   options->order == ALIBI_ORDER_TIMESTAMPS))
			guard_fail(&a->guard, ALIBI_USAGE, NULL,
			           "the clients' clocks can be assumed to count where an order is "
			           "searched for, at pc, si, ser and sser");
		struct check_options o = asked(options, inside(h), level);
		c = check_new(a->pool);
		result = check_run(c, inside(h), &o);
		check_clocks(c, inside(h), &o);
	}
	guard_leave(&a->guard);
	return result || !c ? result : check_limited(c, &a->guard.error);
}

const alibi_levels *alibi_check_all(alibi *a, const alibi_history *h,
                                    const alibi_check_options *options)
{
	const alibi_levels *volatile all = NULL;
	if (guard_enter(&a->guard)) {
		if (options->order == ALIBI_ORDER_TIMESTAMPS)
			guard_fail(&a->guard, ALIBI_USAGE, NULL,
			           "timestamps are replayed at si and ser, not at all levels");
		if (options->assume_time_order)
			guard_fail(
			        &a->guard, ALIBI_USAGE, NULL,
			        "the clients' clocks can be assumed to count at one level, not at "
			        "all");
		struct check_options o = asked(options, inside(h), NULL);
		all = check_all(a->pool, inside(h), &o);
	}
	guard_leave(&a->guard);
	return all;
}

/* ---- watching ---- */

struct alibi_watch {
	alibi *job;
	struct shards *s;
	alibi_builder builder;
};

static void check_watch(alibi *a, const alibi_watch_options *o, const struct level *level)
{
	const char *by = o->fence ? "by fences" : "by the clients' clocks";
	if (!o->client_times && !o->fence)
		return;
	if (level->rules.snapshot || level->rules.visible != VISIBLE_STATE ||
	    (o->fence && level->rules.realtime))
		guard_fail(&a->guard, ALIBI_USAGE, NULL, "%s a stream is watched at %s, not at %s",
		           by, o->fence ? "ser" : "ser and sser", level->name);
	if (o->threads > 1 || o->shards > 1 || o->store)
		guard_fail(&a->guard, ALIBI_USAGE, NULL,
		           "a stream that is watched %s is not divided into shards or threads, and "
		           "its keys stay in memory",
		           by);
	if (o->fence && (o->client_times || o->has_clock_skew))
		guard_fail(&a->guard, ALIBI_USAGE, NULL,
		           "a stream is watched by fences or by the clients' clocks, not by both");
	if (o->fence && o->ignore_sessions)
		guard_fail(&a->guard, ALIBI_USAGE, NULL,
		           "fences rest on the order of sessions, so that it has to count");
	if (o->fence && !o->fence_sessions)
		guard_fail(&a->guard, ALIBI_USAGE, NULL,
		           "by fences a stream needs the number of its sessions");
}

alibi_watch *alibi_watch_new(alibi *a, const alibi_watch_options *options)
{
	alibi_watch *volatile made = NULL;
	if (guard_enter(&a->guard)) {
		alibi_watch *w = pool_zalloc(a->pool, sizeof *w);
		bool search = options->client_times || options->fence;
		const struct level *level = level_asked(a, options->level, !search);
		check_watch(a, options, level);
		struct stream_options o = {.level = level,
		                           .session_order = !options->ignore_sessions,
		                           .initial = options->initial,
		                           .has_horizon = options->has_horizon,
		                           .horizon = options->horizon,
		                           .longest = options->longest,
		                           .shard = {options->shard, options->shards},
		                           .store = options->store,
		                           .store_data = options->store_data,
		                           .store_above = options->store_above,
		                           .client_times = search,
		                           .has_skew = options->has_clock_skew,
		                           .skew = options->clock_skew,
		                           .round = options->round,
		                           .fence = options->fence,
		                           .sessions = options->fence_sessions};
		w->job = a;
		guard_stage(&a->guard, "watching", 0);
		w->s = shards_new(a->pool, &o, options->threads);
		w->builder = (alibi_builder){.job = a, .b = shards_builder(w->s), .stream = w->s};
		made = w;
	}
	guard_leave(&a->guard);
	return made;
}

alibi_builder *alibi_watch_builder(alibi_watch *w)
{
	return &w->builder;
}

/* If a line could not be read, those before it count all the same. The error stays. */
static bool judge_before_broken(alibi_watch *w)
{
	struct guard *g = &w->job->guard;
	struct alibi_error error = g->error;
	char text[ERROR_TEXT_MAX];
	memcpy(text, g->error_text, sizeof text);
	if (error.code == ALIBI_INPUT && guard_enter(g))
		shards_before_broken(w->s);
	if (error.code == ALIBI_INPUT)
		guard_leave(g);
	memcpy(g->error_text, text, sizeof text);
	g->error = error;
	return false;
}

bool alibi_watch_text(alibi_watch *w, const char *name, const char *text, size_t length)
{
	bool volatile ok = false;
	if (guard_enter(&w->job->guard)) {
		shards_text(w->s, name, text, length);
		ok = true;
	}
	guard_leave(&w->job->guard);
	return ok || judge_before_broken(w);
}

bool alibi_watch_advance(alibi_watch *w, alibi_stamp settled, alibi_stamp oldest)
{
	bool volatile ok = false;
	if (guard_enter(&w->job->guard)) {
		take_built(&w->builder);
		shards_advance(w->s, settled, oldest);
		ok = true;
	}
	guard_leave(&w->job->guard);
	return ok;
}

bool alibi_watch_gap(alibi_watch *w, uint64_t from, uint64_t until)
{
	bool volatile ok = false;
	assert(from <= until);
	if (guard_enter(&w->job->guard)) {
		take_built(&w->builder);
		shards_gap(w->s, from, until);
		ok = true;
	}
	guard_leave(&w->job->guard);
	return ok;
}

bool alibi_watch_finish(alibi_watch *w)
{
	bool volatile ok = false;
	if (guard_enter(&w->job->guard)) {
		take_built(&w->builder);
		shards_finish(w->s);
		ok = true;
	}
	guard_leave(&w->job->guard);
	return ok || judge_before_broken(w);
}

const alibi_watch_event *alibi_watch_next(alibi_watch *w)
{
	const alibi_watch_event *volatile event = NULL;
	if (guard_enter(&w->job->guard)) {
		take_built(&w->builder);
		event = shards_next(w->s);
	}
	guard_leave(&w->job->guard);
	return event;
}

alibi_watch_stats alibi_watch_statistics(const alibi_watch *w)
{
	return shards_stats(w->s);
}

bool alibi_watch_save(alibi_watch *w, alibi_write_fn *write, void *data)
{
	bool volatile ok = false;
	if (guard_enter(&w->job->guard)) {
		shards_save(w->s, write, data);
		ok = true;
	}
	guard_leave(&w->job->guard);
	return ok;
}

bool alibi_watch_load(alibi_watch *w, const void *bytes, size_t length)
{
	bool volatile ok = false;
	if (guard_enter(&w->job->guard)) {
		shards_load(w->s, bytes, length);
		ok = true;
	}
	guard_leave(&w->job->guard);
	return ok;
}

/* If a limit ends it, what was found until then is the explanation. */
const alibi_explanation *alibi_explain(alibi *a, const alibi_history *h,
                                       const alibi_check_options *options,
                                       const alibi_result *result)
{
	alibi_explanation *volatile made = NULL;
	uint64_t deadline = a->guard.deadline_ns;
	assert(result);
	if (guard_enter(&a->guard)) {
		if (result->verdict != ALIBI_VIOLATES)
			guard_fail(&a->guard, ALIBI_USAGE, NULL,
			           "the history does not violate %s, so there is nothing to "
			           "explain",
			           result->level);
		struct check_options o = asked(options, inside(h), level_named(result->level));
		made = explain_new(a->pool);
		explain(a->pool, inside(h), &o, result, made);
	}
	guard_leave(&a->guard);
	a->guard.deadline_ns = deadline;
	return made && made->count ? made : NULL;
}

const alibi_verification *alibi_verify(alibi *a, const alibi_history *h,
                                       const char *certificate_path)
{
	alibi_verification *volatile v = NULL;
	if (guard_enter(&a->guard)) {
		struct source *s = source_open(a->pool, certificate_path);
		struct text t = source_whole(s);
		const unsigned char *bytes = (const unsigned char *)t.bytes;
		struct certificate c;
		const struct level *level =
		        certificate_open(&c, bytes, t.length) ? level_named(c.level) : NULL;
		alibi_verification *made = pool_zalloc(a->pool, sizeof *made);
		made->reason = "it is not a certificate that this version reads";
		if (level) {
			struct verify_rules rules = {level->name, level->rules};
			rules.replay.no_session = !c.session;
			rules.replay.realtime = c.clocks;
			rules.replay.skew = c.skew;
			made->level = level->name;
			made->reason =
			        verify(a->pool, inside(h), &rules, bytes, t.length, &made->verdict);
			made->accepted = !made->reason;
		}
		source_close(s);
		v = made;
	}
	guard_leave(&a->guard);
	return v;
}

const char *alibi_watch_reason_name(enum alibi_watch_reason reason)
{
	static const char *const names[ALIBI_WATCH_REASONS] = {
	        [ALIBI_WATCH_LATE] = "LATE",       [ALIBI_WATCH_LONG] = "LONG",
	        [ALIBI_WATCH_STAMPS] = "STAMPS",   [ALIBI_WATCH_TIMES] = "TIMES",
	        [ALIBI_WATCH_OUTCOME] = "OUTCOME", [ALIBI_WATCH_FENCE] = "FENCE",
	        [ALIBI_WATCH_GONE] = "GONE"};
	return names[reason];
}

const char *alibi_verdict_name(enum alibi_verdict verdict)
{
	static const char *const names[] = {"valid", "violates", "unknown"};
	return names[verdict];
}

size_t alibi_level_count(void)
{
	return level_count();
}

size_t alibi_level_alias_count(void)
{
	return names_count();
}

alibi_level_alias alibi_level_alias_at(size_t index)
{
	return *names_at(index);
}

bool alibi_level_find(const char *name, alibi_level_alias *found)
{
	return names_find(name, found);
}

alibi_level_info alibi_level(size_t index)
{
	alibi_level_info info = {.name = level_at(index)->name, .title = level_at(index)->title};
	about_level(&info);
	return info;
}

size_t alibi_level_step_count(void)
{
	return about_step_count();
}

alibi_level_step alibi_level_step_at(size_t index)
{
	return *about_step(index);
}

/* ---- synthesis ---- */

size_t alibi_definition_count(void)
{
	return library_level_count;
}

const alibi_definition *alibi_definition_at(alibi *a, size_t index)
{
	alibi_definition *volatile made = NULL;
	if (guard_enter(&a->guard)) {
		const struct library_level *l = &library_levels[index];
		alibi_definition *d = pool_zalloc(a->pool, sizeof *d);
		*d = result_definition(definition_find(a->pool, l->name));
		d->text = l->text;
		made = d;
	}
	guard_leave(&a->guard);
	return made;
}

/* If a limit ends it, what was found until then is the result. */
const alibi_synthesis *alibi_synth(alibi *a, const alibi_synth_options *options)
{
	struct result *volatile made = NULL;
	bool volatile limited = false;
	if (guard_enter(&a->guard)) {
		made = result_new(a->pool, options);
		result_search(made);
	} else {
		limited =
		        a->guard.error.code == ALIBI_TIMEOUT || a->guard.error.code == ALIBI_MEMORY;
	}
	guard_leave(&a->guard);
	bool failed = a->guard.error.code != ALIBI_OK;
	return made && (!failed || limited) ? result_told(made, limited ? &a->guard.error : NULL)
	                                    : NULL;
}

/* ---- reporting ---- */

struct alibi_report {
	alibi *job;
	struct report *r; /* NULL: it failed, or was closed */
};

alibi_report *alibi_report_open(alibi *a, enum alibi_report_kind kind, const char *path,
                                const alibi_report_options *options)
{
	alibi_report *volatile made = NULL;
	if (guard_enter(&a->guard)) {
		alibi_report *r = pool_zalloc(a->pool, sizeof *r);
		r->job = a;
		r->r = report_open(pool_child(a->pool), kind, path, options);
		made = r;
	}
	guard_leave(&a->guard);
	return made;
}

/* Adds what, or closes the report if that is NULL. A report that fails is over. */
static bool go_on(alibi_report *report, const alibi_reported *what)
{
	bool volatile ok = false;
	struct report *r = report->r;
	assert(r);
	report->r = NULL;
	if (guard_enter(&report->job->guard)) {
		if (what)
			report_add(r, what);
		else
			report_close(r);
		report->r = what ? r : NULL;
		ok = true;
	}
	guard_leave(&report->job->guard);
	if (!report->r)
		pool_release(r->pool);
	return ok;
}

bool alibi_report_add(alibi_report *r, const alibi_reported *reported)
{
	assert(reported);
	return go_on(r, reported);
}

bool alibi_report_close(alibi_report *r)
{
	return go_on(r, NULL);
}
