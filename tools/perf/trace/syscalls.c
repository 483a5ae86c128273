// SPDX-License-Identifier: GPL-2.0
/*
 * System calls by number. libseccomp has the names for every architecture; tracefs has the
 * arguments for the native one.
 */
#include <fnmatch.h>
#include <linux/audit.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>

#include "measure/measure.h"
#include "fd_effects.h"
#include "syscalls.h"

/* perf_counter_open has number 900. The numbers of all other system calls are below NUMBERS. */
#define NUMBERS 600
#define NR_PERF_COUNTER_OPEN 900

/* Calls whose function in the kernel has another name. tracefs names calls by the function. */
static const struct {
	const char *name;
	const char *function;
} other_functions[] = {
	{ "stat", "newstat" }, { "fstat", "newfstat" }, { "lstat", "newlstat" },
	{ "uname", "newuname" }, { "umount2", "umount" }, { "sendfile", "sendfile64" },
};

static const char *function_of(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(other_functions); i++) {
		if (!strcmp(name, other_functions[i].name))
			return other_functions[i].function;
	}
	return name;
}

uint32_t syscalls_native_arch(void)
{
	return seccomp_arch_native();
}

uint32_t syscalls_32_bit_arch(void)
{
#ifdef __x86_64__
	return AUDIT_ARCH_I386;
#else
	return syscalls_native_arch();
#endif
}

uint32_t syscalls_arch_of(const char *machine)
{
	/* libseccomp has other names for these architectures than uname(2). */
	if (fnmatch("i[3-6]86", machine, 0) == 0)
		return AUDIT_ARCH_I386;
	if (!strncmp(machine, "armv", strlen("armv")))
		return AUDIT_ARCH_ARM;
	return seccomp_arch_resolve_name(machine);
}

/* Return the name of a system call, or NULL if it is unknown; the caller frees it. */
static char *name_of(uint32_t arch, long nr)
{
	char *found, *name;

	if (nr == NR_PERF_COUNTER_OPEN)
		return xstrdup("perf_counter_open");
	if (nr < 0 || nr > INT32_MAX)
		return NULL;
	found = seccomp_syscall_resolve_num_arch(arch, nr);
	if (!found)
		return NULL;
	/* libseccomp may use another allocator than this program. */
	name = xstrdup(found);
	free(found);
	return name;
}

static enum arg_form form_by_type(const char *type)
{
	static const struct {
		const char *type;
		enum arg_form form;
	} forms[] = {
		{ "unsigned int", ARG_UNSIGNED }, { "unsigned", ARG_UNSIGNED },
		{ "u32", ARG_UNSIGNED }, { "__u32", ARG_UNSIGNED }, { "uid_t", ARG_UNSIGNED },
		{ "gid_t", ARG_UNSIGNED }, { "qid_t", ARG_UNSIGNED },
		{ "umode_t", ARG_OCTAL },
		{ "size_t", ARG_UNSIGNED_LONG }, { "unsigned long", ARG_UNSIGNED_LONG },
		{ "u64", ARG_UNSIGNED_LONG }, { "__u64", ARG_UNSIGNED_LONG },
		{ "long", ARG_LONG }, { "off_t", ARG_LONG }, { "loff_t", ARG_LONG },
	};
	size_t i;

	if (strchr(type, '*'))
		return strcmp(type, "struct sockaddr *") ? ARG_ADDRESS : ARG_SOCKADDR;
	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		if (!strcmp(type, forms[i].type))
			return forms[i].form;
	}
	return ARG_SIGNED;
}

/* Return true for an argument whose meaning depends on the command in another argument. */
static bool depends_on_command(const char *call, const char *name)
{
	return (in_list("prctl,arch_prctl", call) && !strncmp(name, "arg", 3)) ||
	       (in_list("ioctl,fcntl", call) && !strcmp(name, "arg"));
}

/* Return true for an argument that is a descriptor, by its name and its form as a number. */
static bool is_descriptor(const char *name, enum arg_form form)
{
	size_t length = strlen(name);

	/* In some calls, fd is an unsigned long. */
	if (form != ARG_SIGNED && form != ARG_UNSIGNED && strcmp(name, "fd"))
		return false;
	return (length >= 2 && !strcmp(name + length - 2, "fd")) ||
	       in_list("fildes,fd_in,fd_out,fdin,fdout", name);
}

