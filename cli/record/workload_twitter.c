/*
 * workload_twitter: users tweet, follow each other, and read what those they
 * follow have said; Twitter as Cobra's and VeriStrong's benchmarks have it, on
 * three tables. A row is a key of the history; its value is the number that the
 * row's last writer put into its column v. For a tweet this is also its id.
 */
#include "workload.h"

enum { READ_USER, TWEET, POST, READ_TWEET, READ_FOLLOW, FOLLOW, UNFOLLOW };
enum { TIMELINE_USERS = 5 };

static const char *const tables[] = {
        "alibi_user (id BIGINT PRIMARY KEY, last_tweet BIGINT NOT NULL, v BIGINT NOT NULL)",
        "alibi_tweet (id BIGINT PRIMARY KEY, author BIGINT NOT NULL, v BIGINT NOT NULL)",
        "alibi_follow (follower BIGINT NOT NULL, followed BIGINT NOT NULL, v BIGINT NOT NULL, "
        "PRIMARY KEY (follower, followed))",
        NULL,
};

static const struct statement statements[] = {
        [READ_USER] = {.all = "SELECT v, last_tweet FROM alibi_user WHERE id = ?"},
        [TWEET] = {.all = "UPDATE alibi_user SET last_tweet = ?, v = ? WHERE id = ?"},
        [POST] = {.all = "INSERT INTO alibi_tweet VALUES (?, ?, ?)"},
        [READ_TWEET] = {.all = "SELECT v FROM alibi_tweet WHERE id = ?"},
        [READ_FOLLOW] = {.all = "SELECT v FROM alibi_follow WHERE follower = ? AND followed = ?"},
        [FOLLOW] = {.all = "INSERT INTO alibi_follow VALUES (?, ?, ?)"},
        [UNFOLLOW] = {.all = "DELETE FROM alibi_follow WHERE follower = ? AND followed = ?"},
};

static void fill(struct fill *f, const struct shape *shape)
{
	for (int64_t id = 0; id < (int64_t)shape->keys; id++)
		fill_row(f, "alibi_user", &KEY("user", id), 0, "(%lld, 0, 0)", (long long)id);
}

static bool read_user(struct session *s, int64_t user)
{
	return session_read(s, KEY("user", user), READ_USER, ARGS(user));
}

static bool read_follow(struct session *s, int64_t a, int64_t b)
{
	return session_read(s, KEY("follow", a, b), READ_FOLLOW, ARGS(a, b));
}

static void tweet(struct session *s, int64_t user)
{
	int64_t id = session_new_value(s), v = session_new_value(s);
	if (read_user(s, user) && session_write(s, KEY("tweet", id), id, POST, ARGS(id, user, id)))
		session_write(s, KEY("user", user), v, TWEET, ARGS(id, v, user));
}

static void toggle_follow(struct session *s, int64_t a, int64_t b)
{
	int64_t v = session_new_value(s);
	if (!read_user(s, b) || !read_follow(s, a, b))
		return;
	if (session_rows(s))
		session_delete(s, KEY("follow", a, b), UNFOLLOW, ARGS(a, b));
	else
		session_write(s, KEY("follow", a, b), v, FOLLOW, ARGS(a, b, v));
}

static bool read_last_tweet(struct session *s, int64_t user)
{
	if (!read_user(s, user))
		return false;
	int64_t id = session_integer(s, 0, 1);
	return !id || session_read(s, KEY("tweet", id), READ_TWEET, ARGS(id));
}

static void timeline(struct session *s, int64_t user)
{
	bool goes_on = true;
	for (int i = 0; i < TIMELINE_USERS && goes_on; i++) {
		int64_t other = session_draw_key(s);
		goes_on = read_follow(s, user, other);
		if (goes_on && session_rows(s))
			goes_on = read_last_tweet(s, other);
	}
}

static void transact(struct session *s)
{
	int64_t user = session_draw_key(s), other = session_draw_key(s);
	int64_t kind = session_below(s, 100);
	if (kind < 30)
		tweet(s, user);
	else if (kind < 55)
		toggle_follow(s, user, other);
	else if (kind < 85)
		timeline(s, user);
	else
		read_last_tweet(s, user);
}

const struct workload workload_twitter = {
        .name = "twitter",
        .tables = tables,
        .statements = statements,
        .statement_count = sizeof statements / sizeof *statements,
        .fill = fill,
        .transact = transact,
        .keys = 50,
};
