/*
 * feed_nats: a NATS JetStream stream. A message has whole lines; a place is the sequence number of
 * the last message read. A stream that was deleted and created again has the same name and the same
 * numbers, but another creation time: name and creation time are the mark.
 *
 * The position is part of the watch's checkpoint. So the server keeps no state for the watch: at
 * the start, and whenever the connection or the server was lost, an ephemeral consumer is created
 * that begins with the next message. Messages arrive in order. If one is missing, it is requested
 * once more; if it is missing again it was deleted, and its transactions can never be verified.
 *
 * Messages are requested in advance, so that the server sends while the watch checks. A request
 * that is not filled in a second is answered, too: if nothing arrives for longer, the server has
 * lost the consumer. (natsSubscription_Fetch() of libnats 3.4 waits for the whole batch, and writes
 * beyond its list if more messages arrive.)
 */
#include "feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if HAVE_NATS

#include "clock.h"
#include "fingerprint.h"
#include "nats_link.h"

#include <assert.h>
#include <inttypes.h>
#include <poll.h>
#include <stdatomic.h>

enum {
	BATCH = 128, /* messages a request; the next is sent when half of them are missing */
	JOIN_BYTES = 64 << 10,
	WAIT_MILLISECONDS = 100,
	REQUEST_SECONDS = 1,
	SILENCE_SECONDS = 2,
	SAY_AFTER_SECONDS = 2,
	START_SECONDS = 10,
};

struct queue {
	struct nats_link link;
	natsSubscription *subscription; /* NULL: none */
	natsInbox *inbox;               /* where messages arrive */
	struct text next;               /* the subject of requests */
	natsMsg *message;               /* the last one */
	struct text lines;              /* of the last ones */
	int64_t asked;                  /* messages requested and not arrived */
	unsigned connections;           /* lost, when we subscribed */
	int64_t created;                /* creation time of the stream; 0: unknown */
	bool other;                     /* another stream has its name now */
	bool shorter, longer;           /* the stream, than what was read */
	double look_at;                 /* when to check whether the stream has more … */
	uint64_t stuck_at;              /* … from this message on; 0: it had not */
	bool asked_again;               /* for the message after f->place */
	double heard;                   /* when anything last arrived */
	bool said;                      /* NOTICE_LOST has been printed */
};

static bool report_error(const struct feed *f, const char *what, natsStatus status)
{
	return feed_error(f, what,
	                  status == NATS_NOT_FOUND ? "the server has no stream of this name"
	                  : status == NATS_NO_RESPONDERS
	                          ? "the server runs without JetStream (nats-server -js)"
	                          : natsStatus_GetText(status));
}

static bool report_shorter(const struct feed *f)
{
	return feed_error(f, "cannot continue",
	                  "the stream has fewer messages than were read; if it is a new one, "
	                  "remove the checkpoint");
}

static bool report_other(const struct feed *f)
{
	return feed_error(f, "cannot continue",
	                  "the stream was deleted and created again; start the "
	                  "watch again, without the checkpoint");
}

static void drop_subscription(struct queue *q)
{
	natsMsg_Destroy(q->message);
	natsSubscription_Destroy(q->subscription);
	natsInbox_Destroy(q->inbox);
	q->message = NULL;
	q->subscription = NULL;
	q->inbox = NULL;
}

/* A stream that is shorter than what was read is another one, or has lost messages, whose numbers
 * the next ones would get. */
static natsStatus look_at_stream(struct feed *f)
{
	struct queue *q = f->own;
	jsStreamInfo *info = NULL;
	natsStatus status = js_GetStreamInfo(&info, q->link.js, q->link.stream, NULL, NULL);
	q->shorter = status == NATS_OK && info->State.LastSeq < f->place;
	q->longer = status == NATS_OK && info->State.LastSeq > f->place;
	if (status == NATS_OK && !q->created)
		q->created = info->Created;
	q->other = status == NATS_OK && info->Created != q->created;
	jsStreamInfo_Destroy(info);
	return q->shorter || q->other ? NATS_ILLEGAL_STATE : status;
}

/* A consumer that begins with the message after f->place. */
static natsStatus make_consumer(struct feed *f)
{
	struct queue *q = f->own;
	jsConsumerConfig config;
	jsConsumerInfo *info = NULL;
	jsConsumerConfig_Init(&config);
	config.AckPolicy = js_AckNone;
	config.DeliverPolicy = js_DeliverByStartSequence;
	config.OptStartSeq = f->place + 1;
	config.InactiveThreshold = 30 * 1000000000ll;
	natsStatus status = js_AddConsumer(&info, q->link.js, q->link.stream, &config, NULL, NULL);
	text_cut(&q->next, 0);
	if (status == NATS_OK)
		text_print(&q->next, "$JS.API.CONSUMER.MSG.NEXT.%s.%s", q->link.stream, info->Name);
	jsConsumerInfo_Destroy(info);
	return status;
}

