/* definition: see definition.h. */
#include "synth/definition.h"

#include "base/guard.h"
#include "format/source.h"
#include "history/render.h"
#include "level/level.h"

#include <ctype.h>
#include <string.h>

enum { NEST_MAX = 64, TOKEN_MAX = 64 };

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_TEXT, TOKEN_SIGN };

struct parser {
	struct pool *pool;
	struct guard *guard;
	struct place place; /* of the token */
	struct place named; /* of the last name */
	const char *at, *end, *line_start;
	enum token_kind kind;
	char token[TOKEN_MAX]; /* a name, a sign, or the start of a text */
	const char *text;      /* of TOKEN_TEXT */
	size_t text_length;
	struct definition *d;
	const char *slots[SLOTS_MAX]; /* the names of bound variables */
	uint8_t bound;
	unsigned nested;
};

static const char *const keywords[] = {"level", "title", "over", "same", "as", "let", "axiom",
                                       "all",   "some",  "not",  "and",  "or", "true"};

/* ---- tokens ---- */

#define fail(p, ...) guard_fail((p)->guard, ALIBI_INPUT, &(p)->place, __VA_ARGS__)
#define fail_name(p, ...) guard_fail((p)->guard, ALIBI_INPUT, &(p)->named, __VA_ARGS__)

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void skip_space(struct parser *p)
{
	for (; p->at < p->end; p->at++) {
		if (*p->at == '#')
			while (p->at + 1 < p->end && p->at[1] != '\n')
				p->at++;
		else if (*p->at == '\n') {
			p->place.line++;
			p->line_start = p->at + 1;
		} else if (!isspace((unsigned char)*p->at)) {
			break;
		}
	}
	p->place.column = (uint64_t)(p->at - p->line_start) + 1;
}

static void take_text(struct parser *p)
{
	const char *start = ++p->at;
	while (p->at < p->end && *p->at != '"' && *p->at != '\n')
		p->at++;
	if (p->at == p->end || *p->at != '"')
		fail(p, "the text that begins here has no closing \" in its line");
	p->kind = TOKEN_TEXT;
	p->text = start;
	p->text_length = (size_t)(p->at++ - start);
}

static size_t name_length(const struct parser *p)
{
	size_t n = 0, left = (size_t)(p->end - p->at);
	while (n < left && (is_name(p->at[n]) ||
	                    (n && p->at[n] == '-' && n + 1 < left && is_name(p->at[n + 1]))))
		n++;
	return n;
}

static size_t sign_length(const struct parser *p)
{
	static const char *const signs[] = {"=>", "!=", "(", ")", ",", ":",
	                                    "=",  "|",  "&", ";", "+", "*"};
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
		size_t n = strlen(signs[i]);
		if ((size_t)(p->end - p->at) >= n && !memcmp(p->at, signs[i], n))
			return n;
	}
	return 0;
}

static void next(struct parser *p)
{
	guard_tick(p->guard);
	skip_space(p);
	p->token[0] = 0;
	p->kind = TOKEN_END;
	if (p->at == p->end)
		return;
	if (*p->at == '"') {
		take_text(p);
		return;
	}
	size_t n = name_length(p);
	p->kind = n ? TOKEN_NAME : TOKEN_SIGN;
	if (!n && !(n = sign_length(p)))
		fail(p, "this is not part of the language; see the grammar in docs/synth.md");
	if (n >= TOKEN_MAX)
		fail(p, "this name is longer than %d letters", TOKEN_MAX - 1);
	memcpy(p->token, p->at, n);
	p->token[n] = 0;
	p->at += n;
}

static bool is(const struct parser *p, const char *token)
{
	return (p->kind == TOKEN_NAME || p->kind == TOKEN_SIGN) && !strcmp(p->token, token);
}

static const char *found(const struct parser *p)
{
	return p->kind == TOKEN_END ? "the end" : p->kind == TOKEN_TEXT ? "a text" : p->token;
}

static bool take(struct parser *p, const char *token)
{
	if (!is(p, token))
		return false;
	next(p);
	return true;
}

static void expect(struct parser *p, const char *token)
{
	if (!take(p, token))
		fail(p, "expected %s, found %s", token, found(p));
}

static bool is_keyword(const char *word)
{
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
		if (!strcmp(word, keywords[i]))
			return true;
	return false;
}

static const char *expect_name(struct parser *p, const char *what)
{
	if (p->kind != TOKEN_NAME || is_keyword(p->token))
		fail(p, "expected %s, found %s", what, found(p));
	const char *name = pool_text(p->pool, p->token, strlen(p->token));
	p->named = p->place;
	next(p);
	return name;
}

