/*
 * sink_nats: publishes a recording to a NATS JetStream stream while it runs.
 *
 * The problem: servers and networks fail, and a stream with a missing message would look as if the
 * database had lost transactions.
 *
 * The idea: a thread sends messages one at a time, and waits for the acknowledgement of each. A
 * message without one is sent again with the same id, by which the server removes duplicates. So
 * the stream is always a prefix of the recording, without gaps. While the server is away messages
 * are queued, and if there are many the clients wait. At the end the queue gets some more seconds;
 * lines that are not acknowledged by then are counted and reported.
 *
 * Invariants: 1. A message has whole lines, and is sent only after all before it were acknowledged.
 * 2. The header is in the first message of the stream.
 */
#include "clock.h"
#include "nats_link.h"
#include "output.h"
#include "sink.h"
#include "text.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	PART_BYTES = 64 << 10,
	PATIENCE_NS = 50 * 1000 * 1000,
	FULL_BYTES = 32 << 20,
	ANSWER_MILLISECONDS = 2000,
	RETRY_MILLISECONDS = 100,
	SAY_AFTER_SECONDS = 5,
	LAST_SECONDS = 10,
};

struct outbox {
	struct nats_link link;
	struct text subject;
	char run[32]; /* prefix of message ids */
	pthread_t thread;
	pthread_mutex_t lock; /* for all below */
	pthread_cond_t changed;
	struct text *messages;
	size_t first, count, room; /* from `first` on, not acknowledged */
	size_t bytes;              /* of these */
	uint64_t acknowledged;     /* messages */
	uint64_t give_up_ns;       /* 0: not yet */
	const char *failure;       /* why sending has ended */
};

/* ---- the stream ---- */

/* A subject of the stream, such as txns.alibi for txns.>. */
static void choose_subject(struct text *to, const char *pattern)
{
	for (const char *at = pattern; *at;) {
		size_t length = strcspn(at, ".");
		bool wild = length == 1 && (*at == '*' || *at == '>');
		text_add(to, wild ? "alibi" : at, wild ? strlen("alibi") : length);
		at += length;
		if (*at)
			text_add(to, at++, 1);
	}
}

/* NULL, or the error. */
static const char *make_stream(struct outbox *o)
{
	jsStreamConfig config;
	jsErrCode code = 0;
	jsStreamConfig_Init(&config);
	config.Name = o->link.stream;
	config.Subjects = &o->link.stream;
	config.SubjectsLen = 1;
	text_word(&o->subject, o->link.stream);
	natsStatus status = js_AddStream(NULL, o->link.js, &config, NULL, &code);
	return status == NATS_OK ? NULL : natsStatus_GetText(status);
}

static const char *find_stream(struct outbox *o)
{
	jsStreamInfo *info = NULL;
	jsErrCode code = 0;
	const char *wrong = NULL;
	natsStatus status = js_GetStreamInfo(&info, o->link.js, o->link.stream, NULL, &code);
	if (code == JSStreamNotFoundErr || status == NATS_NOT_FOUND)
		return make_stream(o);
	if (code == JSNotEnabledErr || status == NATS_NO_RESPONDERS)
		wrong = "the server runs without JetStream (nats-server -js)";
	else if (status != NATS_OK)
		wrong = natsStatus_GetText(status);
	else if (info->State.LastSeq)
		wrong = "the stream has messages already, and a recording needs an empty one; "
		        "a stream with a new name is created";
	else if (!info->Config->SubjectsLen)
		wrong = "this stream is a mirror, and cannot be published to";
	else
		choose_subject(&o->subject, info->Config->Subjects[0]);
	jsStreamInfo_Destroy(info);
	return wrong;
}

/* ---- sending ---- */

static bool is_time(uint64_t at_ns)
{
	return at_ns && clock_ns() >= at_ns;
}

static uint64_t give_up_at(struct outbox *o)
{
	pthread_mutex_lock(&o->lock);
	uint64_t at = o->give_up_ns;
	pthread_mutex_unlock(&o->lock);
	return at;
}

static natsStatus send_once(struct outbox *o, const struct text *m)
{
	jsPubOptions options;
	char id[64];
	if (natsConnection_Status(o->link.connection) != NATS_CONN_STATUS_CONNECTED)
		return NATS_CONNECTION_DISCONNECTED;
	snprintf(id, sizeof id, "%s-%" PRIu64, o->run, o->acknowledged);
	jsPubOptions_Init(&options);
	options.MaxWait = ANSWER_MILLISECONDS;
	options.MsgId = id;
	options.ExpectStream = o->link.stream;
	return js_Publish(NULL, o->link.js, o->subject.data, m->data, (int)m->length, &options,
	                  NULL);
}

