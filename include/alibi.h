/*
 * alibi: checks whether a database kept its isolation level.
 *
 * A history is what the clients of a database observed: sessions of transactions
 * of reads and writes. Load a history or build one, then check it:
 *
 *     alibi *a = alibi_new();
 *     const alibi_history *h = alibi_load(a, "history.jsonl", NULL);
 *     const alibi_result *r = h ? alibi_check(a, h, &(alibi_check_options){
 *                                      ALIBI_INIT(alibi_check_options), .level = "si"}) : NULL;
 *     if (r) puts(alibi_verdict_name(alibi_result_verdict(r)));
 *     else fprintf(stderr, "%s\n", alibi_last_error(a)->text);
 *     alibi_free(a);
 *
 * Memory. A job (alibi) owns everything that was made with it: histories, results,
 * reports and the strings they return. alibi_free() frees all of it.
 *
 * Errors. A function that returns a pointer returns NULL when it failed, one that
 * returns bool returns false. alibi_last_error() then has a code and a message for
 * the user. A verdict is never an error.
 *
 * Threads. There are no globals. A job belongs to one thread at a time; two jobs may
 * run in two threads. alibi_cancel() may be called from any thread and any signal handler.
 *
 * Strings are UTF-8 and end in a NUL. Ids, keys and values in results are JSON. The
 * library copies what it is given and needs to keep.
 *
 * Histories are untrusted. Messages, sentences, ids, keys, values and reports have no
 * control characters and none that set the direction of text: they are escaped, as in
 * \u001b. What the caller gets as it was recorded (alibi_value, the level and source of
 * a history, the file of an error) passes through alibi_escape() before it is printed.
 *
 * Structs. A struct whose first member is `size` may get new members at its end.
 * Initialize it with ALIBI_INIT(type), which sets the size and zeroes the rest; 0 is
 * the default of each member. The library reads and writes as many bytes as the
 * caller's struct has. It refuses a larger struct than it knows if the unknown part
 * is not zero, and zeroes the unknown part of a struct that it fills.
 *
 * Indexes count from 0. A function whose name ends in _at returns NULL or false if the
 * index is out of range; one that takes a job sets its error then, the others have none.
 *
 * The library does not print and does not exit. Callbacks must return; they must not
 * leave by longjmp() or by an exception. Misuse, such as a NULL job or an operation
 * after alibi_builder_finish(), is a bug of the caller and fails an assertion.
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

/* Opens an initializer, as in {ALIBI_INIT(alibi_check_options), .level = "ser"}. */
#define ALIBI_INIT(type) .size = sizeof(type)

/* ---- version ---- */

/* The version of this header. */
#define ALIBI_VERSION_MAJOR 0
#define ALIBI_VERSION_MINOR 1
#define ALIBI_VERSION_PATCH 0
#define ALIBI_VERSION_NUMBER                                                                       \
	(ALIBI_VERSION_MAJOR * 1000000 + ALIBI_VERSION_MINOR * 1000 + ALIBI_VERSION_PATCH)

/* The version of the library: "0.1.0", and as a number like ALIBI_VERSION_NUMBER. */
ALIBI_API const char *alibi_version(void);
ALIBI_API unsigned alibi_version_number(void);

/* ---- jobs ---- */

typedef struct alibi alibi;

ALIBI_API alibi *alibi_new(void); /* NULL: out of memory */
ALIBI_API void alibi_free(alibi *a);

/* Limits. A check that reaches one ends as `unknown`; other work fails with
 * ALIBI_MEMORY or ALIBI_TIMEOUT. 0: no limit, the default. */
ALIBI_API void alibi_set_memory_limit(alibi *a, size_t bytes);
ALIBI_API void alibi_set_timeout(alibi *a, double seconds); /* from this call on */

/* Ends the job's work, also from another thread or a signal handler. The job notices
 * within milliseconds: a check ends as `unknown`, other work fails with ALIBI_CANCELLED.
 * A cancelled job stays cancelled, and its results stay readable. */
ALIBI_API void alibi_cancel(alibi *a);

/* Called about ten times a second with the current stage of the work ("loading"),
 * and how much of it is done; total 0: not known. The call comes from the thread that
 * runs the job or from one of its workers, one call at a time. It may call
 * alibi_cancel() and alibi_searching() on the job, and no other function. */
typedef void alibi_progress_fn(void *data, const char *stage, uint64_t done, uint64_t total);
ALIBI_API void alibi_set_progress(alibi *a, alibi_progress_fn *fn, void *data);

enum alibi_code {
	ALIBI_OK,
	ALIBI_USAGE,     /* an argument or an option is wrong */
	ALIBI_INPUT,     /* the input is not valid; file, line and column say where */
	ALIBI_IO,        /* reading or writing failed */
	ALIBI_MEMORY,    /* the memory limit was reached, or the system has no more */
	ALIBI_TIMEOUT,   /* the time limit was reached */
	ALIBI_CANCELLED, /* alibi_cancel() was called */
};

typedef struct alibi_error {
	size_t size;
	enum alibi_code code;
	const char *text; /* the whole message, file and line included */
	const char *file; /* as it was named; NULL: not about a file */
	uint64_t line, column;
} alibi_error;

