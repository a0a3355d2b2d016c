/*
 * report_section: an anomaly as part of a page of the caller's own, which has the style and the
 * script of a page. A history without anomalies is drawn as it is.
 */
#include "report/anomaly_html.h"
#include "report/report.h"
#include "report/view.h"

static void add(const struct report *r, struct sink *s, const alibi_reported *what)
{
	const char *level = what->finding_count ? what->findings[0].level : NULL;
	const alibi_anomaly *a = view_anomaly(what, 0, &level);
	const struct history *h = view_history(what->history);
	alibi_anomaly alone = {.reduced = what->history, .txn_count = h ? h->txn_count : 0};
	if (!a && !h)
		return;
	anomaly_html_write(
	        s, &(struct anomaly_html){.anomaly = a ? a : &alone,
	                                  .level = level,
	                                  .annotated = h,
	                                  .number = r->options.number ? r->options.number : 1,
	                                  .heading = what->name,
	                                  .note = r->options.note});
}

const struct report_kind report_section = {.name = "a section", .add = add};
