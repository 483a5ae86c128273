// SPDX-License-Identifier: GPL-2.0
/*
 * Counting on a PMU that counts instructions exactly: regions around a known
 * number of instructions, minus the count of an empty region.
 *
 * With --perf-events as the first argument, perf_counter_open() is disabled for
 * this program.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "work.h"

#define ROUNDS 100000

#define TRIES 20

static bool on_perf_events;

/*
 * Return the least count of several regions, because interruptions add to the
 * count. Use only regions that were on the PMU all the time: their two times
 * are equal, or differ by the 1 ns that the conversion of times may lose.
 */
static __u64 least(struct pc_region *region, unsigned int i, __u64 n)
{
	__u64 least = ~0ULL, count;
	struct pc_values values;

	for (int try = 0; try < TRIES;) {
		/*
		 * After an interruption, the first region takes the slow path:
		 * let it be a region that is not used.
		 */
		pc_begin(region);
		pc_end(region);
		count = count_work(region, i, n);
		NEED(!pc_result(region, &values), "%s", pc_error());
		if (!values.running || values.enabled - values.running > 1)
			continue;
		try++;
		if (count < least)
			least = count;
	}
	return least;
}

/*
 * Check the count of a region that was interrupted. The slow path adds some
 * hundred instructions; a lost count would be off by thousands.
 */
static void check_work(__u64 count, __u64 rounds)
{
	__u64 expected = rounds * WORK_INSTRUCTIONS;

	CHECK(count + 500 > expected && count < expected + 500, "%llu instead of %llu", count,
	      expected);
}

static void instructions_are_exact(void)
{
	struct pc_set *set = open_set("instructions");
	struct pc_region region;
	__u64 frame, n;

	CHECK_EQ(on_perf_events ? PC_PERF_EVENTS : PC_PERF_COUNTER, pc_interface(set));
	CHECK_EQ(1, pc_reads_registers(set));
	pc_region_init(&region, set);
	frame = least(&region, 0, 0);
	CHECK(frame < 40, "an empty region has %llu instructions", frame);
	for (n = 1; n <= 1000000; n *= 10)
		CHECK_EQ(n * WORK_INSTRUCTIONS, least(&region, 0, n) - frame);
	pc_close(set);
}

static void four_counters_are_exact(void)
{
	static const __u64 per_round[] = { WORK_INSTRUCTIONS, 1, WORK_INSTRUCTIONS,
					   WORK_INSTRUCTIONS };
	struct pc_set *set = open_set("instructions,branches,instructions:u,instructions");
	struct pc_region region;
	struct pc_values values;
	__u64 frame;

	CHECK_EQ(4, pc_nr(set));
	CHECK(!strcmp(pc_name(set, 2), "instructions:u"), "%s", pc_name(set, 2));
	CHECK(!pc_name(set, 4) && pc_fd(set, 4) == -1, "there is a fifth");
	pc_region_init(&region, set);
	for (unsigned int i = 0; i < 4; i++) {
		/*
		 * Without a round, skipping the loop is one more taken branch.
		 * So measure the frame with one round.
		 */
		frame = least(&region, i, 1) - per_round[i];
		CHECK_EQ(ROUNDS * per_round[i], least(&region, i, ROUNDS) - frame);
	}
	CHECK(!pc_result(&region, &values), "%s", pc_error());
	CHECK_EQ(4, values.nr);
	for (unsigned int i = 0; i < 4; i++)
		CHECK_EQ(pc_count(&region, i), values.count[i]);
	CHECK(values.running, "it took no time");
	CHECK_EQ(values.enabled, values.running);
	pc_close(set);
}

/*
 * A PMU has several kinds of registers. Use counters of each kind, and more
 * counters than the header reads without a loop.
 */
static void six_counters_are_exact(void)
{
	struct pc_set *set = pc_open("instructions," RAW_INSTRUCTIONS_NAME ",instructions,"
				     RAW_INSTRUCTIONS_NAME ",instructions," RAW_INSTRUCTIONS_NAME);
	struct pc_region region;
	struct pc_values values;
	__u64 frame, work;

	if (!set)
		skip("the PMU has less");
	pc_region_init(&region, set);
	CHECK(!pc_read(set, &values), "%s", pc_error());
	if (!values.running)
		skip("the PMU has less");
	for (unsigned int i = 0; i < 6; i++) {
		/*
		 * Repeat if a counter has moved to another register meanwhile,
		 * because that register may be read by another path.
		 */
		do {
			frame = least(&region, i, 0);
			work = least(&region, i, ROUNDS);
		} while (least(&region, i, 0) != frame);
		CHECK_EQ(ROUNDS * WORK_INSTRUCTIONS, work - frame);
	}
	pc_close(set);
}

