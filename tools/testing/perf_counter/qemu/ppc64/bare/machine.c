// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include "machine.h"

#define VSID		0x123456UL
/* Mask of the hash table of pseries for 256 MB: 2 MB, in groups of 128 bytes. */
#define HASH_MASK	0x3fffUL

#define HPTE_VALID	1UL
#define HPTE_RC		0x180UL
#define HPTE_COHERENT	0x10UL
#define HPTE_RW		2UL

static int results;

/* The compiler calls memset(). */
void *memset(void *to, int byte, u64 n)
{
	for (u64 i = 0; i < n; i++)
		((u8 *)to)[i] = byte;
	return to;
}

static void put(const char *s, int n)
{
	u64 word[2] = { 0, 0 };

	for (int i = 0; i < n; i++)
		word[i / 8] |= (u64)(u8)s[i] << (56 - i % 8 * 8);
	hcall(H_PUT_TERM_CHAR, 0UL, (u64)n, word[0], word[1]);
}

struct line {
	char text[256];
	int length;
};

static void add_char(struct line *l, char c)
{
	if (l->length < (int)sizeof(l->text))
		l->text[l->length++] = c;
}

static void add_number(struct line *l, u64 n, unsigned int base)
{
	char digits[24];
	int i = 0;

	do {
		digits[i++] = "0123456789abcdef"[n % base];
		n /= base;
	} while (n);
	while (i)
		add_char(l, digits[--i]);
}

/* Append text; the formats are %s, and %d and %x for unsigned numbers of 64 bits. */
static void add(struct line *l, const char *format, va_list args)
{
	for (; *format; format++) {
		if (*format != '%') {
			add_char(l, *format);
			continue;
		}
		switch (*++format) {
		case 's':
			for (const char *s = va_arg(args, const char *); *s; s++)
				add_char(l, *s);
			break;
		case 'd':
			add_number(l, va_arg(args, u64), 10);
			break;
		case 'x':
			add_number(l, va_arg(args, u64), 16);
			break;
		}
	}
}

static void add_format(struct line *l, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(l, format, args);
	va_end(args);
}

static void print(struct line *l)
{
	add_char(l, '\n');
	for (int i = 0; i < l->length; i += 16)
		put(l->text + i, l->length - i < 16 ? l->length - i : 16);
}

bool console_has_input(void)
{
	return hcall_second(H_GET_TERM_CHAR, 0UL) != 0;
}

void say(const char *format, ...)
{
	struct line l = { .length = 0 };
	va_list args;

	add_format(&l, "# ");
	va_start(args, format);
	add(&l, format, args);
	va_end(args);
	print(&l);
}

void check(const char *format, u64 is, u64 should, ...)
{
	struct line l = { .length = 0 };
	va_list args;

	results++;
	add_format(&l, is == should ? "ok %d - " : "not ok %d - ", (u64)results);
	va_start(args, should);
	add(&l, format, args);
	va_end(args);
	if (is != should)
		add_format(&l, ": %d (0x%x) instead of %d (0x%x)", is, is, should, should);
	print(&l);
}

static u32 rtas(u32 token, int nargs, u32 a, u32 b, u32 c)
{
	static u32 args[8];

	args[0] = token;
	args[1] = nargs;
	args[2] = 1;
	args[3] = a;
	args[4] = b;
	args[5] = c;
	asm volatile("" : : : "memory");
	hcall(H_RTAS, (u64)args);
	asm volatile("" : : : "memory");
	return args[3 + nargs];
}

void finish(void)
{
	struct line l = { .length = 0 };

	add_format(&l, "1..%d", (u64)results);
	print(&l);
	rtas(RTAS_POWER_OFF, 2, 0, 0, 0);
	for (;;)
		;
}

void unexpected(u64 handler, u64 srr0, u64 srr1)
{
	struct line l = { .length = 0 };

	(void)handler;
	add_format(&l, "Bail out! An interrupt that nobody waits for: SRR0 %x, SRR1 %x", srr0,
		   srr1);
	print(&l);
	rtas(RTAS_POWER_OFF, 2, 0, 0, 0);
	for (;;)
		;
}

void set_vector(int vector, void (*handler)(void))
{
	handlers[vector / 32] = (u64)(handler ? handler : unexpected_entry);
}

void interrupts(bool on)
{
	/* The decrementer counts for four seconds from here. */
	mtspr(22, 0x7fffffff);
	asm volatile("mtmsrd %0,1" : : "r" (on ? MSR_EE | 2 : 2) : "memory");
}

bool start_cpu(int id, void (*function)(void))
{
	return rtas(RTAS_START_CPU, 3, id, (u32)(u64)start_second, (u32)(u64)function) == 0;
}

/* Map a page of 4 KB in a segment of 256 MB: Power ISA, book III, "Hash Table Search". */
static void map(u64 address)
{
	u64 hash = (VSID ^ (address >> 12 & 0xffff)) & HASH_MASK;
	u64 avpn = VSID << 28 | (address & 0x0fffffff);
	u64 status = hcall(H_ENTER, 0UL, hash * 8, (avpn >> 23) << 7 | HPTE_VALID,
			   address | HPTE_RC | HPTE_COHERENT | HPTE_RW);

	if (status)
		say("H_ENTER of %x fails: %x", address, status);
}

void machine_init(void)
{
	for (int i = 0; i < NR_VECTORS; i++)
		set_vector(i * 32, (void (*)(void))0);
	for (u64 address = 0; address < (u64)image_end; address += 4096)
		map(address);
	/* Segment 0: entry 1, valid, the VSID, no keys */
	asm volatile("slbmte %0,%1; isync" : : "r" (VSID << 12), "r" (0x8000000UL | 1) : "memory");
	interrupts(false);
}
