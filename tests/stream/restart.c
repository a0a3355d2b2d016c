/*
 * restart: a watch that is killed again and again, in one process.
 *
 *     restart LEVEL HORIZON LONGEST SEED FILE
 *
 * The file is fed in pieces. At random points all that the watch knows is saved; at
 * others it is thrown away, and a new watch goes on from what was saved last and from
 * where the file was then. Findings go to a log that knows them by their ids, as the
 * program's does. Prints what alibi watch --json prints, as far as stream.py looks at it.
 */
#include <alibi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IDS_MAX = 1 << 14, ID_BYTES = 32 };

struct bytes {
	char *data;
	size_t length, room;
};

static char told[IDS_MAX][ID_BYTES];
static size_t told_count;
static uint64_t seed;

static size_t draw(size_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (size_t)(seed >> 33) % below;
}

static bool add(void *data, const void *bytes, size_t length)
{
	struct bytes *b = data;
	if (b->length + length > b->room) {
		b->room = 2 * (b->length + length);
		b->data = realloc(b->data, b->room);
		if (!b->data)
			return false;
	}
	memcpy(b->data + b->length, bytes, length);
	b->length += length;
	return true;
}

static bool is_new(const char *id)
{
	for (size_t i = 0; i < told_count; i++)
		if (!memcmp(told[i], id, ID_BYTES))
			return false;
	if (told_count < IDS_MAX)
		memcpy(told[told_count++], id, ID_BYTES);
	return true;
}

static void tell(alibi_watch *w)
{
	static const char *const what[] = {"violation", "undecided", "unverified"};
	const alibi_watch_event *e;
	while ((e = alibi_watch_next(w))) {
		if (!is_new(e->id))
			continue;
		printf("{\"what\":\"%s\",\"id\":\"%s\",\"kind\":\"%s\",\"txn\":%s", what[e->what],
		       e->id, e->about.kind, e->about.txn);
		if (e->about.other)
			printf(",\"other\":%s", e->about.other);
		printf(",\"key\":%s}\n", e->about.key ? e->about.key : "null");
	}
}

static bool read_file(const char *path, struct bytes *b)
{
	char piece[4096];
	FILE *f = fopen(path, "rb");
	size_t n;
	while (f && (n = fread(piece, 1, sizeof piece, f)) > 0)
		add(b, piece, n);
	return f && !fclose(f);
}

/* True: to the end; false: killed. *position: of what is saved. */
static bool watch(const alibi_watch_options *o, const struct bytes *text, struct bytes *saved,
                  size_t *position)
{
	alibi *a = alibi_new(NULL);
	alibi_watch *w = alibi_watch_new(a, o);
	size_t at = *position;
	bool ok = w && (!saved->length || alibi_watch_load(w, saved->data, saved->length));
	bool killed = false;
	while (ok && !killed && at < text->length) {
		size_t piece = 1 + draw(draw(4) ? 300 : 5000);
		if (piece > text->length - at)
			piece = text->length - at;
		ok = alibi_watch_text(w, "stream", text->data + at, piece);
		at += piece;
		tell(w);
		if (ok && !draw(3)) {
			saved->length = 0;
			ok = alibi_watch_save(w, add, saved);
			*position = at - alibi_watch_statistics(w).unread;
		}
		killed = !draw(6);
	}
	if (ok && !killed && alibi_watch_finish(w)) {
		alibi_watch_stats s = (tell(w), alibi_watch_statistics(w));
		printf("{\"what\":\"summary\",\"verdict\":\"%s\",\"txns\":%lu,\"duplicates\":%lu}"
		       "\n",
		       alibi_verdict_name(s.verdict), (unsigned long)s.txns,
		       (unsigned long)s.duplicates);
	}
	if (alibi_last_error(a)->code != ALIBI_OK) {
		fprintf(stderr, "restart: %s\n", alibi_last_error(a)->text);
		killed = false;
	}
	alibi_free(a);
	return !killed;
}

int main(int argc, char **argv)
{
	struct bytes text = {0}, saved = {0};
	size_t position = 0;
	if (argc != 6 || !read_file(argv[5], &text))
		return 2;
	seed = strtoull(argv[4], NULL, 10);
	alibi_watch_options o = {.level = argv[1],
	                         .has_horizon = true,
	                         .horizon = strtoull(argv[2], NULL, 10),
	                         .longest = strtoull(argv[3], NULL, 10)};
	while (!watch(&o, &text, &saved, &position))
		;
	free(text.data);
	free(saved.data);
	return 0;
}
