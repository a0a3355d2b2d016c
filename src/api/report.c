/* report: alibi_report_*() of alibi.h. */
#include "report/report.h"
#include "api/job.h"

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
