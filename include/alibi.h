/*
 * alibi: tells whether a database kept its isolation promise.
 *
 * A history is what the clients of a database saw: sessions of transactions of
 * reads and writes. Load one from a file or build one, then check it:
 *
 *     alibi *a = alibi_new(NULL);
 *     const alibi_history *h = alibi_load(a, "history.jsonl", NULL);
 *     const alibi_result *r = h ? alibi_check(a, h, &(alibi_check_options){
 *                                      .level = "si", .order = ALIBI_ORDER_TIMESTAMPS}) : NULL;
 *     if (r) puts(alibi_verdict_name(r->verdict));
 *     else fprintf(stderr, "%s\n", alibi_last_error(a)->text);
 *     alibi_free(a);
 *
 * Rules that hold for all of it:
 * - An `alibi` is one job. It owns everything made with it, histories and
 *   results too; alibi_free() ends all of that at once.
 * - A function that returns a pointer returns NULL when it failed, one that
 *   returns bool returns false; alibi_last_error() then says why, in words
 *   meant for the user. A verdict is never an error.
 * - No globals: two jobs may run in two threads. One job belongs to one thread
 *   at a time.
 * - The library never prints and never exits. Misuse (a NULL job, an operation
 *   after alibi_builder_finish()) is a bug of the caller and asserts.
 */
#ifndef ALIBI_H
#define ALIBI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#define ALIBI_API __attribute__((visibility("default")))
#else
#define ALIBI_API
#endif

ALIBI_API const char *alibi_version(void);

/* ---- jobs, limits, errors ---- */

typedef struct alibi alibi;

/* Called now and then with what is being done; total 0: not known. */
typedef void alibi_progress_fn(void *data, const char *stage, uint64_t done, uint64_t total);

typedef struct alibi_limits {
	size_t max_memory;      /* bytes; 0: no limit */
	double timeout_seconds; /* from alibi_new() on; 0: no limit */
	alibi_progress_fn *progress;
	void *progress_data;
} alibi_limits;

enum alibi_code {
	ALIBI_OK,
	ALIBI_USAGE,   /* an option that does not exist or does not fit */
	ALIBI_INPUT,   /* the input is not a history; file, line and column say where */
	ALIBI_IO,      /* the system would not read or write */
	ALIBI_MEMORY,  /* max_memory was reached, or the system has no more */
	ALIBI_TIMEOUT, /* timeout_seconds have passed */
};

typedef struct alibi_error {
	enum alibi_code code;
	const char *text; /* the whole message, place included */
	const char *file; /* NULL: not about a file */
	uint64_t line, column;
} alibi_error;

ALIBI_API alibi *alibi_new(const alibi_limits *limits); /* NULL: no limits */
ALIBI_API void alibi_free(alibi *a);
ALIBI_API const alibi_error *alibi_last_error(const alibi *a);
ALIBI_API size_t alibi_peak_bytes(const alibi *a);

/* ---- building a history ---- */

typedef struct alibi_history alibi_history;
typedef struct alibi_builder alibi_builder;

enum alibi_kind {
	ALIBI_NULL, /* the key is absent; as an id or a session: none given */
	ALIBI_BOOL,
	ALIBI_INT,
	ALIBI_STRING, /* UTF-8 */
	ALIBI_ROW,    /* a flat JSON object, as text; a null member is as good as none */
	ALIBI_LIST,   /* of the above; only as the value of a read */
};

typedef struct alibi_value {
	enum alibi_kind kind;
	int64_t integer;  /* ALIBI_INT; ALIBI_BOOL: 0 or 1 */
	const char *text; /* ALIBI_STRING, ALIBI_ROW */
	size_t length;    /* bytes of text, or number of items */
	const struct alibi_value *items;
} alibi_value;

enum alibi_op_kind {
	ALIBI_READ,
	ALIBI_WRITE, /* a value of ALIBI_NULL deletes the key */
	ALIBI_APPEND,
};

typedef struct alibi_op {
	enum alibi_op_kind kind;
	alibi_value key, value;
	bool has_from;    /* reads: the database named the writer; */
	alibi_value from; /* its id, or ALIBI_NULL for the initial version */
} alibi_op;

enum alibi_status { ALIBI_COMMIT, ALIBI_ABORT, ALIBI_UNKNOWN_STATUS };

/* A database's timestamp; logical is 0 unless the clock is a hybrid one. */
typedef struct alibi_stamp {
	int64_t physical, logical;
} alibi_stamp;

