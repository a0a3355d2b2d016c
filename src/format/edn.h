/*
 * edn: a cursor over EDN text, the notation of Clojure and Jepsen.
 *
 * The cursor is that of json.h, with its messages and its requirement on what follows the text;
 * only the grammar differs. No tree is built.
 *
 * Commas are white space. Comments, #_ discarded forms and ^metadata are skipped wherever a form
 * may stand. Forms that histories do not use (sets, tagged literals, characters, ratios, symbols)
 * are accepted where any form is, and rendered as JSON: lists, vectors and sets as lists, keywords
 * (with their colon) and symbols as strings, numbers that JSON does not have as strings, #tag form
 * as {"#tag": form}.
 */
#ifndef ALIBI_FORMAT_EDN_H
#define ALIBI_FORMAT_EDN_H

#include "format/json.h"

/* Two less than JSON's: a rendered form is put into an object. */
enum { EDN_DEPTH_MAX = JSON_DEPTH_MAX - 2 };

/* The first byte of the next form, or a closing bracket; 0 at the end. */
char edn_peek(struct json *e);

/* char closing; if (edn_open(e, &closing)) while (edn_next(e, closing)) one form */
bool edn_open(struct json *e, char *closing); /* of a vector or list */
bool edn_next(struct json *e, char closing);

/* Valid until the next string is read. what: for the message. */
struct text edn_keyword(struct json *e, const char *what); /* without its colon */
int64_t edn_integer(struct json *e, const char *what);
bool edn_at_number(struct json *e);
bool edn_take_nil(struct json *e);
/* Skips the tag before a form, if there is one. */
void edn_skip_tag(struct json *e);

/* Checks and skips any form; returns its text. */
struct text edn_skip(struct json *e);
/* The same, and added to out as JSON. */
void edn_render(struct json *e, text_vec *out);

/* ---- values of histories ---- */

/* A string, keyword, number, boolean or vector. Keywords keep their colon, vectors become their
 * JSON; ratios, ##NaN and tagged strings (#inst "2020-01-01") their text: all of them are strings
 * in the history. */
uint32_t edn_atom(struct json *e, struct atoms *atoms, const char *what);

/* Can this string be written as a keyword? */
bool edn_is_keyword(struct text t);

#endif
