/*
 * workload_tpcc: a small TPC-C: its nine tables and five transactions, in its
 * shares, with fewer districts, customers and items, and orders from none on.
 * Customers are found by their number only.
 *
 * A row is a key of the history; its value is the number that the row's last
 * writer put into its column v, while the other columns do TPC-C's work. What a
 * transaction finds by a condition (the oldest new order, the last order of a
 * customer, the lines of an order) is recorded as reads of the rows that were
 * found; that there were no others is not.
 */
#include "workload.h"

enum { WAREHOUSES = 2, DISTRICTS = 4, CUSTOMERS = 10, LINES_MIN = 3, LINES_MAX = 8, RECENT = 3 };

static const char *const tables[] = {
        "alibi_warehouse (w BIGINT PRIMARY KEY, ytd BIGINT NOT NULL, v BIGINT NOT NULL)",
        "alibi_district (w BIGINT NOT NULL, d BIGINT NOT NULL, next_order BIGINT NOT NULL, "
        "ytd BIGINT NOT NULL, v BIGINT NOT NULL, PRIMARY KEY (w, d))",
        "alibi_customer (w BIGINT NOT NULL, d BIGINT NOT NULL, c BIGINT NOT NULL, "
        "balance BIGINT NOT NULL, payments BIGINT NOT NULL, deliveries BIGINT NOT NULL, "
        "v BIGINT NOT NULL, PRIMARY KEY (w, d, c))",
        "alibi_item (i BIGINT PRIMARY KEY, price BIGINT NOT NULL, v BIGINT NOT NULL)",
        "alibi_stock (w BIGINT NOT NULL, i BIGINT NOT NULL, quantity BIGINT NOT NULL, "
        "ytd BIGINT NOT NULL, orders BIGINT NOT NULL, v BIGINT NOT NULL, PRIMARY KEY (w, i))",
        "alibi_order (w BIGINT NOT NULL, d BIGINT NOT NULL, o BIGINT NOT NULL, c BIGINT NOT NULL, "
        "carrier BIGINT, v BIGINT NOT NULL, PRIMARY KEY (w, d, o))",
        "alibi_new_order (w BIGINT NOT NULL, d BIGINT NOT NULL, o BIGINT NOT NULL, "
        "v BIGINT NOT NULL, PRIMARY KEY (w, d, o))",
        "alibi_line (w BIGINT NOT NULL, d BIGINT NOT NULL, o BIGINT NOT NULL, n BIGINT NOT NULL, "
        "i BIGINT NOT NULL, amount BIGINT NOT NULL, delivered BIGINT, v BIGINT NOT NULL, "
        "PRIMARY KEY (w, d, o, n))",
        "alibi_payment (id BIGINT PRIMARY KEY, w BIGINT NOT NULL, d BIGINT NOT NULL, "
        "c BIGINT NOT NULL, amount BIGINT NOT NULL, v BIGINT NOT NULL)",
        NULL,
};

#define STATEMENTS(X)                                                                              \
	X(READ_WAREHOUSE, "warehouse", 1, "SELECT v FROM alibi_warehouse WHERE w = ?")             \
	X(PAY_WAREHOUSE, "warehouse", 1,                                                           \
	  "UPDATE alibi_warehouse SET ytd = ytd + ?, v = ? WHERE w = ?")                           \
	X(READ_DISTRICT, "district", 2,                                                            \
	  "SELECT v, next_order FROM alibi_district WHERE w = ? AND d = ?")                        \
	X(NEXT_ORDER, "district", 2,                                                               \
	  "UPDATE alibi_district SET next_order = ?, v = ? WHERE w = ? AND d = ?")                 \
	X(PAY_DISTRICT, "district", 2,                                                             \
	  "UPDATE alibi_district SET ytd = ytd + ?, v = ? WHERE w = ? AND d = ?")                  \
	X(READ_CUSTOMER, "customer", 3,                                                            \
	  "SELECT v, balance FROM alibi_customer WHERE w = ? AND d = ? AND c = ?")                 \
	X(CHANGE_CUSTOMER, "customer", 3,                                                          \
	  "UPDATE alibi_customer SET balance = balance + ?, payments = payments + ?, "             \
	  "deliveries = deliveries + ?, v = ? WHERE w = ? AND d = ? AND c = ?")                    \
	X(READ_ITEM, "item", 1, "SELECT v, price FROM alibi_item WHERE i = ?")                     \
	X(READ_STOCK, "stock", 2, "SELECT v, quantity FROM alibi_stock WHERE w = ? AND i = ?")     \
	X(CHANGE_STOCK, "stock", 2,                                                                \
	  "UPDATE alibi_stock SET quantity = ?, ytd = ytd + ?, orders = orders + 1, v "            \
	  "= ? WHERE w = ? AND i = ?")                                                             \
	X(ADD_ORDER, "order", 3, "INSERT INTO alibi_order VALUES (?, ?, ?, ?, NULL, ?)")           \
	X(READ_ORDER, "order", 3, "SELECT v, c FROM alibi_order WHERE w = ? AND d = ? AND o = ?")  \
	X(LAST_ORDER, NULL, 0,                                                                     \
	  "SELECT v, o FROM alibi_order WHERE w = ? AND d = ? AND c = ? ORDER BY o "               \
	  "DESC LIMIT 1")                                                                          \
	X(CARRY_ORDER, "order", 3,                                                                 \
	  "UPDATE alibi_order SET carrier = ?, v = ? WHERE w = ? AND d = ? AND o = ?")             \
	X(ADD_NEW_ORDER, "new_order", 3, "INSERT INTO alibi_new_order VALUES (?, ?, ?, ?)")        \
	X(OLDEST_NEW_ORDER, NULL, 0,                                                               \
	  "SELECT v, o FROM alibi_new_order WHERE w = ? AND d = ? ORDER BY o LIMIT 1")             \
	X(REMOVE_NEW_ORDER, "new_order", 3,                                                        \
	  "DELETE FROM alibi_new_order WHERE w = ? AND d = ? AND o = ?")                           \
	X(ADD_LINE, "line", 4, "INSERT INTO alibi_line VALUES (?, ?, ?, ?, ?, ?, NULL, ?)")        \
	X(READ_LINES, NULL, 0,                                                                     \
	  "SELECT v, o, n, i, amount FROM alibi_line WHERE w = ? AND d = ? AND o >= ? "            \
	  "AND o < ? ORDER BY o, n")                                                               \
	X(DELIVER_LINE, "line", 4,                                                                 \
	  "UPDATE alibi_line SET delivered = 1, v = ? WHERE w = ? AND d = ? AND o = ? "            \
	  "AND n = ?")                                                                             \
	X(ADD_PAYMENT, "payment", 1, "INSERT INTO alibi_payment VALUES (?, ?, ?, ?, ?, ?)")

