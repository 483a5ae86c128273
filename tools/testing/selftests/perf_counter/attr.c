// SPDX-License-Identifier: GPL-2.0
/*
 * Attrs that perf_counter_open() accepts and refuses: the size of struct perf_counter_attr, by
 * which it can grow compatibly, reserved and unknown bits, the target, the group, the flags.
 *
 * Tools try what a kernel can do and look at errno, so the refusals are a part of the ABI.
 */
#include "pc_arch.h"
#include "pc_test.h"

/* The attr of a newer program: the present one, and fields that were added at its end. */
union long_attr {
	struct perf_counter_attr attr;
	__u8 bytes[2 * PC_MAX_PAGE];
};

/* In perf_events: the offset of the flag word, and the number of its first reserved bit. */
#define FLAG_WORD_OFFSET	40
#define FIRST_RESERVED_BIT	38
/* Two of the reserved bits are flags of perf_counter. */
#define SUBRINGS_BIT		62
#define MUNMAP_BIT		63

static __u64 *flag_word(struct perf_counter_attr *attr)
{
	return (__u64 *)((char *)attr + FLAG_WORD_OFFSET);
}

/* Open a counter of the calling task and close it. Returns 0 or an errno. */
static int try_attr(struct perf_counter_attr *attr)
{
	int fd = pc_open(attr, 0, -1, -1);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/*
 * True for a size that a kernel may write back when it refuses an attr: newer kernels know more
 * fields.
 */
static bool is_a_kernels_size(__u32 size)
{
	return pc_on_perf_event() ? size >= sizeof(struct perf_counter_attr)
				  : size == sizeof(struct perf_counter_attr);
}

static int try_flag(__u64 bit)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);

	*flag_word(&attr) |= 1ULL << bit;
	return try_attr(&attr);
}

FIXTURE(attr) {
	int unused;
};

FIXTURE_SETUP(attr) {}
FIXTURE_TEARDOWN(attr) {}

PC_TEST(attr, layout_is_that_of_perf_event_attr)
{
	EXPECT_EQ(136, sizeof(struct perf_counter_attr));
	EXPECT_EQ(8, offsetof(struct perf_counter_attr, config));
	EXPECT_EQ(16, offsetof(struct perf_counter_attr, sample_period));
	EXPECT_EQ(24, offsetof(struct perf_counter_attr, sample_type));
	EXPECT_EQ(32, offsetof(struct perf_counter_attr, read_format));
	EXPECT_EQ(48, offsetof(struct perf_counter_attr, wakeup_events));
	EXPECT_EQ(64, offsetof(struct perf_counter_attr, config2));
	EXPECT_EQ(72, offsetof(struct perf_counter_attr, branch_sample_type));
	EXPECT_EQ(92, offsetof(struct perf_counter_attr, clockid));
	EXPECT_EQ(108, offsetof(struct perf_counter_attr, sample_max_stack));
	EXPECT_EQ(120, offsetof(struct perf_counter_attr, sig_data));
	EXPECT_EQ(128, offsetof(struct perf_counter_attr, config3));
}

PC_TEST(attr, every_published_size_is_accepted)
{
	static const __u32 sizes[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136 };
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);

	for (int i = 0; i < ARRAY_SIZE(sizes); i++) {
		attr.size = sizes[i];
		EXPECT_EQ(0, try_attr(&attr))
			TH_LOG("size %u is a published version of the attr", sizes[i]);
	}
}

PC_TEST(attr, size_zero_means_the_first_version)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);

	attr.size = 0;
	/*
	 * These fields are after the first 64 bytes, and a kernel that reads them refuses either
	 * one.
	 */
	attr.sample_regs_intr = (~0ULL);
	attr.__reserved_2 = 1;
	EXPECT_EQ(0, try_attr(&attr));
}

PC_TEST(attr, fields_behind_size_are_not_read)
{
	long page = sysconf(_SC_PAGESIZE);
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);
	char *map, *place;
	int fd;

	map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_OK(munmap(map + page, page));
	place = map + page - PERF_COUNTER_ATTR_SIZE_VER0;
	attr.size = PERF_COUNTER_ATTR_SIZE_VER0;
	memcpy(place, &attr, PERF_COUNTER_ATTR_SIZE_VER0);
	fd = pc_open_raw(place, 0, -1, -1, 0);
	ASSERT_FD(fd);
	close(fd);

	attr.size = PERF_COUNTER_ATTR_SIZE_VER0 + 8;
	memcpy(place, &attr, PERF_COUNTER_ATTR_SIZE_VER0);
	EXPECT_ERRNO(EFAULT, pc_open_raw(place, 0, -1, -1, 0));
}

