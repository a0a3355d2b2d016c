/* http: see http.h. */
#include "http.h"

#if HAVE_HTTP

#include "live_page.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { CONNECTIONS = 64, IDLE_SECONDS = 30 };

struct http {
	struct MHD_Daemon *daemon;
	struct status *status;
	bool loopback;
};

/* ---- answers ---- */

static enum MHD_Result reply(struct MHD_Connection *c, unsigned status, const char *type,
                             struct MHD_Response *response)
{
	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	enum MHD_Result sent = MHD_queue_response(c, status, response);
	MHD_destroy_response(response);
	return sent;
}

static enum MHD_Result reply_text(struct MHD_Connection *c, unsigned status, const char *type,
                                  struct text *t)
{
	struct MHD_Response *response =
	        MHD_create_response_from_buffer(t->length, t->data, MHD_RESPMEM_MUST_FREE);
	if (!response)
		text_release(t);
	return reply(c, status, type, response);
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned status, const char *why)
{
	struct text t = {0};
	text_print(&t, "%s\n", why);
	return reply_text(c, status, "text/plain; charset=utf-8", &t);
}

static enum MHD_Result give(struct http *h, struct MHD_Connection *c, const char *path)
{
	static const char json[] = "application/json", pictures[] = "/picture/";
	struct text t = {0};
	if (!strcmp(path, "/"))
		return reply(c, MHD_HTTP_OK, "text/html; charset=utf-8",
		             MHD_create_response_from_buffer(live_page_length,
		                                             (void *)(uintptr_t)live_page,
		                                             MHD_RESPMEM_PERSISTENT));
	if (!strcmp(path, "/state")) {
		http_state(h->status, &t);
		return reply_text(c, MHD_HTTP_OK, json, &t);
	}
	if (!strcmp(path, "/metrics")) {
		http_metrics(h->status, &t);
		return reply_text(c, MHD_HTTP_OK, "text/plain; version=0.0.4; charset=utf-8", &t);
	}
	if (!strcmp(path, "/health")) {
		bool well = http_health(h->status, &t);
		return reply_text(c, well ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE, json, &t);
	}
	if (!strncmp(path, pictures, strlen(pictures)) &&
	    status_picture(h->status, strtoull(path + strlen(pictures), NULL, 10), &t))
		return reply_text(c, MHD_HTTP_OK, "image/svg+xml", &t);
	return refuse(c, MHD_HTTP_NOT_FOUND,
	              "Not found; there are /, /state, /metrics and /health.");
}

/* An IP address or localhost. */
static bool is_plain_host(const char *host)
{
	static const char local[] = "localhost";
	size_t name = strcspn(host, ":");
	return (name == strlen(local) && !strncasecmp(host, local, name)) ||
	       host[strspn(host, *host == '[' ? "0123456789abcdefABCDEF:.[]" : "0123456789.:")] ==
	               0;
}

static enum MHD_Result answer(void *data, struct MHD_Connection *c, const char *path,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_length, void **seen)
{
	struct http *h = data;
	const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
	(void)version;
	(void)upload;
	(void)upload_length;
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "This is read-only.");
	if (!*seen) { /* the library calls again when the request is complete */
		*seen = h;
		return MHD_YES;
	}
	if (h->loopback && host && !is_plain_host(host))
		return refuse(c, MHD_HTTP_FORBIDDEN,
		              "Use an IP address, such as 127.0.0.1, or localhost.");
	return give(h, c, path);
}

/* ---- opening ---- */

static struct http *report_error(const struct notices *notices, const char *address,
                                 const char *why)
{
	notice(notices, NOTICE_ERROR, NULL, "--http %s: %s", address, why);
	return NULL;
}

static const char *port_of(const char *address)
{
	const char *colon = strrchr(address, ':');
	return colon ? colon + 1 : address;
}

const char *http_wrong_address(const char *address)
{
	const char *port = port_of(address);
	bool is_port = *port && port[strspn(port, "0123456789")] == 0 && strlen(port) <= 5 &&
	               strtoul(port, NULL, 10) <= 65535;
	return is_port ? NULL : "--http is a port from 0 to 65535, or HOST:PORT";
}

/* Of HOST:PORT, [HOST]:PORT or PORT; host has room for the whole address. */
static void take_host(const char *address, char *host)
{
	const char *port = port_of(address);
	size_t length = port > address ? (size_t)(port - address) - 1 : 0;
	if (length >= 2 && address[0] == '[' && address[length - 1] == ']') {
		address++;
		length -= 2;
	}
	memcpy(host, address, length);
	host[length] = 0;
}

static bool is_loopback(const struct sockaddr *a)
{
	const struct sockaddr_in *four = (const void *)a;
	const struct sockaddr_in6 *six = (const void *)a;
	if (a->sa_family == AF_INET)
		return ntohl(four->sin_addr.s_addr) >> 24 == 127;
	return a->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

static struct MHD_Daemon *listen_at(struct http *h, const struct addrinfo *a)
{
	/* Without ITC a thread with all connections in use would not notice the shutdown. */
	unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO | MHD_USE_ITC;
	h->loopback = is_loopback(a->ai_addr);
	return MHD_start_daemon(flags | (a->ai_family == AF_INET6 ? MHD_USE_IPv6 : 0), 0, NULL,
	                        NULL, answer, h, MHD_OPTION_SOCK_ADDR, a->ai_addr,
	                        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
	                        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
	                        MHD_OPTION_END);
}

static void say_where(const struct http *h, const struct addrinfo *a, const struct notices *notices)
{
	char name[NI_MAXHOST] = "";
	bool six = a->ai_family == AF_INET6;
	getnameinfo(a->ai_addr, a->ai_addrlen, name, sizeof name, NULL, 0, NI_NUMERICHOST);
	notice(notices, NOTICE_LISTEN, NULL, "http://%s%s%s:%u/", six ? "[" : "", name,
	       six ? "]" : "", MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
}

struct http *http_open(const char *address, struct status *status, const struct notices *notices)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found;
	struct http *h = calloc(1, sizeof *h);
	char *host = malloc(strlen(address) + 1);
	if (!h || !host) {
		free(h);
		free(host);
		return report_error(notices, address, "out of memory");
	}
	take_host(address, host);
	h->status = status;
	int wrong = getaddrinfo(*host ? host : "127.0.0.1", port_of(address), &hints, &found);
	free(host);
	if (wrong) {
		free(h);
		return report_error(notices, address, gai_strerror(wrong));
	}
	errno = 0;
	h->daemon = listen_at(h, found);
	if (h->daemon)
		say_where(h, found, notices);
	freeaddrinfo(found);
	if (h->daemon)
		return h;
	free(h);
	return report_error(notices, address, errno ? strerror(errno) : "cannot listen there");
}

void http_close(struct http *h)
{
	if (h)
		MHD_stop_daemon(h->daemon);
	free(h);
}

#else

const char *http_wrong_address(const char *address)
{
	(void)address;
	return "--http: this program was built without an HTTP server (libmicrohttpd)";
}

struct http *http_open(const char *address, struct status *status, const struct notices *notices)
{
	(void)address;
	(void)status;
	(void)notices;
	return NULL;
}

void http_close(struct http *h)
{
	(void)h;
}

#endif
