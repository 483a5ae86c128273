// SPDX-License-Identifier: GPL-2.0
/*
 * Names of constants in arguments of system calls. The names of calls and arguments are
 * the kernel's (SYSCALL_DEFINEn); the constants are those of its headers and of the C library.
 */
#ifdef __x86_64__
#include <asm/prctl.h>
#endif
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/util.h"
#include "constants.h"

struct constant {
	uint64_t value;
	const char *name;
};

/**
 * struct constants - the names of an argument's values
 * @calls: names of system calls
 * @args: names of arguments of these calls
 * @number: mask of the bits that are one number; the other bits are flags
 * @numbers: names of the number
 * @flags: names of flags; if flags overlap, the larger one comes first
 * @print: prints the number if @numbers is NULL; 0 is printed only without @flags
 */
struct constants {
	const char *calls;
	const char *args;
	uint64_t number;
	const struct constant *numbers;
	const struct constant *flags;
	void (*print)(uint64_t number, FILE *out);
};

#define C(name) { (uint32_t)(name), #name }
#define END { 0, NULL }

static const struct constant open_modes[] = { C(O_RDONLY), C(O_WRONLY), C(O_RDWR), END };

/* O_LARGEFILE is a number here: the C library's is 0 on machines where all files may be large. */
static const struct constant open_flags[] = {
	C(O_CREAT), C(O_EXCL), C(O_NOCTTY), C(O_TRUNC), C(O_APPEND), C(O_NONBLOCK), C(O_SYNC),
	C(O_DSYNC), C(O_ASYNC), C(O_DIRECT), { 0100000, "O_LARGEFILE" }, C(O_NOFOLLOW),
	C(O_NOATIME), C(O_CLOEXEC), C(O_PATH), C(O_TMPFILE), C(O_DIRECTORY), END
};

static const struct constant at_flags[] = {
	C(AT_SYMLINK_NOFOLLOW), C(AT_SYMLINK_FOLLOW), C(AT_NO_AUTOMOUNT), C(AT_EMPTY_PATH),
	C(AT_STATX_FORCE_SYNC), C(AT_STATX_DONT_SYNC), END
};

static const struct constant removal_flags[] = { C(AT_REMOVEDIR), END };

static const struct constant eaccess_flags[] = {
	C(AT_EACCESS), C(AT_SYMLINK_NOFOLLOW), C(AT_EMPTY_PATH), END
};

static const struct constant access_modes[] = { C(R_OK), C(W_OK), C(X_OK), END };

static const struct constant no_access[] = { C(F_OK), END };

static const struct constant statx_masks[] = {
	C(STATX_ALL), C(STATX_BASIC_STATS), C(STATX_TYPE), C(STATX_MODE), C(STATX_NLINK),
	C(STATX_UID), C(STATX_GID), C(STATX_ATIME), C(STATX_MTIME), C(STATX_CTIME),
	C(STATX_INO), C(STATX_SIZE), C(STATX_BLOCKS), C(STATX_BTIME), C(STATX_MNT_ID), END
};

static const struct constant no_protection[] = { C(PROT_NONE), END };

static const struct constant protections[] = {
	C(PROT_READ), C(PROT_WRITE), C(PROT_EXEC), C(PROT_GROWSDOWN), C(PROT_GROWSUP), END
};

static const struct constant mapping_types[] = {
	C(MAP_SHARED), C(MAP_PRIVATE), C(MAP_SHARED_VALIDATE), END
};

static const struct constant mapping_flags[] = {
	C(MAP_FIXED), C(MAP_ANONYMOUS), C(MAP_GROWSDOWN), C(MAP_DENYWRITE), C(MAP_EXECUTABLE),
	C(MAP_LOCKED), C(MAP_NORESERVE), C(MAP_POPULATE), C(MAP_NONBLOCK), C(MAP_STACK),
	C(MAP_HUGETLB), C(MAP_SYNC), C(MAP_FIXED_NOREPLACE), END
};

static const struct constant remap_flags[] = {
	C(MREMAP_MAYMOVE), C(MREMAP_FIXED), { 4, "MREMAP_DONTUNMAP" }, END
};

