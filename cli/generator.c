/* generator: see generator.h. */
#include "generator.h"

#include "draw.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ABSENT = 0,     /* as a value: the key is not there */
	LIST_FULL = 32, /* elements */
	REPEATED = 8,   /* values 1 … 8 are drawn again and again */
	TICK_NS = 1000, /* of the clients' clocks */
	NEAR_NS = 400,  /* a client's time lies at most this far from the tick */
	SOURCE_MAX = 1024,
};

enum outcome { COMMITS, ABORTS, LOST, LOST_AFTER_COMMIT };

/* A key of the store. */
struct cell {
	int64_t renamed;  /* its key, or 0: its index + 1 */
	int64_t value;    /* of registers */
	uint64_t changed; /* the tick of the last commit */
	uint32_t length;  /* of lists; the elements are in generator.lists */
};

/* An operation of a running transaction. */
struct step {
	enum alibi_op_kind kind;
	uint32_t cell;
	int64_t key;
	int64_t value;          /* written, appended, or read from a register */
	int64_t replaced;       /* by a write, to undo it */
	uint32_t first, length; /* of a read list, in the session's elements */
};

struct session {
	bool running;
	enum outcome outcome;
	uint64_t begin, snapshot, end; /* ticks; snapshot: the timestamp of its reads */
	uint32_t step_count, element_count;
	struct step *steps;
	int64_t *elements; /* of the lists it read */
};

struct generator {
	struct generator_options o;
	struct draw draw;
	struct skew skew;
	uint64_t clock;
	uint64_t begun, committed; /* transactions */
	int64_t next_value, next_key;
	uint32_t idle; /* sessions */
	const struct anomaly *to_plant;

	size_t list_room, step_room; /* of a list, of a transaction */
	struct cell *cells;
	int64_t *lists; /* NULL: no lists */
	struct session *sessions;
	struct step *steps;
	int64_t *elements;  /* NULL: no lists */
	alibi_value *items; /* room to hand over one list */

	alibi_builder *builder;
	bool failed;
};

/* ---- memory ---- */

struct sizes {
	size_t list_room, step_room;
	size_t cells, lists, sessions, steps, elements, items; /* counts */
};

static struct sizes sizes_for(const struct generator_options *o)
{
	bool lists = o->shape == SHAPE_APPEND;
	struct sizes z = {.list_room = LIST_FULL - 1 + o->ops,
	                  .step_room = o->ops > ANOMALY_OPS_MAX ? o->ops : ANOMALY_OPS_MAX,
	                  .cells = o->keys,
	                  .sessions = o->sessions};
	z.steps = z.sessions * z.step_room;
	z.lists = lists ? z.cells * z.list_room : 0;
	z.elements = lists ? z.steps * z.list_room : 0;
	z.items = z.list_room;
	return z;
}

size_t generator_bytes(const struct generator_options *o)
{
	struct sizes z = sizes_for(o);
	return sizeof(struct generator) + z.cells * sizeof(struct cell) +
	       z.lists * sizeof(int64_t) + z.sessions * sizeof(struct session) +
	       z.steps * sizeof(struct step) + z.elements * sizeof(int64_t) +
	       z.items * sizeof(alibi_value) + skew_bytes((uint32_t)o->keys, o->zipf);
}

struct generator *generator_new(const struct generator_options *o)
{
	struct sizes z = sizes_for(o);
	struct generator *g = calloc(1, sizeof *g);
	if (!g)
		return NULL;
	*g = (struct generator){.o = *o,
	                        .draw = {.state = o->seed},
	                        .next_value = o->repeat > 0 ? REPEATED + 1 : 1,
	                        .next_key = (int64_t)o->keys + 1,
	                        .idle = (uint32_t)o->sessions,
	                        .to_plant = o->anomaly,
	                        .list_room = z.list_room,
	                        .step_room = z.step_room};
	g->cells = calloc(z.cells, sizeof *g->cells);
	g->lists = calloc(z.lists + 1, sizeof *g->lists);
	g->sessions = calloc(z.sessions, sizeof *g->sessions);
	g->steps = calloc(z.steps, sizeof *g->steps);
	g->elements = calloc(z.elements + 1, sizeof *g->elements);
	g->items = calloc(z.items, sizeof *g->items);
	if (!skew_init(&g->skew, (uint32_t)o->keys, o->zipf) || !g->cells || !g->lists ||
	    !g->sessions || !g->steps || !g->elements || !g->items) {
		generator_free(g);
		return NULL;
	}
	for (size_t i = 0; i < z.sessions; i++) {
		g->sessions[i].steps = g->steps + i * z.step_room;
		g->sessions[i].elements =
		        g->elements + (z.elements ? i * z.step_room * z.list_room : 0);
	}
	return g;
}

