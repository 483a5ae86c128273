// SPDX-License-Identifier: GPL-2.0
/*
 * The attr structure: copying it from a program, and refusing what this version does not know.
 */

#include <linux/uaccess.h>

#include "../record/read_format.h"
#include "../record/record.h"
#include "context.h"
#include "overflow.h"

/* Check that the attr has the same layout as that of perf_events: programs use one for both. */
#define AT(subsystem, field)	offsetof(struct perf_##subsystem##_attr, field)
static_assert(sizeof(struct perf_counter_attr) == PERF_COUNTER_ATTR_SIZE_VER8);
static_assert(sizeof(struct perf_counter_attr) == sizeof(struct perf_event_attr));
static_assert(AT(counter, type) == AT(event, type));
static_assert(AT(counter, size) == AT(event, size));
static_assert(AT(counter, config) == AT(event, config));
static_assert(AT(counter, sample_period) == AT(event, sample_period));
static_assert(AT(counter, sample_type) == AT(event, sample_type));
static_assert(AT(counter, read_format) == AT(event, read_format));
static_assert(AT(counter, wakeup_events) == AT(event, wakeup_events));
static_assert(AT(counter, bp_type) == AT(event, bp_type));
static_assert(AT(counter, config1) == AT(event, config1));
static_assert(AT(counter, config2) == AT(event, config2));
static_assert(AT(counter, branch_sample_type) == AT(event, branch_sample_type));
static_assert(AT(counter, sample_regs_user) == AT(event, sample_regs_user));
static_assert(AT(counter, sample_stack_user) == AT(event, sample_stack_user));
static_assert(AT(counter, clockid) == AT(event, clockid));
static_assert(AT(counter, sample_regs_intr) == AT(event, sample_regs_intr));
static_assert(AT(counter, aux_watermark) == AT(event, aux_watermark));
static_assert(AT(counter, sample_max_stack) == AT(event, sample_max_stack));
static_assert(AT(counter, aux_sample_size) == AT(event, aux_sample_size));
static_assert(AT(counter, sig_data) == AT(event, sig_data));
static_assert(AT(counter, config3) == AT(event, config3));
#undef AT

/* Return the bit fields after read_format as one number. */
static u64 attr_bits(const struct perf_counter_attr *attr)
{
	u64 bits;

	memcpy(&bits, (void *)attr + offsetofend(struct perf_counter_attr, read_format),
	       sizeof(bits));
	return bits;
}

/* Bit fields of the attr that this version knows. */
static const struct perf_counter_attr known_bits = {
	.disabled			= 1,
	.inherit			= 1,
	.pinned				= 1,
	.exclusive			= 1,
	.exclude_user			= 1,
	.exclude_kernel			= 1,
	.exclude_hv			= 1,
	.exclude_idle			= 1,
	.mmap				= 1,
	.comm				= 1,
	.freq				= 1,
	.inherit_stat			= 1,
	.enable_on_exec			= 1,
	.task				= 1,
	.watermark			= 1,
	.precise_ip			= 3,
	.mmap_data			= 1,
	.sample_id_all			= 1,
	.exclude_host			= 1,
	.exclude_guest			= 1,
	.exclude_callchain_kernel	= 1,
	.exclude_callchain_user		= 1,
	.mmap2				= 1,
	.comm_exec			= 1,
	.use_clockid			= 1,
	.context_switch			= 1,
	.write_backward			= 1,
	.namespaces			= 1,
	.ksymbol			= 1,
	.bpf_event			= 1,
	.cgroup				= 1,
	.text_poke			= 1,
	.build_id			= 1,
	.remove_on_exec			= 1,
	.subrings			= 1,
	.munmap				= 1,
};

/**
 * perf_counter_check_attr() - Check an attr, and fill in its defaults
 * @attr: attr of a program; a sample_max_stack of 0 becomes the maximum, and a
 *	branch_sample_type without privilege levels gets the levels of the event
 *
 * Return: 0; -EINVAL for an unknown bit, type or format, for a reserved field that is not zero,
 * and for a contradiction; -EOVERFLOW for a sample_max_stack above the maximum; -EOPNOTSUPP for
 * user registers and stacks on an architecture that cannot record them.
 */
int perf_counter_check_attr(struct perf_counter_attr *attr)
{
	int err;

	if (attr_bits(attr) & ~attr_bits(&known_bits))
		return -EINVAL;
	if (attr->__reserved_2 || attr->__reserved_3)
		return -EINVAL;
	err = perf_counter_check_sample(attr);
	if (err)
		return err;
	if (attr->read_format & ~(u64)PERF_COUNTER_READ_FORMATS)
		return -EINVAL;

	/*
	 * Refuse fields that only matter for sample types and bits that this version does not
	 * know.
	 */
	if (attr->aux_watermark || attr->aux_sample_size || attr->sig_data)
		return -EINVAL;

	if (attr->freq) {
		if (attr->sample_freq > READ_ONCE(sysctl_perf_counter_max_sample_rate))
			return -EINVAL;
	} else if (attr->sample_period & BIT_ULL(63)) {
		return -EINVAL;
	}

	/* A counter cannot both be enabled and removed by an exec. */
	if (attr->remove_on_exec && attr->enable_on_exec)
		return -EINVAL;

	/* Values of an inherited counter are meaningless without the id of their task. */
	if (attr->inherit && (attr->sample_type & PERF_SAMPLE_READ) &&
	    !(attr->sample_type & PERF_SAMPLE_TID))
		return -EINVAL;

	if (!attr->sample_max_stack)
		attr->sample_max_stack = PERF_COUNTER_MAX_STACK;
	if ((attr->sample_type & PERF_SAMPLE_CALLCHAIN) &&
	    attr->sample_max_stack > PERF_COUNTER_MAX_STACK)
		return -EOVERFLOW;
	return 0;
}

/**
 * perf_counter_copy_attr() - Copy an attr structure from a program
 * @uattr: structure of the program; its size field gives its length, bytes
 * @attr: filled in; fields beyond the program's length are zero
 *
 * Return: 0; -E2BIG, with the known size written back, for an impossible size and for an unknown
 * tail that is not zero; -EFAULT; or the result of perf_counter_check_attr().
 */
int perf_counter_copy_attr(struct perf_counter_attr __user *uattr, struct perf_counter_attr *attr)
{
	u32 size;
	int err;

	if (get_user(size, &uattr->size))
		return -EFAULT;
	if (!size)
		size = PERF_COUNTER_ATTR_SIZE_VER0;

	err = -E2BIG;
	if (size >= PERF_COUNTER_ATTR_SIZE_VER0 && size <= PAGE_SIZE)
		err = copy_struct_from_user(attr, sizeof(*attr), uattr, size);
	/* Ignore a failure to write the size back: the result is -E2BIG in either case. */
	if (err == -E2BIG)
		put_user((u32)sizeof(*attr), &uattr->size);
	if (err)
		return err;

	attr->size = size;
	return perf_counter_check_attr(attr);
}