PC_TEST(attr, a_size_between_versions_is_accepted)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);

	for (__u32 size = PERF_COUNTER_ATTR_SIZE_VER0; size <= sizeof(attr); size++) {
		attr.size = size;
		ASSERT_EQ(0, try_attr(&attr)) TH_LOG("size %u", size);
	}
}

PC_TEST(attr, a_size_below_the_first_version_is_too_big)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);

	for (__u32 size = 1; size < PERF_COUNTER_ATTR_SIZE_VER0; size++) {
		attr.size = size;
		ASSERT_EQ(E2BIG, try_attr(&attr)) TH_LOG("size %u", size);
		EXPECT_TRUE(is_a_kernels_size(attr.size)) {
			TH_LOG("size %u became %u", size, attr.size);
		}
	}
}

PC_TEST(attr, a_longer_structure_with_a_zero_tail_is_accepted)
{
	union long_attr l = { .attr = pc_attr(PERF_COUNT_SW_DUMMY) };
	long page = sysconf(_SC_PAGESIZE);
	const __u32 sizes[] = { sizeof(l.attr) + 1, sizeof(l.attr) + 8, 256, page - 1, page };

	for (int i = 0; i < ARRAY_SIZE(sizes); i++) {
		l.attr.size = sizes[i];
		EXPECT_EQ(0, try_attr(&l.attr)) TH_LOG("size %u, zero tail", sizes[i]);
		EXPECT_EQ(sizes[i], l.attr.size);
	}
}

PC_TEST(attr, a_longer_structure_with_a_nonzero_tail_is_too_big)
{
	long page = sysconf(_SC_PAGESIZE);
	/* A newer perf_events may know more fields than this test. */
	__u32 first = pc_on_perf_event() ? 256 : sizeof(struct perf_counter_attr);
	const __u32 places[] = { first, first + 7, first + 8, page - 2, page - 1 };

	for (int i = 0; i < ARRAY_SIZE(places); i++) {
		union long_attr l = { .attr = pc_attr(PERF_COUNT_SW_DUMMY) };

		l.attr.size = page;
		l.bytes[places[i]] = 1;
		EXPECT_EQ(E2BIG, try_attr(&l.attr)) TH_LOG("byte %u is set", places[i]);
		EXPECT_TRUE(is_a_kernels_size(l.attr.size)) {
			TH_LOG("size %ld became %u", page, l.attr.size);
		}
	}
}

PC_TEST(attr, more_than_a_page_is_too_big)
{
	union long_attr l = { .attr = pc_attr(PERF_COUNT_SW_DUMMY) };
	long page = sysconf(_SC_PAGESIZE);
	const __u32 sizes[] = { page + 1, 2 * page, 0x7fffffff, 0x80000000, 0xffffffff };

	for (int i = 0; i < ARRAY_SIZE(sizes); i++) {
		l.attr.size = sizes[i];
		EXPECT_EQ(E2BIG, try_attr(&l.attr)) TH_LOG("size %#x", sizes[i]);
	}
}

PC_TEST(attr, a_bad_pointer_faults)
{
	long page = sysconf(_SC_PAGESIZE);
	void *readonly;

	EXPECT_ERRNO(EFAULT, pc_open_raw(NULL, 0, -1, -1, 0));
	EXPECT_ERRNO(EFAULT, pc_open_raw((void *)UINTPTR_MAX, 0, -1, -1, 0));

	/* The kernel cannot write the size back to this page, so the call returns EFAULT. */
	readonly = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, readonly);
	((struct perf_counter_attr *)readonly)->size = 8;
	ASSERT_OK(mprotect(readonly, page, PROT_READ));
	EXPECT_ERRNO(E2BIG, pc_open_raw(readonly, 0, -1, -1, 0));
}

