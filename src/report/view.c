/* view: see view.h. */
#include "report/view.h"

#include "level/level.h"
#include "report/words.h"

#include <inttypes.h>
#include <string.h>

const char view_lists_cut[] =
        "Lists are shown with the elements that these transactions appended, and no others.";

const char *view_verdict(const alibi_finding *f)
{
	if (f->result)
		return alibi_verdict_name(f->result->verdict);
	bool limit = f->error && is_limit(f->error->code);
	return limit ? "unknown" : "error";
}

const char *view_reason(const alibi_finding *f)
{
	return f->result ? f->result->reason : f->error ? f->error->text : NULL;
}

const char *view_verdict_of_all(const alibi_reported *what)
{
	return what->finding_count == 1 ? view_verdict(&what->findings[0])
	                                : alibi_verdict_name(what->verdict);
}

/* A weaker level that is violated as well, and was explained. */
static const char *weaker_explained(const alibi_reported *what, const alibi_finding *f)
{
	for (const alibi_finding *weaker = what->findings; weaker < f; weaker++)
		if (view_anomaly_count(weaker))
			return weaker->level;
	return NULL;
}

const char *view_why(struct pool *pool, const alibi_reported *what, const alibi_finding *f)
{
	const alibi_result *r = f->result;
	const char *as = r && r->implied_by ? r->implied_by : NULL;
	if (r && r->verdict == ALIBI_VIOLATES && weaker_explained(what, f))
		as = weaker_explained(what, f);
	if (as)
		return text_format(pool, "as %s", as);
	if (view_reason(f))
		return view_reason(f);
	if (view_anomaly_count(f))
		return text_format(pool, "%s: %s", f->explanation->anomalies[0].title,
		                   f->explanation->anomalies[0].summary);
	return r && r->described ? r->violations[0].text : "";
}

const char *view_level(const char *level)
{
	const struct level *row = level ? level_named(level) : NULL;
	return row                              ? row->title
	       : level && !strcmp(level, "all") ? "every level"
	       : level                          ? level
	                                        : "an isolation level";
}

static bool verdict_is(const alibi_finding *f, enum alibi_verdict verdict)
{
	return f->result && f->result->verdict == verdict;
}

const char *view_expected(const alibi_reported *what)
{
	return what->expected ? what->expected : what->claimed;
}

const char *view_nothing_expected(const alibi_reported *what)
{
	if (what->finding_count == 1 || view_expected(what) || what->verdict != ALIBI_UNKNOWN)
		return NULL;
	return "which level must hold is not known: none is expected, and the history claims none";
}

/* No level is known to hold. */
static void add_none(struct pool *pool, text_vec *t, const alibi_reported *what, bool by_title)
{
	size_t violated = 0,
	       unknown = 0; /* the weakest violated level; the number of unknown ones */
	while (violated < what->finding_count &&
	       !verdict_is(&what->findings[violated], ALIBI_VIOLATES))
		violated++;
	for (size_t i = 0; i < what->finding_count; i++)
		unknown += verdict_is(&what->findings[i], ALIBI_UNKNOWN);
	if (!unknown) {
		text_addf(pool, t, "holds at no level");
	} else if (violated == what->finding_count) {
		text_addf(pool, t, "unknown at every level");
	} else {
		const char *level = what->findings[violated].level, *before = "; unknown at";
		text_addf(pool, t, "does not hold at %s or above",
		          by_title ? view_level(level) : level);
		for (size_t i = what->finding_count; i-- > 0;) {
			if (!verdict_is(&what->findings[i], ALIBI_UNKNOWN))
				continue;
			level = what->findings[i].level;
			text_addf(pool, t, "%s %s", before, by_title ? view_level(level) : level);
			before = ",";
		}
	}
}

const char *view_strongest(struct pool *pool, const alibi_reported *what, bool by_title)
{
	text_vec t = {0};
	if (what->strongest)
		text_addf(pool, &t, "holds up to %s",
		          by_title ? view_level(what->strongest) : what->strongest);
	else
		add_none(pool, &t, what, by_title);
	const char *expected = view_expected(what);
	for (size_t i = 0; expected && i < what->finding_count; i++) {
		const alibi_finding *f = &what->findings[i];
		if (strcmp(f->level, expected) != 0 || verdict_is(f, ALIBI_VALID))
			continue;
		text_addf(pool, &t, "; the %s %s %s", what->expected ? "expected" : "claimed",
		          by_title ? view_level(expected) : expected,
		          verdict_is(f, ALIBI_VIOLATES) ? "does not hold" : "is undecided");
	}
	return text_string(pool, &t);
}

