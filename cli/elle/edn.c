/* edn: see edn.h. */
#include "edn.h"

#include <string.h>

void edn_string(struct text *t, const char *bytes, size_t length)
{
	text_word(t, "\"");
	text_escaped(t, ALIBI_ESCAPE_JSON, bytes, length);
	text_word(t, "\"");
}

void edn_keyword(struct text *t, const char *word, bool json)
{
	text_print(t, json ? "\"%s\"" : ":%s", word);
}

/* Could an EDN reader take it for a keyword again? */
static bool is_keyword(const alibi_value *v)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static const char others[] = "0123456789.*+!-_?$%&=<>/";
	if (v->length < 2 || v->text[0] != ':' || !memchr(letters, v->text[1], sizeof letters - 1))
		return false;
	for (size_t i = 2; i < v->length; i++)
		if (!memchr(letters, v->text[i], sizeof letters - 1) &&
		    !memchr(others, v->text[i], sizeof others - 1))
			return false;
	return true;
}

static void scalar(struct text *t, const alibi_value *v, bool json)
{
	if (v->kind == ALIBI_NULL)
		text_word(t, json ? "null" : "nil");
	else if (v->kind == ALIBI_BOOL)
		text_word(t, v->integer ? "true" : "false");
	else if (v->kind == ALIBI_INT)
		text_integer(t, v->integer);
	else if (v->kind == ALIBI_DECIMAL || (json ? v->kind == ALIBI_ROW : is_keyword(v)))
		text_add(t, v->text, v->length);
	else if (json && is_keyword(v))
		edn_string(t, v->text + 1, v->length - 1);
	else
		edn_string(t, v->text, v->length);
}

void edn_value(struct text *t, const alibi_value *v, bool json)
{
	if (v->kind != ALIBI_LIST) {
		scalar(t, v, json);
		return;
	}
	text_word(t, "[");
	for (size_t i = 0; i < v->length; i++) {
		text_word(t, i ? json ? ", " : " " : "");
		scalar(t, &v->items[i], json);
	}
	text_word(t, "]");
}
