// SPDX-License-Identifier: GPL-2.0
/*
 * Random changes of an address space. After each of them the model, to which the MMAP2 and MUNMAP
 * records were applied, has to be equal to /proc/self/maps. The tests do not know the effects of
 * an operation.
 */
#include <sys/personality.h>
#include <sys/shm.h>

#include "pc_maps.h"
#include "pc_test.h"
#include "pc_work.h"

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP	4
#endif
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ	22
#define MADV_POPULATE_WRITE	23
#endif
#ifndef SHM_EXEC
#define SHM_EXEC		0100000
#endif

/*
 * An arena is a part of the address space that only one thread changes. The ranges that an
 * operation may change are known, and its records are within them.
 */
#define ARENA_PAGES	96
#define OBJECTS		5
/* Bytes after the first arena: for huge pages, and for mappings that grow beyond the end. */
#define BEHIND		(8 << 20)

struct arena {
	char *lo, *hi;
	__u64 seed;
	int *files;		/* OBJECTS descriptors; the first two are unused */
	int shm[2];
	char *attached[4];
	const struct pc_maps *maps;	/* ranges of this process; NULL if other threads map, too */
	__u64 from[2], to[2];	/* ranges that the last operation may have changed */
	int done[16];		/* successes of each operation */
};

enum {
	OP_MMAP, OP_MUNMAP, OP_MPROTECT, OP_SHRINK, OP_GROW, OP_MOVE, OP_FIXED, OP_DONTUNMAP,
	OP_DUPLICATE, OP_SHMAT, OP_SHMDT, OP_REMAP, OP_TOUCH, OP_SPLIT, OP_IMPLIED, OP_HUGE,
};

static const char * const op_names[] = {
	"mmap", "munmap", "mprotect", "mremap to less", "mremap in place", "mremap anywhere",
	"mremap to a fixed address", "mremap with DONTUNMAP", "mremap of nothing", "shmat",
	"shmdt", "remap_file_pages", "touch", "split", "read implies exec", "huge pages",
};

static __u64 below(struct arena *a, __u64 n)
{
	a->seed ^= a->seed << 13;
	a->seed ^= a->seed >> 7;
	a->seed ^= a->seed << 17;
	return (a->seed * 0x2545f4914f6cdd1dULL >> 16) % n;
}

static void may_change(struct arena *a, int i, const void *at, __u64 len)
{
	a->from[i] = (unsigned long)at;
	a->to[i] = a->from[i] + len;
}

static char *random_place(struct arena *a, __u64 len)
{
	return a->lo + below(a, (a->hi - a->lo - len) / pc_page() + 1) * pc_page();
}

static __u64 random_len(struct arena *a)
{
	return (1 + below(a, 1 + below(a, 16))) * pc_page();
}

static int random_prot(struct arena *a)
{
	static const int prots[] = { RX, RX, RX, RX, RWX, RWX, RW, RW, PROT_READ, PROT_NONE,
				     PROT_EXEC };

	return prots[below(a, ARRAY_SIZE(prots))];
}

/* A part of a mapping of the arena; any place if the mappings are not known. */
static char *random_mapping(struct arena *a, __u64 *len)
{
	__u64 page = pc_page(), pages;
	int inside[PC_MAX_MAPS], n = 0;
	const struct pc_map *r;
	__u64 first;

	if (a->maps)
		for (int i = 0; i < a->maps->n; i++)
			if (a->maps->map[i].start >= (unsigned long)a->lo &&
			    a->maps->map[i].end <= (unsigned long)a->hi)
				inside[n++] = i;
	if (!n) {
		*len = (1 + below(a, 3)) * page;
		return random_place(a, *len);
	}
	r = &a->maps->map[inside[below(a, n)]];
	pages = (r->end - r->start) / page;
	/* Half of the parts are at the end of the mapping, where it can grow. */
	first = below(a, pages);
	*len = (below(a, 2) ? pages - first : 1 + below(a, pages - first)) * page;
	return (char *)r->start + first * page;
}

