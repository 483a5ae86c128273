// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the emulated branch records with Linux's perf_events: samples of a loop that has
 * one branch of each near kind. The records of every sample must be branches of this loop,
 * in order, wherever the interrupt came.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf_events.h"
#include "perf_pattern.h"

#define PERIOD		100003
#define MIN_SAMPLES	100
#define ROUNDS		(PERIOD * MIN_SAMPLES / 14 + PERIOD)

struct branch {
	char *from, *to;
	uint64_t filters;	/* PERF_SAMPLE_BRANCH_* that include this branch */
	int type;
	int cycles;
};

#define PATTERN_LENGTH	7

static const struct branch round_of_pattern[PATTERN_LENGTH] = {
	{ p_call, p_callee, PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_CALL,
	  PERF_BR_CALL, 1 },
	{ p_ret, p_returned, PERF_SAMPLE_BRANCH_ANY_RETURN, PERF_BR_RET, 2 },
	{ p_ind_call, p_callee, PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_IND_CALL,
	  PERF_BR_IND_CALL, 2 },
	{ p_ret, p_ind_returned, PERF_SAMPLE_BRANCH_ANY_RETURN, PERF_BR_RET, 2 },
	{ p_jmp, p_jmp_to, 0, PERF_BR_UNCOND, 3 },
	{ p_ind_jmp, p_jumped, PERF_SAMPLE_BRANCH_IND_JUMP, PERF_BR_IND, 1 },
	{ p_jnz, p_round, PERF_SAMPLE_BRANCH_COND, PERF_BR_COND, 2 },
};

struct sample {
	struct perf_event_header header;
	uint64_t ip, nr;
	struct perf_branch_entry entries[];
};

/* The branches of a round that a filter includes. */
struct cycle {
	struct branch branches[PATTERN_LENGTH];
	int length;
};

static struct cycle cycle_of(uint64_t filter)
{
	struct cycle c = { };
	int cycles = 0, before = 0;

	for (int i = 0; i < PATTERN_LENGTH; i++) {
		const struct branch *b = &round_of_pattern[i];

		cycles += b->cycles;
		if (filter != PERF_SAMPLE_BRANCH_ANY && !(b->filters & filter))
			continue;
		c.branches[c.length] = *b;
		c.branches[c.length++].cycles = cycles;
		before = before ?: cycles;
		cycles = 0;
	}
	/* Cycles after the last branch belong to the first branch of the next round. */
	c.branches[0].cycles = before + cycles;
	return c;
}

static bool is_entry_of(const struct perf_branch_entry *e, const struct branch *b)
{
	return e->from == (uintptr_t)b->from && e->to == (uintptr_t)b->to;
}

struct result {
	int samples, records, full, wrong, wrong_types, mispredicted, odd_cycles;
	long switches;
};

static void look_at_pattern(const struct sample *s, uint64_t filter, int full, struct result *r)
{
	const struct cycle c = cycle_of(filter);
	int at = -1;

	r->full += s->nr == (uint64_t)full;
	for (int i = 0; s->nr && i < c.length; i++) {
		/* The two returns differ in their targets. */
		if (is_entry_of(&s->entries[0], &c.branches[i]))
			at = i;
	}
	for (uint64_t i = 0; i < s->nr; i++) {
		const struct perf_branch_entry *e = &s->entries[i];
		const struct branch *b = &c.branches[at < 0 ? 0 : (at + c.length * full - i) %
						     c.length];

		r->records++;
		r->wrong += !is_entry_of(e, b);
		r->wrong_types += e->type != b->type;
		r->mispredicted += e->mispred;
		r->odd_cycles += e->cycles != b->cycles;
	}
}

/* The call of the leaf is in the records while the leaf runs, and not after its return. */
static void look_at_nested(const struct sample *s, uint64_t filter, int full, struct result *r)
{
	static const struct branch calls[] = {
		{ n_middle_call, n_inner, 0, 0, 0 }, { n_call, n_middle, 0, 0, 0 },
	};
	uint64_t first = s->nr && s->entries[0].to == (uintptr_t)n_leaf;

	(void)filter;
	(void)full;
	r->records += s->nr;
	if (s->nr < first + 3) {
		r->wrong++;
		return;
	}
	r->wrong += !is_entry_of(&s->entries[first], &calls[0]) ||
		    !is_entry_of(&s->entries[first + 1], &calls[1]) ||
		    s->entries[first + 2].to != (uintptr_t)nested;
}

