/* report: see report.h. */
#include "report/report.h"

#include "base/guard.h"

#include <assert.h>

static const struct report_kind *const kinds[] = {
        [ALIBI_REPORT_TEXT] = &report_text,       [ALIBI_REPORT_JSON] = &report_json,
        [ALIBI_REPORT_JUNIT] = &report_junit,     [ALIBI_REPORT_HTML] = &report_html,
        [ALIBI_REPORT_SVG] = &report_svg,         [ALIBI_REPORT_DOT] = &report_dot,
        [ALIBI_REPORT_SECTION] = &report_section,
};

struct report *report_open(struct pool *pool, enum alibi_report_kind kind, const struct output *to,
                           const alibi_report_options *options)
{
	assert((size_t)kind < sizeof kinds / sizeof *kinds);
	struct report *r = pool_zalloc(pool, sizeof *r);
	r->pool = pool;
	r->kind = kinds[kind];
	r->options = *options;
	r->sink = sink_open(pool, to, NULL);
	if (r->kind->open)
		r->kind->open(r->sink);
	return r;
}

void report_add(struct report *r, const alibi_reported *what)
{
	if (r->histories && !r->kind->many)
		guard_fail(pool_guard(r->pool), ALIBI_USAGE, NULL,
		           "a report as %s is of one history; this is the second", r->kind->name);
	struct pool *scratch = pool_child(r->pool);
	struct sink *memory = sink_in_memory(scratch);
	r->kind->add(r, memory, what);
	sink_add(r->sink, memory->buffer.items, memory->buffer.count);
	pool_release(scratch);
	r->histories++;
}

void report_close(struct report *r)
{
	if (r->kind->close)
		r->kind->close(r->sink);
	sink_close(r->sink, r->pool, NULL);
}
