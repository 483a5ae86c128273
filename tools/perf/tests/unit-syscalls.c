// SPDX-License-Identifier: GPL-2.0
/*
 * System calls as perf trace prints them: records made by hand, valid and damaged ones, and
 * calls without a beginning or an end.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../../../include/uapi/linux/perf_counter.h"
#include "trace/trace.h"
#include "trace/sockaddr.h"
#include "unit.h"

#define MS 1000000ULL

static const struct call_layout layout = { .nr = 8, .nr_size = 8, .values = 16 };

static FILE *out;
static char *text;
static size_t text_size;

static void open_out(void)
{
	out = open_memstream(&text, &text_size);
}

static void check_out(const char *expected, const char *what)
{
	fclose(out);
	check_string(text, expected, what);
	free(text);
}

/* === Names of numbers === */

static void check_constants(const char *syscall, const char *arg, uint64_t value,
			    const char *expected)
{
	const struct constants *constants = constants_find(syscall, arg);

	if (!check(constants, "%s has names for %s", syscall, arg))
		return;
	open_out();
	constants_print(constants, value, out);
	check_out(expected, expected);
}

static void test_constants(void)
{
	check_constants("openat", "flags", O_RDONLY, "O_RDONLY");
	check_constants("openat", "flags", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
			"O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC");
	check_constants("openat", "flags", O_RDWR | O_TMPFILE, "O_RDWR|O_TMPFILE");
	check_constants("openat", "flags", O_RDONLY | O_DIRECTORY, "O_RDONLY|O_DIRECTORY");
	check_constants("openat", "flags", 3, "0x3");
	check_constants("openat", "flags", 0x40000000, "O_RDONLY|0x40000000");
	check_constants("mmap", "prot", PROT_NONE, "PROT_NONE");
	check_constants("mmap", "prot", PROT_READ | PROT_EXEC, "PROT_READ|PROT_EXEC");
	check_constants("mmap", "flags", MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
			"MAP_PRIVATE|MAP_FIXED|MAP_ANONYMOUS");
	check_constants("socket", "type", SOCK_STREAM | SOCK_CLOEXEC, "SOCK_STREAM|SOCK_CLOEXEC");
	check_constants("socket", "family", 200, "0xc8");
	check_constants("access", "mode", F_OK, "F_OK");
	check_constants("access", "mode", R_OK | X_OK, "R_OK|X_OK");
	check_constants("lseek", "whence", SEEK_SET, "SEEK_SET");
	check_constants("kill", "sig", 9, "SIGKILL");
	check_constants("kill", "sig", 0, "0");
	check_constants("kill", "sig", 40, "SIGRT_8");
	check_constants("clone", "clone_flags", 0x1200011,
			"SIGCHLD|CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID");
	check_constants("clone", "clone_flags", 0x10000, "CLONE_THREAD");
	check_constants("clone", "clone_flags", 0, "0");
	check_constants("futex", "op", 128, "FUTEX_WAIT|FUTEX_PRIVATE_FLAG");
	check_constants("wait4", "options", 0, "0");
	check_constants("wait4", "options", 0xffffffff00000001, "WNOHANG");
	check(!constants_find("openat", "filename"), "a path is not a number");
	check(!constants_find("read", "flags"), "flags belong to their call");
}

/* === Addresses of sockets === */

static void check_sockaddr(const void *address, size_t size, const char *expected)
{
	open_out();
	sockaddr_print(address, size, out);
	check_out(expected, expected);
}