static long context_switches(void)
{
	struct rusage usage = { };

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

typedef void (*look_fn)(const struct sample *s, uint64_t filter, int full, struct result *r);

/*
 * Take samples of a function with this filter, in user mode; false if perf_events refuses
 * them.
 */
static bool sample_branches(uint64_t filter, void (*run)(uint64_t), look_fn look, int full,
			    struct result *r)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS, .disabled = 1, .exclude_kernel = 1,
		.sample_period = PERIOD,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = filter | PERF_SAMPLE_BRANCH_USER |
				      PERF_SAMPLE_BRANCH_TYPE_SAVE,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	struct perf_event_mmap_page *page;
	char *data;

	*r = (struct result) { };
	if (fd < 0)
		return false;
	page = map_buffer(fd);
	if (!page)
		return false;
	data = (char *)page + getpagesize();
	r->switches = context_switches();
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	run(ROUNDS);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	r->switches = context_switches() - r->switches;
	for (uint64_t at = 0; at < page->data_head;) {
		const struct sample *s = (const struct sample *)(data + at);

		/* The last sample may be after the loop. */
		if (s->header.type == PERF_RECORD_SAMPLE && s->ip >= (uintptr_t)pattern &&
		    s->ip < (uintptr_t)pattern_end) {
			r->samples++;
			look(s, filter, full, r);
		}
		at += s->header.size;
	}
	close(fd);
	return true;
}

/* Check that samples with this filter have @full records, with their cycles if @cycles. */
static void check_filter(const char *name, uint64_t filter, int full, bool cycles)
{
	struct result r;

	if (!sample_branches(filter, pattern, look_at_pattern, full, &r)) {
		check(name, 0, 1);
		return;
	}
	printf("# %s: %d samples, %d records, %ld context switches\n", name, r.samples,
	       r.records, r.switches);
	check(name, r.samples >= MIN_SAMPLES, 1);
	/* Linux clears the records at a context switch. */
	check("... full of records, but after a switch", r.samples - r.full <= r.switches, 1);
	check("... each of them the loop's next", r.wrong, 0);
	check("... of its type", r.wrong_types, 0);
	check("... none mispredicted", r.mispredicted, 0);
	/* The clock's interrupt adds cycles to a few records. */
	if (cycles)
		check("... with its cycles", r.odd_cycles * 100 < r.records, 1);
}

void check_branches(const char *model)
{
	bool amd = !strcmp(model, "zen4") || !strcmp(model, "amd-v2");
	bool nehalem = !strcmp(model, "nehalem"), haswell = !strcmp(model, "haswell");
	int depth = amd || nehalem || haswell ? 16 : 32;
	/*
	 * For an erratum of Nehalem Linux records jumps, too, and drops them; the loop has
	 * as many jumps as calls.
	 */
	int left = nehalem ? depth / 2 : depth;
	bool cycles = depth == 32;
	struct result r;

	check_filter("any", PERF_SAMPLE_BRANCH_ANY, depth, cycles);
	check_filter("any_call", PERF_SAMPLE_BRANCH_ANY_CALL, left, cycles);
	check_filter("any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN, left, cycles);
	check_filter("cond", PERF_SAMPLE_BRANCH_COND, depth, cycles);
	check_filter("ind_call", PERF_SAMPLE_BRANCH_IND_CALL, left, cycles);
	check_filter("ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP, depth, cycles);
	/* Linux has no filter for calls on Nehalem. */
	if (!nehalem)
		check_filter("call", PERF_SAMPLE_BRANCH_CALL, depth, cycles);
	if (sample_branches(PERF_SAMPLE_BRANCH_CALL_STACK, nested, look_at_nested, depth, &r)) {
		check("call_stack", r.samples > 0, 1);
		check("... the callers", r.wrong, 0);
		check("there is a call stack from Haswell on", !amd && !nehalem, 1);
	} else {
		check("there is no call stack", amd || nehalem, 1);
	}
}
