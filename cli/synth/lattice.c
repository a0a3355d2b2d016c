/* lattice: see lattice.h. */
#include "lattice.h"

#include "output.h"

#include <string.h>

/* ---- searching ---- */

static const alibi_synthesis *ask(const struct lattice *l, alibi *a, const alibi_solver *solver,
                                  size_t allow, size_t forbid, bool smallest, bool apart)
{
	return alibi_synth(a, &(alibi_synth_options){ALIBI_INIT(alibi_synth_options),
	                                             .allow = &l->asked[allow], .allow_count = 1,
	                                             .forbid = &l->asked[forbid], .forbid_count = 1,
	                                             .txns = l->txns, .keys = l->keys,
	                                             .values = l->values, .smallest = smallest,
	                                             .apart = apart, .solver = solver});
}

/* A history that was found knows the definitions of both levels. */
static void take_titles(struct lattice *l, const alibi_synthesis *s, size_t allow, size_t forbid)
{
	const alibi_synth_history *h = alibi_synthesis_at(s, 0);
	for (size_t i = 0; h && i < 2; i++)
		l->titles[i ? forbid : allow] = alibi_definition_title(
		        alibi_synth_level_definition(alibi_synth_history_level_at(h, i)));
}

static bool fill_cells(struct lattice *l, alibi *a, const alibi_solver *solver)
{
	for (size_t i = 0; i < l->count; i++)
		for (size_t j = 0; j < l->count; j++) {
			if (i == j)
				continue;
			const alibi_synthesis *s = ask(l, a, solver, i, j, false, false);
			if (!s)
				return false;
			const char *reason = alibi_synthesis_reason(s);
			take_titles(l, s, i, j);
			l->cells[i][j] = alibi_synthesis_count(s) ? PAIR_FOUND
			                 : reason                 ? PAIR_UNKNOWN
			                                          : PAIR_NONE;
			if (reason)
				l->reason = reason;
		}
	return true;
}

static bool find_smallest(struct lattice *l, alibi *a, const alibi_solver *solver, size_t allow,
                          size_t forbid)
{
	const alibi_synthesis *any = ask(l, a, solver, allow, forbid, true, false);
	const alibi_synthesis *apart = any ? ask(l, a, solver, allow, forbid, true, true) : NULL;
	if (!apart)
		return false;
	const alibi_synth_history *few = alibi_synthesis_at(any, 0);
	const alibi_synth_history *alone = alibi_synthesis_at(apart, 0);
	bool as_few =
	        few && alone && alibi_synth_history_txns(few) == alibi_synth_history_txns(alone);
	l->histories[allow][forbid] = as_few ? alone : few;
	if (alibi_synthesis_reason(apart))
		l->reason = alibi_synthesis_reason(apart);
	return true;
}

/* ---- order ---- */

static bool implies(const struct lattice *l, size_t strong, size_t weak)
{
	return strong == weak || l->cells[strong][weak] == PAIR_NONE;
}

static bool strictly(const struct lattice *l, size_t strong, size_t weak)
{
	return implies(l, strong, weak) && l->cells[weak][strong] == PAIR_FOUND;
}

bool lattice_is_class(const struct lattice *l, size_t i)
{
	return l->class_of[i] == i;
}

static void find_covers(struct lattice *l)
{
	for (size_t i = 0; i < l->count; i++)
		for (l->class_of[i] = 0; l->class_of[i] < i; l->class_of[i]++)
			if (implies(l, i, l->class_of[i]) && implies(l, l->class_of[i], i))
				break;
	for (size_t i = 0; i < l->count; i++)
		for (size_t j = 0; j < l->count; j++) {
			l->above[i][j] = lattice_is_class(l, i) && lattice_is_class(l, j) &&
			                 strictly(l, i, j);
			for (size_t m = 0; m < l->count; m++)
				l->above[i][j] &= !(strictly(l, i, m) && strictly(l, m, j));
		}
}

bool lattice_fill(struct lattice *l, alibi *a, const alibi_solver *solver)
{
	if (!fill_cells(l, a, solver))
		return false;
	find_covers(l);
	for (size_t i = 0; i < l->count; i++)
		for (size_t j = 0; j < l->count; j++) {
			bool wanted =
			        l->above[j][i] || (l->count == 2 && l->cells[i][j] == PAIR_FOUND);
			if (wanted && !l->reason && !find_smallest(l, a, solver, i, j))
				return false;
		}
	return true;
}

/* ---- text ---- */

