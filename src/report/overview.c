/* overview: see overview.h. */
#include "report/overview.h"

#include "base/guard.h"
#include "history/units.h"
#include "report/faults.h"
#include "report/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	BARS_MIN = 24,
	BARS_MAX = 192,
	TXNS_PER_BAR = 8,
	FAULTS_SHOWN = 100,
	MOMENTS_SHOWN = 200,
	ANOMALIES_MAX = 2000, /* whose time is looked up */
	LABELS = 5,           /* of the axis */
	/* Rows of the chart, in pixels. */
	FAULT_TOP = 4,
	FAULT_HEIGHT = 22,
	PLOT_TOP = 34,
	PLOT_HEIGHT = 130,
	MARK_Y = 180,
	AXIS_Y = 212,
	HEIGHT = 220,
	TALL = 1000, /* the plot, in its own units */
	THIN = 14,   /* what a bar has at least, so that a few are seen among many */
	STATUSES = 3,
};

enum run_clock { RUN_CLIENTS, RUN_DATABASE, RUN_ORDER };

struct overview {
	struct sink *s;
	const alibi_reported *what;
	const struct history *h;
	enum run_clock clock;
	int64_t first, last;
	uint32_t bars, bins; /* bins = bars * OVERVIEW_FINE */
	uint32_t *counts[STATUSES];
	uint64_t untimed; /* transactions without a time */
	uint64_t totals[STATUSES];
	struct faults faults;
	uint32_t *bar_of; /* by anomaly: where it became visible, from 1; 0: not known */
	size_t anomalies, linked;
};

/* ---- time ---- */

/* When it ended, else when it began; false: not known. */
static bool time_of(const struct history *h, enum run_clock clock, uint32_t t, int64_t *at)
{
	unsigned has = h->txns[t].has;
	if (clock == RUN_ORDER) {
		*at = t;
		return true;
	}
	if (clock == RUN_CLIENTS) {
		bool ended = has & ALIBI_HAS_END && h->txns[t].status != ALIBI_UNKNOWN_STATUS;
		*at = !h->times ? 0 : ended ? h->times[t].end : h->times[t].begin;
		return h->times && (ended || has & ALIBI_HAS_BEGIN);
	}
	*at = !h->stamps                  ? 0
	      : has & ALIBI_HAS_COMMIT_TS ? h->stamps[t].commit.physical
	                                  : h->stamps[t].start.physical;
	return h->stamps && has & (ALIBI_HAS_COMMIT_TS | ALIBI_HAS_START_TS);
}

/* The first clock that knows of most transactions. */
static void choose_clock(struct overview *o)
{
	for (o->clock = RUN_CLIENTS;; o->clock++) {
		o->untimed = 0;
		o->first = INT64_MAX;
		o->last = INT64_MIN;
		for (uint32_t t = 0; t < o->h->txn_count; t++) {
			int64_t at;
			if (!time_of(o->h, o->clock, t, &at)) {
				o->untimed++;
				continue;
			}
			o->first = at < o->first ? at : o->first;
			o->last = at > o->last ? at : o->last;
		}
		if (2 * o->untimed < o->h->txn_count)
			return;
	}
}

static double share(const struct overview *o, int64_t at)
{
	double length = (double)o->last - (double)o->first;
	double x = length > 0 ? ((double)at - (double)o->first) / length : 0.5;
	return x < 0 ? 0 : x > 1 ? 1 : x;
}

static uint32_t bin_at(const struct overview *o, int64_t at)
{
	uint32_t bin = (uint32_t)(share(o, at) * o->bins);
	return bin < o->bins ? bin : o->bins - 1;
}

static void count(struct overview *o)
{
	uint64_t wanted = (o->h->txn_count - o->untimed) / TXNS_PER_BAR;
	o->bars = wanted < BARS_MIN ? BARS_MIN : wanted > BARS_MAX ? BARS_MAX : (uint32_t)wanted;
	o->bins = o->bars * OVERVIEW_FINE;
	for (int status = 0; status < STATUSES; status++)
		o->counts[status] = pool_zarray(o->s->pool, o->bins, sizeof(uint32_t));
	for (uint32_t t = 0; t < o->h->txn_count; t++) {
		int64_t at;
		if (!(t % 4096))
			guard_tick(pool_guard(o->s->pool));
		if (!time_of(o->h, o->clock, t, &at))
			continue;
		o->counts[o->h->txns[t].status][bin_at(o, at)]++;
		o->totals[o->h->txns[t].status]++;
	}
}

/* ---- anomalies ---- */

/* A transaction of an anomaly, to be found in the history by its id. */
struct sought {
	alibi_value id;
	size_t anomaly;
};

