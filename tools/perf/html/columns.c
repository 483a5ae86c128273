// SPDX-License-Identifier: GPL-2.0
/* Columns of numbers as bytes, and their compressed form in a page. */
#include <stdlib.h>
#include <string.h>

#include "columns.h"

/* Maximum number of bytes of a number. */
#define NUMBER_SIZE_MAX 10

void column_add(struct column *column, uint64_t number)
{
	if (column->room - column->size < NUMBER_SIZE_MAX) {
		column->room = column->room ? column->room * 2 : 4096;
		column->bytes = xrealloc(column->bytes, column->room);
	}
	for (; number >= 0x80; number >>= 7)
		column->bytes[column->size++] = number | 0x80;
	column->bytes[column->size++] = number;
	column->nr++;
}

void column_add_signed(struct column *column, int64_t number)
{
	column_add(column, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}

void column_free(struct column *column)
{
	free(column->bytes);
}

static void print_group(FILE *out, const uint8_t *bytes, size_t nr)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = (uint32_t)bytes[0] << 16 | (nr > 1 ? bytes[1] << 8 : 0) |
			(nr > 2 ? bytes[2] : 0);

	putc(digits[bits >> 18], out);
	putc(digits[bits >> 12 & 63], out);
	putc(nr > 1 ? digits[bits >> 6 & 63] : '=', out);
	putc(nr > 2 ? digits[bits & 63] : '=', out);
}

void print_base64(FILE *out, const uint8_t *bytes, size_t size)
{
	for (; size >= 3; bytes += 3, size -= 3)
		print_group(out, bytes, 3);
	if (size)
		print_group(out, bytes, size);
}

/* Print compressed bytes; up to two of them wait for the next ones. */
static void print_packed(struct packer *packer, const uint8_t *bytes, size_t size)
{
	size_t whole;

	while (packer->nr_rest && packer->nr_rest < sizeof(packer->rest) && size) {
		packer->rest[packer->nr_rest++] = *bytes++;
		size--;
	}
	if (packer->nr_rest == sizeof(packer->rest)) {
		print_base64(packer->out, packer->rest, sizeof(packer->rest));
		packer->nr_rest = 0;
	}
	whole = size - size % sizeof(packer->rest);
	print_base64(packer->out, bytes, whole);
	memcpy(packer->rest + packer->nr_rest, bytes + whole, size - whole);
	packer->nr_rest += size - whole;
}

static void run_deflate(struct packer *packer, int flush)
{
	uint8_t buffer[16384];
	size_t size;

	do {
		packer->deflate.next_out = buffer;
		packer->deflate.avail_out = sizeof(buffer);
		if (deflate(&packer->deflate, flush) == Z_STREAM_ERROR)
			die("--html: zlib cannot compress the data");
		size = sizeof(buffer) - packer->deflate.avail_out;
		print_packed(packer, buffer, size);
	} while (size == sizeof(buffer));
}

void packer_start(struct packer *packer, FILE *out)
{
	memset(packer, 0, sizeof(*packer));
	packer->out = out;
	/* A negative number of bits is raw deflate, which browsers call "deflate-raw". */
	if (deflateInit2(&packer->deflate, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS,
			 MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		die("out of memory");
}

void packer_add(struct packer *packer, const void *bytes, size_t size)
{
	const size_t piece = 1 << 30;

	while (size) {
		packer->deflate.next_in = (void *)bytes;
		packer->deflate.avail_in = size < piece ? size : piece;
		size -= packer->deflate.avail_in;
		bytes = (const uint8_t *)bytes + packer->deflate.avail_in;
		run_deflate(packer, Z_NO_FLUSH);
	}
}

void packer_end(struct packer *packer)
{
	run_deflate(packer, Z_FINISH);
	print_base64(packer->out, packer->rest, packer->nr_rest);
	deflateEnd(&packer->deflate);
}