static const char *relation(const struct lattice *l)
{
	enum pair ab = l->cells[0][1], ba = l->cells[1][0];
	if (ab == PAIR_FOUND && ba == PAIR_FOUND)
		return "incomparable";
	if (ab == PAIR_UNKNOWN || ba == PAIR_UNKNOWN)
		return "unknown";
	return ab == PAIR_FOUND ? "weaker" : ba == PAIR_FOUND ? "stronger" : "equivalent";
}

static void print_bounds(const struct lattice *l)
{
	print_out("up to %u transactions, %u keys and %u values a key", l->txns, l->keys,
	          l->values);
}

static void print_history(const alibi_synth_history *h, int indent)
{
	for (const char *line = alibi_synth_history_text(h); *line; line += strcspn(line, "\n") + 1)
		print_out("%*s%.*s\n", indent, "", (int)strcspn(line, "\n"), line);
}

static void print_two(const struct lattice *l)
{
	const char *is = relation(l);
	if (!strcmp(is, "stronger") || !strcmp(is, "weaker"))
		print_out("%s is %s than %s, ", l->asked[0], is, l->asked[1]);
	else if (!strcmp(is, "unknown"))
		print_out("%s and %s: unknown, %s\n", l->asked[0], l->asked[1], l->reason);
	else
		print_out("%s and %s are %s, ", l->asked[0], l->asked[1], is);
	if (strcmp(is, "unknown") != 0) {
		print_bounds(l);
		putchar('\n');
	}
	for (size_t i = 0; i < 2; i++)
		if (l->histories[i][1 - i]) {
			print_out("allowed by %s, forbidden by %s:\n", l->asked[i],
			          l->asked[1 - i]);
			print_history(l->histories[i][1 - i], 2);
		}
}

static void print_class(const struct lattice *l, size_t class)
{
	for (size_t i = class; i < l->count; i++)
		if (l->class_of[i] == class)
			print_out("%s%s", i == class ? "" : " = ", l->asked[i]);
}

size_t lattice_height(const struct lattice *l, size_t class)
{
	size_t most = 0;
	for (size_t j = 0; j < l->count; j++)
		if (l->above[class][j]) {
			size_t below = lattice_height(l, j) + 1;
			most = below > most ? below : most;
		}
	return most;
}

static void print_many(const struct lattice *l)
{
	if (l->reason)
		print_out("some pairs are unknown: %s\n", l->reason);
	for (size_t level = l->count; level-- > 0;)
		for (size_t i = 0; i < l->count; i++) {
			if (!lattice_is_class(l, i) || lattice_height(l, i) != level)
				continue;
			print_class(l, i);
			putchar('\n');
			for (size_t j = 0; j < l->count; j++) {
				if (!l->above[i][j])
					continue;
				print_out("  above ");
				print_class(l, j);
				puts(l->histories[j][i] ? ", which allows:" : "");
				if (l->histories[j][i])
					print_history(l->histories[j][i], 4);
			}
		}
	print_bounds(l);
	putchar('\n');
}

void lattice_print_text(const struct lattice *l)
{
	if (l->count == 2)
		print_two(l);
	else
		print_many(l);
}

/* ---- JSON ---- */

void lattice_print_json(const struct lattice *l)
{
	static const char *const answers[] = {"none", "found", "unknown"};
	bool first = true, none = true;
	putchar('{');
	if (l->count == 2)
		json_member_text(&first, "relation", relation(l));
	json_open_member(&first, "levels");
	putchar('[');
	for (size_t i = 0; i < l->count; i++) {
		bool start = true;
		json_open_member(&none, NULL);
		putchar('{');
		json_member_text(&start, "name", l->asked[i]);
		json_member_text(&start, "same_as", l->asked[l->class_of[i]]);
		putchar('}');
	}
	putchar(']');
	json_open_member(&first, "pairs");
	putchar('[');
	none = true;
	for (size_t i = 0; i < l->count; i++)
		for (size_t j = 0; j < l->count; j++) {
			bool start = true;
			const alibi_synth_history *h = l->histories[i][j];
			if (i == j)
				continue;
			json_open_member(&none, NULL);
			putchar('{');
			json_member_text(&start, "allow", l->asked[i]);
			json_member_text(&start, "forbid", l->asked[j]);
			json_member_text(&start, "answer", answers[l->cells[i][j]]);
			json_member_raw(&start, "neighbours", l->above[j][i] ? "true" : "false");
			json_member_text(&start, "history", h ? alibi_synth_history_text(h) : NULL);
			putchar('}');
		}
	putchar(']');
	json_member_count(&first, "txns", l->txns);
	json_member_count(&first, "keys", l->keys);
	json_member_count(&first, "values", l->values);
	json_member_text(&first, "reason", l->reason);
	puts("}");
}