PC_TEST(attr, every_reserved_flag_bit_is_refused)
{
	for (int bit = FIRST_RESERVED_BIT; bit < 64; bit++) {
		if ((bit == SUBRINGS_BIT || bit == MUNMAP_BIT) && !pc_on_perf_event())
			continue;
		EXPECT_EQ(EINVAL, try_flag(bit))
			TH_LOG("flag bit %d", bit);
	}
}

PC_TEST(attr, every_known_flag_bit_is_accepted)
{
	/* These flags are accepted without any other field. */
	static const int known[] = {
		0 /* disabled */, 1 /* inherit */, 2 /* pinned */, 3 /* exclusive */,
		4 /* exclude_user */, 5 /* exclude_kernel */, 6 /* exclude_hv */,
		7 /* exclude_idle */, 8 /* mmap */, 9 /* comm */, 11 /* inherit_stat */,
		12 /* enable_on_exec */, 13 /* task */, 14 /* watermark */, 17 /* mmap_data */,
		18 /* sample_id_all */, 19 /* exclude_host */, 20 /* exclude_guest */,
		21 /* exclude_callchain_kernel */, 22 /* exclude_callchain_user */,
		23 /* mmap2 */, 24 /* comm_exec */, 26 /* context_switch */,
		27 /* write_backward */, 28 /* namespaces */, 29 /* ksymbol */,
		30 /* bpf_event */, 33 /* text_poke */, 34 /* build_id */,
		36 /* remove_on_exec */,
	};

	for (int i = 0; i < ARRAY_SIZE(known); i++) {
		EXPECT_EQ(0, try_flag(known[i]))
			TH_LOG("flag bit %d", known[i]);
	}
}

PC_TEST(attr, flags_of_later_features_are_refused)
{
	static const struct {
		int bit;
		const char *name;
	} unknown[] = {
		{ 15, "precise_ip 1" }, { 16, "precise_ip 2" }, { 31, "aux_output" },
		{ 35, "inherit_thread" }, { 37, "sigtrap" },
	};

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	for (int i = 0; i < ARRAY_SIZE(unknown); i++) {
		EXPECT_EQ(EINVAL, try_flag(unknown[i].bit))
			TH_LOG("%s", unknown[i].name);
	}
}

PC_TEST(attr, flags_of_perf_counter_are_accepted)
{
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	EXPECT_EQ(0, try_flag(SUBRINGS_BIT)) TH_LOG("subrings");
	EXPECT_EQ(0, try_flag(MUNMAP_BIT)) TH_LOG("munmap");
}

/* perf_events accepts this flag if the kernel has CONFIG_CGROUP_PERF. */
PC_TEST(attr, the_cgroup_flag_is_accepted)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);

	if (pc_on_perf_event())
		SKIP(return, "perf_events may be built without this flag");
	attr.cgroup = 1;
	EXPECT_EQ(0, try_attr(&attr));
}

PC_TEST(attr, enable_on_exec_and_remove_on_exec_are_exclusive)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);

	attr.remove_on_exec = 1;
	attr.enable_on_exec = 1;
	EXPECT_EQ(EINVAL, try_attr(&attr));
	attr.enable_on_exec = 0;
	EXPECT_EQ(0, try_attr(&attr));
}

PC_TEST(attr, reserved_fields_must_be_zero)
{
	struct perf_counter_attr attr;

	for (int bit = 0; bit < 16; bit++) {
		attr = pc_attr(PERF_COUNT_SW_DUMMY);
		attr.__reserved_2 = 1U << bit;
		EXPECT_EQ(EINVAL, try_attr(&attr)) TH_LOG("__reserved_2 bit %d", bit);
	}
	/* Kernels since 6.13 use the low bits as aux_action. */
	for (int bit = pc_on_perf_event() ? 3 : 0; bit < 32; bit++) {
		attr = pc_attr(PERF_COUNT_SW_DUMMY);
		attr.__reserved_3 = 1U << bit;
		EXPECT_EQ(EINVAL, try_attr(&attr)) TH_LOG("__reserved_3 bit %d", bit);
	}
}