enum { STATEMENTS(STATEMENT_NAME) };
static const struct statement statements[] = {STATEMENTS(STATEMENT_ROW)};

static void fill(struct fill *f, const struct shape *shape)
{
	long long items = (long long)shape->keys;
	for (long long i = 0; i < items; i++)
		fill_row(f, "alibi_item", &KEY("item", i), 0, "(%lld, %lld, 0)", i, 1 + i % 100);
	for (long long w = 0; w < WAREHOUSES; w++)
		fill_row(f, "alibi_warehouse", &KEY("warehouse", w), 0, "(%lld, 0, 0)", w);
	for (long long n = 0; n < WAREHOUSES * items; n++)
		fill_row(f, "alibi_stock", &KEY("stock", n / items, n % items), 0,
		         "(%lld, %lld, 50, 0, 0, 0)", n / items, n % items);
	for (long long n = 0; n < WAREHOUSES * DISTRICTS; n++)
		fill_row(f, "alibi_district", &KEY("district", n / DISTRICTS, n % DISTRICTS), 0,
		         "(%lld, %lld, 1, 0, 0)", n / DISTRICTS, n % DISTRICTS);
	for (long long n = 0; n < WAREHOUSES * DISTRICTS * CUSTOMERS; n++) {
		long long w = n / CUSTOMERS / DISTRICTS, d = n / CUSTOMERS % DISTRICTS;
		fill_row(f, "alibi_customer", &KEY("customer", w, d, n % CUSTOMERS), 0,
		         "(%lld, %lld, %lld, 0, 0, 0, 0)", w, d, n % CUSTOMERS);
	}
}

/* The warehouse, district and customer of a transaction. */
struct place {
	int64_t w, d, c;
};

static bool read_customer(struct session *s, struct place p)
{
	return DO(s, READ_CUSTOMER, p.w, p.d, p.c);
}

static bool change_customer(struct session *s, struct place p, int64_t amount, int64_t payments,
                            int64_t deliveries)
{
	int64_t v = session_new_value(s);
	return DO(s, CHANGE_CUSTOMER, amount, payments, deliveries, v, p.w, p.d, p.c);
}

/* ---- new order ---- */

static bool order_item(struct session *s, struct place p, int64_t order, int64_t line)
{
	int64_t item = session_draw_key(s), quantity = 1 + session_below(s, 10);
	int64_t changed = session_new_value(s), added = session_new_value(s);
	int64_t supplier = session_chance(s, 0.01) ? (p.w + 1) % WAREHOUSES : p.w;
	if (!DO(s, READ_ITEM, item))
		return false;
	int64_t amount = quantity * session_integer(s, 0, 1);
	if (!DO(s, READ_STOCK, supplier, item))
		return false;
	int64_t left = session_integer(s, 0, 1) - quantity;
	if (left < 10)
		left += 91;
	return DO(s, CHANGE_STOCK, left, quantity, changed, supplier, item) &&
	       DO(s, ADD_LINE, p.w, p.d, order, line, item, amount, added);
}

