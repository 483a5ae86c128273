// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of the kernel's own code: BPF programs, probes and modules. The tests compare records
 * with /proc/kallsyms, /proc/modules and bpf(2).
 *
 * Such a change affects the whole machine: every counter that asks for its records gets them.
 */
#include <sys/mount.h>
#include <linux/bpf.h>

#include "pc_arch.h"
#include "pc_side.h"
#include "pc_test.h"
#include "pc_work.h"

#define MAX_CPUS	8
#define MAX_PAGES	64
#define MAX_PROBES	300

/* Types and flags that older headers lack. */
enum {
	KSYMBOL_BPF = 1,
	KSYMBOL_OOL = 2,
	KSYMBOL_UNREGISTER = 1,
	BPF_LOAD = 1,
	BPF_UNLOAD = 2,
};

static union pc_record rec;
static struct ksymbol_record *symbol = (void *)&rec;
static struct bpf_record *bpf = (void *)&rec;
static struct poke_record *poke = (void *)&rec;
static struct mmap_record *mapped = (void *)&rec;
static struct mmap2_record *mapped2 = (void *)&rec;

FIXTURE(text) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	int cpus[MAX_CPUS];
	int n;
	int fd;
};

FIXTURE_SETUP(text)
{
	self->attr = pc_attr(PERF_COUNT_SW_DUMMY);
	self->fd = -1;
	self->n = pc_cpus(self->cpus, MAX_CPUS);
	ASSERT_LE(1, self->n);
	ASSERT_OK(pc_pin(self->cpus[0]));
}

FIXTURE_TEARDOWN(text)
{
	pc_ring_unmap(&self->ring);
	close(self->fd);
}

/*
 * Open a counter that gets records of what this task does to the kernel. In perf_events this is a
 * counter of the present CPU, and it has to be enabled.
 */
static int open_listener(const struct perf_counter_attr *attr, int cpu, struct pc_ring *ring,
			 int *fd)
{
	struct perf_counter_attr copy = *attr;

	*fd = pc_on_perf_event() ? pc_open(&copy, -1, cpu, -1) : pc_open(&copy, 0, -1, -1);
	if (*fd < 0 || pc_ring_map(ring, *fd, 64))
		return -1;
	return pc_on_perf_event() ? pc_enable(*fd) : 0;
}

/* Wait for the next record of a type, which may come late. */
static void await_record(struct pc_ring *ring, __u32 type)
{
	while (!pc_ring_find(ring, &rec, type))
		sched_yield();
}

/* === BPF programs === */
static int load_program(const struct bpf_insn *insns, int n)
{
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		.insns = (unsigned long)insns, .insn_cnt = n,
		.license = (unsigned long)"GPL", .prog_name = "pc_test",
	};

	return syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

#define SET_R0(n)	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = n }
#define EXIT		{ .code = BPF_JMP | BPF_EXIT }

static int load_simple(void)
{
	static const struct bpf_insn insns[] = { SET_R0(7), EXIT };

	return load_program(insns, ARRAY_SIZE(insns));
}

/* Load a program of two functions, one of which calls the other. */
static int load_two(void)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = 1 },
		EXIT,
		SET_R0(8),
		EXIT,
	};

	return load_program(insns, ARRAY_SIZE(insns));
}

struct program {
	struct bpf_prog_info info;
	__u64 addrs[4];
	__u32 lens[4];
};

static int info_of(int fd, struct program *p)
{
	union bpf_attr attr = {
		.info.bpf_fd = fd, .info.info_len = sizeof(p->info),
		.info.info = (unsigned long)&p->info,
	};

	memset(p, 0, sizeof(*p));
	p->info.jited_ksyms = (unsigned long)p->addrs;
	p->info.nr_jited_ksyms = 4;
	p->info.jited_func_lens = (unsigned long)p->lens;
	p->info.nr_jited_func_lens = 4;
	return syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr));
}

/* Describe why the kernel cannot load and compile programs. Returns NULL if it can. */
static const char *no_programs(void)
{
	struct program p;
	int fd = load_simple(), ret;

	if (fd < 0)
		return strerror(errno);
	ret = info_of(fd, &p);
	close(fd);
	return ret ? strerror(errno) : p.addrs[0] ? NULL : "programs are not compiled here";
}

