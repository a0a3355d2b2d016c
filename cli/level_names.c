/* level_names: see level_names.h. */
#include "level_names.h"

#include "choices.h"

#include <ctype.h>
#include <string.h>

/* ---- what is different ---- */

static const char only_dirty_writes[] =
        "it forbids only dirty writes (G0); rc also forbids to read what was aborted or "
        "overwritten, and more. What is valid at rc is valid at it";
static const char only_g1[] =
        "it forbids only dirty writes and dirty reads (G0, G1). rc is stronger: a transaction that "
        "read from another one reads nothing older than that one wrote, and session order counts. "
        "What is valid at rc is valid at it";
static const char monotonic_atomic_view[] =
        "it is defined by what it forbids (G1 and observed transactions that vanish), not by an "
        "order of commits, and does not know sessions; that the two are the same is not known";
static const char monotonic_view[] =
        "reads keep up with all that earlier reads of the transaction depend on, through any "
        "number of transactions; at rc only with the transactions that were read from";
static const char monotonic_snapshot_read[] =
        "each operation has a snapshot of its own, and snapshots do not go back; rc has none";
static const char cursor_stability[] =
        "it forbids to lose an update that was made through a cursor, which rc allows, and does "
        "not ask of reads what rc asks";
static const char consistent_view[] =
        "it forbids lost updates, which cc allows; it allows long forks, which si forbids; and it "
        "does not know sessions. What is valid at si is valid at it";
static const char parallel_snapshot_isolation[] =
        "it forbids lost updates, which cc allows; it allows long forks, which si forbids; and it "
        "does not know sessions. alibi check --level psi --session-order off checks it by its "
        "formulas";
static const char forward_consistent_view[] =
        "it lets a transaction read what was committed after its start, which si does not, and "
        "does not know sessions";
static const char rola[] = "it forbids lost updates, which ra allows, and does not know sessions";
static const char strong_snapshot_isolation[] =
        "what ended before a transaction began is in its snapshot; at si client times do not "
        "count. With --assume-time-order they do, and the two are the same";
static const char repeatable_read[] =
        "it forbids write skew, so that it is not si, and allows phantoms. In a history without "
        "predicates it is ser with --session-order off";
static const char sql_repeatable_read[] =
        "the standard forbids dirty and non-repeatable reads, allows phantoms, and says nothing of "
        "snapshots, so that it is not si. In Adya's reading (PL-2.99) it is, for a history without "
        "predicates, ser with --session-order off. Databases mean different things by it: say "
        "postgres:repeatable-read, which is si, or mysql:repeatable-read";
static const char postgres_committed[] =
        "each statement reads a snapshot of its own, which rc does not ask. What violates rc "
        "violates it";
static const char innodb_committed[] =
        "each plain read has a snapshot of its own, which rc does not ask. What violates rc "
        "violates it";
static const char innodb_repeatable[] =
        "plain reads are of a snapshot, but updates and locking reads are of the latest version, "
        "so "
        "that not even rc holds where a transaction has both. Where it has plain reads and blind "
        "writes only, it is pc; with MariaDB's innodb_snapshot_isolation it is si";
static const char update_serializable[] =
        "transactions that only read may disagree about the order of the others; at ser all "
        "agree";
static const char conflict_serializable[] =
        "it is about the order in which the server ran operations, which clients do not see; ser "
        "with --session-order off asks for any serial order that explains what they saw";
static const char view_serializable[] =
        "it also compares the final state, which no client saw; otherwise it is ser with "
        "--session-order off";
static const char one_copy[] =
        "it is about copies that fail and recover; what clients see of it is ser with "
        "--session-order off";
static const char session_serializable[] =
        "it is defined by what a session's transactions may read, not by an order; that it is the "
        "same as ser is not known";
static const char single_objects[] =
        "it is about operations on single objects, which is out of scope here; this is the "
        "nearest level for transactions";
static const char strong_weak[] =
        "it forbids cycles of writes, or of writes and reads, with session order or real time in "
        "them; rc counts session order, but not real time, and asks more of reads";
static const char dbcop_committed[] =
        "dbcop compares only reads of one key by a transaction; rc compares reads of all keys";
static const char dbcop_repeatable[] =
        "a key read twice gives one value; ra also forbids to see a part of a transaction";
static const char dbcop_causal[] =
        "dbcop lets derived orders of writes count as seen, which cc does not; what is valid there "
        "is valid at cc";
static const char plume_ra[] =
        "Plume's patterns miss a session that does not see its own write of a single key, which ra "
        "forbids";
static const char plume_rc[] =
        "Plume's patterns compare reads of different keys; rc also compares reads of one key";

/* ---- the table ---- */

#define SESSIONS false   /* session order counts */
#define NO_SESSIONS true /* it does not */
#define SAME false, NULL
#define DIFFERS(how) false, how /* refused */
#define TAKEN(how) true, how

