// SPDX-License-Identifier: GPL-2.0
/*
 * The user part of perf_counter's call chains on x86, by frame pointers.
 *
 * Code that keeps a frame pointer has, where it points, the caller's frame
 * pointer and above it the return address (System V ABI, AMD64 supplement,
 * section 3.2.2; i386 supplement, "The Stack Frame"). The stack is the
 * program's own, so each frame may be anything: it is read with faults
 * disabled, and the walk goes upward only.
 */

#include <linux/perf_counter.h>
#include <linux/uaccess.h>

#include <asm/ptrace.h>
#include <asm/tlbflush.h>

/* One walk for both widths: @word is the type of a frame's two words. */
#define DEFINE_WALK(name, word)								\
static void name(struct perf_counter_callchain *chain, unsigned long fp)		\
{											\
	while (chain->frames_left && IS_ALIGNED(fp, sizeof(word))) {			\
		const word __user *frame = (const word __user *)fp;			\
		word next, ret;								\
											\
		if (!user_read_access_begin(frame, 2 * sizeof(word)))			\
			return;								\
		unsafe_get_user(next, &frame[0], fault);				\
		unsafe_get_user(ret, &frame[1], fault);					\
		user_read_access_end();							\
		if (!ret)								\
			return;								\
		perf_counter_callchain_add(chain, ret);					\
		if (next <= fp)								\
			return;								\
		fp = next;								\
	}										\
	return;										\
fault:											\
	user_read_access_end();								\
}

DEFINE_WALK(walk_frames, unsigned long)
#ifdef CONFIG_IA32_EMULATION
DEFINE_WALK(walk_frames_ia32, u32)
#endif

/**
 * perf_counter_callchain_user() - add the frames of user code
 * @chain: to be added to
 * @regs: the registers of the user code
 *
 * Context: any, NMI included.
 */
void perf_counter_callchain_user(struct perf_counter_callchain *chain, struct pt_regs *regs)
{
	perf_counter_callchain_add(chain, regs->ip);

	/* An NMI may have struck while the address space was being switched. */
	if (!nmi_uaccess_okay())
		return;

	pagefault_disable();
#ifdef CONFIG_IA32_EMULATION
	if (!user_64bit_mode(regs))
		walk_frames_ia32(chain, (u32)regs->bp);
	else
#endif
		walk_frames(chain, regs->bp);
	pagefault_enable();
}
