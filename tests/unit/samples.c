/* samples: see samples.h. */
#include "samples.h"

#include "history/render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define CASE(assumed, edges, words)                                                                \
	{                                                                                          \
		assumed, words, COUNT(edges), edges, NULL                                          \
	}

/* What a sample is made of; the transactions of an anomaly are those of a history. */
struct made_anomaly {
	const char *name, *title, *adya, *summary, *history;
	size_t case_count;
	const alibi_case *cases;
};

/* ---- two deposits, one of them lost: client times, annotations, info ---- */

static const char lost_update_history[] =
        "{\"alibi\":1,\"initial\":[[\"account\",100]]}\n"
        "{\"event\":\"partition starts\",\"at\":1690}\n"
        "{\"id\":\"deposit-20\",\"session\":\"ann\",\"ops\":[[\"r\",\"account\",100],"
        "[\"w\",\"account\",120]],\"begin\":1712,\"end\":1893,\"info\":{\"node\":\"n1\"}}\n"
        "{\"id\":\"deposit-50\",\"session\":\"bob\",\"ops\":[[\"r\",\"account\",100],"
        "[\"w\",\"account\",150]],\"begin\":1730,\"end\":1905,\"info\":{\"node\":\"n2\"}}\n"
        "{\"event\":{\"f\":\"kill\",\"value\":\"n2\"},\"at\":1800}\n"
        "{\"id\":\"balance\",\"session\":\"ann\",\"ops\":[[\"r\",\"account\",150]],"
        "\"begin\":1950,\"end\":1990}\n";
static const alibi_edge lost_update_edges[] = {
        {0, 0, 1, "rw", "\"account\"",
         "deposit-20 read account = 100, which deposit-50 overwrote, so deposit-20 came before "
         "deposit-50"},
        {0, 1, 0, "rw", "\"account\"",
         "deposit-50 read account = 100, which deposit-20 overwrote, so deposit-50 came before "
         "deposit-20"},
        {0, 1, 2, "wr", "\"account\"",
         "balance read account = 150, which deposit-50 wrote, so deposit-50 came before balance"},
};
static const alibi_case lost_update_cases[] = {
        CASE(NULL, lost_update_edges, "Neither deposit can have come first.")};

/* ---- two writers that two readers see in different orders: no times ---- */

static const char long_fork_history[] =
        "{\"id\":1,\"session\":\"w1\",\"ops\":[[\"w\",\"x\",1]]}\n"
        "{\"id\":2,\"session\":\"w2\",\"ops\":[[\"w\",\"y\",1]]}\n"
        "{\"id\":3,\"session\":\"r1\",\"ops\":[[\"r\",\"x\",1],[\"r\",\"y\",null]]}\n"
        "{\"id\":4,\"session\":\"r2\",\"ops\":[[\"r\",\"x\",null],[\"r\",\"y\",1]]}\n";
static const alibi_edge long_fork_edges[] = {
        {0, 0, 2, "wr", "\"x\"", "T3 read x = 1, which T1 wrote, so T1 came before T3"},
        {0, 2, 1, "rw", "\"y\"",
         "T3 read y = null, the initial value, which T2 replaced, so T3 came before T2"},
        {0, 1, 3, "wr", "\"y\"", "T4 read y = 1, which T2 wrote, so T2 came before T4"},
        {0, 3, 0, "rw", "\"x\"",
         "T4 read x = null, the initial value, which T1 replaced, so T4 came before T1"},
};
static const alibi_case long_fork_cases[] = {CASE(NULL, long_fork_edges, NULL)};

/* ---- whichever of two came first, it does not work out: two cases ---- */

static const char cases_history[] =
        "{\"id\":\"t1\",\"session\":1,\"ops\":[[\"w\",\"x\",1],[\"r\",\"y\",0]]}\n"
        "{\"id\":\"t2\",\"session\":2,\"ops\":[[\"w\",\"x\",2],[\"r\",\"y\",0]]}\n"
        "{\"id\":\"t3\",\"session\":3,\"ops\":[[\"r\",\"x\",1],[\"r\",\"x\",2]]}\n"
        "{\"id\":\"t4\",\"session\":3,\"status\":\"abort\",\"ops\":[[\"w\",\"x\",3]]}\n"
        "{\"id\":\"t5\",\"session\":4,\"status\":\"unknown\",\"ops\":[[\"w\",\"y\",0]]}\n";
