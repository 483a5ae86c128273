// SPDX-License-Identifier: GPL-2.0
/*
 * READ_EACH and READ_SELF: the values of the single tasks and CPUs of a descriptor.
 *
 * The tasks take the ordered page faults only, so the value of every row is known.
 */
#include <poll.h>

#include "pc_hw.h"
#include "pc_test.h"
#include "pc_work.h"

#define MAX_ROWS 64
#define TASKS 4
/* The page faults of task @i at an order. */
#define FAULTS(i) (100 + (i))

static const __u64 all_formats = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
				 PERF_FORMAT_ID | PERF_FORMAT_LOST;

/* Rows as a call returned them, and their layout. */
struct table {
	__u64 memory[MAX_ROWS * 64];
	struct perf_counter_rows rows;
	__u64 format;
};

static struct table table;

static int read_each(int fd, __u64 format)
{
	memset(&table, 0xff, sizeof(table));
	table.rows = (struct perf_counter_rows) {
		.rows = (unsigned long)table.memory,
		.size = sizeof(table.memory),
	};
	table.format = format;
	return ioctl(fd, PERF_COUNTER_IOC_READ_EACH, &table.rows);
}

/* The calling thread's row, in memory of its own. Returns 0 or -1. */
static int read_self(int fd, __u64 format, struct perf_counter_row *head, struct pc_values *values)
{
	__u64 memory[64];
	struct perf_counter_rows rows = {
		.rows = (unsigned long)memory, .size = sizeof(memory),
	};

	if (ioctl(fd, PERF_COUNTER_IOC_READ_SELF, &rows) || rows.nr != 1)
		return -1;
	memcpy(head, memory, sizeof(*head));
	if (pc_parse_values(memory + 1, format, values) != (int)(rows.row_size / 8) - 1)
		return -1;
	return 0;
}

static struct perf_counter_row *row_at(unsigned int i)
{
	return (void *)((char *)table.memory + i * table.rows.row_size);
}

/* Find the row of a thread and of a CPU, and decode its values. Returns 0 or -1. */
static int find_row(int tid, int cpu, struct pc_values *values)
{
	for (unsigned int i = 0; i < table.rows.nr; i++) {
		struct perf_counter_row *row = row_at(i);

		if (row->tid != tid || row->cpu != cpu)
			continue;
		return pc_parse_values((__u64 *)row->values, table.format, values) ==
		       (int)(table.rows.row_size / 8) - 1 ? 0 : -1;
	}
	return -1;
}

/* The value of a row of a single counter; all ones if there is no such row. */
static __u64 value_of_row(int tid, int cpu)
{
	struct pc_values values;

	return find_row(tid, cpu, &values) ? -1ULL : values.v[0].value;
}

static __u64 sum_of_rows(void)
{
	struct pc_values values;
	__u64 sum = 0;

	for (unsigned int i = 0; i < table.rows.nr; i++) {
		pc_parse_values((__u64 *)row_at(i)->values, table.format, &values);
		sum += values.v[0].value;
	}
	return sum;
}

FIXTURE(rows) {
	struct perf_counter_attr attr;
	struct pc_task t[TASKS];
	int fd;
};

FIXTURE_SETUP(rows)
{
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr.inherit = 1;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	pc_faults(1);
	/* Bring the code and the table into memory. */
	read_each(self->fd, 0);
	pc_value(self->fd);
}

FIXTURE_TEARDOWN(rows)
{
	if (!pc_on_perf_event())
		close(self->fd);
}

PC_TEST(rows, each_task_has_a_row_with_its_value)
{
	for (int i = 0; i < TASKS; i++)
		ASSERT_OK(pc_spawn_warm(&self->t[i], pc_worker, FAULTS(i)));
	pc_enable(self->fd);
	for (int i = 0; i < TASKS; i++)
		ASSERT_OK(pc_tell(&self->t[i], PC_WORK));
	pc_faults(7);
	pc_disable(self->fd);

	ASSERT_OK(read_each(self->fd, 0));
	EXPECT_EQ(16, table.rows.row_size);
	EXPECT_EQ(2 + TASKS, table.rows.nr);
	EXPECT_EQ(0, value_of_row(-1, -1)) TH_LOG("no task has exited");
	EXPECT_EQ(7, value_of_row(getpid(), -1));
	for (int i = 0; i < TASKS; i++)
		EXPECT_EQ(FAULTS(i), value_of_row(self->t[i].pid, -1));
	EXPECT_EQ(pc_value(self->fd), sum_of_rows());

	EXPECT_OK(pc_reap(&self->t[0]));
	EXPECT_OK(pc_reap(&self->t[2]));
	ASSERT_OK(read_each(self->fd, 0));
	EXPECT_EQ(TASKS, table.rows.nr);
	EXPECT_EQ(FAULTS(0) + FAULTS(2), value_of_row(-1, -1)) TH_LOG("two tasks have exited");
	EXPECT_EQ(-1ULL, value_of_row(self->t[0].pid, -1));
	EXPECT_EQ(FAULTS(1), value_of_row(self->t[1].pid, -1));
	EXPECT_EQ(pc_value(self->fd), sum_of_rows());
	EXPECT_OK(pc_reap(&self->t[1]));
	EXPECT_OK(pc_reap(&self->t[3]));
}

