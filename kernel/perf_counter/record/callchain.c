// SPDX-License-Identifier: GPL-2.0
/*
 * Call chains of perf_counter: the kernel part by the architecture's unwinder, the user
 * part by a function of the architecture.
 *
 * A chain is collected before its record is reserved, because its size is not known
 * earlier. Contexts nest on a CPU, so each CPU has a buffer for each context.
 */

#include <linux/hardirq.h>
#include <linux/percpu.h>
#include <linux/perf_counter_callchain.h>
#include <linux/preempt.h>
#include <linux/stacktrace.h>

#include "internal.h"

/* Number of contexts that interrupt_context_level() distinguishes: task, softirq, irq and NMI. */
#define CONTEXT_LEVELS	4

struct callchain_set {
	struct perf_counter_callchain	level[CONTEXT_LEVELS];
};

static struct callchain_set __percpu *callchains;
static DEFINE_MUTEX(callchains_mutex);

/**
 * perf_counter_callchain_prepare() - Allocate the buffers for chains, about 4 KiB per
 * CPU
 *
 * They are never freed.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int perf_counter_callchain_prepare(void)
{
	struct callchain_set __percpu *set;
	int err = 0;

	mutex_lock(&callchains_mutex);
	if (!callchains) {
		set = alloc_percpu(struct callchain_set);
		if (set)
			/* Pairs with the address dependency in perf_counter_callchain_get(). */
			smp_store_release(&callchains, set);
		else
			err = -ENOMEM;
	}
	mutex_unlock(&callchains_mutex);
	return err;
}

/*
 * Default for architectures that cannot walk user stacks: the user part of a chain is the
 * interrupted instruction only.
 */
void __weak perf_counter_callchain_user(struct perf_counter_callchain *chain, struct pt_regs *regs)
{
	perf_counter_callchain_add(chain, instruction_pointer(regs));
}

#ifdef CONFIG_ARCH_STACKWALK
/**
 * struct kernel_walk - state of a walk of the kernel stack
 * @chain: chain to fill
 * @from: address of the first frame to record; 0 to record all frames
 */
struct kernel_walk {
	struct perf_counter_callchain	*chain;
	unsigned long			from;
};

static bool callchain_walk_frame(void *cookie, unsigned long ip)
{
	struct kernel_walk *walk = cookie;

	if (walk->from && ip != walk->from)
		return true;
	walk->from = 0;
	return perf_counter_callchain_add(walk->chain, ip);
}

static void callchain_kernel(struct perf_counter_callchain *chain,
			     const struct perf_counter_sample *sample)
{
	struct kernel_walk walk = { .chain = chain, .from = sample->ip };
	struct pt_regs *regs = sample->regs, caller;

	if (IS_ENABLED(CONFIG_PPC64) && !sample->ip) {
		perf_counter_callchain_kernel(chain, sample->regs);
		return;
	}
	/* Without registers, the walk starts in this function, and has more frames to skip. */
	if (sample->ip)
		regs = sample->frame && perf_counter_caller_regs(&caller, sample->frame) ?
		       &caller : NULL;
	arch_stack_walk(callchain_walk_frame, &walk, current, regs);
}
#else
static void callchain_kernel(struct perf_counter_callchain *chain,
			     const struct perf_counter_sample *sample)
{
	perf_counter_callchain_add(chain, sample->ip ?: instruction_pointer(sample->regs));
}
#endif

/*
 * Set frame number @first of @chain, if there is one, to the exact address of the
 * event: the registers may belong to a later instruction.
 */
static void callchain_set_exact(struct perf_counter_callchain *chain, unsigned int first,
				const struct perf_counter_sample *sample)
{
	u64 exact = perf_counter_sample_exact(sample);

	if (exact && chain->nr > first)
		chain->ips[first] = exact;
}

/**
 * perf_counter_callchain_get() - Collect the call chain of an event
 * @desc: descriptor with an attr that selects the parts of the chain and its depth
 * @sample: the event
 *
 * Context: any, NMI included; preemption disabled until perf_counter_callchain_put().
 * Return: chain; NULL if collecting a chain in this context has raised the event.
 */
struct perf_counter_callchain *perf_counter_callchain_get(struct perf_counter_desc *desc,
							  const struct perf_counter_sample *sample)
{
	struct callchain_set *set = this_cpu_ptr(READ_ONCE(callchains));
	struct perf_counter_callchain *chain = &set->level[interrupt_context_level()];
	struct pt_regs *regs = sample->regs;
	bool sampled_user = true;

	if (unlikely(chain->busy))
		return NULL;
	chain->busy = true;
	/* Set @busy before anything that may raise an event. */
	barrier();
	chain->nr = 0;
	chain->frames_left = desc->attr.sample_max_stack;

	/* The call chain of a guest's code is not known. */
	if (unlikely(sample->guest))
		return chain;
	if (!user_mode(regs)) {
		if (!desc->attr.exclude_callchain_kernel) {
			chain->ips[chain->nr++] = PERF_CONTEXT_KERNEL;
			callchain_kernel(chain, sample);
			callchain_set_exact(chain, 1, sample);
		}
		/*
		 * Continue with the user code that entered the kernel; a kernel thread
		 * has none.
		 */
		regs = current->mm ? task_pt_regs(current) : NULL;
		sampled_user = false;
	}
	if (regs && !desc->attr.exclude_callchain_user) {
		chain->ips[chain->nr++] = PERF_CONTEXT_USER;
		perf_counter_callchain_user(chain, regs);
		if (sampled_user)
			callchain_set_exact(chain, 1, sample);
	}
	return chain;
}

/**
 * perf_counter_callchain_put() - Release a chain
 * @chain: result of perf_counter_callchain_get()
 */
void perf_counter_callchain_put(struct perf_counter_callchain *chain)
{
	/* Clear @busy after the last access to the chain. */
	barrier();
	chain->busy = false;
}
