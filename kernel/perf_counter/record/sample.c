// SPDX-License-Identifier: GPL-2.0
/*
 * Samples of perf_counter: the contents of a SAMPLE record.
 *
 * A table lists the fields in the order that they have in a record. Its rows are
 *
 *	WORD(bit, name)		a field of eight bytes, the result of sample_name()
 *	SIZED(bit, name)	a field of sample_name_size() bytes, written by
 *				sample_put_name()
 *
 * where PERF_SAMPLE_bit of attr.sample_type asks for the field. The set of valid sample
 * types, the size that is known when a counter is opened, and the code that writes a
 * record are generated from the table: to add a field, add a row and the functions that
 * it names. The table is a macro, and its parameter is the prefix of the two macros
 * that its rows expand to.
 *
 * The table has four parts. Most samples only have fields of the first part; a single
 * test skips each of the other parts if a sample has no such field.
 */

#include <linux/bitops.h>
#include <linux/cgroup.h>
#include <linux/perf_event.h>
#include <linux/perf_regs.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>

#include "internal.h"

/**
 * struct sample_record - a SAMPLE record that is being written
 * @counter: counter that has overflowed
 * @desc: descriptor of @counter
 * @sample: the event
 * @members: number of group members for which there is room, without the leader
 * @chain: call chain
 * @user_regs: registers of user mode
 * @intr_regs: registers of the interrupted code
 * @stack_size: number of bytes of the user's stack
 * @branches: branch records
 */
struct sample_record {
	struct perf_counter			*counter;
	struct perf_counter_desc		*desc;
	const struct perf_counter_sample	*sample;
	unsigned int				members;
	struct perf_counter_callchain		*chain;
	struct perf_regs			user_regs;
	struct perf_regs			intr_regs;
	u32					stack_size;
	struct perf_counter_branches		*branches;
};

#define FIRST_FIELDS(DO)					\
do {								\
	DO##_WORD(IDENTIFIER, id);				\
	DO##_WORD(IP, ip);					\
	DO##_WORD(TID, ids);					\
	DO##_WORD(TIME, time);					\
} while (0)

#define NEXT_FIELDS(DO)						\
do {								\
	DO##_WORD(ADDR, addr);					\
	DO##_WORD(ID, id);					\
	DO##_WORD(STREAM_ID, stream_id);			\
	DO##_WORD(CPU, cpu);					\
	DO##_WORD(PERIOD, period);				\
} while (0)

#define SIZED_FIELDS(DO)					\
do {								\
	DO##_SIZED(READ, values);				\
	DO##_SIZED(CALLCHAIN, callchain);			\
} while (0)

#define RARE_FIELDS(DO)						\
do {								\
	DO##_SIZED(RAW, raw);					\
	DO##_SIZED(BRANCH_STACK, branches);			\
	DO##_SIZED(REGS_USER, user_regs);			\
	DO##_SIZED(STACK_USER, stack);				\
	DO##_WORD(WEIGHT, weight);				\
	DO##_WORD(WEIGHT_STRUCT, weight);			\
	DO##_WORD(DATA_SRC, data_src);				\
	DO##_WORD(TRANSACTION, transaction);			\
	DO##_SIZED(REGS_INTR, intr_regs);			\
	DO##_WORD(PHYS_ADDR, phys_addr);			\
	DO##_WORD(CGROUP, cgroup);				\
	DO##_WORD(DATA_PAGE_SIZE, data_page_size);		\
	DO##_WORD(CODE_PAGE_SIZE, code_page_size);		\
} while (0)

/* === The fields === */

static __always_inline u64 sample_id(const struct sample_record *s)
{
	return s->desc->id;
}

static __always_inline u64 sample_ip(const struct sample_record *s)
{
	return s->sample->ip ?: perf_counter_sample_exact(s->sample) ?:
	       instruction_pointer(s->sample->regs);
}

static __always_inline u64 sample_ids(const struct sample_record *s)
{
	if (likely(s->desc->records.ns == &init_pid_ns))
		return perf_counter_two_words(current->tgid, current->pid);
	return perf_counter_ids(s->desc, current);
}

static __always_inline u64 sample_time(const struct sample_record *s)
{
	return s->desc->records.clock();
}

static __always_inline u64 sample_addr(const struct sample_record *s)
{
	return s->sample->addr;
}

