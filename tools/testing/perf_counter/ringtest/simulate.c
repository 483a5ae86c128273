// SPDX-License-Identifier: GPL-2.0
/*
 * Simulated CPUs: each has a stack of its own, and at every access to shared memory, which goes
 * through shim_step(), the CPU with the earliest clock continues. The run depends only on the
 * seed, however busy the machine is.
 *
 * An access costs time, and more when the CPU has no copy of the cache line. Caches have any
 * size; a load takes a copy, a store removes all other copies. When several CPUs want one line,
 * it moves to one after the other.
 *
 * At an access a CPU can be interrupted, also in the middle of an interrupt: the handler is
 * called immediately.
 *
 * Accesses happen in program order: the simulation does not show the effects of a weaker
 * memory order.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#include "memory.h"
#include "simulate.h"

#define STACK_BYTES	(128 * 1024)
#define LINES_SHIFT	18
#define LINES		(1u << LINES_SHIFT)

/* The private part of a CPU. */
struct context {
	jmp_buf		at;
	ucontext_t	first;
	char		*stack;
	void		(*main)(unsigned int cpu);
	u64		clock;
	bool		started;
	bool		done;
};

/**
 * struct line - a cache line and its copies
 * @number: number of the line
 * @holders: a bit for each CPU that has a copy
 * @free: time when the line can move next
 */
struct line {
	u64		number;
	u64		holders;
	u64		free;
};

struct sim_cpu sim_cpus[SIM_CPUS];

static struct context contexts[SIM_CPUS];
static struct line lines[LINES];
static unsigned int nr_cpus, running;
static bool inside;
static jmp_buf outside;
static u64 random_state;
static struct sim_costs costs;
static void (*interrupt)(unsigned int cpu, unsigned int depth);
static unsigned int deepest, interrupt_one_in;
static void (*observe)(void);

u64 sim_random(void)
{
	/* Marsaglia's xorshift, and Vigna's multiplication: xorshift64*. */
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * 0x2545f4914f6cdd1dULL;
}

static struct line *line_of(const void *at)
{
	u64 number = (unsigned long)at / 64;
	unsigned int slot = number * 0x9e3779b97f4a7c15ULL >> (64 - LINES_SHIFT);

	while (lines[slot].number != number) {
		if (!lines[slot].number) {
			lines[slot].number = number;
			break;
		}
		slot = (slot + 1) % LINES;
	}
	return &lines[slot];
}

/* Charge the CPU for an access, and update the copies of the line. */
static void pay(const void *at, enum shim_access access)
{
	struct context *context = &contexts[running];
	struct line *line = line_of(at);
	u64 mine = 1ULL << running;
	bool hit = access == SHIM_LOAD ? line->holders & mine : line->holders == mine;

	context->clock++;
	if (access == SHIM_EXCHANGE)
		context->clock += costs.exchange;
	/* A line that no CPU has comes from memory, once, and is not a transfer. */
	if (!hit && line->holders) {
		if (context->clock < line->free)
			context->clock = line->free;
		context->clock += costs.transfer;
		line->free = context->clock;
		sim_cpus[running].transfers++;
	}
	line->holders = access == SHIM_LOAD ? line->holders | mine : mine;
	if (costs.stall && !(sim_random() >> 58))
		context->clock += sim_random() % costs.stall;
}

static void go_on_with(unsigned int cpu)
{
	running = cpu;
	if (contexts[cpu].started)
		_longjmp(contexts[cpu].at, 1);
	contexts[cpu].started = true;
	setcontext(&contexts[cpu].first);
}

/* Return the CPU with the earliest clock; SIM_CPUS when all are done. */
static unsigned int next_cpu(void)
{
	unsigned int cpu, next = SIM_CPUS;

	for (cpu = 0; cpu < nr_cpus; cpu++) {
		if (!contexts[cpu].done &&
		    (next == SIM_CPUS || contexts[cpu].clock < contexts[next].clock))
			next = cpu;
	}
	return next;
}

static void take_turns(void)
{
	if (next_cpu() != running && !_setjmp(contexts[running].at))
		go_on_with(next_cpu());
}

void shim_step(const void *at, enum shim_access access)
{
	struct sim_cpu *cpu = &sim_cpus[running];

	if (!inside)
		return;
	if (observe)
		observe();
	pay(at, access);
	take_turns();
	/* The CPU of this access is interrupted, whichever CPU ran in between. */
	if (interrupt && cpu->enabled && cpu->depth < deepest &&
	    sim_random() % interrupt_one_in == 0) {
		cpu->depth++;
		interrupt(cpu - sim_cpus, cpu->depth);
		cpu->depth--;
	}
}

unsigned int sim_this_cpu(void)
{
	return running;
}

/* Let time pass on the running CPU. */
void sim_wait(unsigned int units)
{
	contexts[running].clock += units;
	take_turns();
}

static void cpu_main(void)
{
	contexts[running].main(running);
	contexts[running].done = true;
	if (next_cpu() == SIM_CPUS)
		_longjmp(outside, 1);
	go_on_with(next_cpu());
}

/* Reset everything, and start with @seed. */
void sim_reset(u64 seed, const struct sim_costs *new_costs)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpus; cpu++)
		free(contexts[cpu].stack);
	memset(contexts, 0, sizeof(contexts));
	memset(sim_cpus, 0, sizeof(sim_cpus));
	memset(lines, 0, sizeof(lines));
	nr_cpus = 0;
	costs = *new_costs;
	interrupt = NULL;
	observe = NULL;
	random_state = (seed + 1) * 0x9e3779b97f4a7c15ULL | 1;
}

/* Interrupt enabled CPUs, at most @most deep, at one of @one_in accesses on average. */
void sim_interrupts(void (*handler)(unsigned int cpu, unsigned int depth), unsigned int most,
		    unsigned int one_in)
{
	interrupt = handler;
	deepest = most;
	interrupt_one_in = one_in;
}

/* Call @observer before each access, so that it sees every state. */
void sim_observe(void (*observer)(void))
{
	observe = observer;
}

/* Let a CPU run @main when sim_run() is called. CPUs are numbered in this order. */
void sim_start(unsigned int cpu, void (*main)(unsigned int cpu))
{
	struct context *context = &contexts[cpu];

	context->main = main;
	context->stack = malloc(STACK_BYTES);
	if (!context->stack || getcontext(&context->first))
		fail("no memory for a CPU");
	context->first.uc_stack.ss_sp = context->stack;
	context->first.uc_stack.ss_size = STACK_BYTES;
	makecontext(&context->first, cpu_main, 0);
	/* CPUs do not start in step. */
	context->clock = sim_random() % 64;
	nr_cpus = cpu + 1;
}

/* Run all CPUs until they are done. */
void sim_run(void)
{
	inside = true;
	if (!_setjmp(outside))
		go_on_with(next_cpu());
	inside = false;
}
