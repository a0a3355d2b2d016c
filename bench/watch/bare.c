/*
 * bare: a consumer of a NATS stream that only counts the lines of the messages.
 *
 *     bare URL STREAM LINES     ends when so many lines have come
 *
 * The yardstick for alibi watch on NATS: the same messages, asked for in the same way.
 */
#include <nats/nats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 128, WAIT_MILLISECONDS = 100 };

static long lines_in(natsMsg *message)
{
	const char *at = natsMsg_GetData(message), *end = at + natsMsg_GetDataLength(message);
	long lines = 0;
	while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
		lines++;
		at++;
	}
	return lines;
}

int main(int argc, char **argv)
{
	natsConnection *connection = NULL;
	jsCtx *js = NULL;
	jsConsumerConfig config;
	jsConsumerInfo *info = NULL;
	natsInbox *inbox = NULL;
	natsSubscription *subscription = NULL;
	char next[256], request[64];
	if (argc != 4)
		return 2;
	long wanted = strtol(argv[3], NULL, 10), lines = 0, asked = 0;
	jsConsumerConfig_Init(&config);
	config.AckPolicy = js_AckNone;
	if (natsConnection_ConnectTo(&connection, argv[1]) != NATS_OK ||
	    natsConnection_JetStream(&js, connection, NULL) != NATS_OK ||
	    js_AddConsumer(&info, js, argv[2], &config, NULL, NULL) != NATS_OK ||
	    natsInbox_Create(&inbox) != NATS_OK ||
	    natsConnection_SubscribeSync(&subscription, connection, inbox) != NATS_OK)
		return 1;
	snprintf(next, sizeof next, "$JS.API.CONSUMER.MSG.NEXT.%s.%s", argv[2], info->Name);
	snprintf(request, sizeof request, "{\"batch\":%d}", BATCH);
	while (lines < wanted) {
		natsMsg *message = NULL;
		for (; asked <= BATCH / 2; asked += BATCH)
			natsConnection_PublishRequest(connection, next, inbox, request,
			                              (int)strlen(request));
		if (natsSubscription_NextMsg(&message, subscription, WAIT_MILLISECONDS) != NATS_OK)
			continue;
		asked--;
		lines += lines_in(message);
		natsMsg_Destroy(message);
	}
	printf("%ld\n", lines);
	return 0;
}
