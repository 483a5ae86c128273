// SPDX-License-Identifier: GPL-2.0
/*
 * load-unwind WAY - burn CPU time in burn(). No function has a frame pointer, so only call frame
 * information finds the callers, which depend on WAY:
 *
 *	calls		main first second third burn
 *	noreturn	the last instruction of a function is the call of last(), which exits:
 *			main ends last burn
 *	align		a function aligns its stack: main aligned burn
 *	signal		a handler interrupts a function: main trapped (trampoline) handler burn
 *	first		a handler interrupts a function at its first instruction
 *	altstack	like signal, with another stack for the handler
 *	thread		begin burn, in another thread
 *	deep		main and 100 times deeper, with a stack of some 20 KiB; burn
 *	unread		main away, while the stack pointer leads to memory that nobody can read;
 *			x86_64 alone
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define OWN_FRAME __attribute__((noipa))
#define SECONDS 0.3
#define DEPTH 100

/* Results are stored here, so that calls are not tail calls. */
unsigned long sink;

OWN_FRAME static unsigned long burn(void)
{
	clock_t until = clock() + (clock_t)(SECONDS * CLOCKS_PER_SEC);
	unsigned long sum = 0, i;

	while (clock() < until) {
		for (i = 0; i < 1000000; i++)
			sum += i ^ sum;
	}
	return sum;
}

OWN_FRAME static unsigned long third(void)
{
	return burn() + 1;
}

OWN_FRAME static unsigned long second(void)
{
	return third() + 1;
}

OWN_FRAME static unsigned long first(void)
{
	return second() + 1;
}

OWN_FRAME _Noreturn static void last(void)
{
	sink = burn();
	exit(0);
}

/* The call is the last instruction; another function follows it in memory. */
OWN_FRAME _Noreturn static void ends(void)
{
	last();
}

OWN_FRAME static unsigned long aligned(size_t size)
{
	_Alignas(64) unsigned char bytes[256];
	unsigned char *more = __builtin_alloca(size);

	memset(bytes, size, sizeof(bytes));
	more[size - 1] = bytes[size % sizeof(bytes)];
	asm volatile("" : : "r" (bytes), "r" (more) : "memory");
	return burn() + bytes[size % 3] + more[size - 1];
}

OWN_FRAME static void handler(int signal)
{
	sink = burn() + signal;
}

OWN_FRAME static unsigned long trapped(void)
{
#if defined(__x86_64__) || defined(__i386__)
	asm volatile("int3");
#else
	raise(SIGTRAP);
#endif
	return sink + 1;
}

static void handle(int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(SIGTRAP, &action, NULL);
}

/* A function that begins with an invalid instruction, after padding that belongs to no function. */
unsigned long refused(void);
asm(".pushsection .text\n"
	".balign 32\n"
	".skip 32\n"
	".type refused, @function\n"
	"refused:\n"
	".cfi_startproc\n"
#if defined(__x86_64__) || defined(__i386__)
	"	ud2\n"
#else
	"	.long 0\n"
#endif
	".cfi_endproc\n"
	".size refused, . - refused\n"
	".popsection\n");

OWN_FRAME static void last_handler(int signal)
{
	sink = burn() + signal;
	_exit(0);
}

OWN_FRAME static void *begin(void *context)
{
	sink = burn() + (unsigned long)context;
	return NULL;
}

OWN_FRAME static unsigned long deeper(unsigned int depth)
{
	unsigned char frame[160];

	frame[depth] = depth;
	asm volatile("" : : "r" (frame) : "memory");
	return (depth ? deeper(depth - 1) : burn()) + frame[depth];
}

/* Burn CPU time with a stack pointer to memory that cannot be read. */
OWN_FRAME static unsigned long away(void)
{
	clock_t until = clock() + (clock_t)(SECONDS * CLOCKS_PER_SEC);
	char *stack = mmap(NULL, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stack == MAP_FAILED)
		exit(1);
	stack += 4096;
#ifdef __x86_64__
	while (clock() < until) {
		unsigned long left = 10000000;

		asm volatile("	xchg	%0, %%rsp\n"
			     "1:	dec	%1\n"
			     "	jnz	1b\n"
			     "	xchg	%0, %%rsp\n" : "+r" (stack), "+r" (left) : : "cc");
	}
	return until;
#else
	fprintf(stderr, "load-unwind: there is no way 'unread' on this machine\n");
	exit(2);
#endif
}

int main(int argc, char **argv)
{
	static unsigned char other_stack[65536];
	const stack_t stack = { .ss_sp = other_stack, .ss_size = sizeof(other_stack) };
	const char *way = argc == 2 ? argv[1] : "";
	pthread_t thread;

	if (!strcmp(way, "calls")) {
		sink = first();
	} else if (!strcmp(way, "noreturn")) {
		ends();
	} else if (!strcmp(way, "align")) {
		sink = aligned(strlen(way) + 1000);
	} else if (!strcmp(way, "signal")) {
		handle(0);
		sink = trapped();
	} else if (!strcmp(way, "first")) {
		signal(SIGILL, last_handler);
		sink = refused() + 1;
	} else if (!strcmp(way, "altstack")) {
		sigaltstack(&stack, NULL);
		handle(SA_ONSTACK);
		sink = trapped();
	} else if (!strcmp(way, "thread")) {
		if (pthread_create(&thread, NULL, begin, NULL) || pthread_join(thread, NULL))
			return 1;
	} else if (!strcmp(way, "deep")) {
		sink = deeper(DEPTH);
	} else if (!strcmp(way, "unread")) {
		sink = away() + 1;
	} else {
		fprintf(stderr, "load-unwind: there is no way '%s'\n", way);
		return 2;
	}
	return 0;
}