static void raw_events_and_attrs_are_exact(void)
{
	struct perf_counter_attr attrs[2];
	struct pc_region region;
	struct pc_set *set;
	char name[32];
	__u64 frame;

	memset(attrs, 0, sizeof(attrs));
	for (int i = 0; i < 2; i++) {
		attrs[i].type = i ? PERF_TYPE_RAW : PERF_TYPE_HARDWARE;
		attrs[i].config = i ? RAW_INSTRUCTIONS : PERF_COUNT_HW_INSTRUCTIONS;
		attrs[i].exclude_kernel = 1;
	}
	set = pc_open_attrs(attrs, 2);
	NEED(set, "%s", pc_error());
	snprintf(name, sizeof(name), "type=4,config=%#x", RAW_INSTRUCTIONS);
	CHECK(!strcmp(pc_name(set, 1), name), "%s", pc_name(set, 1));
	pc_region_init(&region, set);
	for (int i = 0; i < 2; i++) {
		frame = least(&region, i, 0);
		CHECK_EQ(ROUNDS * WORK_INSTRUCTIONS, least(&region, i, ROUNDS) - frame);
	}
	pc_close(set);
}

static void nested_regions_are_exact(void)
{
	struct pc_set *set = open_set("instructions");
	struct pc_region outer, inner;
	__u64 counts[2], inside = 0;

	pc_region_init(&outer, set);
	pc_region_init(&inner, set);
	least(&inner, 0, 0);
	for (int i = 0; i < 2; i++) {
		counts[i] = ~0ULL;
		for (int try = 0; try < TRIES; try++) {
			pc_begin(&outer);
			for (int k = 0; k < 10; k++)
				inside = count_work(&inner, 0, i * ROUNDS);
			pc_end(&outer);
			if (pc_count(&outer, 0) < counts[i])
				counts[i] = pc_count(&outer, 0);
		}
	}
	CHECK_EQ(10ULL * ROUNDS * WORK_INSTRUCTIONS, counts[1] - counts[0]);
	CHECK(inside >= ROUNDS * WORK_INSTRUCTIONS, "inside there are %llu", inside);
	pc_close(set);
}

/*
 * Check that counts by register are between the counts that read(2) returns
 * before and after.
 */
static void reading_by_register_and_by_call_agree(void)
{
	struct pc_set *set = open_set("instructions,branches");
	struct {
		__u64 nr, enabled, running, count[2];
	} before, after;
	struct pc_values values;

	for (int i = 0; i < 1000; i++) {
		NEED(read(pc_fd(set, 0), &before, sizeof(before)) == sizeof(before), "%s",
		     strerror(errno));
		NEED(!pc_read(set, &values), "%s", pc_error());
		NEED(read(pc_fd(set, 0), &after, sizeof(after)) == sizeof(after), "%s",
		     strerror(errno));
		CHECK_EQ(2, values.nr);
		for (int k = 0; k < 2; k++)
			CHECK(before.count[k] < values.count[k] && values.count[k] < after.count[k],
			      "%llu %llu %llu", before.count[k], values.count[k], after.count[k]);
		/* The conversion of times may lose a ns. */
		CHECK(before.enabled <= values.enabled + 1 && values.enabled <= after.enabled + 1,
		      "%llu %llu %llu", before.enabled, values.enabled, after.enabled);
		CHECK(before.running <= values.running + 1 && values.running <= after.running + 1,
		      "%llu %llu %llu", before.running, values.running, after.running);
		if (nr_wrong)
			break;
	}
	pc_close(set);
}

/* === Interrupted regions === */

