// SPDX-License-Identifier: GPL-2.0
/*
 * Data that the arguments of a system call point to: paths and other strings, socket
 * addresses, buffers to be written. A sample of the entry of a system call has them if
 * its counter asks for them.
 *
 * The record is made with preemption disabled, where user memory that is not present
 * cannot be read, such as a path in a page that the program never touched. The
 * hook of the system call's entry therefore touches the pages before, where the task
 * may sleep. Data that are still not present are marked as missing.
 */

#include <linux/mutex.h>
#include <linux/pagemap.h>
#include <linux/perf_counter_trace.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <asm/syscall.h>
#include <trace/syscall.h>

#include "../counter/cgroup.h"
#include "source.h"

/* Number of arguments of a system call. */
#define ARGS	6

/* Form in which an argument is recorded. */
enum arg_kind {
	ARG_VALUE,	/* no data are recorded for the argument */
	ARG_STRING,	/* NUL-terminated string */
	ARG_BYTES,	/* buffer; the next argument is its size as an unsigned long */
	ARG_BYTES_INT,	/* buffer; the next argument is its size as an int */
};

/* Kinds of the arguments of one native system call. */
struct syscall_args {
	u8	kind[ARGS];
};

static DEFINE_MUTEX(syscall_args_mutex);
static struct syscall_args *syscall_args_table;

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++) {
		if (!strcmp(name, *names))
			return true;
	}
	return false;
}

/* Skip the attribute at @type, up to its closing parenthesis. Returns NULL without one. */
static const char *skip_attribute(const char *type)
{
	unsigned int depth = 0;

	for (; *type; type++) {
		if (*type == '(')
			depth++;
		else if (*type == ')' && !--depth)
			return skip_spaces(type + 1);
	}
	return NULL;
}

/**
 * perf_counter_syscall_type_is() - Compare the type of a system call's argument
 * @type: type as the kernel's source spells it
 * @plain: type to compare with, without attributes
 *
 * clang keeps the attribute of __user when the kernel has BTF:
 *	"const char __attribute__((btf_type_tag("user"))) *".
 *
 * Return: true if the types are equal except for attributes.
 */
bool perf_counter_syscall_type_is(const char *type, const char *plain)
{
	static const char attribute[] = "__attribute__((";

	while (*type || *plain) {
		if (!strncmp(type, attribute, sizeof(attribute) - 1)) {
			type = skip_attribute(type);
			if (!type)
				return false;
		} else if (*type++ != *plain++) {
			return false;
		}
	}
	return true;
}

/*
 * An argument of type char * is written by the call and has no contents at entry,
 * except in a few old calls. An argument of type const char * is read by the call:
 * either as many bytes as the next argument says, or up to a NUL.
 */
static enum arg_kind syscall_arg_kind(const struct syscall_metadata *meta, int arg)
{
	static const char *const lengths[] = { "len", "count", "msg_len", NULL };
	static const char *const read[] = { "dev_name", "dir_name", "type", "name", NULL };
	bool last = arg + 1 == meta->nb_args;
	const char *type = meta->types[arg];
	const char *next = last ? "" : meta->args[arg + 1];
	const char *next_type = last ? "" : meta->types[arg + 1];

	if (perf_counter_syscall_type_is(type, "struct sockaddr *"))
		return strcmp(next_type, "int") ? ARG_VALUE : ARG_BYTES_INT;
	if (!perf_counter_syscall_type_is(type, "const char *") &&
	    (!perf_counter_syscall_type_is(type, "char *") || !is_one_of(meta->args[arg], read)))
		return ARG_VALUE;
	if (!is_one_of(next, lengths))
		return ARG_STRING;
	return strcmp(next_type, "int") ? ARG_BYTES : ARG_BYTES_INT;
}

/**
 * perf_counter_syscall_prepare() - Make the table of the system calls' arguments
 *
 * The table is made once and is never freed.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int perf_counter_syscall_prepare(void)
{
	const struct syscall_metadata *meta;
	struct syscall_args *table;
	int nr, arg;

	guard(mutex)(&syscall_args_mutex);
	if (syscall_args_table)
		return 0;
	table = kcalloc(NR_syscalls, sizeof(*table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	for (nr = 0; nr < NR_syscalls; nr++) {
		meta = trace_perf_counter_syscall(nr);
		for (arg = 0; meta && arg < meta->nb_args; arg++)
			table[nr].kind[arg] = syscall_arg_kind(meta, arg);
	}
	/* Pairs with the acquire in syscall_find_args(). */
	smp_store_release(&syscall_args_table, table);
	return 0;
}

/* Find the argument kinds of the current call. Returns NULL for a call without metadata. */
static const struct syscall_args *syscall_find_args(struct pt_regs *regs)
{
	/* Pairs with the release in perf_counter_syscall_prepare(). */
	const struct syscall_args *table = smp_load_acquire(&syscall_args_table);
	int nr = trace_perf_counter_syscall_nr(regs);

	return table && nr >= 0 && nr < NR_syscalls ? &table[nr] : NULL;
}

/* Return the size in bytes of the buffer that argument @i of @kind points to. */
static unsigned long syscall_arg_bytes(const unsigned long *args, int i, enum arg_kind kind)
{
	return kind == ARG_BYTES_INT ? (u32)args[i + 1] : args[i + 1];
}