/* True if /proc/kallsyms has this name at this address. */
static bool in_kallsyms(__u64 addr, const char *name)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512], is[256];
	bool found = false;
	__u64 at;

	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%llx %*c %255s", &at, is) == 2 && at == addr &&
			!strcmp(is, name);
	if (f)
		fclose(f);
	return found;
}

PC_TEST(text, bpf_programs_and_functions_are_recorded)
{
	const char *why = no_programs();

	if (why)
		SKIP(return, "no BPF: %s", why);
	self->attr.ksymbol = 1;
	self->attr.bpf_event = 1;
	ASSERT_OK(open_listener(&self->attr, self->cpus[0], &self->ring, &self->fd));
	for (int functions = 1; functions <= 2; functions++) {
		int fd = functions == 1 ? load_simple() : load_two();
		char tag[64] = "bpf_prog_";
		struct program p;

		ASSERT_FD(fd);
		ASSERT_OK(info_of(fd, &p));
		ASSERT_EQ(functions, p.info.nr_jited_ksyms);
		for (int unload = 0; unload < 2; unload++) {
			int seen = 0;

			for (int i = 0; i < functions; i++) {
				await_record(&self->ring, PERF_RECORD_KSYMBOL);
				EXPECT_EQ(KSYMBOL_BPF, symbol->type);
				EXPECT_EQ(unload ? KSYMBOL_UNREGISTER : 0, symbol->flags);
				for (int j = 0; j < functions; j++)
					if (symbol->addr == p.addrs[j] && symbol->len == p.lens[j])
						seen += 1 + j;
				EXPECT_EQ(0, strncmp("bpf_prog_", symbol->name, 9))
					TH_LOG("%s", symbol->name);
				/* The name of the first function has the program's tag. */
				for (int j = 0; j < 8; j++)
					sprintf(tag + 9 + 2 * j, "%02x", p.info.tag[j]);
				if (symbol->addr == p.addrs[0])
					EXPECT_EQ(0, strncmp(tag, symbol->name, strlen(tag)))
						TH_LOG("%s, not %s", symbol->name, tag);
				EXPECT_EQ(!unload, in_kallsyms(symbol->addr, symbol->name))
					TH_LOG("%s", symbol->name);
				EXPECT_EQ(sizeof(*symbol) + (strlen(symbol->name) + 8) / 8 * 8,
					  rec.header.size);
			}
			EXPECT_EQ(functions == 1 ? 1 : 3, seen) TH_LOG("each name occurs once");
			await_record(&self->ring, PERF_RECORD_BPF_EVENT);
			EXPECT_EQ(unload ? BPF_UNLOAD : BPF_LOAD, bpf->type);
			EXPECT_EQ(0, bpf->flags);
			EXPECT_EQ(p.info.id, bpf->id);
			EXPECT_EQ(0, memcmp(p.info.tag, bpf->tag, sizeof(bpf->tag)));
			EXPECT_EQ(sizeof(*bpf), rec.header.size);
			EXPECT_FALSE(pc_ring_next(&self->ring, &rec));
			if (!unload)
				close(fd);
		}
	}
}

PC_TEST(text, a_refused_bpf_program_has_no_record)
{
	static const struct bpf_insn bad[] = {
		/* The verifier refuses to read a register that was not written before. */
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_0, .src_reg = BPF_REG_9 },
		EXIT,
	};
	const char *why = no_programs();

	if (why)
		SKIP(return, "no BPF: %s", why);
	self->attr.ksymbol = 1;
	self->attr.bpf_event = 1;
	ASSERT_OK(open_listener(&self->attr, self->cpus[0], &self->ring, &self->fd));
	EXPECT_EQ(-1, load_program(bad, ARRAY_SIZE(bad)));
	EXPECT_FALSE(pc_ring_next(&self->ring, &rec)) TH_LOG("type %u", rec.header.type);
}

