/*
 * nats_link: a connection to a NATS server with JetStream, for those who read a stream
 * and those who publish to one. It comes back by itself when it is lost.
 *
 *     nats://user:password@host:4222,host2:4222/STREAM
 *
 * Several hosts are nodes of one cluster, and any of them will do.
 */
#ifndef ALIBI_NATS_LINK_H
#define ALIBI_NATS_LINK_H

#include "url.h"

#include <nats/nats.h>
#include <stdatomic.h>

struct nats_link {
	struct url url;
	struct text name; /* of the stream with its server, for messages: no password */
	natsOptions *options;
	natsConnection *connection;
	jsCtx *js;
	const char *stream;
	atomic_uint lost; /* how often the connection was */
};

/* NULL, or what is wrong. It must stay where it is. */
const char *nats_link_open(struct nats_link *l, const char *url);
void nats_link_close(struct nats_link *l);

#endif
