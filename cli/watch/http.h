/*
 * http: a port at which others see how the watch is: a page for people, /state, which the
 * page asks for each second, /metrics for Prometheus, and /health.
 *
 * A thread of libmicrohttpd answers, from what is on the board (board.h) and nothing else.
 * There is nothing to be changed here and nothing to be logged in to, so it listens on the
 * loopback interface unless it is told another one. There it answers only who asks for it
 * by number or as localhost: else a page from elsewhere, whose name somebody makes point
 * here, could read along.
 */
#ifndef ALIBI_WATCH_HTTP_H
#define ALIBI_WATCH_HTTP_H

#include "board.h"
#include "notes.h"

struct http;

/* PORT or HOST:PORT? NULL, or what is wrong with it. */
const char *http_wrong_address(const char *address);

/* NULL: the error has been reported. */
struct http *http_open(const char *address, struct board *board, const struct notes *notes);
void http_close(struct http *h);

/* What can be asked for. They add the answer to the text. */
void http_metrics(struct board *b, struct text *t); /* Prometheus's text format, 0.0.4 */
void http_state(struct board *b, struct text *t);   /* JSON */
bool http_health(struct board *b, struct text *t);  /* JSON; false: it is not well */

#endif