static int compare_ids(alibi_value a, alibi_value b)
{
	if (a.kind != b.kind)
		return a.kind < b.kind ? -1 : 1;
	if (a.kind == ALIBI_INT)
		return a.integer < b.integer ? -1 : a.integer > b.integer;
	size_t both = a.length < b.length ? a.length : b.length;
	int order = both ? memcmp(a.text, b.text, both) : 0;
	return order ? order : a.length < b.length ? -1 : a.length > b.length;
}

static int by_id(const void *x, const void *y)
{
	const struct sought *a = x, *b = y;
	int order = compare_ids(a->id, b->id);
	return order ? order : a->anomaly < b->anomaly ? -1 : a->anomaly > b->anomaly;
}

static size_t first_with(const struct sought *all, size_t n, alibi_value id)
{
	size_t low = 0;
	while (n) {
		size_t half = n / 2;
		bool before = compare_ids(all[low + half].id, id) < 0;
		low += before ? half + 1 : 0;
		n = before ? n - half - 1 : half;
	}
	return low;
}

static void seek_anomalies(struct overview *o)
{
	VEC(struct sought) all = {0};
	const alibi_anomaly *a;
	const char *level;
	for (; o->anomalies < ANOMALIES_MAX && (a = view_anomaly(o->what, o->anomalies, &level));
	     o->anomalies++) {
		const struct history *few = view_history(a->reduced);
		for (uint32_t t = 0; t < few->txn_count; t++)
			vec_push(o->s->pool, &all,
			         ((struct sought){history_txn_id(few, t), o->anomalies}));
	}
	if (!all.count)
		return;
	qsort(all.items, all.count, sizeof *all.items, by_id);
	o->bar_of = pool_zarray(o->s->pool, o->anomalies, sizeof *o->bar_of);
	for (uint32_t t = 0; t < o->h->txn_count; t++) {
		int64_t at;
		alibi_value id = history_txn_id(o->h, t);
		size_t i = first_with(all.items, all.count, id);
		for (; i < all.count && !compare_ids(all.items[i].id, id); i++) {
			uint32_t *bar = &o->bar_of[all.items[i].anomaly];
			if (time_of(o->h, o->clock, t, &at) &&
			    bin_at(o, at) / OVERVIEW_FINE + 1 > *bar)
				*bar = bin_at(o, at) / OVERVIEW_FINE + 1;
		}
	}
}

/* ---- the plot ---- */

static const char *const classes[STATUSES] = {"committed", "aborted", "uncertain"};

static uint64_t in_bar(const struct overview *o, int status, uint32_t bar)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < OVERVIEW_FINE; i++)
		sum += o->counts[status][bar * OVERVIEW_FINE + i];
	return sum;
}

static uint64_t peak(const struct overview *o)
{
	uint64_t most = 1;
	for (uint32_t bar = 0; bar < o->bars; bar++) {
		uint64_t sum = 0;
		for (int status = 0; status < STATUSES; status++)
			sum += in_bar(o, status, bar);
		most = sum > most ? sum : most;
	}
	return most;
}

/* Each status is drawn from the ground, behind those that are below it. */
static void draw_areas(const struct overview *o)
{
	uint64_t most = peak(o);
	int room = TALL - STATUSES * THIN;
	sink_addf(o->s,
	          "<svg class=\"plot\" x=\"0\" y=\"%d\" width=\"100%%\" height=\"%d\" "
	          "viewBox=\"0 0 %u %d\" preserveAspectRatio=\"none\" aria-hidden=\"true\">",
	          PLOT_TOP, PLOT_HEIGHT, o->bars, TALL);
	for (int top = STATUSES; top-- > 0;) {
		sink_addf(o->s, "<path class=\"%s\" d=\"M0 %d", classes[top], TALL);
		for (uint32_t bar = 0; bar < o->bars; bar++) {
			int height = 0;
			for (int status = 0; status <= top; status++) {
				uint64_t n = in_bar(o, status, bar);
				int part = (int)((double)room * (double)n / (double)most);
				height += n ? THIN + part : 0;
			}
			sink_addf(o->s, "V%dh1", TALL - height);
		}
		sink_addf(o->s, "V%dZ\"/>", TALL);
	}
	sink_text(o->s, "</svg>\n");
}

static const char *distance(const struct overview *o, double x)
{
	double length = (double)o->last - (double)o->first;
	uint64_t units = length > 0 ? (uint64_t)(x * length) : 0;
	if (o->clock == RUN_CLIENTS)
		return faults_distance(o->s->pool, o->h, units);
	struct sink *s = sink_in_memory(o->s->pool);
	words_count(s, units);
	return text_string(o->s->pool, &s->buffer);
}