enum alibi_has {
	ALIBI_HAS_BEGIN = 1,
	ALIBI_HAS_END = 2,
	ALIBI_HAS_START_TS = 4,
	ALIBI_HAS_COMMIT_TS = 8,
	ALIBI_HYBRID_START = 16, /* start_ts was given as a pair */
	ALIBI_HYBRID_COMMIT = 32,
};

typedef struct alibi_txn {
	alibi_value id;      /* integer or string, unique; ALIBI_NULL: its number, from 1 */
	alibi_value session; /* integer or string; ALIBI_NULL: a session of its own */
	enum alibi_status status;
	unsigned has; /* which of the following are given: enum alibi_has */
	int64_t begin, end;
	alibi_stamp start_ts, commit_ts;
	const char *info; /* JSON text for reports, or NULL */
	size_t info_length;
} alibi_txn;

/* Operations are fed one at a time, then alibi_builder_end() closes their
 * transaction. Transactions of one session come in session order. */
ALIBI_API alibi_builder *alibi_builder_new(alibi *a);
ALIBI_API bool alibi_builder_op(alibi_builder *b, const alibi_op *op);
/* An operation with WHERE, as it stands in a file: ["q", …] or ["u", …] (docs/history-format.md).
 */
ALIBI_API bool alibi_builder_query(alibi_builder *b, const char *json, size_t length);
ALIBI_API bool alibi_builder_end(alibi_builder *b, const alibi_txn *txn);
ALIBI_API bool alibi_builder_initial(alibi_builder *b, const alibi_value *key,
                                     const alibi_value *value); /* key NULL: of all others */
/* For the header: the level that the database claims, and free text about where
 * the history comes from. Either may be NULL: not known. */
ALIBI_API bool alibi_builder_source(alibi_builder *b, const char *level, const char *source);
ALIBI_API const alibi_history *alibi_builder_finish(alibi_builder *b);

/* ---- loading and saving ---- */

typedef struct alibi_load_options {
	const char *format; /* NULL: found out from the content */
	const char
	        *initial; /* JSON: the initial value of keys the file gives none; NULL: its own */
} alibi_load_options;

/* path: a file, a directory for the formats that are one, or "-" for standard
 * input. Compression (gzip, xz, zstd) is found out from the content. */
ALIBI_API const alibi_history *alibi_load(alibi *a, const char *path,
                                          const alibi_load_options *options);

/* path "-" is standard output. *dropped, if not NULL, gets a sentence about
 * what the format cannot say, or NULL if nothing was lost. */
ALIBI_API bool alibi_save(alibi *a, const alibi_history *h, const char *path, const char *format,
                          const char **dropped);

typedef struct alibi_format_info {
	const char *name, *title;
	bool directory;
} alibi_format_info;

ALIBI_API size_t alibi_format_count(void);
ALIBI_API alibi_format_info alibi_format(size_t index);

typedef struct alibi_stats {
	const char *format, *source, *claimed_level; /* the last two may be NULL */
	uint64_t txns, committed, aborted, unknown, sessions;
	uint64_t ops, reads, writes, deletes, appends, list_reads;
	uint64_t keys, list_keys, values, annotations;
	uint64_t with_client_times, with_timestamps, with_info; /* transactions */
	uint64_t reads_with_writer;                             /* `from` given */
	uint64_t queries;                                       /* reads and writes with WHERE */
	size_t bytes;                                           /* memory of the history */
} alibi_stats;

ALIBI_API alibi_stats alibi_history_stats(const alibi_history *h);

/* ---- checking ---- */

enum alibi_verdict { ALIBI_VALID, ALIBI_VIOLATES, ALIBI_UNKNOWN };

enum alibi_order {
	ALIBI_ORDER_NONE,       /* none is known: search for one */
	ALIBI_ORDER_TIMESTAMPS, /* replay the database's own timestamps */
};

typedef struct alibi_check_options {
	const char *level; /* see alibi_level() */
	enum alibi_order order;
	bool ignore_sessions;   /* session order does not count */
	bool assume_time_order; /* the clients' clocks count at every level, not only at sser */
	bool has_clock_skew;    /* the clocks may differ by … */
	uint64_t clock_skew;   /* … so much, in their unit; else by what the history says, or 0 */
	uint64_t require_txns; /* fewer committed transactions: `unknown` */
	size_t max_violations; /* described, fewer if very long; all are counted; 0: 1000 */
	unsigned threads;      /* of a search; 0: 1 */
} alibi_check_options;

