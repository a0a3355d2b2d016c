/*
 * yardstick: a plain checker of serializability, to measure against.
 *
 * It reads what tests/genhist.c writes: registers, unique values, all committed. What is known of
 * the order is session order and reads-from; vector clocks, one entry a session, decide which
 * transactions precede which. A cycle refutes the history, and so does a writer of the key between
 * a read and the writer that it reads from. Else the order of the file is replayed. If that does
 * not explain the history it gives up, because nothing is searched here: for a measure, a history
 * that is valid in the order of its lines is enough.
 *
 * The cost: transactions and reads, times sessions. It does not depend on how hard the history is.
 *
 *   yardstick HISTORY      prints: valid|violates|undecided load SECONDS check SECONDS
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define INITIAL (-1)

/* Things of one kind that grow. */
#define PUSH(list, thing)                                                                          \
	do {                                                                                       \
		if ((list).count == (list).room)                                                   \
			(list).items =                                                             \
			        realloc((list).items, ((list).room = 2 * (list).room + 1024) *     \
			                                      sizeof *(list).items);               \
		(list).items[(list).count++] = (thing);                                            \
	} while (0)

struct txn {
	int session, index; /* from 1 in its session */
};

struct op {
	int txn, key, from; /* of a read: the writer, or INITIAL */
	long value;
};

struct edge {
	int from, to;
};

static struct {
	size_t count, room;
	struct txn *items;
} txns;
static struct {
	size_t count, room;
	struct op *items;
} reads, writes;
static struct {
	size_t count, room;
	struct edge *items;
} edges;
static int sessions, keys;
static int *writers_of, *writers; /* by key: where its writers begin; they, by session */
static int *block_of;             /* by place in it: how many follow in the same session, with it */
static int *past, *order;         /* by transaction: a clock; and the transactions, sorted */

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- loading ---- */

static void load(const char *path)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	if (!f)
		exit(254);
	while (getline(&line, &room, f) > 0) {
		struct txn t = {(int)strtol(strchr(line, ':') + 1, NULL, 10), 0};
		int number = (int)txns.count;
		sessions = t.session < sessions ? sessions : t.session + 1;
		for (char *p = strstr(line, "\"ops\""); (p = strstr(p, "[\"")); p++) {
			char *rest;
			struct op op = {number, (int)strtol(p + 7, &rest, 10), INITIAL, INITIAL};
			if (rest[2] != 'n')
				op.value = strtol(rest + 2, NULL, 10);
			keys = op.key < keys ? keys : op.key + 1;
			if (p[2] == 'r')
				PUSH(reads, op);
			else
				PUSH(writes, op);
		}
		PUSH(txns, t);
	}
	free(line);
	fclose(f);
}

/* ---- reads-from ---- */

static size_t hash(int key, long value)
{
	uint64_t z = ((uint64_t)key << 40 ^ (uint64_t)value) * 0x9e3779b97f4a7c15u;
	return (size_t)(z ^ z >> 29);
}

/* False: a read of what was not written. Own writes and what is read of them do not count. */
static bool find_writers(void)
{
	size_t size = 1, kept = 0;
	while (size < 2 * writes.count + 2)
		size *= 2;
	int *table = calloc(size, sizeof *table); /* writes, from 1 */
	for (size_t i = 0; i < writes.count; i++) {
		size_t at = hash(writes.items[i].key, writes.items[i].value) & (size - 1);
		while (table[at])
			at = (at + 1) & (size - 1);
		table[at] = (int)i + 1;
	}
	for (size_t i = 0; i < reads.count; i++) {
		struct op r = reads.items[i];
		size_t at = hash(r.key, r.value) & (size - 1);
		for (; r.value != INITIAL && table[at]; at = (at + 1) & (size - 1)) {
			const struct op *w = &writes.items[table[at] - 1];
			if (w->key == r.key && w->value == r.value)
				r.from = w->txn;
		}
		if (r.value != INITIAL && r.from == INITIAL)
			return false;
		if (r.from != r.txn)
			reads.items[kept++] = r;
	}
	reads.count = kept;
	free(table);
	return true;
}

static int by_session(const void *a, const void *b)
{
	const struct txn *s = &txns.items[*(const int *)a], *t = &txns.items[*(const int *)b];
	return s->session != t->session ? s->session - t->session : s->index - t->index;
}

static void sort_writers(void)
{
	writers_of = calloc((size_t)keys + 2, sizeof *writers_of);
	writers = malloc((writes.count + 1) * sizeof *writers);
	for (size_t i = 0; i < writes.count; i++)
		writers_of[writes.items[i].key + 2]++;
	for (int k = 0; k < keys; k++)
		writers_of[k + 2] += writers_of[k + 1];
	for (size_t i = 0; i < writes.count; i++)
		writers[writers_of[writes.items[i].key + 1]++] = writes.items[i].txn;
	block_of = malloc((writes.count + 1) * sizeof *block_of);
	for (int k = 0; k < keys; k++) {
		int begin = writers_of[k], end = writers_of[k + 1];
		qsort(writers + begin, (size_t)(end - begin), sizeof *writers, by_session);
		for (int i = end - 1; i >= begin; i--)
			block_of[i] = i + 1 < end && txns.items[writers[i]].session ==
			                                      txns.items[writers[i + 1]].session
			                      ? block_of[i + 1] + 1
			                      : 1;
	}
}