static void test_sockaddr(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(80) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(443) };
	struct sockaddr_nl nl = { .nl_family = AF_NETLINK, .nl_pid = 7, .nl_groups = 3 };
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "/run/a" };

	inet_pton(AF_INET, "10.1.2.3", &in.sin_addr);
	inet_pton(AF_INET6, "2001:db8::1", &in6.sin6_addr);
	check_sockaddr(&in, sizeof(in), "10.1.2.3:80");
	check_sockaddr(&in6, sizeof(in6), "[2001:db8::1]:443");
	check_sockaddr(&in6, sizeof(in6) - 4, "[2001:db8::1]:443");
	check_sockaddr(&nl, sizeof(nl), "netlink:7, groups 0x3");
	check_sockaddr(&un, sizeof(un), "unix:\"/run/a\"");
	check_sockaddr(&un, 2, "unix:\"\"");
	check_sockaddr(&un, 4, "unix:\"/r\"");
	memcpy(un.sun_path, "\0a\0b", 4);
	check_sockaddr(&un, 6, "unix:@\"a\\x00b\"");
	/* Truncated: no address is shown. */
	check_sockaddr(&in, 6, "family 2, \"\\x00P\\n\\x01\"");
	check_sockaddr(&in, 1, "\"\\x02\"");
	check_sockaddr("", 0, "\"\"");
}

/* === Records === */

/* The record of a call's beginning that a test is putting together. */
static struct {
	char bytes[512];
	size_t size;
} raw;

static void put(const void *bytes, size_t size)
{
	memcpy(raw.bytes + raw.size, bytes, size);
	raw.size += size;
}

static void put_u64(uint64_t word)
{
	put(&word, sizeof(word));
}

static void make_enter(uint64_t nr, uint64_t first)
{
	uint64_t i;

	memset(&raw, 0, sizeof(raw));
	put_u64(0);
	put_u64(nr);
	for (i = 0; i < SYSCALL_ARGS; i++)
		put_u64(first + i);
}

static size_t put_head(uint32_t arch)
{
	struct perf_counter_syscall head = { .arch = arch };

	put(&head, sizeof(head));
	return raw.size;
}

static void put_arg(uint8_t index, uint8_t flags, const char *bytes, size_t size)
{
	struct perf_counter_syscall_arg arg = { .index = index, .flags = flags, .size = size };

	put(&arg, sizeof(arg));
	put(bytes, size);
	raw.size = (raw.size + 7) & ~(size_t)7;
}

/* The data after the head are complete; raw data end with four more bytes. */
static void end_record(size_t head)
{
	struct perf_counter_syscall *at = (void *)(raw.bytes + head - sizeof(*at));

	at->size = raw.size - head;
	raw.size += 4;
}

static struct syscall_table table;

static int decode(struct call *call)
{
	return call_decode(call, &layout, &table, AUDIT_ARCH_X86_64, raw.bytes, raw.size);
}

static void test_records(void)
{
	struct call call;
	size_t head;

	make_enter(0, 5);
	raw.size += 4;
	check_number(decode(&call), 0, "a record without data is decoded");
	check_number(call.values[5], 10, "it has its arguments");
	check(!call.data[0].bytes, "it has no data of its arguments");
	call_free(&call);

	make_enter(257, 100);
	head = put_head(AUDIT_ARCH_X86_64);
	put_arg(1, PERF_COUNTER_SYSCALL_ARG_CUT, "/path", 5);
	put_arg(3, PERF_COUNTER_SYSCALL_ARG_MISSING, "", 0);
	put_arg(4, 0, "", 0);
	end_record(head);
	check_number(decode(&call), 0, "a record with data is decoded");
	check_string(call.syscall->name, "openat", "the call is openat");
	check(call.data[1].size == 5 && !memcmp(call.data[1].bytes, "/path", 5) &&
	      call.data[1].cut, "a truncated string is marked");
	check(!call.data[3].bytes, "a missing string is missing");
	check(call.data[4].bytes && !call.data[4].size && !call.data[4].cut,
	      "an empty string is kept");
	call_free(&call);

	make_enter(5, 0);
	head = put_head(AUDIT_ARCH_I386);
	end_record(head);
	check_number(decode(&call), 0, "a record of a 32-bit program is decoded");
	check_string(call.syscall->name, "open", "call 5 of i386 is open");
	check(!call.syscall->knows_args, "the arguments of an i386 call are unknown");
	call_free(&call);
	check_string(syscalls_get(&table, AUDIT_ARCH_X86_64, 5)->name, "fstat",
		     "call 5 of x86-64 is fstat");

	make_enter(123456, 1);
	check_number(decode(&call), 0, "an unknown call is decoded");
	open_out();
	call_print_name(&call, out);
	fputc('(', out);
	call_print_args(&call, out, NULL);
	check_out("syscall_123456(0x1, 0x2, 0x3, 0x4, 0x5, 0x6",
		  "an unknown call is printed with its number");
}