/* The error of the last call; its code is ALIBI_OK if that call succeeded. Valid until
 * the next call. */
ALIBI_API const alibi_error *alibi_last_error(const alibi *a);
/* The most memory that the job has used so far. */
ALIBI_API size_t alibi_peak_bytes(const alibi *a);

/* ---- text from outside ---- */

enum alibi_escape {
	ALIBI_ESCAPE_TEXT,   /* for a terminal or a log: ESC is \u001b, the byte 0xff is \xff */
	ALIBI_ESCAPE_JSON,   /* inside the quotes of a JSON string */
	ALIBI_ESCAPE_MARKUP, /* in XML and HTML: contents and attributes in quotes */
	ALIBI_ESCAPE_LABEL,  /* inside quotes, with backslashes: DOT, labels of Prometheus */
};

/* Writes the text so that it is safe to print there: UTF-8 without control characters
 * (C0, DEL, C1), line separators and characters that set the direction of text. As
 * snprintf(), it writes at most room bytes, NUL included, and returns the length of the
 * whole. What it writes has at most 7 times the bytes of the text. */
ALIBI_API size_t alibi_escape(enum alibi_escape how, const char *text, size_t length, char *to,
                              size_t room);

/* ---- values, operations, transactions ---- */

enum alibi_kind {
	ALIBI_NULL, /* an absent key; as an id or a session: none */
	ALIBI_BOOL,
	ALIBI_INT,
	ALIBI_STRING,
	ALIBI_ROW,     /* a flat JSON object as text; a null member equals an absent one */
	ALIBI_LIST,    /* of the other kinds; only as the value of a read */
	ALIBI_DECIMAL, /* a number that is not an integer of 64 bits, as JSON text */
};

/* This struct, alone with alibi_stamp, never changes. */
typedef struct alibi_value {
	enum alibi_kind kind;
	int64_t integer;  /* ALIBI_INT; ALIBI_BOOL: 0 or 1 */
	const char *text; /* ALIBI_STRING, ALIBI_ROW, ALIBI_DECIMAL; need not end in a NUL */
	size_t length;    /* bytes of text, or number of items */
	const struct alibi_value *items;
} alibi_value;

enum alibi_op_kind {
	ALIBI_READ,
	ALIBI_WRITE,  /* the value ALIBI_NULL deletes the key */
	ALIBI_APPEND, /* to a list */
	ALIBI_QUERY,  /* a read or write with WHERE, as JSON */
};

typedef struct alibi_op {
	size_t size;
	enum alibi_op_kind kind;
	bool has_from; /* reads: the database named the transaction that wrote the value */
	alibi_value key, value;
	alibi_value from; /* its id; ALIBI_NULL: the initial version */
	/* ALIBI_QUERY: ["q", …] or ["u", …] as in a file (docs/history-format.md), and the only
	 * member that counts besides kind. */
	const char *json;
	size_t json_length;
} alibi_op;

enum alibi_status { ALIBI_COMMIT, ALIBI_ABORT, ALIBI_UNKNOWN_STATUS };

/* A timestamp of the database; logical is 0 unless it has a hybrid logical clock. */
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
	size_t size;
	alibi_value id;      /* integer or string, unique; ALIBI_NULL: its number, from 1 */
	alibi_value session; /* integer or string; ALIBI_NULL: a session of its own */
	enum alibi_status status;
	unsigned has;                    /* which of the next four are given: enum alibi_has */
	int64_t begin, end;              /* by the client's clock */
	alibi_stamp start_ts, commit_ts; /* by the database */
	const char *info;                /* JSON text, kept as it is, or NULL */
	size_t info_length;
	size_t op_count; /* filled by alibi_history_txn_at(); else not read */
} alibi_txn;

/* ---- building a history ---- */

typedef struct alibi_history alibi_history;
typedef struct alibi_builder alibi_builder;

/* Operations are added one at a time; alibi_builder_end() closes their transaction.
 * The transactions of a session are added in session order. A refused call adds
 * nothing, and the builder can be used on. */
ALIBI_API alibi_builder *alibi_builder_new(alibi *a);
ALIBI_API bool alibi_builder_op(alibi_builder *b, const alibi_op *op);
ALIBI_API bool alibi_builder_end(alibi_builder *b, const alibi_txn *txn);
/* The initial value of a key; key NULL: of all other keys. Default: absent. */
ALIBI_API bool alibi_builder_initial(alibi_builder *b, const alibi_value *key,
                                     const alibi_value *value);
/* For the header: the level that the database claims, and where the history comes from,
 * as free text. NULL: not known. */
ALIBI_API bool alibi_builder_source(alibi_builder *b, const char *level, const char *source);
/* For the header: what the database's timestamps mean. A start_ts is the snapshot of the
 * transaction's reads, and commit_ts the order of versions; with "snapshot" that is all, as in
 * PostgreSQL, and with "serial" the transactions are also serial in the order of commit_ts.
 * NULL: not known, which is as "snapshot". */
ALIBI_API bool alibi_builder_timestamps(alibi_builder *b, const char *meaning);
ALIBI_API const alibi_history *alibi_builder_finish(alibi_builder *b);

/* ---- loading and saving ---- */

