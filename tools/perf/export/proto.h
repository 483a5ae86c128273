/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages of protocol buffers.
 *
 * The wire format is described at protobuf.dev, "Encoding". A message is made in memory and written
 * to a stream, which may be done for each element of a repeated field: messages that follow each
 * other are one message.
 */
#ifndef PERF_EXPORT_PROTO_H
#define PERF_EXPORT_PROTO_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes of a message; all zeros: none. */
struct proto {
	uint8_t *bytes;
	size_t size;
	size_t room;
};

/* Add a number without a tag, for packed fields between proto_begin() and proto_end(). */
void proto_number(struct proto *p, uint64_t value);

/* Add a field that is a number. A value of 0 is the default, and is left out. */
void proto_uint(struct proto *p, unsigned int field, uint64_t value);

/* Add a field of type fixed64. A value of 0 is left out. */
void proto_fixed64(struct proto *p, unsigned int field, uint64_t value);

void proto_bytes(struct proto *p, unsigned int field, const void *bytes, size_t size);
void proto_string(struct proto *p, unsigned int field, const char *text);

/* Begin a field that is a message, or packed. Return: the place to pass to proto_end(). */
size_t proto_begin(struct proto *p, unsigned int field);
void proto_end(struct proto *p, size_t place);

/* Write the bytes and forget them. */
void proto_write(struct proto *p, FILE *out);

void proto_free(struct proto *p);

#endif