static const alibi_edge first_edges[] = {
        {0, 0, 1, "ww", "\"x\"", "t1 is supposed to have come before t2"},
        {0, 1, 2, "so", NULL, "t2 came before t3"},
        {0, 2, 0, "rw", "\"x\"", "t3 read x = 1, which t2 overwrote, so t3 came before t1"},
};
static const alibi_edge second_edges[] = {
        {0, 1, 0, "ww", "\"x\"", "t2 is supposed to have come before t1"},
        {0, 0, 4, "rt", NULL, "t1 ended before t5 began"},
        {0, 4, 1, "cm", NULL, "an edge of a kind that reports do not know"},
};
static const alibi_case two_cases[] = {
        CASE("t1 came before t2", first_edges, "That is a circle."),
        CASE("t2 came before t1", second_edges, "That is a circle, too."),
};

/* ---- five sessions, arrows across lanes, times that overlap, timestamps ---- */

static const char crossing_history[] = "{\"id\":\"a\",\"session\":\"s1\",\"ops\":[[\"w\",\"k1\",1]]"
                                       ",\"start_ts\":1,\"commit_ts\":4}\n"
                                       "{\"id\":\"a2\",\"session\":\"s1\",\"ops\":[[\"r\",\"k5\","
                                       "null],[\"w\",\"k1\",9]],\"start_ts\":6,\"commit_ts\":12}\n"
                                       "{\"id\":\"b\",\"session\":\"s2\",\"ops\":[[\"r\",\"k1\",1],"
                                       "[\"w\",\"k2\",2]],\"start_ts\":5,\"commit_ts\":7}\n"
                                       "{\"id\":\"c\",\"session\":\"s3\",\"ops\":[[\"r\",\"k2\",2],"
                                       "[\"w\",\"k3\",3]],\"start_ts\":8,\"commit_ts\":9}\n"
                                       "{\"id\":\"d\",\"session\":\"s4\",\"ops\":[[\"r\",\"k3\",3],"
                                       "[\"w\",\"k4\",4]],\"start_ts\":10,\"commit_ts\":11}\n"
                                       "{\"id\":\"e\",\"session\":\"s5\",\"ops\":[[\"r\",\"k4\",4],"
                                       "[\"w\",\"k5\",5]],\"start_ts\":2,\"commit_ts\":13}\n"
                                       "{\"id\":\"f\",\"session\":\"s5\",\"ops\":[[\"r\",\"k1\",1]]"
                                       ",\"start_ts\":14,\"commit_ts\":15}\n";
static const alibi_edge crossing_edges[] = {
        {0, 0, 2, "wr", "\"k1\"", "b read k1 = 1, which a wrote, so a came before b"},
        {0, 2, 3, "wr", "\"k2\"", "c read k2 = 2, which b wrote, so b came before c"},
        {0, 3, 4, "wr", "\"k3\"", "d read k3 = 3, which c wrote, so c came before d"},
        {0, 4, 5, "wr", "\"k4\"", "e read k4 = 4, which d wrote, so d came before e"},
        {0, 5, 1, "ww", "\"k5\"", "e came before a2"},
        {0, 1, 0, "rw", "\"k5\"", "a2 came before a"},
        {0, 0, 6, "wr", "\"k1\"", "f read k1 = 1, which a wrote, so a came before f"},
        {0, 6, 1, "rw", "\"k1\"", "f read k1 = 1, which a2 overwrote, so f came before a2"},
        {0, 5, 6, "so", NULL, "e came before f in their session"},
        {0, 0, 5, "rw", "\"k9\"", "one more arrow from a to e"},
};
static const alibi_case crossing_cases[] = {CASE(NULL, crossing_edges, NULL)};

/* ---- six transactions in a circle, with long names, and one of them read twice ---- */

#define SIX(id, session, read, write, begin, end)                                                  \
	"{\"id\":\"" id "\",\"session\":\"" session "\",\"ops\":[[\"r\",\"accounts/checking/" read \
	"\",null],[\"w\",\"accounts/checking/" write "\",\"balance-100000\"]],\"begin\":" begin    \
	",\"end\":" end "}\n"
