/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Performance counters as file descriptors: what programs see.
 *
 * The vocabulary is that of <linux/perf_event.h>: event types and numbers,
 * sample and read formats, record layouts, ioctls and the control page are
 * used as that header defines them. This one adds the attr structure with
 * the room for additions of our own, the system call's number and flags, and
 * the names that the subsystem's first documents used.
 */
#ifndef _UAPI_LINUX_PERF_COUNTER_H
#define _UAPI_LINUX_PERF_COUNTER_H

#include <linux/types.h>
#include <linux/ioctl.h>
#include <linux/perf_event.h>

/*
 * The same number on every architecture, out of reach of the tables, and of rr, the
 * debugger, which makes calls from 1000 on that the kernel must not know.
 */
#ifndef __NR_perf_counter_open
#define __NR_perf_counter_open		900
#endif

/* attr.size of the published versions of struct perf_counter_attr. */
#define PERF_COUNTER_ATTR_SIZE_VER0	64	/* the smallest that is accepted */
#define PERF_COUNTER_ATTR_SIZE_VER8	136	/* struct perf_counter_attr below */

/**
 * struct perf_counter_attr - what to count, and what to record about it
 * @type: kind of event, PERF_TYPE_*
 * @size: bytes of this structure that the caller fills; 0 means VER0
 * @config: which event, as @type defines it
 * @sample_period: events per sample; 0 for a counter that does not sample
 * @sample_freq: samples per second, when @freq is set
 * @sample_type: what a sample contains, PERF_SAMPLE_*
 * @read_format: what read() returns, PERF_FORMAT_*
 * @disabled: created switched off
 * @inherit: tasks that the counted task creates are counted too
 * @pinned: must be on the PMU whenever its context is
 * @exclusive: no other group may share the PMU with this one
 * @exclude_user: do not count in user mode
 * @exclude_kernel: do not count in kernel mode
 * @exclude_hv: do not count in the hypervisor
 * @exclude_idle: do not count when the idle task runs
 * @mmap: record executable mappings
 * @comm: record changes of a task's name
 * @freq: @sample_freq is used, not @sample_period
 * @inherit_stat: record the counts of an inherited counter as its task ends
 * @enable_on_exec: switch on at the next exec
 * @task: record forks and exits
 * @watermark: wake up by bytes (@wakeup_watermark), not by samples
 * @precise_ip: skid constraint, 0 to 3
 * @mmap_data: record mappings that are not executable
 * @sample_id_all: every record ends with the fields that identify it
 * @exclude_host: do not count outside guests
 * @exclude_guest: do not count inside guests
 * @exclude_callchain_kernel: no kernel part in call chains
 * @exclude_callchain_user: no user part in call chains
 * @mmap2: record mappings as MMAP2, with inode and protection
 * @comm_exec: mark the change of name that an exec makes
 * @use_clockid: times are those of @clockid
 * @context_switch: record when a task starts and stops running: SWITCH for a
 *	task's counter, SWITCH_CPU_WIDE for a CPU's
 * @write_backward: records go from the end of the data downward, the newest
 *	at data_head
 * @namespaces: record a task's namespaces when it is created and when they change
 * @ksymbol: record functions that the kernel makes while it runs, and with
 *	@mmap or @mmap2 its modules
 * @bpf_event: record BPF programs that are loaded and unloaded
 * @aux_output: refused in this version
 * @cgroup: record control groups that are created
 * @text_poke: record changes of the kernel's code
 * @build_id: MMAP2 has the file's build-id instead of its inode
 * @inherit_thread: refused in this version
 * @remove_on_exec: the counter is taken from a task that executes another
 *	program; not together with @enable_on_exec
 * @sigtrap: refused in this version
 * @__reserved_1: zero
 * @munmap: record executable mappings that go, and with @mmap_data the others, too
 * @subrings: a mapping has one ring for each CPU, or for a few CPUs, as
 *	struct perf_counter_subring tells
 * @wakeup_events: wake up every so many samples
 * @wakeup_watermark: wake up every so many bytes, when @watermark is set
 * @bp_type: of a breakpoint; zero
 * @bp_addr: of a breakpoint; zero
 * @config1: more of @config, as @type defines it
 * @bp_len: of a breakpoint; zero
 * @config2: more of @config, as @type defines it
 * @branch_sample_type: with PERF_SAMPLE_BRANCH_STACK: which branches, PERF_SAMPLE_BRANCH_*
 * @sample_regs_user: with PERF_SAMPLE_REGS_USER: which registers, a bit for each, as
 *	<asm/perf_regs.h> numbers them
 * @sample_stack_user: with PERF_SAMPLE_STACK_USER: bytes of the stack, a multiple of 8
 *	below 65535
 * @clockid: clock of the time fields, when @use_clockid is set
 * @sample_regs_intr: with PERF_SAMPLE_REGS_INTR: which registers
 * @aux_watermark: of a sample type that this version refuses; zero
 * @sample_max_stack: frames in a call chain at most; 0 for as many as there can be
 * @__reserved_2: zero
 * @aux_sample_size: of a sample type that this version refuses; zero
 * @__reserved_3: zero
 * @sig_data: of a bit that this version refuses; zero
 * @config3: more of @config, as @type defines it
 *
 * Offsets, sizes and bit positions are those of struct perf_event_attr. Bits of our own are
 * taken from the top of the reserved ones downward. A bit, value or reserved
 * field that the kernel does not know is refused with EINVAL, a larger
 * structure whose tail is not zero with E2BIG and the known size in @size.
 */
