/*
 * svg: a figure (figure.h) as SVG, for a page or for a file of its own.
 *
 * Colours come from figure.css, by the class of each element. Every arrow and annotation is
 * reachable with the keyboard and has its sentence as label.
 */
#ifndef ALIBI_REPORT_SVG_H
#define ALIBI_REPORT_SVG_H

#include "report/figure.h"
#include "report/words.h"

struct drawing {
	const struct figure *figure;
	const struct history *h; /* the reduced one */
	const alibi_edge *edges;
	const struct history *annotated;
	const char *prefix; /* of the ids of elements: unique in the file */
};

/* The content of <svg>. */
void svg_draw(struct sink *s, const struct drawing *d);

/* The text of an annotation, and its time. */
const char *svg_note(struct pool *pool, const struct history *annotated,
                     const struct figure_note *note);

/* The meaning of the time axis. */
const char *svg_clock(const struct figure *f);

#endif
