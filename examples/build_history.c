/*
 * build_history: builds a history in memory, checks it at two levels, and prints the
 * counterexample at the one that it violates.
 *
 *     cc build_history.c -o build_history $(pkg-config --cflags --libs alibi)
 *
 * Two doctors are on call. Each sees that the other is, and leaves. Snapshot isolation allows
 * this; serializability does not, because the second to leave must see that the first has left.
 * The program exits with 0, or with 3 after an error.
 */
#include <alibi.h>
#include <stdio.h>
#include <string.h>

static alibi_value string(const char *text)
{
	return (alibi_value){.kind = ALIBI_STRING, .text = text, .length = strlen(text)};
}

static bool add_op(alibi_builder *b, enum alibi_op_kind kind, const char *key, const char *value)
{
	return alibi_builder_op(b, &(alibi_op){ALIBI_INIT(alibi_op), .kind = kind,
	                                       .key = string(key), .value = string(value)});
}

/* A transaction of its own session: reads both doctors, then takes one off call. */
static bool add_leaving(alibi_builder *b, const char *doctor)
{
	return add_op(b, ALIBI_READ, "ann", "on call") && add_op(b, ALIBI_READ, "bob", "on call") &&
	       add_op(b, ALIBI_WRITE, doctor, "off") &&
	       alibi_builder_end(b,
	                         &(alibi_txn){ALIBI_INIT(alibi_txn), .id = string(doctor),
	                                      .session = string(doctor), .status = ALIBI_COMMIT});
}

/* NULL: an error. What was built by then belongs to the job, and is freed with it. */
static const alibi_history *build(alibi *a)
{
	alibi_value on_call = string("on call");
	alibi_builder *b = alibi_builder_new(a);
	if (!b || !alibi_builder_initial(b, NULL, &on_call) || !add_leaving(b, "ann") ||
	    !add_leaving(b, "bob"))
		return NULL;
	return alibi_builder_finish(b);
}

/* The edges of each case form a cycle; the cases together exclude every order. */
static void print_counterexample(const alibi_anomaly *m)
{
	alibi_edge edge = {ALIBI_INIT(alibi_edge)};
	printf("  %s\n", alibi_anomaly_title(m));
	for (size_t i = 0; i < alibi_anomaly_case_count(m); i++) {
		const alibi_case *c = alibi_anomaly_case_at(m, i);
		if (alibi_case_assumption(c))
			printf("  if %s:\n", alibi_case_assumption(c));
		for (size_t j = 0; alibi_case_edge_at(c, j, &edge); j++)
			printf("    %s: %s\n", edge.kind, edge.text);
		printf("    %s\n", alibi_case_text(c));
	}
}

static bool check(alibi *a, const alibi_history *h, const char *level)
{
	alibi_check_options options = {ALIBI_INIT(alibi_check_options), .level = level};
	const alibi_result *r = alibi_check(a, h, &options);
	if (!r)
		return false;
	printf("%s: %s\n", level, alibi_verdict_name(alibi_result_verdict(r)));
	if (alibi_result_verdict(r) != ALIBI_VIOLATES)
		return true;
	const alibi_explanation *e = alibi_explain(a, h, &options, r);
	for (size_t i = 0; e && i < alibi_explanation_anomaly_count(e); i++)
		print_counterexample(alibi_explanation_anomaly_at(e, i));
	return e;
}

int main(void)
{
	alibi *a = alibi_new();
	if (!a) {
		fprintf(stderr, "out of memory\n");
		return 3;
	}
	const alibi_history *h = build(a);
	bool ok = h && check(a, h, "si") && check(a, h, "ser");
	if (!ok)
		fprintf(stderr, "%s\n", alibi_last_error(a)->text);
	alibi_free(a);
	return ok ? 0 : 3;
}