static const struct constant sync_flags[] = { C(MS_ASYNC), C(MS_INVALIDATE), C(MS_SYNC), END };

static const struct constant advices[] = {
	C(MADV_NORMAL), C(MADV_RANDOM), C(MADV_SEQUENTIAL), C(MADV_WILLNEED), C(MADV_DONTNEED),
	C(MADV_FREE), C(MADV_REMOVE), C(MADV_DONTFORK), C(MADV_DOFORK), C(MADV_MERGEABLE),
	C(MADV_UNMERGEABLE), C(MADV_HUGEPAGE), C(MADV_NOHUGEPAGE), C(MADV_DONTDUMP),
	C(MADV_DODUMP), C(MADV_WIPEONFORK), C(MADV_KEEPONFORK), C(MADV_COLD), C(MADV_PAGEOUT),
	C(MADV_POPULATE_READ), C(MADV_POPULATE_WRITE), END
};

static const struct constant file_advices[] = {
	C(POSIX_FADV_NORMAL), C(POSIX_FADV_RANDOM), C(POSIX_FADV_SEQUENTIAL),
	C(POSIX_FADV_WILLNEED), C(POSIX_FADV_DONTNEED), C(POSIX_FADV_NOREUSE), END
};

static const struct constant lock_flags[] = {
	C(MCL_CURRENT), C(MCL_FUTURE), C(MCL_ONFAULT), END
};

static const struct constant families[] = {
	C(AF_UNSPEC), C(AF_UNIX), C(AF_INET), C(AF_INET6), C(AF_NETLINK), C(AF_PACKET),
	C(AF_ALG), C(AF_VSOCK), C(AF_BLUETOOTH), C(AF_CAN), C(AF_XDP), END
};

static const struct constant socket_types[] = {
	C(SOCK_STREAM), C(SOCK_DGRAM), C(SOCK_RAW), C(SOCK_RDM), C(SOCK_SEQPACKET),
	C(SOCK_PACKET), END
};

static const struct constant socket_flags[] = { C(SOCK_CLOEXEC), C(SOCK_NONBLOCK), END };

static const struct constant message_flags[] = {
	C(MSG_OOB), C(MSG_PEEK), C(MSG_DONTROUTE), C(MSG_CTRUNC), C(MSG_TRUNC), C(MSG_DONTWAIT),
	C(MSG_EOR), C(MSG_WAITALL), C(MSG_CONFIRM), C(MSG_ERRQUEUE), C(MSG_NOSIGNAL),
	C(MSG_MORE), C(MSG_WAITFORONE), C(MSG_FASTOPEN), C(MSG_CMSG_CLOEXEC), END
};

static const struct constant shutdowns[] = { C(SHUT_RD), C(SHUT_WR), C(SHUT_RDWR), END };

static const struct constant socket_levels[] = {
	C(SOL_SOCKET), { 0, "SOL_IP" }, { 6, "SOL_TCP" }, { 17, "SOL_UDP" }, { 41, "SOL_IPV6" },
	{ 270, "SOL_NETLINK" }, END
};

static const struct constant places[] = {
	C(SEEK_SET), C(SEEK_CUR), C(SEEK_END), C(SEEK_DATA), C(SEEK_HOLE), END
};

static const struct constant file_commands[] = {
	C(F_DUPFD), C(F_DUPFD_CLOEXEC), C(F_GETFD), C(F_SETFD), C(F_GETFL), C(F_SETFL),
	C(F_GETLK), C(F_SETLK), C(F_SETLKW), C(F_SETOWN), C(F_GETOWN), C(F_SETSIG), C(F_GETSIG),
	C(F_SETOWN_EX), C(F_GETOWN_EX), C(F_OFD_GETLK), C(F_OFD_SETLK), C(F_OFD_SETLKW),
	C(F_SETLEASE), C(F_GETLEASE), C(F_NOTIFY), C(F_SETPIPE_SZ), C(F_GETPIPE_SZ),
	C(F_ADD_SEALS), C(F_GET_SEALS), END
};

