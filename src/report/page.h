/*
 * page: the constant parts of every page. Made by tools/page.py from page.html, page.css,
 * figure.css, page.js and overview.js, which open in a browser as they are. The content security
 * policy allows only the page's own style and script, by their hashes.
 */
#ifndef ALIBI_REPORT_PAGE_H
#define ALIBI_REPORT_PAGE_H

#include <stddef.h>

/* The page is these parts, each followed by the content of its slot. */
struct page_part {
	const unsigned char *text;
	size_t length;
	const char *slot; /* NULL: the last part */
};

extern const struct page_part page_parts[];

extern const unsigned char figure_style[]; /* figure.css */
extern const size_t figure_style_length;

#endif
