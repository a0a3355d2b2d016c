/* availability: see availability.h. */
#include "availability.h"

#include "clock.h"

#include <inttypes.h>

enum { PAUSE_MS = 1000, NS_IN_MS = 1000 * 1000 };

void availability_begin(struct availability *a)
{
	pthread_mutex_init(&a->lock, NULL);
	a->origin_ns = clock_ns();
	a->all.committed_ns = a->origin_ns;
	for (size_t i = 0; i < HOSTS_MAX; i++)
		a->nodes[i].committed_ns = a->origin_ns;
}

static void commit(struct node_counts *n, uint64_t now_ns)
{
	if (now_ns - n->committed_ns > (uint64_t)PAUSE_MS * NS_IN_MS)
		n->without_ns += now_ns - n->committed_ns;
	n->committed_ns = now_ns;
}

void availability_note(struct availability *a, size_t node, enum attempt attempt)
{
	struct node_counts *n = &a->nodes[node];
	pthread_mutex_lock(&a->lock);
	n->attempts++;
	n->unanswered += attempt == ATTEMPT_UNANSWERED;
	if (attempt == ATTEMPT_COMMITTED) {
		uint64_t now_ns = clock_ns(); /* with the lock: the clock does not go back */
		commit(n, now_ns);
		commit(&a->all, now_ns);
	}
	pthread_mutex_unlock(&a->lock);
}

void availability_end(struct availability *a)
{
	a->end_ns = clock_ns();
	commit(&a->all, a->end_ns); /* a pause ends here, too */
	for (size_t i = 0; i < HOSTS_MAX; i++)
		commit(&a->nodes[i], a->end_ns);
	pthread_mutex_destroy(&a->lock);
}

double availability_without(const struct availability *a)
{
	return (double)a->all.without_ns / 1e9;
}

static void print_node(const struct url *url, size_t node, struct text *line)
{
	const struct url_host *h = &url->hosts[node];
	struct text name = {0};
	text_word(&name, h->name ? h->name : url->scheme);
	if (h->port)
		text_print(&name, ":%s", h->port);
	text_json(line, name.data);
	text_release(&name);
}

void availability_print(const struct availability *a, const struct url *url, struct text *line)
{
	text_print(line,
	           "{\"availability\":{\"milliseconds\":%" PRIu64 ",\"without_commits\":%" PRIu64
	           ",\"nodes\":[",
	           (a->end_ns - a->origin_ns) / NS_IN_MS, a->all.without_ns / NS_IN_MS);
	for (size_t i = 0; i < url->host_count; i++) {
		const struct node_counts *n = &a->nodes[i];
		text_word(line, i ? ",{\"node\":" : "{\"node\":");
		print_node(url, i, line);
		text_print(line,
		           ",\"without_commits\":%" PRIu64 ",\"attempts\":%" PRIu64
		           ",\"unanswered\":%" PRIu64 "}",
		           n->without_ns / NS_IN_MS, n->attempts, n->unanswered);
	}
	text_word(line, "]}}\n");
}
