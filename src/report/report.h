/*
 * report: results as text, JSON, JUnit XML, HTML, SVG and DOT. One file per kind.
 *
 * A report is a function of plain data (alibi.h): results, explanations and reduced
 * histories. It depends on neither the checker nor the explainer, and its tests construct the
 * data by hand.
 *
 * A kind is a struct of three functions. Each history is first written to memory, in a pool
 * of its own, and then to the file. So a report of any number of histories needs the
 * memory of one.
 */
#ifndef ALIBI_REPORT_REPORT_H
#define ALIBI_REPORT_REPORT_H

#include "report/words.h"

struct report {
	struct pool *pool;
	struct sink *sink;
	const struct report_kind *kind;
	alibi_report_options options;
	size_t histories; /* so far */
};

struct report_kind {
	const char *name;
	bool many;                    /* takes more than one history */
	void (*open)(struct sink *s); /* may be NULL */
	void (*add)(const struct report *r, struct sink *s, const alibi_reported *what);
	void (*close)(struct sink *s); /* may be NULL */
};

extern const struct report_kind report_text, report_json, report_junit, report_html, report_svg,
        report_dot, report_section;

struct report *report_open(struct pool *pool, enum alibi_report_kind kind, const struct output *to,
                           const alibi_report_options *options);
void report_add(struct report *r, const alibi_reported *what);
void report_close(struct report *r);

#endif