static __always_inline u64 sample_stream_id(const struct sample_record *s)
{
	return s->counter->stream_id;
}

static __always_inline u64 sample_cpu(const struct sample_record *s)
{
	return perf_counter_two_words(smp_processor_id(), 0);
}

static __always_inline u64 sample_period(const struct sample_record *s)
{
	return s->sample->period;
}

static u32 sample_values_size(struct sample_record *s)
{
	s->members = READ_ONCE(READ_ONCE(s->counter->group.leader)->group.nr_members);
	return perf_counter_read_size(s->desc, s->members);
}

static u64 __ring *sample_put_values(u64 __ring *at, const struct sample_record *s)
{
	/* The registers of PMU counters can only be read on this CPU with IRQs off. */
	guard(irqsave)();
	return perf_counter_put_values(at, s->counter, perf_counter_event_time(s->counter),
				       s->members);
}

static u32 sample_callchain_size(const struct sample_record *s)
{
	return sizeof(u64) * (1 + s->chain->nr);
}

static u64 __ring *sample_put_callchain(u64 __ring *at, const struct sample_record *s)
{
	at = ring_put(at, s->chain->nr);
	return ring_put_bytes(at, s->chain->ips, sizeof(u64) * s->chain->nr);
}

static const struct perf_counter_sample_extra *sample_extra(const struct sample_record *s)
{
	static const struct perf_counter_sample_extra unknown = {
		.data_src = PERF_COUNTER_DATA_SRC_NA,
	};

	return s->sample->extra ?: &unknown;
}

/* Raw data consists of its size in 32 bits, the data, and zeros up to a multiple of 8 bytes. */
static u32 sample_raw_size(const struct sample_record *s)
{
	return ALIGN(sizeof(u32) + sample_extra(s)->raw_size, sizeof(u64));
}

static u64 __ring *sample_put_raw(u64 __ring *at, const struct sample_record *s)
{
	u32 size = sample_raw_size(s), data_size = size - sizeof(u32);
	u64 __ring *end = at + size / sizeof(u64);

	ring_put(end - 1, 0);
	ring_copy(at, &data_size, sizeof(data_size));
	if (likely(sample_extra(s)->raw_size))
		ring_copy((void __ring *)at + sizeof(data_size), sample_extra(s)->raw,
			  sample_extra(s)->raw_size);
	return end;
}

static bool sample_has_branch_index(const struct sample_record *s)
{
	return s->desc->attr.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX;
}

static u32 sample_branches_size(const struct sample_record *s)
{
	return sizeof(u64) * (1 + sample_has_branch_index(s)) +
	       sizeof(struct perf_branch_entry) * s->branches->nr;
}

static u64 __ring *sample_put_branches(u64 __ring *at, const struct sample_record *s)
{
	size_t size = sizeof(struct perf_branch_entry) * s->branches->nr;

	at = ring_put(at, s->branches->nr);
	if (sample_has_branch_index(s))
		at = ring_put(at, s->branches->index);
	return ring_put_bytes(at, s->branches->entries, size);
}

#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
static bool sample_has_pmu_regs(const struct perf_counter_desc *desc)
{
	return desc->pmu->has_regs;
}

static u64 __ring *sample_put_regs(u64 __ring *at, const struct sample_record *s,
				   const struct perf_regs *from, u64 mask)
{
	u64 of_pmu = s->desc->pmu->has_regs && from->abi ? mask & PERF_COUNTER_PMU_REGS : 0;

	at = perf_counter_put_regs(at, from, mask & ~of_pmu);
	for (; of_pmu; of_pmu &= of_pmu - 1)
		at = ring_put(at, s->sample->extra->pmu_regs[__ffs64(of_pmu) -
							     PERF_COUNTER_FIRST_PMU_REG]);
	return at;
}
#else
static bool sample_has_pmu_regs(const struct perf_counter_desc *desc)
{
	return false;
}

static u64 __ring *sample_put_regs(u64 __ring *at, const struct sample_record *s,
				   const struct perf_regs *from, u64 mask)
{
	return perf_counter_put_regs(at, from, mask);
}
#endif

static u32 sample_user_regs_size(const struct sample_record *s)
{
	return perf_counter_regs_size(&s->user_regs, s->desc->attr.sample_regs_user);
}