/* ---- variables ---- */

/* Keys are called x, y and z, as in papers, so variables need no declarations. */
static bool names_key(const char *name)
{
	return name[0] >= 'x' && name[0] <= 'z';
}

static void bind(struct parser *p, const char *name)
{
	for (uint8_t i = 0; i < p->bound; i++)
		if (!strcmp(p->slots[i], name))
			fail_name(p, "%s is already bound; use another name", name);
	if (p->bound == SLOTS_MAX)
		fail_name(p, "more than %d variables at once", SLOTS_MAX);
	p->slots[p->bound++] = name;
}

static uint8_t slot_named(struct parser *p, const char *name)
{
	for (uint8_t i = 0; i < p->bound; i++)
		if (!strcmp(p->slots[i], name))
			return i;
	fail_name(p, "%s is not bound; introduce it with 'all %s:' or 'some %s:'", name, name,
	          name);
}

static uint8_t variable(struct parser *p, bool key, const char *of)
{
	const char *name = expect_name(p, key ? "a key" : "a transaction");
	if (names_key(name) == key)
		return slot_named(p, name);
	fail_name(p, "%s takes a %s here, but %s is a %s: names of keys begin with x, y or z", of,
	          key ? "key" : "transaction", name, key ? "transaction" : "key");
}

/* ---- formulas ---- */

static const struct node *formula(struct parser *p);

static const struct node *node(struct parser *p, struct node n)
{
	struct node *made = pool_alloc(p->pool, sizeof *made);
	*made = n;
	return made;
}

static const struct node *negated(struct parser *p, const struct node *n)
{
	return node(p, (struct node){.kind = NODE_NOT, .left = n});
}

/* Does n being true (or false, if !holds) imply that some transaction reads or writes the key
 * in the slot? */
static bool touches(const struct node *n, uint8_t slot, bool holds)
{
	switch (n->kind) {
	case NODE_NOT:
		return touches(n->left, slot, !holds);
	case NODE_AND:
	case NODE_OR: {
		bool a = touches(n->left, slot, holds), b = touches(n->right, slot, holds);
		return (n->kind == NODE_AND) == holds ? a || b : a && b;
	}
	case NODE_ALL:
	case NODE_SOME:
		return (n->kind == NODE_SOME) == holds && touches(n->left, slot, holds);
	case NODE_WRITES:
	case NODE_READS:
		return holds && n->slot[1] == slot;
	case NODE_WR:
		return holds && n->slot[2] == slot;
	case NODE_BEFORE:
		return holds && (n->slot[1] == slot || n->slot[2] == slot);
	default:
		return false;
	}
}

static const struct node *quantified(struct parser *p, enum node_kind kind, uint8_t first)
{
	uint8_t slot = p->bound;
	const char *name = expect_name(p, "the name of a transaction or a key");
	bind(p, name);
	const struct node *body;
	if (take(p, ",")) {
		body = quantified(p, kind, first);
	} else {
		expect(p, ":");
		body = formula(p);
		p->bound = first;
	}
	return node(p, (struct node){.kind = kind,
	                             .slot = {slot},
	                             .left = body,
	                             .of_key = names_key(name),
	                             .narrow = touches(body, slot, kind == NODE_SOME)});
}

static bool is_relation(const struct parser *p, const char *name, uint32_t *which)
{
	for (uint32_t i = 0; i < p->d->relations.count; i++)
		if (p->d->relations.items[i].name && !strcmp(p->d->relations.items[i].name, name)) {
			*which = i;
			return true;
		}
	return false;
}

_Noreturn static void no_relation(struct parser *p, const char *name)
{
	text_vec t = {0};
	for (size_t i = 0; i < p->d->relations.count; i++)
		if (p->d->relations.items[i].name)
			text_addf(p->pool, &t, ", %s", p->d->relations.items[i].name);
	fail_name(p, "there is no %s; there are writes, reads, before%s", name,
	          text_string(p->pool, &t));
}

/* Predicates besides relations, and the sorts of their arguments: (t)ransaction or (k)ey. */
static const struct predicate {
	const char *name, *sorts;
	enum node_kind kind;
} predicates[] = {
        {"writes", "tk", NODE_WRITES}, {"reads", "tk", NODE_READS}, {"before", "tkk", NODE_BEFORE}};

static const struct predicate *predicate_named(const char *name)
{
	for (size_t i = 0; i < sizeof predicates / sizeof *predicates; i++)
		if (!strcmp(predicates[i].name, name))
			return &predicates[i];
	return NULL;
}

