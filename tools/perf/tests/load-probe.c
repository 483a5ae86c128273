// SPDX-License-Identifier: GPL-2.0
/*
 * load-probe TIMES
 *
 * Calls functions with known parameters TIMES times. The parameters depend on the number of the
 * call, which begins at 0. tests/test-probe relies on the numbers of lines within the functions.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum color { RED, GREEN = 7 };

struct inner {
	short low;
	const char *name;
};

struct item {
	int number;
	unsigned char byte;
	unsigned int bits : 3;
	struct inner inner;
	struct inner *other;
	int many[4];
	union {
		long wide;
		int narrow;
	};
};

static int global = 3;
static long sink;

int whole(int number, unsigned char byte, long wide, enum color color, bool flag, short sixth,
	  int seventh)
{
	int sum = number + byte;

	sum += seventh + sixth + flag + color;
	sink += wide;
	return sum;
}

int pointers(struct item *item, const char *text)
{
	struct item copy = *item;

	copy.number += *text;
	sink += copy.number;
	return -copy.number;
}

int by_value(struct inner inner, int number)
{
	return inner.low + number;
}

double real(double number, int other)
{
	return number + other;
}

struct item made(int number)
{
	struct item item = { .number = number };

	return item;
}

void nothing(int number)
{
	sink += number + global;
}

int main(int argc, char **argv)
{
	struct inner other = { .low = -5, .name = "other" };
	struct item item = {
		.byte = 200, .bits = 5, .inner = { .low = -3, .name = "inner" },
		.other = &other, .wide = -1,
	};
	int i, times = argc == 2 ? atoi(argv[1]) : 0;
	char text[16];

	for (i = 0; i < times; i++) {
		snprintf(text, sizeof(text), "call-%d", i);
		item.number = i * 10;
		whole(-i, 250 + i, 1L << (40 + i), GREEN, true, -6, 100);
		pointers(&item, text);
		by_value(item.inner, i);
		real(i, i);
		made(i);
		nothing(i);
	}
	return 0;
}