/* Inconsistent records: nothing beyond their end is read. */
static void test_damage(void)
{
	struct perf_counter_syscall *at;
	size_t head, size;
	struct call call;
	int64_t ret;
	long nr;

	make_enter(257, 0);
	for (size = 0; size < raw.size; size++) {
		char *exact = malloc(size ? size : 1);

		memcpy(exact, raw.bytes, size);
		if (!call_decode(&call, &layout, &table, AUDIT_ARCH_X86_64, exact, size))
			break;
		free(exact);
	}
	check_number(size, raw.size, "a record that ends too early is bad");

	make_enter(257, 0);
	head = put_head(AUDIT_ARCH_X86_64);
	put_arg(1, 0, "/path", 5);
	end_record(head);
	at = (void *)(raw.bytes + head - sizeof(*at));
	size = at->size;
	at->size = size + 8;
	check_number(decode(&call), -1, "more data than the record has are bad");
	at->size = 0xfffffff8;
	check_number(decode(&call), -1, "far more data than the record has are bad");
	at->size = size - 8;
	check_number(decode(&call), -1, "an argument beyond the data is bad");
	at->size = size - 1;
	check_number(decode(&call), -1, "a size that is not aligned is bad");
	at->size = size;
	raw.bytes[head] = SYSCALL_ARGS;
	check_number(decode(&call), -1, "a seventh argument is bad");
	raw.bytes[head] = 1;
	raw.bytes[head + 3] = 0x7f;
	check_number(decode(&call), -1, "a string longer than the record is bad");

	check_number(call_decode_return(&layout, raw.bytes, 23, &nr, &ret), -1,
		     "a return record that ends too early is bad");
	check_number(call_decode_return(&layout, raw.bytes, 24, &nr, &ret), 0,
		     "a whole return record is decoded");
}

/* === Arguments and results === */

static const struct syscall example = {
	.name = "example", .knows_args = true, .nr_args = 5,
	.args = {
		{ "dfd", ARG_DIRECTORY, NULL }, { "filename", ARG_ADDRESS, NULL },
		{ "mode", ARG_OCTAL, NULL }, { "n", ARG_UNSIGNED_LONG, NULL },
		{ "at", ARG_LONG, NULL },
	},
};

static const struct syscall short_example = {
	.name = "short", .knows_args = true, .nr_args = 2,
	.args = { { "dfd", ARG_DIRECTORY, NULL }, { "filename", ARG_ADDRESS, NULL } },
};

static const struct syscall connecting = {
	.name = "connecting", .knows_args = true, .nr_args = 2,
	.args = { { "fd", ARG_SIGNED, NULL }, { "uservaddr", ARG_SOCKADDR, NULL } },
};

static const struct syscall mapping = {
	.name = "mapping", .knows_args = true, .returns_address = true,
};

static void check_return(const struct syscall *syscall, int64_t ret, const char *expected)
{
	const struct call call = { .syscall = syscall, .begin = 1, .end = 2, .ret = ret };

	open_out();
	call_print_return(&call, out);
	check_out(expected, expected);
}

/* The path below, quoted for C and for JSON. */
#define QUOTED	"\"a\\\"\\\\\\n\\x01\xc3\xa4\\xff\""
#define IN_JSON	"\"a\\\"\\\\\\u000a\\u0001\xc3\xa4\\ufffd\""