/* Map a random object at a random place. Returns 0, or -1 if the kernel refused the operation. */
static int random_mmap(struct arena *a)
{
	int object = below(a, OBJECTS), flags = MAP_FIXED;
	__u64 len = random_len(a), pgoff = 0;
	char *at = random_place(a, len), *map;

	if (object < 2)
		flags |= MAP_ANONYMOUS;
	else
		pgoff = below(a, 8) * pc_page();
	flags |= below(a, 2) ? MAP_SHARED : MAP_PRIVATE;
	if (!below(a, 8))
		flags |= MAP_POPULATE;
	if (!below(a, 16))
		flags |= MAP_LOCKED;
	/* A mapping outside of the arena is unmapped by change_alone(). */
	if (a->maps && !below(a, 8)) {
		flags &= ~MAP_FIXED;
		at = NULL;
	}
	map = mmap(at, len, random_prot(a), flags, object < 2 ? -1 : a->files[object], pgoff);
	may_change(a, 0, map == MAP_FAILED ? at : map, len);
	return map == MAP_FAILED ? -1 : 0;
}

static int random_mremap(struct arena *a, int op)
{
	__u64 old, new = random_len(a);
	char *at = random_mapping(a, &old), *to, *map;
	int flags = MREMAP_MAYMOVE;

	switch (op) {
	case OP_SHRINK:
		flags = below(a, 2) ? 0 : MREMAP_MAYMOVE;
		new = old - below(a, old / pc_page()) * pc_page();
		break;
	case OP_GROW:
		flags = 0;
		new = old + (1 + below(a, 4)) * pc_page();
		if (at + new > a->hi)
			return -1;
		break;
	case OP_FIXED:
		flags |= MREMAP_FIXED;
		break;
	case OP_DONTUNMAP:
		flags |= MREMAP_FIXED | MREMAP_DONTUNMAP;
		new = old;
		break;
	case OP_DUPLICATE:
		flags |= MREMAP_FIXED;
		old = 0;
		break;
	}
	if (new > ARENA_PAGES * pc_page())
		return -1;
	to = random_place(a, new);
	map = mremap(at, old, new, flags, to);
	may_change(a, 0, at, old > new || flags ? old : new);
	if (flags & MREMAP_FIXED)
		may_change(a, 1, to, new);
	else if (map != MAP_FAILED)
		may_change(a, 1, map, new);
	return map == MAP_FAILED ? -1 : 0;
}

static int random_shm(struct arena *a, int op)
{
	int i = below(a, ARRAY_SIZE(a->attached));
	void *map;

	if (op == OP_SHMDT) {
		/* shmdt() also unmaps parts that were moved or have grown. */
		may_change(a, 0, a->lo, a->hi - a->lo + BEHIND);
		return a->attached[i] ? shmdt(a->attached[i]) : -1;
	}
	/* The longer of the two segments has 8 pages. */
	a->attached[i] = random_place(a, 8 * pc_page());
	may_change(a, 0, a->attached[i], 8 * pc_page());
	map = shmat(a->shm[i & 1], a->attached[i], SHM_REMAP | (below(a, 4) ? SHM_EXEC : 0) |
		    (below(a, 2) ? SHM_RDONLY : 0));
	return map == MAP_FAILED ? -1 : 0;
}

/* Map, protect or unmap a huge page after the arena. */
static int random_huge(struct arena *a)
{
	const __u64 len = 2 << 20;
	char *at = a->hi + (len - (unsigned long)a->hi % len) + below(a, 2) * len, *map;

	may_change(a, 0, at, len);
	switch (below(a, 3)) {
	case 0:
		map = mmap(at, len, random_prot(a), MAP_FIXED | MAP_ANONYMOUS | MAP_HUGETLB |
			   (below(a, 2) ? MAP_SHARED : MAP_PRIVATE), -1, 0);
		return map == MAP_FAILED ? -1 : 0;
	case 1:
		return mprotect(at, len, random_prot(a));
	}
	return munmap(at, len);
}

static int operate(struct arena *a, int op)
{
	static const int splits[] = { MADV_DONTFORK, MADV_DOFORK, MADV_DONTDUMP, MADV_DODUMP };
	__u64 len = random_len(a);
	char *at = random_place(a, len);
	int ret;

	may_change(a, 1, NULL, 0);
	may_change(a, 0, at, len);
	switch (op) {
	case OP_MMAP:
		return random_mmap(a);
	case OP_MUNMAP:
		return munmap(at, len);
	case OP_MPROTECT:
		return mprotect(at, len, random_prot(a));
	case OP_SHMAT:
	case OP_SHMDT:
		return random_shm(a, op);
	case OP_REMAP:
		at = random_mapping(a, &len);
		may_change(a, 0, at, len);
		return syscall(SYS_remap_file_pages, at, len, 0, below(a, 8), 0);
	case OP_TOUCH:
		/* Populate the pages: if the mapping moves later, present pages move with it. */
		return madvise(at, len, below(a, 2) ? MADV_POPULATE_READ : MADV_POPULATE_WRITE);
	case OP_SPLIT:
		return madvise(at, len, splits[below(a, ARRAY_SIZE(splits))]);
	case OP_IMPLIED:
		personality(READ_IMPLIES_EXEC);
		ret = below(a, 2) ? random_mmap(a) : mprotect(at, len, random_prot(a));
		personality(0);
		return ret;
	case OP_HUGE:
		return random_huge(a);
	}
	return random_mremap(a, op);
}