static const struct constant file_locks[] = { C(LOCK_SH), C(LOCK_EX), C(LOCK_UN), END };

static const struct constant file_lock_flags[] = { C(LOCK_NB), END };

static const struct constant futex_commands[] = {
	C(FUTEX_WAIT), C(FUTEX_WAKE), C(FUTEX_REQUEUE), C(FUTEX_CMP_REQUEUE), C(FUTEX_WAKE_OP),
	C(FUTEX_LOCK_PI), C(FUTEX_UNLOCK_PI), C(FUTEX_TRYLOCK_PI), C(FUTEX_WAIT_BITSET),
	C(FUTEX_WAKE_BITSET), C(FUTEX_WAIT_REQUEUE_PI), C(FUTEX_CMP_REQUEUE_PI), END
};

static const struct constant futex_flags[] = {
	C(FUTEX_PRIVATE_FLAG), C(FUTEX_CLOCK_REALTIME), END
};

static const struct constant clone_flags[] = {
	C(CLONE_VM), C(CLONE_FS), C(CLONE_FILES), C(CLONE_SIGHAND), C(CLONE_PIDFD),
	C(CLONE_PTRACE), C(CLONE_VFORK), C(CLONE_PARENT), C(CLONE_THREAD), C(CLONE_NEWNS),
	C(CLONE_SYSVSEM), C(CLONE_SETTLS), C(CLONE_PARENT_SETTID), C(CLONE_CHILD_CLEARTID),
	C(CLONE_DETACHED), C(CLONE_UNTRACED), C(CLONE_CHILD_SETTID), C(CLONE_NEWCGROUP),
	C(CLONE_NEWUTS), C(CLONE_NEWIPC), C(CLONE_NEWUSER), C(CLONE_NEWPID), C(CLONE_NEWNET),
	C(CLONE_IO), END
};

static const struct constant epoll_commands[] = {
	C(EPOLL_CTL_ADD), C(EPOLL_CTL_DEL), C(EPOLL_CTL_MOD), END
};

static const struct constant epoll_flags[] = { C(EPOLL_CLOEXEC), END };

static const struct constant eventfd_flags[] = {
	C(EFD_CLOEXEC), C(EFD_NONBLOCK), C(EFD_SEMAPHORE), END
};

static const struct constant fd_flags[] = { C(O_CLOEXEC), C(O_NONBLOCK), C(O_DIRECT), END };

static const struct constant watch_masks[] = {
	C(IN_ALL_EVENTS), C(IN_ACCESS), C(IN_MODIFY), C(IN_ATTRIB), C(IN_CLOSE_WRITE),
	C(IN_CLOSE_NOWRITE), C(IN_OPEN), C(IN_MOVED_FROM), C(IN_MOVED_TO), C(IN_CREATE),
	C(IN_DELETE), C(IN_DELETE_SELF), C(IN_MOVE_SELF), C(IN_ONLYDIR), C(IN_DONT_FOLLOW),
	C(IN_EXCL_UNLINK), C(IN_MASK_CREATE), C(IN_MASK_ADD), C(IN_ISDIR), C(IN_ONESHOT), END
};

static const struct constant inotify_flags[] = { C(IN_CLOEXEC), C(IN_NONBLOCK), END };

static const struct constant signalfd_flags[] = { C(SFD_CLOEXEC), C(SFD_NONBLOCK), END };

static const struct constant timerfd_flags[] = { C(TFD_CLOEXEC), C(TFD_NONBLOCK), END };

static const struct constant timerfd_set_flags[] = {
	C(TFD_TIMER_ABSTIME), C(TFD_TIMER_CANCEL_ON_SET), END
};

static const struct constant memfd_flags[] = {
	C(MFD_CLOEXEC), C(MFD_ALLOW_SEALING), C(MFD_HUGETLB), END
};

static const struct constant random_flags[] = { C(GRND_NONBLOCK), C(GRND_RANDOM), END };

static const struct constant sleep_flags[] = { C(TIMER_ABSTIME), END };

