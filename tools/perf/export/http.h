/* SPDX-License-Identifier: GPL-2.0 */
/* Sending a file to a server by HTTP. */
#ifndef PERF_EXPORT_HTTP_H
#define PERF_EXPORT_HTTP_H

#include <stddef.h>

#include "util/util.h"

/**
 * http_post() - Send bytes by HTTP/1.1, without encryption
 * @url: "http://HOST[:PORT][/PATH]"; HOST may be "[ADDRESS]" of IPv6
 * @type: media type of the bytes
 * @bytes: bytes to send
 * @size: number of @bytes
 * @err: set to the reason of a failure
 *
 * Each step ends with an error after ten seconds in which the server does nothing.
 *
 * Return: 0 if the server's status is 2xx; otherwise -1 with @err set.
 */
int http_post(const char *url, const char *type, const void *bytes, size_t size,
	      struct error *err);

#endif