static void test_print(void)
{
	struct call call = {
		.syscall = &example, .values = { AT_FDCWD, 4096, 0644, 1ULL << 63, -1ULL },
		.begin = 1,
	};
	static const char path[] = "a\"\\\n\001\xc3\xa4\xff";
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(80) };

	inet_pton(AF_INET, "10.1.2.3", &in.sin_addr);
	open_out();
	call_print_args(&call, out, NULL);
	check_out("dfd: AT_FDCWD, filename: 0x1000, mode: 0644, n: 9223372036854775808, at: -1",
		  "arguments are printed by their kinds");
	call.syscall = &short_example;
	call.data[1] = (struct arg_data){ path, sizeof(path) - 1, true };
	call.values[0] = 0xffffffff00000003;
	open_out();
	call_print_args(&call, out, NULL);
	check_out("dfd: 3, filename: " QUOTED "...", "a string is escaped");
	open_out();
	call_print_json(&call, out, NULL);
	check_out("\"args\": {\"dfd\": \"3\", \"filename\": " IN_JSON "}, \"ret\": null",
		  "a string is escaped in JSON");
	open_out();
	call_print_return(&call, out);
	check_out("?", "an unfinished call has ? as its result");
	call.syscall = &connecting;
	call.data[1] = (struct arg_data){ (const char *)&in, sizeof(in), false };
	open_out();
	call_print_json(&call, out, NULL);
	check_out("\"args\": {\"fd\": 3, \"uservaddr\": \"10.1.2.3:80\"}, \"ret\": null",
		  "an address of a socket in JSON");

	check_return(&example, 0, "0");
	check_return(&example, 12, "12");
	check_return(&example, -2, "-1 ENOENT (No such file or directory)");
	check_return(&example, -512, "-1 ERESTARTSYS");
	check_return(&example, -4000, "-1 (no errno)");
	check_return(&example, -5000, "-5000");
	check_return(&mapping, 0x7f0000001000, "0x7f0000001000");
	check_return(&mapping, -12, "-1 ENOMEM (Cannot allocate memory)");
}

/* === Two halves of a call === */

static void note(void *context, uint32_t pid, uint32_t tid, const struct call *call)
{
	(void)context;
	fprintf(out, "%u/%u ", pid, tid);
	call_print_name(call, out);
	fprintf(out, " %llu-%llu %lld;", (unsigned long long)call->begin,
		(unsigned long long)call->end, (long long)call->ret);
}

static struct calls calls = { .done = note };

static void begin(uint32_t pid, uint32_t tid, long nr, uint64_t time)
{
	struct call call;

	make_enter(nr, 0);
	raw.size += 4;
	call_decode(&call, &layout, &calls.table, AUDIT_ARCH_X86_64, raw.bytes, raw.size);
	call.begin = time;
	calls_begin(&calls, pid, tid, &call);
}

static void test_calls(void)
{
	/* x86-64 */
	enum { READ = 0, WRITE = 1, RT_SIGRETURN = 15, CLONE = 56, EXECVE = 59, EXIT = 60 };

	open_out();
	begin(1, 1, READ, 10);
	begin(1, 2, WRITE, 11);
	calls_return(&calls, 1, 1, READ, 5, 12);
	calls_return(&calls, 1, 2, WRITE, -9, 13);
	check_out("1/1 read 10-12 5;1/2 write 11-13 -9;", "calls of two threads are matched");

	open_out();
	begin(1, 1, READ, 20);
	begin(1, 1, WRITE, 21);
	check_out("1/1 read 20-0 0;", "a call without a return is completed at the next call");
	open_out();
	calls_return(&calls, 1, 1, READ, 7, 22);
	check_out("1/1 write 21-0 0;1/1 read 0-22 7;",
		  "a return of another call completes neither");
	open_out();
	calls_return(&calls, 1, 1, WRITE, 8, 23);
	check_out("1/1 write 0-23 8;", "a return without a call is printed");

	open_out();
	begin(1, 1, RT_SIGRETURN, 30);
	calls_return(&calls, 1, 1, -1, 0, 31);
	check_out("1/1 rt_sigreturn 30-31 0;", "the return of a signal handler completes the call");

	open_out();
	begin(1, 1, CLONE, 40);
	calls_fork(&calls, 1, 1, 3, 3);
	calls_return(&calls, 3, 3, CLONE, 0, 41);
	calls_return(&calls, 1, 1, CLONE, 3, 42);
	begin(3, 3, READ, 43);
	calls_return(&calls, 3, 3, READ, 0, 44);
	check_out("1/1 clone 40-42 3;3/3 read 43-44 0;",
		  "a child's return from clone is not a call");

	open_out();
	calls_expect_native(&calls, 5);
	calls_return(&calls, 5, 5, EXECVE, 0, 45);
	check_out("5/5 execve 0-45 0;", "the exec of the command is printed");

	open_out();
	begin(3, 3, EXIT, 50);
	calls_exit(&calls, 3, 3);
	calls_exit(&calls, 9, 9);
	check_out("3/3 exit 50-0 0;", "an exit does not return");

	open_out();
	begin(1, 1, READ, 61);
	begin(1, 2, WRITE, 60);
	calls_end(&calls);
	check_out("1/2 write 60-0 0;1/1 read 61-0 0;",
		  "pending calls are printed in order at the end");

	/* Without a process, the program's architecture is unknown. */
	open_out();
	calls_return(&calls, 999999999, 999999999, 0, 1, 70);
	check_out("999999999/999999999 syscall_0 0-70 1;",
		  "a call of an unknown program has its number");
	calls_free(&calls);
}