static const struct constant rename_flags[] = {
	{ 1, "RENAME_NOREPLACE" }, { 2, "RENAME_EXCHANGE" }, { 4, "RENAME_WHITEOUT" }, END
};

static const struct constant close_range_flags[] = {
	C(CLOSE_RANGE_UNSHARE), C(CLOSE_RANGE_CLOEXEC), END
};

static const struct constant clocks[] = {
	C(CLOCK_REALTIME), C(CLOCK_MONOTONIC), C(CLOCK_PROCESS_CPUTIME_ID),
	C(CLOCK_THREAD_CPUTIME_ID), C(CLOCK_MONOTONIC_RAW), C(CLOCK_REALTIME_COARSE),
	C(CLOCK_MONOTONIC_COARSE), C(CLOCK_BOOTTIME), C(CLOCK_REALTIME_ALARM),
	C(CLOCK_BOOTTIME_ALARM), C(CLOCK_TAI), END
};

static const struct constant process_options[] = {
	C(PR_SET_PDEATHSIG), C(PR_GET_PDEATHSIG), C(PR_GET_DUMPABLE), C(PR_SET_DUMPABLE),
	C(PR_GET_KEEPCAPS), C(PR_SET_KEEPCAPS), C(PR_SET_NAME), C(PR_GET_NAME),
	C(PR_GET_SECCOMP), C(PR_SET_SECCOMP), C(PR_CAPBSET_READ), C(PR_CAPBSET_DROP),
	C(PR_TASK_PERF_EVENTS_DISABLE), C(PR_TASK_PERF_EVENTS_ENABLE), C(PR_GET_TIMERSLACK),
	C(PR_SET_TIMERSLACK), C(PR_SET_MM), C(PR_SET_CHILD_SUBREAPER),
	C(PR_GET_CHILD_SUBREAPER), C(PR_SET_NO_NEW_PRIVS), C(PR_GET_NO_NEW_PRIVS),
	C(PR_SET_THP_DISABLE), C(PR_GET_THP_DISABLE), C(PR_CAP_AMBIENT), C(PR_SET_VMA), END
};

#ifdef ARCH_SET_FS
static const struct constant arch_options[] = {
	C(ARCH_SET_GS), C(ARCH_SET_FS), C(ARCH_GET_FS), C(ARCH_GET_GS), C(ARCH_GET_CPUID),
	C(ARCH_SET_CPUID), { 0x3001, "ARCH_CET_STATUS" }, END
};
#endif

static const struct constant resources[] = {
	C(RLIMIT_CPU), C(RLIMIT_FSIZE), C(RLIMIT_DATA), C(RLIMIT_STACK), C(RLIMIT_CORE),
	C(RLIMIT_RSS), C(RLIMIT_NPROC), C(RLIMIT_NOFILE), C(RLIMIT_MEMLOCK), C(RLIMIT_AS),
	C(RLIMIT_LOCKS), C(RLIMIT_SIGPENDING), C(RLIMIT_MSGQUEUE), C(RLIMIT_NICE),
	C(RLIMIT_RTPRIO), C(RLIMIT_RTTIME), END
};

static const struct constant whose_usage[] = {
	C(RUSAGE_SELF), C(RUSAGE_CHILDREN), C(RUSAGE_THREAD), END
};

static const struct constant whose_priority[] = {
	C(PRIO_PROCESS), C(PRIO_PGRP), C(PRIO_USER), END
};

static const struct constant timers[] = {
	C(ITIMER_REAL), C(ITIMER_VIRTUAL), C(ITIMER_PROF), END
};

static const struct constant wait_flags[] = {
	C(WNOHANG), C(WUNTRACED), C(WCONTINUED), C(WEXITED), C(WNOWAIT), C(__WNOTHREAD),
	C(__WALL), C(__WCLONE), END
};

static const struct constant waited_for[] = { C(P_ALL), C(P_PID), C(P_PGID), C(P_PIDFD), END };

static const struct constant mask_changes[] = {
	C(SIG_BLOCK), C(SIG_UNBLOCK), C(SIG_SETMASK), END
};