/* One thing that the order does not explain. Ids, keys and values are JSON. */
typedef struct alibi_violation {
	const char *kind;        /* SESSION, INT, EXT, NOCONFLICT */
	const char *txn, *other; /* other: NULL where no second transaction is involved */
	const char *key, *expected, *found; /* NULL where they do not apply */
	const char *text;                   /* all of it as a sentence */
} alibi_violation;

/* How much a verdict could have caught. Reads are those that others can make wrong:
 * of committed transactions, before any own write of the key. Writers may have
 * committed. A conflict is a key that two sessions use, one of them writing, and two
 * transactions that use it, one of them writing. What a query did not find, and what an
 * update changed that does not tell its rows, is counted among neither, but as queries. */
typedef struct alibi_coverage {
	uint64_t reads;
	uint64_t contended_reads; /* of keys with several writers, whose order matters to them */
	uint64_t contended_keys;  /* written by several transactions */
	uint64_t conflicts;
	bool has_client_times;
	uint64_t overlapping_conflicts; /* at least so many ran at once, by client times */
	uint64_t conflicting_sessions;
	bool could_violate; /* false: whatever was read, the level would have held */
	const char
	        *says_no_more_than; /* the weakest level that says as much; NULL: nothing is said */
	const char *warning; /* `valid` says less than it seems: why, what to do; else NULL */
	uint64_t queries;    /* of committed transactions; 0: the next is 0, too */
	uint64_t contended_queries; /* that ask for keys which another transaction writes */
	bool counted; /* false: a limit ended the check before, and all of this says nothing */
} alibi_coverage;
/* What a search took. Seconds are of CPU, of all threads together. */
typedef struct alibi_work {
	double prepare_seconds;  /* who can have read what from whom, and a first order */
	double saturate_seconds; /* what follows from that without guessing */
	double solve_seconds;    /* guessing, and learning from what went wrong */
	double verify_seconds;   /* replaying the order found, or checking the refutation */
	uint64_t unsure_reads;   /* that several transactions can have written */
	uint64_t derived;        /* edges that follow without guessing */
	uint64_t choices;        /* pairs of events whose order had to be guessed */
	uint64_t rounds;         /* orders looked at as a whole */
	uint64_t conflicts;      /* guesses that contradicted each other */
	uint64_t components; /* of transactions that cannot influence each other; 0: no search */
	double largest_component; /* its share of the transactions */
} alibi_work;

/* Of a violation where the clients' clocks count. */
typedef struct alibi_clocks {
	bool alone;      /* it rests on them alone: … */
	uint64_t enough; /* … with clocks that may differ by so much, the level holds, and … */
	bool least;      /* … with less it does not; false: perhaps with less, too */
	const char *session; /* JSON: without its times it holds as well; NULL: of no single one */
	bool ahead;          /* that session's clock seems to be; else it seems to be behind */
} alibi_clocks;

typedef struct alibi_result {
	enum alibi_verdict verdict;
	const char *level;
	const char *reason;     /* unknown: why; else NULL */
	const char *implied_by; /* the level from whose verdict this one follows, or NULL */
	const char *basis;      /* what the verdict rests on, a sentence; may be NULL */
	alibi_clocks clocks;
	uint64_t violation_count;
	bool counted_all; /* false: there are more than violation_count */
	size_t described;
	const alibi_violation *violations;
	const unsigned char *certificate; /* of what a search found; else NULL */
	size_t certificate_length;
	alibi_coverage coverage;
	alibi_work work; /* of a search; else all 0 */
} alibi_result;

/* A limit that is reached is a result too: `unknown`, and the reason says how far
 * the check came. */
ALIBI_API const alibi_result *alibi_check(alibi *a, const alibi_history *h,
                                          const alibi_check_options *options);

/* The verdicts at all levels, the weakest first. */
typedef struct alibi_levels {
	size_t count;
	const alibi_result *const *results;
	const char *strongest; /* that holds; NULL: none does, or it is not known */
} alibi_levels;

/* Checks every level in one run; options->level is not looked at. What holds at a level
 * holds at the weaker ones, which are not checked again. */
ALIBI_API const alibi_levels *alibi_check_all(alibi *a, const alibi_history *h,
                                              const alibi_check_options *options);

