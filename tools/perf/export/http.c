// SPDX-License-Identifier: GPL-2.0
/* Sending a file to a server by HTTP (RFC 9112). */
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "http.h"

#define SCHEME "http://"

/* Seconds that a server may do nothing. */
#define PATIENCE 10

/**
 * struct place - the parts of a URL
 * @authority: host and port as in the URL
 * @host: host without brackets
 * @port: port
 * @path: path, or "/"
 */
struct place {
	char *authority;
	char *host;
	char *port;
	char *path;
};

static void place_free(struct place *place)
{
	free(place->authority);
	free(place->host);
	free(place->port);
	free(place->path);
}

/* Find the parts of a URL. Return: 0, or -1 if the text does not have the form of a URL. */
static int parse_url(struct place *place, const char *url)
{
	const char *at = url + strlen(SCHEME), *host_end, *end;
	bool has_brackets;

	/* No character may end the line of the request. */
	if (strncmp(url, SCHEME, strlen(SCHEME)) || strpbrk(url, " \t\r\n\v\f"))
		return -1;
	end = at + strcspn(at, "/");
	has_brackets = *at == '[';
	host_end = has_brackets ? memchr(at, ']', end - at) : at + strcspn(at, ":/");
	if (!host_end || host_end == at + has_brackets)
		return -1;
	place->host = xstrndup(at + has_brackets, host_end - at - has_brackets);
	host_end += has_brackets;
	place->authority = xstrndup(at, end - at);
	place->port = *host_end == ':' ? xstrndup(host_end + 1, end - host_end - 1) :
		      xstrdup("80");
	place->path = xstrdup(*end ? end : "/");
	return host_end == end || *host_end == ':' ? 0 : -1;
}

/* Connect to one of the addresses of the host. Return: the socket, or -1 with @err set. */
static int open_socket(const struct place *place, struct error *err)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	const struct timeval patience = { .tv_sec = PATIENCE };
	struct addrinfo *list, *at;
	int fd = -1, ret;

	ret = getaddrinfo(place->host, place->port, &hints, &list);
	if (ret) {
		error_set(err, "%s: %s", place->authority, gai_strerror(ret));
		return -1;
	}
	errno = 0;
	for (at = list; at; at = at->ai_next) {
		fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
		if (fd < 0)
			continue;
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		if (!connect(fd, at->ai_addr, at->ai_addrlen))
			break;
		ret = errno;
		close(fd);
		errno = ret;
		fd = -1;
	}
	if (fd < 0)
		error_set(err, "%s: %s", place->authority, strerror(errno));
	freeaddrinfo(list);
	return fd;
}

static int send_all(int fd, const char *bytes, size_t size)
{
	ssize_t sent;

	for (; size; bytes += sent, size -= sent) {
		sent = send(fd, bytes, size, MSG_NOSIGNAL);
		if (sent <= 0)
			return -1;
	}
	return 0;
}

/* Read the first line of the answer. Return: 0 if its status is 2xx, or -1 with @err set. */
static int read_status(int fd, const struct place *place, struct error *err)
{
	char line[256];
	size_t size = 0;
	ssize_t got;

	while (size < sizeof(line) - 1 && !memchr(line, '\n', size)) {
		got = recv(fd, line + size, sizeof(line) - 1 - size, 0);
		if (got <= 0)
			break;
		size += got;
	}
	line[size] = '\0';
	line[strcspn(line, "\r\n")] = '\0';
	if (strncmp(line, "HTTP/1.", 7) || !strchr(line, ' ')) {
		error_set(err, "%s: no answer of HTTP", place->authority);
		return -1;
	}
	if (strchr(line, ' ')[1] == '2')
		return 0;
	error_set(err, "%s: the server refuses: %s", place->authority, line);
	return -1;
}

static int send_request(int fd, const struct place *place, const char *type, const void *bytes,
			size_t size, struct error *err)
{
	static const char form[] = "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\n%s%zu%s";
	char *head = xasprintf(form, place->path, place->authority, type,
			       "Connection: close\r\nContent-Length: ", size, "\r\n\r\n");
	int ret = send_all(fd, head, strlen(head)) ?: send_all(fd, bytes, size);

	free(head);
	if (!ret)
		return read_status(fd, place, err);
	/* A server may refuse before it has read everything. */
	if (errno == EPIPE || errno == ECONNRESET)
		return read_status(fd, place, err);
	error_set(err, "%s: %s", place->authority, strerror(errno));
	return -1;
}

int http_post(const char *url, const char *type, const void *bytes, size_t size,
	      struct error *err)
{
	struct place place = { 0 };
	int fd, ret = -1;

	if (parse_url(&place, url)) {
		error_set(err, "'%s' is not http://HOST[:PORT][/PATH]", url);
		place_free(&place);
		return -1;
	}
	fd = open_socket(&place, err);
	if (fd >= 0) {
		ret = send_request(fd, &place, type, bytes, size, err);
		close(fd);
	}
	place_free(&place);
	return ret;
}
