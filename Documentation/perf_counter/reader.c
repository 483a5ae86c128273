// SPDX-License-Identifier: GPL-2.0
/*
 * Lists the page faults of a command and of all the processes that it starts:
 * one descriptor, one buffer, any number of CPUs. The reader's half of the
 * protocol in ring-buffer.rst.
 *
 *	reader COMMAND [ARGUMENT...]
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/perf_counter.h>

#define DATA_PAGES 64

/* A SAMPLE record with the sample_type below, and a LOST record. */
struct fault {
	struct perf_event_header header;
	__u64 ip;
	__u32 pid, tid;
	__u64 addr;
};

struct lost {
	struct perf_event_header header;
	__u64 id;
	__u64 lost;
};

union record {
	struct perf_event_header header;
	struct fault fault;
	struct lost lost;
	char bytes[65536];
};

static unsigned long long faults, lost;

static void die(const char *what)
{
	fprintf(stderr, "reader: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void print_record(const union record *rec)
{
	switch (rec->header.type) {
	case PERF_RECORD_SAMPLE:
		printf("%d/%d at %#llx touches %#llx\n", rec->fault.pid, rec->fault.tid,
		       rec->fault.ip, rec->fault.addr);
		faults++;
		break;
	case PERF_RECORD_LOST:
		lost += rec->lost.lost;
		break;
	}
}

/*
 * Copy bytes out of the data, which are mapped once here: a record at their end
 * goes on at their beginning.
 */
static void copy_out(const char *data, __u64 size, __u64 pos, void *to, size_t len)
{
	size_t at = pos & (size - 1), first = len < size - at ? len : size - at;

	memcpy(to, data + at, first);
	memcpy((char *)to + first, data, len - first);
}

/* Take what there is: data_tail .. data_head. */
static void drain(struct perf_event_mmap_page *control)
{
	const char *data = (const char *)control + control->data_offset;
	__u64 size = control->data_size, tail = control->data_tail;
	/* Acquire: the records before the head were written before the head. */
	__u64 head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	static union record rec;

	while (tail != head) {
		copy_out(data, size, tail, &rec.header, sizeof(rec.header));
		copy_out(data, size, tail, &rec, rec.header.size);
		print_record(&rec);
		tail += rec.header.size;
	}
	/* Release: it was read before the kernel may write there again. */
	__atomic_store_n(&control->data_tail, tail, __ATOMIC_RELEASE);
}

int main(int argc, char **argv)
{
	struct perf_counter_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR,
		.disabled = 1,
		.enable_on_exec = 1,
		.inherit = 1,
		.exclude_kernel = 1,
	};
	long page = sysconf(_SC_PAGESIZE);
	struct pollfd poll_fd = { .events = POLLIN };
	struct perf_event_mmap_page *control;
	int fd, start[2];
	pid_t child;
	char go = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: reader COMMAND [ARGUMENT...]\n");
		return 129;
	}
	if (pipe(start))
		die("pipe");
	child = fork();
	if (child < 0)
		die("fork");
	if (!child) {
		close(start[1]);
		if (read(start[0], &go, 1) != 1)
			_exit(1);
		execvp(argv[1], argv + 1);
		die(argv[1]);
	}

	fd = syscall(__NR_perf_counter_open, &attr, child, -1, -1, PERF_COUNTER_FLAG_FD_CLOEXEC);
	if (fd < 0)
		die("perf_counter_open");
	control = mmap(NULL, (1 + DATA_PAGES) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (control == MAP_FAILED)
		die("mmap");
	if (write(start[1], &go, 1) != 1)
		die("write");

	/* Hung up: the last process of the tree has ended. */
	poll_fd.fd = fd;
	while (!(poll_fd.revents & POLLHUP)) {
		if (poll(&poll_fd, 1, -1) < 0 && errno != EINTR)
			die("poll");
		drain(control);
	}
	waitpid(child, NULL, 0);
	printf("%llu faults, %llu lost\n", faults, lost);
	return 0;
}