/* Every row has the fields that read_format selects, as read() has them. */
PC_TEST(rows, rows_have_the_layout_of_read)
{
	struct pc_values row, all;
	int fd;

	self->attr.read_format = all_formats;
	fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_spawn_warm(&self->t[0], pc_worker, 50));
	pc_enable(fd);
	ASSERT_OK(pc_tell(&self->t[0], PC_WORK));
	pc_disable(fd);
	ASSERT_EQ(pc_read_size(all_formats, 1), pc_read(fd, all_formats, &all));
	ASSERT_OK(read_each(fd, all_formats));
	EXPECT_EQ(8 + pc_read_size(all_formats, 1), table.rows.row_size);
	ASSERT_OK(find_row(self->t[0].pid, -1, &row));
	EXPECT_EQ(50, row.v[0].value);
	EXPECT_EQ(pc_id(fd), row.v[0].id);
	EXPECT_LT(0, row.enabled);
	EXPECT_EQ(row.enabled, row.running);
	EXPECT_GT(all.enabled, row.enabled) TH_LOG("the sum includes this process");
	EXPECT_OK(pc_reap(&self->t[0]));
	close(fd);
}

/* With PERF_FORMAT_GROUP, each row has the values of the task's whole group. */
PC_TEST(rows, a_row_has_the_values_of_a_group)
{
	const __u64 format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	struct pc_values row;
	int leader, member;

	self->attr.read_format = format;
	leader = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(leader);
	self->attr.config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
	self->attr.disabled = 0;
	member = pc_open(&self->attr, 0, -1, leader);
	ASSERT_FD(member);
	for (int i = 0; i < 2; i++)
		ASSERT_OK(pc_spawn_warm(&self->t[i], pc_worker, FAULTS(i)));
	ASSERT_OK(read_each(leader, format));
	pc_enable(leader);
	for (int i = 0; i < 2; i++)
		ASSERT_OK(pc_tell(&self->t[i], PC_WORK));
	pc_disable(leader);

	/* A member's descriptor reads the group as well. */
	for (int i = 0; i < 2; i++) {
		ASSERT_OK(read_each(i ? member : leader, format));
		ASSERT_OK(find_row(self->t[1].pid, -1, &row));
		EXPECT_EQ(2, row.nr);
		EXPECT_EQ(FAULTS(1), row.v[0].value);
		EXPECT_EQ(pc_id(leader), row.v[0].id);
		EXPECT_EQ(FAULTS(1), row.v[1].value);
		EXPECT_EQ(pc_id(member), row.v[1].id);
	}
	EXPECT_OK(pc_reap(&self->t[0]));
	ASSERT_OK(read_each(leader, format));
	ASSERT_OK(find_row(-1, -1, &row));
	EXPECT_EQ(FAULTS(0), row.v[0].value);
	EXPECT_EQ(FAULTS(0), row.v[1].value) TH_LOG("the member's count of the exited task");
	EXPECT_OK(pc_reap(&self->t[1]));
	close(member);
	close(leader);
}

/* A buffer that is too small is left alone, and the call says how large it has to be. */
PC_TEST(rows, a_small_buffer_is_refused_with_the_sizes)
{
	struct perf_counter_rows rows = { .rows = (unsigned long)table.memory };

	table.memory[0] = 42;
	EXPECT_ERRNO(ENOSPC, ioctl(self->fd, PERF_COUNTER_IOC_READ_EACH, &rows));
	EXPECT_EQ(16, rows.row_size);
	EXPECT_EQ(2, rows.nr);
	rows.size = 31;
	EXPECT_ERRNO(ENOSPC, ioctl(self->fd, PERF_COUNTER_IOC_READ_EACH, &rows));
	EXPECT_EQ(42, table.memory[0]);
	rows.size = 32;
	EXPECT_OK(ioctl(self->fd, PERF_COUNTER_IOC_READ_EACH, &rows));
	EXPECT_EQ(2, rows.nr);

	table.memory[0] = 42;
	rows = (struct perf_counter_rows) {
		.rows = (unsigned long)table.memory, .size = 15,
	};
	EXPECT_ERRNO(ENOSPC, ioctl(self->fd, PERF_COUNTER_IOC_READ_SELF, &rows));
	EXPECT_EQ(16, rows.row_size);
	EXPECT_EQ(1, rows.nr);
	EXPECT_EQ(42, table.memory[0]);
	rows.size = 16;
	EXPECT_OK(ioctl(self->fd, PERF_COUNTER_IOC_READ_SELF, &rows));

	rows.rows = 1;
	rows.rows <<= 62;
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, PERF_COUNTER_IOC_READ_SELF, &rows));
	rows.size = sizeof(table.memory);
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, PERF_COUNTER_IOC_READ_EACH, &rows));
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, PERF_COUNTER_IOC_READ_SELF, 0));
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, PERF_COUNTER_IOC_READ_EACH, 0));
}

