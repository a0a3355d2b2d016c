/*
 * jepsen: Jepsen's histories, in EDN or JSON.
 *
 * Jepsen and Elle write EDN, elle-cli reads JSON of the same shape: a sequence
 * of operations, each a map. An operation is either the invocation of a
 * transaction by a process or its completion:
 *
 *     {:index 4, :type :invoke, :process 0, :f :txn, :value [[:r 3 nil] [:append 3 7]]}
 *     {:index 9, :type :ok, :process 0, :f :txn, :value [[:r 3 [1 2]] [:append 3 7]]}
 *
 * An invocation and the next operation of its process are one transaction:
 *
 *     :process             the session; without it, the transaction is a session of its own
 *     :ok, :fail           commit, abort; the :value is that of the completion
 *     :info, or nothing    unknown
 *     :index, else :time   begin and end; of an unknown one, only the begin
 *     :index               also the id, if it rises: that of the completion, which Elle shows, or,
 *                          of an unknown one, of the invocation
 *     [:append k e]        append
 *     [:w k v]             write
 *     [:r k v]             read; unless :ok, a read of nil has no result, and is dropped
 *     :error, :f and all other members of the completion, and the other clock
 *                          info, an object
 *
 * Operations of processes that are not numbers (:nemesis) are annotations. Transactions are in the
 * order of their invocations.
 *
 * Reading and writing exist once; a table has what differs between the notations.
 */
#ifndef ALIBI_FORMAT_JEPSEN_H
#define ALIBI_FORMAT_JEPSEN_H

#include "format/json.h"
#include "format/sink.h"

/* How a notation is read: the cursor's functions. */
struct jepsen_notation {
	const char *open, *close; /* of a word: ":" and "", or two quotes */
	char (*peek)(struct json *j);
	bool (*open_list)(struct json *j, char *closing); /* false: none is here */
	void (*open_map)(struct json *j, const char *what);
	bool (*item)(struct json *j, bool *first, char closing);
	bool (*member)(struct json *j, bool *first, struct text *name);
	bool (*at_number)(struct json *j);
	int64_t (*integer)(struct json *j, const char *what);
	bool (*take_null)(struct json *j);
	uint32_t (*atom)(struct json *j, struct atoms *atoms, const char *what);
	struct text (*skip)(struct json *j);
	void (*render)(struct json *j, text_vec *out); /* as JSON, on one line */
};

void jepsen_read(struct source *s, struct builder *b, const struct jepsen_notation *n);

/* How a notation is written. */
struct jepsen_dialect {
	const char *open, *close;           /* of a word, as above */
	const char *after_name, *comma;     /* in a map */
	const char *space;                  /* between the items of a list */
	const char *null;                   /* no value */
	const char *txn, *info, *nemesis;   /* these words, as rendered by the notation */
	const char *first, *between, *last; /* around the operations of the file */
	void (*value)(struct sink *s, alibi_value v);
	void (*json)(struct sink *s, struct json *j); /* the JSON value at the cursor */
};

void jepsen_write(const struct history *h, struct sink *s, const struct jepsen_dialect *d);

#endif
