/*
 * workload_twitter: users tweet, follow each other, and read what those they
 * follow have said; Twitter as Cobra's and VeriStrong's benchmarks have it, on
 * three tables. A row is a key of the history; its value is the number that the
 * row's last writer put into its column v. For a tweet this is also its id.
 */
#include "workload.h"

enum { TIMELINE_USERS = 5 };

static const char *const tables[] = {
        "alibi_user (id BIGINT PRIMARY KEY, last_tweet BIGINT NOT NULL, v BIGINT NOT NULL)",
        "alibi_tweet (id BIGINT PRIMARY KEY, author BIGINT NOT NULL, v BIGINT NOT NULL)",
        "alibi_follow (follower BIGINT NOT NULL, followed BIGINT NOT NULL, v BIGINT NOT NULL, "
        "PRIMARY KEY (follower, followed))",
        NULL,
};

#define STATEMENTS(X)                                                                              \
	X(READ_USER, "user", 1, "SELECT v, last_tweet FROM alibi_user WHERE id = ?")               \
	X(TWEET, "user", 1, "UPDATE alibi_user SET last_tweet = ?, v = ? WHERE id = ?")            \
	X(POST, "tweet", 1, "INSERT INTO alibi_tweet VALUES (?, ?, ?)")                            \
	X(READ_TWEET, "tweet", 1, "SELECT v FROM alibi_tweet WHERE id = ?")                        \
	X(READ_FOLLOW, "follow", 2,                                                                \
	  "SELECT v FROM alibi_follow WHERE follower = ? AND followed = ?")                        \
	X(FOLLOW, "follow", 2, "INSERT INTO alibi_follow VALUES (?, ?, ?)")                        \
	X(UNFOLLOW, "follow", 2, "DELETE FROM alibi_follow WHERE follower = ? AND followed = ?")

enum { STATEMENTS(STATEMENT_NAME) };
static const struct statement statements[] = {STATEMENTS(STATEMENT_ROW)};

static void fill(struct fill *f, const struct shape *shape)
{
	for (int64_t id = 0; id < (int64_t)shape->keys; id++)
		fill_row(f, "alibi_user", &KEY("user", id), 0, "(%lld, 0, 0)", (long long)id);
}

static void tweet(struct session *s, int64_t user)
{
	int64_t id = session_new_value(s), v = session_new_value(s);
	if (DO(s, READ_USER, user) && DO(s, POST, id, user, id))
		DO(s, TWEET, id, v, user);
}

static void toggle_follow(struct session *s, int64_t a, int64_t b)
{
	int64_t v = session_new_value(s);
	if (!DO(s, READ_USER, b) || !DO(s, READ_FOLLOW, a, b))
		return;
	if (session_rows(s))
		DO(s, UNFOLLOW, a, b);
	else
		DO(s, FOLLOW, a, b, v);
}

static bool read_last_tweet(struct session *s, int64_t user)
{
	if (!DO(s, READ_USER, user))
		return false;
	int64_t id = session_integer(s, 0, 1);
	return !id || DO(s, READ_TWEET, id);
}

static void timeline(struct session *s, int64_t user)
{
	bool ok = true;
	for (int i = 0; i < TIMELINE_USERS && ok; i++) {
		int64_t other = session_draw_key(s);
		ok = DO(s, READ_FOLLOW, user, other);
		if (ok && session_rows(s))
			ok = read_last_tweet(s, other);
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
        STATEMENTS_ARE(statements),
        .fill = fill,
        .transact = transact,
        .keys = 50,
};
