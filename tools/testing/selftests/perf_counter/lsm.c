// SPDX-License-Identifier: GPL-2.0
/*
 * Security modules: the kernel's module for tests refuses this process what its parameters say,
 * with EKEYREJECTED.
 */
#include "pc_ring.h"
#include "pc_test.h"

#define PARAMETERS	"/sys/module/perf_counter_lsm/parameters/"

/* The values of PERF_SECURITY_OPEN, PERF_SECURITY_CPU and PERF_SECURITY_KERNEL in the kernel. */
enum { OPEN, CPU, KERNEL };
enum { DENY_ALLOC = 1, DENY_READ = 2, DENY_WRITE = 4 };

static int parameter(const char *name, long value)
{
	char path[128];
	FILE *file;
	int err;

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	file = fopen(path, "w");
	if (!file)
		return -1;
	fprintf(file, "%ld", value);
	err = ferror(file);
	return fclose(file) || err ? -1 : 0;
}

static long labels(void)
{
	FILE *file = fopen(PARAMETERS "labels", "r");
	long nr = -1;

	if (file) {
		if (fscanf(file, "%ld", &nr) != 1)
			nr = -1;
		fclose(file);
	}
	return nr;
}

FIXTURE(lsm) { };

FIXTURE_SETUP(lsm)
{
	if (access(PARAMETERS "pid", W_OK))
		SKIP(return, "no such security module: CONFIG_PERF_COUNTERS_TEST_LSM");
	ASSERT_EQ(0, parameter("deny_open", 0));
	ASSERT_EQ(0, parameter("deny", 0));
	ASSERT_EQ(0, parameter("pid", getpid()));
}

FIXTURE_TEARDOWN(lsm)
{
	parameter("pid", 0);
}

/* The errno of opening a counter of kernel mode, of a CPU, of both or of neither; 0 if it opens. */
static int try_open(bool kernel, bool cpu)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd;

	attr.exclude_kernel = !kernel;
	fd = pc_open(&attr, cpu ? -1 : 0, cpu ? 0 : -1, -1);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

TEST_F(lsm, the_module_is_asked_about_each_kind_of_counter)
{
	EXPECT_EQ(0, try_open(true, true));
	ASSERT_EQ(0, parameter("deny_open", 1 << OPEN));
	EXPECT_EQ(EKEYREJECTED, try_open(false, false));

	ASSERT_EQ(0, parameter("deny_open", 1 << KERNEL));
	EXPECT_EQ(0, try_open(false, false));
	EXPECT_EQ(EKEYREJECTED, try_open(true, false));

	ASSERT_EQ(0, parameter("deny_open", 1 << CPU));
	EXPECT_EQ(0, try_open(true, false));
	EXPECT_EQ(EKEYREJECTED, try_open(false, true));
}

TEST_F(lsm, a_counter_without_a_label_is_refused)
{
	ASSERT_EQ(0, parameter("deny", DENY_ALLOC));
	EXPECT_EQ(EKEYREJECTED, try_open(false, false));
	ASSERT_EQ(0, parameter("deny", 0));
	EXPECT_EQ(0, try_open(false, false));
}

TEST_F(lsm, reading_and_mapping_can_be_refused)
{
	int fd = pc_open_self(PERF_COUNT_SW_PAGE_FAULTS);
	size_t size = 2 * sysconf(_SC_PAGESIZE);
	struct perf_counter_rows rows = {};
	__u64 value;

	ASSERT_LE(0, fd);
	EXPECT_EQ(sizeof(value), read(fd, &value, sizeof(value)));
	ASSERT_EQ(0, parameter("deny", DENY_READ));
	EXPECT_EQ(-1, read(fd, &value, sizeof(value)));
	EXPECT_EQ(EKEYREJECTED, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
	EXPECT_EQ(EKEYREJECTED, errno);
	if (!pc_on_perf_event()) {
		EXPECT_EQ(-1, ioctl(fd, PERF_COUNTER_IOC_READ_EACH, &rows));
		EXPECT_EQ(EKEYREJECTED, errno);
		EXPECT_EQ(-1, ioctl(fd, PERF_COUNTER_IOC_READ_SELF, &rows));
		EXPECT_EQ(EKEYREJECTED, errno);
	}
	/* The descriptor can still be controlled. */
	EXPECT_EQ(0, pc_enable(fd));
	close(fd);
}

TEST_F(lsm, controlling_can_be_refused)
{
	int fd = pc_open_self(PERF_COUNT_SW_PAGE_FAULTS);
	__u64 value;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, parameter("deny", DENY_WRITE));
	EXPECT_EQ(-1, pc_enable(fd));
	EXPECT_EQ(EKEYREJECTED, errno);
	EXPECT_EQ(0, pc_id(fd));
	EXPECT_EQ(EKEYREJECTED, errno);
	EXPECT_EQ(sizeof(value), read(fd, &value, sizeof(value)));
	EXPECT_EQ(0, value);
	close(fd);
}

/* Descriptors of openers with the same credentials share a label. */
TEST_F(lsm, counters_of_equal_credentials_share_a_label)
{
	int fds[4];
	long before;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	before = labels();
	ASSERT_LE(0, before);
	for (int i = 0; i < 3; i++) {
		fds[i] = pc_open_self(PERF_COUNT_SW_PAGE_FAULTS);
		ASSERT_LE(0, fds[i]);
	}
	EXPECT_EQ(before + 1, labels());
	/* The two calls create new credentials with the same contents. */
	ASSERT_EQ(0, setregid(getgid(), getgid() + 1));
	ASSERT_EQ(0, setregid(getgid(), getgid()));
	fds[3] = pc_open_self(PERF_COUNT_SW_PAGE_FAULTS);
	ASSERT_LE(0, fds[3]);
	EXPECT_EQ(before + 2, labels());
	for (int i = 0; i < 4; i++) {
		EXPECT_EQ(0, pc_enable(fds[i]));
		close(fds[i]);
	}
	/* The label is freed with its last descriptor. */
	fds[0] = pc_open_self(PERF_COUNT_SW_PAGE_FAULTS);
	ASSERT_LE(0, fds[0]);
	EXPECT_EQ(before + 3, labels());
	close(fds[0]);
}

TEST_HARNESS_MAIN
