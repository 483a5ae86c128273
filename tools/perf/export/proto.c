// SPDX-License-Identifier: GPL-2.0
/* Messages of protocol buffers. */
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "proto.h"

/* The types of the wire format. */
enum {
	WIRE_VARINT	= 0,
	WIRE_FIXED64	= 1,
	WIRE_BYTES	= 2,
};

/* Maximum number of bytes of a number. */
#define VARINT_MAX 10

static uint8_t *reserve(struct proto *p, size_t size)
{
	if (p->room - p->size < size) {
		p->room = (p->size + size) * 2;
		p->bytes = xrealloc(p->bytes, p->room);
	}
	return p->bytes + p->size;
}

/* Encode a number in groups of 7 bits, the lowest first. Return: the number of bytes. */
static size_t encode(uint8_t bytes[VARINT_MAX], uint64_t value)
{
	size_t nr = 0;

	while (value >= 0x80) {
		bytes[nr++] = value | 0x80;
		value >>= 7;
	}
	bytes[nr++] = value;
	return nr;
}

void proto_number(struct proto *p, uint64_t value)
{
	p->size += encode(reserve(p, VARINT_MAX), value);
}

static void put_tag(struct proto *p, unsigned int field, unsigned int type)
{
	proto_number(p, (uint64_t)field << 3 | type);
}

void proto_uint(struct proto *p, unsigned int field, uint64_t value)
{
	if (!value)
		return;
	put_tag(p, field, WIRE_VARINT);
	proto_number(p, value);
}

void proto_fixed64(struct proto *p, unsigned int field, uint64_t value)
{
	unsigned int i;

	if (!value)
		return;
	put_tag(p, field, WIRE_FIXED64);
	reserve(p, sizeof(value));
	for (i = 0; i < sizeof(value); i++)
		p->bytes[p->size++] = value >> (8 * i);
}

void proto_bytes(struct proto *p, unsigned int field, const void *bytes, size_t size)
{
	put_tag(p, field, WIRE_BYTES);
	proto_number(p, size);
	memcpy(reserve(p, size), bytes, size);
	p->size += size;
}

void proto_string(struct proto *p, unsigned int field, const char *text)
{
	proto_bytes(p, field, text, strlen(text));
}

size_t proto_begin(struct proto *p, unsigned int field)
{
	put_tag(p, field, WIRE_BYTES);
	return p->size;
}

void proto_end(struct proto *p, size_t place)
{
	uint8_t bytes[VARINT_MAX];
	size_t size = p->size - place, nr = encode(bytes, size);

	reserve(p, nr);
	memmove(p->bytes + place + nr, p->bytes + place, size);
	memcpy(p->bytes + place, bytes, nr);
	p->size += nr;
}

void proto_write(struct proto *p, FILE *out)
{
	fwrite(p->bytes, 1, p->size, out);
	p->size = 0;
}

void proto_free(struct proto *p)
{
	free(p->bytes);
}
