/* driver: see driver.h. */
#include "driver.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *scheme;
	const struct driver *driver;  /* NULL: this build has none */
	const char *option, *package; /* that the build would need */
} drivers[] = {
#if HAVE_POSTGRES
        {"postgres", &driver_postgres, NULL, NULL}, {"postgresql", &driver_postgres, NULL, NULL},
#else
        {"postgres", NULL, "postgres", "libpq-dev"},
        {"postgresql", NULL, "postgres", "libpq-dev"},
#endif
#if HAVE_MARIADB
        {"mariadb", &driver_mariadb, NULL, NULL},   {"mysql", &driver_mariadb, NULL, NULL},
#else
        {"mariadb", NULL, "mariadb", "libmariadb-dev"},
        {"mysql", NULL, "mariadb", "libmariadb-dev"},
#endif
#if HAVE_SQLITE
        {"sqlite", &driver_sqlite, NULL, NULL},
#else
        {"sqlite", NULL, "sqlite", "libsqlite3-dev"},
#endif
};

const struct driver *driver_for(const char *scheme, struct text *why)
{
	for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
		if (strcmp(drivers[i].scheme, scheme) != 0)
			continue;
		if (!drivers[i].driver)
			text_print(why,
			           "this program was built without %s; install %s and build it "
			           "again with -D%s=enabled",
			           scheme, drivers[i].package, drivers[i].option);
		return drivers[i].driver;
	}
	text_print(why,
	           "no database is known by '%s'; expected postgres://…, mariadb://… or "
	           "sqlite:FILE",
	           scheme);
	return NULL;
}

bool driver_knows_settings(const struct driver *d, const struct url *u, struct text *why)
{
	for (size_t i = 0; d->setting && i < u->setting_count; i++) {
		if (!strcmp(d->setting, u->settings[i].name))
			continue;
		text_print(why, "%s takes no setting '%s' behind the ?", d->title,
		           u->settings[i].name);
		if (*d->setting)
			text_print(why, "; it takes %s", d->setting);
		return false;
	}
	return true;
}

const char *isolation_sql(enum isolation isolation)
{
	static const char *const names[] = {"READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ",
	                                    "SERIALIZABLE"};
	return names[isolation];
}

size_t message_length(const char *message)
{
	size_t length = strlen(message);
	while (length && message[length - 1] == '\n')
		length--;
	return length;
}

enum answer connection_problem(struct connection *c, enum answer answer, const char *code,
                               const char *problem)
{
	snprintf(c->code, sizeof c->code, "%s", code ? code : "");
	snprintf(c->problem, sizeof c->problem, "%.*s", (int)message_length(problem), problem);
	c->rows = 0;
	c->affected = 0;
	return answer;
}

static enum answer still_inside(struct connection *c, enum answer answer)
{
	bool answered = answer == ANSWER_DONE || answer == ANSWER_REFUSED;
	if (answered && !c->driver->inside(c, answer))
		return connection_problem(c, ANSWER_UNSURE, NULL,
		                          "the server ended the transaction by itself");
	return answer;
}

enum answer connection_begin(struct connection *c)
{
	enum answer answer = c->driver->execute(c, c->begin);
	return answer == ANSWER_DONE ? still_inside(c, answer) : answer;
}

enum answer connection_run(struct connection *c, size_t statement, const int64_t *args,
                           size_t arg_count)
{
	return still_inside(c, c->driver->run(c, statement, args, arg_count));
}

void connection_release(struct connection *c)
{
	text_release(&c->snapshot);
	text_release(&c->xid);
	text_release(&c->position);
}

const char *statement_sql(const struct statement *s, enum dialect dialect)
{
	return s->own[dialect] ? s->own[dialect] : s->all;
}
