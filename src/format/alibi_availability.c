/* alibi_availability: see alibi_availability.h. */
#include "format/alibi_availability.h"

#include <string.h>

enum { MILLISECONDS, WITHOUT_COMMITS, NODES, MEMBERS };
static const char *const member_names[] = {"milliseconds", "without_commits", "nodes"};

enum { NODE, NODE_WITHOUT_COMMITS, ATTEMPTS, UNANSWERED, NODE_MEMBERS };
static const char *const node_names[] = {"node", "without_commits", "attempts", "unanswered"};

/* A count that is part of another one. */
static int64_t read_count(struct json *j, const char *what)
{
	int64_t count = json_integer(j, what);
	if (count < 0)
		json_reject(j, "the number before is negative");
	return count;
}

static void read_node(struct json *j, struct pool *pool, struct availability *a)
{
	struct node_availability n = {0};
	struct json_object o = json_object(j, "a node, an object", node_names, NODE_MEMBERS);
	for (unsigned m; json_field(j, &o, &m);) {
		if (m == NODE)
			n.node = json_c_string(j, pool, "the name of a node, a string");
		else if (m == NODE_WITHOUT_COMMITS)
			n.without_commits = read_count(j, "milliseconds, an integer");
		else if (m == ATTEMPTS)
			n.attempts = read_count(j, "a number of attempts");
		else
			n.unanswered = read_count(j, "a number of attempts");
	}
	json_require(j, &o, NODE_MEMBERS, "a node");
	if (n.unanswered > n.attempts)
		json_reject(j, "more attempts were not answered than there were");
	vec_push(pool, &a->nodes, n);
}

struct availability *alibi_read_availability(struct json *j, struct pool *pool)
{
	struct availability *a = pool_zalloc(pool, sizeof *a);
	struct json_object o = json_object(j, "an object", member_names, MEMBERS);
	for (unsigned m; json_field(j, &o, &m);) {
		if (m == MILLISECONDS)
			a->milliseconds = read_count(j, "milliseconds, an integer");
		else if (m == WITHOUT_COMMITS)
			a->without_commits = read_count(j, "milliseconds, an integer");
		else
			for (bool first = json_open(j, '[', "a list of nodes");
			     json_next(j, &first, ']');)
				read_node(j, pool, a);
	}
	json_require(j, &o, MEMBERS, "an availability");
	if (a->without_commits > a->milliseconds)
		json_reject(j, "the time without commits is longer than the recording");
	return a;
}

static void write_text(struct sink *s, const char *text)
{
	sink_value(s, (alibi_value){.kind = ALIBI_STRING, .text = text, .length = strlen(text)});
}

void alibi_write_availability(const struct availability *a, struct sink *s)
{
	sink_addf(s,
	          "{\"availability\":{\"milliseconds\":%lld,\"without_commits\":%lld,\"nodes\":[",
	          (long long)a->milliseconds, (long long)a->without_commits);
	for (size_t i = 0; i < a->nodes.count; i++) {
		const struct node_availability *n = &a->nodes.items[i];
		sink_text(s, i ? ",{\"node\":" : "{\"node\":");
		write_text(s, n->node);
		sink_addf(s, ",\"without_commits\":%lld,\"attempts\":%lld,\"unanswered\":%lld}",
		          (long long)n->without_commits, (long long)n->attempts,
		          (long long)n->unanswered);
	}
	sink_text(s, "]}}\n");
}
