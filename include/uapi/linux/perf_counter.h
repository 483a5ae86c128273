/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Performance counters as file descriptors: the interface for programs.
 *
 * Event types and numbers, sample and read formats, record layouts, ioctls and
 * the user page are those of <linux/perf_event.h>. This header adds the attr
 * structure with room for perf_counter's own additions, the number and flags of
 * the system call, and alternative names of some constants.
 */
#ifndef _UAPI_LINUX_PERF_COUNTER_H
#define _UAPI_LINUX_PERF_COUNTER_H

#include <linux/types.h>
#include <linux/ioctl.h>
#include <linux/perf_event.h>

/*
 * The number is the same on every architecture. It is above the system call tables, and below 1000,
 * where the debugger rr has calls that the kernel must not know.
 */
#ifndef __NR_perf_counter_open
#define __NR_perf_counter_open		900
#endif

/* attr.size of the published versions of struct perf_counter_attr. */
#define PERF_COUNTER_ATTR_SIZE_VER0	64	/* smallest accepted size */
#define PERF_COUNTER_ATTR_SIZE_VER8	136	/* struct perf_counter_attr below */

/**
 * struct perf_counter_attr - attributes of a counter: the event, and the records that it writes
 * @type: kind of event, PERF_TYPE_*
 * @size: bytes of this structure that the caller fills; 0 means PERF_COUNTER_ATTR_SIZE_VER0
 * @config: number or code of the event, as @type defines it
 * @sample_period: events per sample; 0 for a counter that does not sample
 * @sample_freq: samples per second, when @freq is set
 * @sample_type: fields of a sample, PERF_SAMPLE_*
 * @read_format: fields that read() returns, PERF_FORMAT_*
 * @disabled: create the counter disabled
 * @inherit: count also the tasks that the counted task creates
 * @pinned: keep the counter on the PMU whenever its context is scheduled in
 * @exclusive: do not share the PMU with another group
 * @exclude_user: do not count in user mode
 * @exclude_kernel: do not count in kernel mode
 * @exclude_hv: do not count in the hypervisor
 * @exclude_idle: do not count when the idle task runs
 * @mmap: record executable mappings
 * @comm: record changes of a task's name
 * @freq: use @sample_freq instead of @sample_period
 * @inherit_stat: record the counts of an inherited counter when its task exits
 * @enable_on_exec: enable the counter at the next exec
 * @task: record forks and exits
 * @watermark: wake up after @wakeup_watermark bytes, not after @wakeup_events samples
 * @precise_ip: skid constraint, 0 to 3
 * @mmap_data: record mappings that are not executable
 * @sample_id_all: add the fields that identify a record to the end of every record
 * @exclude_host: do not count outside guests
 * @exclude_guest: do not count inside guests
 * @exclude_callchain_kernel: leave the kernel part out of call chains
 * @exclude_callchain_user: leave the user part out of call chains
 * @mmap2: record mappings as MMAP2, with inode and protection
 * @comm_exec: mark the change of a name that an exec makes
 * @use_clockid: use @clockid for times
 * @context_switch: record when a task is scheduled in and out: SWITCH for a task's counter,
 *	SWITCH_CPU_WIDE for a CPU's
 * @write_backward: write records from the end of the data downward, the newest at data_head
 * @namespaces: record a task's namespaces when it is created and when they change
 * @ksymbol: record functions that the kernel makes while it runs, and with @mmap or @mmap2 its
 *	modules
 * @bpf_event: record the loading and unloading of BPF programs
 * @aux_output: refused in this version
 * @cgroup: record the creation of control groups
 * @text_poke: record changes of the kernel's code
 * @build_id: put the file's build-id into MMAP2 records instead of its inode
 * @inherit_thread: refused in this version
 * @remove_on_exec: remove the counter from a task that executes another program; not together
 *	with @enable_on_exec
 * @sigtrap: refused in this version
 * @__reserved_1: zero
 * @munmap: record the end of executable mappings, and with @mmap_data of other mappings, too
 * @subrings: a mapping has one ring for each CPU, or for a group of CPUs, as described by struct
 *	perf_counter_subring
 * @wakeup_events: number of samples after which to wake up
 * @wakeup_watermark: number of bytes after which to wake up, when @watermark is set
 * @bp_type: type of a breakpoint; zero
 * @bp_addr: address of a breakpoint; zero
 * @config1: more of @config, as @type defines it
 * @bp_len: length of a breakpoint; zero
 * @config2: more of @config, as @type defines it
 * @branch_sample_type: branches in samples with PERF_SAMPLE_BRANCH_STACK: PERF_SAMPLE_BRANCH_*
 * @sample_regs_user: bit mask of the registers in samples with PERF_SAMPLE_REGS_USER, as numbered
 *	in <asm/perf_regs.h>
 * @sample_stack_user: bytes of the stack in samples with PERF_SAMPLE_STACK_USER, a multiple of 8
 *	below 65535
 * @clockid: clock of the time fields, when @use_clockid is set
 * @sample_regs_intr: bit mask of the registers in samples with PERF_SAMPLE_REGS_INTR
 * @aux_watermark: parameter of a sample type that this version refuses; zero
 * @sample_max_stack: maximum number of frames in a call chain; 0 for as many as fit
 * @__reserved_2: zero
 * @aux_sample_size: parameter of a sample type that this version refuses; zero
 * @__reserved_3: zero
 * @sig_data: parameter of @sigtrap, which this version refuses; zero
 * @config3: more of @config, as @type defines it
 *
 * Offsets, sizes and bit positions are those of struct perf_event_attr. Additional bits are taken
 * from the top of the reserved ones downward. The kernel refuses unknown bits and values, and
 * reserved fields that are not zero, with EINVAL. It refuses a larger structure whose tail is not
 * zero with E2BIG, and sets @size to the size that it knows.
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

/* The user page at the start of a buffer's mapping. */
#define perf_counter_mmap_page		perf_event_mmap_page