static u64 __ring *sample_put_user_regs(u64 __ring *at, const struct sample_record *s)
{
	return sample_put_regs(at, s, &s->user_regs, s->desc->attr.sample_regs_user);
}

static u32 sample_intr_regs_size(struct sample_record *s)
{
	/*
	 * There are no registers for an event that interrupted no code, nor for an event that did
	 * not happen where its interrupt did.
	 */
	if (!s->sample->ip && s->sample->regs != &perf_counter_no_regs)
		s->intr_regs = (struct perf_regs) { perf_reg_abi(current), s->sample->regs };
	return perf_counter_regs_size(&s->intr_regs, s->desc->attr.sample_regs_intr);
}

static u64 __ring *sample_put_intr_regs(u64 __ring *at, const struct sample_record *s)
{
	return sample_put_regs(at, s, &s->intr_regs, s->desc->attr.sample_regs_intr);
}

/* Return the size of the word with the stack's size; sample_variable_size() adds the stack last. */
static u32 sample_stack_size(const struct sample_record *s)
{
	return sizeof(u64);
}

static u64 __ring *sample_put_stack(u64 __ring *at, const struct sample_record *s)
{
	return perf_counter_put_stack(at, &s->user_regs, s->stack_size);
}

static u64 sample_weight(const struct sample_record *s)
{
	return sample_extra(s)->weight.full;
}

static u64 sample_data_src(const struct sample_record *s)
{
	return sample_extra(s)->data_src.val;
}

static u64 sample_transaction(const struct sample_record *s)
{
	return sample_extra(s)->transaction;
}

static u64 sample_phys_addr(const struct sample_record *s)
{
	return perf_counter_phys_addr(sample_addr(s));
}

/* Return the id of the task's control group in the default hierarchy; 0 without control groups. */
static u64 sample_cgroup(const struct sample_record *s)
{
#ifdef CONFIG_CGROUPS
	guard(rcu)();
	return cgroup_id(task_dfl_cgroup(current));
#else
	return 0;
#endif
}

static u64 sample_data_page_size(const struct sample_record *s)
{
	return perf_counter_page_size(sample_addr(s));
}

static u64 sample_code_page_size(const struct sample_record *s)
{
	return s->sample->guest ? 0 : perf_counter_page_size(sample_ip(s));
}

/* === Code generated from the table === */

/*
 * Check that all fields except the user's stack fit into a record, with raw data of any size. The
 * stack gets the remaining room.
 */
static_assert(sizeof(struct perf_event_header) + BITS_PER_TYPE(u64) * sizeof(u64) +
	      PERF_COUNTER_READ_SIZE_MAX + sizeof(struct perf_counter_callchain) +
	      sizeof(struct perf_counter_branches) +
	      2 * BITS_PER_TYPE(u64) * sizeof(u64) +
	      ALIGN(sizeof(u32) + PERF_COUNTER_RAW_MAX, sizeof(u64)) <= PERF_COUNTER_RECORD_MAX);

/* Each row of the table adds its sample type to @bits; with WORDS, only rows of eight bytes do. */
#define TYPES_WORD(bit, ...)	(bits |= PERF_SAMPLE_##bit)
#define TYPES_SIZED(bit, ...)	(bits |= PERF_SAMPLE_##bit)
#define WORDS_WORD(bit, ...)	(bits |= PERF_SAMPLE_##bit)
#define WORDS_SIZED(...)	((void)0)

/* Return the sample types of all fields of eight bytes. The result is a constant. */
static __always_inline u64 sample_word_types(void)
{
	u64 bits;

	bits = 0;
	FIRST_FIELDS(WORDS);
	NEXT_FIELDS(WORDS);
	SIZED_FIELDS(WORDS);
	RARE_FIELDS(WORDS);
	return bits;
}

static __always_inline u64 sample_next_types(void)
{
	u64 bits;

	bits = 0;
	NEXT_FIELDS(TYPES);
	return bits;
}

static __always_inline u64 sample_sized_types(void)
{
	u64 bits;

	bits = 0;
	SIZED_FIELDS(TYPES);
	return bits;
}

static __always_inline u64 sample_rare_types(void)
{
	u64 bits;

	bits = 0;
	RARE_FIELDS(TYPES);
	return bits;
}

/* Sample types that depend on other fields of the attr. */
#define CHECKED_TYPES	(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR |	\
			 PERF_SAMPLE_STACK_USER | PERF_SAMPLE_BRANCH_STACK)

