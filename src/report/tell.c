/* tell: see tell.h. */
#include "report/tell.h"

#include "level/level.h"
#include "report/words.h"

#include <inttypes.h>
#include <string.h>

const char tell_lists_cut[] =
        "Lists are shown with the elements that these transactions appended, and no others.";

const char *tell_verdict(const alibi_finding *f)
{
	if (f->result)
		return alibi_verdict_name(f->result->verdict);
	bool limit =
	        f->error && (f->error->code == ALIBI_MEMORY || f->error->code == ALIBI_TIMEOUT);
	return limit ? "unknown" : "error";
}

const char *tell_reason(const alibi_finding *f)
{
	return f->result ? f->result->reason : f->error ? f->error->text : NULL;
}

const char *tell_verdict_of_all(const alibi_reported *what)
{
	return what->finding_count == 1 ? tell_verdict(&what->findings[0])
	                                : alibi_verdict_name(what->verdict);
}

/* The weaker level that does not hold, either, and that was explained. */
static const char *weaker_explained(const alibi_reported *what, const alibi_finding *f)
{
	for (const alibi_finding *weaker = what->findings; weaker < f; weaker++)
		if (tell_anomaly_count(weaker))
			return weaker->level;
	return NULL;
}

const char *tell_why(struct pool *pool, const alibi_reported *what, const alibi_finding *f)
{
	const alibi_result *r = f->result;
	const char *as = r && r->implied_by ? r->implied_by : NULL;
	text_vec t = {0};
	if (r && r->verdict == ALIBI_VIOLATES && weaker_explained(what, f))
		as = weaker_explained(what, f);
	if (as)
		text_addf(pool, &t, "as %s", as);
	else if (tell_reason(f))
		text_addf(pool, &t, "%s", tell_reason(f));
	else if (tell_anomaly_count(f))
		text_addf(pool, &t, "%s: %s", f->explanation->anomalies[0].title,
		          f->explanation->anomalies[0].summary);
	else if (r && r->described)
		text_addf(pool, &t, "%s", r->violations[0].text);
	return text_string(pool, &t);
}

const char *tell_level(const char *level)
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

/* No level is known to hold. */
static void add_none(struct pool *pool, text_vec *t, const alibi_reported *what, bool by_title)
{
	size_t broken = 0, open = 0; /* the weakest that is violated; how many are unknown */
	while (broken < what->finding_count && !verdict_is(&what->findings[broken], ALIBI_VIOLATES))
		broken++;
	for (size_t i = 0; i < what->finding_count; i++)
		open += verdict_is(&what->findings[i], ALIBI_UNKNOWN);
	if (!open) {
		text_addf(pool, t, "holds at no level");
	} else if (broken == what->finding_count) {
		text_addf(pool, t, "unknown at every level");
	} else {
		const char *level = what->findings[broken].level, *before = "; unknown at";
		text_addf(pool, t, "does not hold at %s or above",
		          by_title ? tell_level(level) : level);
		for (size_t i = what->finding_count; i-- > 0;) {
			if (!verdict_is(&what->findings[i], ALIBI_UNKNOWN))
				continue;
			level = what->findings[i].level;
			text_addf(pool, t, "%s %s", before, by_title ? tell_level(level) : level);
			before = ",";
		}
	}
}

const char *tell_strongest(struct pool *pool, const alibi_reported *what, bool by_title)
{
	text_vec t = {0};
	if (what->strongest)
		text_addf(pool, &t, "holds up to %s",
		          by_title ? tell_level(what->strongest) : what->strongest);
	else
		add_none(pool, &t, what, by_title);
	for (size_t i = 0; what->claimed && i < what->finding_count; i++)
		if (!strcmp(what->findings[i].level, what->claimed) &&
		    verdict_is(&what->findings[i], ALIBI_VIOLATES))
			text_addf(pool, &t, "; the claimed %s does not hold",
			          by_title ? tell_level(what->claimed) : what->claimed);
	return text_string(pool, &t);
}

const char *tell_basis(struct pool *pool, const alibi_reported *what, const char *judged)
{
	text_vec t = {0};
	for (size_t i = 0; i < what->finding_count; i++) {
		const alibi_result *r = what->findings[i].result;
		if (!r || !r->basis || (what->finding_count > 1 && !r->clocks.alone))
			continue;
		if (what->finding_count > 1)
			text_addf(pool, &t, "%s is judged by %s", what->findings[i].level,
			          r->basis);
		else
			text_addf(pool, &t, "%s by %s", judged, r->basis);
		return text_string(pool, &t);
	}
	return NULL;
}

const char *tell_asked(struct pool *pool, const alibi_finding *f)
{
	text_vec t = {0};
	if (!f->asked || !f->level)
		return NULL;
	text_addf(pool, &t, "at %s (%s), which is %s%s", f->asked, f->whose ? f->whose : "",
	          f->level, f->ignore_sessions ? " with --session-order off" : "");
	return text_string(pool, &t);
}

