/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface of record/, which finds the counters that get a record, and writes the record.
 *
 * A sample is written when a counter has overflowed. Side-band records tell what tasks do, what
 * is mapped, and how the kernel's code changes. A record is one reservation in a ring, stores in
 * place, and one commit. record/ uses counter/ and ring/, and no other folder.
 */
#ifndef _PERF_COUNTER_RECORD_RECORD_H
#define _PERF_COUNTER_RECORD_RECORD_H

#include <linux/align.h>
#include <linux/perf_counter.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <uapi/linux/perf_counter.h>

#include "../ring/buffer.h"

struct perf_counter;
struct perf_counter_ctx;
struct perf_counter_desc;
struct perf_counter_plan;
struct pid_namespace;

/* Maximum size of raw data in bytes. */
#define PERF_COUNTER_RAW_MAX		SZ_32K

/**
 * struct perf_counter_sample_extra - data of a sample that few events have
 * @weight: cost of the event
 * @data_src: source of the data; PERF_MEM_*_NA for unknown
 * @transaction: bits of PERF_TXN_* for an aborted transaction; 0 for none
 * @raw: raw data in private kernel memory; NULL for none
 * @raw_size: size of @raw in bytes, 1 to PERF_COUNTER_RAW_MAX; 0 without raw data
 * @pmu_regs: registers of the PMU, the first one is PERF_COUNTER_FIRST_PMU_REG; only those that
 *	the attr asks for are set. Only events of PMUs with such registers have them.
 */
struct perf_counter_sample_extra {
	union perf_sample_weight	weight;
	union perf_mem_data_src		data_src;
	u64				transaction;
	const void			*raw;
	u32				raw_size;
#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
	const u64			*pmu_regs;
#endif
};

/**
 * struct perf_counter_sample - an event that is sampled
 * @regs: registers of the code that the event interrupted, or perf_counter_no_regs
 * @addr: data address of the event; 0 for none
 * @period: number of events since the previous sample
 * @ip: address of the event's code if the event interrupted no code and its registers
 *	are empty, or if it happened in a guest; otherwise 0
 * @frame: with @ip: __builtin_frame_address(0) of a running function, which code at @ip has called
 *	directly or indirectly. The walk of the kernel's stack begins with its caller; NULL: in
 *	record/
 * @guest: bits of PERF_GUEST_* for an event in a KVM guest; 0 for the host
 * @exact: address of the event's instruction if the registers belong to a later one;
 *	otherwise 0. Only set by PMUs that know it.
 * @hypervisor: flag: @exact is an address of the hypervisor. Only set by PMUs that know
 *	it.
 * @extra: further data; NULL for none
 */
struct perf_counter_sample {
	struct pt_regs	*regs;
	u64		addr;
	u64		period;
	unsigned long	ip;
	const void	*frame;
	unsigned int	guest;
#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
	u64		exact;
	bool		hypervisor;
#endif
	const struct perf_counter_sample_extra *extra;
};

#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
static inline u64 perf_counter_sample_exact(const struct perf_counter_sample *sample)
{
	return sample->exact;
}

static inline bool perf_counter_sample_hypervisor(const struct perf_counter_sample *sample)
{
	return sample->hypervisor;
}
#else
static inline u64 perf_counter_sample_exact(const struct perf_counter_sample *sample)
{
	return 0;
}

static inline bool perf_counter_sample_hypervisor(const struct perf_counter_sample *sample)
{
	return false;
}
#endif

/* Data source of an event whose data source is not known. */
#define PERF_COUNTER_DATA_SRC_NA {			\
	.mem_op		= PERF_MEM_OP_NA,		\
	.mem_lvl	= PERF_MEM_LVL_NA,		\
	.mem_snoop	= PERF_MEM_SNOOP_NA,		\
	.mem_lock	= PERF_MEM_LOCK_NA,		\
	.mem_dtlb	= PERF_MEM_TLB_NA,		\
	.mem_lvl_num	= PERF_MEM_LVLNUM_NA,		\
}

/*
 * A record being written: its counter, the task that the trailer names, its place in
 * the ring, and the address @at of the next field.
 */
