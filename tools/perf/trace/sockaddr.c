// SPDX-License-Identifier: GPL-2.0
/*
 * Prints socket addresses: "127.0.0.1:80", "[::1]:80", unix:"/run/socket".
 */
#include <arpa/inet.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "util/util.h"
#include "sockaddr.h"

static void print_inet(const void *address, FILE *out)
{
	const struct sockaddr_in *in = address;
	char text[INET_ADDRSTRLEN];

	fprintf(out, "%s:%u", inet_ntop(AF_INET, &in->sin_addr, text, sizeof(text)),
		ntohs(in->sin_port));
}

static void print_inet6(const void *address, FILE *out)
{
	const struct sockaddr_in6 *in6 = address;
	char text[INET6_ADDRSTRLEN];

	fprintf(out, "[%s]:%u", inet_ntop(AF_INET6, &in6->sin6_addr, text, sizeof(text)),
		ntohs(in6->sin6_port));
}

static void print_netlink(const void *address, FILE *out)
{
	const struct sockaddr_nl *nl = address;

	fprintf(out, "netlink:%u, groups %#x", nl->nl_pid, nl->nl_groups);
}

/* Print a path, which a NUL may end, or an abstract name, which begins with a NUL. */
static void print_unix(const char *path, size_t size, FILE *out)
{
	bool is_abstract = size && !path[0];

	fputs(is_abstract ? "unix:@" : "unix:", out);
	if (is_abstract)
		fput_quoted(path + 1, size - 1, out);
	else
		fput_quoted(path, strnlen(path, size), out);
}

void sockaddr_print(const char *bytes, size_t size, FILE *out)
{
	static const struct {
		sa_family_t family;
		size_t size;
		void (*print)(const void *address, FILE *out);
	} families[] = {
		{ AF_INET, sizeof(struct sockaddr_in), print_inet },
		/* Older programs have no scope id, the last field. */
		{ AF_INET6, offsetof(struct sockaddr_in6, sin6_scope_id), print_inet6 },
		{ AF_NETLINK, sizeof(struct sockaddr_nl), print_netlink },
	};
	struct sockaddr_storage address = { 0 };
	size_t i;

	if (size < sizeof(address.ss_family)) {
		fput_quoted(bytes, size, out);
		return;
	}
	memcpy(&address, bytes, size < sizeof(address) ? size : sizeof(address));
	if (address.ss_family == AF_UNIX) {
		print_unix(bytes + offsetof(struct sockaddr_un, sun_path),
			   size - offsetof(struct sockaddr_un, sun_path), out);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(families); i++) {
		if (address.ss_family == families[i].family && size >= families[i].size) {
			families[i].print(&address, out);
			return;
		}
	}
	fprintf(out, "family %u, ", address.ss_family);
	fput_quoted(bytes + sizeof(address.ss_family), size - sizeof(address.ss_family), out);
}