static void draw_axis(const struct overview *o)
{
	static const char *const anchors[] = {"start", "middle", "end"};
	sink_addf(o->s, "<rect class=\"ground\" x=\"0\" y=\"%d\" width=\"100%%\" height=\"1\"/>\n",
	          PLOT_TOP + PLOT_HEIGHT);
	for (int i = 0; i < LABELS; i++)
		words_markupf(
		        o->s,
		        "<text class=\"axis%s\" x=\"%d%%\" y=\"%d\" text-anchor=\"%s\">%s</text>",
		        i % 2 ? " between" : "", 100 * i / (LABELS - 1), AXIS_Y,
		        anchors[(i > 0) + (i == LABELS - 1)],
		        distance(o, (double)i / (LABELS - 1)));
	sink_addf(o->s, "\n<text class=\"axis peak\" x=\"0\" y=\"%d\">", PLOT_TOP + 11);
	words_count(o->s, peak(o));
	words_markupf(o->s, " in %s</text>\n", distance(o, 1.0 / o->bars));
}

/* ---- faults and anomalies ---- */

static int64_t fault_end(const struct overview *o, const struct fault *f)
{
	return f->ends ? f->end : o->last;
}

static const char *fault_words(const struct overview *o, const struct fault *f)
{
	return text_format(o->s->pool, "%s, from %s%s%s", f->text, distance(o, share(o, f->begin)),
	                   f->ends ? " to " : " on", f->ends ? distance(o, share(o, f->end)) : "");
}

static void draw_faults(const struct overview *o)
{
	enum { LETTER = 7 };
	for (size_t i = 0; i < o->faults.faults.count && i < FAULTS_SHOWN; i++) {
		const struct fault *f = &o->faults.faults.items[i];
		double x = 100 * share(o, f->begin), end = 100 * share(o, fault_end(o, f));
		double w = end - x > 0.2 ? end - x : 0.2;
		words_markupf(o->s,
		              "<svg class=\"fault\" x=\"%.3f%%\" y=\"%d\" width=\"%.3f%%\" "
		              "height=\"%d\" data-x=\"%.5f\" data-w=\"%.5f\"><title>%s</title>"
		              "<rect class=\"band\" width=\"100%%\" height=\"100%%\"/>"
		              "<rect class=\"strip\" width=\"100%%\" height=\"%d\"/>"
		              "<text x=\"%d\" y=\"15\">%s</text></svg>\n",
		              x, FAULT_TOP, w, PLOT_TOP + PLOT_HEIGHT - FAULT_TOP, x / 100, w / 100,
		              fault_words(o, f), FAULT_HEIGHT, LETTER, f->text);
	}
	for (size_t i = 0; i < o->faults.moments.count && i < MOMENTS_SHOWN; i++) {
		const struct happening *m = &o->faults.moments.items[i];
		double x = share(o, m->at);
		words_markupf(o->s,
		              "<rect class=\"moment\" x=\"%.3f%%\" y=\"%d\" width=\"2\" "
		              "height=\"%d\" data-x=\"%.5f\"><title>%s</title></rect>\n",
		              100 * x, FAULT_TOP, PLOT_TOP + PLOT_HEIGHT - FAULT_TOP, x, m->text);
	}
}

/* The anomalies of a bar: one mark, which leads to the first of them. */
static void draw_mark(const struct overview *o, uint32_t bar)
{
	size_t n = 0, first = 0;
	const char *level;
	for (size_t i = o->anomalies; i-- > 0;)
		if (o->bar_of[i] == bar + 1) {
			n++;
			first = i;
		}
	if (!n)
		return;
	double x = ((double)bar + 0.5) / o->bars;
	const char *title = view_anomaly(o->what, first, &level)->title;
	const char *words = n == 1 ? text_format(o->s->pool, "%s, at %s", title, distance(o, x))
	                           : text_format(o->s->pool, "%zu anomalies, the first a %s, at %s",
	                                         n, title, distance(o, x));
	bool link = first < o->linked;
	words_markupf(o->s, "<svg class=\"mark\" x=\"%.3f%%\" y=\"%d\" data-x=\"%.5f\">", 100 * x,
	              MARK_Y, x);
	if (link)
		words_markupf(o->s, "<a href=\"#anomaly-%zu\" aria-label=\"%s\">", first + 1,
		              words);
	words_markupf(o->s,
	              "<title>%s</title><rect class=\"near\" x=\"-12\" y=\"-12\" width=\"24\" "
	              "height=\"24\"/><path d=\"M0-9 9 0 0 9-9 0Z\"/>",
	              words);
	if (n > 1)
		sink_addf(o->s, "<text y=\"4\">%zu</text>", n);
	sink_text(o->s, link ? "</a></svg>\n" : "</svg>\n");
}