const char *view_basis(struct pool *pool, const alibi_reported *what, const char *judged)
{
	for (size_t i = 0; i < what->finding_count; i++) {
		const alibi_result *r = what->findings[i].result;
		if (!r || !r->basis || (what->finding_count > 1 && !r->clocks.alone))
			continue;
		return what->finding_count > 1 ? text_format(pool, "%s is judged by %s",
		                                             what->findings[i].level, r->basis)
		                               : text_format(pool, "%s by %s", judged, r->basis);
	}
	return NULL;
}

const char *view_asked(struct pool *pool, const alibi_finding *f)
{
	if (!f->asked || !f->level)
		return NULL;
	return text_format(pool, "at %s (%s), checked as %s%s", f->asked, f->whose ? f->whose : "",
	                   f->level, f->ignore_sessions ? " without session order" : "");
}

const alibi_coverage *view_coverage(const alibi_reported *what)
{
	const alibi_coverage *found = NULL;
	for (size_t i = 0; i < what->finding_count; i++) {
		const alibi_result *r = what->findings[i].result;
		if (r && r->coverage.counted && (!found || r->verdict == ALIBI_VALID))
			found = &r->coverage;
	}
	return found;
}

static const char *warning_of(const alibi_reported *what, enum alibi_verdict verdict)
{
	for (size_t i = 0; i < what->finding_count; i++)
		if (verdict_is(&what->findings[i], verdict) &&
		    what->findings[i].result->coverage.warning)
			return what->findings[i].result->coverage.warning;
	return NULL;
}

const char *view_doubt(const alibi_reported *what)
{
	return warning_of(what, ALIBI_VIOLATES);
}

const char *view_warning(const alibi_reported *what)
{
	const alibi_coverage *c = view_coverage(what);
	const char *doubt = view_doubt(what), *advice = warning_of(what, ALIBI_UNKNOWN);
	return doubt ? doubt : advice ? advice : c ? c->warning : NULL;
}

const char *view_evidence(struct pool *pool, const alibi_coverage *c)
{
	text_vec t = {0};
	text_addf(pool, &t,
	          "%s of %s reads are of keys with several writers; conflicts between sessions: %s",
	          view_number(pool, c->contended_reads), view_number(pool, c->reads),
	          view_number(pool, c->conflicts));
	if (c->has_client_times)
		text_addf(pool, &t, ", at the same time: %s",
		          view_number(pool, c->overlapping_conflicts));
	if (c->queries)
		text_addf(pool, &t, "; %s of %s queries ask for what others write",
		          view_number(pool, c->contended_queries), view_number(pool, c->queries));
	return text_string(pool, &t);
}

const struct availability *view_availability(const alibi_reported *what)
{
	return what->history ? view_history(what->history)->availability : NULL;
}

