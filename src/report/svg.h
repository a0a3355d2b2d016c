/*
 * svg: a figure (figure.h) drawn as SVG, for a page or for a file of its own.
 *
 * Colours come from figure.css, by the class of each element. Every arrow can be
 * reached with the keyboard and says its sentence; so does every annotation.
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

/* What is inside <svg>. */
void svg_draw(struct sink *s, const struct drawing *d);

/* "A" and the sentence of an annotation. */
const char *svg_note(struct pool *pool, const struct history *annotated,
                     const struct figure_note *note);

/* How time is to be understood in this picture. */
const char *svg_clock(const struct figure *f);

#endif