static enum arg_form form_of(const char *call, const char *name, const char *type)
{
	static const char directories[] = "dfd,olddfd,newdfd,dirfd,from_dfd,to_dfd";
	static const char addresses[] = "addr,start,brk,old_addr,new_addr,uaddr,newsp,tls";
	enum arg_form form = form_by_type(type);

	if (in_list(directories, name))
		return ARG_DIRECTORY;
	if (depends_on_command(call, name))
		return ARG_HEX;
	if (!strcmp(call, "umask"))
		return ARG_OCTAL;
	if (is_descriptor(name, form))
		return ARG_DESCRIPTOR;
	if (form == ARG_UNSIGNED_LONG && in_list(addresses, name))
		return ARG_ADDRESS;
	return form;
}

static void add_arg(void *context, const struct tracepoint_field *field)
{
	struct syscall *call = context;
	struct syscall_arg *arg;

	/* Two underscores begin the number of the call, and strings that newer kernels add. */
	if (!strncmp(field->name, "common_", strlen("common_")) ||
	    !strncmp(field->name, "__", strlen("__")) || call->nr_args == SYSCALL_ARGS)
		return;
	arg = &call->args[call->nr_args++];
	arg->name = xstrdup(field->name);
	arg->constants = constants_find(call->name, field->name);
	arg->form = arg->constants ? ARG_CONSTANTS :
				       form_of(call->name, field->name, field->type);
}

static void find_args(struct syscall *call)
{
	char *event = xasprintf("sys_enter_%s", function_of(call->name));

	call->knows_args = !tracepoint_walk_fields("syscalls", event, add_arg, call);
	free(event);
}

static uint64_t hash_of(uint32_t arch, long nr)
{
	return hash_mix(hash_number(arch), nr);
}

static struct syscall *add_call(struct syscall_table *table, uint32_t arch, long nr, char *name)
{
	struct syscall *call = xcalloc(1, sizeof(*call));

	call->arch = arch;
	call->nr = nr;
	call->name = name;
	if (arch == syscalls_native_arch())
		find_args(call);
	call->fd_call = fd_call_find(name);
	call->returns_address = in_list("mmap,mmap2,mremap,brk,shmat", call->name);
	hash_table_add(&table->calls, &call->node, hash_of(arch, nr));
	return call;
}

const struct syscall *syscalls_get(struct syscall_table *table, uint32_t arch, long nr)
{
	struct hash_node *node;
	char *name;

	for (node = hash_table_first(&table->calls, hash_of(arch, nr)); node;
	     node = hash_table_next(node)) {
		struct syscall *call = hash_entry(node, struct syscall, node);

		if (call->arch == arch && call->nr == nr)
			return call;
	}
	name = name_of(arch, nr);
	/* Unknown calls share one entry, because a program may try any number. */
	return name ? add_call(table, arch, nr, name) : &table->unknown;
}

/* Architectures of the programs that this machine's kernel may run. */
static const uint32_t archs[] = {
#ifdef __x86_64__
	AUDIT_ARCH_X86_64, AUDIT_ARCH_I386,
#else
	SCMP_ARCH_NATIVE,
#endif
};

/* Call @visit with the name and number of each system call. */
static void walk(void (*visit)(void *context, const char *name, long nr), void *context)
{
	size_t i;
	long nr;

	for (i = 0; i < ARRAY_SIZE(archs); i++) {
		for (nr = 0; nr < NUMBERS; nr++) {
			char *name = name_of(archs[i], nr);

			if (name)
				visit(context, name, nr);
			free(name);
		}
	}
	visit(context, "perf_counter_open", NR_PERF_COUNTER_OPEN);
}

bool syscall_matches(const char *pattern, const char *name)
{
	return !fnmatch(pattern, name, 0);
}