/* === Summary === */

static void test_summary(void)
{
#define HEAD \
	"   syscall               calls  errors  total (ms)  min (ms)  avg (ms)  max (ms)     spread\n"
#define CLOSE \
	"   close                     1       0       8.000     8.000     8.000     8.000      0.00%\n"
#define READ \
	"   read                      4       1       6.000     1.000     2.000     3.000     28.87%\n"
#define EBADF_LINE "                           EBADF: 1\n"
	static const char expected[] =
		"\n one (7), 5 calls\n\n" HEAD CLOSE READ EBADF_LINE
		"\n two (7), 1 calls\n\n" HEAD CLOSE "\n";
	static const struct syscall read_call = { .name = "read" };
	static const struct syscall close_call = { .name = "close" };
	struct summary summary = { 0 };
	struct call call = { .syscall = &read_call, .begin = 10 * MS };
	int i;

	for (i = 1; i <= 3; i++) {
		call.end = call.begin + i * MS;
		call.ret = i == 3 ? -EBADF : 0;
		summary_add(&summary, "one", 7, &call);
	}
	call.end = 0;
	summary_add(&summary, "one", 7, &call);
	call = (struct call){ .syscall = &close_call, .begin = MS, .end = 9 * MS };
	summary_add(&summary, "one", 7, &call);
	summary_add(&summary, "two", 7, &call);
	open_out();
	summary_print(&summary, out, true, 0);
	check_out(expected, "each thread has a table");
	summary_free(&summary);
}

static void test_names(void)
{
	struct int_list numbers = { 0 };

	check(syscalls_numbers("openat", &numbers) && int_list_has(&numbers, 257) &&
	      int_list_has(&numbers, 295) && numbers.nr == 2,
	      "a name has a number per kind of program");
	int_list_free(&numbers);
	check(syscalls_numbers("perf_counter_open", &numbers) && int_list_has(&numbers, 900),
	      "perf_counter_open has its number");
	int_list_free(&numbers);
	check(!syscalls_numbers("nosuchcall", &numbers) && !numbers.nr,
	      "an unknown name has no number");
	check(syscalls_numbers("open*", &numbers) && numbers.nr > 6, "a pattern");
	int_list_free(&numbers);
	check(syscall_group("file") == syscall_group("%file") && syscall_group("file"),
	      "a group has a name with and without a percent sign");
	check(!syscall_group("signal") && syscall_group("%signal"),
	      "a name of a system call and a group is the system call");
	check(!syscall_group("%nosuch") && !syscall_group("openat"), "names that are no groups");
}

int main(void)
{
	test_constants();
	test_sockaddr();
	test_records();
	test_damage();
	test_print();
	test_calls();
	test_summary();
	test_names();
	syscalls_free(&table);
	return unit_finish();
}