/**
 * perf_counter_check_sample() - Check the sample type of an attr
 * @attr: attr of a program; branch_sample_type gets its default privilege levels
 *
 * Return: 0; -EINVAL for an unknown sample type or a contradiction; -EOPNOTSUPP for a
 * sample type that this architecture does not support.
 */
int perf_counter_check_sample(struct perf_counter_attr *attr)
{
	u64 types = attr->sample_type;
	int err = 0;

	if (types & ~(sample_word_types() | sample_sized_types() | sample_rare_types()))
		return -EINVAL;
	if ((types & PERF_SAMPLE_WEIGHT_TYPE) == PERF_SAMPLE_WEIGHT_TYPE)
		return -EINVAL;
	if (likely(!(types & CHECKED_TYPES)))
		return 0;
	if (types & PERF_SAMPLE_REGS_USER)
		err = perf_counter_check_regs(attr->sample_regs_user);
	if (!err && (types & PERF_SAMPLE_REGS_INTR))
		err = perf_counter_check_regs(attr->sample_regs_intr);
	if (!err && (types & PERF_SAMPLE_STACK_USER))
		err = perf_counter_check_stack(attr->sample_stack_user);
	if (!err && (types & PERF_SAMPLE_BRANCH_STACK))
		err = perf_counter_check_branches(attr);
	return err;
}

/* Registers of the PMU may contain kernel addresses and counts of other programs. */
static bool asks_for_pmu_regs(const struct perf_counter_attr *attr)
{
	return IS_ENABLED(CONFIG_HAVE_PERF_COUNTER_SETS) &&
	       (attr->sample_regs_user | attr->sample_regs_intr) & PERF_REG_EXTENDED_MASK;
}

/*
 * Test whether samples with @attr reveal facts about the kernel even if the event excludes it. Call
 * chains and registers then have no kernel part, but the attr may ask for branches in the kernel.
 * Physical addresses reveal facts about the kernel's memory.
 */
static bool sample_reveals_kernel(const struct perf_counter_attr *attr)
{
	if (attr->sample_type & PERF_SAMPLE_PHYS_ADDR || asks_for_pmu_regs(attr))
		return true;
	return (attr->sample_type & PERF_SAMPLE_BRANCH_STACK) &&
	       (attr->branch_sample_type & (PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV));
}

static enum perf_counter_sample_parts sample_parts(u64 types)
{
	types &= sample_sized_types() | sample_rare_types();
	if (likely(!types))
		return SAMPLE_OF_WORDS;
	if (types == PERF_SAMPLE_RAW)
		return SAMPLE_WITH_RAW;
	return types & sample_rare_types() ? SAMPLE_WITH_ALL : SAMPLE_WITH_SIZED;
}

/* Decide what the samples of a descriptor with @attr contain. */
static void plan_sample(struct perf_counter_plan *plan, const struct perf_counter_attr *attr)
{
	u64 types = attr->sample_type;

	plan->reveals_kernel = sample_reveals_kernel(attr);
	/* config1 of a tracepoint of a system call: copy the memory that its arguments point to. */
	plan->reveals_memory = attr->type == PERF_TYPE_TRACEPOINT && attr->config1;
	plan->reveals_regs = types & PERF_SAMPLE_REGS_INTR;
	/* A counter without a period writes no samples. */
	if (!attr->sample_period)
		return;
	plan->sample_parts = sample_parts(types);
	plan->sample_header = (struct perf_event_header) {
		.type = PERF_RECORD_SAMPLE,
		.misc = PERF_RECORD_MISC_KERNEL,
		.size = sizeof(plan->sample_header) +
			sizeof(u64) * hweight64(types & sample_word_types()),
	};
}

/* Sample types in the trailer that sample_id_all adds, eight bytes each. */
#define WORDS_IN_TRAILER							\
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |			\
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/**
 * perf_counter_plan_records() - Decide what the records of a descriptor contain
 * @plan: filled in
 * @attr: checked attr
 */