const struct level_name level_name_table[] = {
        {"PL-1", "Adya", "rc", NO_SESSIONS, DIFFERS(only_dirty_writes)},
        {"PL-2", "Adya", "rc", NO_SESSIONS, DIFFERS(only_g1)},
        {"PL-2L", "Adya", "rc", NO_SESSIONS, DIFFERS(monotonic_view)},
        {"PL-CS", "Adya", "rc", NO_SESSIONS, DIFFERS(cursor_stability)},
        {"PL-MSR", "Adya", "rc", NO_SESSIONS, DIFFERS(monotonic_snapshot_read)},
        {"PL-2+", "Adya", "cc", NO_SESSIONS, DIFFERS(consistent_view)},
        {"PL-FCV", "Adya", "si", NO_SESSIONS, DIFFERS(forward_consistent_view)},
        {"PL-SI", "Adya", "si", NO_SESSIONS, SAME},
        {"PL-2.99", "Adya", "ser", NO_SESSIONS, DIFFERS(repeatable_read)},
        {"PL-3U", "Adya", "ser", NO_SESSIONS, DIFFERS(update_serializable)},
        {"PL-3", "Adya", "ser", NO_SESSIONS, SAME},
        {"PL-SS", "Adya", "sser", SESSIONS, SAME},

        {"read-uncommitted", "SQL", "rc", NO_SESSIONS, DIFFERS(only_dirty_writes)},
        {"read-uncommitted", "Elle", "rc", NO_SESSIONS, DIFFERS(only_dirty_writes)},
        {"read-committed", "SQL", "rc", SESSIONS, TAKEN(only_g1)},
        {"read-committed", "Elle", "rc", NO_SESSIONS, DIFFERS(only_g1)},
        {"read-committed", "AWDIT", "rc", SESSIONS, SAME},
        {"read-committed", "Postgres", "rc", SESSIONS, TAKEN(postgres_committed)},
        {"read-committed", "MySQL", "rc", SESSIONS, TAKEN(innodb_committed)},
        {"read-committed", "MariaDB", "rc", SESSIONS, TAKEN(innodb_committed)},
        {"repeatable-read", "SQL", "ser", NO_SESSIONS, DIFFERS(sql_repeatable_read)},
        {"repeatable-read", "Elle", "ser", NO_SESSIONS, DIFFERS(repeatable_read)},
        {"repeatable-read", "dbcop", "ra", SESSIONS, DIFFERS(dbcop_repeatable)},
        {"repeatable-read", "Postgres", "si", SESSIONS, SAME},
        {"repeatable-read", "MySQL", "rc", SESSIONS, DIFFERS(innodb_repeatable)},
        {"repeatable-read", "MariaDB", "rc", SESSIONS, DIFFERS(innodb_repeatable)},
        {"serializable", "SQL", "ser", NO_SESSIONS, SAME},
        {"serializable", "Elle", "ser", NO_SESSIONS, SAME},
        {"serializable", "dbcop", "ser", SESSIONS, SAME},
        {"serializable", "Postgres", "ser", SESSIONS, SAME},
        {"serializable", "MySQL", "ser", SESSIONS, SAME},
        {"serializable", "MariaDB", "ser", SESSIONS, SAME},
        {"serializable", "SQLite", "ser", SESSIONS, SAME},

        {"strong-session-read-uncommitted", "Elle", "rc", SESSIONS, DIFFERS(strong_weak)},
        {"strong-session-PL-1", "Elle", "rc", SESSIONS, DIFFERS(strong_weak)},
        {"strong-session-read-committed", "Elle", "rc", SESSIONS, DIFFERS(strong_weak)},
        {"strong-session-PL-2", "Elle", "rc", SESSIONS, DIFFERS(strong_weak)},
        {"strong-read-uncommitted", "Elle", "rc", SESSIONS, DIFFERS(strong_weak)},
        {"strong-PL-1", "Elle", "rc", SESSIONS, DIFFERS(strong_weak)},
        {"strong-read-committed", "Elle", "rc", SESSIONS, DIFFERS(strong_weak)},
        {"strong-PL-2", "Elle", "rc", SESSIONS, DIFFERS(strong_weak)},
        {"monotonic-view", "Elle", "rc", NO_SESSIONS, DIFFERS(monotonic_view)},
        {"monotonic-atomic-view", "Elle", "rc", NO_SESSIONS, DIFFERS(monotonic_atomic_view)},
        {"monotonic-snapshot-read", "Elle", "rc", NO_SESSIONS, DIFFERS(monotonic_snapshot_read)},
        {"cursor-stability", "Elle", "rc", NO_SESSIONS, DIFFERS(cursor_stability)},
        {"read-atomic", "Elle", "ra", NO_SESSIONS, SAME},
        {"read-atomic", "AWDIT", "ra", SESSIONS, SAME},
        {"ROLA", "Elle", "ra", NO_SESSIONS, DIFFERS(rola)},
        {"causal-cerone", "Elle", "cc", NO_SESSIONS, SAME},
        {"consistent-view", "Elle", "cc", NO_SESSIONS, DIFFERS(consistent_view)},
        {"parallel-snapshot-isolation", "Elle", "cc", NO_SESSIONS,
         DIFFERS(parallel_snapshot_isolation)},
        {"prefix", "Elle", "pc", NO_SESSIONS, SAME},
        {"prefix", "dbcop", "pc", SESSIONS, SAME},
        {"forward-consistent-view", "Elle", "si", NO_SESSIONS, DIFFERS(forward_consistent_view)},
        {"snapshot-isolation", "Elle", "si", NO_SESSIONS, SAME},
        {"snapshot-isolation", "dbcop", "si", SESSIONS, SAME},
        {"generalized-snapshot-isolation", "Elnikety", "si", NO_SESSIONS, SAME},
        {"strong-session-snapshot-isolation", "Elle", "si", SESSIONS, SAME},
        {"strong-snapshot-isolation", "Elle", "si", SESSIONS, DIFFERS(strong_snapshot_isolation)},
        {"update-serializable", "Elle", "ser", NO_SESSIONS, DIFFERS(update_serializable)},
        {"conflict-serializable", "Elle", "ser", NO_SESSIONS, DIFFERS(conflict_serializable)},
        {"view-serializable", "Elle", "ser", NO_SESSIONS, DIFFERS(view_serializable)},
        {"1SR", "Elle", "ser", NO_SESSIONS, DIFFERS(one_copy)},
        {"session-serializable", "Elle", "ser", SESSIONS, DIFFERS(session_serializable)},
        {"strong-session-serializable", "Elle", "ser", SESSIONS, SAME},
        {"strong-session-serializable", "Cobra", "ser", SESSIONS, SAME},
        {"strict-serializable", "Elle", "sser", SESSIONS, SAME},
        {"strong-serializable", "Elle", "sser", SESSIONS, SAME},

        {"linearizable", "Elle", "sser", SESSIONS, DIFFERS(single_objects)},
        {"sequential", "Elle", "ser", SESSIONS, DIFFERS(single_objects)},
        {"causal", "Elle", "cc", SESSIONS, DIFFERS(single_objects)},
        {"causal", "AWDIT", "cc", SESSIONS, SAME},
        {"causal", "dbcop", "cc", SESSIONS, DIFFERS(dbcop_causal)},
        {"PRAM", "Elle", "cc", SESSIONS, DIFFERS(single_objects)},
        {"monotonic-reads", "Elle", "cc", SESSIONS, DIFFERS(single_objects)},
        {"monotonic-writes", "Elle", "cc", SESSIONS, DIFFERS(single_objects)},
        {"read-your-writes", "Elle", "cc", SESSIONS, DIFFERS(single_objects)},
        {"writes-follow-reads", "Elle", "cc", SESSIONS, DIFFERS(single_objects)},

        {"committed-read", "dbcop", "rc", SESSIONS, DIFFERS(dbcop_committed)},
        {"atomic-read", "dbcop", "ra", SESSIONS, SAME},
        {"RC", "Plume", "rc", SESSIONS, DIFFERS(plume_rc)},
        {"RA", "Plume", "ra", SESSIONS, DIFFERS(plume_ra)},
        {"TCC", "Plume", "cc", SESSIONS, SAME},
        {"SI", "PolySI", "si", SESSIONS, SAME},
        {"SI", "VeriStrong", "si", SESSIONS, SAME},
        {"SER", "VeriStrong", "ser", SESSIONS, SAME},
};
const size_t level_name_count = sizeof level_name_table / sizeof *level_name_table;

/* ---- looking up ---- */

static int folded(char c)
{
	return c == '_' || c == ' ' ? '-' : tolower((unsigned char)c);
}

static bool same_word(const char *typed, size_t length, const char *word)
{
	size_t i = 0;
	while (i < length && word[i] && folded(typed[i]) == folded(word[i]))
		i++;
	return i == length && !word[i];
}

static bool same_tool(const char *typed, size_t length, const char *tool)
{
	return same_word(typed, length, tool) ||
	       (same_word(typed, length, "PostgreSQL") && !strcmp(tool, "Postgres"));
}

bool level_name_find(const char *name, struct level_name *found)
{
	const char *colon = strchr(name, ':');
	size_t whose = colon ? (size_t)(colon - name) : 0;
	const char *word = colon ? colon + 1 : name;
	size_t length = strlen(word);
	for (const char **own = level_choices; !whose && *own; own++)
		if (same_word(word, length, *own)) {
			*found = (struct level_name){.name = *own, .level = *own};
			return true;
		}
	for (const struct level_name *n = level_name_table; n < level_name_table + level_name_count;
	     n++)
		if (same_word(word, length, n->name) &&
		    (!whose || same_tool(name, whose, n->whose))) {
			*found = *n;
			return true;
		}
	return false;
}
