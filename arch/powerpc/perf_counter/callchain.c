// SPDX-License-Identifier: GPL-2.0
/*
 * perf_counter's call chains on 64-bit powerpc.
 *
 * A frame begins with the address of the caller's frame, and has the place where a
 * callee keeps its return address, 16 bytes into it (Power Architecture 64-Bit ELF V2 ABI,
 * section 2.2.2). Until a function keeps it there, and in one that calls nobody, the return
 * address is in the link register alone: where registers are known, the link register
 * is looked at as well. What it has may as well be left from a call that has returned.
 */

#include <linux/compat.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/perf_counter.h>
#include <linux/perf_counter_callchain.h>
#include <linux/processor.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#include <asm/ptrace.h>
#include <asm/tlb.h>
#include <asm/ucontext.h>
#include <asm/vdso.h>

/* === The kernel's === */

static unsigned long return_address(unsigned long frame)
{
	return ((unsigned long *)frame)[STACK_FRAME_LR_SAVE];
}

/*
 * Is the link register the way back from where @regs are? Not if it is in the same function:
 * then it is left from a call that this has made. Nor if the caller's frame has it.
 */
static bool link_is_caller(struct pt_regs *regs, unsigned long frame)
{
	unsigned long size, offset;

	if (!__kernel_text_address(regs->link))
		return false;
	if (validate_sp(frame, current) && return_address(frame) == regs->link)
		return false;
	if (!kallsyms_lookup_size_offset(regs->nip, &size, &offset))
		return true;
	return regs->link - (regs->nip - offset) >= size;
}

/*
 * The registers of what an interrupt has interrupted, where @frame is an interrupt's. Its
 * frame was made for that, whichever stack it is on: it leads to where its registers say.
 */
static struct pt_regs *interrupted(unsigned long frame)
{
	unsigned long *words = (unsigned long *)frame;
	struct pt_regs *regs = (struct pt_regs *)(frame + STACK_INT_FRAME_REGS);

	if (!validate_sp_size(frame, current, STACK_USER_INT_FRAME_SIZE) ||
	    words[STACK_INT_FRAME_MARKER_LONGS] != STACK_FRAME_REGS_MARKER ||
	    words[0] != regs->gpr[1])
		return NULL;
	return regs;
}

/* The function that @regs are in, and its caller if only the link register knows it. */
static bool add_interrupted(struct perf_counter_callchain *chain, struct pt_regs *regs)
{
	unsigned long caller = 0;

	if (!perf_counter_callchain_add(chain, regs->nip))
		return false;
	if (validate_sp(regs->gpr[1], current))
		caller = *(unsigned long *)regs->gpr[1];
	return !link_is_caller(regs, caller) || perf_counter_callchain_add(chain, regs->link);
}

/**
 * perf_counter_callchain_kernel() - add the frames of kernel code
 * @chain: to be added to
 * @regs: the registers of the kernel code
 *
 * Each frame is on one of the kernel's own stacks of the current task and CPU; how many there
 * are is limited by the chain.
 *
 * Context: any, NMI included.
 */
void __no_sanitize_address perf_counter_callchain_kernel(struct perf_counter_callchain *chain,
							 struct pt_regs *regs)
{
	unsigned long frame = regs->gpr[1];

	if (!add_interrupted(chain, regs))
		return;
	while (validate_sp(frame, current)) {
		regs = interrupted(frame);
		if (regs && user_mode(regs))
			return;
		frame = *(unsigned long *)frame;
		if (regs ? !add_interrupted(chain, regs) :
		    !validate_sp(frame, current) ||
		    !perf_counter_callchain_add(chain, return_address(frame)))
			return;
	}
}

/* === The user's === */

/* The stack is the program's own, so each frame may be anything. */
static bool read_word(unsigned long at, unsigned long *word)
{
	return at < TASK_SIZE &&
	       !copy_from_user_nofault(word, (const void __user *)at, sizeof(*word));
}

/*
 * A handler of signals returns to a trampoline in the vDSO, whose frame is below what the
 * kernel has kept of the interrupted code: behind a gap, the context (handle_rt_signal64()).
 */
static bool is_trampoline(unsigned long ip)
{
	void *vdso = current->mm->context.vdso;

	/* A call of the handler, and behind it what it returns to. */
	return vdso && ip == (unsigned long)VDSO64_SYMBOL(vdso, sigtramp_rt64) + sizeof(u32);
}

static bool read_interrupted(unsigned long frame, unsigned long *ip, unsigned long *sp)
{
	const struct ucontext __user *uc =
		(const struct ucontext __user *)(frame + __SIGNAL_FRAMESIZE);
	unsigned long regs = (unsigned long)uc->uc_mcontext.gp_regs;

	return read_word(regs + PT_NIP * sizeof(long), ip) &&
	       read_word(regs + PT_R1 * sizeof(long), sp);
}

static void walk_user(struct perf_counter_callchain *chain, unsigned long frame)
{
	unsigned long next, ip;

	while (IS_ALIGNED(frame, 16) && read_word(frame, &next)) {
		/* A caller's frame is above. */
		if (next <= frame || !read_word(next + STACK_FRAME_LR_SAVE * sizeof(long), &ip) ||
		    !perf_counter_callchain_add(chain, ip))
			return;
		frame = next;
		if (!is_trampoline(ip))
			continue;
		/* The interrupted stack may be another one, above or below: see sigaltstack(). */
		if (!read_interrupted(frame, &ip, &frame) || !perf_counter_callchain_add(chain, ip))
			return;
	}
}

/**
 * perf_counter_callchain_user() - add the frames of user code
 * @chain: to be added to
 * @regs: the registers of the user code
 *
 * The link register comes second, always: readers of perf_events' records know that on
 * powerpc, and leave it out where the function has no use for it.
 *
 * Context: any, NMI included.
 */
void perf_counter_callchain_user(struct perf_counter_callchain *chain, struct pt_regs *regs)
{
	if (!perf_counter_callchain_add(chain, regs->nip) || is_32bit_task())
		return;
	/* As the address space is being switched, the stack is not to be had. */
	if (!nmi_uaccess_okay() || !perf_counter_callchain_add(chain, regs->link))
		return;
	walk_user(chain, regs->gpr[1]);
}
