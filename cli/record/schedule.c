/* schedule: see schedule.h. */
#include "schedule.h"

#include "output.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
	STEPS_MAX = 1024,
	TXNS_MAX = 64,
	KEYS_MAX = 64,
	NAME_MAX_BYTES = 32,
	WORDS_MAX = 5,
	PATIENCE_NS = 500 * 1000 * 1000, /* a step that takes longer waits for a lock */
	LOOK_NS = 10 * 1000 * 1000,
	GIVE_UP_SECONDS = 60, /* no progress: a session is gone, so stop waiting for it */
};

enum step_kind { STEP_BEGIN, STEP_READ, STEP_WRITE, STEP_COMMIT };

struct step {
	enum step_kind kind;
	size_t txn, key;
	int64_t value;       /* null is 0 */
	uint64_t started_ns; /* 0: not yet */
	bool done;
};

struct played {
	char name[NAME_MAX_BYTES];
	uint64_t slot, turn;
	enum outcome outcome;
	struct text problem; /* how it differs from the schedule; empty: it does not */
};

struct schedule {
	struct step steps[STEPS_MAX];
	struct played txns[TXNS_MAX];
	char keys[KEYS_MAX][NAME_MAX_BYTES], sessions[TXNS_MAX][NAME_MAX_BYTES];
	size_t step_count, txn_count, key_count, session_count;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t changed_ns; /* when it last did; 0: not yet */
};

/* ---- reading ---- */

/* The number of a name, which is added if it is new; `max`: there are too many. */
static size_t numbered(char (*names)[NAME_MAX_BYTES], size_t *count, size_t max, const char *name)
{
	size_t i = 0;
	while (i < *count && strcmp(names[i], name) != 0)
		i++;
	if (i == *count && i < max && strlen(name) < NAME_MAX_BYTES)
		snprintf(names[(*count)++], NAME_MAX_BYTES, "%s", name);
	return i < *count ? i : max;
}

static bool is_value(const char *word, int64_t *value)
{
	char *end;
	*value = 0;
	if (!strcmp(word, "null"))
		return true;
	errno = 0;
	*value = strtoll(word, &end, 10);
	return !errno && !*end && *value > 0;
}

static size_t txn_named(struct schedule *p, const char *session, const char *name)
{
	size_t slot = numbered(p->sessions, &p->session_count, TXNS_MAX, session);
	size_t i = 0;
	while (i < p->txn_count && strcmp(p->txns[i].name, name) != 0)
		i++;
	if (slot == TXNS_MAX || i == TXNS_MAX || strlen(name) >= NAME_MAX_BYTES)
		return TXNS_MAX;
	if (i == p->txn_count) {
		struct played *t = &p->txns[p->txn_count++];
		snprintf(t->name, sizeof t->name, "%s", name);
		t->slot = slot;
		t->turn = schedule_turns(p, slot) - 1;
		t->outcome = NOT_BEGUN;
	}
	return p->txns[i].slot == slot ? i : TXNS_MAX;
}

/* The error in the line, or NULL. */
static const char *add_step(struct schedule *p, char **words, size_t count)
{
	static const char *const kinds[] = {"begin", "read", "write", "commit"};
	struct step step = {0};
	if (count < 3)
		return "expected a session, a transaction and a step";
	while (step.kind < 4 && strcmp(words[2], kinds[step.kind]) != 0)
		step.kind++;
	bool has_key = step.kind == STEP_READ || step.kind == STEP_WRITE;
	if (step.kind > STEP_COMMIT)
		return "expected begin, read, write or commit";
	if (count != (has_key ? 5 : 3))
		return has_key ? "expected a key and a value" : "expected nothing more";
	if (p->step_count == STEPS_MAX)
		return "there are too many steps";
	step.txn = txn_named(p, words[0], words[1]);
	if (step.txn == TXNS_MAX)
		return "there are too many transactions, or this one is of another session";
	if (has_key) {
		step.key = numbered(p->keys, &p->key_count, KEYS_MAX, words[3]);
		if (step.key == KEYS_MAX)
			return "there are too many keys, or this one's name is too long";
		if (!is_value(words[4], &step.value) || (step.kind == STEP_WRITE && !step.value))
			return "expected a positive integer, or null for the initial value";
	}
	p->steps[p->step_count++] = step;
	return NULL;
}

