/*
 * anomaly_html: an anomaly as a section of a page: the summary, the figure, the proof, the
 * transactions, annotations of that time, and the reduced history. An anomaly without a name is
 * just its transactions.
 *
 * Everything that the figure shows is also there as text, in headings and lists. A section is
 * never much longer than ANOMALY_HTML_MAX: it says what is left out, and other reports have
 * it.
 */
#ifndef ALIBI_REPORT_ANOMALY_HTML_H
#define ALIBI_REPORT_ANOMALY_HTML_H

#include "report/words.h"

enum { ANOMALY_HTML_MAX = 600 * 1000 };

struct faults;

struct anomaly_html {
	const alibi_anomaly *anomaly;
	const char *level;
	const struct history *annotated; /* the whole history; NULL: not known */
	const struct faults *faults;     /* of it */
	size_t number;                   /* on the page, from 1 */
	const char *heading, *note;      /* NULL: the title of the anomaly; nothing */
};

void anomaly_html_write(struct sink *s, const struct anomaly_html *section);

#endif