/* name(…); the name was taken already. wr takes a key as an optional third argument. */
static const struct node *applied(struct parser *p, const char *name)
{
	const struct predicate *known = predicate_named(name);
	struct node n = {.kind = known ? known->kind : NODE_RELATION};
	const char *sorts = known ? known->sorts : "tt";
	if (!known && !is_relation(p, name, &n.relation))
		no_relation(p, name);
	p->d->ordered_reads |= n.kind == NODE_BEFORE;
	for (size_t i = 0; sorts[i]; i++) {
		expect(p, i ? "," : "(");
		n.slot[i] = variable(p, sorts[i] == 'k', name);
	}
	if (!known && p->d->relations.items[n.relation].kind == RELATION_WR && take(p, ",")) {
		n.kind = NODE_WR;
		n.slot[2] = variable(p, true, name);
	}
	expect(p, ")");
	return node(p, n);
}

/* name(…), or two variables compared */
static const struct node *atom(struct parser *p)
{
	const char *name = expect_name(p, "a formula");
	bool equal = is(p, "=");
	if (!equal && !is(p, "!="))
		return applied(p, name);
	struct node n = {.kind = NODE_SAME, .of_key = names_key(name)};
	n.slot[0] = slot_named(p, name);
	next(p);
	n.slot[1] = variable(p, n.of_key, equal ? "=" : "!=");
	return equal ? node(p, n) : negated(p, node(p, n));
}

static const struct node *unary(struct parser *p)
{
	const struct node *n;
	if (++p->nested > NEST_MAX)
		fail(p, "more than %d levels of parentheses", NEST_MAX);
	if (take(p, "not")) {
		n = negated(p, unary(p));
	} else if (take(p, "(")) {
		n = formula(p);
		expect(p, ")");
	} else if (take(p, "true")) {
		n = node(p, (struct node){.kind = NODE_TRUE});
	} else if (is(p, "all") || is(p, "some")) {
		enum node_kind kind = is(p, "all") ? NODE_ALL : NODE_SOME;
		next(p);
		n = quantified(p, kind, p->bound);
	} else {
		n = atom(p);
	}
	p->nested--;
	return n;
}

/* A disjunction of conjunctions, or one of these. */
static const struct node *chain(struct parser *p, enum node_kind kind)
{
	bool any = kind == NODE_OR;
	const struct node *n = any ? chain(p, NODE_AND) : unary(p);
	while (take(p, any ? "or" : "and")) {
		const struct node *next = any ? chain(p, NODE_AND) : unary(p);
		n = node(p, (struct node){.kind = kind, .left = n, .right = next});
	}
	return n;
}

static const struct node *formula(struct parser *p)
{
	const struct node *n = chain(p, NODE_OR);
	if (++p->nested > NEST_MAX)
		fail(p, "more than %d arrows in one formula", NEST_MAX);
	if (take(p, "=>"))
		n = node(p, (struct node){
		                    .kind = NODE_OR, .left = negated(p, n), .right = formula(p)});
	p->nested--;
	return n;
}

/* ---- relations ---- */

static uint32_t add_relation(struct parser *p, struct relation r)
{
	vec_push(p->pool, &p->d->relations, r);
	return (uint32_t)p->d->relations.count - 1;
}

static uint32_t relation(struct parser *p, size_t strength);

/* A name or a relation in parentheses, and its closures. */
static uint32_t closure(struct parser *p)
{
	uint32_t a;
	if (++p->nested > NEST_MAX)
		fail(p, "more than %d levels of parentheses", NEST_MAX);
	if (take(p, "(")) {
		a = relation(p, 0);
		expect(p, ")");
	} else {
		const char *name = expect_name(p, "the name of a relation");
		if (!is_relation(p, name, &a))
			no_relation(p, name);
	}
	while (is(p, "+") || is(p, "*")) {
		enum relation_kind kind = is(p, "+") ? RELATION_PLUS : RELATION_STAR;
		a = add_relation(p, (struct relation){.kind = kind, .a = a});
		next(p);
	}
	p->nested--;
	return a;
}

/* Binary operators; those of a larger strength bind more tightly. */
static uint32_t relation(struct parser *p, size_t strength)
{
	static const struct {
		const char *sign;
		enum relation_kind kind;
	} operators[] = {
	        {"|", RELATION_UNION}, {";", RELATION_COMPOSITION}, {"&", RELATION_INTERSECTION}};
	if (strength == sizeof operators / sizeof *operators)
		return closure(p);
	uint32_t a = relation(p, strength + 1);
	while (take(p, operators[strength].sign)) {
		uint32_t b = relation(p, strength + 1);
		a = add_relation(
		        p, (struct relation){.kind = operators[strength].kind, .a = a, .b = b});
	}
	return a;
}

