// SPDX-License-Identifier: GPL-2.0
/*
 * Call chains of perf_counter: the kernel part with the architecture's own
 * unwinder, the user part as the architecture knows it.
 *
 * A chain is collected before its record is reserved, because only then its
 * size is known. Contexts nest on a CPU, so each CPU has a chain for each.
 */

#include <linux/hardirq.h>
#include <linux/percpu.h>
#include <linux/perf_counter_callchain.h>
#include <linux/preempt.h>
#include <linux/stacktrace.h>

#include "internal.h"

/* Task, softirq, irq, NMI: what interrupt_context_level() tells apart. */
#define CONTEXT_LEVELS	4

struct callchain_set {
	struct perf_counter_callchain	level[CONTEXT_LEVELS];
};

static struct callchain_set __percpu *callchains;
static DEFINE_MUTEX(callchains_mutex);

/**
 * perf_counter_callchain_prepare() - have memory for chains
 *
 * It stays once it is there: some 4 KiB per CPU.
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM.
 */
int perf_counter_callchain_prepare(void)
{
	struct callchain_set __percpu *set;
	int err = 0;

	mutex_lock(&callchains_mutex);
	if (!callchains) {
		set = alloc_percpu(struct callchain_set);
		if (set)
			/* Partner: the dependency in perf_counter_callchain_get(). */
			smp_store_release(&callchains, set);
		else
			err = -ENOMEM;
	}
	mutex_unlock(&callchains_mutex);
	return err;
}

/* An architecture that cannot walk user stacks knows where user code is. */
void __weak perf_counter_callchain_user(struct perf_counter_callchain *chain, struct pt_regs *regs)
{
	perf_counter_callchain_add(chain, instruction_pointer(regs));
}

#ifdef CONFIG_ARCH_STACKWALK
/**
 * struct kernel_walk - a walk over the kernel's stack
 * @chain: to be filled
 * @from: the frame to begin with, 0 for the first
 */
struct kernel_walk {
	struct perf_counter_callchain	*chain;
	unsigned long			from;
};

static bool walk_frame(void *cookie, unsigned long ip)
{
	struct kernel_walk *walk = cookie;

	if (walk->from && ip != walk->from)
		return true;
	walk->from = 0;
	return perf_counter_callchain_add(walk->chain, ip);
}

static void callchain_kernel(struct perf_counter_callchain *chain,
			     const struct perf_counter_sample *sample, struct pt_regs *regs)
{
	struct kernel_walk walk = { .chain = chain, .from = sample->ip };

	if (IS_ENABLED(CONFIG_PPC64) && !sample->ip) {
		perf_counter_callchain_kernel(chain, regs);
		return;
	}
	/* Without an exception's registers it starts here, inside of us. */
	arch_stack_walk(walk_frame, &walk, current, sample->ip ? NULL : regs);
}
#else
static void callchain_kernel(struct perf_counter_callchain *chain,
			     const struct perf_counter_sample *sample, struct pt_regs *regs)
{
	perf_counter_callchain_add(chain, sample->ip ?: instruction_pointer(regs));
}
#endif

/*
 * The frame at @first in @chain, if there is one, is where an event of @sample happened: its
 * registers may be those of a later instruction.
 */
static void set_exact(struct perf_counter_callchain *chain, unsigned int first,
		      const struct perf_counter_sample *sample)
{
	u64 exact = perf_counter_sample_exact(sample);

	if (exact && chain->nr > first)
		chain->ips[first] = exact;
}

/**
 * perf_counter_callchain_get() - collect the call chain of an event
 * @desc: whose attr says which parts, and how deep
 * @sample: what is known of the event
 * @regs: its registers
 *
 * Context: any, NMI included; preemption disabled until the chain is put.
 * Return: the chain, to be handed to perf_counter_callchain_put(); NULL when
 * it is the collecting of a chain that has raised this event.
 */
struct perf_counter_callchain *perf_counter_callchain_get(struct perf_counter_desc *desc,
							  const struct perf_counter_sample *sample,
							  struct pt_regs *regs)
{
	struct callchain_set *set = this_cpu_ptr(READ_ONCE(callchains));
	struct perf_counter_callchain *chain = &set->level[interrupt_context_level()];
	bool sampled_user = true;

	if (unlikely(chain->busy))
		return NULL;
	chain->busy = true;
	/* Before whatever may raise an event. */
	barrier();
	chain->nr = 0;
	chain->frames_left = desc->attr.sample_max_stack;

	/* Nobody here knows how a guest's code was called. */
	if (unlikely(sample->guest))
		return chain;
	if (!user_mode(regs)) {
		if (!desc->attr.exclude_callchain_kernel) {
			chain->ips[chain->nr++] = PERF_CONTEXT_KERNEL;
			callchain_kernel(chain, sample, regs);
			set_exact(chain, 1, sample);
		}
		/* How user code got here, where there is any. */
		regs = current->mm ? task_pt_regs(current) : NULL;
		sampled_user = false;
	}
	if (regs && !desc->attr.exclude_callchain_user) {
		chain->ips[chain->nr++] = PERF_CONTEXT_USER;
		perf_counter_callchain_user(chain, regs);
		if (sampled_user)
			set_exact(chain, 1, sample);
	}
	return chain;
}

/**
 * perf_counter_callchain_put() - a chain is not needed any more
 * @chain: from perf_counter_callchain_get()
 */
void perf_counter_callchain_put(struct perf_counter_callchain *chain)
{
	/* After the last look at it. */
	barrier();
	chain->busy = false;
}
