/*
 * feed_nats: a stream of NATS JetStream. A message has whole lines; a place is the
 * number of the last message that came.
 *
 * The watch's own checkpoint says how far it is, together with what it knew then. So the
 * server keeps nothing about us: each time we start, and each time a connection or the
 * server was lost, we make a consumer that begins with the next message. Messages come in
 * the order of the stream. If one is missing, we ask once more from there; if it is
 * missing again it is gone from the stream, and what it said will never be verified.
 */
#include "feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if HAVE_NATS

#include "moment.h"
#include "nats_link.h"

#include <inttypes.h>
#include <poll.h>

enum { BATCH = 256, FETCH_MILLISECONDS = 100, LOOK_SECONDS = 1, SAY_AFTER_SECONDS = 5 };

struct queue {
	struct nats_link link;
	natsSubscription *subscription; /* NULL: there is none at the moment */
	natsMsgList batch;
	int at;           /* in the batch */
	bool shorter;     /* it cannot be the stream that was read */
	bool asked_again; /* for the message after f->place */
	double look_at;   /* when to look whether all is well, if nothing comes */
	bool said;        /* … that the server is away */
};

static bool complain(const struct feed *f, const char *what, natsStatus status)
{
	return feed_complain(f, what, natsStatus_GetText(status));
}

static void drop_subscription(struct queue *q)
{
	natsMsgList_Destroy(&q->batch);
	q->batch = (natsMsgList){0};
	q->at = 0;
	natsSubscription_Destroy(q->subscription);
	q->subscription = NULL;
}

/* A stream that is shorter than what came is another one, or has lost messages, and the
 * next ones would have the numbers of those. */
static natsStatus look_at_stream(struct feed *f)
{
	struct queue *q = f->own;
	jsStreamInfo *info = NULL;
	natsStatus status = js_GetStreamInfo(&info, q->link.js, q->link.stream, NULL, NULL);
	q->shorter = status == NATS_OK && info->State.LastSeq < f->place;
	if (q->shorter)
		feed_complain(f, "cannot go on",
		              "the stream has fewer messages than were read; if it is a new one, "
		              "remove the checkpoint");
	jsStreamInfo_Destroy(info);
	return q->shorter ? NATS_ILLEGAL_STATE : status;
}

/* A consumer that begins with the message after f->place. */
static natsStatus subscribe(struct feed *f)
{
	struct queue *q = f->own;
	jsConsumerConfig config;
	jsConsumerInfo *info = NULL;
	jsSubOptions options;
	natsStatus status = look_at_stream(f);
	if (status != NATS_OK)
		return status;
	jsConsumerConfig_Init(&config);
	config.AckPolicy = js_AckNone;
	config.DeliverPolicy = js_DeliverByStartSequence;
	config.OptStartSeq = f->place + 1;
	status = js_AddConsumer(&info, q->link.js, q->link.stream, &config, NULL, NULL);
	if (status == NATS_OK) {
		jsSubOptions_Init(&options);
		options.Stream = q->link.stream;
		options.Consumer = info->Name;
		status = js_PullSubscribe(&q->subscription, q->link.js, NULL, NULL, NULL, &options,
		                          NULL);
	}
	jsConsumerInfo_Destroy(info);
	return status;
}

static bool nats_open_stream(struct feed *f, const char *path, const uint64_t *place)
{
	struct queue *q = f->own = calloc(1, sizeof *q);
	(void)place;
	if (!q)
		return feed_complain(f, "cannot open", "the system has no memory left");
	const char *wrong = nats_link_open(&q->link, path);
	if (q->link.name.length)
		f->name = q->link.name.data;
	if (wrong)
		return feed_complain(f, "cannot connect", wrong);
	natsStatus status = subscribe(f);
	return status == NATS_OK || (!q->shorter && complain(f, "cannot read the stream", status));
}

/* Asking a server that is not there takes seconds; the client knows at once. */
static bool is_connected(const struct queue *q)
{
	return natsConnection_Status(q->link.connection) == NATS_CONN_STATUS_CONNECTED;
}

static void back(struct feed *f)
{
	struct queue *q = f->own;
	if (q->said)
		note(f->notes, NOTE_FOUND, f->name, "the server answers again, after %.0f s",
		     moment() - f->away_since);
	q->said = false;
	f->away_since = 0;
}