static natsStatus subscribe(struct feed *f)
{
	struct queue *q = f->own;
	q->connections = atomic_load(&q->link.lost);
	natsStatus status = look_at_stream(f);
	if (status == NATS_OK)
		status = make_consumer(f);
	if (status == NATS_OK)
		status = natsInbox_Create(&q->inbox);
	if (status == NATS_OK)
		status = natsConnection_SubscribeSync(&q->subscription, q->link.connection,
		                                      q->inbox);
	if (status == NATS_OK)
		status = natsSubscription_SetPendingLimits(q->subscription, -1, -1);
	q->asked = 0;
	q->heard = clock_seconds();
	return status;
}

static bool is_signalled(const struct feed *f)
{
	struct pollfd signals = {.fd = f->signals, .events = POLLIN};
	return poll(&signals, 1, 0) > 0;
}

/* Retries: a server that has just started, or a cluster that elects a leader, takes a while. */
static natsStatus subscribe_first(struct feed *f)
{
	double end = clock_seconds() + START_SECONDS;
	natsStatus status;
	while ((status = subscribe(f)) == NATS_TIMEOUT || status == NATS_NO_RESPONDERS) {
		if (clock_seconds() > end || is_signalled(f))
			break;
		drop_subscription(f->own);
		nats_Sleep(WAIT_MILLISECONDS);
	}
	return status;
}

static bool nats_open_stream(struct feed *f, const char *path, bool has_places)
{
	struct queue *q = f->own = calloc(1, sizeof *q);
	(void)has_places;
	if (!q)
		return feed_error(f, "cannot open", "out of memory");
	const char *wrong = nats_link_open(&q->link, path);
	if (q->link.name.length)
		f->name = q->link.name.data;
	if (wrong)
		return feed_error(f, "cannot connect", wrong);
	natsStatus status = subscribe_first(f);
	return status == NATS_OK ||
	       (q->shorter ? report_shorter(f) : report_error(f, "cannot read the stream", status));
}

static bool nats_mark(const struct feed *f, uint64_t at, uint64_t *mark)
{
	const struct queue *q = f->own;
	struct text about = {0};
	(void)at;
	text_print(&about, "%s %" PRId64, q->link.stream, q->created);
	*mark = fingerprint(about.data, about.length);
	text_release(&about);
	return true;
}

/* A request to a lost server takes seconds; the client library knows at once. */
static bool is_connected(const struct queue *q)
{
	return natsConnection_Status(q->link.connection) == NATS_CONN_STATUS_CONNECTED;
}

static void reconnected(struct feed *f)
{
	struct queue *q = f->own;
	if (q->said)
		notice(f->notices, NOTICE_FOUND, f->name, "the server answers again, after %.0f s",
		       clock_seconds() - f->away_since);
	q->said = false;
	f->away_since = 0;
}

/* The server is away, or has lost the consumer. */
static void resubscribe(struct feed *f)
{
	struct queue *q = f->own;
	f->was_away = true;
	drop_subscription(q);
	if (is_connected(q) && subscribe(f) == NATS_OK) {
		reconnected(f);
		return;
	}
	if (f->away_since <= 0)
		f->away_since = clock_seconds();
	if (!q->said && clock_seconds() - f->away_since > SAY_AFTER_SECONDS) {
		notice(f->notices, NOTICE_LOST, f->name, "the server does not answer; retrying");
		q->said = true;
	}
	nats_Sleep(WAIT_MILLISECONDS);
}

/* Requests messages in advance. */
static natsStatus ask(struct queue *q)
{
	natsStatus status = NATS_OK;
	char request[64];
	snprintf(request, sizeof request, "{\"batch\":%d,\"expires\":%lld}", BATCH,
	         REQUEST_SECONDS * 1000000000ll);
	while (status == NATS_OK && q->asked <= BATCH / 2) {
		status = natsConnection_PublishRequest(q->link.connection, q->next.data, q->inbox,
		                                       request, (int)strlen(request));
		q->asked += BATCH;
	}
	return status;
}

/* A status message ends a request: some of its messages will not arrive. False: it is a message of
 * the stream. */
static bool ends_request(struct queue *q)
{
	const char *status, *left = NULL;
	if (natsMsg_GetDataLength(q->message) > 0 ||
	    natsMsgHeader_Get(q->message, "Status", &status) != NATS_OK)
		return false;
	natsMsgHeader_Get(q->message, "Nats-Pending-Messages", &left);
	q->asked -= left ? strtoll(left, NULL, 10) : q->asked;
	return true;
}