struct perf_counter_record {
	struct perf_counter		*counter;
	struct task_struct		*task;
	struct perf_counter_buffer	*buffer;
	struct perf_counter_ring	*ring;
	u64				pos;
	u32				len;
	u64 __ring			*at;
};

/* Combine two 32-bit fields into one word. */
static inline u64 perf_counter_two_words(u32 first, u32 second)
{
	union {
		u32	word[2];
		u64	both;
	} u = { .word = { first, second } };

	return u.both;
}

/* Write the next fields of @record; @size must be a multiple of 8. */
static inline void perf_counter_put(struct perf_counter_record *record, const void *fields,
				    u32 size)
{
	record->at = ring_put_bytes(record->at, fields, size);
}

/* Write the next word of @record. */
static inline void perf_counter_put_word(struct perf_counter_record *record, u64 word)
{
	record->at = ring_put(record->at, word);
}

/* Size of a name in a record in bytes, padded with at least one zero. */
static inline u32 perf_counter_name_size(const char *name)
{
	return ALIGN(strlen(name) + 1, sizeof(u64));
}

/* Test whether a counter with @attr gets FORK and EXIT records. */
static inline bool perf_counter_wants_task(const struct perf_counter_attr *attr)
{
	return attr->mmap || attr->mmap2 || attr->mmap_data || attr->comm || attr->task;
}

/* Test whether a counter with @attr gets side-band records of tasks. */
static inline bool perf_counter_wants_sideband(const struct perf_counter_attr *attr)
{
	return perf_counter_wants_task(attr) || attr->munmap || attr->context_switch ||
	       attr->namespaces;
}

/*
 * Test whether a descriptor with @attr gets records of the kernel's code and of control
 * groups.
 */
static inline bool perf_counter_wants_machine(const struct perf_counter_attr *attr)
{
	return attr->ksymbol || attr->bpf_event || attr->text_poke || attr->cgroup;
}

/* output.c */
void perf_counter_plan_records(struct perf_counter_plan *plan,
			       const struct perf_counter_attr *attr);
bool perf_counter_output_begin(struct perf_counter_record *record, struct perf_counter *counter,
			       u32 type, u16 misc, size_t len);
void perf_counter_output_end(struct perf_counter_record *record);
void perf_counter_output_throttle(struct perf_counter *counter, bool throttled);
void perf_counter_output_drop(struct perf_counter *counter);
void perf_counter_output_read(struct perf_counter *counter, struct task_struct *task);
u32 perf_counter_tgid_in(struct task_struct *task, struct pid_namespace *ns);
u32 perf_counter_pid_in(struct task_struct *task, struct pid_namespace *ns);
u64 perf_counter_ids(struct perf_counter_desc *desc, struct task_struct *task);

/* sample.c */
int perf_counter_check_sample(struct perf_counter_attr *attr);
int perf_counter_sample_prepare(const struct perf_counter_desc *desc);
void perf_counter_output_sample(struct perf_counter *counter,
				const struct perf_counter_sample *sample);

/* branch_records.c */
int perf_counter_branches_init(struct perf_counter_desc *desc);

/* sideband.c */
typedef void (*perf_counter_sideband_fn)(struct perf_counter *counter, void *data);
void perf_counter_sideband_open(struct perf_counter_desc *desc);
void perf_counter_sideband_close(struct perf_counter_desc *desc);
void perf_counter_sideband_machine(perf_counter_sideband_fn fn, void *data);
void perf_counter_sideband_cpu(perf_counter_sideband_fn fn, void *data);
void perf_counter_sideband_current(perf_counter_sideband_fn fn, void *data);
bool perf_counter_sideband_active(void);
void perf_counter_sideband_each(struct perf_counter_ctx *ctx, perf_counter_sideband_fn fn,
				void *data);

/* task_records.c */
void perf_counter_record_fork(struct task_struct *child);
void perf_counter_record_exit(struct perf_counter_ctx *ctx);
void perf_counter_record_switch(struct task_struct *other, bool out);

/* mapping.c */
void perf_counter_record_module(const char *name, unsigned long addr, size_t len, bool gone);

#endif /* _PERF_COUNTER_RECORD_RECORD_H */