static void new_order(struct session *s, struct place p)
{
	int64_t lines = LINES_MIN + session_below(s, LINES_MAX - LINES_MIN + 1);
	int64_t district = session_new_value(s), added = session_new_value(s),
	        queued = session_new_value(s);
	bool wrong_item = session_chance(s, 0.01);
	if (!DO(s, READ_WAREHOUSE, p.w) || !DO(s, READ_DISTRICT, p.w, p.d))
		return;
	int64_t order = session_integer(s, 0, 1);
	bool ok = DO(s, NEXT_ORDER, order + 1, district, p.w, p.d) && read_customer(s, p) &&
	          DO(s, ADD_ORDER, p.w, p.d, order, p.c, added) &&
	          DO(s, ADD_NEW_ORDER, p.w, p.d, order, queued);
	for (int64_t line = 0; line < lines && ok; line++)
		ok = order_item(s, p, order, line);
	if (wrong_item)
		session_roll_back(s);
}

/* ---- the others ---- */

static void payment(struct session *s, struct place p)
{
	int64_t amount = 1 + session_below(s, 5000);
	int64_t warehouse = session_new_value(s), district = session_new_value(s),
	        id = session_new_value(s);
	struct place home = p;
	if (session_chance(s, 0.15))
		home.w = (p.w + 1) % WAREHOUSES;
	if (DO(s, READ_WAREHOUSE, p.w) && DO(s, PAY_WAREHOUSE, amount, warehouse, p.w) &&
	    DO(s, READ_DISTRICT, p.w, p.d) && DO(s, PAY_DISTRICT, amount, district, p.w, p.d) &&
	    read_customer(s, home) && change_customer(s, home, -amount, 1, 0))
		DO(s, ADD_PAYMENT, id, home.w, home.d, home.c, amount, id);
}

/* The lines of these orders. */
static bool read_lines(struct session *s, struct place p, int64_t first, int64_t end)
{
	if (!session_request(s, READ_LINES, ARGS(p.w, p.d, first, end)))
		return false;
	for (size_t row = 0; row < session_rows(s); row++)
		session_record_read(s,
		                    KEY("line", p.w, p.d, session_integer(s, row, 1),
		                        session_integer(s, row, 2)),
		                    row, 0);
	return true;
}

static void order_status(struct session *s, struct place p)
{
	if (!read_customer(s, p) || !session_request(s, LAST_ORDER, ARGS(p.w, p.d, p.c)) ||
	    !session_rows(s))
		return;
	int64_t order = session_integer(s, 0, 1);
	session_record_read(s, KEY("order", p.w, p.d, order), 0, 0);
	read_lines(s, p, order, order + 1);
}

static bool deliver(struct session *s, struct place p)
{
	int64_t carried = session_new_value(s), amount = 0;
	if (!session_request(s, OLDEST_NEW_ORDER, ARGS(p.w, p.d)))
		return false;
	if (!session_rows(s))
		return true;
	int64_t order = session_integer(s, 0, 1);
	session_record_read(s, KEY("new_order", p.w, p.d, order), 0, 0);
	if (!DO(s, REMOVE_NEW_ORDER, p.w, p.d, order) || !DO(s, READ_ORDER, p.w, p.d, order))
		return false;
	p.c = session_integer(s, 0, 1);
	if (!DO(s, CARRY_ORDER, 1, carried, p.w, p.d, order) || !read_lines(s, p, order, order + 1))
		return false;
	int64_t lines = (int64_t)session_rows(s);
	for (int64_t line = 0; line < lines; line++)
		amount += session_integer(s, (size_t)line, 4);
	for (int64_t line = 0; line < lines; line++) {
		int64_t v = session_new_value(s);
		if (!DO(s, DELIVER_LINE, v, p.w, p.d, order, line))
			return false;
	}
	return read_customer(s, p) && change_customer(s, p, amount, 0, 1);
}

static void stock_level(struct session *s, struct place p)
{
	int64_t items[RECENT * LINES_MAX];
	size_t count = 0;
	if (!DO(s, READ_DISTRICT, p.w, p.d))
		return;
	int64_t next = session_integer(s, 0, 1);
	if (!read_lines(s, p, next - RECENT, next))
		return;
	for (size_t row = 0; row < session_rows(s) && count < RECENT * LINES_MAX; row++)
		items[count++] = session_integer(s, row, 3);
	for (size_t i = 0; i < count; i++)
		if (!DO(s, READ_STOCK, p.w, items[i]))
			return;
}

static void transact(struct session *s)
{
	struct place p = {session_below(s, WAREHOUSES), session_below(s, DISTRICTS),
	                  session_below(s, CUSTOMERS)};
	int64_t kind = session_below(s, 100);
	if (kind < 45)
		new_order(s, p);
	else if (kind < 88)
		payment(s, p);
	else if (kind < 92)
		order_status(s, p);
	else if (kind < 96)
		for (p.d = 0; p.d < DISTRICTS && deliver(s, p); p.d++)
			;
	else
		stock_level(s, p);
}

const struct workload workload_tpcc = {
        .name = "tpcc",
        .tables = tables,
        STATEMENTS_ARE(statements),
        .fill = fill,
        .transact = transact,
        .keys = 100,
};