/* Called when nothing came for a while. If the stream has had more messages for several seconds,
 * the server has lost the subscription, although it answers. A node that was cut off from its
 * cluster does that, for instance. */
static void look_after(struct feed *f)
{
	struct queue *q = f->own;
	if (clock_seconds() < q->look_at)
		return;
	q->look_at = clock_seconds() + SILENCE_SECONDS;
	if (look_at_stream(f) == NATS_OK && !q->longer) {
		q->stuck_at = 0;
		return;
	}
	if (q->stuck_at == f->place + 1)
		resubscribe(f);
	q->stuck_at = f->place + 1;
}

/* The next one to q->message, or NULL. */
static void fetch(struct feed *f, int milliseconds)
{
	struct queue *q = f->own;
	natsMsg_Destroy(q->message);
	q->message = NULL;
	if (milliseconds < 1 || milliseconds > WAIT_MILLISECONDS)
		milliseconds = WAIT_MILLISECONDS;
	natsStatus status = NATS_ERR;
	if (q->subscription && is_connected(q) && q->connections == atomic_load(&q->link.lost))
		status = ask(q);
	if (status == NATS_OK)
		status = natsSubscription_NextMsg(&q->message, q->subscription, milliseconds);
	if (status == NATS_OK)
		q->heard = clock_seconds();
	else if (status != NATS_TIMEOUT || clock_seconds() - q->heard > SILENCE_SECONDS)
		resubscribe(f);
}

/* Is this the next message? If others are missing before it, they may only have been
 * lost on the way: then the subscription begins again. */
static bool is_next(struct feed *f)
{
	struct queue *q = f->own;
	jsMsgMetaData *about = NULL;
	uint64_t number = 0;
	if (natsMsg_GetMetaData(&about, q->message) == NATS_OK)
		number = about->Sequence.Stream;
	jsMsgMetaData_Destroy(about);
	if (number <= f->place)
		return false;
	if (number > f->place + 1 && !q->asked_again) {
		q->asked_again = true;
		resubscribe(f);
		return false;
	}
	if (number > f->place + 1) {
		assert(!q->lines.length); /* it is the first one since we asked again */
		notice(f->notices, NOTICE_GONE, f->name,
		       "the messages from %" PRIu64 " to %" PRIu64
		       " are not in the stream any more; what they said is not verified",
		       f->place + 1, number - 1);
		f->gone_from = f->place + 1;
		f->gone_until = number - 1;
	}
	q->asked_again = false;
	f->place = number;
	return true;
}

/* Appends the lines of the message. False: take no more messages now. */
static bool join(struct feed *f)
{
	struct queue *q = f->own;
	if (!q->message)
		return false;
	if (ends_request(q)) {
		look_after(f);
		return q->subscription;
	}
	q->asked--;
	if (!is_next(f))
		return false;
	text_add(&q->lines, natsMsg_GetData(q->message), (size_t)natsMsg_GetDataLength(q->message));
	if (q->lines.length && q->lines.data[q->lines.length - 1] != '\n')
		text_add(&q->lines, "\n", 1);
	return q->lines.length < JOIN_BYTES;
}

/* Takes all messages that have arrived: taking them one by one, while others arrive, would make two
 * threads wait for each other. */
static enum feed_result nats_wait(struct feed *f, int milliseconds)
{
	struct queue *q = f->own;
	uint64_t there = 0;
	if (is_signalled(f))
		return feed_signalled(f);
	text_cut(&q->lines, 0);
	f->message = f->place + 1;
	do {
		fetch(f, milliseconds);
	} while (join(f) && natsSubscription_QueuedMsgs(q->subscription, &there) == NATS_OK &&
	         there);
	if (q->other) {
		report_other(f);
		return FEED_FAILED;
	}
	if (q->shorter && clock_seconds() - f->away_since > START_SECONDS) {
		report_shorter(f);
		return FEED_FAILED;
	}
	f->bytes = q->lines.data;
	f->length = q->lines.length;
	return f->length ? FEED_BYTES_CAME : FEED_NOTHING_YET;
}

static void nats_end(struct feed *f)
{
	struct queue *q = f->own;
	drop_subscription(q);
	text_release(&q->next);
	text_release(&q->lines);
	nats_link_close(&q->link);
	free(q);
}

const struct feed_source feed_nats = {.whole_lines = true,
                                      .open = nats_open_stream,
                                      .mark = nats_mark,
                                      .wait = nats_wait,
                                      .close = nats_end};

#else

static bool nats_open_stream(struct feed *f, const char *path, bool has_places)
{
	(void)path;
	(void)has_places;
	return feed_error(f, "cannot open", "this program was built without NATS (libnats)");
}

const struct feed_source feed_nats = {.open = nats_open_stream};

#endif
