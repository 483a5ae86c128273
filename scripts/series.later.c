// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that the core calls, and that later patches of this series bring. Until then, a program
 * that needs one of them is refused when it opens a counter, and the other functions have nothing
 * to do. The patch that adds a file removes the functions below its name, and the last one removes
 * this file. The functions below "A with B" wait for the file A, and cannot be compiled without the
 * file B.
 */

#include <linux/trace_events.h>

#include "context/internal.h"
#include "counter/recorder.h"
#include "record/read_format.h"
#include "source/source.h"

/* context/read_rows.c */
int perf_counter_read_each(struct perf_counter_desc *desc, struct perf_counter_rows __user *arg)
{
	return -EOPNOTSUPP;
}

int perf_counter_read_self(struct perf_counter_desc *desc, struct perf_counter_rows __user *arg)
{
	return -EOPNOTSUPP;
}

/* context/refresh.c */
void perf_counter_limit_init(struct perf_counter_desc *desc) { }
void perf_counter_limit_sync(struct perf_counter_desc *desc) { }

/* context/sched.c */
void perf_counter_unload(struct perf_counter *counter, u64 now) { }
void perf_counter_reload(struct perf_counter *counter, u64 now) { }
void perf_counter_load_enabled(struct perf_counter *counter, u64 now) { }
void perf_counter_ctx_load(struct perf_counter_ctx *ctx, u64 now) { }
void perf_counter_ctx_reload(struct perf_counter_ctx *ctx, u64 now) { }
void perf_counter_ctx_unload(struct perf_counter_ctx *ctx, u64 now) { }
void perf_counter_pmu_go_on_this_cpu(struct perf_counter_pmu_cpu *pmu_cpu) { }
void perf_counter_pmu_unload(struct perf_counter_pmu_cpu *pmu_cpu) { }
void perf_counter_tick_init(struct perf_counter_pmu_cpu *pmu_cpu) { }
void perf_counter_tick_online(struct perf_counter_pmu_cpu *pmu_cpu) { }
void perf_counter_tick_offline(struct perf_counter_pmu_cpu *pmu_cpu) { }

/* context/user_page.c */
void perf_counter_user_page_update(struct perf_counter_desc *desc) { }
void perf_counter_update_user_pages(struct perf_counter_pmu_cpu *pmu_cpu) { }
void perf_counter_set_user(struct perf_counter *counter, bool user) { }
void perf_counter_user_page_unload(struct perf_counter *counter, u64 now) { }

/* context/rate.c */
int sysctl_perf_counter_max_sample_rate;

/* context/overflow.c */
void perf_counter_freq_adapt(struct perf_counter *counter, u64 count) { }

bool perf_counter_overflow_refresh(struct perf_counter *counter,
				   const struct perf_counter_sample *sample, struct pt_regs *regs)
{
	return true;
}

/* context/call_stack.c */
int perf_counter_branches_open(struct perf_counter_desc *desc)
{
	return -EOPNOTSUPP;
}

int perf_counter_stack_give(struct task_struct *task)
{
	return -EOPNOTSUPP;
}

void perf_counter_branches_close(const struct perf_counter_desc *desc) { }
void perf_counter_stack_fork(struct task_struct *child) { }
void perf_counter_stack_exit(void) { }

/* context/off_cpu.c */
void perf_counter_off_cpu_stop(u64 clock) { }
void perf_counter_off_cpu_new(struct task_struct *child) { }
void perf_counter_off_cpu_start(u64 clock, unsigned long ip) { }

u64 perf_counter_off_cpu_count(struct perf_counter_ctx *ctx)
{
	return 0;
}

/* context/cgroup.c */
#ifdef CONFIG_CGROUPS
struct perf_counter_cgroup *perf_counter_cgroup_get(int fd)
{
	return ERR_PTR(-EOPNOTSUPP);
}

struct perf_counter_ctx *perf_counter_cgroup_cpu_ctx(struct perf_counter_cgroup *counted, int cpu)
{
	return NULL;
}

void perf_counter_cgroup_put(struct perf_counter_cgroup *counted) { }
void perf_counter_cgroup_sched_out(struct task_struct *next) { }
void perf_counter_cgroup_sched_in(struct task_struct *task) { }
void perf_counter_cgroup_online(void) { }
void __perf_counter_cgroup_move(struct task_struct *task) { }
void __perf_counter_cgroup_moved(void) { }
#endif

/* context/handover.c */
#ifdef CONFIG_PERF_EVENTS
int perf_counter_handover_begin(struct perf_counter_desc *desc,
				struct perf_counter_handover *handover)
{
	return -EOPNOTSUPP;
}

int perf_counter_handover_end(struct perf_counter_desc *desc,
			      struct perf_counter_handover *handover)
{
	return -EOPNOTSUPP;
}
#endif

/* counter/recorder.c */
void perf_counter_branches_exec(void) { }
void perf_counter_recorder_sched_out(struct task_struct *task) { }
void perf_counter_recorder_sched_in(struct task_struct *task) { }

bool perf_counter_recorder_add(u32 what)
{
	return false;
}

void perf_counter_recorder_del(u32 what) { }