typedef struct alibi_load_options {
	size_t size;
	const char *format; /* NULL: detected from the content */
	/* The initial value of keys for which the input has none, as JSON; or first-read: what a
	 * committed transaction first read there though none wrote it. */
	const char *initial;
	/* Of Jepsen's histories: the model, such as "cas-register", that says what the operations
	 * are (docs/models.md). NULL: transactions. */
	const char *model;
} alibi_load_options;

/* path: a file, a directory for the formats that are one, or "-" for standard input.
 * Compression (gzip, xz, zstd) is detected. options NULL: the defaults. */
ALIBI_API const alibi_history *alibi_load(alibi *a, const char *path,
                                          const alibi_load_options *options);
/* The same from memory. name: what messages call the input. */
ALIBI_API const alibi_history *alibi_load_memory(alibi *a, const char *name, const void *bytes,
                                                 size_t length, const alibi_load_options *options);

/* Takes the next bytes of an output; false: it failed, and no more bytes come. */
typedef bool alibi_write_fn(void *data, const void *bytes, size_t length);

/* path "-": standard output. *dropped, if not NULL, gets a list of what the format cannot
 * express, or NULL if nothing was lost. If it fails, there is no file. */
ALIBI_API bool alibi_save(alibi *a, const alibi_history *h, const char *path, const char *format,
                          const char **dropped);
/* The same to a callback; not for formats that are directories. */
ALIBI_API bool alibi_save_to(alibi *a, const alibi_history *h, alibi_write_fn *write, void *data,
                             const char *format, const char **dropped);

typedef struct alibi_format_info {
	size_t size;
	bool directory;
	const char *name, *title;
} alibi_format_info;

ALIBI_API size_t alibi_format_count(void);
ALIBI_API bool alibi_format_at(size_t index, alibi_format_info *out);

/* ---- what is in a history ---- */

typedef struct alibi_stats {
	size_t size;
	const char *format, *source, *claimed_level; /* the last two may be NULL */
	uint64_t txns, committed, aborted, unknown, sessions;
	uint64_t ops, reads, writes, deletes, appends, list_reads;
	uint64_t keys, list_keys, values, annotations;
	uint64_t with_client_times, with_timestamps, with_info; /* transactions */
	uint64_t reads_with_writer;                             /* has_from */
	uint64_t queries;
	uint64_t bytes;         /* memory of the history */
	const char *timestamps; /* as in alibi_builder_timestamps() */
} alibi_stats;

ALIBI_API void alibi_history_stats(const alibi_history *h, alibi_stats *out);

/* Transactions stand in the order of the input, so those of a session in session order.
 * What *out points to lives as long as the job. */
ALIBI_API size_t alibi_history_txn_count(const alibi_history *h);
ALIBI_API bool alibi_history_txn_at(const alibi_history *h, size_t txn, alibi_txn *out);
/* An operation of a transaction; a query with its rows is one operation. What *out points
 * to is valid until the next call for this job. */
ALIBI_API bool alibi_history_op_at(alibi *a, const alibi_history *h, size_t txn, size_t op,
                                   alibi_op *out);

/* ---- levels ---- */

typedef struct alibi_level_info {
	size_t size;
	const char *name, *title;
	const char *definition; /* in plain words */
	const char *forbids;    /* anomalies that the next weaker level allows */
	/* An example: a history that this level forbids and the next weaker one allows. That of the
	 * weakest is forbidden at every level, and allowed without session order. */
	const char *anomaly; /* "write skew" */
	const char *history; /* "s1: T1 r(x,null) w(y,1) from 1 to 2", one line per transaction */
	const char *file;    /* where the source of this library has it */
	const char *why;
} alibi_level_info;

/* From the weakest to the strongest. */
ALIBI_API size_t alibi_level_count(void);
ALIBI_API bool alibi_level_at(size_t index, alibi_level_info *out);

/* ---- checking ---- */

enum alibi_verdict { ALIBI_VALID, ALIBI_VIOLATES, ALIBI_UNKNOWN };
ALIBI_API const char *alibi_verdict_name(enum alibi_verdict verdict); /* "valid", … */

enum alibi_order {
	ALIBI_ORDER_NONE,       /* no order is known: search for one */
	ALIBI_ORDER_TIMESTAMPS, /* replay the database's timestamps; at si and ser */
};

typedef struct alibi_check_options {
	size_t size;
	/* A name of alibi_level_at(), or for alibi_check() also a definition (see synthesis): a
	 * name of alibi_definition_at(), or a file. alibi_check_all() ignores it. */
	const char *level;
	enum alibi_order order;
	unsigned threads;       /* of a search; 0: one */
	bool ignore_sessions;   /* drop session order from the level */
	bool assume_time_order; /* real-time order counts at every level, not only at sser */
	bool has_clock_skew;    /* the clients' clocks differ by at most … */
	uint64_t clock_skew;    /* … this, in their unit; else what the history says, or 0 */
	uint64_t require_txns;  /* with fewer committed transactions the verdict is `unknown` */
	size_t max_violations;  /* to describe; all are counted; 0: 1000 */
	const char *timestamps; /* their meaning, instead of what the history says; or NULL */
	/* Of a recording in which less than this share of the time had commits, `valid` becomes
	 * `unknown`. 0: 0.5; below 0: no share is required. */
	double min_commits;
	/* alibi_explain(): takes about so long, and does not check a large history again; 0: as
	 * long as it takes. */
	double explain_seconds;
} alibi_check_options;