void generator_free(struct generator *g)
{
	skew_release(&g->skew);
	free(g->cells);
	free(g->lists);
	free(g->sessions);
	free(g->steps);
	free(g->elements);
	free(g->items);
	free(g);
}

/* ---- the history ---- */

static alibi_value integer(int64_t n)
{
	return (alibi_value){.kind = ALIBI_INT, .integer = n};
}

static alibi_value integer_or_null(int64_t n)
{
	return n == ABSENT ? (alibi_value){.kind = ALIBI_NULL} : integer(n);
}

static alibi_value list_of(struct generator *g, const int64_t *elements, uint32_t length)
{
	assert(length <= g->list_room);
	for (uint32_t i = 0; i < length; i++)
		g->items[i] = integer(elements[i]);
	return (alibi_value){.kind = ALIBI_LIST, .items = g->items, .length = length};
}

static void record_step(struct generator *g, const struct session *s, const struct step *step)
{
	bool list = step->kind == ALIBI_READ && g->o.shape == SHAPE_APPEND;
	alibi_op op = {ALIBI_INIT(alibi_op), .kind = step->kind, .key = integer(step->key),
	               .value = list ? list_of(g, s->elements + step->first, step->length)
	                             : integer_or_null(step->value)};
	g->failed |= !alibi_builder_op(g->builder, &op);
}

static int64_t client_time(struct generator *g, uint64_t tick, int direction)
{
	return (int64_t)tick * TICK_NS + direction * (1 + (int64_t)draw_below(&g->draw, NEAR_NS));
}

/* id NULL: none. */
static void record_txn(struct generator *g, struct session *s, enum alibi_status status,
                       const char *id)
{
	alibi_txn txn = {ALIBI_INIT(alibi_txn), .session = integer(s - g->sessions + 1),
	                 .status = status};
	bool known = status != ALIBI_UNKNOWN_STATUS;
	for (uint32_t i = 0; i < s->step_count && !g->failed; i++)
		record_step(g, s, &s->steps[i]);
	if (id)
		txn.id = (alibi_value){.kind = ALIBI_STRING, .text = id, .length = strlen(id)};
	if (g->o.client_times) {
		txn.has |= ALIBI_HAS_BEGIN | (known ? ALIBI_HAS_END : 0);
		txn.begin = client_time(g, s->begin, -1);
		txn.end = client_time(g, s->end, 1);
	}
	if (g->o.timestamps && known) {
		txn.has |= ALIBI_HAS_START_TS | (status == ALIBI_COMMIT ? ALIBI_HAS_COMMIT_TS : 0);
		txn.start_ts.physical = (int64_t)s->snapshot;
		txn.commit_ts.physical = (int64_t)s->end;
	}
	g->failed = g->failed || !alibi_builder_end(g->builder, &txn);
	g->committed += status == ALIBI_COMMIT;
	s->running = false;
	g->idle++;
}

/* ---- the store ---- */

static int64_t *list_at(struct generator *g, uint32_t cell)
{
	return g->lists + cell * g->list_room;
}

static void put(struct generator *g, const struct step *step)
{
	struct cell *c = &g->cells[step->cell];
	if (step->kind == ALIBI_WRITE) {
		c->value = step->value;
	} else if (step->kind == ALIBI_APPEND) {
		assert(c->length < g->list_room);
		list_at(g, step->cell)[c->length++] = step->value;
	}
}

static void read_cell(struct generator *g, struct session *s, struct step *step)
{
	const struct cell *c = &g->cells[step->cell];
	step->value = c->value;
	step->first = s->element_count;
	step->length = c->length;
	if (c->length)
		memcpy(s->elements + step->first, list_at(g, step->cell),
		       c->length * sizeof *s->elements);
	s->element_count += c->length;
}

/* Runs all operations, and undoes their writes. */
static void play(struct generator *g, struct session *s)
{
	s->element_count = 0;
	for (uint32_t i = 0; i < s->step_count; i++) {
		struct step *step = &s->steps[i];
		const struct cell *c = &g->cells[step->cell];
		step->key = c->renamed ? c->renamed : (int64_t)step->cell + 1;
		step->replaced = c->value;
		if (step->kind == ALIBI_READ)
			read_cell(g, s, step);
		else
			put(g, step);
	}
	for (uint32_t i = s->step_count; i-- > 0;) {
		const struct step *step = &s->steps[i];
		if (step->kind == ALIBI_WRITE)
			g->cells[step->cell].value = step->replaced;
		else if (step->kind == ALIBI_APPEND)
			g->cells[step->cell].length--;
	}
}