/* record/output.c */
void perf_counter_output_init(struct perf_counter_desc *desc)
{
	desc->records.read_size = perf_counter_read_size(desc, 0);
}

void perf_counter_output_read(struct perf_counter *counter, struct task_struct *task) { }
void perf_counter_output_throttle(struct perf_counter *counter, bool throttled) { }

/* record/sample.c */
int perf_counter_check_sample(struct perf_counter_attr *attr)
{
	if (attr->sample_period || attr->sample_type || attr->inherit_stat ||
	    perf_counter_wants_sideband(attr) || perf_counter_wants_machine(attr))
		return -EOPNOTSUPP;
	return 0;
}

int perf_counter_sample_init(struct perf_counter_desc *desc)
{
	/* A counter of a task on one CPU is loaded and unloaded with the context of the task. */
	return desc->needs_load ? -EOPNOTSUPP : 0;
}

void perf_counter_output_sample(struct perf_counter *counter,
				const struct perf_counter_sample *sample, struct pt_regs *regs)
{
}

/* record/sideband.c */
void perf_counter_sideband_open(struct perf_counter_desc *desc) { }
void perf_counter_sideband_close(struct perf_counter_desc *desc) { }

/* record/task_records.c */
void perf_counter_record_fork(struct task_struct *child) { }
void perf_counter_record_exit(struct perf_counter_ctx *ctx) { }
void perf_counter_record_switch(struct task_struct *other, bool out) { }
void __perf_counter_task_dead(struct task_struct *task) { }
void __perf_counter_comm(struct task_struct *task, bool exec) { }
void __perf_counter_namespaces(struct task_struct *task) { }

/* record/text.c */
void __perf_counter_ksymbol(u16 type, u64 addr, u32 len, bool unregister, const char *name) { }
void __perf_counter_bpf_event(struct bpf_prog *prog, enum perf_bpf_event_type type, u16 flags) { }
void __perf_counter_text_poke(const void *addr, const void *old, size_t old_len,
			      const void *new, size_t new_len)
{
}

/* ring/buffer.c */
int perf_counter_buffer_mmap(struct perf_counter_writer *writer,
			     const struct perf_counter_buffer_config *config,
			     struct vm_area_struct *vma)
{
	return -EOPNOTSUPP;
}

int perf_counter_buffer_redirect(struct perf_counter_writer *writer,
				 struct perf_counter_writer *to, int cpu)
{
	return -EOPNOTSUPP;
}

int perf_counter_buffer_pause(struct perf_counter_writer *writer, bool pause)
{
	return -EOPNOTSUPP;
}

__poll_t perf_counter_buffer_poll(struct perf_counter_writer *writer, bool all)
{
	return 0;
}

__poll_t perf_counter_buffer_poll_once(struct perf_counter_writer *writer)
{
	return 0;
}

void perf_counter_buffer_detach(struct perf_counter_writer *writer) { }

/* ring/splice.c */
ssize_t perf_counter_splice(struct perf_counter_writer *writer, struct pipe_inode_info *pipe,
			    size_t len, bool wait)
{
	return -EINVAL;
}

/* source/hw_owner.c */
void perf_counter_hw_log_busy(void) { }
void perf_counter_hw_suspend(void) { }
void perf_counter_hw_resume(void) { }

bool perf_counter_hw_is_claimed(void)
{
	return false;
}

/* source/watchdog.c */
#ifdef CONFIG_HARDLOCKUP_DETECTOR_PERF
bool perf_counter_watchdog_enable(unsigned int cpu, u32 type, u64 config)
{
	return false;
}

void perf_counter_watchdog_disable(unsigned int cpu) { }
#endif

/* source/tracepoint.c */
#ifdef CONFIG_EVENT_TRACING
unsigned int perf_counter_kprobe_type, perf_counter_uprobe_type;
#endif

/* source/tracepoint.c with ../trace/trace_perf_counter.c */
#ifdef CONFIG_EVENT_TRACING
const struct trace_event_file_ops perf_counter_trace_ops, perf_counter_trace_uprobe_ops;

bool perf_counter_tracepoint_done(struct trace_event_file *file, unsigned long ip,
				  struct pt_regs *regs)
{
	return true;
}

void *perf_counter_tracepoint_reserve(struct trace_event_buffer *fbuffer,
				      struct trace_event_file *file, unsigned long len)
{
	return NULL;
}

void perf_counter_tracepoint_commit(struct trace_event_buffer *fbuffer) { }
#endif

/* source/syscall.c */
#ifdef CONFIG_FTRACE_SYSCALLS
void __perf_counter_syscall(struct pt_regs *regs) { }

int perf_counter_syscall_prepare(void)
{
	return -EOPNOTSUPP;
}

u32 perf_counter_syscall_put(struct perf_counter_syscall *to, u32 max)
{
	return 0;
}
#endif

/* ../../arch/x86/perf_counter/core.c with ../../arch/x86/include/asm/perf_counter.h */
#ifdef CONFIG_X86
#include <asm/perf_counter.h>

DEFINE_PER_CPU(bool, x86_user_reads_here);
void x86_counters_virt(bool on) { }

struct perf_guest_switch_msr *x86_counters_guest_msrs(int *nr)
{
	*nr = 0;
	return NULL;
}
#endif
