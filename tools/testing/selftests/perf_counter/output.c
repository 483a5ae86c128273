// SPDX-License-Identifier: GPL-2.0
/*
 * SET_OUTPUT: chains, many counters, changes while samples arrive, and every order of closing.
 * "control" tests the simple cases.
 */
#include "pc_ring.h"
#include "pc_test.h"
#include "pc_work.h"

#define MAX_CPUS 8

static union pc_record rec;
static struct pc_sample s;

FIXTURE(output) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	int fd;
};

FIXTURE_SETUP(output)
{
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_ADDR | PERF_SAMPLE_IDENTIFIER;
	self->attr.read_format = PERF_FORMAT_LOST;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 16));
	pc_faults(2);
}

FIXTURE_TEARDOWN(output)
{
	pc_ring_unmap(&self->ring);
	close(self->fd);
}

static int set_output(int fd, int to)
{
	return ioctl(fd, PERF_COUNTER_IOC_SET_OUTPUT, (long)to);
}

static void fault_under(int fd, int n)
{
	pc_enable(fd);
	pc_faults(n);
	pc_disable(fd);
}

/* Count the samples of each id in @ids. Returns the number of samples with another id. */
static int samples_of(struct pc_ring *ring, struct perf_counter_attr *attr, const __u64 *ids,
		      int n, int *seen)
{
	int strangers = 0;

	memset(seen, 0, n * sizeof(*seen));
	while (pc_ring_next(ring, &rec)) {
		int i = n;

		if (rec.header.type == PERF_RECORD_SAMPLE && pc_parse_sample(attr, &rec, &s))
			for (i = 0; i < n && s.identifier != ids[i]; i++)
				;
		if (i < n)
			seen[i]++;
		else
			strangers++;
	}
	return strangers;
}

PC_TEST(output, many_counters_write_to_one_buffer)
{
	int fds[40], seen[40];
	__u64 ids[40];

	if (pc_on_perf_event())
		SKIP(return, "perf_events gives all counters of an event the same id");
	for (int i = 0; i < 40; i++) {
		fds[i] = pc_open(&self->attr, 0, -1, -1);
		ASSERT_FD(fds[i]);
		ids[i] = pc_id(fds[i]);
		ASSERT_OK(set_output(fds[i], self->fd));
	}
	for (int i = 0; i < 40; i++)
		fault_under(fds[i], 1 + i);
	EXPECT_EQ(0, samples_of(&self->ring, &self->attr, ids, 40, seen));
	for (int i = 0; i < 40; i++) {
		EXPECT_EQ(1 + i, seen[i])
			TH_LOG("counter %d", i);
	}
	/* Close every second counter; the others go on. */
	for (int i = 0; i < 40; i += 2)
		close(fds[i]);
	for (int i = 1; i < 40; i += 2)
		fault_under(fds[i], 2);
	EXPECT_EQ(0, samples_of(&self->ring, &self->attr, ids, 40, seen));
	for (int i = 0; i < 40; i++) {
		EXPECT_EQ(i & 1 ? 2 : 0, seen[i])
			TH_LOG("counter %d", i);
	}
	for (int i = 1; i < 40; i += 2)
		close(fds[i]);
}

/*
 * A counter cannot write to its own buffer through SET_OUTPUT, nor to a counter without a buffer.
 */
PC_TEST(output, set_output_refuses_circles_and_missing_buffers)
{
	int fds[3];

	for (int i = 0; i < 3; i++) {
		fds[i] = pc_open(&self->attr, 0, -1, -1);
		ASSERT_FD(fds[i]);
	}
	EXPECT_ERRNO(EINVAL, set_output(fds[0], fds[0]));
	EXPECT_ERRNO(EINVAL, set_output(fds[0], fds[1]));
	EXPECT_ERRNO(EINVAL, set_output(fds[1], fds[0]));
	EXPECT_ERRNO(EINVAL, set_output(self->fd, self->fd));
	EXPECT_ERRNO(EINVAL, set_output(self->fd, -1));
	ASSERT_OK(set_output(fds[0], self->fd));
	/* The owner of the buffer cannot have its own buffer as its output. */
	EXPECT_ERRNO(EINVAL, set_output(self->fd, fds[0]));
	EXPECT_EQ(0, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
	fault_under(self->fd, 3);
	fault_under(fds[0], 4);
	EXPECT_EQ(7, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE))
		TH_LOG("all counters have to write to the buffer");
	for (int i = 0; i < 3; i++)
		close(fds[i]);
}