/* Do a random operation. Returns its number, or -1 if the kernel refused it. */
static int random_op(struct arena *a)
{
	static const int often[] = { OP_MMAP, OP_MMAP, OP_MMAP, OP_MUNMAP, OP_MPROTECT, OP_MPROTECT,
				     OP_TOUCH };
	int op;

	do {
		op = below(a, 2) ? often[below(a, ARRAY_SIZE(often))] : below(a, OP_HUGE + 1);
		/* Beside other threads, no operation maps memory outside of the arena. */
	} while (!a->maps && (op == OP_MOVE || op == OP_HUGE));
	if (operate(a, op))
		return -1;
	a->done[op]++;
	return op;
}

/* True if a record is within the ranges that the last operation may have changed. */
static bool inside(const struct arena *a, const struct mmap_record *m)
{
	for (int i = 0; i < 2; i++)
		if (m->addr >= a->from[i] && m->addr + m->len <= a->to[i])
			return true;
	return false;
}

FIXTURE(map_fuzz) {
	struct perf_counter_attr attr;
	struct pc_ring ring, rings[PERF_COUNTER_SUBRINGS_MAX];
	struct pc_log log;
	struct arena arenas[4];
	int files[OBJECTS];
	int shm[2];
	int nr_rings;
	int maps;		/* descriptor of /proc/self/maps */
	int fd;
	char path[64];
	__u64 seed;
};

FIXTURE_VARIANT(map_fuzz) {
	bool machine;
	bool inherit;
	bool subrings;
};

FIXTURE_VARIANT_ADD(map_fuzz, task) {};
FIXTURE_VARIANT_ADD(map_fuzz, tree) { .inherit = true };
FIXTURE_VARIANT_ADD(map_fuzz, machine) { .machine = true };
FIXTURE_VARIANT_ADD(map_fuzz, rings) { .machine = true, .subrings = true };