/*
 * What measures_itself() reads: the descriptor and its read_format, the row and its values, and the
 * errno.
 */
static int self_fd;
static __u64 self_format;
static struct perf_counter_row self_row;
static struct pc_values self_values;
static int self_result;

/* At the order PC_WORK, take page faults and read the values of this thread. */
static void measures_itself(struct pc_task *t)
{
	char order;

	while ((order = pc_await(t))) {
		pc_faults(order == PC_WORK ? t->arg : 1);
		self_result = read_self(self_fd, self_format, &self_row, &self_values) ?
			      errno : 0;
		pc_done(t);
	}
}

PC_TEST(rows, a_thread_reads_its_own_value)
{
	struct pc_values values;
	struct perf_counter_row row;

	self_fd = self->fd;
	for (int i = 0; i < 2; i++)
		ASSERT_OK(pc_thread_warm(&self->t[i], measures_itself, FAULTS(i)));
	ASSERT_OK(read_self(self->fd, 0, &row, &values));
	pc_enable(self->fd);
	for (int i = 0; i < 2; i++) {
		ASSERT_OK(pc_tell(&self->t[i], PC_WORK));
		ASSERT_EQ(0, self_result);
		EXPECT_EQ(self->t[i].pid, self_row.tid);
		EXPECT_EQ(-1, self_row.cpu);
		EXPECT_EQ(FAULTS(i), self_values.v[0].value);
	}
	pc_faults(3);
	ASSERT_OK(read_self(self->fd, 0, &row, &values));
	pc_disable(self->fd);
	EXPECT_EQ(getpid(), row.tid);
	EXPECT_EQ(3, values.v[0].value);
	EXPECT_OK(pc_join(&self->t[0]));
	EXPECT_OK(pc_join(&self->t[1]));
}

PC_TEST(rows, a_thread_reads_its_own_group)
{
	int leader, members[9];

	self->attr.read_format = all_formats | PERF_FORMAT_GROUP;
	self_format = self->attr.read_format;
	leader = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(leader);
	self_fd = leader;
	self->attr.disabled = 0;
	/* The last members make the row larger than the kernel's buffer on the stack. */
	for (int i = 0; i < 9; i++) {
		members[i] = pc_open(&self->attr, 0, -1, leader);
		ASSERT_FD(members[i]);
	}
	ASSERT_OK(pc_thread_warm(&self->t[0], measures_itself, 33));
	pc_enable(leader);
	ASSERT_OK(pc_tell(&self->t[0], PC_WORK));
	pc_disable(leader);
	ASSERT_EQ(0, self_result);
	EXPECT_EQ(10, self_values.nr);
	for (int i = 0; i < 10; i++)
		EXPECT_EQ(33, self_values.v[i].value);
	EXPECT_EQ(pc_id(leader), self_values.v[0].id);
	EXPECT_EQ(pc_id(members[8]), self_values.v[9].id);
	EXPECT_LT(0, self_values.running);
	EXPECT_OK(pc_join(&self->t[0]));
	for (int i = 0; i < 9; i++)
		close(members[i]);
	close(leader);
	self_format = 0;
}