struct perf_counter_attr {
	__u32	type;
	__u32	size;
	__u64	config;

	union {
		__u64	sample_period;
		__u64	sample_freq;
	};

	__u64	sample_type;
	__u64	read_format;

	__u64	disabled		:  1,
		inherit			:  1,
		pinned			:  1,
		exclusive		:  1,
		exclude_user		:  1,
		exclude_kernel		:  1,
		exclude_hv		:  1,
		exclude_idle		:  1,
		mmap			:  1,
		comm			:  1,
		freq			:  1,
		inherit_stat		:  1,
		enable_on_exec		:  1,
		task			:  1,
		watermark		:  1,
		precise_ip		:  2,
		mmap_data		:  1,
		sample_id_all		:  1,
		exclude_host		:  1,
		exclude_guest		:  1,
		exclude_callchain_kernel :  1,
		exclude_callchain_user	:  1,
		mmap2			:  1,
		comm_exec		:  1,
		use_clockid		:  1,
		context_switch		:  1,
		write_backward		:  1,
		namespaces		:  1,
		ksymbol			:  1,
		bpf_event		:  1,
		aux_output		:  1,
		cgroup			:  1,
		text_poke		:  1,
		build_id		:  1,
		inherit_thread		:  1,
		remove_on_exec		:  1,
		sigtrap			:  1,
		__reserved_1		: 24,
		subrings		:  1,
		munmap			:  1;

	union {
		__u32	wakeup_events;
		__u32	wakeup_watermark;
	};

	__u32	bp_type;
	union {
		__u64	bp_addr;
		__u64	config1;
	};
	union {
		__u64	bp_len;
		__u64	config2;
	};
	__u64	branch_sample_type;
	__u64	sample_regs_user;
	__u32	sample_stack_user;
	__s32	clockid;
	__u64	sample_regs_intr;
	__u32	aux_watermark;
	__u16	sample_max_stack;
	__u16	__reserved_2;
	__u32	aux_sample_size;
	__u32	__reserved_3;
	__u64	sig_data;
	__u64	config3;
};

/* The control page at the start of a buffer's mapping. */
#define perf_counter_mmap_page		perf_event_mmap_page

/*
 * Beyond that structure the control page has struct perf_counter_mmap_more,
 * and an array of struct perf_counter_subring.
 */
#define PERF_COUNTER_MMAP_MORE_OFFSET	1984
#define PERF_COUNTER_SUBRING_OFFSET	2048
#define PERF_COUNTER_SUBRINGS_MAX	32

