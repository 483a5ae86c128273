/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contents of a descriptor's records. They follow from the attr, and are decided once, before
 * the permission is checked.
 */
#ifndef _PERF_COUNTER_COUNTER_PLAN_H
#define _PERF_COUNTER_COUNTER_PLAN_H

#include <linux/perf_event.h>
#include <linux/types.h>

/*
 * Parts of the table of fields in record/sample.c that a sample needs. Code that writes samples
 * exists for each of them.
 */
enum perf_counter_sample_parts {
	SAMPLE_OF_WORDS,	/* fields of eight bytes that many samples have */
	SAMPLE_WITH_RAW,	/* such fields and raw data, as samples of tracepoints have */
	SAMPLE_WITH_SIZED,	/* such fields, values and call chains */
	SAMPLE_WITH_ALL,
} __packed;

/**
 * struct perf_counter_plan - contents of a descriptor's records
 * @sample_header: header of a SAMPLE record in kernel mode; its size covers the header and the
 *	fields of constant size. All zeros: no samples
 * @wakeup_events: number of samples per notification; 0: the watermark in bytes decides
 * @id_size: bytes of the trailer that sample_id_all asks for; 0: no trailer
 * @read_size: bytes that read() returns for a single counter
 * @sample_parts: parts of the table of fields that a sample needs
 * @sideband: the counters want side-band records of tasks
 * @machine: the descriptor wants records of the kernel's code and of control groups
 * @reveals_kernel: the records reveal facts about the kernel, also if the event excludes it
 * @reveals_memory: samples contain memory of the task at addresses that programs choose
 * @reveals_regs: samples contain registers of interrupted code
 */
struct perf_counter_plan {
	struct perf_event_header	sample_header;
	u32				wakeup_events;
	u16				id_size;
	u16				read_size;
	enum perf_counter_sample_parts	sample_parts;
	bool				sideband : 1;
	bool				machine : 1;
	bool				reveals_kernel : 1;
	bool				reveals_memory : 1;
	bool				reveals_regs : 1;
};

#endif /* _PERF_COUNTER_COUNTER_PLAN_H */
