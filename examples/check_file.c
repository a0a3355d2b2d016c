/*
 * check_file: checks a history at a level, and prints the verdict and the anomalies.
 *
 *     check_file LEVEL FILE
 *     cc check_file.c -o check_file $(pkg-config --cflags --libs alibi)
 *
 * Exits with 0 if the history is valid, 1 if it violates the level, 2 if that is unknown, and 3
 * after an error.
 */
#include <alibi.h>
#include <inttypes.h>
#include <stdio.h>

static void print_value(const alibi_value *v)
{
	switch (v->kind) {
	case ALIBI_NULL:
		printf("null");
		break;
	case ALIBI_BOOL:
		printf(v->integer ? "true" : "false");
		break;
	case ALIBI_INT:
		printf("%" PRId64, v->integer);
		break;
	case ALIBI_STRING:
	case ALIBI_ROW:
	case ALIBI_DECIMAL:
		printf("%.*s", (int)v->length, v->text);
		break;
	case ALIBI_LIST:
		printf("[");
		for (size_t i = 0; i < v->length; i++) {
			printf("%s", i ? " " : "");
			print_value(&v->items[i]);
		}
		printf("]");
		break;
	}
}

/* "deposit 20: read account 100, write account 120" */
static void print_txn(alibi *a, const alibi_history *h, size_t txn)
{
	static const char *const verbs[] = {"read", "write", "append"};
	alibi_txn t = {ALIBI_INIT(alibi_txn)};
	alibi_op op = {ALIBI_INIT(alibi_op)};
	alibi_history_txn_at(h, txn, &t);
	printf("    ");
	print_value(&t.id);
	for (size_t i = 0; alibi_history_op_at(a, h, txn, i, &op); i++) {
		printf("%s ", i ? "," : ":");
		if (op.kind == ALIBI_QUERY) {
			printf("query %.*s", (int)op.json_length, op.json);
			continue;
		}
		printf("%s ", verbs[op.kind]);
		print_value(&op.key);
		printf(" ");
		print_value(&op.value);
	}
	printf("\n");
}

static void print_anomaly(alibi *a, const alibi_anomaly *m)
{
	const alibi_history *reduced = alibi_anomaly_reduced(m);
	printf("  %s: %s\n", alibi_anomaly_title(m), alibi_anomaly_summary(m));
	for (size_t i = 0; i < alibi_history_txn_count(reduced); i++)
		print_txn(a, reduced, i);
}

/* False: an error, which alibi_last_error() describes. */
static bool check_file(alibi *a, const char *level, const char *path, enum alibi_verdict *verdict)
{
	alibi_check_options options = {ALIBI_INIT(alibi_check_options), .level = level};
	const alibi_history *h = alibi_load(a, path, NULL);
	if (!h)
		return false;
	const alibi_result *r = alibi_check(a, h, &options);
	if (!r)
		return false;
	*verdict = alibi_result_verdict(r);
	printf("%s: %s\n", path, alibi_verdict_name(*verdict));
	if (*verdict == ALIBI_UNKNOWN)
		printf("  %s\n", alibi_result_reason(r));
	if (*verdict != ALIBI_VIOLATES)
		return true;
	const alibi_explanation *e = alibi_explain(a, h, &options, r);
	if (!e)
		return false;
	for (size_t i = 0; i < alibi_explanation_anomaly_count(e); i++)
		print_anomaly(a, alibi_explanation_anomaly_at(e, i));
	return true;
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: %s LEVEL FILE\n", argv[0]);
		return 3;
	}
	alibi *a = alibi_new();
	if (!a) {
		fprintf(stderr, "out of memory\n");
		return 3;
	}
	enum alibi_verdict verdict;
	bool ok = check_file(a, argv[1], argv[2], &verdict);
	if (!ok)
		fprintf(stderr, "%s\n", alibi_last_error(a)->text);
	alibi_free(a);
	return ok ? (int)verdict : 3;
}
