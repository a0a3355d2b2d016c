/*
 * generate: makes histories with a known verdict, see generator.h.
 */
#include "choices.h"
#include "generator.h"
#include "job.h"
#include "level_choice.h"
#include "output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What decides the content stands before `to`. */
struct generate_values {
	struct generator_options make;
	const char *level, *shape, *anomaly;
	const char *to, *out;
	struct load_values load; /* only the limits */
};

static const char *const level_names[] = {"ser", "si", NULL};
static const char *const shape_names[] = {"mixed", "blind", "rmw", "append", NULL};

static const struct generate_values defaults = {
        .make = {.txns = 1000, .sessions = 8, .ops = 8, .keys = 500, .reads = 0.5, .seed = 1},
        .level = "ser",
        .shape = "mixed",
        .anomaly = "none",
        .to = "alibi",
        .out = "-",
};

#define AT(field) offsetof(struct generate_values, field)

static const struct option options[] = {
        {"txns", OPTION_COUNT, "N", "how many transactions, of whatever outcome (1000)",
         AT(make.txns), NULL},
        {"sessions", OPTION_COUNT, "N", "how many sessions run them, at the same time (8)",
         AT(make.sessions), NULL},
        {"ops", OPTION_COUNT, "N", "operations in each transaction (8)", AT(make.ops), NULL},
        {"keys", OPTION_COUNT, "N", "how many keys they use (500)", AT(make.keys), NULL},
        {"level", OPTION_NAME, "LEVEL",
         "what the simulated database guarantees, and the history claims (ser)", AT(level),
         level_names},
        {"shape", OPTION_CHOICE, "SHAPE",
         "mixed (the default) reads and writes any key; in blind histories a transaction only "
         "reads or only writes; rmw reads a key before it writes it; append is about lists",
         AT(shape), shape_names},
        {"reads", OPTION_SHARE, "SHARE",
         "how many of the operations are reads (0.5); in blind histories, how many of the "
         "transactions; in rmw histories, how many of the reads have no write after them",
         AT(make.reads), NULL},
        {"zipf", OPTION_NUMBER, "NUMBER",
         "prefer some keys: the n-th is drawn in proportion to 1/n to this power, such as 1 "
         "(0: all alike)",
         AT(make.zipf), NULL},
        {"repeat", OPTION_SHARE, "SHARE",
         "how many of the writes draw their value from a small set, so that several write the "
         "same (0: all values differ)",
         AT(make.repeat), NULL},
        {"deletes", OPTION_SHARE, "SHARE", "how many of the writes delete the key (0)",
         AT(make.deletes), NULL},
        {"aborts", OPTION_SHARE, "SHARE",
         "how many of the transactions abort, besides those that si aborts for a conflict (0)",
         AT(make.aborts), NULL},
        {"unknowns", OPTION_SHARE, "SHARE",
         "how many of the transactions have an outcome that the client did not learn; half of "
         "them take effect (0)",
         AT(make.unknowns), NULL},
        {"timestamps", OPTION_FLAG, NULL,
         "record start_ts and commit_ts, for alibi check --order timestamps", AT(make.timestamps),
         NULL},
        {"client-times", OPTION_FLAG, NULL, "record begin and end by the clients' clocks",
         AT(make.client_times), NULL},
        {"anomaly", OPTION_CHOICE, "NAME",
         "plant this once, in the middle, by transactions named after it (none)", AT(anomaly),
         anomaly_choices},
        {"seed", OPTION_COUNT, "N", "the seed; the same seed makes the same history (1)",
         AT(make.seed), NULL},
        {"to", OPTION_CHOICE, "FORMAT", "the format to write (alibi); see alibi help formats",
         AT(to), format_choices},
        {"out", OPTION_TEXT, "PATH",
         "where to write: a file, a directory for the formats that are one, or - (the default)",
         AT(out), NULL},
        LIMIT_OPTIONS(struct generate_values),
        {0},
};

/* ---- options that make no sense ---- */

static bool counts_make_sense(const struct generator_options *m)
{
	const struct {
		const char *name;
		unsigned long long value, max;
	} counts[] = {
	        {"txns", m->txns, TXNS_MAX},
	        {"sessions", m->sessions, SESSIONS_MAX},
	        {"ops", m->ops, OPS_MAX},
	        {"keys", m->keys, KEYS_MAX},
	};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		if (counts[i].value >= 1 && counts[i].value <= counts[i].max)
			continue;
		print_error("generate", "--%s expects a number from 1 to %llu, not %llu",
		            counts[i].name, counts[i].max, counts[i].value);
		return false;
	}
	return true;
}

/* Why they do not go together, or NULL. */
static const char *contradiction(const struct generator_options *m)
{
	if (m->txns * m->ops > UINT32_MAX - 2)
		return "--txns times --ops is more than the four billion operations that a history "
		       "can have";
	if (m->shape == SHAPE_APPEND && m->deletes > 0)
		return "lists cannot be deleted; leave --deletes or --shape append out";
	if (m->shape == SHAPE_RMW && m->ops < 2)
		return "--shape rmw needs at least 2 operations a transaction: a read and a write";
	if (m->aborts + m->unknowns >= 1)
		return "--aborts and --unknowns leave no transaction that commits; their sum must "
		       "be below 1";
	return NULL;
}