typedef struct alibi_result alibi_result;

/* Checks one level. */
ALIBI_API const alibi_result *alibi_check(alibi *a, const alibi_history *h,
                                          const alibi_check_options *options);

ALIBI_API enum alibi_verdict alibi_result_verdict(const alibi_result *r);
ALIBI_API const char *alibi_result_level(const alibi_result *r);
ALIBI_API const char *alibi_result_reason(const alibi_result *r); /* of unknown; else NULL */
/* The level from whose verdict this one follows, or NULL. */
ALIBI_API const char *alibi_result_implied_by(const alibi_result *r);
/* What the verdict rests on, as a sentence, or NULL. */
ALIBI_API const char *alibi_result_basis(const alibi_result *r);

/* A contradiction between the order and what was observed. */
typedef struct alibi_violation {
	size_t size;
	const char *kind;                   /* SESSION, INT, EXT, NOCONFLICT, ORDER */
	const char *txn, *other;            /* other: NULL if no second transaction is involved */
	const char *key, *expected, *found; /* NULL where they do not apply */
	const char *text;                   /* all of it as a sentence */
} alibi_violation;

/* The kind of a violation or of a finding of a watch in words, such as "write conflict". NULL:
 * the sentence is enough. */
ALIBI_API const char *alibi_kind_title(const char *kind);

ALIBI_API uint64_t alibi_result_violation_count(const alibi_result *r);
ALIBI_API bool alibi_result_counted_all(const alibi_result *r); /* false: there are more */
/* The violations that are described; fewer than counted if there are very many. */
ALIBI_API size_t alibi_result_described(const alibi_result *r);
ALIBI_API bool alibi_result_violation_at(const alibi_result *r, size_t index, alibi_violation *out);

/* The certificate that a search leaves, for alibi_verify(); NULL: none. */
ALIBI_API const void *alibi_result_certificate(const alibi_result *r, size_t *length);

/* How much the check could have caught. Reads are external reads of committed
 * transactions: those before any own write of the key. A conflict is a key that two
 * sessions use, at least one of them writing. */
typedef struct alibi_coverage {
	size_t size;
	bool counted; /* false: a limit came first, and the rest says nothing */
	bool has_client_times;
	bool could_violate; /* false: the level holds whatever values were read */
	uint64_t reads;
	uint64_t contended_reads; /* of keys with several writers */
	uint64_t contended_keys;  /* with several writers */
	uint64_t conflicts;
	uint64_t overlapping_conflicts; /* at least so many were concurrent, by client times */
	uint64_t conflicting_sessions;
	const char *says_no_more_than; /* the weakest level with the same verdict; NULL: none */
	const char *warning;           /* why the verdict says little, and what to do; or NULL */
	uint64_t queries;              /* of committed transactions */
	uint64_t contended_queries;    /* about keys that another transaction writes */
} alibi_coverage;
ALIBI_API void alibi_result_coverage(const alibi_result *r, alibi_coverage *out);

/* What a search cost; all 0 without one. Seconds are of CPU, of all threads together. */
typedef struct alibi_work {
	size_t size;
	double prepare_seconds;  /* candidate writers of reads, and a first order */
	double saturate_seconds; /* deriving edges without guessing */
	double solve_seconds;    /* guessing, and learning from conflicts */
	double verify_seconds;   /* verifying the certificate */
	uint64_t unsure_reads;   /* with several candidate writers */
	uint64_t derived;        /* edges found by saturation */
	uint64_t choices;        /* pairs of events whose order had to be guessed */
	uint64_t rounds;         /* complete orders that were examined */
	uint64_t conflicts;
	uint64_t components;      /* of transactions that cannot affect each other; 0: no search */
	double largest_component; /* its share of the transactions */
} alibi_work;
ALIBI_API void alibi_result_work(const alibi_result *r, alibi_work *out);

/* Whether a violation rests on the clients' clocks. */
typedef struct alibi_clocks {
	size_t size;
	bool alone;          /* it rests on them alone: … */
	bool least;          /* `enough` is the least skew; false: less may do */
	bool ahead;          /* the clock of `session` seems ahead; else behind */
	uint64_t enough;     /* … the level holds if clocks may differ by this much */
	const char *session; /* JSON: it also holds without its times; NULL: no single session */
} alibi_clocks;
ALIBI_API void alibi_result_clocks(const alibi_result *r, alibi_clocks *out);

/* Checks all levels in one run. A limit or alibi_cancel() ends those that are not decided, as
 * `unknown`. */
typedef struct alibi_levels alibi_levels;
ALIBI_API const alibi_levels *alibi_check_all(alibi *a, const alibi_history *h,
                                              const alibi_check_options *options);
ALIBI_API size_t alibi_levels_count(const alibi_levels *l);
ALIBI_API const alibi_result *alibi_levels_at(const alibi_levels *l, size_t index);
/* The strongest level that holds; NULL: none, or it is not known. */
ALIBI_API const char *alibi_levels_strongest(const alibi_levels *l);