PC_TEST(text, each_flag_asks_for_its_own_records)
{
	const char *why = no_programs();
	struct pc_ring rings[3];
	int fds[3], fd;

	if (why)
		SKIP(return, "no BPF: %s", why);
	for (int i = 0; i < 3; i++) {
		struct perf_counter_attr attr = self->attr;

		attr.ksymbol = i == 0;
		attr.bpf_event = i == 1;
		attr.mmap = 1;
		ASSERT_OK(open_listener(&attr, self->cpus[0], &rings[i], &fds[i]));
	}
	fd = load_simple();
	ASSERT_FD(fd);
	ASSERT_TRUE(pc_ring_next(&rings[0], &rec));
	EXPECT_EQ(PERF_RECORD_KSYMBOL, rec.header.type);
	EXPECT_FALSE(pc_ring_next(&rings[0], &rec));
	ASSERT_TRUE(pc_ring_next(&rings[1], &rec));
	EXPECT_EQ(PERF_RECORD_BPF_EVENT, rec.header.type);
	EXPECT_FALSE(pc_ring_next(&rings[1], &rec));
	EXPECT_FALSE(pc_ring_next(&rings[2], &rec)) TH_LOG("type %u", rec.header.type);
	close(fd);
	for (int i = 0; i < 3; i++) {
		pc_ring_unmap(&rings[i]);
		close(fds[i]);
	}
}

PC_TEST(text, counters_of_any_target_get_the_records)
{
	const char *why = no_programs();
	struct pc_ring rings[8];
	int fds[8], fd, n = 0;
	struct pc_task t;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	if (why)
		SKIP(return, "no BPF: %s", why);
	ASSERT_OK(pc_spawn(&t, pc_worker, 0));
	self->attr.ksymbol = 1;
	self->attr.sample_id_all = 1;
	self->attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_CPU;
	for (int on = 0; on < 2; on++) {
		struct perf_counter_attr tree = self->attr;

		tree.inherit = 1;
		/*
		 * The counters are of this task, a sleeping task, the machine, and a process tree.
		 */
		fds[n++] = pc_open(&self->attr, 0, -1, -1);
		fds[n++] = pc_open(&self->attr, t.pid, -1, -1);
		fds[n++] = pc_open(&self->attr, -1, -1, -1);
		fds[n++] = pc_open(&tree, t.pid, -1, -1);
		for (int i = 4 * on; i < n; i++) {
			ASSERT_FD(fds[i]);
			ASSERT_OK(pc_ring_map(&rings[i], fds[i], 4));
			if (on)
				ASSERT_OK(pc_enable(fds[i]));
		}
	}
	/* A counter of an exited task gets no records of any kind. */
	for (int ended = 0; ended < 2; ended++) {
		fd = load_simple();
		ASSERT_FD(fd);
		for (int i = 0; i < n; i++) {
			struct pc_sample s;

			if (ended && (i & 1)) {
				EXPECT_FALSE(pc_ring_next(&rings[i], &rec))
					TH_LOG("descriptor %d", i);
				continue;
			}
			ASSERT_TRUE(pc_ring_next(&rings[i], &rec)) TH_LOG("descriptor %d", i);
			EXPECT_EQ(PERF_RECORD_KSYMBOL, rec.header.type);
			EXPECT_EQ(24, pc_parse_id(&self->attr, &rec, &s));
			EXPECT_EQ(pc_id(fds[i]), s.identifier);
			EXPECT_EQ(getpid(), s.tid);
			EXPECT_EQ(self->cpus[0], s.cpu);
			EXPECT_FALSE(pc_ring_next(&rings[i], &rec)) TH_LOG("descriptor %d", i);
		}
		close(fd);
		for (int i = 0; i < n; i += 1 + ended) {
			await_record(&rings[i], PERF_RECORD_KSYMBOL);
			EXPECT_EQ(KSYMBOL_UNREGISTER, symbol->flags);
		}
		if (!ended)
			ASSERT_OK(pc_reap(&t));
	}
	for (int i = 0; i < n; i++) {
		pc_ring_unmap(&rings[i]);
		close(fds[i]);
	}
}

