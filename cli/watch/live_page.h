/* live_page: the page of alibi watch --http, made by tools/page.py of live.html. */
#ifndef ALIBI_WATCH_LIVE_PAGE_H
#define ALIBI_WATCH_LIVE_PAGE_H

#include <stddef.h>

extern const unsigned char live_page[];
extern const size_t live_page_length;

#endif