/* How a search goes, on one of its threads; for a function that is called with progress. */
typedef struct alibi_search_state {
	size_t size;
	const char *level;                      /* NULL: there is no search */
	double seconds;                         /* at this level */
	const char *trying, *next, *next_level; /* "a serial order"; or NULL */
	uint64_t orders, conflicts;
	uint64_t txns, placed; /* in the latest order; before its first violated rule */
} alibi_search_state;
ALIBI_API void alibi_searching(const alibi *a, alibi_search_state *out);
/* Called by alibi_check_all() when a level is known to be valid or violated. */
typedef void alibi_decided_fn(void *data, const alibi_result *result);
ALIBI_API void alibi_set_decided(alibi *a, alibi_decided_fn *fn, void *data);

/* ---- verifying a certificate ---- */

typedef struct alibi_verification alibi_verification;
ALIBI_API const alibi_verification *alibi_verify(alibi *a, const alibi_history *h,
                                                 const char *path);
ALIBI_API const alibi_verification *alibi_verify_memory(alibi *a, const alibi_history *h,
                                                        const void *bytes, size_t length);
ALIBI_API bool alibi_verification_accepted(const alibi_verification *v);
/* What it proves, if it was accepted. */
ALIBI_API enum alibi_verdict alibi_verification_verdict(const alibi_verification *v);
ALIBI_API const char *alibi_verification_level(const alibi_verification *v);  /* NULL: unreadable */
ALIBI_API const char *alibi_verification_reason(const alibi_verification *v); /* if refused */

/* ---- explaining a violation ---- */

/* An explanation has anomalies that rest on different reads, the simplest first. An
 * anomaly is reduced to the fewest transactions that still violate the level. It has
 * one case or several; together they exclude every order. A case is a contradiction: a
 * cycle of edges, or, without edges, what its text says. */
typedef struct alibi_explanation alibi_explanation;
typedef struct alibi_anomaly alibi_anomaly;
typedef struct alibi_case alibi_case;

/* result: a violation, from checking h with these options; of another history it is refused. If a
 * limit ends this, what was found before it is the explanation. An anomaly is named by the weakest
 * level that it violates. */
ALIBI_API const alibi_explanation *alibi_explain(alibi *a, const alibi_history *h,
                                                 const alibi_check_options *options,
                                                 const alibi_result *result);
ALIBI_API const char *alibi_explanation_level(const alibi_explanation *e);
ALIBI_API bool alibi_explanation_counted_all(const alibi_explanation *e); /* false: maybe more */
ALIBI_API size_t alibi_explanation_anomaly_count(const alibi_explanation *e);
ALIBI_API const alibi_anomaly *alibi_explanation_anomaly_at(const alibi_explanation *e,
                                                            size_t index);

ALIBI_API const char *alibi_anomaly_name(const alibi_anomaly *m);    /* "lost-update" */
ALIBI_API const char *alibi_anomaly_title(const alibi_anomaly *m);   /* "Lost update" */
ALIBI_API const char *alibi_anomaly_adya(const alibi_anomaly *m);    /* "G-single"; NULL: none */
ALIBI_API const char *alibi_anomaly_summary(const alibi_anomaly *m); /* with the user's ids */
ALIBI_API const char *alibi_anomaly_advice(const alibi_anomaly *m);  /* what to do; NULL: none */
/* Its transactions, as a history that violates the level. */
ALIBI_API const alibi_history *alibi_anomaly_reduced(const alibi_anomaly *m);
/* In `reduced`, lists have only the elements that its transactions append. */
ALIBI_API bool alibi_anomaly_lists_cut(const alibi_anomaly *m);
/* The ids of the transactions of `reduced`, in its order. */
ALIBI_API size_t alibi_anomaly_txn_count(const alibi_anomaly *m);
ALIBI_API const char *alibi_anomaly_txn_at(const alibi_anomaly *m, size_t index);
ALIBI_API size_t alibi_anomaly_case_count(const alibi_anomaly *m);
ALIBI_API const alibi_case *alibi_anomaly_case_at(const alibi_anomaly *m, size_t index);

/* "T1 came before T2"; NULL: nothing has to be assumed. */
ALIBI_API const char *alibi_case_assumption(const alibi_case *c);
ALIBI_API const char *alibi_case_text(const alibi_case *c);
ALIBI_API size_t alibi_case_edge_count(const alibi_case *c);

/* Why one transaction came before another. */
typedef struct alibi_edge {
	size_t size;
	size_t from, to;  /* transactions of the anomaly */
	const char *kind; /* "wr", "ww", "rw", "so" (session order), "rt" (real time),
	                   * "predicate-wr", "predicate-rw", … */
	const char *key;  /* JSON; NULL: not about a key */
	const char *text; /* "T3 read x = 7, which T1 wrote, so T1 came before T3" */
} alibi_edge;
ALIBI_API bool alibi_case_edge_at(const alibi_case *c, size_t index, alibi_edge *out);

/* ---- watching a stream ---- */

/* Checks while the database runs. Transactions arrive in any order, those of a session
 * in session order. Each finding is reported once, as soon as it is certain, and state
 * that no later transaction can read is dropped. */
typedef struct alibi_watch alibi_watch;

/* A key-value store, supplied by the caller, for keys that would take too much memory.
 * Each thread opens one of its own; it starts empty, and is not needed after the watch.
 * Functions that return bool return false if they failed. */