PC_TEST(text, a_cpu_counter_gets_records_of_its_cpu)
{
	const char *why = no_programs();
	struct pc_ring rings[MAX_CPUS];
	int fds[MAX_CPUS], fd;

	if (why)
		SKIP(return, "no BPF: %s", why);
	self->attr.bpf_event = 1;
	for (int i = 0; i < self->n; i++) {
		fds[i] = pc_open(&self->attr, -1, self->cpus[i], -1);
		ASSERT_FD(fds[i]);
		ASSERT_OK(pc_ring_map(&rings[i], fds[i], 4));
		if (pc_on_perf_event())
			ASSERT_OK(pc_enable(fds[i]));
	}
	for (int i = 0; i < self->n; i++) {
		ASSERT_OK(pc_pin(self->cpus[i]));
		fd = load_simple();
		ASSERT_FD(fd);
		for (int j = 0; j < self->n; j++) {
			int loads = 0;

			/* The kernel may unload a program on another CPU. */
			while (pc_ring_find(&rings[j], &rec, PERF_RECORD_BPF_EVENT))
				loads += bpf->type == BPF_LOAD;
			EXPECT_EQ(i == j, loads)
				TH_LOG("loaded on CPU %d, record on CPU %d", self->cpus[i],
				       self->cpus[j]);
		}
		close(fd);
	}
	for (int i = 0; i < self->n; i++) {
		pc_ring_unmap(&rings[i]);
		close(fds[i]);
	}
}

/* Load and unload programs on every CPU, while descriptors are opened and closed. */
static void load_often(struct pc_task *t)
{
	pc_await(t);
	for (int i = 0; i < pc_rounds(100); i++) {
		int fd = load_simple();

		if (fd < 0)
			_exit(1);
		close(fd);
	}
}

PC_TEST(text, programs_are_loaded_while_counters_are_opened)
{
	const char *why = no_programs();
	struct pc_task t[MAX_CPUS];
	int loads = 0, unloads = 0;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	if (why)
		SKIP(return, "no BPF: %s", why);
	self->attr.bpf_event = 1;
	ASSERT_OK(open_listener(&self->attr, self->cpus[0], &self->ring, &self->fd));
	for (int i = 0; i < self->n; i++) {
		ASSERT_OK(pc_spawn(&t[i], load_often, 0));
		ASSERT_OK(pc_pin_task(t[i].pid, self->cpus[i]));
	}
	for (int i = 0; i < self->n; i++)
		ASSERT_OK(pc_order(&t[i], 'g'));
	for (int i = 0; i < pc_rounds(300); i++) {
		struct perf_counter_attr attr = self->attr;
		int fd = pc_open(&attr, i & 1 ? 0 : -1, i & 2 ? self->cpus[0] : -1, -1);
		struct pc_ring ring;

		ASSERT_FD(fd);
		ASSERT_OK(pc_ring_map(&ring, fd, 1));
		if (i & 4)
			close(fd);
		pc_ring_unmap(&ring);
		if (!(i & 4))
			close(fd);
	}
	for (int i = 0; i < self->n; i++) {
		int status;

		ASSERT_EQ(t[i].pid, waitpid(t[i].pid, &status, 0));
		EXPECT_EQ(0, status);
		close(t[i].parent_end);
	}
	while (unloads < pc_rounds(100) * self->n) {
		await_record(&self->ring, PERF_RECORD_BPF_EVENT);
		loads += bpf->type == BPF_LOAD;
		unloads += bpf->type == BPF_UNLOAD;
		ASSERT_LE(unloads, loads);
	}
	EXPECT_EQ(pc_rounds(100) * self->n, loads);
}

/* === Probes: tracefs defines them, and is mounted for this test === */
FIXTURE(probe) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	char dir[64];
	char events[96];	/* path of kprobe_events */
	char enable[128];
	char names[128];	/* path of the option that records names of tasks */
	int cpu;
	int fd;
	bool optimized;		/* optimization was enabled before the test */
	bool mounted;
};

/* A function of the kernel that runs only when a file in /proc is read. */
#define PROBED "cmdline_proc_show"

