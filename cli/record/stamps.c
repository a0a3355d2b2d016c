/* stamps: see stamps.h. */
#include "stamps.h"

#include "journal.h"
#include "output.h"
#include "snapshots.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stamps {
	struct snapshots txns; /* committed ones; those of MariaDB have a position only */
	const struct commit_log *log;
	size_t snapshots;   /* how many have one */
	struct text domain; /* what positions begin with, 0-1- */
	bool mixed;         /* there are several domains or servers */
	bool in_order;
};

static const char logged[] = "\"logged\":true";

/* ---- reading ---- */

/* 0-1-55: domain, server, number; only numbers of one domain and server are ordered. */
static void take_position(struct stamps *s, struct snapshot_txn *t, const char *text)
{
	size_t length = strspn(text, "0123456789-");
	const char *number = text + length;
	while (number > text && number[-1] != '-')
		number--;
	if (!s->domain.length)
		text_add(&s->domain, text, (size_t)(number - text));
	s->mixed |= strncmp(s->domain.data, text, s->domain.length) != 0;
	t->position = strtoull(number, NULL, 10);
}

/* False: the database gave no order for it. */
static bool take_order(struct stamps *s, struct snapshot_txn *t, const char *line)
{
	static const char gtid[] = ",\"info\":{\"gtid\":\"";
	const struct commit_entry *entry = commit_log_find(s->log, t->id);
	if (snapshots_take(&s->txns, t, line)) {
		t->position = entry ? entry->position : 0;
		return true;
	}
	if (entry && strstr(line, logged)) {
		snapshots_parse(&s->txns, t, s->log->texts.data + entry->snapshot);
		t->xid = entry->xid;
		t->position = entry->position;
		return true;
	}
	const char *found = strstr(line, gtid);
	if (found)
		take_position(s, t, found + sizeof gtid - 1);
	return found;
}

static void take_line(struct stamps *s, const char *line)
{
	if (strncmp(line, "{\"id\":", 6) != 0)
		return;
	struct snapshot_txn t = {.id = strtoull(line + 6, NULL, 10), .final = true};
	if (!take_order(s, &t, line))
		return;
	s->snapshots += t.xmax > 0;
	snapshots_add(&s->txns, &t);
}

/* ---- ordering ---- */

static bool order_snapshots(struct snapshots *s)
{
	bool ok = snapshots_place(s);
	for (size_t i = 0; i < s->count; i++)
		ok = ok && !s->txns[i].misplaced;
	return ok;
}

static bool put_in_order(struct stamps *s)
{
	struct snapshots *all = &s->txns;
	if (s->snapshots)
		return s->snapshots == all->count && order_snapshots(all);
	for (size_t i = 0; i < all->count; i++)
		all->txns[i].commit_ts = all->txns[i].position;
	return !s->mixed;
}

/* ---- writing ---- */

/* Copies text, with the first `old` in it replaced, if there is one. */
static void print_changed(struct text *to, const char *text, const char *old, const char *new)
{
	const char *found = strstr(text, old);
	if (found) {
		text_add(to, text, (size_t)(found - text));
		text_word(to, new);
		text = found + strlen(old);
	}
	text_word(to, text);
}

/* A transaction whose COMMIT was not acknowledged; committed: it is in the log. */
static void print_resolved(const struct stamps *s, const char *line, bool committed,
                           struct text *to, struct resolved *resolved)
{
	static const char unknown[] = "\"status\":\"unknown\",";
	struct text part = {0};
	bool aborted = !committed && s->log->complete;
	print_changed(&part, line, unknown,
	              committed ? ""
	              : aborted ? "\"status\":\"abort\","
	                        : unknown);
	print_changed(to, part.data, logged,
	              committed ? "\"log\":\"commit\""
	              : aborted ? "\"log\":\"abort\""
	                        : logged);
	resolved->committed += committed;
	resolved->aborted += aborted;
	text_release(&part);
}

/* next: lines are in the order in which they were read. */
static void write_line(const struct stamps *s, size_t *next, const char *line, struct journal *to,
                       struct text *stamped, struct resolved *resolved)
{
	const struct snapshot_txn *t = *next < s->txns.count ? &s->txns.txns[*next] : NULL;
	const char *rest = strchr(line, ',');
	bool is_txn = !strncmp(line, "{\"id\":", 6) && rest;
	bool is_next = is_txn && t && t->id == strtoull(line + 6, NULL, 10);
	text_cut(stamped, 0);
	if (is_next && s->in_order) {
		snapshot_txn_print(t, s->snapshots, stamped);
		line = rest;
	}
	if (is_txn && strstr(line, logged))
		print_resolved(s, line, is_next, stamped, resolved);
	else
		text_word(stamped, line);
	journal_add(to, stamped->data, stamped->length);
	*next += is_next;
}

static void copy_lines(const struct stamps *s, FILE *from, struct journal *to,
                       struct resolved *resolved)
{
	struct text stamped = {0};
	char *line = NULL;
	size_t room = 0, next = 0;
	while (getline(&line, &room, from) > 0)
		write_line(s, &next, line, to, &stamped, resolved);
	free(line);
	text_release(&stamped);
}

bool stamps_add(const char *from, struct journal *to, const struct commit_log *log,
                struct resolved *resolved)
{
	struct stamps s = {.log = log};
	FILE *f = fopen(from, "r");
	char *line = NULL;
	size_t room = 0;
	*resolved = (struct resolved){0};
	if (!f) {
		print_error("record", "%s: %s", from, strerror(errno));
		return false;
	}
	while (getline(&line, &room, f) > 0)
		take_line(&s, line);
	free(line);
	s.in_order = put_in_order(&s);
	if (!s.txns.count)
		fputs("alibi record: the database gave no order; the history has no timestamps\n",
		      stderr);
	else if (!s.in_order)
		print_error("record", "the %s have no order; the history has no timestamps",
		            s.snapshots ? "snapshots" : "binlogs");
	rewind(f);
	copy_lines(&s, f, to, resolved);
	bool ok = !ferror(f);
	if (!ok)
		print_error("record", "%s: %s", from, strerror(errno));
	fclose(f);
	snapshots_release(&s.txns);
	text_release(&s.domain);
	return ok;
}