/* A task that the descriptor does not count gets an error, and no value of another task. */
PC_TEST(rows, a_task_that_is_not_counted_has_no_row)
{
	int lone = pc_open_self(PERF_COUNT_SW_PAGE_FAULTS), cpu;
	struct pc_values values;
	struct perf_counter_row row;

	ASSERT_FD(lone);
	self_fd = lone;
	/* The thread has a context, because it inherits the counter of the fixture. */
	ASSERT_OK(pc_thread_warm(&self->t[0], measures_itself, 1));
	ASSERT_OK(pc_tell(&self->t[0], PC_WORK));
	EXPECT_EQ(ESRCH, self_result);
	EXPECT_OK(pc_join(&self->t[0]));
	ASSERT_OK(read_self(lone, 0, &row, &values));

	/* Without any counter, a thread has no context. */
	close(self->fd);
	ASSERT_OK(pc_spawn(&self->t[0], pc_worker, 1));
	self->fd = pc_open(&self->attr, self->t[0].pid, -1, -1);
	ASSERT_FD(self->fd);
	close(lone);
	EXPECT_EQ(-1, read_self(self->fd, 0, &row, &values));
	EXPECT_EQ(ESRCH, errno);
	EXPECT_OK(pc_reap(&self->t[0]));

	ASSERT_EQ(1, pc_cpus(&cpu, 1));
	self->attr.inherit = 0;
	lone = pc_open(&self->attr, -1, cpu, -1);
	ASSERT_FD(lone);
	EXPECT_EQ(-1, read_self(lone, 0, &row, &values));
	EXPECT_EQ(EINVAL, errno);
	close(lone);
}

/* A descriptor of the whole machine has a row for each CPU that is online. */
PC_TEST(rows, each_cpu_has_a_row)
{
	int cpus[MAX_ROWS], n = pc_cpus(cpus, MAX_ROWS), fd;
	struct pc_values values;

	if (n != sysconf(_SC_NPROCESSORS_ONLN))
		SKIP(return, "needs all CPUs, and at most 64");
	self->attr.inherit = 0;
	self->attr.config = PERF_COUNT_SW_CPU_CLOCK;
	self->attr.read_format = all_formats;
	fd = pc_open(&self->attr, -1, -1, -1);
	ASSERT_FD(fd);
	pc_enable(fd);
	for (int i = 0; i < n; i++) {
		ASSERT_OK(pc_pin(cpus[i]));
		pc_faults(1);
	}
	pc_disable(fd);
	ASSERT_OK(read_each(fd, all_formats));
	EXPECT_EQ(n, table.rows.nr);
	for (int i = 0; i < n; i++) {
		ASSERT_EQ(0, find_row(-1, cpus[i], &values)) TH_LOG("CPU %d", cpus[i]);
		EXPECT_LT(0, values.v[0].value);
		EXPECT_EQ(pc_id(fd), values.v[0].id);
	}
	EXPECT_EQ(pc_read(fd, all_formats, &values), pc_read_size(all_formats, 1));
	EXPECT_EQ(values.v[0].value, sum_of_rows());
	close(fd);
}

/*
 * Rows are read while tasks start and end: every thread id that a row has is one that the program
 * started, and the sum never shrinks.
 */
PC_TEST(rows, tasks_come_and_go_while_rows_are_read)
{
	int rounds = pc_rounds(100), status;
	__u64 sum, last = 0;
	pid_t forker;

	pc_enable(self->fd);
	forker = fork();
	ASSERT_LE(0, forker);
	if (!forker) {
		for (int i = 0; i < rounds; i++) {
			pid_t child = fork();

			if (!child) {
				pc_faults(1);
				_exit(0);
			}
			if (child < 0 || waitpid(child, NULL, 0) != child)
				_exit(1);
		}
		_exit(0);
	}
	do {
		ASSERT_OK(read_each(self->fd, 0));
		for (unsigned int i = 0; i < table.rows.nr; i++) {
			int same = !row_at(i)->tid;

			/* A child that is being forked has the id 0. */
			for (unsigned int j = 0; row_at(i)->tid && j < table.rows.nr; j++)
				same += row_at(i)->tid == row_at(j)->tid;
			ASSERT_EQ(1, same) TH_LOG("%d rows of %d", same, row_at(i)->tid);
		}
		sum = sum_of_rows();
		ASSERT_LE(last, sum);
		last = sum;
	} while (!waitpid(forker, &status, WNOHANG));
	EXPECT_EQ(0, status);
	pc_disable(self->fd);
	ASSERT_OK(read_each(self->fd, 0));
	EXPECT_EQ(2, table.rows.nr);
	EXPECT_EQ(pc_value(self->fd), sum_of_rows());
	EXPECT_LE(rounds, (int)value_of_row(-1, -1));
}

/* Children fault and exit, 20 at a time. */
static void forks_often(struct pc_task *t)
{
	while (pc_await(t)) {
		for (int i = 0; i < 20; i++) {
			if (!fork()) {
				pc_faults(3);
				_exit(0);
			}
		}
		while (wait(NULL) > 0)
			;
		pc_done(t);
	}
}