static double share(int64_t part, int64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

const char *view_available(struct pool *pool, const struct availability *a)
{
	text_vec t = {0};
	text_addf(pool, &t, "commits in %.0f %% of %.1f s", 100 * availability_share(a),
	          (double)a->milliseconds / 1e3);
	for (size_t i = 0; i < a->nodes.count; i++) {
		const struct node_availability *n = &a->nodes.items[i];
		text_addf(pool, &t, "; %s ", n->node);
		if (a->nodes.count > 1)
			text_addf(pool, &t, "committed in %.0f %% of it and ",
			          100 - share(n->without_commits, a->milliseconds));
		text_addf(pool, &t, "did not answer %" PRId64 " of %" PRId64 " attempts (%.1f %%)",
		          n->unanswered, n->attempts, share(n->unanswered, n->attempts));
	}
	return text_string(pool, &t);
}

size_t view_anomaly_count(const alibi_finding *f)
{
	return f->explanation ? f->explanation->count : 0;
}

const alibi_anomaly *view_anomaly(const alibi_reported *what, size_t n, const char **level)
{
	for (size_t i = 0; i < what->finding_count; n -= view_anomaly_count(&what->findings[i++]))
		if (n < view_anomaly_count(&what->findings[i])) {
			*level = what->findings[i].level;
			return &what->findings[i].explanation->anomalies[n];
		}
	return NULL;
}

bool view_searched(const alibi_finding *f)
{
	return f->result && f->result->work.components;
}

struct view_figures view_figures(const alibi_work *w)
{
	return (struct view_figures){
	        .stages = {{"prepare", w->prepare_seconds},
	                   {"saturate", w->saturate_seconds},
	                   {"solve", w->solve_seconds},
	                   {"verify", w->verify_seconds}},
	        .counts = {{"unsure_reads", w->unsure_reads},
	                   {"derived", w->derived},
	                   {"choices", w->choices},
	                   {"rounds", w->rounds},
	                   {"conflicts", w->conflicts},
	                   {"components", w->components}},
	};
}

const char *view_id(struct pool *pool, const struct history *h, uint32_t txn)
{
	text_vec t = {0};
	text_add_txn(pool, &t, h, txn);
	return text_string(pool, &t);
}

const char *view_session(struct pool *pool, const struct history *h, uint32_t txn)
{
	uint32_t name = h->session_name[h->txns[txn].session];
	text_vec t = {0};
	if (name == ID_NONE)
		return NULL;
	text_add_name(pool, &t, atoms_value(&h->names, name));
	return text_string(pool, &t);
}

const char *view_status(const struct history *h, uint32_t txn)
{
	static const char *const words[] = {"committed", "aborted", "outcome unknown"};
	return words[h->txns[txn].status];
}

static const char *query_text(struct pool *pool, const struct history *h, const struct query *q,
                              size_t columns)
{
	static const char *const verbs[] = {"look for ", "update ", "delete "};
	text_vec t = {0};
	text_addf(pool, &t, "%s", verbs[q->kind]);
	text_add_query(pool, &t, h, q);
	if (q->opaque)
		text_addf(pool, &t, " (rows not known)");
	else
		text_addf(pool, &t, q->rows == 1 ? ": %u row" : ": %u rows", q->rows);
	return words_elided(pool, text_string(pool, &t), columns);
}

const char *view_op(struct pool *pool, const struct history *h, uint32_t op, size_t columns)
{
	struct op o = h->ops[op];
	if (is_query(h, op))
		return query_text(pool, h, query_at(h, op), columns);
	size_t half = columns > 16 ? (columns - 9) / 2 : 4;
	text_vec name = {0};
	text_add_key(pool, &name, h, op_key(o));
	const char *key = text_string(pool, &name);
	const char *value = render_atom(pool, h, o.value, SIZE_MAX);
	/* The longer of the two takes the room that the shorter one leaves. */
	size_t key_width = words_width(key), value_width = words_width(value);
	size_t key_room = value_width < half ? 2 * half - value_width : half;
	size_t value_room = key_width < half ? 2 * half - key_width : half;
	key = words_elided(pool, key, key_room);
	value = words_elided(pool, value, value_room);
	if (op_kind(o) == ALIBI_APPEND)
		return text_format(pool, "append %s to %s", value, key);
	if (op_kind(o) == ALIBI_WRITE && o.value == ATOM_NULL)
		return text_format(pool, "delete %s", key);
	return text_format(pool, "%s %s = %s", op_kind(o) == ALIBI_READ ? "read" : "write", key,
	                   value);
}

const char *view_info(struct pool *pool, const struct history *h, uint32_t txn)
{
	for (size_t i = 0; i < h->info.count; i++)
		if (h->info.items[i].txn == txn)
			return pool_text(pool, h->texts.items + h->info.items[i].offset,
			                 h->info.items[i].length);
	return NULL;
}

const char *view_names(struct pool *pool, const alibi_anomaly *a)
{
	bool both = a->adya && strcmp(a->adya, a->name) != 0;
	return both ? text_format(pool, "%s, %s", a->name, a->adya) : a->name;
}

const char *view_shortened(struct pool *pool, const char *text)
{
	enum { WORDS_COLUMNS = 1000 };
	return words_elided(pool, text, WORDS_COLUMNS);
}

const char *view_sentence(struct pool *pool, const char *text)
{
	size_t length = strlen(text);
	bool ends = length && strchr(".!?", text[length - 1]);
	text = view_shortened(pool, text);
	return ends ? text : text_format(pool, "%s.", text);
}

const char *view_number(struct pool *pool, uint64_t n)
{
	struct sink *s = sink_in_memory(pool);
	words_count(s, n);
	return text_string(pool, &s->buffer);
}

const char *view_rule(const char *kind)
{
	static const struct {
		const char *kind, *words;
	} known[] = {
	        {"SESSION", "session order"}, {"INT", "own reads and writes"},
	        {"EXT", "wrong read"},        {"NOCONFLICT", "write conflict"},
	        {"TIE", "equal timestamps"},  {"REALTIME", "real-time order"},
	        {"LATE", "came late"},        {"LONG", "ran too long"},
	        {"STAMPS", "timestamps"},     {"TIMES", "client times"},
	        {"OUTCOME", "outcome"},       {"FENCE", "fences"},
	        {"GONE", "lost messages"},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i].kind, kind))
			return known[i].words;
	return NULL;
}

const char *view_kind(const char *kind)
{
	static const struct {
		const char *kind, *words;
	} known[] = {
	        {"wr", "read from"},
	        {"ww", "overwritten by"},
	        {"rw", "read before the write of"},
	        {"predicate-wr", "not found after the write of"},
	        {"predicate-rw", "not found before the write of"},
	        {"so", "same session"},
	        {"rt", "ended before"},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i].kind, kind))
			return known[i].words;
	return kind;
}