PC_TEST(attr, unknown_sample_types_are_refused)
{
	/*
	 * All sample types but BRANCH_STACK and AUX; perf_events may be built without control
	 * groups.
	 */
	const __u64 known = ((1ULL << 25) - 1) & ~(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_AUX |
						  (pc_on_perf_event() ? PERF_SAMPLE_CGROUP : 0));
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);

	attr.sample_regs_user = 1;
	attr.sample_regs_intr = 1;

	for (int bit = 0; bit < 64; bit++) {
		attr.sample_type = 1ULL << bit;
		if (attr.sample_type & known) {
			EXPECT_EQ(0, try_attr(&attr))
				TH_LOG("sample_type bit %d", bit);
		} else if (bit >= 25 || !pc_on_perf_event()) {
			EXPECT_EQ(EINVAL, try_attr(&attr))
				TH_LOG("sample_type bit %d", bit);
		}
	}
	/* The two kinds of weight exclude one another. */
	attr.sample_type = known & ~PERF_SAMPLE_WEIGHT;
	EXPECT_EQ(0, try_attr(&attr)) TH_LOG("all known sample types but PERF_SAMPLE_WEIGHT");
	attr.sample_type = known & ~PERF_SAMPLE_WEIGHT_STRUCT;
	EXPECT_EQ(0, try_attr(&attr))
		TH_LOG("all known sample types but PERF_SAMPLE_WEIGHT_STRUCT");
}

PC_TEST(attr, unknown_read_formats_are_refused)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);

	for (int bit = 0; bit < 64; bit++) {
		attr.read_format = 1ULL << bit;
		EXPECT_EQ(bit < 5 ? 0 : EINVAL, try_attr(&attr)) TH_LOG("read_format bit %d", bit);
	}
	for (attr.read_format = 0; attr.read_format < 32; attr.read_format++) {
		EXPECT_EQ(0, try_attr(&attr))
			TH_LOG("read_format %#llx", attr.read_format);
	}
}

PC_TEST(attr, types_without_a_pmu_are_enoent)
{
	static const __u32 types[] = { PERF_TYPE_HARDWARE, PERF_TYPE_HW_CACHE, PERF_TYPE_RAW,
					  0x7fffffff, 0xffffffff };
	struct perf_counter_attr attr = pc_attr(0);
	/* With PC_PMU in the environment, the machine has a PMU that perf_counter drives. */
	bool has_pmu = pc_power() || getenv("PC_PMU");

	/* If perf_events has a PMU on this machine, skip the types of the PMU. */
	attr.type = PERF_TYPE_HARDWARE;
	if (pc_on_perf_event() && !try_attr(&attr))
		has_pmu = true;
	for (int i = has_pmu ? 3 : 0; i < ARRAY_SIZE(types); i++) {
		attr.type = types[i];
		EXPECT_EQ(ENOENT, try_attr(&attr)) TH_LOG("type %u", types[i]);
	}
}

PC_TEST(attr, software_events_up_to_dummy_are_accepted)
{
	struct perf_counter_attr attr;

	for (__u64 config = 0; config <= PERF_COUNT_SW_DUMMY; config++) {
		attr = pc_attr(config);
		EXPECT_EQ(0, try_attr(&attr)) TH_LOG("config %llu", config);
	}
}

PC_TEST(attr, unknown_software_events_are_enoent)
{
	static const __u64 configs[] = { 12, 100, 0xffffffff, 0x100000000, 0x100000002,
					    (~0ULL) };
	struct perf_counter_attr attr;

	for (int i = 0; i < ARRAY_SIZE(configs); i++) {
		attr = pc_attr(configs[i]);
		EXPECT_EQ(ENOENT, try_attr(&attr)) TH_LOG("config %#llx", configs[i]);
	}
}

PC_TEST(attr, bpf_output_and_cgroup_switches_are_enoent)
{
	struct perf_counter_attr attr;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	attr = pc_attr(10);
	EXPECT_EQ(ENOENT, try_attr(&attr)) TH_LOG("PERF_COUNT_SW_BPF_OUTPUT");
	attr = pc_attr(11);
	EXPECT_EQ(ENOENT, try_attr(&attr)) TH_LOG("PERF_COUNT_SW_CGROUP_SWITCHES");
}

PC_TEST(attr, frequency_is_limited_by_the_sysctl)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_CPU_CLOCK);
	long max = pc_sysctl_read("max_sample_rate");

	ASSERT_LT(0, max) TH_LOG("%s", pc_sysctl_path("max_sample_rate"));
	attr.freq = 1;
	attr.sample_freq = max;
	EXPECT_EQ(0, try_attr(&attr)) TH_LOG("sample_freq %ld", max);
	attr.sample_freq = max + 1;
	EXPECT_EQ(EINVAL, try_attr(&attr)) TH_LOG("sample_freq %ld", max + 1);
	attr.sample_freq = (~0ULL);
	EXPECT_EQ(EINVAL, try_attr(&attr)) TH_LOG("largest sample_freq");
}

