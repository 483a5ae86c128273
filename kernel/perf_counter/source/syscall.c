// SPDX-License-Identifier: GPL-2.0
/*
 * What the arguments of a system call point to: paths, other strings, addresses of sockets,
 * what is written. Samples of its beginning have it where their counter asks for that.
 *
 * The record is made with preemption disabled, where user memory that is not there cannot be
 * had: a path in a page of a program that nobody has touched yet is one. So the pages are
 * touched just before, where the task may sleep. What is not there all the same is said to be
 * missing.
 */

#include <linux/mutex.h>
#include <linux/pagemap.h>
#include <linux/perf_counter_trace.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <asm/syscall.h>
#include <trace/syscall.h>

#include "source.h"

/* Arguments of a system call. */
#define ARGS	6

/* What an argument is. */
enum arg_kind {
	ARG_VALUE,	/* nothing that is copied */
	ARG_STRING,	/* ends with a NUL */
	ARG_BYTES,	/* as many as the next argument says ... */
	ARG_BYTES_INT,	/* ... which is an int */
};

/* One for each system call of the kernel's own kind. It stays once it is there. */
struct syscall_args {
	u8	kind[ARGS];
};

static DEFINE_MUTEX(calls_mutex);
static struct syscall_args *calls;

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++) {
		if (!strcmp(name, *names))
			return true;
	}
	return false;
}

/* What follows the attribute, in parentheses, that @type begins with; NULL if they do not end. */
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
 * @type: the type, as the kernel's source spells it
 * @plain: the type to compare with, without attributes
 *
 * clang keeps the attribute of __user when the kernel has BTF:
 * "const char __attribute__((btf_type_tag("user"))) *".
 *
 * Return: true if they are the same but for attributes.
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
 * An argument of type char * is an answer, and means nothing yet, but for a few of old calls.
 * One that is const is read by the call: as many bytes as the next one says, or up to a NUL.
 */
static enum arg_kind kind_of(const struct syscall_metadata *meta, int arg)
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
 * perf_counter_syscall_prepare() - get ready for what arguments point to
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int perf_counter_syscall_prepare(void)
{
	const struct syscall_metadata *meta;
	struct syscall_args *table;
	int nr, arg;

	guard(mutex)(&calls_mutex);
	if (calls)
		return 0;
	table = kcalloc(NR_syscalls, sizeof(*table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	for (nr = 0; nr < NR_syscalls; nr++) {
		meta = trace_perf_counter_syscall(nr);
		for (arg = 0; meta && arg < meta->nb_args; arg++)
			table[nr].kind[arg] = kind_of(meta, arg);
	}
	/* Partner: the acquire in find_args(). */
	smp_store_release(&calls, table);
	return 0;
}

/* What the arguments of the current call are; NULL for one that the kernel has no names for. */
static const struct syscall_args *find_args(struct pt_regs *regs)
{
	/* Partner: the release in perf_counter_syscall_prepare(). */
	const struct syscall_args *table = smp_load_acquire(&calls);
	int nr = trace_perf_counter_syscall_nr(regs);

	return table && nr >= 0 && nr < NR_syscalls ? &table[nr] : NULL;
}

/* How many bytes argument @i, of @kind, points to. */
static unsigned long bytes_of(const unsigned long *args, int i, enum arg_kind kind)
{
	return kind == ARG_BYTES_INT ? (u32)args[i + 1] : args[i + 1];
}

/* Does a counter in @ctx record what arguments point to? */
static bool wants_args(struct perf_counter_ctx *ctx)
{
	/* Partner: the release in perf_counter_event_hash_add(). */
	struct perf_counter_event_hash *hash = smp_load_acquire(&ctx->hash);

	return hash && READ_ONCE(hash->nr_args);
}

/*
 * Does a counter of the current task or of this CPU record what arguments point to? If the
 * task is moved to another CPU before the record is made, the answer may be wrong, and data
 * that are not in memory are missing in the record.
 */
static bool is_watched(void)
{
	struct perf_counter_ctx *ctx;

	guard(rcu)();
	ctx = READ_ONCE(current->perf_counter_ctx);
	return (ctx && wants_args(ctx)) || wants_args(raw_cpu_ptr(&perf_counter_cpu_ctx));
}

/**
 * __perf_counter_syscall() - a system call begins, and its tracepoint comes next
 * @regs: the user's
 *
 * Context: task, may sleep.
 */
void __perf_counter_syscall(struct pt_regs *regs)
{
	const struct syscall_args *call = find_args(regs);
	unsigned long args[ARGS];
	int i;

	might_sleep();
	if (!call || !is_watched())
		return;
	syscall_get_arguments(current, regs, args);
	for (i = 0; i < ARGS; i++) {
		switch (call->kind[i]) {
		case ARG_STRING:
			/* As many as put_string() reads. Without them the string is missing. */
			if (!strnlen_user((void __user *)args[i], PERF_COUNTER_SYSCALL_MAX + 2))
				continue;
			break;
		case ARG_BYTES:
		case ARG_BYTES_INT:
			fault_in_readable((void __user *)args[i],
					  min(bytes_of(args, i, call->kind[i]),
					      PERF_COUNTER_SYSCALL_MAX));
			break;
		}
	}
}

static void put_string(struct perf_counter_syscall_arg *to, const void __user *from, u32 max)
{
	/* The length includes the NUL, unless the string is empty. */
	long len = strncpy_from_user_nofault(to->data, from, max + 2);

	/* The byte that cannot be read is the last one, and there is more than @max anyway. */
	if (len < 0 && strncpy_from_user_nofault(to->data, from, max + 1) > max)
		len = max + 2;
	if (len < 0)
		to->flags |= PERF_COUNTER_SYSCALL_ARG_MISSING;
	else if (len > max + 1)
		to->flags |= PERF_COUNTER_SYSCALL_ARG_CUT;
	to->size = clamp(len - 1, 0L, (long)max);
}

static void put_bytes(struct perf_counter_syscall_arg *to, const void __user *from,
		      unsigned long len, u32 max)
{
	u32 size = min(len, max), left = size;

	/* A call like write() takes the bytes before the first that cannot be read. */
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
 * perf_counter_syscall_put() - write what the arguments of the current call point to
 * @to: struct perf_counter_syscall; PERF_COUNTER_SYSCALL_ROOM bytes, at a multiple of 8
 * @max: bytes of each at most, up to PERF_COUNTER_SYSCALL_MAX
 *
 * Context: a probe of the call's beginning; preemption disabled.
 * Return: how many bytes were written, a multiple of 8.
 */
u32 perf_counter_syscall_put(struct perf_counter_syscall *to, u32 max)
{
	struct pt_regs *regs = task_pt_regs(current);
	const struct syscall_args *call = find_args(regs);
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
			put_string(arg, (void __user *)args[i], max);
		else
			put_bytes(arg, (void __user *)args[i],
				  bytes_of(args, i, call->kind[i]), max);
		at = arg->data + arg->size;
		/* No byte is left as it was before. */
		while ((at - (void *)to) % sizeof(u64))
			*(u8 *)at++ = 0;
	}
	size = at - (void *)to;
	to->arch = syscall_get_arch(current);
	to->size = size - sizeof(*to);
	return size;
}