static const struct constant mount_flags[] = {
	C(MS_RDONLY), C(MS_NOSUID), C(MS_NODEV), C(MS_NOEXEC), C(MS_SYNCHRONOUS), C(MS_REMOUNT),
	C(MS_MANDLOCK), C(MS_DIRSYNC), C(MS_NOATIME), C(MS_NODIRATIME), C(MS_BIND), C(MS_MOVE),
	C(MS_REC), C(MS_SILENT), C(MS_UNBINDABLE), C(MS_PRIVATE), C(MS_SLAVE), C(MS_SHARED),
	C(MS_RELATIME), C(MS_STRICTATIME), C(MS_LAZYTIME), END
};

static const struct constant unmount_flags[] = {
	C(MNT_FORCE), C(MNT_DETACH), C(MNT_EXPIRE), C(UMOUNT_NOFOLLOW), END
};

static const struct constant barriers[] = {
	C(MEMBARRIER_CMD_QUERY), C(MEMBARRIER_CMD_GLOBAL), C(MEMBARRIER_CMD_PRIVATE_EXPEDITED),
	C(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED), END
};

static void print_signal(uint64_t number, FILE *out)
{
	const char *name = number <= INT32_MAX ? sigabbrev_np(number) : NULL;

	if (name)
		fprintf(out, "SIG%s", name);
	else if (number >= 32 && number <= 64)
		fprintf(out, "SIGRT_%d", (int)number - 32);
	else
		fprintf(out, "%d", (int)number);
}

#define NUMBERS(names)	.number = UINT32_MAX, .numbers = (names)
#define FLAGS(names)	.flags = (names)