/* Start a process on CPU @cpu that sends back each byte. */
static pid_t start_echo(int cpu, int *fd)
{
	int there[2], back[2];
	pid_t pid;
	char byte;

	NEED(!pipe(there) && !pipe(back), "%s", strerror(errno));
	pid = fork();
	if (!pid) {
		close(there[1]);
		pin(cpu);
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	close(there[0]);
	close(back[1]);
	fd[0] = back[0];
	fd[1] = there[1];
	return pid;
}

static void stop_echo(pid_t pid, const int *fd)
{
	close(fd[0]);
	close(fd[1]);
	waitpid(pid, NULL, 0);
}

static void echo(const int *fd)
{
	char byte = 0;

	NEED(write(fd[1], &byte, 1) == 1 && read(fd[0], &byte, 1) == 1, "%s", strerror(errno));
}

static __attribute__((noipa)) __u64 count_echoes(struct pc_region *region, const int *fd, __u64 n)
{
	pc_begin(region);
	for (int i = 0; i < 10; i++) {
		echo(fd);
		work(n);
	}
	pc_end(region);
	return pc_count(region, 0);
}

static void context_switches_change_nothing(void)
{
	struct pc_set *set = open_set("instructions");
	struct pc_region region;
	struct pc_values values;
	__u64 frame = ~0ULL, count;
	int fd[2];
	pid_t pid;

	pin(0);
	pid = start_echo(0, fd);
	pc_region_init(&region, set);
	for (int i = 0; i < TRIES; i++) {
		count = count_echoes(&region, fd, 0);
		if (count < frame)
			frame = count;
	}
	/* Make a thousand context switches. */
	for (int i = 0; i < 50; i++) {
		count = count_echoes(&region, fd, ROUNDS / 10);
		check_work(count - frame, ROUNDS);
		CHECK(!pc_result(&region, &values), "%s", pc_error());
		/* The set was on the PMU whenever the thread ran. */
		CHECK(values.running, "it never ran");
		CHECK(values.enabled - values.running <= 1, "%llu of %llu ns", values.running,
		      values.enabled);
	}
	stop_echo(pid, fd);
	pc_close(set);
}

/*
 * Begin and end regions without pause, so that most interruptions hit
 * pc_begin() or pc_end().
 */
static void count_nothing(void)
{
	struct pc_set *set = open_set("instructions,branches,instructions,instructions");
	struct pc_region region;
	struct pc_values values;

	pc_region_init(&region, set);
	do {
		for (int i = 0; i < 1000; i++) {
			pc_begin(&region);
			pc_end(&region);
			for (unsigned int k = 0; k < 4; k++)
				NEED(pc_count(&region, k) < 2000, "counter %u: %llu", k,
				     pc_count(&region, k));
		}
		NEED(!pc_read(set, &values), "%s", pc_error());
	} while (values.running < 1000000000);
	pc_close(set);
}

/*
 * Run two processes on one CPU. After an interruption, at any instruction, each
 * process finds the counts of the other in its registers.
 */
static void an_interruption_anywhere_changes_nothing(void)
{
	int status;
	pid_t pid;

	pin(0);
	fflush(stdout);
	pid = fork();
	count_nothing();
	if (!pid)
		exit(nr_wrong != 0);
	NEED(waitpid(pid, &status, 0) == pid, "%s", strerror(errno));
	CHECK_EQ(0, status);
}

static __attribute__((noipa)) __u64 count_moves(struct pc_region *region, __u64 n)
{
	pc_begin(region);
	for (int i = 0; i < 10; i++) {
		pin(i & 1);
		work(n);
	}
	pc_end(region);
	return pc_count(region, 1);
}

static void migration_changes_nothing(void)
{
	struct pc_set *set = open_set("branches,instructions");
	struct pc_region region;
	__u64 frame = ~0ULL, count;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip("there is one CPU");
	pc_region_init(&region, set);
	for (int i = 0; i < TRIES; i++) {
		count = count_moves(&region, 0);
		if (count < frame)
			frame = count;
	}
	for (int i = 0; i < 100; i++) {
		count = count_moves(&region, ROUNDS / 10);
		check_work(count - frame, ROUNDS);
	}
	pc_close(set);
}

/*
 * Open and close other sets of the thread. They take turns with the set, and
 * use registers of the PMU.
 */
static void other_sets_of_the_thread_change_nothing(void)
{
	struct pc_set *set = open_set("instructions"), *other[2];
	struct pc_region region;
	__u64 frame, count = 0;

	pc_region_init(&region, set);
	frame = least(&region, 0, 0);
	for (int try = 0; try < 100; try++) {
		pc_begin(&region);
		for (int i = 0; i < 2; i++)
			other[i] = open_set("branches");
		pc_close(other[try & 1]);
		work(ROUNDS / 10);
		pc_close(other[!(try & 1)]);
		pc_end(&region);
		count = pc_count(&region, 0) - frame;
		CHECK(count > ROUNDS / 10 * WORK_INSTRUCTIONS &&
		      count < ROUNDS / 10 * WORK_INSTRUCTIONS + 100000, "%llu", count);
		CHECK_EQ(ROUNDS * WORK_INSTRUCTIONS, least(&region, 0, ROUNDS) - frame);
	}
	pc_close(set);
}

/*
 * Open a counter, of an event that any counter of the PMU can count, without
 * mapping it.
 */
static int open_unmapped(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, .size = sizeof(attr),
		.config = RAW_ANYWHERE, .exclude_kernel = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	long nr = on_perf_events ? __NR_perf_event_open : 900;
	int fd = syscall(nr, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	NEED(fd >= 0, "%s", strerror(errno));
	return fd;
}

/*
 * Return true if the counter has been on the PMU from the start. A counter that
 * had to wait may have had a turn since then.
 */
static bool has_room(int fd)
{
	__u64 values[3];

	NEED(read(fd, values, sizeof(values)) == sizeof(values), "%s", strerror(errno));
	return values[2] && values[1] == values[2];
}

/*
 * On a PMU with a fixed counter for instructions, a set that found the fixed
 * counter in use is on a general counter. It moves to the fixed counter when
 * another event needs the general counter.
 */
static void a_counter_that_moves_is_found_again(void)
{
	struct pc_set *first = open_set("instructions"), *set = open_set("instructions");
	struct pc_region region;
	__u64 frame;
	int n, fd;

	for (n = 0; has_room(fd = open_unmapped()); n++)
		;
	close(fd);
	NEED(n > 0, "no room for another one");
	pc_region_init(&region, set);
	frame = least(&region, 0, 0);
	CHECK_EQ(ROUNDS * WORK_INSTRUCTIONS, least(&region, 0, ROUNDS) - frame);
	pc_close(first);
	CHECK(has_room(open_unmapped()), "there is no room");
	CHECK_EQ(frame, least(&region, 0, 0));
	CHECK_EQ(ROUNDS * WORK_INSTRUCTIONS, least(&region, 0, ROUNDS) - frame);
	pc_close(set);
}

/*
 * Counters that are not mapped take turns with the set. During their turns the
 * thread must still be allowed to read registers, because it may be about to
 * read one.
 */
static void reading_works_while_others_have_their_turn(void)
{
	struct pc_values values, sum = { 0 };
	struct pc_set *set = open_set("branches,instructions");
	struct pc_region region;

	for (int i = 0; i < 12; i++)
		open_unmapped();
	pc_region_init(&region, set);
	/* Count and read until the counters have taken turns on the PMU many times. */
	while (sum.enabled < 500000000) {
		for (int i = 0; i < 1000; i++)
			count_work(&region, 0, 1);
		NEED(!pc_result(&region, &values), "%s", pc_error());
		NEED(!pc_read(set, &sum), "%s", pc_error());
	}
	CHECK(sum.running < sum.enabled, "no other counter had a turn");
	pc_close(set);
}

/*
 * The test finds errors of registers that overflow at 2^31. Registers that
 * overflow at 2^47 take too long.
 */
static void a_long_region_is_exact(void)
{
	struct pc_set *set = open_set("instructions");
	const __u64 rounds = (1ULL << 30) + ROUNDS;
	struct pc_values before, after;
	struct pc_region region;
	__u64 frame, count;

	pc_region_init(&region, set);
	frame = least(&region, 0, 0);
	NEED(!pc_read(set, &before), "%s", pc_error());
	count = count_work(&region, 0, rounds);
	NEED(!pc_read(set, &after), "%s", pc_error());
	check_work(count - frame, rounds);
	count = after.count[0] - before.count[0];
	CHECK(count >= rounds * WORK_INSTRUCTIONS && count < rounds * WORK_INSTRUCTIONS + 2000,
	      "read: %llu instead of %llu", count, rounds * WORK_INSTRUCTIONS);
	CHECK_EQ(ROUNDS * WORK_INSTRUCTIONS, least(&region, 0, ROUNDS) - frame);
	pc_close(set);
}

/* === Threads === */

static void *count_in_thread(void *arg)
{
	struct pc_set *set = open_set("instructions,branches");
	struct pc_region region;
	__u64 frame;

	pc_region_init(&region, set);
	frame = least(&region, 0, 0);
	for (int i = 0; i < 20; i++)
		CHECK_EQ(ROUNDS * WORK_INSTRUCTIONS, least(&region, 0, ROUNDS) - frame);
	pc_close(set);
	return arg;
}

static void sets_of_several_threads_are_exact(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		NEED(!pthread_create(&threads[i], NULL, count_in_thread, NULL), "no thread");
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static void *use_foreign_set(void *arg)
{
	struct pc_set *set = arg;
	struct pc_region region;
	struct pc_values values;

	pc_region_init(&region, set);
	count_work(&region, 0, ROUNDS);
	CHECK_EQ(0, pc_count(&region, 0));
	CHECK(pc_result(&region, &values) && errno == EPERM, "no error");
	CHECK_SAYS(pc_error(), "open one in each thread");
	/* Other threads may read the set, by system call. */
	CHECK(!pc_read(set, &values), "%s", pc_error());
	CHECK(values.count[0] >= ROUNDS * WORK_INSTRUCTIONS, "%llu", values.count[0]);
	return NULL;
}

static void a_set_belongs_to_its_thread(void)
{
	struct pc_set *set = open_set("instructions");
	pthread_t thread;

	work(ROUNDS);
	NEED(!pthread_create(&thread, NULL, use_foreign_set, set), "no thread");
	pthread_join(thread, NULL);
	CHECK(!*pc_error(), "the other's error is here: %s", pc_error());
	pc_close(set);
}

/**
 * struct worker - a thread that measures itself with a shared set
 * @set: the set
 * @rounds: number of calls of work()
 * @frame: instructions of a region without work in this thread
 * @counted: instructions of the region around the work
 * @self: instructions of the thread so far
 */
struct worker {
	struct pc_set	*set;
	unsigned int	rounds;
	__u64		frame;
	__u64		counted;
	__u64		self;
};

static void *measure_self(void *arg)
{
	struct worker *worker = arg;
	struct pc_region region;
	struct pc_values values;

	pc_region_init(&region, worker->set);
	worker->frame = least(&region, 0, 0);
	count_work(&region, 0, worker->rounds);
	NEED(!pc_result(&region, &values), "%s", pc_error());
	worker->counted = values.count[0];
	NEED(!pc_read_self(worker->set, &values), "%s", pc_error());
	worker->self = values.count[0];
	return NULL;
}

/* A thread reads the instructions of its own work, and never those of the others. */
static void threads_measure_themselves_with_a_shared_set(void)
{
	struct pc_set *set = pc_open_shared("instructions");
	struct worker workers[4];
	pthread_t threads[4];
	struct pc_values sum, own;
	__u64 all = 0;

	if (!set && errno == ENOSYS) {
		CHECK_SAYS(pc_error(), "open a set in each thread");
		return;
	}
	NEED(set, "%s", pc_error());
	CHECK(!pc_reads_registers(set), "a page has the values of one thread");
	for (int i = 0; i < 4; i++) {
		workers[i] = (struct worker) { .set = set, .rounds = 1000 << i };
		NEED(!pthread_create(&threads[i], NULL, measure_self, &workers[i]), "no thread");
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		CHECK_EQ(workers[i].rounds * WORK_INSTRUCTIONS,
			 workers[i].counted - workers[i].frame);
		CHECK(workers[i].self > workers[i].counted, "%llu of %llu", workers[i].self,
		      workers[i].counted);
		all += workers[i].self;
	}
	NEED(!pc_read_self(set, &own), "%s", pc_error());
	NEED(!pc_read(set, &sum), "%s", pc_error());
	CHECK(sum.count[0] >= all + own.count[0], "%llu are less than %llu", sum.count[0],
	      all + own.count[0]);
	pc_close(set);

	/* A set of one thread is read by this thread only. */
	set = open_set("instructions");
	CHECK(!pc_read_self(set, &own), "%s", pc_error());
	pc_close(set);
}

static void *read_foreign_set(void *arg)
{
	struct pc_values values;

	CHECK(pc_read_self(arg, &values) && errno == EPERM, "no error");
	CHECK_SAYS(pc_error(), "use pc_open_shared()");
	return NULL;
}

static void a_thread_has_no_values_of_a_set_of_another(void)
{
	struct pc_set *set = open_set("instructions");
	pthread_t thread;

	NEED(!pthread_create(&thread, NULL, read_foreign_set, set), "no thread");
	pthread_join(thread, NULL);
	pc_close(set);
}

static void a_child_closes_what_it_inherits(void)
{
	struct pc_set *set = open_set("instructions");
	struct pc_region region;
	__u64 frame;
	pid_t pid;
	int status;

	pc_region_init(&region, set);
	frame = least(&region, 0, 0);
	pid = fork();
	if (!pid) {
		char *page;

		/*
		 * Map memory of the child at the address of the parent's user
		 * pages. It must stay mapped when the child closes the set.
		 */
		page = mmap((void *)region.pages, 4096, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if (page == MAP_FAILED)
			_exit(2);
		pc_close(set);
		page[0] = 1;
		set = open_set("instructions");
		pc_region_init(&region, set);
		frame = least(&region, 0, 0);
		_exit(least(&region, 0, ROUNDS) - frame != ROUNDS * WORK_INSTRUCTIONS);
	}
	NEED(waitpid(pid, &status, 0) == pid, "%s", strerror(errno));
	CHECK_EQ(0, status);
	CHECK_EQ(ROUNDS * WORK_INSTRUCTIONS, least(&region, 0, ROUNDS) - frame);
	pc_close(set);
}

/* === Software events === */

static void software_events_are_read_by_system_call(void)
{
	struct pc_set *set = open_set("page-faults,instructions");
	const size_t page_size = sysconf(_SC_PAGESIZE), size = 100 * page_size;
	struct pc_region region;
	struct pc_values values;
	__u64 frame;
	char *pages;

	CHECK_EQ(0, pc_reads_registers(set));
	pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(pages != MAP_FAILED, "%s", strerror(errno));
	madvise(pages, size, MADV_NOHUGEPAGE);
	pc_region_init(&region, set);
	frame = least(&region, 1, 0);
	CHECK_EQ(ROUNDS * WORK_INSTRUCTIONS, least(&region, 1, ROUNDS) - frame);
	pc_begin(&region);
	for (size_t at = 0; at < size; at += page_size)
		pages[at] = 1;
	pc_end(&region);
	CHECK_EQ(100, pc_count(&region, 0));
	CHECK(!pc_result(&region, &values), "%s", pc_error());
	CHECK_EQ(100, values.count[0]);
	CHECK_EQ(values.enabled, values.running);
	pc_close(set);
}

static void a_pinned_set_without_room_says_so(void)
{
	struct perf_counter_attr attr;
	struct pc_values values;
	struct pc_region region;
	struct pc_set *set;
	int n;

	memset(&attr, 0, sizeof(attr));
	attr.type = PERF_TYPE_HARDWARE;
	attr.config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
	attr.exclude_kernel = 1;
	attr.pinned = 1;
	/* More counters than any PMU has. */
	for (n = 0; n < 32; n++) {
		set = pc_open_attrs(&attr, 1);
		NEED(set, "%s", pc_error());
	}
	CHECK(pc_read(set, &values) && errno == EAGAIN, "no error");
	CHECK_SAYS(pc_error(), "pinned, and the PMU has no room");
	pc_region_init(&region, set);
	pc_begin(&region);
	pc_end(&region);
	CHECK(pc_result(&region, &values) && errno == EAGAIN, "no error");
}

/* === Refusals === */

static void a_busy_pmu_is_reported(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS, .exclude_kernel = 1,
	};
	long nr = on_perf_events ? 900 : __NR_perf_event_open;
	int fd;

	if (on_perf_events)
		skip("perf_counter cannot be opened here");
	fd = syscall(nr, &attr, 0, -1, -1, 0);
	NEED(fd >= 0, "%s", strerror(errno));
	CHECK(!pc_open("instructions") && errno == EBUSY, "no error");
	CHECK_SAYS(pc_error(), "event 'instructions': perf_events has the PMU: end programs");
	close(fd);
	pc_close(open_set("instructions"));
}

static bool write_sysctl(const char *name, const char *value)
{
	char path[64];
	bool good;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	f = fopen(path, "w");
	if (!f)
		return false;
	good = fputs(value, f) >= 0;
	return !fclose(f) && good;
}

static void the_nmi_watchdog_shares_the_pmu(void)
{
	if (!write_sysctl("nmi_watchdog", "1"))
		skip("there is none");
	pc_close(open_set("instructions"));
	write_sysctl("nmi_watchdog", "0");
}

static void an_error_names_the_missing_permission(void)
{
	const char *sysctl = on_perf_events ? "perf_event_paranoid" : "perf_counter_paranoid";
	char remedy[64];

	snprintf(remedy, sizeof(remedy), "run 'sysctl kernel.%s=1'", sysctl);
	CHECK(write_sysctl(sysctl, "2"), "%s", strerror(errno));
	NEED(!setresuid(65534, 65534, 65534), "%s", strerror(errno));
	CHECK(!pc_open("instructions:uk") && (errno == EACCES || errno == EPERM), "%s",
	      strerror(errno));
	CHECK_SAYS(pc_error(), remedy);
	CHECK_SAYS(pc_error(), "count ':u' alone");
	/* The default is user mode only. */
	pc_close(open_set("instructions"));
}

static void the_kernel_is_counted_if_asked_for(void)
{
	struct pc_set *set = open_set("instructions:u,instructions:k");
	struct pc_region region;

	pc_region_init(&region, set);
	count_work(&region, 1, 1);
	pc_begin(&region);
	for (int i = 0; i < 100; i++)
		syscall(__NR_getppid);
	pc_end(&region);
	CHECK(pc_count(&region, 1) > 100 * 20, "%llu", pc_count(&region, 1));
	pc_close(set);
}

static void a_group_that_is_too_large_never_runs(void)
{
	char events[PC_MAX * sizeof("," RAW_BRANCHES_NAME)] = "";
	struct pc_values values;
	struct pc_region region;
	struct pc_set *set;

	for (int i = 0; i < PC_MAX; i++)
		strcat(strcat(events, i ? "," : ""), RAW_BRANCHES_NAME);
	set = pc_open(events);
	if (!set) {
		/* perf_events refuses the group when it is opened. */
		CHECK_SAYS(pc_error(), "the group is full");
		return;
	}
	pc_region_init(&region, set);
	count_work(&region, 0, ROUNDS);
	CHECK(!pc_result(&region, &values), "%s", pc_error());
	CHECK_EQ(0, values.running);
	CHECK(values.enabled, "it was not enabled");
	CHECK_EQ(0, pc_scaled(&values, 0));
	pc_close(set);
}

/* Disable perf_counter_open(). */
static void disable_perf_counter_open(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 900, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = ARRAY_SIZE(filter), .filter = filter };

	NEED(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	     !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), "%s", strerror(errno));
	on_perf_events = true;
}

static const struct test tests[] = {
	TEST(instructions_are_exact),
	TEST(four_counters_are_exact),
	TEST(six_counters_are_exact),
	TEST(raw_events_and_attrs_are_exact),
	TEST(nested_regions_are_exact),
	TEST(reading_by_register_and_by_call_agree),
	TEST(context_switches_change_nothing),
	TEST(an_interruption_anywhere_changes_nothing),
	TEST(migration_changes_nothing),
	TEST(other_sets_of_the_thread_change_nothing),
	TEST(a_counter_that_moves_is_found_again),
	TEST(reading_works_while_others_have_their_turn),
	TEST(a_long_region_is_exact),
	TEST(sets_of_several_threads_are_exact),
	TEST(a_set_belongs_to_its_thread),
	TEST(threads_measure_themselves_with_a_shared_set),
	TEST(a_thread_has_no_values_of_a_set_of_another),
	TEST(a_child_closes_what_it_inherits),
	TEST(software_events_are_read_by_system_call),
	TEST(a_pinned_set_without_room_says_so),
	TEST(a_busy_pmu_is_reported),
	TEST(the_nmi_watchdog_shares_the_pmu),
	TEST(an_error_names_the_missing_permission),
	TEST(the_kernel_is_counted_if_asked_for),
	TEST(a_group_that_is_too_large_never_runs),
};

int main(int argc, char **argv)
{
	argv++;
	if (argc > 1 && !strcmp(argv[0], "--perf-events")) {
		disable_perf_counter_open();
		argv++;
	}
	return run_tests(tests, ARRAY_SIZE(tests), argv);
}