/* What the verifier says of a certificate. */
typedef struct alibi_verification {
	bool accepted;
	enum alibi_verdict verdict; /* if accepted */
	const char *level;          /* that it speaks of */
	const char *reason;         /* if not accepted */
} alibi_verification;

/* Checks a certificate, a file, against the history it is for. */
ALIBI_API const alibi_verification *alibi_verify(alibi *a, const alibi_history *h,
                                                 const char *certificate_path);

ALIBI_API const char *alibi_verdict_name(enum alibi_verdict verdict);
ALIBI_API size_t alibi_level_count(void);

typedef struct alibi_level_info {
	const char *name, *title;
	const char *definition; /* in plain words */
	const char *forbids;    /* anomalies that the level below it allows */
} alibi_level_info;

ALIBI_API alibi_level_info alibi_level(size_t index); /* the weakest is the first */

/* From one level to the next, with a history that only the weaker one allows. */
typedef struct alibi_level_step {
	const char *weaker, *stronger;
	bool of_sessions;    /* the weaker one leaves session order out; so at all levels */
	const char *anomaly; /* "write skew" */
	const char *file;    /* where the project has the history */
	const char *history; /* s1: T1 r(x,null) w(y,1) from 1 to 2, a line a transaction */
	const char *why;
} alibi_level_step;

ALIBI_API size_t alibi_level_step_count(void);
ALIBI_API alibi_level_step alibi_level_step_at(size_t index);

/* What others call a level. Alibi's levels count session order; others often do not. */
typedef struct alibi_level_alias {
	const char *name;       /* "PL-3" */
	const char *whose;      /* "Adya"; NULL: Alibi's own */
	const char *level;      /* Alibi's: the same, or else the nearest, … */
	bool ignore_sessions;   /* … with session order left out */
	const char *difference; /* NULL: it is the same; else a sentence about `name` */
} alibi_level_alias;

ALIBI_API size_t alibi_level_alias_count(void);
ALIBI_API alibi_level_alias alibi_level_alias_at(size_t index);
/* The level of that name, Alibi's own or another's; AWDIT:causal says whose. Case
 * does not count, and a space is as good as a "-". False: there is no such name. */
ALIBI_API bool alibi_level_find(const char *name, alibi_level_alias *found);

/* ---- watching ---- */

/* Checks while the database runs, by its timestamps. Transactions arrive out of order,
 * those of a session in its order; what can be said of them is said once, as soon as it
 * is certain, and what nobody can read any more is forgotten. */
typedef struct alibi_watch alibi_watch;

/* Where a watch puts keys that it may have to know again, if they take too much memory.
 * The program supplies it. Each thread opens one and has it for itself; it begins empty,
 * and need not outlive the watch. Functions that return bool return false if they failed. */
typedef bool alibi_store_fn(void *data, const void *key, size_t key_length, const void *bytes,
                            size_t length);
typedef struct alibi_store {
	void *(*open)(void *data, uint32_t number); /* NULL: there is no memory */
	/* What is put is there for the other functions after flush(). A key has at most 511
	 * bytes; what it had before is replaced. */
	bool (*put)(void *store, const void *key, size_t key_length, const void *bytes,
	            size_t length);
	bool (*flush)(void *store);
	/* *bytes NULL: it is not there. Valid until the next call. */
	bool (*get)(void *store, const void *key, size_t key_length, const void **bytes,
	            size_t *length);
	bool (*each)(void *store, alibi_store_fn *fn, void *data); /* fn may leave by longjmp() */
	const char *(*why)(void *store); /* what went wrong; NULL: nothing */
	void (*close)(void *store);
} alibi_store;

