/*
 * workload_rubis: an auction house, after the RUBiS of Cobra's and VeriStrong's
 * benchmarks, on five tables. Users look at items, bid, buy at once, comment on
 * each other, and put items up or take them down. A row is a key of the history;
 * its value is the number that the row's last writer put into its column v.
 * Bids, comments and purchases have that number as their id, too.
 */
#include "workload.h"

enum {
	READ_USER,
	RATE_USER,
	READ_ITEM,
	BID_ON_ITEM,
	TAKE_ITEM,
	ADD_ITEM,
	REMOVE_ITEM,
	ADD_BID,
	READ_BID,
	ADD_PURCHASE,
	ADD_COMMENT,
};
enum { STOCK = 10, RAISE_MAX = 20 };

static const char *const tables[] = {
        "alibi_user (id BIGINT PRIMARY KEY, rating BIGINT NOT NULL, v BIGINT NOT NULL)",
        "alibi_item (id BIGINT PRIMARY KEY, seller BIGINT NOT NULL, quantity BIGINT NOT NULL, "
        "price BIGINT NOT NULL, bids BIGINT NOT NULL, last_bid BIGINT NOT NULL, v BIGINT NOT NULL)",
        "alibi_bid (id BIGINT PRIMARY KEY, item BIGINT NOT NULL, bidder BIGINT NOT NULL, "
        "price BIGINT NOT NULL, v BIGINT NOT NULL)",
        "alibi_purchase (id BIGINT PRIMARY KEY, item BIGINT NOT NULL, buyer BIGINT NOT NULL, "
        "v BIGINT NOT NULL)",
        "alibi_comment (id BIGINT PRIMARY KEY, writer BIGINT NOT NULL, about BIGINT NOT NULL, "
        "v BIGINT NOT NULL)",
        NULL,
};

static const struct statement statements[] = {
        [READ_USER] = {.all = "SELECT v FROM alibi_user WHERE id = ?"},
        [RATE_USER] = {.all = "UPDATE alibi_user SET rating = rating + ?, v = ? WHERE id = ?"},
        [READ_ITEM] = {.all = "SELECT v, seller, quantity, price, last_bid FROM alibi_item "
                              "WHERE id = ?"},
        [BID_ON_ITEM] = {.all = "UPDATE alibi_item SET price = ?, bids = bids + 1, last_bid = ?, "
                                "v = ? WHERE id = ?"},
        [TAKE_ITEM] = {.all = "UPDATE alibi_item SET quantity = quantity - 1, v = ? WHERE id = ?"},
        [ADD_ITEM] = {.all = "INSERT INTO alibi_item VALUES (?, ?, ?, 1, 0, 0, ?)"},
        [REMOVE_ITEM] = {.all = "DELETE FROM alibi_item WHERE id = ?"},
        [ADD_BID] = {.all = "INSERT INTO alibi_bid VALUES (?, ?, ?, ?, ?)"},
        [READ_BID] = {.all = "SELECT v FROM alibi_bid WHERE id = ?"},
        [ADD_PURCHASE] = {.all = "INSERT INTO alibi_purchase VALUES (?, ?, ?, ?)"},
        [ADD_COMMENT] = {.all = "INSERT INTO alibi_comment VALUES (?, ?, ?, ?)"},
};

static void fill(struct fill *f, const struct shape *shape)
{
	for (int64_t id = 0; id < (int64_t)shape->keys; id++)
		fill_row(f, "alibi_user", &KEY("user", id), 0, "(%lld, 0, 0)", (long long)id);
	for (int64_t id = 0; id < (int64_t)shape->keys; id++)
		fill_row(f, "alibi_item", &KEY("item", id), 0, "(%lld, %lld, %d, 1, 0, 0, 0)",
		         (long long)id, (long long)id, STOCK);
}

static bool read_user(struct session *s, int64_t user)
{
	return session_read(s, KEY("user", user), READ_USER, ARGS(user));
}

static bool read_item(struct session *s, int64_t item)
{
	return session_read(s, KEY("item", item), READ_ITEM, ARGS(item));
}

/* With its seller and its last bid. */
static void view(struct session *s, int64_t item)
{
	if (!read_item(s, item) || !session_rows(s))
		return;
	int64_t seller = session_integer(s, 0, 1), bid = session_integer(s, 0, 4);
	if (read_user(s, seller) && bid)
		session_read(s, KEY("bid", bid), READ_BID, ARGS(bid));
}

static void place_bid(struct session *s, int64_t user, int64_t item)
{
	int64_t bid = session_new_value(s), v = session_new_value(s);
	if (!read_user(s, user) || !read_item(s, item) || !session_rows(s))
		return;
	int64_t price = session_integer(s, 0, 3) + 1 + session_below(s, RAISE_MAX);
	if (session_write(s, KEY("bid", bid), bid, ADD_BID, ARGS(bid, item, user, price, bid)))
		session_write(s, KEY("item", item), v, BID_ON_ITEM, ARGS(price, bid, v, item));
}

static void buy(struct session *s, int64_t user, int64_t item)
{
	int64_t id = session_new_value(s), v = session_new_value(s);
	if (!read_user(s, user) || !read_item(s, item) || !session_rows(s))
		return;
	if (session_integer(s, 0, 2) <= 0) /* sold out */
		return;
	if (session_write(s, KEY("purchase", id), id, ADD_PURCHASE, ARGS(id, item, user, id)))
		session_write(s, KEY("item", item), v, TAKE_ITEM, ARGS(v, item));
}

static void comment(struct session *s, int64_t user, int64_t about)
{
	int64_t id = session_new_value(s), v = session_new_value(s);
	int64_t rating = session_below(s, 11) - 5;
	if (read_user(s, user) && read_user(s, about) &&
	    session_write(s, KEY("comment", id), id, ADD_COMMENT, ARGS(id, user, about, id)))
		session_write(s, KEY("user", about), v, RATE_USER, ARGS(rating, v, about));
}

/* Puts the item up, or takes it down if it is there. */
static void sell(struct session *s, int64_t user, int64_t item)
{
	int64_t v = session_new_value(s);
	if (!read_user(s, user) || !read_item(s, item))
		return;
	if (session_rows(s))
		session_delete(s, KEY("item", item), REMOVE_ITEM, ARGS(item));
	else
		session_write(s, KEY("item", item), v, ADD_ITEM, ARGS(item, user, STOCK, v));
}

static void transact(struct session *s)
{
	int64_t user = session_draw_key(s), item = session_draw_key(s);
	int64_t kind = session_below(s, 100);
	if (kind < 40)
		view(s, item);
	else if (kind < 65)
		place_bid(s, user, item);
	else if (kind < 75)
		buy(s, user, item);
	else if (kind < 85)
		comment(s, user, session_draw_key(s));
	else
		sell(s, user, item);
}

const struct workload workload_rubis = {
        .name = "rubis",
        .tables = tables,
        .statements = statements,
        .statement_count = sizeof statements / sizeof *statements,
        .fill = fill,
        .transact = transact,
        .keys = 50,
};
