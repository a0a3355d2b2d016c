/*
 * workload_rubis: an auction house, after the RUBiS of Cobra's and VeriStrong's
 * benchmarks, on five tables. Users look at items, bid, buy at once, comment on
 * each other, and put items up or take them down. A row is a key of the history;
 * its value is the number that the row's last writer put into its column v.
 * Bids, comments and purchases have that number as their id, too.
 */
#include "workload.h"

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

#define STATEMENTS(X)                                                                              \
	X(READ_USER, "user", 1, "SELECT v FROM alibi_user WHERE id = ?")                           \
	X(RATE_USER, "user", 1, "UPDATE alibi_user SET rating = rating + ?, v = ? WHERE id = ?")   \
	X(READ_ITEM, "item", 1,                                                                    \
	  "SELECT v, seller, quantity, price, last_bid FROM alibi_item WHERE id = ?")              \
	X(BID_ON_ITEM, "item", 1,                                                                  \
	  "UPDATE alibi_item SET price = ?, bids = bids + 1, last_bid = ?, v = ? WHERE "           \
	  "id = ?")                                                                                \
	X(TAKE_ITEM, "item", 1,                                                                    \
	  "UPDATE alibi_item SET quantity = quantity - 1, v = ? WHERE id = ?")                     \
	X(ADD_ITEM, "item", 1, "INSERT INTO alibi_item VALUES (?, ?, ?, 1, 0, 0, ?)")              \
	X(REMOVE_ITEM, "item", 1, "DELETE FROM alibi_item WHERE id = ?")                           \
	X(ADD_BID, "bid", 1, "INSERT INTO alibi_bid VALUES (?, ?, ?, ?, ?)")                       \
	X(READ_BID, "bid", 1, "SELECT v FROM alibi_bid WHERE id = ?")                              \
	X(ADD_PURCHASE, "purchase", 1, "INSERT INTO alibi_purchase VALUES (?, ?, ?, ?)")           \
	X(ADD_COMMENT, "comment", 1, "INSERT INTO alibi_comment VALUES (?, ?, ?, ?)")

enum { STATEMENTS(STATEMENT_NAME) };
static const struct statement statements[] = {STATEMENTS(STATEMENT_ROW)};

static void fill(struct fill *f, const struct shape *shape)
{
	for (int64_t id = 0; id < (int64_t)shape->keys; id++)
		fill_row(f, "alibi_user", &KEY("user", id), 0, "(%lld, 0, 0)", (long long)id);
	for (int64_t id = 0; id < (int64_t)shape->keys; id++)
		fill_row(f, "alibi_item", &KEY("item", id), 0, "(%lld, %lld, %d, 1, 0, 0, 0)",
		         (long long)id, (long long)id, STOCK);
}

/* With its seller and its last bid. */
static void view(struct session *s, int64_t item)
{
	if (!DO(s, READ_ITEM, item) || !session_rows(s))
		return;
	int64_t seller = session_integer(s, 0, 1), bid = session_integer(s, 0, 4);
	if (DO(s, READ_USER, seller) && bid)
		DO(s, READ_BID, bid);
}

static void place_bid(struct session *s, int64_t user, int64_t item)
{
	int64_t bid = session_new_value(s), v = session_new_value(s);
	if (!DO(s, READ_USER, user) || !DO(s, READ_ITEM, item) || !session_rows(s))
		return;
	int64_t price = session_integer(s, 0, 3) + 1 + session_below(s, RAISE_MAX);
	if (DO(s, ADD_BID, bid, item, user, price, bid))
		DO(s, BID_ON_ITEM, price, bid, v, item);
}

static void buy(struct session *s, int64_t user, int64_t item)
{
	int64_t id = session_new_value(s), v = session_new_value(s);
	if (!DO(s, READ_USER, user) || !DO(s, READ_ITEM, item) || !session_rows(s))
		return;
	if (session_integer(s, 0, 2) <= 0) /* sold out */
		return;
	if (DO(s, ADD_PURCHASE, id, item, user, id))
		DO(s, TAKE_ITEM, v, item);
}

static void comment(struct session *s, int64_t user, int64_t about)
{
	int64_t id = session_new_value(s), v = session_new_value(s);
	int64_t rating = session_below(s, 11) - 5;
	if (DO(s, READ_USER, user) && DO(s, READ_USER, about) &&
	    DO(s, ADD_COMMENT, id, user, about, id))
		DO(s, RATE_USER, rating, v, about);
}

/* Puts the item up, or takes it down if it is there. */
static void sell(struct session *s, int64_t user, int64_t item)
{
	int64_t v = session_new_value(s);
	if (!DO(s, READ_USER, user) || !DO(s, READ_ITEM, item))
		return;
	if (session_rows(s))
		DO(s, REMOVE_ITEM, item);
	else
		DO(s, ADD_ITEM, item, user, STOCK, v);
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
        STATEMENTS_ARE(statements),
        .fill = fill,
        .transact = transact,
        .keys = 50,
};