typedef struct alibi_watch_options {
	const char *level; /* si or ser; by clients' clocks ser or sser, by fences ser */
	bool ignore_sessions;
	const char *initial; /* as in alibi_load_options */
	bool has_horizon;    /* false: only alibi_watch_advance() settles anything */
	uint64_t horizon;    /* when a transaction arrives, its commit_ts is at most so much
	                      * behind the newest, in the unit of the timestamps */
	uint64_t longest;    /* a transaction starts at most so long before it commits */
	/* Judge only this one, from 0, of so many parts of the keys and sessions (0: all). All
	 * parts together find what one watch finds, each finding once. */
	uint32_t shard, shards;
	uint32_t threads; /* 0: one */
	/* Keys that were not named lately go there when the job takes more than so many bytes
	 * of memory; NULL: they stay. */
	const alibi_store *store;
	void *store_data;
	size_t store_above;
	/* By the clients' clocks (begin, end) instead of the database's timestamps, at ser and
	 * sser: an order is searched for in rounds. Distances are in the unit of these clocks. */
	bool client_times;
	bool has_clock_skew; /* as in alibi_check_options */
	uint64_t clock_skew;
	size_t round; /* at least so many transactions arrive from one to the next; 0: 4096 */
	/* By fences, at ser, if there are no clocks either: the key, as JSON, that sessions read
	 * and write now and then, with a new value each time (docs/watch.md). NULL: none. The
	 * horizon is then in fences: a session that makes none while the others make so many has
	 * ended. Only alibi_watch_finish() advances anything. */
	const char *fence;
	uint64_t fence_sessions; /* wait for at least so many before anything is settled */
} alibi_watch_options;

enum alibi_watch_what {
	ALIBI_WATCH_VIOLATION,
	ALIBI_WATCH_UNDECIDED,  /* does not fit, but a tie or an unknown outcome may explain it */
	ALIBI_WATCH_UNVERIFIED, /* a transaction, or what was lost, that cannot be judged */
};

/* Why something is unverified; docs/watch.md has the meanings. */
enum alibi_watch_reason {
	ALIBI_WATCH_LATE,
	ALIBI_WATCH_LONG,
	ALIBI_WATCH_STAMPS,
	ALIBI_WATCH_TIMES,
	ALIBI_WATCH_OUTCOME,
	ALIBI_WATCH_FENCE,
	ALIBI_WATCH_GONE,
	ALIBI_WATCH_REASONS /* how many there are */
};
ALIBI_API const char *alibi_watch_reason_name(enum alibi_watch_reason reason); /* LATE, … */

typedef struct alibi_watch_event {
	enum alibi_watch_what what;
	const char *id; /* of the finding: the same whenever the same stream is watched */
	/* kind is also TIE, or for unverified ones the name of a reason */
	alibi_violation about;
	/* LATE: what others read of these keys, a JSON list, between these timestamps, JSON
	 * too, was judged without it. GONE: the numbers of the first and of the last message.
	 * Else NULL. */
	const char *keys, *from, *until;
	const char *txns; /* by clocks: those of the counterexample, a JSON list; else NULL */
} alibi_watch_event;

typedef struct alibi_watch_stats {
	/* So far; `valid` is about what is judged, and `violates` rests on what stands (below). */
	enum alibi_verdict verdict;
	uint64_t txns, committed, aborted, unknown; /* each once, … */
	uint64_t duplicates;                        /* … however often it came */
	uint64_t ops;                               /* of all of these */
	uint64_t violations, undecided, unverified; /* events */
	bool stands; /* there is a violation that nothing that came after it may explain */
	uint64_t by_session, by_int, by_ext, by_noconflict; /* violations of these kinds */
	uint64_t by_order;                                  /* by clocks: counterexamples */
	uint64_t by_reason[ALIBI_WATCH_REASONS];            /* unverified */
	uint64_t lost;                                      /* messages: alibi_watch_gap() */
	uint64_t waiting;                  /* transactions that are not judged yet */
	uint64_t keys, versions, sessions; /* kept; by clocks, versions are transactions */
	uint64_t rounds, gone;             /* by clocks: how often; transactions that went */
	uint64_t fences;                   /* that follow one another */
	alibi_value holds_up; /* the session that is furthest behind: valid until more arrives; … */
	uint64_t passed;      /* … the number of its last fence, from 1; 0: it has made none */
	bool any_stamp;
	alibi_stamp newest, settled; /* the newest commit; what is judged; or numbers of fences */
	size_t unread;               /* bytes of text that wait for the rest of their line */
	size_t bytes;                /* memory of the job */
} alibi_watch_stats;

ALIBI_API alibi_watch *alibi_watch_new(alibi *a, const alibi_watch_options *options);

/* Transactions arrive either as operations, through this builder, which is never
 * finished, … */
ALIBI_API alibi_builder *alibi_watch_builder(alibi_watch *w);
/* … or as JSON Lines, cut into pieces anywhere. name: of the input, for messages. A
 * watch that failed is over; what it found before can still be taken out. */
ALIBI_API bool alibi_watch_text(alibi_watch *w, const char *name, const char *text, size_t length);

