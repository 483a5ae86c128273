// SPDX-License-Identifier: GPL-2.0
/*
 * The link register of powerpc (LR) in call chains of user code.
 *
 * A call leaves the return address in LR. The function called may make a frame, and keep that
 * address in its caller's; LR is overwritten by its own calls then. What it has done so far a
 * kernel cannot know. So the entry behind where it was running is LR, and the next one is the
 * return address that is kept in the second of the frames on the stack:
 *
 *	frame		return address		LR				next entry
 *	not made	in LR			caller				caller's caller
 *	not made	elsewhere		caller, or left from a call	caller's caller
 *	made		in memory		caller, or left from a call	caller
 *	made		in a register		caller, or left from a call	left from others
 *	made		in LR			caller				left from others
 *
 * Where a file does not tell what its functions have done, an LR that leads to the same function
 * is taken for one that is left from a call, and one that is repeated for the caller.
 */
#include "link_register.h"

void link_register_begin(struct link_register *lr, const struct machine *machine,
			 const struct location *at)
{
	*lr = (struct link_register){ 0 };
	if (at->mode != MODE_USER ||
	    data_features_arch(machine->dsos.features) != ARCH_POWERPC)
		return;
	lr->at = at;
	lr->known = at->dso && dso_powerpc_frame(at->dso, at->addr, &lr->frame);
}

/* Is @entry, the register, left from a call, or told by the stack as well? */
static bool is_useless(const struct link_register *lr, const struct location *entry,
		       uint64_t next)
{
	bool same_function = lr->at->symbol && lr->at->symbol == entry->symbol;

	if (!lr->known)
		return same_function || entry->ip == next;
	switch (lr->frame.return_address) {
	case RETURN_IN_LR:
		return false;
	case RETURN_IN_MEMORY:
		return lr->frame.made || same_function;
	default:
		return same_function;
	}
}

bool link_register_spoils(const struct link_register *lr, uint64_t nth,
			  const struct location *entry, uint64_t next)
{
	if (!lr->at)
		return false;
	switch (nth) {
	case 1:
		return is_useless(lr, entry, next);
	case 2:
		return lr->known && lr->frame.made &&
		       lr->frame.return_address != RETURN_IN_MEMORY;
	default:
		return false;
	}
}