static void add_known_edges(void)
{
	int *last = malloc((size_t)sessions * sizeof *last);
	memset(last, 0xff, (size_t)sessions * sizeof *last);
	for (size_t i = 0; i < txns.count; i++) {
		struct txn *t = &txns.items[i];
		int before = last[t->session];
		t->index = before < 0 ? 1 : txns.items[before].index + 1;
		if (before >= 0)
			PUSH(edges, ((struct edge){before, (int)i}));
		last[t->session] = (int)i;
	}
	for (size_t i = 0; i < reads.count; i++)
		if (reads.items[i].from != INITIAL)
			PUSH(edges, ((struct edge){reads.items[i].from, reads.items[i].txn}));
	free(last);
}

/* ---- clocks ---- */

static bool is_before(int a, int b)
{
	return past[(size_t)b * (size_t)sessions + (size_t)txns.items[a].session] >=
	       txns.items[a].index;
}

/* Sorts the transactions along the edges and sets their clocks; false: there is a cycle. */
static bool sort_along_edges(void)
{
	size_t n = txns.count, sorted = 0;
	int *first = calloc(n + 2, sizeof *first), *in = calloc(n, sizeof *in);
	int *next = malloc((edges.count + 1) * sizeof *next);
	for (size_t i = 0; i < edges.count; i++)
		first[edges.items[i].from + 2]++, in[edges.items[i].to]++;
	for (size_t i = 2; i < n + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < edges.count; i++)
		next[first[edges.items[i].from + 1]++] = edges.items[i].to;
	memset(past, 0, n * (size_t)sessions * sizeof *past);
	for (size_t i = 0; i < n; i++)
		if (!in[i])
			order[sorted++] = (int)i;
	for (size_t i = 0; i < sorted; i++) {
		int t = order[i];
		int *clock = past + (size_t)t * (size_t)sessions;
		clock[txns.items[t].session] = txns.items[t].index;
		for (int j = first[t]; j < first[t + 1]; j++) {
			int *other = past + (size_t)next[j] * (size_t)sessions;
			for (int s = 0; s < sessions; s++)
				other[s] = clock[s] > other[s] ? clock[s] : other[s];
			if (!--in[next[j]])
				order[sorted++] = next[j];
		}
	}
	free(first);
	free(in);
	free(next);
	return sorted == n;
}

/* Is none of these writers of one session known to be between the read and its writer? */
static bool fits(const struct op *r, const int *block, int count)
{
	int low = 0, high = count;
	while (low < high) {
		int middle = (low + high) / 2;
		if (is_before(block[middle], r->txn))
			low = middle + 1;
		else
			high = middle;
	}
	while (low > 0 && block[low - 1] == r->txn)
		low--;
	if (!low || block[low - 1] == r->from)
		return true;
	return r->from != INITIAL && !is_before(r->from, block[low - 1]);
}

static bool all_fit(void)
{
	for (size_t i = 0; i < reads.count; i++) {
		const struct op *r = &reads.items[i];
		for (int w = writers_of[r->key]; w < writers_of[r->key + 1]; w += block_of[w])
			if (!fits(r, writers + w, block_of[w]))
				return false;
	}
	return true;
}

/* ---- replay ---- */

/* In the order of the file. */
static bool replays(void)
{
	int *holds = malloc(((size_t)keys + 1) * sizeof *holds);
	size_t *read_at = calloc(txns.count + 2, sizeof *read_at);
	size_t *write_at = calloc(txns.count + 2, sizeof *write_at);
	bool right = true;
	memset(holds, 0xff, ((size_t)keys + 1) * sizeof *holds);
	for (size_t i = 0; i < reads.count; i++)
		read_at[reads.items[i].txn + 1] = i + 1;
	for (size_t i = 0; i < writes.count; i++)
		write_at[writes.items[i].txn + 1] = i + 1;
	for (size_t i = 1; i <= txns.count; i++) {
		read_at[i] = read_at[i] ? read_at[i] : read_at[i - 1];
		write_at[i] = write_at[i] ? write_at[i] : write_at[i - 1];
	}
	for (size_t i = 0; i < txns.count; i++) {
		for (size_t j = read_at[i]; j < read_at[i + 1]; j++)
			right &= holds[reads.items[j].key] == reads.items[j].from;
		for (size_t j = write_at[i]; j < write_at[i + 1]; j++)
			holds[writes.items[j].key] = (int)i;
	}
	free(holds);
	free(read_at);
	free(write_at);
	return right;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 254;
	double started = now();
	load(argv[1]);
	double loaded = now();
	const char *verdict = "violates";
	if (find_writers()) {
		add_known_edges();
		sort_writers();
		past = malloc((txns.count + 1) * (size_t)(sessions + 1) * sizeof *past);
		order = malloc((txns.count + 1) * sizeof *order);
		if (sort_along_edges() && all_fit())
			verdict = replays() ? "valid" : "undecided";
	}
	printf("%s load %.3f check %.3f\n", verdict, loaded - started, now() - loaded);
	return 0;
}