/*
 * The counters of a task that exits are removed one by one. A row has the values of the whole
 * group, or the task has no row: values of counters that are left are not mixed with those of
 * removed ones.
 */
PC_TEST(rows, a_group_exits_as_a_whole)
{
	const __u64 format = PERF_FORMAT_GROUP;
	struct pc_values row;
	int fds[8], reads = 0;

	self->attr.read_format = format;
	for (int i = 0; i < 8; i++) {
		self->attr.disabled = !i;
		fds[i] = pc_open(&self->attr, 0, -1, i ? fds[0] : -1);
		ASSERT_FD(fds[i]);
	}
	ASSERT_OK(pc_spawn(&self->t[0], forks_often, 0));
	pc_enable(fds[0]);
	for (int round = 0; round < pc_rounds(30); round++) {
		struct pollfd answer = { .fd = self->t[0].parent_end, .events = POLLIN };

		ASSERT_OK(pc_order(&self->t[0], PC_WORK));
		do {
			reads++;
			ASSERT_OK(read_each(fds[0], format));
			for (unsigned int i = 0; i < table.rows.nr; i++) {
				pc_parse_values((__u64 *)row_at(i)->values, format, &row);
				ASSERT_EQ(8, row.nr);
				/* An interrupted event may have counted in some counters only. */
				for (int v = 1; v < 8; v++) {
					long off = row.v[0].value - row.v[v].value;

					ASSERT_GE(row_at(i)->tid != -1, labs(off))
						TH_LOG("row of %d, read %d: off by %ld",
						       row_at(i)->tid, reads, off);
				}
			}
		} while (!poll(&answer, 1, 0));
		ASSERT_OK(pc_reply(&self->t[0]));
	}
	EXPECT_OK(pc_reap(&self->t[0]));
	for (int i = 8; i--;)
		close(fds[i]);
}

/* Rows of missing pages are written after the pages have been brought into memory. */
PC_TEST(rows, a_buffer_that_is_not_in_memory_is_filled)
{
	long page = pc_page();
	char *fresh = pc_fresh(3);
	struct perf_counter_rows rows = {
		.rows = (unsigned long)fresh + 2 * page - 24, .size = 3 * page,
	};
	struct perf_counter_row *first = (void *)(unsigned long)rows.rows;

	ASSERT_NE(NULL, fresh);
	for (int i = 0; i < TASKS; i++)
		ASSERT_OK(pc_spawn_warm(&self->t[i], pc_worker, 1));
	rows.size = (TASKS + 2) * 16;
	ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_READ_EACH, &rows));
	ASSERT_EQ(TASKS + 2, rows.nr);
	EXPECT_EQ(getpid(), first->tid);
	for (int i = 0; i < TASKS; i++)
		EXPECT_EQ(self->t[i].pid, ((struct perf_counter_row *)((char *)first +
							    (1 + i) * 16))->tid);
	/* The buffer ends at memory that does not exist. */
	ASSERT_EQ(0, munmap(fresh + 2 * page, page));
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, PERF_COUNTER_IOC_READ_EACH, &rows));
	for (int i = 0; i < TASKS; i++)
		EXPECT_OK(pc_reap(&self->t[i]));
}

/* A counter of a PMU is read on the CPU where it is loaded. */
PC_TEST(rows, a_counter_of_the_pmu_has_rows)
{
	struct perf_counter_attr attr = pc_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct pc_values values, again;
	struct perf_counter_row row;
	int fd;

	attr.inherit = 1;
	attr.disabled = 1;
	attr.exclude_kernel = 1;
	attr.read_format = all_formats;
	fd = pc_open(&attr, 0, -1, -1);
	if (fd < 0)
		SKIP(return, "no PMU");
	ASSERT_OK(pc_spawn_warm(&self->t[0], pc_worker, 2000));
	pc_enable(fd);
	ASSERT_OK(pc_tell(&self->t[0], PC_BURN));
	ASSERT_OK(read_self(fd, all_formats, &row, &values));
	ASSERT_OK(read_self(fd, all_formats, &row, &again));
	pc_disable(fd);
	EXPECT_LT(0, values.v[0].value);
	EXPECT_LT(values.v[0].value, again.v[0].value);
	EXPECT_LT(0, values.running);
	ASSERT_OK(read_each(fd, all_formats));
	ASSERT_OK(find_row(self->t[0].pid, -1, &values));
	EXPECT_LT(0, values.v[0].value);
	ASSERT_OK(find_row(getpid(), -1, &again));
	pc_read(fd, all_formats, &values);
	EXPECT_EQ(values.v[0].value, sum_of_rows());
	EXPECT_OK(pc_reap(&self->t[0]));
	close(fd);
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}