/* The buffer stays when the counter in the middle of a chain is closed. */
PC_TEST(output, a_buffer_stays_when_the_middle_of_a_chain_closes)
{
	int middle, end;

	middle = pc_open(&self->attr, 0, -1, -1);
	end = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(middle);
	ASSERT_FD(end);
	ASSERT_OK(set_output(middle, self->fd));
	ASSERT_OK(set_output(end, middle));
	close(middle);
	fault_under(end, 5);
	EXPECT_EQ(5, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
	close(self->fd);
	self->fd = end;
	fault_under(end, 6);
	EXPECT_EQ(6, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
}

PC_TEST(output, a_counter_with_an_output_maps_its_outputs_buffer)
{
	struct pc_ring ring;
	int fd;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(set_output(fd, self->fd));
	/* A mapping by @fd must have the size of the buffer that is its output. */
	EXPECT_EQ(-1, pc_ring_map(&ring, fd, 8));
	EXPECT_EQ(EINVAL, errno);
	ASSERT_OK(set_output(fd, -1));
	ASSERT_OK(pc_ring_map(&ring, fd, 8));
	EXPECT_ERRNO(EINVAL, set_output(fd, self->fd));
	fault_under(fd, 5);
	EXPECT_EQ(5, pc_ring_count(&ring, PERF_RECORD_SAMPLE));
	EXPECT_EQ(0, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
	pc_ring_unmap(&ring);
	/* Without a mapping, the counter can have another output again. */
	ASSERT_OK(set_output(fd, self->fd));
	fault_under(fd, 5);
	EXPECT_EQ(5, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
	close(fd);
}

/*
 * The READ record of an inherited counter is written on the CPU where the child exits, so it cannot
 * go to the buffer of one CPU. A counter with inherit_stat has such records.
 */
PC_TEST(output, inherited_counters_do_not_write_to_a_cpu_buffer)
{
	int cpu, on_cpu, fd;
	struct pc_ring ring;

	ASSERT_EQ(1, pc_cpus(&cpu, 1));
	on_cpu = pc_open(&self->attr, 0, cpu, -1);
	ASSERT_FD(on_cpu);
	ASSERT_OK(pc_ring_map(&ring, on_cpu, 8));
	for (int i = 0; i < 4; i++) {
		self->attr.inherit = i & 1;
		self->attr.inherit_stat = i / 2;
		fd = pc_open(&self->attr, 0, cpu, -1);
		ASSERT_FD(fd);
		if (i == 3 && !pc_on_perf_event())
			EXPECT_ERRNO(EINVAL, set_output(fd, on_cpu));
		else
			EXPECT_OK(set_output(fd, on_cpu));
		close(fd);
	}
	pc_ring_unmap(&ring);
	close(on_cpu);
}

PC_TEST(output, counters_of_two_clocks_do_not_share_a_buffer)
{
	static const int clocks[] = {
		-1, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME, CLOCK_BOOTTIME, CLOCK_TAI,
	};
	const unsigned long output = PERF_COUNTER_FLAG_FD_NO_GROUP | PERF_COUNTER_FLAG_FD_OUTPUT;
	int fds[ARRAY_SIZE(clocks)];

	for (int i = 0; i < ARRAY_SIZE(clocks); i++) {
		struct pc_ring ring;

		self->attr.use_clockid = clocks[i] >= 0;
		self->attr.clockid = clocks[i] >= 0 ? clocks[i] : 0;
		fds[i] = pc_open(&self->attr, 0, -1, -1);
		ASSERT_FD(fds[i]);
		ASSERT_OK(pc_ring_map(&ring, fds[i], 1));
		for (int j = 0; j < ARRAY_SIZE(clocks); j++) {
			int fd;

			self->attr.use_clockid = clocks[j] >= 0;
			self->attr.clockid = clocks[j] >= 0 ? clocks[j] : 0;
			fd = pc_open(&self->attr, 0, -1, -1);
			ASSERT_FD(fd);
			if (i == j)
				EXPECT_OK(set_output(fd, fds[i]));
			else
				EXPECT_ERRNO(EINVAL, set_output(fd, fds[i]));
			close(fd);
			/*
			 * An open that names the buffer of a counter with another clock also fails.
			 */
			fd = pc_open_raw(&self->attr, 0, -1, fds[i], output);
			EXPECT_EQ(i == j ? 0 : EINVAL, fd < 0 ? errno : 0);
			if (fd >= 0)
				close(fd);
		}
		pc_ring_unmap(&ring);
		close(fds[i]);
	}
}

/* A buffer of a CPU takes counters of this CPU only; other buffers take all counters. */
PC_TEST(output, a_cpu_buffer_takes_only_counters_of_its_cpu)
{
	int cpus[2], n = pc_cpus(cpus, 2);
	struct { pid_t pid; int cpu; } what[] = {
		{ 0, -1 }, { 0, cpus[0] }, { -1, cpus[0] }, { -1, cpus[1] }, { 0, cpus[1] },
		{ -1, -1 },
	};

	if (pc_on_perf_event() || n < 2)
		SKIP(return, "needs 2 CPUs and perf_counter");
	for (int i = 0; i < ARRAY_SIZE(what); i++) {
		int to = pc_open(&self->attr, what[i].pid, what[i].cpu, -1);
		struct pc_ring ring;

		ASSERT_FD(to);
		ASSERT_OK(pc_ring_map(&ring, to, 1));
		for (int j = 0; j < ARRAY_SIZE(what); j++) {
			int fd = pc_open(&self->attr, what[j].pid, what[j].cpu, -1);
			bool fits = what[i].cpu < 0 || what[i].cpu == what[j].cpu;

			ASSERT_FD(fd);
			errno = 0;
			EXPECT_EQ(fits ? 0 : -1, set_output(fd, to))
				TH_LOG("pid %d CPU %d to pid %d CPU %d: %s", what[j].pid,
				       what[j].cpu, what[i].pid, what[i].cpu, strerror(errno));
			EXPECT_EQ(fits ? 0 : EINVAL, errno);
			close(fd);
		}
		pc_ring_unmap(&ring);
		close(to);
	}
}

/*
 * The counter that created the buffer (OWNER), the mapping, and another counter that writes to the
 * buffer (GUEST) are released in each of the six orders, while their task takes page faults. A
 * third counter must have all of its samples in its own buffer.
 */
enum { OWNER, MAPPING, GUEST };

static const int orders[][3] = {
	{ OWNER, MAPPING, GUEST }, { OWNER, GUEST, MAPPING }, { MAPPING, OWNER, GUEST },
	{ MAPPING, GUEST, OWNER }, { GUEST, OWNER, MAPPING }, { GUEST, MAPPING, OWNER },
};

static void busy(struct pc_task *t)
{
	for (;;) {
		char order;
		ssize_t n = recv(t->child_end, &order, 1, MSG_DONTWAIT);

		if (!n || (n < 0 && errno != EAGAIN))
			break;
		if (n == 1)
			pc_done(t);
		pc_faults(10);
	}
}

PC_TEST(output, owner_mapping_and_guest_close_in_every_order)
{
	struct pc_task t;
	int other, seen, cpu;
	struct pc_values v;
	struct pc_ring ring;

	ASSERT_OK(pc_spawn(&t, busy, 0));
	/*
	 * The kernel makes a page writable without a TLB flush on other CPUs when a copy-on-write
	 * page has one owner left. The first write on another CPU would be one more fault.
	 */
	ASSERT_EQ(1, pc_cpus(&cpu, 1));
	ASSERT_OK(pc_pin(cpu));
	other = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(other);
	ASSERT_OK(pc_ring_map(&ring, other, 4));
	/*
	 * After a fork each first write to a page is a fault: take these faults before the counter
	 * counts.
	 */
	pc_faults(1);
	fault_under(other, 0);
	fault_under(other, 20);
	for (int i = 0; i < ARRAY_SIZE(orders); i++) {
		int owner = pc_open(&self->attr, t.pid, -1, -1);
		int guest = pc_open(&self->attr, t.pid, -1, -1);
		struct pc_ring shared;

		ASSERT_FD(owner);
		ASSERT_FD(guest);
		ASSERT_OK(pc_ring_map(&shared, owner, 4));
		ASSERT_OK(set_output(guest, owner));
		pc_enable(owner);
		pc_enable(guest);
		for (int j = 0; j < 3; j++) {
			__u64 head = orders[i][j] != MAPPING && shared.page ?
				     pc_ring_head(&shared) : 0;

			ASSERT_OK(pc_tell(&t, 'x'));
			if (orders[i][j] == OWNER)
				close(owner);
			else if (orders[i][j] == MAPPING)
				pc_ring_unmap(&shared);
			else
				close(guest);
			/*
			 * The buffer gets records while it is mapped and one of the counters is
			 * open.
			 */
			if (!shared.page || j == 2 || (orders[i][2] == MAPPING && j == 1))
				continue;
			pc_ring_set_tail(&shared, pc_ring_head(&shared));
			ASSERT_OK(pc_tell(&t, 'x'));
			ASSERT_OK(pc_tell(&t, 'x'));
			EXPECT_LT(head, pc_ring_head(&shared))
				TH_LOG("order %d: step %d", i, j);
		}
	}
	EXPECT_OK(pc_reap(&t));
	/* Copies after the fork may add faults, but all of them are of this task. */
	seen = pc_ring_count(&ring, PERF_RECORD_SAMPLE);
	EXPECT_LE(20, seen);
	ASSERT_LT(0, pc_read(other, PERF_FORMAT_LOST, &v));
	EXPECT_EQ(v.v[0].value, seen) TH_LOG("samples in the other buffer");
	pc_ring_unmap(&ring);
	close(other);
}

/* A counter gets its own buffer after the buffer of its output was unmapped. */
PC_TEST(output, a_counter_maps_its_own_buffer_after_its_output_closed)
{
	int fd = pc_open(&self->attr, 0, -1, -1);

	ASSERT_FD(fd);
	ASSERT_OK(set_output(fd, self->fd));
	pc_ring_unmap(&self->ring);
	fault_under(fd, 3);
	ASSERT_OK(pc_ring_map(&self->ring, fd, 1));
	fault_under(fd, 4);
	EXPECT_EQ(4, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
	EXPECT_ERRNO(EINVAL, set_output(fd, self->fd));
	close(fd);
}

/*
 * The output of counters of all CPUs alternates between two buffers. Each sample is in one of the
 * two or is reported as lost.
 */
PC_TEST(output, changing_the_output_loses_no_sample)
{
	int cpus[MAX_CPUS], n = pc_cpus(cpus, MAX_CPUS), fds[MAX_CPUS], outputs[2];
	__u64 ids[MAX_CPUS], lost = 0, got[MAX_CPUS] = {};
	struct pc_task t[MAX_CPUS];
	struct pc_ring rings[2];

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	for (int i = 0; i < 2; i++) {
		outputs[i] = pc_open(&self->attr, 0, -1, -1);
		ASSERT_FD(outputs[i]);
		ASSERT_OK(pc_ring_map(&rings[i], outputs[i], 64));
	}
	for (int i = 0; i < n; i++) {
		ASSERT_OK(pc_spawn_on(&t[i], cpus[i], pc_worker, 400));
		fds[i] = pc_open(&self->attr, t[i].pid, -1, -1);
		ASSERT_FD(fds[i]);
		ids[i] = pc_id(fds[i]);
		ASSERT_OK(set_output(fds[i], outputs[0]));
		ASSERT_OK(pc_enable(fds[i]));
	}
	for (int i = 0; i < n; i++)
		ASSERT_OK(pc_order(&t[i], PC_WORK));
	for (int round = 1; round <= 100; round++) {
		for (int i = 0; i < n; i++)
			ASSERT_OK(set_output(fds[i], outputs[(round + i) & 1]));
		for (int i = 0; i < 2; i++) {
			while (pc_ring_next(&rings[i], &rec)) {
				if (rec.header.type == PERF_RECORD_LOST) {
					lost += rec.words[2];
					continue;
				}
				ASSERT_EQ(PERF_RECORD_SAMPLE, rec.header.type);
				ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
				for (int j = 0; j < n; j++)
					got[j] += s.identifier == ids[j] && s.pid == t[j].pid;
			}
		}
		/* The last round comes after the tasks are done. */
		if (round == 99)
			for (int i = 0; i < n; i++)
				ASSERT_OK(pc_reply(&t[i]));
	}
	EXPECT_EQ(0, lost) TH_LOG("a record was lost although the buffer had room");
	for (int i = 0; i < n; i++) {
		EXPECT_EQ(400, got[i])
			TH_LOG("CPU %d", cpus[i]);
		EXPECT_OK(pc_reap(&t[i]));
		close(fds[i]);
	}
	for (int i = 0; i < 2; i++) {
		pc_ring_unmap(&rings[i]);
		close(outputs[i]);
	}
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}