typedef bool alibi_store_fn(void *data, const void *key, size_t key_length, const void *bytes,
                            size_t length);
typedef struct alibi_store {
	size_t size;
	void *(*open)(void *data, uint32_t thread); /* NULL: out of memory */
	/* Visible to the other functions after flush(). A key has at most 511 bytes; its
	 * previous value is replaced. */
	bool (*put)(void *store, const void *key, size_t key_length, const void *bytes,
	            size_t length);
	bool (*flush)(void *store);
	/* *bytes NULL: not found. Valid until the next call. */
	bool (*get)(void *store, const void *key, size_t key_length, const void **bytes,
	            size_t *length);
	/* Calls fn for each key until it returns false; then each() returns false, too. */
	bool (*each)(void *store, alibi_store_fn *fn, void *data);
	const char *(*why)(void *store); /* the error message; NULL: no error */
	void (*close)(void *store);
} alibi_store;

typedef struct alibi_watch_options {
	size_t size;
	const char *level;   /* si or ser; by client clocks ser or sser, by fences ser */
	const char *initial; /* as in alibi_load_options */
	bool ignore_sessions;
	bool has_horizon; /* false: only alibi_watch_advance() moves the watermark */
	uint64_t horizon; /* how far behind the newest commit_ts a transaction may arrive */
	uint64_t longest; /* the most time between start_ts and commit_ts */
	/* Check one of `shards` parts of the keys and sessions, from 0; shards 0: all. The parts
	 * together find what one watch finds, each finding once. */
	uint32_t shard, shards;
	/* When the job uses more than store_above bytes, keys without recent use go to the
	 * store. NULL: they stay. */
	const alibi_store *store;
	void *store_data;
	size_t store_above;
	uint32_t threads; /* 0: one */
	/* By the clients' clocks (begin, end) instead of timestamps: a search in rounds. All
	 * distances are in the unit of these clocks. */
	bool client_times;
	bool has_clock_skew; /* as in alibi_check_options */
	uint64_t clock_skew;
	size_t round; /* at least so many transactions between rounds; 0: 4096 */
	/* By fences, without any clocks: the key, as JSON, that every session reads and then
	 * writes now and then, each time with a new value (docs/watch.md). NULL: none. The
	 * horizon then counts fences: a session that makes none while the others make that many
	 * has ended. */
	const char *fence;
	uint64_t fence_sessions; /* nothing is settled before so many sessions have appeared */
	const char *timestamps;  /* as in alibi_check_options */
} alibi_watch_options;

/* options: see alibi_watch_options. */
ALIBI_API alibi_watch *alibi_watch_new(alibi *a, const alibi_watch_options *options);

/* Transactions arrive either through this builder, which is never finished, … */
ALIBI_API alibi_builder *alibi_watch_builder(alibi_watch *w);
/* … or as JSON Lines, split anywhere. name: of the input, for messages. After an error
 * the watch takes no more input; events from before it can still be read. */
ALIBI_API bool alibi_watch_text(alibi_watch *w, const char *name, const char *text, size_t length);

/* Moves the watermark: no transaction will arrive that commits at or before `settled` or
 * starts before `oldest`. */
ALIBI_API bool alibi_watch_advance(alibi_watch *w, alibi_stamp settled, alibi_stamp oldest);
/* The messages with these numbers were lost at this point of the stream. What they might
 * explain becomes undecided. Text before this must end in a whole line. */
ALIBI_API bool alibi_watch_gap(alibi_watch *w, uint64_t from, uint64_t until);
/* The stream has ended; a last line without a newline is complete. */
ALIBI_API bool alibi_watch_finish(alibi_watch *w);

enum alibi_watch_what {
	ALIBI_WATCH_VIOLATION,
	ALIBI_WATCH_UNDECIDED,  /* a mismatch that a tie or an unknown outcome may explain */
	ALIBI_WATCH_UNVERIFIED, /* a transaction, or a lost message, that cannot be checked */
};

/* Why something is unverified: docs/watch.md. */
enum alibi_watch_reason {
	ALIBI_WATCH_LATE,
	ALIBI_WATCH_LONG,
	ALIBI_WATCH_STAMPS,
	ALIBI_WATCH_TIMES,
	ALIBI_WATCH_OUTCOME,
	ALIBI_WATCH_FENCE,
	ALIBI_WATCH_GONE,
	ALIBI_WATCH_REASONS,         /* the number of reasons of this version */
	ALIBI_WATCH_REASONS_MAX = 16 /* … and of any version */
};
ALIBI_API const char *alibi_watch_reason_name(enum alibi_watch_reason reason); /* "LATE", … */

/* The next event; NULL: there is none yet, or an error (alibi_last_error()). Valid until
 * more input arrives. */
typedef struct alibi_watch_event alibi_watch_event;
ALIBI_API const alibi_watch_event *alibi_watch_next(alibi_watch *w);
ALIBI_API enum alibi_watch_what alibi_watch_event_what(const alibi_watch_event *e);
/* Identifies the finding: the same in every run on the same stream. */
ALIBI_API const char *alibi_watch_event_id(const alibi_watch_event *e);
/* Its kind may also be TIE, or, if unverified, the name of a reason. */
ALIBI_API void alibi_watch_event_violation(const alibi_watch_event *e, alibi_violation *out);
/* LATE: reads of these keys, a JSON list, between these timestamps, JSON as well, were
 * checked without the transaction. GONE: the first and last number of the lost messages.
 * Else NULL. */