static bool conflicts(const struct generator *g, const struct session *s)
{
	for (uint32_t i = 0; i < s->step_count; i++)
		if (s->steps[i].kind != ALIBI_READ && g->cells[s->steps[i].cell].changed > s->begin)
			return true;
	return false;
}

static void install(struct generator *g, const struct session *s)
{
	for (uint32_t i = 0; i < s->step_count; i++) {
		put(g, &s->steps[i]);
		if (s->steps[i].kind != ALIBI_READ)
			g->cells[s->steps[i].cell].changed = s->end;
	}
	for (uint32_t i = 0; i < s->step_count; i++) {
		struct cell *c = &g->cells[s->steps[i].cell];
		if (c->length >= LIST_FULL) {
			c->renamed = g->next_key++;
			c->length = 0;
		}
	}
}

/* ---- transactions ---- */

static int64_t drawn_value(struct generator *g)
{
	if (g->o.deletes > 0 && draw_chance(&g->draw, g->o.deletes))
		return ABSENT;
	if (g->o.repeat > 0 && draw_chance(&g->draw, g->o.repeat))
		return 1 + draw_below(&g->draw, REPEATED);
	return g->next_value++;
}

static void add_step(struct generator *g, struct session *s, enum alibi_op_kind kind, uint32_t cell)
{
	assert(s->step_count < g->step_room);
	s->steps[s->step_count++] = (struct step){
	        .kind = kind, .cell = cell, .value = kind == ALIBI_READ ? ABSENT : drawn_value(g)};
}

static void draw_steps(struct generator *g, struct session *s)
{
	enum shape shape = g->o.shape;
	enum alibi_op_kind writing = shape == SHAPE_APPEND ? ALIBI_APPEND : ALIBI_WRITE;
	bool all_read = shape == SHAPE_BLIND && draw_chance(&g->draw, g->o.reads);
	s->step_count = 0;
	while (s->step_count < g->o.ops) {
		uint32_t cell = skew_draw(&g->skew, &g->draw);
		bool reads = shape == SHAPE_BLIND ? all_read : draw_chance(&g->draw, g->o.reads);
		bool last = s->step_count + 1 == g->o.ops;
		if (reads || shape == SHAPE_RMW)
			add_step(g, s, ALIBI_READ, cell);
		if (!reads && !(shape == SHAPE_RMW && last))
			add_step(g, s, writing, cell);
	}
}

static enum outcome drawn_outcome(struct generator *g)
{
	if (g->o.aborts > 0 && draw_chance(&g->draw, g->o.aborts))
		return ABORTS;
	/* of all transactions, not only of those that are left */
	if (g->o.unknowns > 0 && draw_chance(&g->draw, g->o.unknowns / (1 - g->o.aborts)))
		return draw_chance(&g->draw, 0.5) ? LOST : LOST_AFTER_COMMIT;
	return COMMITS;
}

static void set_running(struct generator *g, struct session *s)
{
	assert(!s->running);
	s->running = true;
	s->begin = s->snapshot = ++g->clock;
	g->idle--;
	g->begun++;
}

static void begin(struct generator *g, struct session *s)
{
	set_running(g, s);
	s->outcome = drawn_outcome(g);
	draw_steps(g, s);
	if (g->o.snapshot)
		play(g, s);
}

static void end(struct generator *g, struct session *s)
{
	bool installs = s->outcome == COMMITS || s->outcome == LOST_AFTER_COMMIT;
	enum alibi_status status = s->outcome == COMMITS  ? ALIBI_COMMIT
	                           : s->outcome == ABORTS ? ALIBI_ABORT
	                                                  : ALIBI_UNKNOWN_STATUS;
	if (!g->o.snapshot) {
		s->snapshot = ++g->clock;
		play(g, s);
	} else if (installs && conflicts(g, s)) {
		installs = false;
		status = status == ALIBI_COMMIT ? ALIBI_ABORT : status;
	}
	s->end = ++g->clock;
	if (installs)
		install(g, s);
	record_txn(g, s, status, NULL);
}

/* ---- the anomaly ---- */

/* The anomaly's keys and versions in this history. */
struct planted {
	int64_t keys[ANOMALY_KEYS];
	int64_t values[ANOMALY_KEYS][ANOMALY_VERSIONS];
};