static const struct constants tables[] = {
	{ "open,openat,mq_open", "flags,oflag", O_ACCMODE, open_modes, open_flags, NULL },
	{ "access,faccessat", "mode", 0, no_access, access_modes, NULL },
	{ "faccessat2", "mode", 0, no_access, access_modes, NULL },
	{ "faccessat2", "flags", FLAGS(eaccess_flags) },
	{ "unlinkat", "flag", FLAGS(removal_flags) },
	{ "newfstatat,fchownat,linkat,statx,utimensat,execveat,name_to_handle_at",
	  "flag,flags", FLAGS(at_flags) },
	{ "statx", "mask", FLAGS(statx_masks) },
	{ "mmap,mprotect,pkey_mprotect", "prot", 0, no_protection, protections, NULL },
	{ "mmap", "flags", MAP_TYPE, mapping_types, mapping_flags, NULL },
	{ "mremap", "flags", FLAGS(remap_flags) },
	{ "msync", "flags", FLAGS(sync_flags) },
	{ "mlockall", "flags", FLAGS(lock_flags) },
	{ "madvise,process_madvise", "behavior", NUMBERS(advices) },
	{ "fadvise64", "advice", NUMBERS(file_advices) },
	{ "socket,socketpair", "family", NUMBERS(families) },
	{ "socket,socketpair", "type", 0xf, socket_types, socket_flags, NULL },
	{ "accept4", "flags", FLAGS(socket_flags) },
	{ "sendto,recvfrom,sendmsg,recvmsg,sendmmsg,recvmmsg", "flags", FLAGS(message_flags) },
	{ "shutdown", "how", NUMBERS(shutdowns) },
	{ "setsockopt,getsockopt", "level", NUMBERS(socket_levels) },
	{ "lseek", "whence", NUMBERS(places) },
	{ "fcntl", "cmd", NUMBERS(file_commands) },
	{ "flock", "cmd", LOCK_SH | LOCK_EX | LOCK_UN, file_locks, file_lock_flags, NULL },
	{ "futex", "op", FUTEX_CMD_MASK & 0xffffffff, futex_commands, futex_flags, NULL },
	/* The low byte of clone_flags is the signal that the parent gets. */
	{ "clone", "clone_flags", 0xff, NULL, clone_flags, print_signal },
	{ "unshare,setns", "unshare_flags,flags", FLAGS(clone_flags) },
	{ "epoll_ctl", "op", NUMBERS(epoll_commands) },
	{ "epoll_create1", "flags", FLAGS(epoll_flags) },
	{ "eventfd2", "flags", FLAGS(eventfd_flags) },
	{ "pipe2,dup3", "flags", FLAGS(fd_flags) },
	{ "inotify_add_watch", "mask", FLAGS(watch_masks) },
	{ "inotify_init1", "flags", FLAGS(inotify_flags) },
	{ "signalfd4", "flags", FLAGS(signalfd_flags) },
	{ "timerfd_create", "flags", FLAGS(timerfd_flags) },
	{ "timerfd_settime", "flags", FLAGS(timerfd_set_flags) },
	{ "memfd_create", "flags", FLAGS(memfd_flags) },
	{ "getrandom", "flags", FLAGS(random_flags) },
	{ "clock_nanosleep,timer_settime", "flags", FLAGS(sleep_flags) },
	{ "renameat2", "flags", FLAGS(rename_flags) },
	{ "close_range", "flags", FLAGS(close_range_flags) },
	{ "clock_gettime,clock_settime,clock_getres,clock_nanosleep,timer_create,timerfd_create",
	  "which_clock,clockid", NUMBERS(clocks) },
	{ "prctl", "option", NUMBERS(process_options) },
#ifdef ARCH_SET_FS
	{ "arch_prctl", "option", NUMBERS(arch_options) },
#endif
	{ "prlimit64,getrlimit,setrlimit", "resource", NUMBERS(resources) },
	{ "getrusage", "who", NUMBERS(whose_usage) },
	{ "getpriority,setpriority", "which", NUMBERS(whose_priority) },
	{ "getitimer,setitimer", "which", NUMBERS(timers) },
	{ "wait4,waitid", "options", FLAGS(wait_flags) },
	{ "waitid", "which", NUMBERS(waited_for) },
	{ "rt_sigprocmask", "how", NUMBERS(mask_changes) },
	{ "kill,tkill,tgkill,rt_sigaction,rt_sigqueueinfo,rt_tgsigqueueinfo,pidfd_send_signal",
	  "sig", .number = UINT32_MAX, .print = print_signal },
	{ "mount", "flags", FLAGS(mount_flags) },
	{ "umount,umount2", "flags", FLAGS(unmount_flags) },
	{ "membarrier", "cmd", NUMBERS(barriers) },
};

const struct constants *constants_find(const char *syscall, const char *arg)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		if (in_list(tables[i].calls, syscall) && in_list(tables[i].args, arg))
			return &tables[i];
	}
	return NULL;
}

static const char *name_of(const struct constant *constants, uint64_t value)
{
	for (; constants->name; constants++) {
		if (constants->value == value)
			return constants->name;
	}
	return NULL;
}

/* Print the names of flags in @value. Return: the flags without a name. */
static uint64_t print_flags(const struct constant *flags, uint64_t value, bool *first, FILE *out)
{
	for (; flags->name; flags++) {
		if (!flags->value || (value & flags->value) != flags->value)
			continue;
		fprintf(out, "%s%s", *first ? "" : "|", flags->name);
		*first = false;
		value &= ~flags->value;
	}
	return value;
}

void constants_print(const struct constants *constants, uint64_t value, FILE *out)
{
	/* The argument is an int; the upper half of its register is undefined. */
	uint64_t number = (uint32_t)value & constants->number;
	uint64_t left = (uint32_t)value & ~constants->number;
	const char *name = NULL;
	bool first = true;

	if (constants->numbers && (constants->number || !left))
		name = name_of(constants->numbers, number);
	if (name) {
		fputs(name, out);
		first = false;
	} else if (constants->print && (number || !constants->flags)) {
		constants->print(number, out);
		first = false;
	} else if (number) {
		left |= number;
	}
	if (constants->flags)
		left = print_flags(constants->flags, left, &first, out);
	if (left || first)
		fprintf(out, "%s%#llx", first ? "" : "|", (unsigned long long)left);
}