/**
 * struct perf_counter_mmap_more - how a mapping is laid out
 * @size: bytes of this structure that the kernel fills; 0 where it has none
 * @nr_rings: rings in the mapping, and entries of the array behind this
 * @__reserved: zero
 */
struct perf_counter_mmap_more {
	__u32	size;
	__u32	nr_rings;
	__u64	__reserved[7];
};

/**
 * struct perf_counter_subring - one ring of a mapping
 * @head: its data_head; 0 for ever in a mapping with one ring
 * @tail: its data_tail; likewise
 * @reserved: when it overwrites, bytes that were ever taken for records; what
 *	is more than @size behind is overwritten
 * @offset: bytes from the start of the mapping to its data
 * @size: bytes of its data, a power of two
 * @__reserved: zero
 */
struct perf_counter_subring {
	__u64	head;
	__u64	tail;
	__u64	reserved;
	__u64	offset;
	__u64	size;
	__u64	__reserved[3];
};

/**
 * enum perf_counter_record_type - records beside those of <linux/perf_event.h>
 * @PERF_RECORD_MUNMAP: what an MMAP or MMAP2 record told of is gone, or a part of
 *	it::
 *
 *	  struct {
 *		struct perf_event_header	header;
 *		u32				pid, tid;
 *		u64				addr;
 *		u64				len;
 *		u64				pgoff;
 *		char				filename[];
 *		struct sample_id		sample_id;
 *	  };
 *
 *	The fields and header.misc are those that an MMAP record of the range has.
 *	A range of addresses stops being executable, or one that is not so is
 *	unmapped or becomes executable (PERF_RECORD_MISC_MMAP_DATA), or a module
 *	is unloaded (PERF_RECORD_MISC_KERNEL).
 */
enum perf_counter_record_type {
	PERF_RECORD_MUNMAP	= 0x40000000,
};

/**
 * enum perf_counter_sw_event - software events beside those of <linux/perf_event.h>
 * @PERF_COUNT_SW_OFF_CPU: time for which a task did not run, in ns. It is counted, and a
 *	sample taken, when the task runs again; a read of a task's counter has what has passed
 *	so far besides. Its sample has the time since the last one, here the task's wait, as
 *	its period; the call chain of where the task stopped; and raw data, struct
 *	perf_counter_off_cpu. The time is of neither user nor kernel mode: @exclude_kernel
 *	leaves the kernel's threads out, and the kernel's part of samples; @exclude_user the
 *	user's part. The idle task never counts. With @config1, only times of at least so many
 *	ns count, and each when it is over.
 */
enum perf_counter_sw_event {
	PERF_COUNT_SW_OFF_CPU	= 0x40000000,
};

/**
 * enum perf_counter_off_cpu_reason - why a task does not run
 * @PERF_COUNTER_OFF_CPU_UNKNOWN: it had stopped before the counter was enabled
 * @PERF_COUNTER_OFF_CPU_RUNNABLE: it could run, and another did: it was preempted, has
 *	yielded, is new, or was woken up before it had stopped
 * @PERF_COUNTER_OFF_CPU_SLEEPING: it sleeps, and a signal wakes it; or the kernel's thread has
 *	nothing to do
 * @PERF_COUNTER_OFF_CPU_UNINTERRUPTIBLE: it sleeps, and no signal wakes it, or a fatal one at
 *	most
 * @PERF_COUNTER_OFF_CPU_IO: either, and it waits for I/O
 * @PERF_COUNTER_OFF_CPU_STOPPED: by a signal, a debugger or a freezer
 */
enum perf_counter_off_cpu_reason {
	PERF_COUNTER_OFF_CPU_UNKNOWN,
	PERF_COUNTER_OFF_CPU_RUNNABLE,
	PERF_COUNTER_OFF_CPU_SLEEPING,
	PERF_COUNTER_OFF_CPU_UNINTERRUPTIBLE,
	PERF_COUNTER_OFF_CPU_IO,
	PERF_COUNTER_OFF_CPU_STOPPED,
};