/* With retries. NULL, or the error. */
static const char *send_message(struct outbox *o, const struct text *m)
{
	uint64_t say_ns = clock_ns() + SAY_AFTER_SECONDS * 1000000000ull;
	bool said = false;
	natsStatus status;
	while ((status = send_once(o, m)) != NATS_OK) {
		if (status == NATS_MAX_PAYLOAD)
			return "a message is larger than the server takes (max_payload)";
		if (is_time(give_up_at(o)))
			return natsStatus_GetText(status);
		if (!said && is_time(say_ns)) {
			print_error("record",
			            "%s: %s; retrying, and if too many messages are "
			            "queued the clients wait",
			            o->link.name.data, natsStatus_GetText(status));
			said = true;
		}
		nats_Sleep(RETRY_MILLISECONDS);
	}
	if (said)
		print_error("record", "%s: connected again", o->link.name.data);
	return NULL;
}

static void *send_all(void *data)
{
	struct outbox *o = data;
	pthread_mutex_lock(&o->lock);
	for (;;) {
		while (o->first == o->count && !o->give_up_ns)
			pthread_cond_wait(&o->changed, &o->lock);
		if (o->first == o->count)
			break;
		struct text m = o->messages[o->first];
		pthread_mutex_unlock(&o->lock);
		const char *failure = send_message(o, &m);
		pthread_mutex_lock(&o->lock);
		o->failure = failure;
		if (failure)
			break;
		o->acknowledged++;
		o->first++;
		o->bytes -= m.length;
		text_release(&m);
	}
	pthread_mutex_unlock(&o->lock);
	return NULL;
}

/* ---- the sink ---- */

static void release(struct outbox *o)
{
	for (size_t i = o->first; i < o->count; i++)
		text_release(&o->messages[i]);
	free(o->messages);
	nats_link_close(&o->link);
	text_release(&o->subject);
	pthread_cond_destroy(&o->changed);
	pthread_mutex_destroy(&o->lock);
	free(o);
}

static void *outbox_open(const char *path)
{
	struct outbox *o = calloc(1, sizeof *o);
	if (!o)
		return NULL;
	pthread_mutex_init(&o->lock, NULL);
	pthread_cond_init(&o->changed, NULL);
	snprintf(o->run, sizeof o->run, "%" PRIx64 "-%lx", clock_ns(), (long)getpid());
	const char *wrong = nats_link_open(&o->link, path);
	if (!wrong)
		wrong = find_stream(o);
	if (!wrong && pthread_create(&o->thread, NULL, send_all, o))
		wrong = "the system does not allow another thread";
	if (!wrong)
		return o;
	print_error("record", "%s: %s", o->link.name.length ? o->link.name.data : path, wrong);
	release(o);
	return NULL;
}

static void outbox_write(void *own, const char *data, size_t length)
{
	struct outbox *o = own;
	struct text m = {0};
	text_add(&m, data, length);
	pthread_mutex_lock(&o->lock);
	if (o->first && o->count == o->room) {
		o->count -= o->first;
		memmove(o->messages, o->messages + o->first, o->count * sizeof *o->messages);
		o->first = 0;
	}
	o->messages = items_grown(o->messages, o->count, &o->room, sizeof *o->messages);
	o->messages[o->count++] = m;
	o->bytes += length;
	pthread_cond_signal(&o->changed);
	pthread_mutex_unlock(&o->lock);
}

static bool outbox_is_full(void *own)
{
	struct outbox *o = own;
	pthread_mutex_lock(&o->lock);
	bool full = o->bytes >= FULL_BYTES;
	pthread_mutex_unlock(&o->lock);
	return full;
}

static bool outbox_failed(void *own)
{
	struct outbox *o = own;
	pthread_mutex_lock(&o->lock);
	bool failed = o->failure;
	pthread_mutex_unlock(&o->lock);
	return failed;
}

static uint64_t lines_left(const struct outbox *o)
{
	uint64_t lines = 0;
	for (size_t i = o->first; i < o->count; i++)
		for (size_t at = 0; at < o->messages[i].length; at++)
			lines += o->messages[i].data[at] == '\n';
	return lines;
}

static bool outbox_close(void *own)
{
	struct outbox *o = own;
	pthread_mutex_lock(&o->lock);
	o->give_up_ns = clock_ns() + LAST_SECONDS * 1000000000ull;
	pthread_cond_signal(&o->changed);
	pthread_mutex_unlock(&o->lock);
	pthread_join(o->thread, NULL);
	uint64_t lost = lines_left(o);
	if (lost)
		print_error(
		        "record",
		        "%s: %s; the last %" PRIu64
		        " lines of the history were not acknowledged; the stream is complete up to "
		        "these",
		        o->link.name.data, o->failure, lost);
	release(o);
	return !lost;
}

const struct journal_sink journal_nats = {
        .part_bytes = PART_BYTES,
        .patience_ns = PATIENCE_NS,
        .open = outbox_open,
        .write = outbox_write,
        .is_full = outbox_is_full,
        .failed = outbox_failed,
        .close = outbox_close,
};