PC_TEST(attr, a_period_with_the_top_bit_is_refused)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = INT64_MAX;
	EXPECT_EQ(0, try_attr(&attr));
	attr.sample_period = 1ULL << 63;
	EXPECT_EQ(EINVAL, try_attr(&attr));
	attr.sample_period = (~0ULL);
	EXPECT_EQ(EINVAL, try_attr(&attr));
}

PC_TEST(attr, clocks_that_an_nmi_can_read_are_accepted)
{
	static const int good[] = { CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME,
				    CLOCK_BOOTTIME, CLOCK_TAI };
	static const int bad[] = { CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID,
				   CLOCK_MONOTONIC_COARSE, CLOCK_REALTIME_ALARM, 99, -1, -6 };
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);

	attr.use_clockid = 1;
	for (int i = 0; i < ARRAY_SIZE(good); i++) {
		attr.clockid = good[i];
		EXPECT_EQ(0, try_attr(&attr)) TH_LOG("clockid %d", good[i]);
	}
	for (int i = 0; i < ARRAY_SIZE(bad); i++) {
		attr.clockid = bad[i];
		EXPECT_EQ(EINVAL, try_attr(&attr)) TH_LOG("clockid %d", bad[i]);
	}
}

PC_TEST(attr, a_call_chain_deeper_than_the_sysctl_is_refused)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	attr.sample_max_stack = 16;
	EXPECT_EQ(0, try_attr(&attr)) TH_LOG("16 entries");
	attr.sample_max_stack = UINT16_MAX;
	EXPECT_EQ(EOVERFLOW, try_attr(&attr)) TH_LOG("%d entries", UINT16_MAX);
}

PC_TEST(attr, reading_values_in_samples_of_inherited_counters_needs_tid)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = 1;
	attr.inherit = 1;
	attr.sample_type = PERF_SAMPLE_READ;
	EXPECT_EQ(EINVAL, try_attr(&attr));
	attr.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_TID;
	EXPECT_EQ(0, try_attr(&attr));
}

FIXTURE(target) {
	int unused;
};

FIXTURE_SETUP(target) {}
FIXTURE_TEARDOWN(target) {}

PC_TEST(target, a_pid_that_does_not_exist_is_esrch)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid)
		_exit(0);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_ERRNO(ESRCH, pc_open(&attr, pid, -1, -1));
	EXPECT_ERRNO(ESRCH, pc_open(&attr, pid, 0, -1));
	EXPECT_ERRNO(ESRCH, pc_open(&attr, -2, -1, -1));
	EXPECT_ERRNO(ESRCH, pc_open(&attr, INT32_MIN, -1, -1));
	EXPECT_ERRNO(ESRCH, pc_open(&attr, INT32_MAX, -1, -1));
}

PC_TEST(target, a_zombie_cannot_be_counted)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);
	siginfo_t info;
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid)
		_exit(0);
	ASSERT_OK(waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
	EXPECT_ERRNO(ESRCH, pc_open(&attr, pid, -1, -1));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
}

PC_TEST(target, a_cpu_out_of_range_is_refused)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);
	static const int cpus[] = { -2, INT32_MIN, 65536, INT32_MAX };

	for (int i = 0; i < ARRAY_SIZE(cpus); i++) {
		EXPECT_ERRNO(EINVAL, pc_open(&attr, -1, cpus[i], -1));
		EXPECT_ERRNO(EINVAL, pc_open(&attr, 0, cpus[i], -1));
	}
}

PC_TEST(target, every_online_cpu_can_be_counted)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);
	cpu_set_t set;

	ASSERT_OK(sched_getaffinity(0, sizeof(set), &set));
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		int fd;

		if (!CPU_ISSET(cpu, &set))
			continue;
		fd = pc_open(&attr, -1, cpu, -1);
		EXPECT_LE(0, fd) TH_LOG("CPU %d: %s", cpu, strerror(errno));
		close(fd);
		fd = pc_open(&attr, 0, cpu, -1);
		EXPECT_LE(0, fd) TH_LOG("self on CPU %d: %s", cpu, strerror(errno));
		close(fd);
	}
}