static void plant_steps(struct generator *g, struct session *s, const char *text,
                        const struct planted *p)
{
	bool lists = g->o.shape == SHAPE_APPEND;
	s->step_count = s->element_count = 0;
	for (; *text; text += text[3] ? 4 : 3) {
		int key = text[1] - 'x', version = text[2] - '0';
		struct step *step = &s->steps[s->step_count++];
		*step = (struct step){.kind = text[0] == 'r' ? ALIBI_READ
		                              : lists        ? ALIBI_APPEND
		                                             : ALIBI_WRITE,
		                      .key = p->keys[key],
		                      .value = p->values[key][version],
		                      .first = s->element_count};
		if (step->kind != ALIBI_READ || !lists)
			continue;
		for (int v = 1; v <= version; v++)
			s->elements[s->element_count++] = p->values[key][v];
		step->length = s->element_count - step->first;
	}
}

static struct planted fresh_names(struct generator *g)
{
	struct planted p;
	for (int key = 0; key < ANOMALY_KEYS; key++) {
		p.keys[key] = g->next_key++;
		p.values[key][0] = ABSENT;
		for (int v = 1; v < ANOMALY_VERSIONS; v++)
			p.values[key][v] = g->next_value++;
	}
	return p;
}

static void choose_idle(struct generator *g, struct session **chosen, unsigned count)
{
	uint32_t at = draw_below(&g->draw, (uint32_t)g->o.sessions);
	for (unsigned found = 0; found < count; at = (at + 1) % (uint32_t)g->o.sessions)
		if (!g->sessions[at].running)
			chosen[found++] = &g->sessions[at];
}

static void plant(struct generator *g)
{
	const struct anomaly *a = g->to_plant;
	unsigned session_count = anomaly_sessions(a, g->o.sessions);
	struct session *chosen[ANOMALY_TXNS_MAX];
	struct planted names = fresh_names(g);
	char id[64];
	choose_idle(g, chosen, session_count);
	for (const char *event = a->schedule; *event; event++) {
		bool begins = *event >= 'a';
		int txn = *event - (begins ? 'a' : 'A');
		struct session *s = chosen[(unsigned)txn % session_count];
		if (begins) {
			set_running(g, s);
			plant_steps(g, s, a->txns[txn], &names);
			continue;
		}
		s->end = ++g->clock;
		snprintf(id, sizeof id, "%s-%d", a->name, txn + 1);
		record_txn(g, s, a->first_aborts && !txn ? ALIBI_ABORT : ALIBI_COMMIT, id);
	}
	g->to_plant = NULL;
}

/* ---- the simulation ---- */

static bool may_plant(const struct generator *g)
{
	return g->to_plant && 2 * g->begun + anomaly_txns(g->to_plant) >= g->o.txns &&
	       g->idle >= anomaly_sessions(g->to_plant, g->o.sessions);
}

static void simulate(struct generator *g)
{
	while (!g->failed && (g->begun < g->o.txns || g->idle < g->o.sessions)) {
		if (may_plant(g)) {
			plant(g);
			continue;
		}
		struct session *s = &g->sessions[draw_below(&g->draw, (uint32_t)g->o.sessions)];
		if (s->running)
			end(g, s);
		else if (g->begun + anomaly_txns(g->to_plant) < g->o.txns)
			begin(g, s);
	}
}

static void describe_verdict(const struct generator *g, char *text, size_t size)
{
	const struct anomaly *a = g->o.anomaly;
	if (!g->committed) {
		snprintf(text, size, "nothing committed, so no verdict is known");
	} else if (!a) {
		snprintf(text, size, g->o.snapshot ? "si valid" : "si valid, ser valid");
	} else {
		int n = snprintf(text, size, "si %s, ser violates (%s by",
		                 a->si_holds ? "valid" : "violates", a->name);
		for (size_t i = 1; i <= anomaly_txns(a); i++)
			n += snprintf(text + n, size - (size_t)n, "%s \"%s-%zu\"", i > 1 ? "," : "",
			              a->name, i);
		snprintf(text + n, size - (size_t)n, ")");
	}
}

const alibi_history *generator_run(struct generator *g, alibi *job)
{
	char verdict[256], source[SOURCE_MAX];
	g->builder = alibi_builder_new(job);
	if (!g->builder)
		return NULL;
	simulate(g);
	if (g->failed)
		return NULL;
	describe_verdict(g, verdict, sizeof verdict);
	snprintf(source, sizeof source, "%s: %s", g->o.command_line, verdict);
	if (!alibi_builder_source(g->builder, g->o.snapshot ? "si" : "ser", source) ||
	    (g->o.timestamps &&
	     !alibi_builder_timestamps(g->builder, g->o.snapshot ? "snapshot" : "serial")))
		return NULL;
	return alibi_builder_finish(g->builder);
}
