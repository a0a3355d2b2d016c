/* nats_link: see nats_link.h. */
#include "nats_link.h"

#include <stdlib.h>
#include <string.h>

enum { RECONNECT_MILLISECONDS = 200, PING_MILLISECONDS = 5000, ANSWER_MILLISECONDS = 2000 };

static void count_loss(natsConnection *connection, void *link)
{
	(void)connection;
	atomic_fetch_add(&((struct nats_link *)link)->lost, 1);
}

static const char *set_servers(struct nats_link *l)
{
	struct text servers[HOSTS_MAX] = {{0}};
	const char *names[HOSTS_MAX];
	const struct url *u = &l->url;
	for (size_t i = 0; i < u->host_count; i++) {
		bool v6 = u->hosts[i].name && strchr(u->hosts[i].name, ':');
		text_print(&servers[i], "nats://%s%s%s:%s", v6 ? "[" : "",
		           u->hosts[i].name ? u->hosts[i].name : "127.0.0.1", v6 ? "]" : "",
		           u->hosts[i].port ? u->hosts[i].port : "4222");
		names[i] = servers[i].data;
	}
	natsStatus status = natsOptions_SetServers(l->options, names, (int)u->host_count);
	if (status == NATS_OK && u->user)
		status = natsOptions_SetUserInfo(l->options, u->user,
		                                 u->password ? u->password : "");
	for (size_t i = 0; i < u->host_count; i++)
		text_release(&servers[i]);
	return status == NATS_OK ? NULL : natsStatus_GetText(status);
}

static const char *connect_to(struct nats_link *l)
{
	jsOptions options;
	jsOptions_Init(&options);
	options.Wait = ANSWER_MILLISECONDS;
	natsStatus status = natsOptions_Create(&l->options);
	const char *wrong = status == NATS_OK ? set_servers(l) : natsStatus_GetText(status);
	if (wrong)
		return wrong;
	status = natsOptions_SetMaxReconnect(l->options, -1);
	if (status == NATS_OK)
		status = natsOptions_SetReconnectWait(l->options, RECONNECT_MILLISECONDS);
	if (status == NATS_OK)
		status = natsOptions_SetPingInterval(l->options, PING_MILLISECONDS);
	if (status == NATS_OK)
		status = natsOptions_SetDisconnectedCB(l->options, count_loss, l);
	if (status == NATS_OK)
		status = natsConnection_Connect(&l->connection, l->options);
	if (status == NATS_OK)
		status = natsConnection_JetStream(&l->js, l->connection, &options);
	return status == NATS_OK          ? NULL
	       : status == NATS_NO_SERVER ? "no server answers there"
	                                  : natsStatus_GetText(status);
}

const char *nats_link_open(struct nats_link *l, const char *url)
{
	char *word = strdup(url);
	*l = (struct nats_link){0};
	if (!word)
		return "out of memory";
	const char *wrong = url_parse(&l->url, word);
	if (wrong)
		text_word(&l->name, word);
	else
		url_print(&l->url, &l->name);
	free(word);
	if (wrong)
		return wrong;
	l->stream = l->url.database;
	return l->stream ? connect_to(l) : "which stream? Say nats://host:port/STREAM";
}

void nats_link_close(struct nats_link *l)
{
	jsCtx_Destroy(l->js);
	natsConnection_Destroy(l->connection);
	natsOptions_Destroy(l->options);
	text_release(&l->name);
	url_release(&l->url);
	nats_Close();
}