/* Nothing that commits at or before `settled` comes any more, and nothing that starts
 * before `oldest`. */
ALIBI_API bool alibi_watch_advance(alibi_watch *w, alibi_stamp settled, alibi_stamp oldest);
/* Of a stream of messages, those from one number to another were lost, and here is where they
 * were. All text before is of whole lines. What they may have explained is in doubt. */
ALIBI_API bool alibi_watch_gap(alibi_watch *w, uint64_t from, uint64_t until);
/* Nothing at all comes any more; a last line without an end is complete. */
ALIBI_API bool alibi_watch_finish(alibi_watch *w);

/* What came out of what has arrived, one after the other; NULL: that was all, or it
 * failed (alibi_last_error()). Valid until more arrives. */
ALIBI_API const alibi_watch_event *alibi_watch_next(alibi_watch *w);
ALIBI_API alibi_watch_stats alibi_watch_statistics(const alibi_watch *w);

/* All that a watch knows, as bytes, so that another one, which has seen nothing yet and
 * has the same options, can go on from there. All events must have been taken; text of
 * an unfinished line is left out. */
typedef bool alibi_write_fn(void *data, const void *bytes, size_t length);
ALIBI_API bool alibi_watch_save(alibi_watch *w, alibi_write_fn *write, void *data);
ALIBI_API bool alibi_watch_load(alibi_watch *w, const void *bytes, size_t length);

/* ---- explaining ---- */

/* Why one transaction came before another, or must have. */
typedef struct alibi_edge {
	size_t from, to;  /* in alibi_anomaly.txns */
	const char *kind; /* "wr", "ww", "rw", "so" (session order), "rt" (real time),
	                   * "predicate-wr", "predicate-rw" (by what a query did not find), … */
	const char *key;  /* JSON; NULL: it is not about a key */
	const char *text; /* T3 read x = 7, which T1 wrote, so T1 came before T3 */
} alibi_edge;

/* A contradiction: a cycle of edges, or, without edges, what the text says. */
typedef struct alibi_case {
	const char *assumption; /* "T1 came before T2"; NULL: none is needed */
	const char *text;
	size_t edge_count;
	const alibi_edge *edges;
} alibi_case;

/* One violation, reduced to the few transactions that show it. */
typedef struct alibi_anomaly {
	const char *name;             /* "lost-update" */
	const char *title;            /* "Lost update" */
	const char *adya;             /* "G-single"; NULL: has no such name */
	const char *summary;          /* a sentence or two with the user's ids in it */
	const alibi_history *reduced; /* violates the level by itself */
	size_t txn_count;             /* of `reduced`, in its order: … */
	const char *const *txns;      /* … their ids, JSON */
	size_t case_count;            /* more than one: together they leave no way out */
	const alibi_case *cases;
	bool lists_cut; /* of lists read, `reduced` has only the elements appended in it */
} alibi_anomaly;

typedef struct alibi_explanation {
	const char *level;
	size_t count;     /* independent violations, the simplest first */
	bool counted_all; /* false: there may be more */
	const alibi_anomaly *anomalies;
} alibi_explanation;

/* Of a result that violates, which came from checking h with these options. */
ALIBI_API const alibi_explanation *alibi_explain(alibi *a, const alibi_history *h,
                                                 const alibi_check_options *options,
                                                 const alibi_result *result);

/* ---- synthesis ---- */

/* Definitions of levels, as formulas; docs/synth.md has the language. The library has
 * some, and reads others from files whose names end in .level. */
typedef struct alibi_definition {
	const char *name, *title; /* title may be NULL */
	const char *over;         /* "co", or "vis, ar": what its formulas speak of */
	const char *same_as;      /* the level of alibi_check() that it is, or NULL */
	const char *text;         /* of the library's; else NULL */
} alibi_definition;

ALIBI_API size_t alibi_definition_count(void);
/* The library's. NULL: there is no memory. */
ALIBI_API const alibi_definition *alibi_definition_at(alibi *a, size_t index);

/* A SAT solver, which the caller supplies; the functions are those of IPASIR. */
typedef struct alibi_solver {
	const char *name;
	void *(*start)(void); /* NULL: there is no memory */
	void (*end)(void *s);
	void (*add)(void *s, int literal); /* 0 ends a clause */
	void (*assume)(void *s, int literal);
	int (*solve)(void *s);              /* 10: satisfiable, 20: not, 0: stopped */
	int (*value)(void *s, int literal); /* above 0: true */
	void (*stop_when)(void *s, int (*wanted)(void *data), void *data);
} alibi_solver;