FIXTURE_SETUP(probe)
{
	self->fd = -1;
	self->attr = pc_attr(PERF_COUNT_SW_DUMMY);
	ASSERT_EQ(1, pc_cpus(&self->cpu, 1));
	ASSERT_OK(pc_pin(self->cpu));
	snprintf(self->dir, sizeof(self->dir), "/tmp/pc_trace.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	snprintf(self->events, sizeof(self->events), "%s/kprobe_events", self->dir);
	snprintf(self->enable, sizeof(self->enable), "%s/events/kprobes/pc_probe/enable",
		 self->dir);
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tracefs", self->dir, "tracefs", 0, NULL)) {
		rmdir(self->dir);
		SKIP(return, "no tracefs here: %s", strerror(errno));
	}
	self->mounted = true;
	if (access(self->events, W_OK)) {
		umount(self->dir);
		rmdir(self->dir);
		self->mounted = false;
		SKIP(return, "no probes here");
	}
	/* Remove the probe of a test that was stopped. */
	pc_write_text(self->enable, "0");
	pc_write_text(self->events, "-:kprobes/pc_probe");
	/* With optimization a probe becomes a jump some time after it was set. */
	self->optimized = !pc_write_text("/proc/sys/debug/kprobes-optimization", "0");
	/* Turn off record-cmd: with it, the tracer patches code of the scheduler. */
	snprintf(self->names, sizeof(self->names), "%s/options/record-cmd", self->dir);
	pc_write_text(self->names, "0");
}

FIXTURE_TEARDOWN(probe)
{
	pc_ring_unmap(&self->ring);
	close(self->fd);
	if (!self->mounted)
		return;
	pc_write_text(self->enable, "0");
	pc_write_text(self->events, "-:kprobes/pc_probe");
	pc_write_text(self->names, "1");
	if (self->optimized)
		pc_write_text("/proc/sys/debug/kprobes-optimization", "1");
	umount(self->dir);
	rmdir(self->dir);
}

static __u64 address_of(const char *name)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512], is[256], type;
	__u64 at, found = 0;

	while (f && !found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %c %255s", &at, &type, is) == 3 && !strcmp(is, name))
			found = at;
	if (f)
		fclose(f);
	return found;
}

static const char breakpoint[] = PC_BREAKPOINT;
#define BREAKPOINT_SIZE (sizeof(breakpoint) - 1)

/* Find the next change at the beginning of a function; other changes are skipped. */
static bool next_poke(struct pc_ring *ring, __u64 addr)
{
	while (pc_ring_next(ring, &rec)) {
		int len = poke->old_len + poke->new_len;

		if (rec.header.type != PERF_RECORD_TEXT_POKE)
			continue;
		/*
		 * The record has the old bytes, the new bytes, and zeros up to a multiple of 8
		 * bytes.
		 */
		if (rec.header.size != (offsetof(struct poke_record, bytes) + len + 7) / 8 * 8)
			return false;
		if (poke->addr - addr <= PC_ENTRY_SIZE)
			return true;
	}
	return false;
}

PC_TEST(probe, a_probe_has_two_text_poke_records)
{
	__u64 addr = address_of(PROBED);
	const char *old, *new;
	char first[sizeof(breakpoint)];

	if (!addr)
		SKIP(return, "no " PROBED " to be seen here");
	if (!BREAKPOINT_SIZE)
		SKIP(return, "the kernel emits no TEXT_POKE on this architecture");
	if (!access("/sys/kernel/tracing/available_filter_functions", F_OK))
		SKIP(return, "ftrace handles probes at the beginning of functions");
	self->attr.text_poke = 1;
	ASSERT_OK(pc_write_text(self->events, "p:pc_probe " PROBED "\n"));
	ASSERT_OK(open_listener(&self->attr, self->cpu, &self->ring, &self->fd));
	for (int i = 0; i < 3; i++) {
		for (int on = 1; on >= 0; on--) {
			ASSERT_OK(pc_write_text(self->enable, on ? "1" : "0"));
			ASSERT_TRUE(next_poke(&self->ring, addr))
				TH_LOG("%s at %#llx", on ? "armed" : "disarmed", addr);
			ASSERT_EQ(BREAKPOINT_SIZE, poke->old_len);
			ASSERT_EQ(BREAKPOINT_SIZE, poke->new_len);
			old = (const char *)poke->bytes;
			new = old + BREAKPOINT_SIZE;
			if (!i && on)
				memcpy(first, old, BREAKPOINT_SIZE);
			EXPECT_EQ(0, memcmp(old, on ? first : breakpoint, BREAKPOINT_SIZE));
			EXPECT_EQ(0, memcmp(new, on ? breakpoint : first, BREAKPOINT_SIZE));
			EXPECT_FALSE(next_poke(&self->ring, addr));
		}
	}
	EXPECT_NE(0, memcmp(first, breakpoint, BREAKPOINT_SIZE));
}