const alibi_coverage *tell_coverage(const alibi_reported *what)
{
	const alibi_coverage *found = NULL;
	for (size_t i = 0; i < what->finding_count; i++) {
		const alibi_result *r = what->findings[i].result;
		if (r && r->coverage.counted && (!found || r->verdict == ALIBI_VALID))
			found = &r->coverage;
	}
	return found;
}

const char *tell_evidence(struct pool *pool, const alibi_coverage *c)
{
	text_vec t = {0};
	text_addf(pool, &t,
	          "%" PRIu64 " of %" PRIu64 " reads are of keys with several writers; conflicts "
	          "between sessions: %" PRIu64,
	          c->contended_reads, c->reads, c->conflicts);
	if (c->has_client_times)
		text_addf(pool, &t, ", at the same time: %" PRIu64, c->overlapping_conflicts);
	if (c->queries)
		text_addf(pool, &t,
		          "; %" PRIu64 " of %" PRIu64 " queries ask for what others write",
		          c->contended_queries, c->queries);
	return text_string(pool, &t);
}

size_t tell_anomaly_count(const alibi_finding *f)
{
	return f->explanation ? f->explanation->count : 0;
}

bool tell_searched(const alibi_finding *f)
{
	return f->result && f->result->work.components;
}

struct tell_figures tell_figures(const alibi_work *w)
{
	return (struct tell_figures){
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

const char *tell_id(struct pool *pool, const struct history *h, uint32_t txn)
{
	text_vec t = {0};
	text_add_txn(pool, &t, h, txn);
	return text_string(pool, &t);
}

static const char *name_of(struct pool *pool, alibi_value v)
{
	text_vec t = {0};
	text_add_name(pool, &t, v);
	return text_string(pool, &t);
}

const char *tell_session(struct pool *pool, const struct history *h, uint32_t txn)
{
	uint32_t name = h->session_name[h->txns[txn].session];
	return name == ATOM_NONE ? NULL : name_of(pool, atoms_value(&h->names, name));
}

const char *tell_status(const struct history *h, uint32_t txn)
{
	static const char *const words[] = {"committed", "aborted", "outcome unknown"};
	return words[h->txns[txn].status];
}

static const char *tell_query(struct pool *pool, const struct history *h, const struct query *q,
                              size_t columns)
{
	static const char *const verbs[] = {"look for ", "update ", "delete "};
	text_vec t = {0};
	text_addf(pool, &t, "%s", verbs[q->kind]);
	text_add_query(pool, &t, h, q);
	if (q->open)
		text_addf(pool, &t, " (rows not known)");
	else
		text_addf(pool, &t, q->rows == 1 ? ": %u row" : ": %u rows", q->rows);
	return words_elided(pool, text_string(pool, &t), columns);
}

const char *tell_op(struct pool *pool, const struct history *h, uint32_t op, size_t columns)
{
	struct op o = h->ops[op];
	if (is_query(h, op))
		return tell_query(pool, h, query_at(h, op), columns);
	size_t half = columns > 16 ? (columns - 9) / 2 : 4;
	text_vec name = {0};
	text_add_key(pool, &name, h, op_key(o));
	const char *key = text_string(pool, &name);
	const char *value = render_atom(pool, h, o.value, SIZE_MAX);
	/* The shorter of the two leaves its room to the other. */
	size_t key_width = words_width(key), value_width = words_width(value);
	size_t key_room = value_width < half ? 2 * half - value_width : half;
	size_t value_room = key_width < half ? 2 * half - key_width : half;
	key = words_elided(pool, key, key_room);
	value = words_elided(pool, value, value_room);
	text_vec t = {0};
	if (op_kind(o) == ALIBI_APPEND)
		text_addf(pool, &t, "append %s to %s", value, key);
	else if (op_kind(o) == ALIBI_WRITE && o.value == ATOM_NULL)
		text_addf(pool, &t, "delete %s", key);
	else
		text_addf(pool, &t, "%s %s = %s", op_kind(o) == ALIBI_READ ? "read" : "write", key,
		          value);
	return text_string(pool, &t);
}

const char *tell_info(struct pool *pool, const struct history *h, uint32_t txn)
{
	for (size_t i = 0; i < h->info.count; i++)
		if (h->info.items[i].txn == txn)
			return pool_text(pool, h->texts.items + h->info.items[i].offset,
			                 h->info.items[i].length);
	return NULL;
}

const char *tell_names(struct pool *pool, const alibi_anomaly *a)
{
	text_vec t = {0};
	bool both = a->adya && strcmp(a->adya, a->name) != 0;
	text_addf(pool, &t, "%s%s%s", a->name, both ? ", " : "", both ? a->adya : "");
	return text_string(pool, &t);
}

const char *tell_words(struct pool *pool, const char *text)
{
	enum { WORDS_COLUMNS = 1000 };
	return words_elided(pool, text, WORDS_COLUMNS);
}

const char *tell_sentence(struct pool *pool, const char *text)
{
	size_t length = strlen(text);
	text_vec t = {0};
	if (length && strchr(".!?", text[length - 1]))
		return tell_words(pool, text);
	text_addf(pool, &t, "%s.", tell_words(pool, text));
	return text_string(pool, &t);
}

const char *tell_kind(const char *kind)
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
