/* anomalies: see anomalies.h. */
#include "anomalies.h"

#include "edn.h"

#include <stdio.h>
#include <string.h>

const struct elle_anomaly elle_anomalies[] = {
        {"G0", "G1c", "rc", true},
        {"G1a", "G1", "rc", false},
        {"G1b", "G1", "rc", false},
        {"G1c", "G1", "rc", true},
        {"G1", NULL, "rc", true},
        {"G-single-item", "G-single G-nonadjacent-item", "si", true},
        {"G-single", "G-nonadjacent GSIb", "si", true},
        {"G-nonadjacent-item", "G-nonadjacent G2-item", "si", true},
        {"G-nonadjacent", "G2", "si", true},
        {"G2-item", "G2", "ser", true},
        {"G2", NULL, "ser", true},
        {"GSIa", "GSI", "si", false},
        {"GSIb", "GSI", "si", false},
        {"GSI", NULL, "si", false},
        {"lost-update", "write-skew G2-item", "si", false},
        {"write-skew", "G2", "ser", false},
        {"internal", NULL, "ra", false},
        {"future-read", "G1c", "rc", false},
        {"dirty-update", "G1a", "rc", false},
        {"incompatible-order", "G1a", "rc", false},
        {"duplicate-elements", NULL, "rc", false},
        {0},
};

static const char *const suffixes[] = {"", "-process", "-realtime"};

static const struct elle_anomaly *row_named(const char *name, size_t length)
{
	for (const struct elle_anomaly *a = elle_anomalies; a->name; a++)
		if (strlen(a->name) == length && !memcmp(a->name, name, length))
			return a;
	return NULL;
}

struct elle_found elle_anomaly_named(const char *name, size_t length)
{
	for (enum elle_scope s = ELLE_REALTIME; s > ELLE_DATA; s--) {
		size_t suffix = strlen(suffixes[s]);
		if (length <= suffix || memcmp(name + length - suffix, suffixes[s], suffix) != 0)
			continue;
		const struct elle_anomaly *a = row_named(name, length - suffix);
		return (struct elle_found){a && a->cycle ? a : NULL, s};
	}
	return (struct elle_found){row_named(name, length), ELLE_DATA};
}

void elle_anomaly_text(struct elle_found found, char text[static 64])
{
	snprintf(text, 64, "%s%s", found.anomaly->name, suffixes[found.scope]);
}

/* ---- what a finding is ---- */

/* The keys that a transaction reads before it writes them, each with the value, a line each. */
static void add_updates(struct text *lines, alibi *job, const alibi_history *h, size_t txn)
{
	struct text written = {0};
	alibi_op op = {ALIBI_INIT(alibi_op)};
	for (size_t i = 0; alibi_history_op_at(job, h, txn, i, &op); i++) {
		if (op.kind == ALIBI_READ)
			continue;
		text_cut(&written, 0);
		edn_value(&written, &op.key, true);
		for (size_t j = 0; j < i && alibi_history_op_at(job, h, txn, j, &op); j++) {
			size_t from = lines->length;
			text_word(lines, "\n");
			edn_value(lines, &op.key, true);
			bool same = !strcmp(lines->data + from + 1, written.data);
			text_word(lines, " ");
			edn_value(lines, &op.value, true);
			text_word(lines, "\n");
			if (!same || op.kind != ALIBI_READ)
				text_cut(lines, from);
			if (same)
				break;
		}
	}
	text_release(&written);
}

/* Do two transactions read the same value of a key, and then write the key? */
static bool both_update(alibi *job, const alibi_history *h)
{
	struct text seen = {0}, lines = {0};
	bool both = false;
	for (size_t t = 0; t < alibi_history_txn_count(h) && !both; t++) {
		text_cut(&lines, 0);
		add_updates(&lines, job, h, t);
		for (char *line = lines.length ? lines.data : NULL; line && *line;) {
			char *end = strchr(line + 1, '\n');
			char kept = end[1];
			end[1] = 0;
			both |= seen.length && strstr(seen.data, line);
			end[1] = kept;
			line = end + 1;
		}
		text_add(&seen, lines.length ? lines.data : "", lines.length);
	}
	text_release(&seen);
	text_release(&lines);
	return both;
}

/* In Elle's histories all reads are of single keys, so that Adya's cycles are of items. */
static struct elle_found of_items(struct elle_found found)
{
	char item[64];
	if (found.anomaly) {
		snprintf(item, sizeof item, "%s-item", found.anomaly->name);
		const struct elle_anomaly *a = row_named(item, strlen(item));
		found.anomaly = a ? a : found.anomaly;
	}
	return found;
}

struct elle_names elle_names_of(alibi *job, const alibi_anomaly *m)
{
	const char *name = alibi_anomaly_name(m), *adya = alibi_anomaly_adya(m);
	struct elle_names n = {0};
	if (!strcmp(name, "non-repeatable-read"))
		name = "internal";
	if (strcmp(name, "lost-update") != 0 || both_update(job, alibi_anomaly_reduced(m)))
		n.label = of_items(elle_anomaly_named(name, strlen(name)));
	if (adya)
		n.also = of_items(elle_anomaly_named(adya, strlen(adya)));
	if (!n.label.anomaly || !strcmp(name, "write-skew")) {
		struct elle_found by_name = n.label;
		n.label = n.also;
		n.also = by_name;
	}
	return n;
}

bool elle_is_case_of(struct elle_found found, struct elle_found other)
{
	const struct elle_anomaly *a = found.anomaly;
	if (!a || !other.anomaly || found.scope > other.scope)
		return false;
	if (a == other.anomaly)
		return true;
	for (const char *word = a->case_of; word && *word;) {
		size_t length = strcspn(word, " ");
		struct elle_found wider = {row_named(word, length), found.scope};
		if (elle_is_case_of(wider, other))
			return true;
		word += length;
		word += *word == ' ';
	}
	return false;
}