typedef struct alibi_synth_options {
	const char *const *allow, *const *forbid; /* names, or paths of files */
	size_t allow_count, forbid_count;
	unsigned txns, keys, values; /* at most; values of a key, the initial one included */
	bool smallest;               /* of those with the fewest transactions: by operations */
	bool apart;                  /* every transaction has a session of its own */
	size_t count;                /* of histories; 0: 1 */
	const alibi_solver *solver;
} alibi_synth_options;

typedef struct alibi_synth_level {
	alibi_definition definition;
	bool allows;
	const char *witness; /* if it allows: the order, and who sees whom */
} alibi_synth_level;

typedef struct alibi_synth_history {
	const alibi_history *history;
	const char *text;     /* s1: T1 r(x,null) w(y,1), a line a transaction */
	const char *schedule; /* s1 T1 read x null, a line a step: how to bring it about; NULL if
	                         no level has an order for it */
	unsigned txns, keys, ops, sessions;
	size_t level_count; /* as in the options, those that allow it first */
	const alibi_synth_level *levels;
} alibi_synth_history;

/* Histories with fewer transactions come first. No two are the same but for names. */
typedef struct alibi_synthesis {
	size_t count;
	const alibi_synth_history *histories;
	bool all;           /* there are no others within the bounds, by the solver */
	unsigned exhausted; /* … with up to so many transactions */
	const char *reason; /* a limit ended it: which; else NULL */
	uint64_t proposals; /* histories that were looked at */
	uint64_t lessons;   /* and what they taught */
} alibi_synthesis;

/* Every history is confirmed by evaluating the formulas directly and, where
 * definition.same_as says so, by alibi_check(). */
ALIBI_API const alibi_synthesis *alibi_synth(alibi *a, const alibi_synth_options *options);

/* ---- reporting ---- */

enum alibi_report_kind {
	ALIBI_REPORT_TEXT,  /* for people at a terminal */
	ALIBI_REPORT_JSON,  /* a line for each history: docs/report.schema.json */
	ALIBI_REPORT_JUNIT, /* XML, for CI */
	ALIBI_REPORT_HTML,  /* a page that needs nothing but a browser; of one history */
	ALIBI_REPORT_SVG,   /* the pictures alone; of one history */
	ALIBI_REPORT_DOT,   /* the graphs, for Graphviz; of one history */
};

typedef struct alibi_report_options {
	size_t columns; /* text: lines are no longer than this; 0: they are never broken */
	bool colour;    /* text: with the escapes of a terminal */
	bool quiet;     /* text: the verdicts only */
	bool figures;   /* text: what a search took, too */
} alibi_report_options;

/* What came out about a history at one level. */
typedef struct alibi_finding {
	const char *level;         /* NULL: it was not known which */
	const char *asked, *whose; /* another name by which it was asked for; NULL: none */
	bool ignore_sessions;
	const alibi_result *result;           /* NULL: there is none, because of … */
	const alibi_error *error;             /* … this */
	const alibi_explanation *explanation; /* NULL: nobody asked for one */
} alibi_finding;

typedef struct alibi_reported {
	const char *name;             /* as the user calls it: its path */
	const alibi_history *history; /* NULL: it was not loaded */
	size_t finding_count;
	const alibi_finding *findings; /* several: at all levels, the weakest first; then … */
	const char *strongest;         /* … the strongest that holds (NULL: none), … */
	const char *claimed;           /* … the one that should (NULL: nobody says), and … */
	enum alibi_verdict verdict;    /* … whether it does; or, if nobody says, any */
	double seconds;
	double load_seconds; /* of CPU */
	size_t peak_bytes;
} alibi_reported;

/* A report is opened, told of one history after the other, and closed. What it
 * is told may belong to other jobs, and is not needed any more afterwards. path
 * "-" is standard output. A report that failed leaves no file behind. */
typedef struct alibi_report alibi_report;
ALIBI_API alibi_report *alibi_report_open(alibi *a, enum alibi_report_kind kind, const char *path,
                                          const alibi_report_options *options); /* NULL: none */
ALIBI_API bool alibi_report_add(alibi_report *r, const alibi_reported *reported);
ALIBI_API bool alibi_report_close(alibi_report *r);

#ifdef __cplusplus
}
#endif
#endif