/* ---- the section ---- */

static void list_counts(const struct overview *o, int status)
{
	sink_addf(o->s, " data-%s=\"", classes[status]);
	for (uint32_t i = 0; i < o->bins; i++)
		sink_addf(o->s, i ? ",%u" : "%u", o->counts[status][i]);
	sink_text(o->s, "\"");
}

static void legend(const struct overview *o)
{
	static const char *const words[STATUSES] = {"committed", "aborted", "of unknown outcome"};
	sink_text(o->s, "<ul class=\"legend\">\n");
	for (int status = 0; status < STATUSES; status++) {
		if (status && !o->totals[status])
			continue;
		sink_addf(o->s, "<li class=\"%s\"><b>", classes[status]);
		words_count(o->s, o->totals[status]);
		sink_addf(o->s, "</b> %s</li>\n", words[status]);
	}
	if (o->faults.faults.count)
		sink_addf(o->s, "<li class=\"faulty\"><b>%zu</b> %s</li>\n", o->faults.faults.count,
		          o->faults.faults.count == 1 ? "fault" : "faults");
	if (o->anomalies)
		sink_addf(o->s, "<li class=\"anomalous\"><b>%zu</b> %s</li>\n", o->anomalies,
		          o->anomalies == 1 ? "anomaly" : "anomalies");
	sink_text(o->s, "</ul>\n");
}

static void list_events(const struct overview *o)
{
	size_t faults = o->faults.faults.count, moments = o->faults.moments.count;
	if (!faults && !moments)
		return;
	sink_addf(o->s, "<details><summary>%zu %s</summary>\n<ul>\n", faults + moments,
	          faults + moments == 1 ? "fault or event" : "faults and events");
	for (size_t i = 0; i < faults && i < FAULTS_SHOWN; i++)
		words_markupf(o->s, "<li>%s</li>\n", fault_words(o, &o->faults.faults.items[i]));
	for (size_t i = 0; i < moments && i < MOMENTS_SHOWN; i++)
		words_markupf(o->s, "<li>%s, at %s</li>\n", o->faults.moments.items[i].text,
		              distance(o, share(o, o->faults.moments.items[i].at)));
	if (faults > FAULTS_SHOWN || moments > MOMENTS_SHOWN)
		sink_text(o->s, "<li>The others are not shown.</li>\n");
	sink_text(o->s, "</ul></details>\n");
}

static void caption(const struct overview *o)
{
	static const char *const clocks[] = {
	        "Transactions by the time of their end, by the clients' clocks.",
	        "Transactions by their commit timestamps.",
	        "Transactions in the order of the history, which has no times.",
	};
	sink_addf(o->s, "<p class=\"soft\">%s", clocks[o->clock]);
	if (o->untimed) {
		sink_text(o->s, " Without a time, and not shown: ");
		words_count(o->s, o->untimed);
		sink_text(o->s, ".");
	}
	sink_text(o->s, "</p>\n");
}

static void chart(const struct overview *o)
{
	bool nanoseconds = o->clock == RUN_CLIENTS && units_are_nanoseconds(o->h);
	sink_addf(o->s, "<div class=\"chart\" data-length=\"%.0f\" data-unit=\"%s\"",
	          (double)o->last - (double)o->first, nanoseconds ? "ns" : "");
	for (int status = 0; status < STATUSES; status++)
		list_counts(o, status);
	sink_addf(o->s,
	          ">\n<svg width=\"100%%\" height=\"%d\" role=\"group\" aria-label=\"Transactions, "
	          "faults and anomalies over time\">\n",
	          HEIGHT);
	draw_faults(o);
	draw_areas(o);
	draw_axis(o);
	for (uint32_t bar = 0; o->bar_of && bar < o->bars; bar++)
		draw_mark(o, bar);
	sink_text(o->s, "</svg>\n</div>\n");
}

void overview_write(struct sink *s, const alibi_reported *what, const struct faults *faults,
                    size_t linked)
{
	struct overview o = {
	        .s = s, .what = what, .h = view_history(what->history), .linked = linked};
	if (!o.h || !o.h->txn_count)
		return;
	choose_clock(&o);
	count(&o);
	seek_anomalies(&o);
	if (o.clock == RUN_CLIENTS)
		o.faults = *faults;
	sink_text(s, "<section class=\"card run\" aria-labelledby=\"run\">\n<div class=\"copy\">"
	             "<h2 id=\"run\">The run</h2><div class=\"zoom\"></div></div>\n");
	caption(&o);
	chart(&o);
	legend(&o);
	list_events(&o);
	sink_text(s, "</section>\n");
}