ALIBI_API const char *alibi_watch_event_keys(const alibi_watch_event *e);
ALIBI_API const char *alibi_watch_event_from(const alibi_watch_event *e);
ALIBI_API const char *alibi_watch_event_until(const alibi_watch_event *e);
/* By client clocks: the transactions of the counterexample, a JSON list; else NULL. */
ALIBI_API const char *alibi_watch_event_txns(const alibi_watch_event *e);

typedef struct alibi_watch_stats {
	size_t size;
	enum alibi_verdict verdict; /* so far, about what has been checked */
	bool stands;    /* there is a violation that no later transaction can explain away */
	bool any_stamp; /* `newest` and `settled` are given */
	uint64_t txns, committed, aborted, unknown; /* each transaction once, … */
	uint64_t duplicates;                        /* … however often it arrived */
	uint64_t ops;
	uint64_t violations, undecided, unverified;         /* events */
	uint64_t by_session, by_int, by_ext, by_noconflict; /* violations by kind */
	uint64_t by_order;                                  /* by clocks: counterexamples */
	uint64_t by_reason[ALIBI_WATCH_REASONS_MAX];        /* unverified */
	uint64_t lost;                                      /* messages: alibi_watch_gap() */
	uint64_t waiting;                                   /* in-flight transactions */
	uint64_t keys, versions, sessions;                  /* in the window */
	uint64_t rounds;                                    /* by clocks: how many were searched */
	uint64_t gone;        /* by clocks: transactions that left the window */
	uint64_t fences;      /* in the chain */
	alibi_value holds_up; /* the session that holds the watermark back, … */
	uint64_t passed;      /* … and the number of its last fence, from 1; 0: none */
	alibi_stamp newest;   /* commit */
	alibi_stamp settled;  /* the watermark; by fences, numbers of fences */
	uint64_t unread;      /* bytes of an incomplete line */
	uint64_t bytes;       /* memory of the job */
	/* What the timestamps mean (alibi_builder_timestamps()), by the options or the stream. */
	const char *timestamps;
} alibi_watch_stats;
/* What *out points to is valid until more input arrives. */
ALIBI_API void alibi_watch_statistics(const alibi_watch *w, alibi_watch_stats *out);

/* A checkpoint: the whole state as bytes, for a new watch with the same options. All
 * events must have been read; an incomplete line is left out. */
ALIBI_API bool alibi_watch_save(alibi_watch *w, alibi_write_fn *write, void *data);
ALIBI_API bool alibi_watch_load(alibi_watch *w, const void *bytes, size_t length);

/* ---- synthesis ---- */

/* The definition of a level as formulas (docs/synth.md), from the library or from a file
 * whose name ends in .level. */
typedef struct alibi_definition alibi_definition;
ALIBI_API size_t alibi_definition_count(void); /* of the library */
ALIBI_API const alibi_definition *alibi_definition_at(alibi *a, size_t index);
ALIBI_API const char *alibi_definition_name(const alibi_definition *d);
ALIBI_API const char *alibi_definition_title(const alibi_definition *d); /* or NULL */
ALIBI_API const char *alibi_definition_over(const alibi_definition *d);  /* "co" or "vis, ar" */
/* The level of alibi_check() that it defines, or NULL. */
ALIBI_API const char *alibi_definition_same_as(const alibi_definition *d);
ALIBI_API const char *alibi_definition_text(const alibi_definition *d); /* NULL: of a file */

/* A SAT solver, supplied by the caller; the functions are those of IPASIR. */
typedef struct alibi_solver {
	size_t size;
	const char *name;
	void *(*start)(void); /* NULL: out of memory */
	void (*end)(void *s);
	void (*add)(void *s, int literal); /* 0 ends a clause */
	void (*assume)(void *s, int literal);
	int (*solve)(void *s);              /* 10: satisfiable, 20: unsatisfiable, 0: stopped */
	int (*value)(void *s, int literal); /* above 0: true */
	void (*stop_when)(void *s, int (*wanted)(void *data), void *data);
} alibi_solver;

typedef struct alibi_synth_options {
	size_t size;
	const char *const *allow, *const *forbid; /* names, or paths of files */
	size_t allow_count, forbid_count;
	unsigned txns, keys, values; /* at most; values of a key, with the initial one */
	bool smallest;               /* of those with the fewest transactions: by operations */
	bool apart;                  /* every transaction has a session of its own */
	size_t count;                /* of histories; 0: 1 */
	const alibi_solver *solver;
} alibi_synth_options;

/* Searches for histories that some levels allow and others forbid, those with fewer
 * transactions first; no two are equal up to names. Each is confirmed by evaluating the
 * formulas and, where alibi_definition_same_as() names a level, by alibi_check(). */
typedef struct alibi_synthesis alibi_synthesis;
typedef struct alibi_synth_history alibi_synth_history;
typedef struct alibi_synth_level alibi_synth_level;

