/* core: see core.h. */
#include "stream/core/core.h"

#include "format/format.h"
#include "stream/core/inflight.h"

struct value core_option(struct stream *s, const char *option, const char *json)
{
	struct pool *pool = pool_child(s->pool);
	struct builder *b = builder_new(pool);
	struct value v = value_take(&s->store, b->values, format_value(b, option, json));
	pool_release(pool);
	return v;
}

void core_newest(struct stream *s, const struct inflight *t)
{
	struct progress *p = &s->progress;
	assert(!p->any || stamp_compare(t->commit, p->newest) > 0);
	value_drop(&s->store, p->txn);
	p->txn = value_copy(&s->store, t->id);
	p->previous = p->any ? p->newest : t->commit;
	p->any = true;
	p->newest = t->commit;
}