PC_TEST(target, a_counter_of_the_whole_machine_is_accepted)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);
	int fd;

	if (pc_on_perf_event()) {
		EXPECT_ERRNO(EINVAL, pc_open(&attr, -1, -1, -1));
		return;
	}
	fd = pc_open(&attr, -1, -1, -1);
	ASSERT_FD(fd);
	close(fd);
}

PC_TEST(target, unknown_flags_are_refused)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);

	for (int bit = 4; bit < 64; bit++)
		EXPECT_ERRNO(EINVAL, pc_open_raw(&attr, 0, -1, -1, 1UL << bit));
}

PC_TEST(target, flags_are_refused_before_the_attr_is_read)
{
	EXPECT_ERRNO(EINVAL, pc_open_raw(NULL, 0, -1, -1, 1UL << 10));
}

PC_TEST(target, other_directories_are_no_cgroups)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);
	int dir = open("/", O_RDONLY | O_DIRECTORY);

	ASSERT_FD(dir);
	EXPECT_ERRNO(EINVAL, pc_open_raw(&attr, -1, 0, -1, PERF_FLAG_PID_CGROUP));
	/* perf_events counts a control group only on one CPU. */
	EXPECT_ERRNO(pc_on_perf_event() ? EINVAL : EBADF,
		     pc_open_raw(&attr, dir, -1, -1, PERF_FLAG_PID_CGROUP));
	if (!pc_on_perf_event())
		EXPECT_ERRNO(EBADF, pc_open_raw(&attr, dir, 0, -1, PERF_FLAG_PID_CGROUP));
	close(dir);
}

PC_TEST(target, cloexec_is_set_by_its_flag_only)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);
	int with = pc_open_raw(&attr, 0, -1, -1, PERF_COUNTER_FLAG_FD_CLOEXEC);
	int without = pc_open_raw(&attr, 0, -1, -1, 0);

	ASSERT_FD(with);
	ASSERT_FD(without);
	EXPECT_EQ(FD_CLOEXEC, fcntl(with, F_GETFD));
	EXPECT_EQ(0, fcntl(without, F_GETFD));
	EXPECT_EQ(O_RDWR, fcntl(with, F_GETFL) & O_ACCMODE);
}

FIXTURE(group) {
	struct perf_counter_attr attr;
	int leader;
};

FIXTURE_SETUP(group)
{
	self->attr = pc_attr(PERF_COUNT_SW_DUMMY);
	self->leader = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->leader);
}

FIXTURE_TEARDOWN(group)
{
	close(self->leader);
}

PC_TEST(group, a_member_joins_a_group)
{
	int fd = pc_open(&self->attr, 0, -1, self->leader);

	ASSERT_FD(fd);
	close(fd);
}

PC_TEST(group, a_leader_that_is_no_counter_is_refused)
{
	int pipes[2];

	ASSERT_OK(pipe(pipes));
	EXPECT_ERRNO(EBADF, pc_open(&self->attr, 0, -1, pipes[0]));
	EXPECT_ERRNO(EBADF, pc_open(&self->attr, 0, -1, 9999));
	EXPECT_ERRNO(EBADF, pc_open(&self->attr, 0, -1, -2));
}

PC_TEST(group, a_closed_leader_is_refused)
{
	int fd = pc_open(&self->attr, 0, -1, -1);

	ASSERT_FD(fd);
	close(fd);
	EXPECT_ERRNO(EBADF, pc_open(&self->attr, 0, -1, fd));
}

PC_TEST(group, a_member_cannot_be_a_leader)
{
	int member = pc_open(&self->attr, 0, -1, self->leader);

	ASSERT_FD(member);
	EXPECT_ERRNO(EINVAL, pc_open(&self->attr, 0, -1, member));
	close(member);
}

PC_TEST(group, members_are_on_the_leaders_task)
{
	int go[2];
	pid_t pid;

	ASSERT_OK(pipe(go));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		char c;

		close(go[1]);
		_exit(read(go[0], &c, 1) != 0);
	}
	EXPECT_ERRNO(EINVAL, pc_open(&self->attr, pid, -1, self->leader));
	close(go[1]);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
}

