// SPDX-License-Identifier: GPL-2.0
/*
 * The user part of perf_counter's call chains on x86, by frame pointers.
 *
 * In code that keeps frame pointers, the frame pointer points to the caller's
 * frame pointer, and the return address is above that (System V ABI, AMD64
 * supplement, section 3.2.2; i386 supplement, "The Stack Frame"). The program
 * controls its stack, so frames may hold anything: they are read with page
 * faults disabled, and the walk goes only upward.
 */

#include <linux/perf_counter.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>

#include <asm/ibt.h>
#include <asm/ptrace.h>
#include <asm/tlbflush.h>

/*
 * Read the caller's frame pointer and the return address from the frame of 32-bit code at @fp.
 */
static bool x86_read_frame32(unsigned long fp, unsigned long *next, unsigned long *ret)
{
	const u32 __user *frame = (const u32 __user *)fp;

	if (!user_read_access_begin(frame, 2 * sizeof(*frame)))
		return false;
	unsafe_get_user(*next, &frame[0], fault);
	unsafe_get_user(*ret, &frame[1], fault);
	user_read_access_end();
	return true;
fault:
	user_read_access_end();
	return false;
}

static void x86_walk_frames32(struct perf_counter_callchain *chain, unsigned long fp)
{
	unsigned long next, ret;

	while (IS_ALIGNED(fp, sizeof(u32))) {
		if (!x86_read_frame32(fp, &next, &ret))
			return;
		if (!ret || !perf_counter_callchain_add(chain, ret) || next <= fp)
			return;
		fp = next;
	}
}

#ifdef CONFIG_X86_64
/*
 * User memory is made accessible once for all frames. Each address is masked instead of checked: a
 * mask also holds for speculative reads, and needs no fence. A masked address that was not a user's
 * faults.
 */
static void x86_walk_frames64(struct perf_counter_callchain *chain, unsigned long fp)
{
	const unsigned long __user *frame = (const unsigned long __user *)fp;
	unsigned long next, ret;

	frame = masked_user_access_begin(frame);
	while (IS_ALIGNED(fp, sizeof(fp))) {
		unsafe_get_user(next, &frame[0], fault);
		unsafe_get_user(ret, &frame[1], fault);
		if (!ret || !perf_counter_callchain_add(chain, ret) || next <= fp)
			break;
		fp = next;
		frame = mask_user_address((const void __user *)fp);
	}
fault:
	user_read_access_end();
}
#else
static void x86_walk_frames64(struct perf_counter_callchain *chain, unsigned long fp) { }
#endif

static void x86_walk_frames(struct perf_counter_callchain *chain, struct pt_regs *regs)
{
	if (user_64bit_mode(regs))
		x86_walk_frames64(chain, regs->bp);
	else
		x86_walk_frames32(chain, (u32)regs->bp);
}

/*
 * Tell whether a uprobe was hit at the first instruction of a function. The function has no frame
 * yet then, and the stack pointer points to the return address.
 */
static bool x86_is_probed_entry(struct pt_regs *regs)
{
#ifdef CONFIG_UPROBES
	const struct arch_uprobe *probe = current->utask ? current->utask->auprobe : NULL;

	if (!probe)
		return false;
	/* The function begins with PUSH of the frame pointer, one byte, or with ENDBR64. */
	return probe->insn[0] == 0x55 ||
	       (user_64bit_mode(regs) && is_endbr(*(const u32 *)probe->insn));
#else
	return false;
#endif
}

static void x86_add_entry_caller(struct perf_counter_callchain *chain, struct pt_regs *regs)
{
	unsigned long ret = 0;
	u32 ret32;

	if (user_64bit_mode(regs)) {
		if (get_user(ret, (const unsigned long __user *)regs->sp))
			return;
	} else {
		if (get_user(ret32, (const u32 __user *)regs->sp))
			return;
		ret = ret32;
	}
	if (ret)
		perf_counter_callchain_add(chain, ret);
}

/**
 * perf_counter_callchain_user() - Add the frames of user code to a call chain
 * @chain: call chain to add to
 * @regs: registers of the user code
 *
 * Context: Any context, NMI included.
 */
void perf_counter_callchain_user(struct perf_counter_callchain *chain, struct pt_regs *regs)
{
	perf_counter_callchain_add(chain, regs->ip);

	/* An NMI may have interrupted a switch of the address space. */
	if (!nmi_uaccess_okay())
		return;

	pagefault_disable();
	if (x86_is_probed_entry(regs))
		x86_add_entry_caller(chain, regs);
	x86_walk_frames(chain, regs);
	pagefault_enable();
}