static bool read_lines(struct schedule *p, FILE *in, const char *path)
{
	char line[512];
	for (unsigned number = 1; fgets(line, sizeof line, in); number++) {
		char *words[WORDS_MAX + 1] = {0}, *rest = line;
		size_t count = 0;
		line[strcspn(line, "#\n")] = 0;
		while (count <= WORDS_MAX && *(rest += strspn(rest, " \t\r"))) {
			words[count++] = rest;
			rest += strcspn(rest, " \t\r");
			if (*rest)
				*rest++ = 0;
		}
		const char *wrong = count ? add_step(p, words, count) : NULL;
		if (wrong) {
			print_error("record", "%s:%u: %s", path, number, wrong);
			return false;
		}
	}
	return true;
}

/* Every transaction begins first and commits last. */
static bool is_whole(const struct schedule *p, const char *path)
{
	for (size_t t = 0; t < p->txn_count; t++) {
		const struct step *first = NULL, *last = NULL;
		size_t ends = 0;
		for (size_t i = 0; i < p->step_count; i++) {
			const struct step *s = &p->steps[i];
			if (s->txn != t)
				continue;
			first = first ? first : s;
			last = s;
			ends += s->kind == STEP_BEGIN || s->kind == STEP_COMMIT;
		}
		if (!first || first->kind != STEP_BEGIN || last->kind != STEP_COMMIT || ends != 2) {
			print_error("record",
			            "%s: %s must begin once, first, and commit once, "
			            "last",
			            path, p->txns[t].name);
			return false;
		}
	}
	if (!p->txn_count)
		print_error("record", "%s: it has no steps", path);
	return p->txn_count > 0;
}

struct schedule *schedule_load(const char *path)
{
	struct schedule *p = calloc(1, sizeof *p);
	FILE *in = p ? fopen(path, "r") : NULL;
	if (!in) {
		print_error("record", "%s: %s", path, strerror(errno));
		free(p);
		return NULL;
	}
	bool ok = read_lines(p, in, path) && is_whole(p, path);
	fclose(in);
	if (!ok) {
		free(p);
		return NULL;
	}
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	return p;
}

void schedule_free(struct schedule *p)
{
	if (!p)
		return;
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	for (size_t i = 0; i < p->txn_count; i++)
		text_release(&p->txns[i].problem);
	free(p);
}

uint64_t schedule_sessions(const struct schedule *p)
{
	return p->session_count;
}

uint64_t schedule_keys(const struct schedule *p)
{
	return p->key_count ? p->key_count : 1;
}

uint64_t schedule_turns(const struct schedule *p, uint64_t slot)
{
	uint64_t turns = 0;
	for (size_t i = 0; i < p->txn_count; i++)
		turns += p->txns[i].slot == slot;
	return turns;
}

/* ---- taking turns ---- */

/* Is the step done, or does its session wait for a lock? */
static bool passed(const struct schedule *p, const struct step *step, uint64_t now)
{
	if (step->done)
		return true;
	for (const struct step *s = p->steps; s <= step; s++)
		if (p->txns[s->txn].slot == p->txns[step->txn].slot && !s->done)
			return s->started_ns && now - s->started_ns > PATIENCE_NS;
	return false;
}

static void await_turn(struct schedule *p, struct step *step)
{
	pthread_mutex_lock(&p->lock);
	for (;;) {
		uint64_t now = clock_ns();
		const struct step *s = p->steps;
		while (s < step && passed(p, s, now))
			s++;
		if (!p->changed_ns)
			p->changed_ns = now;
		if (s == step || now - p->changed_ns > GIVE_UP_SECONDS * 1000000000ull)
			break;
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += LOOK_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&p->changed, &p->lock, &until);
	}
	step->started_ns = p->changed_ns = clock_ns();
	pthread_mutex_unlock(&p->lock);
}