static const char six_history[] = "{\"event\":{\"f\":\"start-partition\"},\"at\":90}\n" SIX(
        "transfer-1", "client-1", "4712", "4711", "100",
        "130") "{\"event\":{\"f\":"
               "\"stop-partition\"},"
               "\"at\":125}\n" SIX("transfer-2", "client-2", "4713", "4712", "105", "135")
                       SIX("transfer-3", "client-3", "4714", "4713", "110",
                           "140") SIX("transfer-4", "client-1", "4715", "4714", "145", "170")
                               SIX("transfer-5", "client-2", "4716", "4715", "150", "175")
                                       SIX("transfer-6", "client-3", "4711", "4716", "155", "180");
static const alibi_edge six_edges[] = {
        {0, 0, 1, "rw", "\"4712\"", "transfer-1 came before transfer-2"},
        {0, 1, 2, "rw", "\"4713\"", "transfer-2 came before transfer-3"},
        {0, 2, 3, "rw", "\"4714\"", "transfer-3 came before transfer-4"},
        {0, 3, 4, "rw", "\"4715\"", "transfer-4 came before transfer-5"},
        {0, 4, 5, "rw", "\"4716\"", "transfer-5 came before transfer-6"},
        {0, 5, 0, "rw", "\"4711\"", "transfer-6 came before transfer-1"},
        {0, 0, 3, "so", NULL, "transfer-1 came before transfer-4 in their session"},
};
static const alibi_case six_cases[] = {CASE(NULL, six_edges, "That is a circle.")};

/* ---- names that try to be something else ---- */

#define HOSTILE "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
#define HOSTILE_ID "\"</title>\\\"'&<b>\\u001b[31m\\u0007 \\ud83d\\ude00\xe2\x80\xae]]>\\\\\""
static const char hostile_history[] =
        "{\"event\":\"" HOSTILE "\",\"at\":2}\n"
        "{\"id\":" HOSTILE_ID ",\"session\":\"" HOSTILE "\",\"ops\":[[\"w\",\"" HOSTILE
        "\",\"\\u0000\\n\\\"'<!--\"],[\"w\",\"\\\\N\\\\l\\\"\",\"\\\\\"]],\"begin\":1,\"end\":3,"
        "\"info\":{\"" HOSTILE "\":\"-->\"}}\n"
        "{\"id\":\"plain\",\"session\":\"a, b = c\",\"ops\":[[\"r\",\"" HOSTILE
        "\",null],[\"r\",\"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\",\"\xf0\x9f\x98\x80\"]],\"begin\":"
        "2,"
        "\"end\":4}\n";
static const alibi_edge hostile_edges[] = {
        {0, 0, 1, "wr", "\"" HOSTILE "\"", "<b>one</b> & \"two\" 'three' \x01 \xff " HOSTILE},
        {0, 1, 0, HOSTILE, NULL, "]]> &amp; -->"},
        {0, 0, 0, "rw", NULL, "an arrow to itself"},
};
static const alibi_case hostile_cases[] = {CASE(HOSTILE, hostile_edges, HOSTILE)};

/* ---- a case without edges ---- */

static const char garbage_history[] = "{\"ops\":[[\"r\",\"x\",7]]}\n";
static const alibi_case garbage_cases[] = {{NULL, "No transaction wrote 7.", 0, NULL, NULL}};

static const struct made_anomaly lost_update = {
        "lost-update",
        "Lost update",
        "G-single",
        "deposit-20 and deposit-50 both read account = 100 and both wrote it. One deposit is lost.",
        lost_update_history,
        COUNT(lost_update_cases),
        lost_update_cases};
static const struct made_anomaly long_fork = {
        "long-fork",       "Long fork",
        "G-nonadjacent",   "T3 saw T1 but not T2, and T4 saw T2 but not T1",
        long_fork_history, COUNT(long_fork_cases),
        long_fork_cases};
static const struct made_anomaly cases = {
        "g2-item",     "Write skew in two cases",
        "G2-item",     "Either t1 or t2 came first, and neither works out.",
        cases_history, COUNT(two_cases),
        two_cases};
static const struct made_anomaly crossing = {
        "g2-item",        "A long circle",
        "G2-item",        "Each of a, b, c, d, e and a2 came before the next.",
        crossing_history, COUNT(crossing_cases),
        crossing_cases};
static const struct made_anomaly six = {
        "g2-item",   "A circle of six", "G2-item", "Each of six came before the next.",
        six_history, COUNT(six_cases),  six_cases};
static const struct made_anomaly hostile = {
        HOSTILE, HOSTILE, HOSTILE, HOSTILE, hostile_history, COUNT(hostile_cases), hostile_cases};