/*
 * The user page has struct perf_counter_mmap_layout, and an array of struct perf_counter_subring,
 * after struct perf_event_mmap_page.
 */
#define PERF_COUNTER_MMAP_LAYOUT_OFFSET	1984
#define PERF_COUNTER_SUBRING_OFFSET	2048
#define PERF_COUNTER_SUBRINGS_MAX	32

/**
 * struct perf_counter_mmap_layout - layout of a mapping
 * @size: bytes of this structure that the kernel fills; 0 if the kernel has no such structure
 * @nr_rings: number of rings in the mapping, and of entries in the array of struct
 *	perf_counter_subring
 * @__reserved: zero
 */
struct perf_counter_mmap_layout {
	__u32	size;
	__u32	nr_rings;
	__u64	__reserved[7];
};

/**
 * struct perf_counter_subring - one ring of a mapping
 * @head: data_head of the ring; always 0 in a mapping with one ring
 * @tail: data_tail of the ring; always 0 in a mapping with one ring
 * @reserved: bytes that were ever reserved for records, in overwrite mode; records that begin more
 *	than @size bytes earlier are overwritten
 * @offset: bytes from the start of the mapping to the ring's data
 * @size: bytes of the ring's data, a power of two
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
 * @PERF_RECORD_MUNMAP: end of a mapping, or of a part, that an MMAP or MMAP2
 *	record has reported::
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
 *	The record is written when a range of addresses stops being executable;
 *	when a range that is not executable is unmapped or becomes executable
 *	(PERF_RECORD_MISC_MMAP_DATA); and when a module is unloaded
 *	(PERF_RECORD_MISC_KERNEL).
 */
enum perf_counter_record_type {
	PERF_RECORD_MUNMAP	= 0x40000000,
};

/**
 * enum perf_counter_sw_event - software events beside those of <linux/perf_event.h>
 * @PERF_COUNT_SW_OFF_CPU: time for which a task does not run, in ns. The time is counted, and a
 *	sample taken, when the task runs again; a read of a task's counter includes the time
 *	passed so far. The sample has the time since the last one, which is the task's waiting
 *	time, as its period; the call chain at which the task was scheduled out; and raw data,
 *	struct perf_counter_off_cpu. The time belongs neither to user nor to kernel mode:
 *	@exclude_kernel leaves out kernel threads, and the kernel's part of samples;
 *	@exclude_user leaves out the user's part of samples. The idle task is not counted. With
 *	@config1, only times of at least that many ns are counted, each when it is over.
 */
enum perf_counter_sw_event {
	PERF_COUNT_SW_OFF_CPU	= 0x40000000,
};

/**
 * enum perf_counter_off_cpu_reason - reason for which a task does not run
 * @PERF_COUNTER_OFF_CPU_UNKNOWN: the task was scheduled out before the counter was enabled
 * @PERF_COUNTER_OFF_CPU_RUNNABLE: the task could run, but another task did: it was preempted, has
 *	yielded, is new, or was woken up before it was scheduled out
 * @PERF_COUNTER_OFF_CPU_SLEEPING: the task sleeps, and any signal wakes it; or it is an idle
 *	kernel thread
 * @PERF_COUNTER_OFF_CPU_UNINTERRUPTIBLE: the task sleeps, and no signal, or only a fatal one,
 *	wakes it
 * @PERF_COUNTER_OFF_CPU_IO: the task sleeps, in either way, and waits for I/O
 * @PERF_COUNTER_OFF_CPU_STOPPED: a signal, a debugger or a freezer has stopped the task
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
 * struct perf_counter_off_cpu - raw data of a PERF_COUNT_SW_OFF_CPU sample
 * @reason: enum perf_counter_off_cpu_reason
 */
struct perf_counter_off_cpu {
	__u32	reason;
};

/*
 * Data that the arguments of a system call point to
 *
 * The entry of a system call is a tracepoint: raw_syscalls:sys_enter for all calls, and
 * syscalls:sys_enter_* for each call. With @config1, the raw data of its samples have struct
 * perf_counter_syscall and its arguments after the record of the tracepoint. Each argument that is
 * a string, a socket address or data to be written has up to @config1 bytes, at most
 * PERF_COUNTER_SYSCALL_MAX.
 */
