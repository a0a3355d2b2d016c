/* lattice_page: the page of alibi compare --html, made by tools/page.py of lattice.html. */
#ifndef ALIBI_SYNTH_LATTICE_PAGE_H
#define ALIBI_SYNTH_LATTICE_PAGE_H

#include <stddef.h>

extern const unsigned char lattice_page[];
extern const size_t lattice_page_length;

#endif
