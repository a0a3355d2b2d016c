/* level: see level.h. Weaker levels stand first. */
#include "level/level.h"

#include "history/render.h"

#include <assert.h>
#include <string.h>

static const struct level levels[] = {
        {"rc", "read committed", {.visible = VISIBLE_EARLIER, .unrepeatable = true}},
        {"ra", "read atomic", {.visible = VISIBLE_DIRECT}},
        {"cc", "causal", {.visible = VISIBLE_CAUSAL}},
        {"pc", "prefix", {.snapshot = true}},
        {"si", "snapshot isolation", {.snapshot = true, .noconflict = true}},
        {"ser", "serializable", {.snapshot = false}},
        {"sser", "strict serializable", {.realtime = true}},
};
enum { LEVELS = sizeof levels / sizeof *levels };

size_t level_count(void)
{
	return LEVELS;
}

const struct level *level_at(size_t index)
{
	return &levels[index];
}

const struct level *level_below(const struct level *level)
{
	assert(level > levels && level < levels + LEVELS);
	return level - 1;
}

const struct level *level_named(const char *name)
{
	for (size_t i = 0; i < LEVELS; i++)
		if (!strcmp(levels[i].name, name))
			return &levels[i];
	return NULL;
}

const char *level_names(struct pool *pool)
{
	text_vec t = {0};
	for (size_t i = 0; i < LEVELS; i++)
		text_addf(pool, &t, "%s%s", i ? ", " : "", levels[i].name);
	return text_string(pool, &t);
}
