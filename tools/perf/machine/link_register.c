// SPDX-License-Identifier: GPL-2.0
/*
 * The link register of powerpc (LR) in call chains of user code.
 *
 * A call leaves the return address in LR. The called function may make a frame and save that
 * address in its caller's frame; its own calls then overwrite LR. The kernel does not know what the
 * function has done. So the entry of the chain after the instruction pointer is LR, and the next
 * one is the return address that is saved in the second frame on the stack:
 *
 *	frame		return address		LR				next entry
 *	not made	in LR			caller				caller's caller
 *	not made	elsewhere		caller, or an old value		caller's caller
 *	made		in memory		caller, or an old value		caller
 *	made		in a register		caller, or an old value		an old value
 *	made		in LR			caller				an old value
 *
 * Without call frame information, an LR that leads to the same function is taken for an old value.
 * An LR that the next entry repeats is taken for the caller.
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

/* Return true if @entry, which is LR, is an old value or is repeated by the next entry. */
static bool is_no_caller(const struct link_register *lr, const struct location *entry,
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
		return is_no_caller(lr, entry, next);
	case 2:
		return lr->known && lr->frame.made &&
		       lr->frame.return_address != RETURN_IN_MEMORY;
	default:
		return false;
	}
}