/* Marks the step, or all steps of its transaction, as done. */
static void finish(struct schedule *p, struct step *step, bool all)
{
	pthread_mutex_lock(&p->lock);
	step->done = true;
	p->changed_ns = clock_ns();
	for (size_t i = 0; all && i < p->step_count; i++)
		p->steps[i].done |= p->steps[i].txn == step->txn;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

/* ---- the workload ---- */

static struct key key_of(const struct schedule *p, size_t key)
{
	return (struct key){.table = p->keys[key]};
}

static void fill(struct fill *f, const struct shape *shape)
{
	const struct schedule *p = shape->schedule;
	for (size_t k = 0; k < schedule_keys(p); k++) {
		struct key key = key_of(p, k);
		fill_row(f, "alibi_register", &key, 0, "(%zu, 0)", k);
	}
}

static size_t txn_at(const struct schedule *p, const struct session *s)
{
	size_t i = 0;
	while (p->txns[i].slot != s->slot || p->txns[i].turn != s->turn)
		i++;
	return i;
}

static bool take(struct schedule *p, struct session *s, const struct step *step)
{
	struct played *t = &p->txns[step->txn];
	int64_t k = (int64_t)step->key;
	if (step->kind == STEP_WRITE)
		return session_write(s, key_of(p, step->key), step->value, REGISTER_WRITE,
		                     ARGS(step->value, k));
	if (step->kind == STEP_READ) {
		if (!session_read(s, key_of(p, step->key), REGISTER_READ, ARGS(k)))
			return false;
		int64_t found = session_integer(s, 0, 0);
		if (found != step->value && !t->problem.length)
			text_print(&t->problem, "%s read %s = %lld, not %lld", t->name,
			           p->keys[step->key], (long long)found, (long long)step->value);
	}
	return true;
}

static void transact(struct session *s)
{
	struct schedule *p = s->shape->schedule;
	size_t txn = txn_at(p, s);
	for (size_t i = 0; i < p->step_count; i++) {
		struct step *step = &p->steps[i];
		if (step->txn != txn)
			continue;
		await_turn(p, step);
		if (step->kind == STEP_COMMIT || !take(p, s, step))
			return; /* ended() finishes the other steps */
		finish(p, step, false);
	}
}

static void ended(struct session *s, enum outcome outcome)
{
	struct schedule *p = s->shape->schedule;
	size_t txn = txn_at(p, s);
	struct played *t = &p->txns[txn];
	struct step *step = p->steps;
	while (step->txn != txn)
		step++;
	t->outcome = outcome;
	if (outcome == ABORTED || outcome == UNKNOWN) {
		text_cut(&t->problem, 0); /* its reads do not count */
		text_print(&t->problem, "%s was %s, with code %s: %s", t->name,
		           outcome == ABORTED ? "refused" : "lost", s->c->code, s->c->problem);
	}
	if (outcome != NOT_BEGUN)
		finish(p, step, true);
}

const struct workload workload_schedule = {
        .name = "schedule",
        .tables = register_tables,
        .statements = register_statements,
        .statement_count = REGISTER_STATEMENTS,
        .fill = fill,
        .transact = transact,
        .ended = ended,
};

/* ---- the result ---- */

enum outcome schedule_report(const struct schedule *p, FILE *out)
{
	enum outcome all = COMMITTED;
	for (size_t i = 0; i < p->txn_count; i++) {
		const struct played *t = &p->txns[i];
		if (t->outcome == UNKNOWN || t->outcome == NOT_BEGUN)
			all = UNKNOWN;
		else if (t->problem.length && all == COMMITTED)
			all = ABORTED;
	}
	fputs(all == COMMITTED ? "it happened: all transactions committed, and read what the "
	                         "schedule says\n"
	      : all == ABORTED ? "it did not happen\n"
	                       : "unknown whether it happened\n",
	      out);
	for (size_t i = 0; i < p->txn_count; i++)
		if (p->txns[i].problem.length)
			print_to(out, "  %s\n", p->txns[i].problem.data);
	return all;
}