PC_TEST(probe, text_poke_records_need_the_flag)
{
	struct perf_counter_attr attr = self->attr;
	struct pc_ring ring;
	int fd;

	if (!address_of(PROBED))
		SKIP(return, "no " PROBED " to be seen here");
	if (!BREAKPOINT_SIZE)
		SKIP(return, "the kernel emits no TEXT_POKE on this architecture");
	attr.mmap = 1;
	attr.ksymbol = 1;
	self->attr.text_poke = 1;
	ASSERT_OK(pc_write_text(self->events, "p:pc_probe " PROBED "\n"));
	ASSERT_OK(open_listener(&self->attr, self->cpu, &self->ring, &self->fd));
	ASSERT_OK(open_listener(&attr, self->cpu, &ring, &fd));
	ASSERT_OK(pc_write_text(self->enable, "1"));
	EXPECT_TRUE(pc_ring_find(&self->ring, &rec, PERF_RECORD_TEXT_POKE));
	EXPECT_EQ(0, pc_ring_count(&ring, PERF_RECORD_TEXT_POKE));
	pc_ring_unmap(&ring);
	close(fd);
}

/* The pages in which the kernel keeps instructions of probes. */
struct pages {
	int n;
	struct {
		__u64 addr;
		char name[64];
	} p[MAX_PAGES];
};

static int pages_now(struct pages *pages)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512], name[64], type;
	__u64 addr;

	pages->n = 0;
	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f)) {
		if (!strstr(line, "__builtin__kprobes") ||
		    sscanf(line, "%llx %c %63s", &addr, &type, name) != 3)
			continue;
		if (pages->n == MAX_PAGES)
			break;
		pages->p[pages->n].addr = addr;
		stpcpy(pages->p[pages->n++].name, name);
	}
	fclose(f);
	return pages->n < MAX_PAGES ? 0 : -1;
}

static int find_page(const struct pages *pages, __u64 addr)
{
	for (int i = 0; i < pages->n; i++)
		if (pages->p[i].addr == addr)
			return i;
	return -1;
}

/* Set a probe at each of many functions until the kernel allocates a new page. */
static int probe_until_new_page(const char *events, const struct pages *before)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512], name[256], text[300], type;
	struct pages now = *before;
	__u64 addr;
	int n = 0;

	while (f && n < MAX_PROBES && now.n <= before->n && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx %c %255s", &addr, &type, name) != 3 ||
		    (type != 't' && type != 'T') || strncmp(name, "proc_", 5) ||
		    strchr(name, '.'))
			continue;
		snprintf(text, sizeof(text), "p:pc_probe %s\n", name);
		/* Some functions cannot be probed, and some names exist twice. */
		if (pc_write_text(events, text))
			continue;
		/*
		 * A page has room for many probes, and reading kallsyms is slower than setting a
		 * probe.
		 */
		if (++n % 16 == 0 && pages_now(&now))
			break;
	}
	if (f)
		fclose(f);
	return now.n > before->n ? n : -1;
}