PC_TEST(group, members_are_on_the_leaders_cpu)
{
	int cpu_leader = pc_open(&self->attr, -1, 0, -1);
	int here_leader = pc_open(&self->attr, 0, 0, -1);

	ASSERT_FD(cpu_leader);
	ASSERT_FD(here_leader);
	EXPECT_ERRNO(EINVAL, pc_open(&self->attr, -1, 0, self->leader));
	EXPECT_ERRNO(EINVAL, pc_open(&self->attr, 0, 0, self->leader));
	EXPECT_ERRNO(EINVAL, pc_open(&self->attr, 0, -1, cpu_leader));
	EXPECT_ERRNO(EINVAL, pc_open(&self->attr, 0, 0, cpu_leader));
	EXPECT_ERRNO(EINVAL, pc_open(&self->attr, 0, -1, here_leader));
	EXPECT_ERRNO(EINVAL, pc_open(&self->attr, -1, 0, here_leader));
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
		EXPECT_ERRNO(EINVAL, pc_open(&self->attr, -1, 1, cpu_leader));
	close(cpu_leader);
	close(here_leader);
}

PC_TEST(group, members_use_the_leaders_clock)
{
	struct perf_counter_attr attr = self->attr;

	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	EXPECT_ERRNO(EINVAL, pc_open(&attr, 0, -1, self->leader));
}

PC_TEST(group, members_inherit_as_the_leader_does)
{
	struct perf_counter_attr attr = self->attr;

	attr.inherit = 1;
	EXPECT_ERRNO(EINVAL, pc_open(&attr, 0, -1, self->leader));
}

/* Counters of a CPU are not inherited, but as in perf_events the flag is accepted. */
PC_TEST(group, inherit_is_accepted_for_a_cpu)
{
	struct perf_counter_attr attr = self->attr;
	int leader = pc_open(&self->attr, -1, 0, -1), member;

	ASSERT_FD(leader);
	attr.inherit = 1;
	member = pc_open(&attr, -1, 0, leader);
	EXPECT_LE(0, member) TH_LOG("errno %d", errno);
	close(member);
	close(leader);
}

PC_TEST(group, only_a_leader_is_pinned_or_exclusive)
{
	struct perf_counter_attr attr = self->attr;
	int fd;

	attr.pinned = 1;
	EXPECT_ERRNO(EINVAL, pc_open(&attr, 0, -1, self->leader));
	attr.pinned = 0;
	attr.exclusive = 1;
	EXPECT_ERRNO(EINVAL, pc_open(&attr, 0, -1, self->leader));

	attr.pinned = 1;
	fd = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(fd);
	close(fd);
}

PC_TEST(group, fd_no_group_makes_a_leader)
{
	struct perf_counter_attr attr = self->attr;
	__u64 values[8];
	int fd, member;

	fd = pc_open_raw(&attr, 0, -1, self->leader, PERF_COUNTER_FLAG_FD_NO_GROUP);
	ASSERT_FD(fd);
	attr.read_format = PERF_FORMAT_GROUP;
	member = pc_open(&attr, 0, -1, fd);
	EXPECT_LE(0, member) TH_LOG("it leads a group: %s", strerror(errno));
	/* The result is nr and one value, so the leader's group has not grown. */
	EXPECT_EQ(16, read(member, values, sizeof(values)) - 8);
	close(member);
	close(fd);
}

PC_TEST(group, a_group_too_large_to_read_is_refused)
{
	struct rlimit files = { 4096, 4096 };
	struct perf_counter_attr attr = self->attr;
	int first, fd, n = 1;

	/* A record has at most 64 KiB, and each member adds 16 bytes. */
	if (setrlimit(RLIMIT_NOFILE, &files))
		SKIP(return, "needs %lu descriptors", (unsigned long)files.rlim_cur);
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	first = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(first);
	do {
		fd = pc_open(&attr, 0, -1, first);
		n++;
	} while (fd >= 0 && n < 4090);
	EXPECT_LT(n, 4090);
	EXPECT_EQ(E2BIG, errno) TH_LOG("after %d members: %s", n, strerror(errno));
	/*
	 * A read() of n counters returns 8 + 16 n bytes. The kernel's limit is 16 KiB; no limit
	 * may be above the 64 KiB of a record.
	 */
	EXPECT_LT(8 + 16 * n, 65536);
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}
