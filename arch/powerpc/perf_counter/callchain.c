// SPDX-License-Identifier: GPL-2.0
/*
 * perf_counter's call chains on 64-bit powerpc.
 *
 * A frame begins with the address of the caller's frame. 16 bytes into the frame is the place where
 * a callee saves its return address (Power Architecture 64-Bit ELF V2 ABI, section 2.2.2). Before a
 * function has saved it, and in a function that makes no calls, the return address is in the link
 * register only. So wherever registers are known, the link register is checked, too. But the link
 * register may still have the return address of a call that has returned.
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

/* === Kernel stacks === */

static unsigned long ppc_frame_return(unsigned long frame)
{
	return ((unsigned long *)frame)[STACK_FRAME_LR_SAVE];
}

/*
 * Tell whether the link register has to be added as the return address of the function that @regs
 * are in. It does not have to be added if the caller's frame, @frame, has the same address. It is
 * not the return address if it points into the function itself: a call that the function made has
 * left it there.
 */
static bool ppc_link_is_caller(struct pt_regs *regs, unsigned long frame)
{
	unsigned long size, offset;

	if (!__kernel_text_address(regs->link))
		return false;
	if (validate_sp(frame, current) && ppc_frame_return(frame) == regs->link)
		return false;
	if (!kallsyms_lookup_size_offset(regs->nip, &size, &offset))
		return true;
	return regs->link - (regs->nip - offset) >= size;
}

/*
 * Return the registers of the interrupted code if @frame was made by an interrupt, or NULL. The
 * registers point to the frame of the interrupted code, which may be on another stack.
 */
static struct pt_regs *ppc_interrupted_regs(unsigned long frame)
{
	unsigned long *words = (unsigned long *)frame;
	struct pt_regs *regs = (struct pt_regs *)(frame + STACK_INT_FRAME_REGS);

	if (!validate_sp_size(frame, current, STACK_USER_INT_FRAME_SIZE) ||
	    words[STACK_INT_FRAME_MARKER_LONGS] != STACK_FRAME_REGS_MARKER ||
	    words[0] != regs->gpr[1])
		return NULL;
	return regs;
}

/*
 * Add the function that @regs are in, and its caller if only the link register has the return
 * address.
 */
static bool ppc_add_interrupted(struct perf_counter_callchain *chain, struct pt_regs *regs)
{
	unsigned long caller = 0;

	if (!perf_counter_callchain_add(chain, regs->nip))
		return false;
	if (validate_sp(regs->gpr[1], current))
		caller = *(unsigned long *)regs->gpr[1];
	return !ppc_link_is_caller(regs, caller) || perf_counter_callchain_add(chain, regs->link);
}

/**
 * perf_counter_callchain_kernel() - Add the frames of kernel code to a call chain
 * @chain: call chain to add to
 * @regs: registers of the kernel code
 *
 * Each frame has to be on a kernel stack of the current task or CPU. The size of the chain limits
 * the number of frames.
 *
 * Context: Any context, NMI included.
 */
void __no_sanitize_address perf_counter_callchain_kernel(struct perf_counter_callchain *chain,
							 struct pt_regs *regs)
{
	unsigned long frame = regs->gpr[1];

	if (!ppc_add_interrupted(chain, regs))
		return;
	while (validate_sp(frame, current)) {
		regs = ppc_interrupted_regs(frame);
		if (regs && user_mode(regs))
			return;
		frame = *(unsigned long *)frame;
		if (regs ? !ppc_add_interrupted(chain, regs) :
		    !validate_sp(frame, current) ||
		    !perf_counter_callchain_add(chain, ppc_frame_return(frame)))
			return;
	}
}

/* === User stacks === */

/* Read a word of the user's stack. @at may be any value. */
static bool ppc_read_user_word(unsigned long at, unsigned long *word)
{
	return at < TASK_SIZE &&
	       !copy_from_user_nofault(word, (const void __user *)at, sizeof(*word));
}

/*
 * Tell whether @ip is the address to which a signal handler returns, in the trampoline of the vDSO.
 */
static bool ppc_is_sigtramp(unsigned long ip)
{
	void *vdso = current->mm->context.vdso;

	/*
	 * The trampoline begins with a call of the handler. The handler returns to the next
	 * instruction.
	 */
	return vdso && ip == (unsigned long)VDSO64_SYMBOL(vdso, sigtramp_rt64) + sizeof(u32);
}

/*
 * Read the instruction pointer and the stack pointer of the code that a signal interrupted. The
 * kernel has saved its registers above @frame, the frame of the trampoline: after a gap comes the
 * context, see handle_rt_signal64().
 */
static bool ppc_read_sigframe(unsigned long frame, unsigned long *ip, unsigned long *sp)
{
	const struct ucontext __user *uc =
		(const struct ucontext __user *)(frame + __SIGNAL_FRAMESIZE);
	unsigned long regs = (unsigned long)uc->uc_mcontext.gp_regs;

	return ppc_read_user_word(regs + PT_NIP * sizeof(long), ip) &&
	       ppc_read_user_word(regs + PT_R1 * sizeof(long), sp);
}

static void ppc_walk_user(struct perf_counter_callchain *chain, unsigned long frame)
{
	unsigned long next, ip;

	while (IS_ALIGNED(frame, 16) && ppc_read_user_word(frame, &next)) {
		/* Frames of callers are at higher addresses. */
		if (next <= frame ||
		    !ppc_read_user_word(next + STACK_FRAME_LR_SAVE * sizeof(long), &ip) ||
		    !perf_counter_callchain_add(chain, ip))
			return;
		frame = next;
		if (!ppc_is_sigtramp(ip))
			continue;
		/* The interrupted stack may be above or below this one, see sigaltstack(). */
		if (!ppc_read_sigframe(frame, &ip, &frame) ||
		    !perf_counter_callchain_add(chain, ip))
			return;
	}
}

/**
 * perf_counter_callchain_user() - Add the frames of user code to a call chain
 * @chain: call chain to add to
 * @regs: registers of the user code
 *
 * The link register is always the second entry. Readers of perf_events' records know this
 * convention of powerpc, and drop the entry if the function does not use it.
 *
 * Context: Any context, NMI included.
 */
void perf_counter_callchain_user(struct perf_counter_callchain *chain, struct pt_regs *regs)
{
	if (!perf_counter_callchain_add(chain, regs->nip) || is_32bit_task())
		return;
	/* The stack cannot be read while the address space is being switched. */
	if (!nmi_uaccess_okay() || !perf_counter_callchain_add(chain, regs->link))
		return;
	ppc_walk_user(chain, regs->gpr[1]);
}