/**
 * struct perf_counter_off_cpu - the raw data of a PERF_COUNT_SW_OFF_CPU sample
 * @reason: enum perf_counter_off_cpu_reason
 */
struct perf_counter_off_cpu {
	__u32	reason;
};

/*
 * What the arguments of a system call point to
 *
 * The beginning of a system call is a tracepoint: raw_syscalls:sys_enter of all, and
 * syscalls:sys_enter_* of each. With @config1, its samples' raw data have, behind the record
 * of the tracepoint, struct perf_counter_syscall and what follows that: of each argument that
 * is a string or an address of a socket, or is written, up to @config1 bytes, at most
 * PERF_COUNTER_SYSCALL_MAX.
 */
#define PERF_COUNTER_SYSCALL_MAX	1024

/**
 * struct perf_counter_syscall - what follows the record of a system call
 * @arch: AUDIT_ARCH_*: whose numbers of system calls it is
 * @size: bytes of all that follows: a struct perf_counter_syscall_arg for each argument that
 *	points to something, in their order, each at a multiple of 8 bytes. None where the
 *	kernel does not know what the arguments are, as of a 32-bit program.
 */
struct perf_counter_syscall {
	__u32	arch;
	__u32	size;
};

/* The argument points to more than @config1 bytes; some of them, or all, could not be read. */
#define PERF_COUNTER_SYSCALL_ARG_CUT		1
#define PERF_COUNTER_SYSCALL_ARG_MISSING	2

/**
 * struct perf_counter_syscall_arg - what an argument points to
 * @index: which argument, from 0
 * @flags: PERF_COUNTER_SYSCALL_ARG_*
 * @size: bytes in @data; of a string, without its NUL
 * @data: them
 */
struct perf_counter_syscall_arg {
	__u8	index;
	__u8	flags;
	__u16	size;
	char	data[];
};

/* perf_counter_open(): flags. */
#define PERF_COUNTER_FLAG_FD_NO_GROUP	PERF_FLAG_FD_NO_GROUP
#define PERF_COUNTER_FLAG_FD_OUTPUT	PERF_FLAG_FD_OUTPUT
#define PERF_COUNTER_FLAG_FD_CLOEXEC	PERF_FLAG_FD_CLOEXEC

/* ioctl() on a counter's descriptor. */
#define PERF_COUNTER_IOC_ENABLE		PERF_EVENT_IOC_ENABLE
#define PERF_COUNTER_IOC_DISABLE	PERF_EVENT_IOC_DISABLE
#define PERF_COUNTER_IOC_REFRESH	PERF_EVENT_IOC_REFRESH
#define PERF_COUNTER_IOC_RESET		PERF_EVENT_IOC_RESET
#define PERF_COUNTER_IOC_PERIOD		PERF_EVENT_IOC_PERIOD
#define PERF_COUNTER_IOC_SET_OUTPUT	PERF_EVENT_IOC_SET_OUTPUT
#define PERF_COUNTER_IOC_ID		PERF_EVENT_IOC_ID
#define PERF_COUNTER_IOC_PAUSE_OUTPUT	PERF_EVENT_IOC_PAUSE_OUTPUT
#define PERF_COUNTER_IOC_FLAG_GROUP	PERF_IOC_FLAG_GROUP

/* prctl(): every counter that the caller created. */
#define PR_TASK_PERF_COUNTERS_DISABLE	31
#define PR_TASK_PERF_COUNTERS_ENABLE	32

/* Records and sample fields under the names of the first documents. */
#define PERF_EVENT_MMAP			PERF_RECORD_MMAP
#define PERF_EVENT_MUNMAP		PERF_RECORD_MUNMAP
#define PERF_EVENT_COMM			PERF_RECORD_COMM
#define PERF_EVENT_EXIT			PERF_RECORD_EXIT
#define PERF_EVENT_FORK			PERF_RECORD_FORK
#define PERF_SAMPLE_TP_RECORD		PERF_SAMPLE_RAW

#endif /* _UAPI_LINUX_PERF_COUNTER_H */
