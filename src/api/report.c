/* report: alibi_report_*() of alibi.h. */
#include "report/report.h"
#include "api/job.h"
#include "api/sized.h"
#include "report/view.h"

struct alibi_report {
	alibi *job;
	struct report *r; /* NULL: it failed, or was closed */
};

static alibi_report *start(alibi *a, enum alibi_report_kind kind, const struct output *to,
                           const alibi_report_options *options)
{
	alibi_report *volatile made = NULL;
	if (guard_enter(&a->guard)) {
		alibi_report_options o;
		alibi_report *r = pool_zalloc(a->pool, sizeof *r);
		SIZED_READ(&a->guard, alibi_report_options, &o, options);
		r->job = a;
		r->r = report_open(pool_child(a->pool), kind, to, &o);
		made = r;
	}
	guard_leave(&a->guard);
	return made;
}

alibi_report *alibi_report_open(alibi *a, enum alibi_report_kind kind, const char *path,
                                const alibi_report_options *options)
{
	assert(path);
	return start(a, kind, &(struct output){.path = path}, options);
}

alibi_report *alibi_report_to(alibi *a, enum alibi_report_kind kind, alibi_write_fn *write,
                              void *data, const alibi_report_options *options)
{
	return start(a, kind, &(struct output){.write = write, .data = data}, options);
}

/* The caller's findings are an array of structs as large as the caller knows them. */
static void add(struct guard *g, struct report *r, const alibi_reported *given)
{
	alibi_reported what;
	struct pool *pool = pool_child(r->pool);
	SIZED_READ(g, alibi_reported, &what, given);
	alibi_finding *findings = pool_zarray(pool, what.finding_count + 1, sizeof *findings);
	alibi_error *errors = pool_zarray(pool, what.finding_count + 1, sizeof *errors);
	for (size_t i = 0; i < what.finding_count; i++) {
		const char *all = (const char *)what.findings;
		SIZED_READ(g, alibi_finding, &findings[i], all + i * what.findings->size);
		if (!findings[i].error)
			continue;
		SIZED_READ(g, alibi_error, &errors[i], findings[i].error);
		findings[i].error = &errors[i];
	}
	what.findings = findings;
	report_add(r, &what);
	pool_release(pool);
}

/* Adds what is given, or closes the report if that is NULL. A report that failed is closed. */
static bool add_or_close(alibi_report *report, const alibi_reported *given)
{
	struct report *r = report->r;
	assert(r);
	report->r = NULL;
	if (guard_enter(&report->job->guard)) {
		if (given)
			add(&report->job->guard, r, given);
		else
			report_close(r);
		report->r = given ? r : NULL;
	}
	bool ok = guard_leave(&report->job->guard);
	if (!report->r)
		pool_release(r->pool);
	return ok;
}

bool alibi_report_add(alibi_report *r, const alibi_reported *reported)
{
	assert(reported);
	return add_or_close(r, reported);
}

bool alibi_report_close(alibi_report *r)
{
	return add_or_close(r, NULL);
}

const char *alibi_kind_title(const char *kind)
{
	return view_rule(kind);
}
