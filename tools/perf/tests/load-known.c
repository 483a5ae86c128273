// SPDX-License-Identifier: GPL-2.0
/*
 * load-known - call small functions without frame pointers, for CPU seconds
 *
 * Each function has one caller, so that the function of a sample tells all of its callers, at each
 * instruction: before and after the function has made its frame, in a stub of the PLT, in a
 * function of the C library, and in the vDSO. tests/test-unwind has the same tree.
 *
 *	main
 *	  main_loop
 *	    outer
 *	      middle			has all registers that a function keeps, and a large frame
 *	        leaf			pushes nothing
 *	        grown			has a frame of a size that changes
 *	    sorting			calls qsort()
 *	      order			called by the C library
 *	        ordered
 *	    counted			calls itself, to a depth of 5
 *	      bottom
 *	    timed			calls clock_gettime()
 *	    raising			calls raise()
 *	      on_signal			called by the kernel
 *	        handled
 *	thread_main			in another thread
 *	  thread_work
 *	    thread_leaf
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define OWN_FRAME __attribute__((noipa))
#define SECONDS 0.5
#define ROUNDS 40
#define DEPTH 5

static volatile unsigned long sink;
static volatile int stop;

OWN_FRAME static unsigned long leaf(unsigned long a, unsigned long b)
{
	return a * 3 ^ b;
}

OWN_FRAME static unsigned long grown(size_t size)
{
	char *bytes = __builtin_alloca(size);

	memset(bytes, size, size);
	asm volatile("" : : "r" (bytes) : "memory");
	return bytes[size / 2];
}

OWN_FRAME static unsigned long middle(unsigned long n)
{
	unsigned long a = n, b = n + 1, c = n + 2, d = n + 3, e = n + 4, f = n + 5, i;
	volatile unsigned long words[100];

	for (i = 0; i < ROUNDS; i++) {
		words[i] = leaf(a, b) + c;
		a += leaf(c, d) + words[i];
		b ^= leaf(e, f) + d;
		f += leaf(b, i) - e;
	}
	return a + b + c + d + e + f + grown(n % 100 + 50);
}

OWN_FRAME static unsigned long outer(void)
{
	return middle(sink) + 1;
}

OWN_FRAME static int ordered(int a, int b)
{
	return (a > b) - (a < b);
}

OWN_FRAME static int order(const void *a, const void *b)
{
	int result = ordered(*(const int *)a, *(const int *)b);

	/* The call is not the last instruction, or it would be a jump. */
	asm volatile("" : "+r" (result));
	return result;
}

OWN_FRAME static unsigned long sorting(void)
{
	int numbers[ROUNDS], i;

	for (i = 0; i < ROUNDS; i++)
		numbers[i] = i * 7919 % 101;
	qsort(numbers, ROUNDS, sizeof(*numbers), order);
	return numbers[ROUNDS / 2];
}

OWN_FRAME static unsigned long bottom(unsigned long n)
{
	unsigned long sum = n, i;

	for (i = 0; i < ROUNDS; i++)
		sum += sum ^ i;
	return sum;
}

/* The function that counted() calls: by a pointer, so that the compiler makes no loop. */
static unsigned long (*volatile again)(unsigned int depth);

OWN_FRAME static unsigned long counted(unsigned int depth)
{
	return (depth > 1 ? again(depth - 1) : bottom(depth)) + 1;
}

OWN_FRAME static unsigned long timed(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_nsec + sink;
}

OWN_FRAME static unsigned long handled(unsigned long n)
{
	return n * 5;
}

OWN_FRAME static void on_signal(int signal)
{
	unsigned int i;

	for (i = 0; i < ROUNDS; i++)
		sink += handled(signal);
}

OWN_FRAME static unsigned long raising(void)
{
	raise(SIGUSR1);
	return sink + 1;
}

OWN_FRAME static unsigned long thread_leaf(unsigned long n)
{
	return n * n + 1;
}

OWN_FRAME static unsigned long thread_work(unsigned long n)
{
	return thread_leaf(n) + thread_leaf(n + 1) + 1;
}

OWN_FRAME static void *thread_main(void *context)
{
	while (!stop)
		sink += thread_work((unsigned long)context);
	return context;
}

OWN_FRAME static void main_loop(void)
{
	const clock_t until = clock() + (clock_t)(SECONDS * CLOCKS_PER_SEC);
	unsigned int i;

	while (clock() < until) {
		for (i = 0; i < ROUNDS; i++)
			sink += outer();
		sink += sorting();
		for (i = 0; i < ROUNDS; i++)
			sink += counted(DEPTH);
		for (i = 0; i < ROUNDS; i++)
			sink += timed();
		sink += raising();
	}
}

int main(void)
{
	pthread_t thread;

	again = counted;
	signal(SIGUSR1, on_signal);
	if (pthread_create(&thread, NULL, thread_main, NULL))
		return 1;
	main_loop();
	stop = 1;
	return pthread_join(thread, NULL) != 0;
}
