/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Columns of numbers as bytes, and their compressed form in a page.
 *
 * A number has 7 bits in each byte, the low ones first; bit 7 says that another byte follows.
 */
#ifndef PERF_HTML_COLUMNS_H
#define PERF_HTML_COLUMNS_H

#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

#include "util/util.h"

/**
 * struct column - a column of numbers; all zeros: empty
 * @bytes: numbers as bytes
 * @size: number of @bytes
 * @room: allocated number of @bytes
 * @nr: number of numbers
 */
struct column {
	uint8_t *bytes;
	size_t size;
	size_t room;
	size_t nr;
};

void column_add(struct column *column, uint64_t number);

/* Add a number that may be negative: even numbers stand for 0, 1, 2 ..., odd ones for -1, -2 ... */
void column_add_signed(struct column *column, int64_t number);

void column_free(struct column *column);

/**
 * struct packer - a stream of bytes that is compressed (RFC 1951) and printed as base64
 * @out: stream of the text
 * @deflate: state of the compression
 * @rest: bytes that do not yet make four characters
 * @nr_rest: number of @rest
 */
struct packer {
	FILE *out;
	z_stream deflate;
	uint8_t rest[3];
	size_t nr_rest;
};

void packer_start(struct packer *packer, FILE *out);
void packer_add(struct packer *packer, const void *bytes, size_t size);

/* Print what is left, and free the state. */
void packer_end(struct packer *packer);

/* Print bytes as base64 (RFC 4648). */
void print_base64(FILE *out, const uint8_t *bytes, size_t size);

#endif