PC_TEST(probe, instruction_pages_are_those_of_kallsyms)
{
	struct pages told, now;
	int n, news = 0;

	self->attr.ksymbol = 1;
	ASSERT_OK(open_listener(&self->attr, self->cpu, &self->ring, &self->fd));
	ASSERT_OK(pages_now(&told));
	n = probe_until_new_page(self->events, &told);
	if (n < 0)
		SKIP(return, "%d probes need no new page", MAX_PROBES);
	for (int gone = 0; gone < 2; gone++) {
		while (pc_ring_next(&self->ring, &rec)) {
			int at = find_page(&told, symbol->addr);

			if (rec.header.type != PERF_RECORD_KSYMBOL || symbol->type != KSYMBOL_OOL)
				continue;
			EXPECT_EQ(pc_page(), symbol->len);
			if (symbol->flags & KSYMBOL_UNREGISTER) {
				ASSERT_LE(0, at)
					TH_LOG("%#llx is unmapped without having been mapped",
					       symbol->addr);
				EXPECT_STREQ(told.p[at].name, symbol->name);
				told.p[at] = told.p[--told.n];
			} else {
				ASSERT_EQ(-1, at) TH_LOG("%#llx is mapped twice", symbol->addr);
				EXPECT_EQ(0, symbol->flags);
				ASSERT_GT(MAX_PAGES, told.n);
				ASSERT_GT(sizeof(told.p[0].name), strlen(symbol->name));
				told.p[told.n].addr = symbol->addr;
				stpcpy(told.p[told.n++].name, symbol->name);
				news++;
			}
		}
		ASSERT_OK(pages_now(&now));
		EXPECT_EQ(now.n, told.n)
			TH_LOG("%s", gone ? "without the probes" : "with the probes");
		for (int i = 0; i < now.n; i++) {
			int at = find_page(&told, now.p[i].addr);

			ASSERT_LE(0, at) TH_LOG("%s %#llx", now.p[i].name, now.p[i].addr);
			EXPECT_STREQ(now.p[i].name, told.p[at].name);
		}
		if (!gone)
			ASSERT_OK(pc_write_text(self->events, "-:kprobes/pc_probe\n"));
	}
	EXPECT_LE(1, news);
}

/* === Modules === */
FIXTURE(module) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	char name[64];
	int cpu;
	int file;
	int fd;
};

FIXTURE_SETUP(module)
{
	const char *path = getenv("PC_MODULE");
	const char *base;
	size_t len;

	self->fd = -1;
	self->file = -1;
	self->attr = pc_attr(PERF_COUNT_SW_DUMMY);
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	if (!path)
		SKIP(return, "PC_MODULE names no module");
	self->file = open(path, O_RDONLY | O_CLOEXEC);
	ASSERT_FD(self->file);
	base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	len = strcspn(base, ".");
	ASSERT_GT(sizeof(self->name), len);
	memcpy(self->name, base, len);
	for (char *c = self->name; *c; c++)
		if (*c == '-')
			*c = '_';
	/* Remove the module of a test that was stopped. */
	syscall(SYS_delete_module, self->name, O_NONBLOCK);
	ASSERT_EQ(1, pc_cpus(&self->cpu, 1));
	ASSERT_OK(pc_pin(self->cpu));
}

FIXTURE_TEARDOWN(module)
{
	if (self->file >= 0)
		syscall(SYS_delete_module, self->name, O_NONBLOCK);
	pc_ring_unmap(&self->ring);
	close(self->fd);
	close(self->file);
}

/* True if a module has functions and all of them are in a range. */
static bool functions_within(const char *module, __u64 start, __u64 end)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512], tail[80], type;
	int n = 0, outside = 0;
	__u64 addr;

	snprintf(tail, sizeof(tail), "\t[%s]\n", module);
	while (f && fgets(line, sizeof(line), f)) {
		if (!strstr(line, tail) || sscanf(line, "%llx %c", &addr, &type) != 2 ||
		    (type != 't' && type != 'T'))
			continue;
		n++;
		outside += addr < start || addr >= end;
	}
	if (f)
		fclose(f);
	return n && !outside;
}