void perf_counter_plan_records(struct perf_counter_plan *plan, const struct perf_counter_attr *attr)
{
	*plan = (struct perf_counter_plan) {
		.id_size	= attr->sample_id_all ?
				  sizeof(u64) * hweight64(attr->sample_type & WORDS_IN_TRAILER) : 0,
		.read_size	= perf_counter_values_size(attr->read_format, 0),
		.wakeup_events	= attr->watermark ? 0 : attr->wakeup_events,
		.sideband	= perf_counter_wants_sideband(attr),
		.machine	= perf_counter_wants_machine(attr),
	};
	plan_sample(plan, attr);
	/* Records of the machine reveal facts about the kernel and about all users. */
	plan->reveals_kernel |= plan->machine;
}

/**
 * perf_counter_sample_prepare() - Allocate what the samples of a descriptor need
 * @desc: descriptor with its PMU
 *
 * Context: may sleep.
 * Return: 0; -EOPNOTSUPP for registers that the descriptor's PMU does not have; -ENOMEM.
 */
int perf_counter_sample_prepare(const struct perf_counter_desc *desc)
{
	u64 regs = desc->attr.sample_regs_user | desc->attr.sample_regs_intr;

	if ((regs & PERF_REG_EXTENDED_MASK) && !sample_has_pmu_regs(desc))
		return -EOPNOTSUPP;
	if (desc->attr.sample_period && desc->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
		return perf_counter_callchain_prepare();
	return 0;
}

#define PUT_WORD(bit, name)					\
do {								\
	if (types & PERF_SAMPLE_##bit)				\
		at = ring_put(at, sample_##name(s));		\
} while (0)

#define PUT_SIZED(bit, name)					\
do {								\
	if (types & PERF_SAMPLE_##bit)				\
		at = sample_put_##name(at, s);			\
} while (0)

#define SIZE_WORD(...)		((void)0)
#define SIZE_SIZED(bit, name)					\
do {								\
	if (types & PERF_SAMPLE_##bit)				\
		len += sample_##name##_size(s);			\
} while (0)

static __always_inline u64 __ring *sample_put_fields(u64 __ring *at, const struct sample_record *s,
						     u64 types)
{
	FIRST_FIELDS(PUT);
	if (types & sample_next_types())
		NEXT_FIELDS(PUT);
	SIZED_FIELDS(PUT);
	RARE_FIELDS(PUT);
	return at;
}

/* Return the size in bytes of those fields whose size was not known when the counter was opened. */
static __always_inline u32 sample_variable_size(struct sample_record *s, u64 types)
{
	u32 len = 0;

	/* The user registers and stack of a guest are not accessible. */
	if ((types & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)) && !s->sample->guest)
		perf_counter_user_regs(&s->user_regs, s->sample->regs);
	SIZED_FIELDS(SIZE);
	RARE_FIELDS(SIZE);
	if (types & PERF_SAMPLE_STACK_USER) {
		u32 others = s->desc->records.plan.sample_header.size + len;
		u32 room = others < PERF_COUNTER_RECORD_MAX ? PERF_COUNTER_RECORD_MAX - others : 0;

		s->stack_size = perf_counter_stack_size(&s->user_regs,
							s->desc->attr.sample_stack_user, room);
		/* After the stack, a word says how many of its bytes could be read. */
		if (s->stack_size)
			len += s->stack_size + sizeof(u64);
	}
	return len;
}

/* === Writing === */

/*
 * Return the header of a record as one word: the descriptor's header plus @more bytes. The mode is
 * that of the registers, unless the sample is from a guest or a hypervisor.
 */
static __always_inline u64 sample_header_word(const struct perf_counter_desc *desc,
					      const struct perf_counter_sample *sample, u32 more)
{
	unsigned int guest = sample->guest;
	u64 word;

	static_assert(sizeof(word) == sizeof(desc->records.plan.sample_header));
	static_assert(PERF_RECORD_MISC_USER > PERF_RECORD_MISC_KERNEL);
	memcpy(&word, &desc->records.plan.sample_header, sizeof(word));
	if (unlikely(guest))
		word += perf_counter_record_header(0, (guest & PERF_GUEST_USER ?
						       PERF_RECORD_MISC_GUEST_USER :
						       PERF_RECORD_MISC_GUEST_KERNEL) -
						      PERF_RECORD_MISC_KERNEL, 0);
	else if (unlikely(perf_counter_sample_hypervisor(sample)))
		word += perf_counter_record_header(0, PERF_RECORD_MISC_HYPERVISOR -
						      PERF_RECORD_MISC_KERNEL, 0);
	else if (user_mode(sample->regs))
		word += perf_counter_record_header(0, PERF_RECORD_MISC_USER -
						      PERF_RECORD_MISC_KERNEL, 0);
	return word + perf_counter_record_header(0, 0, more);
}

/* Count a committed sample that ends at @end for the descriptor's wakeup_events. */
static noinline void sample_count(struct perf_counter_buffer *buffer,
				  struct perf_counter_ring *ring, u64 end, u32 wakeup_events)
{
	if (perf_counter_ring_sample(ring, end, wakeup_events))
		irq_work_queue(&buffer->notify);
}

/* Write a sample that only has fields of the constant mask @fields. */
static __always_inline void sample_output(struct perf_counter *counter,
					  struct perf_counter_buffer *buffer,
					  const struct perf_counter_sample *sample,
					  const u64 fields)
{
	struct perf_counter_ring *ring = perf_counter_buffer_ring(buffer);
	struct perf_counter_desc *desc = counter->desc;
	u64 types = desc->attr.sample_type & fields;
	struct sample_record s = {
		.counter = counter, .desc = desc, .sample = sample,
	};
	u32 more, len;
	u64 __ring *at;
	u64 pos;

	if (types & PERF_SAMPLE_CALLCHAIN) {
		s.chain = perf_counter_callchain_get(desc, sample);
		/* The event was raised while a chain was being collected in this context. */
		if (unlikely(!s.chain)) {
			atomic64_inc(&desc->missed);
			return;
		}
	}
	if (types & PERF_SAMPLE_BRANCH_STACK) {
		s.branches = perf_counter_branches_get(desc);
		if (unlikely(!s.branches)) {
			atomic64_inc(&desc->missed);
			at = NULL;
			goto put_chain;
		}
	}
	more = sample_variable_size(&s, types);
	len = desc->records.plan.sample_header.size + more;
	at = perf_counter_record_reserve(desc, buffer, ring, len, &pos);
	if (likely(at)) {
		at = ring_put(at, sample_header_word(desc, sample, more));
		at = sample_put_fields(at, &s, types);
	}
	if (types & PERF_SAMPLE_BRANCH_STACK)
		perf_counter_branches_put(s.branches);
put_chain:
	if (types & PERF_SAMPLE_CALLCHAIN)
		perf_counter_callchain_put(s.chain);
	if (unlikely(!at))
		return;
	perf_counter_record_commit(buffer, ring, pos, len);
	if (desc->records.plan.wakeup_events)
		sample_count(buffer, ring, pos + len, desc->records.plan.wakeup_events);
}

/* Most samples of tracepoints have raw data, but no other field of variable size. */
static noinline void sample_output_raw(struct perf_counter *counter,
				       struct perf_counter_buffer *buffer,
				       const struct perf_counter_sample *sample)
{
	sample_output(counter, buffer, sample,
		      ~(sample_sized_types() | sample_rare_types()) | PERF_SAMPLE_RAW);
}

static noinline void sample_output_sized(struct perf_counter *counter,
					 struct perf_counter_buffer *buffer,
					 const struct perf_counter_sample *sample)
{
	sample_output(counter, buffer, sample, ~sample_rare_types());
}

static noinline void sample_output_rare(struct perf_counter *counter,
					struct perf_counter_buffer *buffer,
					const struct perf_counter_sample *sample)
{
	sample_output(counter, buffer, sample, ~0ULL);
}

/**
 * perf_counter_output_sample() - Write a SAMPLE record
 * @counter: counter that has overflowed
 * @sample: the event
 *
 * Context: any, NMI included; preemption disabled.
 */
void perf_counter_output_sample(struct perf_counter *counter,
				const struct perf_counter_sample *sample)
{
	struct perf_counter_buffer *buffer = perf_counter_desc_buffer(counter->desc);

	if (!buffer)
		return;
	switch (counter->desc->records.plan.sample_parts) {
	case SAMPLE_OF_WORDS:
		sample_output(counter, buffer, sample,
			      ~(sample_sized_types() | sample_rare_types()));
		break;
	case SAMPLE_WITH_RAW:
		sample_output_raw(counter, buffer, sample);
		break;
	case SAMPLE_WITH_SIZED:
		sample_output_sized(counter, buffer, sample);
		break;
	case SAMPLE_WITH_ALL:
		sample_output_rare(counter, buffer, sample);
		break;
	}
}