/* ---- statements ---- */

static void let(struct parser *p)
{
	const char *name = expect_name(p, "a name for the relation");
	uint32_t which;
	if (is_relation(p, name, &which) || predicate_named(name))
		fail_name(p, "%s is already defined; use another name", name);
	struct relation r = {.kind = RELATION_FORMULA};
	if (take(p, "(")) {
		for (int i = 0; i < 2; i++) {
			const char *parameter = expect_name(p, "a transaction");
			if (names_key(parameter))
				fail_name(p,
				          "a relation is between two transactions, but %s is a key",
				          parameter);
			bind(p, parameter);
			expect(p, i ? ")" : ",");
		}
		expect(p, "=");
		r.body = formula(p);
		p->bound = 0;
	} else {
		expect(p, "=");
		r.kind = RELATION_UNION; /* with itself: another name */
		r.a = r.b = relation(p, 0);
	}
	r.name = name;
	add_relation(p, r);
}

static void axiom(struct parser *p)
{
	struct axiom a = {.name = expect_name(p, "a name for the axiom")};
	expect(p, ":");
	a.formula = formula(p);
	vec_push(p->pool, &p->d->axioms, a);
}

/* level NAME title "TEXT" over co|vis, ar same as LEVEL */
static void heading(struct parser *p)
{
	struct definition *d = p->d;
	expect(p, "level");
	d->name = expect_name(p, "a name for the level");
	if (take(p, "title")) {
		if (p->kind != TOKEN_TEXT)
			fail(p, "expected the title in quotes, found %s", found(p));
		d->title = pool_text(p->pool, p->text, p->text_length);
		next(p);
	}
	expect(p, "over");
	if (take(p, "vis")) {
		expect(p, ",");
		expect(p, "ar");
		d->has_vis = true;
	} else if (!take(p, "co")) {
		fail(p, "expected 'co' or 'vis, ar', found %s", found(p));
	}
	if (take(p, "same")) {
		expect(p, "as");
		d->same_as = expect_name(p, "the name of a level");
		const struct level *level = level_named(d->same_as);
		if (!level || level->rules.realtime)
			fail_name(p,
			          "%s is not a level that definitions can be compared with; "
			          "these are %s",
			          d->same_as, level_names(p->pool, false));
	}
}

static void statements(struct parser *p)
{
	add_relation(p, (struct relation){.name = "so", .kind = RELATION_SO});
	add_relation(p, (struct relation){.name = "wr", .kind = RELATION_WR});
	add_relation(
	        p, (struct relation){.name = p->d->has_vis ? "ar" : "co", .kind = RELATION_ORDER});
	if (p->d->has_vis)
		add_relation(p, (struct relation){.name = "vis", .kind = RELATION_VIS});
	while (p->kind != TOKEN_END)
		if (take(p, "let"))
			let(p);
		else if (take(p, "axiom"))
			axiom(p);
		else
			fail(p, "expected 'let', 'axiom' or the end, found %s", found(p));
}

const struct definition *definition_parse(struct pool *pool, const char *file, const char *text,
                                          size_t length)
{
	struct parser p = {.pool = pool,
	                   .guard = pool_guard(pool),
	                   .place = {file, 1, 1},
	                   .at = text,
	                   .end = text + length,
	                   .line_start = text,
	                   .d = pool_zalloc(pool, sizeof(struct definition))};
	next(&p);
	heading(&p);
	statements(&p);
	return p.d;
}

static const struct definition *from_file(struct pool *pool, const char *path)
{
	struct source *s = source_open(pool, path);
	struct text t = source_whole(s);
	const struct definition *d = definition_parse(pool, path, t.bytes, t.length);
	source_close(s);
	return d;
}

bool definition_is_file(const char *name)
{
	static const char suffix[] = ".level";
	size_t length = strlen(name), end = sizeof suffix - 1;
	return strchr(name, '/') || (length > end && !strcmp(name + length - end, suffix));
}

const struct definition *definition_find(struct pool *pool, const char *name)
{
	if (definition_is_file(name))
		return from_file(pool, name);
	text_vec t = {0};
	for (size_t i = 0; i < library_level_count; i++) {
		const struct library_level *l = &library_levels[i];
		if (!strcmp(l->name, name))
			return definition_parse(pool, name, l->text, strlen(l->text));
		text_addf(pool, &t, "%s%s", i ? ", " : "", l->name);
	}
	guard_fail(pool_guard(pool), ALIBI_USAGE, NULL,
	           "there is no definition of a level '%s'; there are %s, and files that end in "
	           ".level",
	           name, text_string(pool, &t));
}