/* Test whether a counter in @ctx records what arguments point to. */
static bool syscall_wanted(struct perf_counter_ctx *ctx)
{
	/* Pairs with the release in perf_counter_event_hash_add(). */
	struct perf_counter_event_hash *hash = smp_load_acquire(&ctx->hash);

	return hash && READ_ONCE(hash->nr_args);
}

/*
 * Test whether a counter of the current task, of its control groups or of this CPU records what
 * arguments point to. If the task moves to another CPU before the record is made, the answer may
 * be wrong, and the record then marks data that are not in memory as missing.
 */
static bool syscall_is_watched(void)
{
	struct perf_counter_ctx *ctx;
	unsigned long levels;

	guard(preempt)();
	ctx = perf_counter_task_ctx(current);
	if ((ctx && syscall_wanted(ctx)) || syscall_wanted(this_cpu_ptr(&perf_counter_cpu_ctx)))
		return true;
	levels = perf_counter_cgroup_levels();
	while ((ctx = perf_counter_next_cgroup(&levels))) {
		if (syscall_wanted(ctx))
			return true;
	}
	return false;
}

/**
 * __perf_counter_syscall() - Fault in the arguments' data before the entry tracepoint
 * runs
 * @regs: user registers of the system call
 *
 * Context: the task that makes the call; may sleep.
 */
void __perf_counter_syscall(struct pt_regs *regs)
{
	const struct syscall_args *call = syscall_find_args(regs);
	unsigned long args[ARGS];
	int i;

	might_sleep();
	if (!call || !syscall_is_watched())
		return;
	syscall_get_arguments(current, regs, args);
	for (i = 0; i < ARGS; i++) {
		switch (call->kind[i]) {
		case ARG_STRING:
			/*
			 * Touch as many bytes as syscall_put_str() reads. An unreadable string is
			 * recorded as missing.
			 */
			if (!strnlen_user((void __user *)args[i], PERF_COUNTER_SYSCALL_MAX + 2))
				continue;
			break;
		case ARG_BYTES:
		case ARG_BYTES_INT:
			fault_in_readable((void __user *)args[i],
					  min(syscall_arg_bytes(args, i, call->kind[i]),
					      PERF_COUNTER_SYSCALL_MAX));
			break;
		}
	}
}

static void syscall_put_str(struct perf_counter_syscall_arg *to, const void __user *from, u32 max)
{
	/* The returned length includes the NUL, unless the string is empty. */
	long len = strncpy_from_user_nofault(to->data, from, max + 2);

	/*
	 * If only the last byte of the first read was unreadable, the string is too long: cut it.
	 */
	if (len < 0 && strncpy_from_user_nofault(to->data, from, max + 1) > max)
		len = max + 2;
	if (len < 0)
		to->flags |= PERF_COUNTER_SYSCALL_ARG_MISSING;
	else if (len > max + 1)
		to->flags |= PERF_COUNTER_SYSCALL_ARG_CUT;
	to->size = clamp(len - 1, 0L, (long)max);
}

static void syscall_put_bytes(struct perf_counter_syscall_arg *to, const void __user *from,
			      unsigned long len, u32 max)
{
	u32 size = min(len, max), left = size;

	/* Record the bytes before the first unreadable one: a call like write() uses these, too. */
	if (access_ok(from, size)) {
		pagefault_disable();
		left = __copy_from_user_inatomic(to->data, from, size);
		pagefault_enable();
	}
	to->size = size - left;
	if (left)
		to->flags |= PERF_COUNTER_SYSCALL_ARG_MISSING;
	else if (size < len)
		to->flags |= PERF_COUNTER_SYSCALL_ARG_CUT;
}

/**
 * perf_counter_syscall_put() - Write what the arguments of the current call point to
 * @to: destination of PERF_COUNTER_SYSCALL_ROOM bytes, aligned to 8
 * @max: maximum number of bytes per argument, up to PERF_COUNTER_SYSCALL_MAX
 *
 * Context: a probe of the call's entry, with preemption disabled.
 * Return: number of bytes written, a multiple of 8.
 */
u32 perf_counter_syscall_put(struct perf_counter_syscall *to, u32 max)
{
	struct pt_regs *regs = task_pt_regs(current);
	const struct syscall_args *call = syscall_find_args(regs);
	struct perf_counter_syscall_arg *arg;
	unsigned long args[ARGS];
	void *at = to + 1;
	u32 size;
	int i;

	if (call)
		syscall_get_arguments(current, regs, args);
	for (i = 0; call && i < ARGS; i++) {
		if (call->kind[i] == ARG_VALUE || !args[i])
			continue;
		arg = at;
		*arg = (struct perf_counter_syscall_arg) { .index = i };
		if (call->kind[i] == ARG_STRING)
			syscall_put_str(arg, (void __user *)args[i], max);
		else
			syscall_put_bytes(arg, (void __user *)args[i],
					  syscall_arg_bytes(args, i, call->kind[i]), max);
		at = arg->data + arg->size;
		/* Clear the padding, so that no older data is recorded. */
		while ((at - (void *)to) % sizeof(u64))
			*(u8 *)at++ = 0;
	}
	size = at - (void *)to;
	to->arch = syscall_get_arch(current);
	to->size = size - sizeof(*to);
	return size;
}