FIXTURE_SETUP(map_fuzz)
{
	const char *seed = getenv("PC_SEED");

	self->fd = -1;
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->seed = (seed ? strtoull(seed, NULL, 0) : pc_clock(CLOCK_REALTIME) ^ getpid()) | 1;
	self->attr = pc_maps_attr();
	self->attr.sample_id_all = 1;
	self->attr.sample_type = PERF_SAMPLE_TIME;
	self->attr.read_format = PERF_FORMAT_LOST;
	self->attr.inherit = variant->inherit;
	self->attr.subrings = variant->subrings;
	snprintf(self->path, sizeof(self->path), "/tmp/pc_map_fuzz.%d", getpid());
	self->files[2] = pc_exec_file("map_fuzz", 64);
	self->files[3] = pc_exec_file("more", 64);
	self->files[4] = open(self->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	for (int i = 2; i < OBJECTS; i++)
		ASSERT_FD(self->files[i]);
	ASSERT_OK(ftruncate(self->files[4], 64 * pc_page()));
	for (int i = 0; i < 2; i++) {
		self->shm[i] = shmget(IPC_PRIVATE, (4 + 4 * i) * pc_page(), 0700);
		if (self->shm[i] < 0 && errno != ENOSYS)
			ASSERT_FD(self->shm[i]);
	}
	pc_huge_pages_get();
	self->maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	ASSERT_FD(self->maps);
	ASSERT_OK(pc_log_open(&self->log, 4 << 20));
	for (int i = 0; i < 4; i++) {
		struct arena *a = &self->arenas[i];
		/* The arenas are adjacent, at a low address where the kernel puts no mapping. */
		char *want = (char *)(1UL << 40) + i * ARENA_PAGES * pc_page();

		a->lo = mmap(want, ARENA_PAGES * pc_page(), PROT_NONE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		ASSERT_EQ(want, a->lo);
		a->hi = a->lo + ARENA_PAGES * pc_page();
		a->seed = self->seed + 2 * i;
		a->files = self->files;
		memcpy(a->shm, self->shm, sizeof(a->shm));
	}
	ASSERT_OK(munmap(self->arenas[0].lo, 4 * ARENA_PAGES * pc_page()));
}

FIXTURE_TEARDOWN(map_fuzz)
{
	if (pc_on_perf_event())
		return;
	pc_huge_pages_put();
	unlink(self->path);
	for (int i = 0; i < 2; i++)
		shmctl(self->shm[i], IPC_RMID, NULL);
	pc_ring_unmap(&self->ring);
	close(self->fd);
}

/* Open the counter. The present mappings are the first state of the model. */
static void open_counter(struct __test_metadata *_metadata, FIXTURE_DATA(map_fuzz) * self,
			 bool machine, struct pc_maps *model, bool all, int pages)
{
	self->fd = pc_open(&self->attr, machine ? -1 : 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, pages));
	self->nr_rings = pc_ring_split(&self->ring, self->rings);
	if (self->attr.subrings && sysconf(_SC_NPROCESSORS_ONLN) > 1)
		ASSERT_LT(1, self->nr_rings);
	ASSERT_OK(pc_enable(self->fd));
	ASSERT_OK(pc_maps_read_fd(self->maps, model));
	/* Without mmap_data only executable ranges have records. */
	if (!all)
		pc_maps_keep_executable(model);
}

/*
 * Apply all records to the model. With @a each record has to be within the ranges that the last
 * operation in this arena may have changed. Returns NULL, or a description of what is wrong.
 */
static const char *apply_all(FIXTURE_DATA(map_fuzz) * self, struct pc_maps *model,
			     const struct arena *a)
{
	struct pc_values v;

	pc_log_clear(&self->log);
	for (int i = 0; i < self->nr_rings; i++)
		if (pc_log_take(&self->log, &self->rings[i], &self->attr))
			return "a record does not parse, or there are too many";
	if (self->nr_rings > 1)
		pc_log_sort(&self->log);
	for (int i = 0; i < self->log.n; i++) {
		const struct mmap_record *m = (void *)self->log.entries[i].rec;
		const char *wrong;

		if (m->header.type == PERF_RECORD_LOST)
			return "the buffer was too small";
		if ((m->header.type != PERF_RECORD_MMAP2 && m->header.type != PERF_RECORD_MUNMAP) ||
		    m->pid != getpid())
			continue;
		wrong = pc_maps_apply(model, m);
		if (wrong)
			return wrong;
		if (a && !inside(a, m))
			return pc_maps_wrong("type %#x: %#llx + %#llx is outside of the operation",
					     m->header.type, m->addr, m->len);
	}
	if (pc_read(self->fd, PERF_FORMAT_LOST, &v) <= 0 || v.v[0].lost)
		return "records were lost";
	return NULL;
}

/* The name of an operation that the kernel has and that has not succeeded yet; NULL if none. */
static const char *missing_op(FIXTURE_DATA(map_fuzz) * self)
{
	for (int i = 0; i < ARRAY_SIZE(op_names); i++) {
		if (i == OP_HUGE || ((i == OP_SHMAT || i == OP_SHMDT) && self->shm[0] < 0))
			continue;
		if (!self->arenas[0].done[i])
			return op_names[i];
	}
	return NULL;
}

/* Compare the model with the address space after each operation. */
static void change_alone(struct __test_metadata *_metadata, FIXTURE_DATA(map_fuzz) * self,
			 bool machine, bool all, int rounds)
{
	static struct pc_maps model, maps;
	struct arena *a = &self->arenas[0];
	/* If data mappings count, compare only the arena: the C library maps data elsewhere. */
	__u64 lo = all ? (unsigned long)a->lo : 0;
	__u64 hi = all ? (unsigned long)a->hi + BEHIND : ~0ULL;
	const char *missing;
	int last = -1;

	open_counter(_metadata, self, machine, &model, all, 64);
	ASSERT_OK(pc_maps_read_fd(self->maps, &maps));
	a->maps = &maps;
	/* The loop goes on until each operation has succeeded once. */
	for (int i = 0; i < rounds || (i < 50 * rounds && missing_op(self)); i++) {
		const char *wrong;

		last = random_op(a);
		ASSERT_OK(pc_maps_read_fd(self->maps, &maps));
		wrong = apply_all(self, &model, a);
		if (!wrong)
			wrong = pc_maps_compare(&model, &maps, all, lo, hi);
		ASSERT_EQ(NULL, wrong)
			TH_LOG("PC_SEED=%llu, operation %d, %s: %s", self->seed, i,
			       last < 0 ? "refused" : op_names[last], wrong);
		/* Unmap a mapping outside of the arena; this has records, too. */
		for (int j = 0; j < 2; j++) {
			if (!a->from[j] || (a->from[j] >= (unsigned long)a->lo &&
					    a->to[j] <= (unsigned long)a->hi + BEHIND))
				continue;
			ASSERT_OK(munmap((void *)a->from[j], a->to[j] - a->from[j]));
			wrong = apply_all(self, &model, a);
			ASSERT_EQ(NULL, wrong)
				TH_LOG("PC_SEED=%llu, operation %d, unmapped: %s", self->seed, i,
				       wrong);
		}
	}
	missing = missing_op(self);
	EXPECT_EQ(NULL, missing)
		TH_LOG("PC_SEED=%llu: %s never succeeded", self->seed, missing);
}

PC_TEST(map_fuzz, executable_ranges_follow_the_records)
{
	change_alone(_metadata, self, variant->machine, false, pc_rounds(1000));
}

PC_TEST(map_fuzz, all_ranges_follow_the_records)
{
	self->attr.mmap_data = 1;
	change_alone(_metadata, self, variant->machine, true, pc_rounds(1000));
}

/* Four threads, each in its own arena, run beside threads that take page faults. */
#define FAULT_PAGES	64

struct crew {
	struct arena *arena;
	int ops;
	int stop;
};

static void run_random_ops(struct pc_task *t)
{
	struct crew *c = (struct crew *)t->arg;

	while (pc_await(t)) {
		for (int i = 0; i < c->ops; i++)
			random_op(c->arena);
		pc_done(t);
	}
}

static void take_faults(struct pc_task *t)
{
	struct crew *c = (struct crew *)t->arg;
	char *map = pc_fresh(FAULT_PAGES);

	pc_done(t);
	while (!__atomic_load_n(&c->stop, __ATOMIC_RELAXED)) {
		pc_touch(map, FAULT_PAGES);
		madvise(map, FAULT_PAGES * pc_page(), MADV_DONTNEED);
	}
}

PC_TEST(map_fuzz, ranges_follow_records_of_several_threads)
{
	static struct pc_maps model, maps;
	struct pc_task threads[4], faulters[2];
	struct crew crews[5] = {};
	int ops = 40 + pc_rounds(160), done = 0;

	if (!variant->machine && !variant->inherit)
		SKIP(return, "the counter counts one thread");
	for (int i = 0; i < 4; i++) {
		crews[i].arena = &self->arenas[i];
		crews[i].ops = ops;
		ASSERT_OK(pc_thread(&threads[i], run_random_ops, (long)&crews[i]));
	}
	for (int i = 0; i < 2; i++) {
		ASSERT_OK(pc_thread(&faulters[i], take_faults, (long)&crews[4]));
		ASSERT_OK(pc_reply(&faulters[i]));
	}
	/* An inherited counter counts threads that start after it was opened. */
	if (variant->inherit) {
		for (int i = 0; i < 4; i++)
			ASSERT_OK(pc_join(&threads[i]));
	}
	open_counter(_metadata, self, variant->machine, &model, false, 512);
	if (variant->inherit) {
		for (int i = 0; i < 4; i++)
			ASSERT_OK(pc_thread(&threads[i], run_random_ops, (long)&crews[i]));
	}
	for (int round = 0; round < pc_rounds(6); round++) {
		const char *wrong;

		for (int i = 0; i < 4; i++)
			ASSERT_OK(pc_order(&threads[i], 'g'));
		for (int i = 0; i < 4; i++)
			ASSERT_OK(pc_reply(&threads[i]));
		ASSERT_OK(pc_maps_read_fd(self->maps, &maps));
		wrong = apply_all(self, &model, NULL);
		if (!wrong)
			wrong = pc_maps_compare(&model, &maps, false, 0, ~0ULL);
		ASSERT_EQ(NULL, wrong)
			TH_LOG("PC_SEED=%llu, round %d: %s", self->seed, round, wrong);
	}
	__atomic_store_n(&crews[4].stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 4; i++) {
		ASSERT_OK(pc_join(&threads[i]));
		for (int j = 0; j < ARRAY_SIZE(op_names); j++)
			done += crews[i].arena->done[j];
	}
	for (int i = 0; i < 2; i++)
		ASSERT_OK(pc_join(&faulters[i]));
	EXPECT_LT(4 * ops / 4 * pc_rounds(6), done)
		TH_LOG("%d operations of each thread in each round", ops);
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}