#define PERF_COUNTER_SYSCALL_MAX	1024

/**
 * struct perf_counter_syscall - header of the data of a system call's arguments
 * @arch: AUDIT_ARCH_*, the ABI of the system call
 * @size: bytes after this structure: a struct perf_counter_syscall_arg for each argument that
 *	points to data, in the order of the arguments, each at a multiple of 8 bytes. 0 if the
 *	kernel does not know the arguments, as for a 32-bit program.
 */
struct perf_counter_syscall {
	__u32	arch;
	__u32	size;
};

/* The argument points to more than @config1 bytes. */
#define PERF_COUNTER_SYSCALL_ARG_CUT		1
/* The data, or a part, could not be read. */
#define PERF_COUNTER_SYSCALL_ARG_MISSING	2

/**
 * struct perf_counter_syscall_arg - data that an argument points to
 * @index: number of the argument, from 0
 * @flags: PERF_COUNTER_SYSCALL_ARG_*
 * @size: number of bytes in @data; for a string, without its NUL
 * @data: data that was read
 */
struct perf_counter_syscall_arg {
	__u8	index;
	__u8	flags;
	__u16	size;
	char	data[];
};

/* Flags of perf_counter_open(). */
#define PERF_COUNTER_FLAG_FD_NO_GROUP	PERF_FLAG_FD_NO_GROUP
#define PERF_COUNTER_FLAG_FD_OUTPUT	PERF_FLAG_FD_OUTPUT
#define PERF_COUNTER_FLAG_PID_CGROUP	PERF_FLAG_PID_CGROUP
#define PERF_COUNTER_FLAG_FD_CLOEXEC	PERF_FLAG_FD_CLOEXEC

/* Operations of ioctl() on a counter's descriptor. */
#define PERF_COUNTER_IOC_ENABLE		PERF_EVENT_IOC_ENABLE
#define PERF_COUNTER_IOC_DISABLE	PERF_EVENT_IOC_DISABLE
#define PERF_COUNTER_IOC_REFRESH	PERF_EVENT_IOC_REFRESH
#define PERF_COUNTER_IOC_RESET		PERF_EVENT_IOC_RESET
#define PERF_COUNTER_IOC_PERIOD		PERF_EVENT_IOC_PERIOD
#define PERF_COUNTER_IOC_SET_OUTPUT	PERF_EVENT_IOC_SET_OUTPUT
#define PERF_COUNTER_IOC_ID		PERF_EVENT_IOC_ID
#define PERF_COUNTER_IOC_PAUSE_OUTPUT	PERF_EVENT_IOC_PAUSE_OUTPUT
#define PERF_COUNTER_IOC_FLAG_GROUP	PERF_IOC_FLAG_GROUP

/*
 * Operations that perf_events does not have. read() returns the sum of a descriptor's counters.
 * READ_EACH returns the values of each task or CPU, and READ_SELF the values of the calling
 * thread.
 */
#define PERF_COUNTER_IOC_READ_EACH	_IOWR('$', 64, struct perf_counter_rows)
#define PERF_COUNTER_IOC_READ_SELF	_IOWR('$', 65, struct perf_counter_rows)

/**
 * struct perf_counter_rows - argument of PERF_COUNTER_IOC_READ_EACH and READ_SELF
 * @rows: address of the buffer that the rows are written to
 * @size: size of the buffer, bytes
 * @row_size: set to the size of a row, bytes
 * @nr: set to the number of rows; if the buffer is too small, to the number that it has to have
 *	room for
 */
struct perf_counter_rows {
	__u64	rows;
	__u64	size;
	__u32	row_size;
	__u32	nr;
};

/**
 * struct perf_counter_row - values of a task or of a CPU
 * @tid: thread id in the pid namespace of the caller; 0 if that namespace does not have the
 *	thread, or if the thread is just being created; -1 for a CPU, and for the sum of the
 *	exited tasks
 * @cpu: CPU that is counted; -1 for a task that is counted on all CPUs
 * @values: values as read() returns them for the descriptor, in the layout of read_format
 */
struct perf_counter_row {
	__s32	tid;
	__s32	cpu;
	__u64	values[];
};

/* Operations of prctl() on every counter that the caller has created. */
#define PR_TASK_PERF_COUNTERS_DISABLE	31
#define PR_TASK_PERF_COUNTERS_ENABLE	32

/* Alternative names of records and sample fields. */
#define PERF_EVENT_MMAP			PERF_RECORD_MMAP
#define PERF_EVENT_MUNMAP		PERF_RECORD_MUNMAP
#define PERF_EVENT_COMM			PERF_RECORD_COMM
#define PERF_EVENT_EXIT			PERF_RECORD_EXIT
#define PERF_EVENT_FORK			PERF_RECORD_FORK
#define PERF_SAMPLE_TP_RECORD		PERF_SAMPLE_RAW

#endif /* _UAPI_LINUX_PERF_COUNTER_H */