static bool anomaly_fits(const struct generator_options *m)
{
	const struct anomaly *a = m->anomaly;
	if (a && m->txns < anomaly_txns(a)) {
		print_error("generate", "--anomaly %s needs --txns %zu or more", a->name,
		            anomaly_txns(a));
		return false;
	}
	if (a && m->sessions < a->sessions_min) {
		print_error("generate", "--anomaly %s needs --sessions %u or more", a->name,
		            a->sessions_min);
		return false;
	}
	return true;
}

static bool make_sense(const struct generator_options *m)
{
	if (!counts_make_sense(m) || !anomaly_fits(m))
		return false;
	const char *why = contradiction(m);
	if (why)
		print_error("generate", "%s", why);
	return !why;
}

/* ---- the command line, for the header ---- */

/* The shortest text that is read as the same number. */
static void print_real(char *text, size_t size, double n)
{
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, size, "%.*g", digits, n);
		if (strtod(text, NULL) == n)
			break;
	}
}

/* An option as it was given; empty if it has its default. */
static void print_option(const struct option *o, const struct generate_values *v, char *text,
                         size_t size)
{
	const char *at = (const char *)v + o->offset, *usual = (const char *)&defaults + o->offset;
	char value[64] = "";
	bool given;
	if (o->type == OPTION_FLAG) {
		given = *(const bool *)at;
	} else if (o->type == OPTION_COUNT) {
		unsigned long long n = *(const unsigned long long *)at;
		given = n != *(const unsigned long long *)usual || o->offset == AT(make.seed);
		snprintf(value, sizeof value, " %llu", n);
	} else if (o->type == OPTION_CHOICE || o->type == OPTION_NAME) {
		const char *word = *(const char *const *)at;
		given = strcmp(word, *(const char *const *)usual) != 0;
		snprintf(value, sizeof value, " %s", word);
	} else {
		double n = *(const double *)at;
		given = n != *(const double *)usual;
		value[0] = ' ';
		print_real(value + 1, sizeof value - 1, n);
	}
	text[0] = 0;
	if (given)
		snprintf(text, size, " --%s%s", o->name, value);
}

static void print_command_line(const struct generate_values *v, char *text, size_t size)
{
	size_t n = (size_t)snprintf(text, size, "alibi generate");
	for (const struct option *o = options; o->name; o++) {
		if (o->offset >= AT(to))
			continue;
		print_option(o, v, text + n, size - n);
		n += strlen(text + n);
	}
}

/* ---- the command ---- */

static int generate(struct generate_values *v)
{
	size_t own = generator_bytes(&v->make);
	if (v->load.max_memory && own >= v->load.max_memory) {
		print_error("generate",
		            "the simulation alone takes %zu MB; give --max-memory "
		            "more, or fewer keys or sessions",
		            own / 1000000 + 1);
		return EXIT_UNDECIDED;
	}
	if (v->load.max_memory)
		v->load.max_memory -= own;
	struct generator *g = generator_new(&v->make);
	if (!g) {
		print_error("generate",
		            "the simulation takes %zu MB, more than the system has; "
		            "try fewer keys or sessions",
		            own / 1000000 + 1);
		return EXIT_UNDECIDED;
	}
	struct job job = job_start(&v->load);
	const alibi_history *h = generator_run(g, job.alibi);
	int code = job_save(&job, "generate", h, v->out, v->to);
	job_end(&job);
	generator_free(g);
	return code;
}

static int run(int argc, char **argv)
{
	struct generate_values v = defaults;
	struct level_choice level;
	struct words words;
	char command_line[512];
	if (!options_parse("generate", options, argc, argv, &v, &words))
		return EXIT_USAGE;
	if (words.count) {
		print_error("generate", "it takes no '%s', only options; --out %s writes there",
		            words.items[0], words.items[0]);
		return EXIT_USAGE;
	}
	while (strcmp(shape_names[v.make.shape], v.shape) != 0)
		v.make.shape++;
	if (!level_option(&level, "generate", "level", v.level, NULL))
		return EXIT_USAGE;
	v.level = level.level;
	v.make.snapshot = !strcmp(v.level, "si");
	if (!v.make.snapshot && strcmp(v.level, "ser") != 0) {
		print_error("generate", "--level: the simulated database has ser and si, not %s",
		            v.level);
		return EXIT_USAGE;
	}
	v.make.anomaly = anomaly_named(v.anomaly);
	if (!make_sense(&v.make))
		return EXIT_USAGE;
	print_command_line(&v, command_line, sizeof command_line);
	v.make.command_line = command_line;
	return generate(&v);
}

const struct command cmd_generate = {
        .name = "generate",
        .words = "",
        .summary = "make a history with a known verdict",
        .details =
                "Simulates a database: sessions run transactions at the same time, and what they "
                "see is what the level allows. So the history holds at that level (one made for "
                "ser at si too), unless --anomaly plants something that does not. The header says "
                "the command line and the verdict.\n\n"
                "lost-update, long-fork, aborted-read and intermediate-read violate si and ser, "
                "write-skew violates only ser. With --unknowns, alibi check --order timestamps "
                "says unknown when a transaction read a value whose writer's outcome is not known: "
                "that writer has no timestamps.\n\n"
                "Lists (--shape append) of 32 elements are left alone and a fresh key takes "
                "their place, so that files grow in proportion to --txns.",
        .options = options,
        .run = run,
};