static const struct made_anomaly garbage = {"garbage-read",
                                            "Garbage read",
                                            NULL,
                                            "T1 read x = 7, which no transaction wrote",
                                            garbage_history,
                                            COUNT(garbage_cases),
                                            garbage_cases};

/* ---- making them ---- */

static alibi_anomaly made(struct test *t, const struct made_anomaly *m)
{
	const struct history *h = load_text(t, "alibi", m->history);
	const char **ids = pool_array(h->pool, h->txn_count, sizeof *ids);
	for (uint32_t i = 0; i < h->txn_count; i++)
		ids[i] = render_value(h->pool, history_txn_id(h, i));
	return (alibi_anomaly){.name = m->name,
	                       .title = m->title,
	                       .adya = m->adya,
	                       .summary = m->summary,
	                       .reduced = (const alibi_history *)h,
	                       .txn_count = h->txn_count,
	                       .txns = ids,
	                       .case_count = m->case_count,
	                       .cases = m->cases,
	                       .lists_cut = h->empty_list != ID_NONE};
}

static struct sample *with(struct test *t, const char *name, const char *history,
                           const struct made_anomaly *const *anomalies, size_t count)
{
	const struct history *h = load_text(t, "alibi", history);
	struct sample *s = pool_zalloc(h->pool, sizeof *s);
	alibi_anomaly *all = pool_array(h->pool, count + 1, sizeof *all);
	for (size_t i = 0; i < count; i++)
		all[i] = made(t, anomalies[i]);
	s->explanation = (alibi_explanation){"si", count, true, false, all};
	s->result = (alibi_result){
	        .verdict = count ? ALIBI_VIOLATES : ALIBI_VALID,
	        .level = "si",
	        .violation_count = count,
	        .counted_all = true,
	        .coverage = {0, true, true, true, 4, 3, 2, 5, 1, 2, "pc", NULL, 0, 0},
	        .work = {0, 1.5, 2.25, 0.5, 0.125, 1, 2, 3, 4, 5, 6, 0.75}};
	s->findings[0] = (alibi_finding){ALIBI_INIT(alibi_finding), .level = "si",
	                                 .result = &s->result, .explanation = &s->explanation};
	s->reported = (alibi_reported){ALIBI_INIT(alibi_reported),
	                               .name = name,
	                               .history = (const alibi_history *)h,
	                               .finding_count = 1,
	                               .findings = s->findings,
	                               .seconds = 0.25,
	                               .load_seconds = 0.0625,
	                               .peak_bytes = 1 << 20};
	return s;
}

/* Thousands of anomalies, and the first of them with a value of megabytes: more
 * than a page takes. */
static struct sample *huge(struct test *t)
{
	enum { ANOMALIES = 3000, VALUE = 3 << 20 };
	const struct made_anomaly **all = calloc(ANOMALIES, sizeof *all);
	static const char format[] =
	        "{\"id\":\"big\",\"session\":1,\"ops\":[[\"w\",\"x\",\"%s\"]]}\n";
	char *value = malloc(VALUE + 1), *text = malloc(VALUE + sizeof format);
	assert_non_null(all);
	assert_non_null(value);
	assert_non_null(text);
	memset(value, 'v', VALUE);
	value[VALUE] = 0;
	snprintf(text, VALUE + sizeof format, format, value);
	struct made_anomaly big = garbage;
	big.history = text;
	all[0] = &big;
	for (size_t i = 1; i < ANOMALIES; i++)
		all[i] = i % 2 ? &lost_update : &long_fork;
	struct sample *s = with(t, "huge.jsonl", lost_update_history, all, ANOMALIES);
	s->explanation.counted_all = false;
	free(all);
	free(value);
	free(text);
	return s;
}

/* More transactions than are drawn, and a list of a thousand elements. */
static struct sample *crowd(struct test *t)
{
	enum { TXNS = 150, ELEMENTS = 1000, ROOM = 1 << 16 };
	char *text = malloc(ROOM);
	size_t at = 0;
	assert_non_null(text);
	for (int i = 0; i < TXNS; i++)
		at += (size_t)snprintf(
		        text + at, ROOM - at,
		        "{\"id\":\"t%d\",\"session\":%d,\"ops\":[[\"append\",\"log\",%d]]}\n", i,
		        i % 7, i);
	at += (size_t)snprintf(text + at, ROOM - at, "{\"id\":\"all\",\"ops\":[[\"r\",\"log\",[0");
	for (int i = 1; i < ELEMENTS; i++)
		at += (size_t)snprintf(text + at, ROOM - at, ",%d", i);
	snprintf(text + at, ROOM - at, "]]]}\n");
	struct made_anomaly many = garbage;
	many.history = text;
	struct sample *s =
	        with(t, "crowd.jsonl", text, (const struct made_anomaly *const[]){&many}, 1);
	free(text);
	return s;
}