PC_TEST(module, a_module_is_mapped_and_unmapped)
{
	char name[80];

	snprintf(name, sizeof(name), "[%s]", self->name);
	/* Test each kind of record with and without the flag munmap. */
	for (int kind = 0; kind < 4; kind++) {
		struct perf_counter_attr attr = self->attr;
		const char *is = kind & 1 ? mapped2->filename : mapped->filename;
		__u64 addr, len;

		attr.ksymbol = 1;
		attr.mmap = !(kind & 1);
		attr.mmap2 = kind & 1;
		attr.munmap = kind >> 1;
		ASSERT_OK(open_listener(&attr, self->cpu, &self->ring, &self->fd));
		ASSERT_OK(syscall(SYS_finit_module, self->file, "", 0));
		ASSERT_TRUE(pc_ring_find(&self->ring, &rec,
					 kind & 1 ? PERF_RECORD_MMAP2 : PERF_RECORD_MMAP));
		EXPECT_EQ(PERF_RECORD_MISC_KERNEL, rec.header.misc);
		EXPECT_EQ(-1, (int)mapped->pid);
		EXPECT_EQ(0, mapped->tid);
		EXPECT_STREQ(name, is);
		addr = mapped->addr;
		len = mapped->len;
		EXPECT_TRUE(functions_within(self->name, addr, addr + len))
			TH_LOG("%#llx + %#llx", addr, len);
		if (kind & 1)
			EXPECT_NE(0, mapped2->prot & PROT_EXEC);
		EXPECT_FALSE(pc_ring_next(&self->ring, &rec)) TH_LOG("type %#x", rec.header.type);
		/* A failed second load has no record. */
		EXPECT_ERRNO(EEXIST, syscall(SYS_finit_module, self->file, "", 0));
		EXPECT_FALSE(pc_ring_next(&self->ring, &rec)) TH_LOG("type %#x", rec.header.type);
		ASSERT_OK(syscall(SYS_delete_module, self->name, O_NONBLOCK));
		if (attr.munmap) {
			ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
			EXPECT_EQ(PERF_RECORD_MUNMAP, rec.header.type);
			EXPECT_EQ(PERF_RECORD_MISC_KERNEL, rec.header.misc);
			EXPECT_EQ(-1, (int)mapped->pid);
			EXPECT_EQ(0, mapped->tid);
			EXPECT_EQ(addr, mapped->addr);
			EXPECT_EQ(len, mapped->len);
			EXPECT_STREQ(name, mapped->filename);
		}
		EXPECT_FALSE(pc_ring_next(&self->ring, &rec)) TH_LOG("type %#x", rec.header.type);
		pc_ring_unmap(&self->ring);
		close(self->fd);
	}
	self->fd = -1;
}

PC_TEST(module, a_modules_mapping_needs_ksymbol_and_mmap)
{
	struct pc_ring rings[4];
	int fds[4];

	for (int i = 0; i < 4; i++) {
		struct perf_counter_attr attr = self->attr;

		/*
		 * The counter asks for symbols only, for mappings only, for symbols and mappings of
		 * data, or for symbols and mappings of code.
		 */
		attr.ksymbol = i != 1;
		attr.mmap = i == 1 || i == 3;
		attr.mmap_data = i == 2;
		attr.munmap = 1;
		ASSERT_OK(open_listener(&attr, self->cpu, &rings[i], &fds[i]));
	}
	ASSERT_OK(syscall(SYS_finit_module, self->file, "", 0));
	EXPECT_EQ(0, pc_ring_count(&rings[0], PERF_RECORD_MMAP));
	EXPECT_EQ(0, pc_ring_count(&rings[1], PERF_RECORD_MMAP));
	EXPECT_EQ(0, pc_ring_count(&rings[2], PERF_RECORD_MMAP));
	EXPECT_EQ(1, pc_ring_count(&rings[3], PERF_RECORD_MMAP));
	ASSERT_OK(syscall(SYS_delete_module, self->name, O_NONBLOCK));
	EXPECT_EQ(0, pc_ring_count(&rings[1], PERF_RECORD_MUNMAP));
	EXPECT_EQ(1, pc_ring_count(&rings[3], PERF_RECORD_MUNMAP));
	for (int i = 0; i < 4; i++) {
		pc_ring_unmap(&rings[i]);
		close(fds[i]);
	}
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}