/* The server is away, or has forgotten us: both pass. */
static void begin_again(struct feed *f)
{
	struct queue *q = f->own;
	drop_subscription(q);
	if (is_connected(q) && subscribe(f) == NATS_OK) {
		back(f);
		return;
	}
	if (f->away_since <= 0)
		f->away_since = moment();
	if (!q->said && moment() - f->away_since > SAY_AFTER_SECONDS) {
		note(f->notes, NOTE_LOST, f->name, "the server does not answer; trying again");
		q->said = true;
	}
	nats_Sleep(FETCH_MILLISECONDS);
}

/* Nothing came for a while. Does the server still know us, and has it sent nothing that
 * got lost on the way? */
static void look_after(struct feed *f)
{
	struct queue *q = f->own;
	jsConsumerInfo *info = NULL;
	q->look_at = moment() + LOOK_SECONDS;
	natsStatus status = natsSubscription_GetConsumerInfo(&info, q->subscription, NULL, NULL);
	bool well = status == NATS_OK && info->Delivered.Stream <= f->place;
	jsConsumerInfo_Destroy(info);
	if (!well)
		begin_again(f);
}

static void fetch(struct feed *f, int milliseconds)
{
	struct queue *q = f->own;
	natsMsgList_Destroy(&q->batch);
	q->batch = (natsMsgList){0};
	q->at = 0;
	if (milliseconds < 1 || milliseconds > FETCH_MILLISECONDS)
		milliseconds = FETCH_MILLISECONDS;
	natsStatus status = NATS_ERR;
	if (q->subscription && is_connected(q))
		status = natsSubscription_Fetch(&q->batch, q->subscription, BATCH, milliseconds,
		                                NULL);
	if (status == NATS_OK) {
		back(f);
		q->look_at = moment() + LOOK_SECONDS;
	} else if (status != NATS_TIMEOUT) {
		begin_again(f);
	} else if (moment() > q->look_at) {
		look_after(f);
	}
}

/* Is this the next message? If others are missing before it, they may only have been
 * lost on the way: then the subscription begins again. */
static bool is_next(struct feed *f, natsMsg *message)
{
	struct queue *q = f->own;
	jsMsgMetaData *about = NULL;
	uint64_t number = 0;
	if (natsMsg_GetMetaData(&about, message) == NATS_OK)
		number = about->Sequence.Stream;
	jsMsgMetaData_Destroy(about);
	if (number <= f->place)
		return false;
	if (number > f->place + 1 && !q->asked_again) {
		q->asked_again = true;
		begin_again(f);
		return false;
	}
	if (number > f->place + 1) {
		note(f->notes, NOTE_GONE, f->name,
		     "the messages from %" PRIu64 " to %" PRIu64
		     " are not in the stream any more; what they said is not verified",
		     f->place + 1, number - 1);
		f->lost += number - f->place - 1;
	}
	q->asked_again = false;
	f->place = number;
	return true;
}

static enum feed_result nats_wait(struct feed *f, int milliseconds)
{
	struct queue *q = f->own;
	struct pollfd signals = {.fd = f->signals, .events = POLLIN};
	if (poll(&signals, 1, 0) > 0)
		return feed_signalled(f);
	if (q->at == q->batch.Count)
		fetch(f, milliseconds);
	if (q->shorter)
		return FEED_FAILED;
	if (q->at == q->batch.Count)
		return FEED_NOTHING_YET;
	natsMsg *message = q->batch.Msgs[q->at++];
	if (!is_next(f, message))
		return FEED_NOTHING_YET;
	f->bytes = natsMsg_GetData(message);
	f->length = (size_t)natsMsg_GetDataLength(message);
	return FEED_BYTES_CAME;
}

static void nats_end(struct feed *f)
{
	struct queue *q = f->own;
	if (!q)
		return;
	drop_subscription(q);
	nats_link_close(&q->link);
	free(q);
}

#else

static bool nats_open_stream(struct feed *f, const char *path, const uint64_t *place)
{
	(void)path;
	(void)place;
	return feed_complain(f, "cannot open", "this program was built without NATS (libnats)");
}

static enum feed_result nats_wait(struct feed *f, int milliseconds)
{
	(void)f;
	(void)milliseconds;
	return FEED_FAILED;
}

static void nats_end(struct feed *f)
{
	(void)f;
}

#endif

const struct feed_source feed_nats = {
        .whole_lines = true, .open = nats_open_stream, .wait = nats_wait, .close = nats_end};