ALIBI_API const alibi_synthesis *alibi_synth(alibi *a, const alibi_synth_options *options);
ALIBI_API size_t alibi_synthesis_count(const alibi_synthesis *s);
ALIBI_API const alibi_synth_history *alibi_synthesis_at(const alibi_synthesis *s, size_t index);
/* There are no others within the bounds, by the solver. */
ALIBI_API bool alibi_synthesis_all(const alibi_synthesis *s);
/* There are no others with up to so many transactions. */
ALIBI_API unsigned alibi_synthesis_exhausted(const alibi_synthesis *s);
ALIBI_API const char *alibi_synthesis_reason(const alibi_synthesis *s); /* the limit, or NULL */
ALIBI_API uint64_t alibi_synthesis_proposals(const alibi_synthesis *s); /* candidates tried */
ALIBI_API uint64_t alibi_synthesis_lessons(const alibi_synthesis *s);   /* clauses learned */

ALIBI_API const alibi_history *alibi_synth_history_history(const alibi_synth_history *h);
/* "s1: T1 r(x,null) w(y,1)", one line per transaction. */
ALIBI_API const char *alibi_synth_history_text(const alibi_synth_history *h);
/* "s1 T1 read x null", one line per step that produces it; NULL: no level allows it. */
ALIBI_API const char *alibi_synth_history_schedule(const alibi_synth_history *h);
ALIBI_API unsigned alibi_synth_history_txns(const alibi_synth_history *h);
ALIBI_API unsigned alibi_synth_history_keys(const alibi_synth_history *h);
ALIBI_API unsigned alibi_synth_history_ops(const alibi_synth_history *h);
ALIBI_API unsigned alibi_synth_history_sessions(const alibi_synth_history *h);
/* The levels of the options, those that allow it first. */
ALIBI_API size_t alibi_synth_history_level_count(const alibi_synth_history *h);
ALIBI_API const alibi_synth_level *alibi_synth_history_level_at(const alibi_synth_history *h,
                                                                size_t index);
ALIBI_API const alibi_definition *alibi_synth_level_definition(const alibi_synth_level *l);
ALIBI_API bool alibi_synth_level_allows(const alibi_synth_level *l);
/* If it allows: the order and the visibility that satisfy it; else NULL. */
ALIBI_API const char *alibi_synth_level_witness(const alibi_synth_level *l);

/* ---- reporting ---- */

enum alibi_report_kind {
	ALIBI_REPORT_TEXT,  /* for a terminal */
	ALIBI_REPORT_JSON,  /* one line per history: docs/report.schema.json */
	ALIBI_REPORT_JUNIT, /* XML, for CI */
	ALIBI_REPORT_HTML,  /* a self-contained page; of one history */
	ALIBI_REPORT_SVG,   /* the drawings alone; of one history */
	ALIBI_REPORT_DOT,   /* the graphs, for Graphviz; of one history */
	/* HTML for a page of your own, with the style and script of a page: the first anomaly of a
	 * history, or, if there is none, its transactions, under the name of the history. */
	ALIBI_REPORT_SECTION,
};

typedef struct alibi_report_options {
	size_t size;
	bool colour;      /* text: with terminal escapes */
	bool quiet;       /* text: only the verdicts */
	bool figures;     /* text: also what a search cost */
	size_t columns;   /* text: wrap lines at this width; 0: never */
	size_t number;    /* section: which one of the page, from 1; 0: 1 */
	const char *note; /* section: a paragraph below its heading, or NULL */
} alibi_report_options;

/* The outcome for a history at one level. */
typedef struct alibi_finding {
	size_t size;
	const char *level;         /* NULL: not known */
	const char *asked, *whose; /* the level by another name, and whose name; or NULL */
	bool ignore_sessions;
	const alibi_result *result;           /* NULL: there is none, because of … */
	const alibi_error *error;             /* … this */
	const alibi_explanation *explanation; /* or NULL */
} alibi_finding;

typedef struct alibi_reported {
	size_t size;
	const char *name;             /* of the history: its path */
	const alibi_history *history; /* NULL: it was not loaded */
	size_t finding_count;
	const alibi_finding
	        *findings;          /* an array; several: all levels, the weakest first; then … */
	const char *strongest;      /* … the strongest that holds, or NULL, … */
	const char *claimed;        /* … the one that the history claims, or NULL, and … */
	enum alibi_verdict verdict; /* … whether it holds, or the expected one */
	double seconds;
	double load_seconds; /* of CPU */
	uint64_t peak_bytes;
	const char *expected; /* of all levels: it decides instead of the claimed one; or NULL */
} alibi_reported;

/* A report is opened, gets one history after the other, and is closed. What it is given
 * may belong to other jobs and is not kept. If it fails, it is closed and there is no
 * file. path "-": standard output. options NULL: the defaults. */
typedef struct alibi_report alibi_report;
ALIBI_API alibi_report *alibi_report_open(alibi *a, enum alibi_report_kind kind, const char *path,
                                          const alibi_report_options *options);
/* The same to a callback. */
ALIBI_API alibi_report *alibi_report_to(alibi *a, enum alibi_report_kind kind,
                                        alibi_write_fn *write, void *data,
                                        const alibi_report_options *options);
ALIBI_API bool alibi_report_add(alibi_report *r, const alibi_reported *reported);
ALIBI_API bool alibi_report_close(alibi_report *r);

#ifdef __cplusplus
}
#endif
#endif
