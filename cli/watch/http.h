/*
 * http: the status of the watch over HTTP: a page, /state, which the page requests each second,
 * /metrics for Prometheus, and /health.
 *
 * A thread of libmicrohttpd answers, from the published status (status.h) only.
 * It is read-only and has no authentication, so it listens on the loopback interface unless another
 * one is named. There it answers only requests for an IP address or localhost, against DNS
 * rebinding.
 */
#ifndef ALIBI_WATCH_HTTP_H
#define ALIBI_WATCH_HTTP_H

#include "notices.h"
#include "status.h"

struct http;

/* PORT or HOST:PORT; returns the error, or NULL. */
const char *http_wrong_address(const char *address);

/* NULL: the error has been reported. */
struct http *http_open(const char *address, struct status *status, const struct notices *notices);
void http_close(struct http *h);

/* What can be asked for. They add the answer to the text. */
void http_metrics(struct status *b, struct text *t); /* Prometheus's text format, 0.0.4 */
void http_state(struct status *b, struct text *t);   /* JSON */
bool http_health(struct status *b, struct text *t);  /* JSON; false: it is not well */

#endif