/* Nothing but what the checker itself describes. */
static struct sample *unexplained(struct test *t)
{
	static const alibi_violation found[] = {
	        {0, "EXT", "\"t3\"", "\"t1\"", "\"x\"", "1", "[1,2]",
	         "transaction \"t3\" read key \"x\" and found [1,2], but this should be 1"},
	        {0, "INT", "7", NULL, NULL, NULL, NULL,
	         "transaction 7 does not see its own write"}};
	struct sample *s = with(t, "unexplained.jsonl", long_fork_history, NULL, 0);
	s->result.verdict = ALIBI_VIOLATES;
	s->result.basis = "the database's own timestamps";
	s->result.violation_count = 12345;
	s->result.counted_all = false;
	s->result.described = COUNT(found);
	s->result.violations = found;
	s->findings[0].explanation = NULL;
	s->result.coverage =
	        (alibi_coverage){.warning = "it says less than it seems", .counted = true};
	s->findings[0].asked = "Adya SI";
	s->findings[0].whose = "Adya";
	s->findings[0].ignore_sessions = true;
	return s;
}

/* pc holds, si does not, ser follows, and sser took too long. */
static struct sample *all_levels(struct test *t)
{
	static const alibi_result
	        holds = {.level = "pc", .verdict = ALIBI_VALID},
	        follows = {.level = "ser", .verdict = ALIBI_VIOLATES, .implied_by = "si"},
	        open = {.level = "sser",
	                .verdict = ALIBI_UNKNOWN,
	                .reason = "the time limit of 5 s was reached while searching"};
	struct sample *s = with(t, "all.jsonl", lost_update_history,
	                        (const struct made_anomaly *const[]){&lost_update}, 1);
	s->findings[1] = s->findings[0];
	s->findings[0] =
	        (alibi_finding){ALIBI_INIT(alibi_finding), .level = "pc", .result = &holds};
	s->findings[2] =
	        (alibi_finding){ALIBI_INIT(alibi_finding), .level = "ser", .result = &follows};
	s->findings[3] =
	        (alibi_finding){ALIBI_INIT(alibi_finding), .level = "sser", .result = &open};
	s->reported.finding_count = 4;
	s->reported.strongest = "pc";
	s->reported.verdict = ALIBI_UNKNOWN;
	return s;
}

static struct sample *unread(struct test *t)
{
	static const alibi_error broken = {ALIBI_INIT(alibi_error), .code = ALIBI_INPUT,
	                                   .text = "bad \xff.jsonl:1:2: expected a value"};
	struct sample *s = with(t, "bad \xff\n.jsonl", garbage_history, NULL, 0);
	s->findings[0] = (alibi_finding){ALIBI_INIT(alibi_finding), .error = &broken};
	s->reported.history = NULL;
	return s;
}

const char *const sample_names[] = {"lost-update", "long-fork", "cases", "crossing",
                                    "hostile",     "garbage",   "six",   "several",
                                    "huge",        "crowd",     "valid", "unexplained",
                                    "all-levels",  "unread",    NULL};

const struct sample *sample_make(struct test *t, const char *name)
{
	static const struct made_anomaly *const each[] = {
	        &lost_update, &long_fork, &cases, &crossing, &hostile, &garbage, &six};
	if (!strcmp(name, "several"))
		return with(t, "several.jsonl", lost_update_history, each, COUNT(each));
	if (!strcmp(name, "huge"))
		return huge(t);
	if (!strcmp(name, "crowd"))
		return crowd(t);
	if (!strcmp(name, "valid"))
		return with(t, "valid.jsonl", garbage_history, NULL, 0);
	if (!strcmp(name, "unexplained"))
		return unexplained(t);
	if (!strcmp(name, "all-levels"))
		return all_levels(t);
	if (!strcmp(name, "unread"))
		return unread(t);
	for (size_t i = 0; i < COUNT(each); i++)
		if (!strcmp(sample_names[i], name))
			return with(t, name, each[i]->history, &each[i], 1);
	fail_msg("there is no sample %s", name);
	return NULL;
}
