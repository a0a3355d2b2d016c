/*
 * jepsen_call: an invocation and its completion in a Jepsen history, and what else the two passes
 * over it (jepsen.c) share with the models that read operations which are not transactions
 * (jepsen_model.h).
 */
#ifndef ALIBI_FORMAT_JEPSEN_CALL_H
#define ALIBI_FORMAT_JEPSEN_CALL_H

#include "format/jepsen.h"
#include "history/builder.h"

enum op_type { INVOKE, OK, FAIL, INFO, NO_TYPE };

/* What an operation says besides its value, and what it is. */
enum op_flag {
	HAS_INDEX = 1,
	HAS_TIME = 2,
	HAS_MORE = 4,   /* members that go to the info */
	NEMESIS = 8,    /* its process is no number */
	HAS_ERROR = 16, /* it says why it did not succeed */
};

/* The clocks to choose from are the flags above. */
enum clock { NO_CLOCK = 0, BY_INDEX = HAS_INDEX, BY_TIME = HAS_TIME };

struct operation {
	const char *at;    /* its map */
	const char *value; /* NULL: nil */
	const char *f;     /* NULL: txn, or missing */
	int64_t index, time;
	uint32_t line;
	uint32_t process; /* in names; ID_NONE: missing */
	uint32_t partner; /* the other half, from 1; 0: none */
	uint8_t type, flags;
};

/* What is known of an element of a set. Operations are places in ops, from 1; 0: none. */
struct jepsen_element {
	uint32_t added;   /* the first completion that says it was added */
	uint32_t begun;   /* the last invocation that adds it */
	uint32_t seen;    /* the first completion of a read that has it */
	uint32_t present; /* the last invocation of a read that has it */
	uint32_t absent;  /* the last invocation of a read that has it not */
	uint32_t twice;   /* the completion of a read that has it more than once */
	uint32_t count;   /* how often the latest read has it */
	uint32_t read;    /* the number of that read */
};

struct jepsen_call;
struct jepsen_parser;

struct jepsen_model {
	const char *name;
	const char *operations;
	/* An operation, in the order of invocations; and what needs all of them. Either may be
	 * NULL. */
	void (*take)(struct jepsen_parser *r, struct jepsen_call *c);
	void (*finish)(struct jepsen_parser *r);
};

struct jepsen_parser {
	const struct jepsen_notation *n;
	struct json json;
	struct builder *b;
	struct pool *pool;
	VEC(struct operation) ops;
	VEC(uint32_t) list; /* the list being read */
	text_vec text;      /* the info being rendered */
	enum clock clock;
	bool one_a_line;
	bool ids;                            /* the indexes identify the operations */
	const struct jepsen_model *model;    /* NULL: operations are transactions */
	VEC(struct jepsen_element) elements; /* of models with sets: by key */
	uint32_t reads;                      /* so far, of models with sets */
};

/* An invocation and its completion, either of which may be missing, as a transaction. */
struct jepsen_call {
	const struct operation *invoke, *completion;
	enum op_type type;              /* OK, FAIL or INFO */
	const struct operation *answer; /* the half with the value that counts */
	struct txn_head head;
};

/* Is this text the word of this name? */
bool jepsen_is_word(const struct jepsen_notation *n, struct text t, const char *name);
struct jepsen_call jepsen_call(struct jepsen_parser *r, const struct operation *invoke,
                               const struct operation *completion, uint32_t number);
/* The first bytes of a text, for a message. */
const char *jepsen_shown(struct text t, char buffer[static 48]);

enum jepsen_member { TYPE, PROCESS, INDEX, TIME, VALUE, F, EXCEPTION, REST, ERROR, OTHER };
enum jepsen_member jepsen_member_named(struct text name);
/* Of a process that is no number. */
void jepsen_annotation(struct jepsen_parser *r, const struct operation *o);

/* ---- for models ---- */

/* Is this the operation's f? */
bool model_is(struct jepsen_parser *r, const struct operation *o, const char *f);
/* The operation is none of this model. */
_Noreturn void model_reject(struct jepsen_parser *r, const struct operation *o);
/* Opens the list, vector or set at the cursor. */
bool model_open(struct jepsen_parser *r, char *closing);
uint32_t model_key(struct jepsen_parser *r, const char *name);
/* Closes a transaction. */
void model_end(struct jepsen_parser *r, struct txn_head *head);
/* The call that the operation is half of. */
struct jepsen_call model_call(struct jepsen_parser *r, const struct operation *o);
/* The next ok read at or after place `at` in ops, or NULL; `at` is then behind it. Other
 * operations must have one of these names. */
const struct operation *model_next_read(struct jepsen_parser *r, size_t *at, const char *other,
                                        const char *another);

#endif