/* Names and patterns of the calls of each group; no kernel has all of them. */
static const char *const file_calls[] = {
	"access", "acct", "chdir", "chmod", "chown", "chown32", "chroot", "creat", "execve",
	"execveat", "faccessat*", "fanotify_mark", "fchmodat*", "fchownat", "fspick", "fstatat64",
	"futimesat", "getcwd", "getxattr", "inotify_add_watch", "lchown", "lchown32", "lgetxattr",
	"link", "linkat", "listxattr", "llistxattr", "lremovexattr", "lsetxattr", "lstat*",
	"mkdir*", "mknod*", "mount", "mount_setattr", "move_mount", "name_to_handle_at",
	"newfstatat", "oldlstat", "oldstat", "open", "open_tree*", "openat*", "pivot_root",
	"quotactl", "readlink*", "removexattr", "rename*", "rmdir", "setxattr", "stat", "stat64",
	"statfs", "statfs64", "statx", "swapoff", "swapon", "symlink*", "truncate*", "umount*",
	"unlink*", "uselib", "utime", "utimensat*", "utimes", NULL
};

static const char *const network_calls[] = {
	"accept*", "bind", "connect", "getpeername", "getsockname", "getsockopt", "listen",
	"recv", "recvfrom", "recvmmsg*", "recvmsg", "send", "sendmmsg", "sendmsg", "sendto",
	"setsockopt", "shutdown", "socket", "socketcall", "socketpair", NULL
};

static const char *const memory_calls[] = {
	"brk", "get_mempolicy", "madvise", "map_shadow_stack", "mbind", "memfd_secret",
	"migrate_pages", "mincore", "mlock*", "mmap*", "move_pages", "mprotect", "mremap",
	"mseal", "msync", "munlock*", "munmap", "pkey_mprotect", "process_madvise",
	"remap_file_pages", "set_mempolicy*", NULL
};

static const char *const process_calls[] = {
	"clone*", "execve", "execveat", "exit", "exit_group", "fork", "kill", "pidfd_open",
	"pidfd_send_signal", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "tgkill", "tkill", "vfork",
	"wait4", "waitid", "waitpid", NULL
};

static const char *const ipc_calls[] = {
	"ipc", "mq_*", "msg*", "sem*", "shm*", NULL
};

static const char *const signal_calls[] = {
	"kill", "pause", "pidfd_send_signal", "rt_sig*", "sgetmask", "sigaction", "sigaltstack",
	"signal", "signalfd*", "sigpending", "sigprocmask", "sigreturn", "sigsuspend", "ssetmask",
	"tgkill", "tkill", NULL
};

static const struct {
	const char *name;
	const char *const *calls;
} groups[] = {
	{ "file", file_calls },
	{ "network", network_calls },
	{ "memory", memory_calls },
	{ "process", process_calls },
	{ "ipc", ipc_calls },
	{ "signal", signal_calls },
};

const char *const *syscall_group(const char *name)
{
	bool marked = *name == '%';
	size_t i;

	if (!marked && !strcmp(name, "signal"))
		return NULL;
	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		if (!strcmp(groups[i].name, name + marked))
			return groups[i].calls;
	}
	return NULL;
}

struct search {
	const char *pattern;
	struct int_list *numbers;
};

static void add_if_found(void *context, const char *name, long nr)
{
	struct search *search = context;
	const struct int_list number = { .values = &(int){ nr }, .nr = 1 };

	if (syscall_matches(search->pattern, name))
		int_list_add_new(search->numbers, &number);
}

bool syscalls_numbers(const char *pattern, struct int_list *numbers)
{
	struct int_list found = { 0 };
	struct search search = { pattern, &found };
	bool any;

	walk(add_if_found, &search);
	any = found.nr;
	int_list_add_new(numbers, &found);
	int_list_free(&found);
	return any;
}

static void consider(void *near, const char *name, long nr)
{
	(void)nr;
	suggestions_add(near, name);
}

void syscalls_consider(struct suggestions *near)
{
	walk(consider, near);
}

static void free_call(struct hash_node *node)
{
	struct syscall *call = hash_entry(node, struct syscall, node);
	size_t i;

	for (i = 0; i < call->nr_args; i++)
		free(call->args[i].name);
	free(call->name);
	free(call);
}

void syscalls_free(struct syscall_table *table)
{
	hash_table_free_all(&table->calls, free_call);
}
