/*
 * render: values as JSON text, for messages, reports and writers.
 */
#ifndef ALIBI_HISTORY_RENDER_H
#define ALIBI_HISTORY_RENDER_H

#include "alibi.h"
#include "base/escape.h"
#include "base/vec.h"

struct history;
struct query;

typedef VEC(char) text_vec;

void text_add(struct pool *p, text_vec *t, const char *bytes, size_t length);
void text_addf(struct pool *p, text_vec *t, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
const char *text_string(struct pool *p, text_vec *t); /* with a NUL at the end */
const char *text_format(struct pool *p, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

void text_add_integer(struct pool *p, text_vec *t, int64_t n);
void text_add_escaped(struct pool *p, text_vec *t, enum escape_style style, const char *bytes,
                      size_t length);
void text_add_json_string(struct pool *p, text_vec *t, const char *bytes, size_t length);
/* Anything but a list. */
void text_add_value(struct pool *p, text_vec *t, alibi_value v);
/* [a,b,c], or, of more than `most` items, the last ones: […7 more,b,c] */
typedef alibi_value list_item(const void *data, size_t i);
void text_add_list_end(struct pool *p, text_vec *t, list_item *item, const void *data, size_t count,
                       size_t most);
/* Values of a history, lists too; at most max_items of a list, then "…". */
void text_add_atom(struct pool *p, text_vec *t, const struct history *h, uint32_t value,
                   size_t max_items);

/* For sentences: a string that reads as one word stands without quotes. */
void text_add_name(struct pool *p, text_vec *t, alibi_value v);
/* A key; "key 7" for the number 7. */
void text_add_key(struct pool *p, text_vec *t, const struct history *h, uint32_t key);
/* What LIKE matches, given the prefix: ab% */
void text_add_pattern(struct pool *p, text_vec *t, alibi_value prefix);
/* What a query asks for: accounts where v = 1 and w between 2 and 5. */
void text_add_query(struct pool *p, text_vec *t, const struct history *h, const struct query *q);
/* A transaction's id; T7 for the number 7. */
void text_add_txn(struct pool *p, text_vec *t, const struct history *h, uint32_t txn);

const char *render_value(struct pool *p, alibi_value v);
const char *render_atom(struct pool *p, const struct history *h, uint32_t value, size_t max_items);

#endif
