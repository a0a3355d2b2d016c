/*
 * overview: a whole run as one chart: how many transactions committed, aborted or have an unknown
 * outcome over time, faults as bands, and anomalies as marks.
 *
 * Problem. A report is about a few transactions. People also want to see the run that they come
 * from: whether it made progress, what the faults did to it, and when anomalies occurred. A
 * history that holds deserves a page to share, too.
 *
 * Idea. Transactions are counted in bins of equal time, by their end. The chart has a few bars,
 * each of OVERVIEW_FINE bins; the script of the page (overview.js) draws the bins when a reader
 * zooms in. Nothing else depends on the number of transactions, so a page of a million is as large
 * as one of ten thousand. Times are the clients' or the database's; without any, transactions are
 * counted in the order of the history.
 *
 * Invariants. All that the chart shows is also text. Positions are percentages, so that the chart
 * fits any width and its letters keep their size.
 *
 * Cost. One pass over the transactions, and one over the annotations.
 */
#ifndef ALIBI_REPORT_OVERVIEW_H
#define ALIBI_REPORT_OVERVIEW_H

#include "report/words.h"

enum { OVERVIEW_FINE = 8 };

struct faults;

/* A section of a page; nothing for a report without transactions. Anomalies are numbered as
 * view_anomaly() does; those from `linked` on are not on the page. */
void overview_write(struct sink *s, const alibi_reported *what, const struct faults *faults,
                    size_t linked);

#endif
