/*
 * bare: a consumer of a NATS stream that only counts the lines of the messages.
 *
 *     bare URL STREAM LINES     ends when so many lines have come
 *
 * The yardstick for alibi watch on NATS: the same messages, fetched in the same way.
 */
#include <nats/nats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 256, FETCH_MILLISECONDS = 100 };

static long lines_in(natsMsg *message)
{
	const char *at = natsMsg_GetData(message), *end = at + natsMsg_GetDataLength(message);
	long lines = 0;
	while ((at = memchr(at, '\n', (size_t)(end - at)))) {
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
	jsSubOptions options;
	natsSubscription *subscription = NULL;
	if (argc != 4)
		return 2;
	long wanted = strtol(argv[3], NULL, 10), lines = 0;
	jsConsumerConfig_Init(&config);
	config.AckPolicy = js_AckNone;
	jsSubOptions_Init(&options);
	options.Stream = argv[2];
	if (natsConnection_ConnectTo(&connection, argv[1]) != NATS_OK ||
	    natsConnection_JetStream(&js, connection, NULL) != NATS_OK ||
	    js_AddConsumer(&info, js, argv[2], &config, NULL, NULL) != NATS_OK)
		return 1;
	options.Consumer = info->Name;
	if (js_PullSubscribe(&subscription, js, NULL, NULL, NULL, &options, NULL) != NATS_OK)
		return 1;
	while (lines < wanted) {
		natsMsgList batch = {0};
		natsStatus status = natsSubscription_Fetch(&batch, subscription, BATCH,
		                                           FETCH_MILLISECONDS, NULL);
		for (int i = 0; status == NATS_OK && i < batch.Count; i++)
			lines += lines_in(batch.Msgs[i]);
		natsMsgList_Destroy(&batch);
	}
	printf("%ld\n", lines);
	return 0;
}
