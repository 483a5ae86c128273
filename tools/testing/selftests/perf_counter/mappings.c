// SPDX-License-Identifier: GPL-2.0
/*
 * What an address space looks like, told by MMAP2 and MUNMAP records alone.
 *
 * The records are played back: an MMAP2 replaces what it overlaps, a MUNMAP
 * removes what it names. The result has to be what /proc/self/maps says, after
 * each of thousands of random operations. No test knows what an operation does;
 * the records and the kernel's own list have to agree about it.
 */
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/shm.h>
#include <sys/sysmacros.h>

#include "pc_arch.h"
#include "pc_side.h"
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

#define RX	(PROT_READ | PROT_EXEC)
#define RW	(PROT_READ | PROT_WRITE)
#define RWX	(PROT_READ | PROT_WRITE | PROT_EXEC)

static union pc_record rec;
static struct mmap_record *mapped = (void *)&rec;
static struct mmap2_record *mapped2 = (void *)&rec;
static struct task_record *task = (void *)&rec;

/* What went wrong, in words. */
static char why[2 * PATH_MAX];

static const char *complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	return why;
}

static struct perf_counter_attr map_attr(void)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);

	attr.mmap = 1;
	attr.mmap2 = 1;
	attr.munmap = 1;
	return attr;
}

/* A file in memory that may be executed. */
static int exec_file(const char *name, int pages)
{
	int fd = syscall(SYS_memfd_create, name, 0x10U /* MFD_EXEC */);

	/* Kernels before 6.3 do not know the flag. */
	if (fd < 0)
		fd = syscall(SYS_memfd_create, name, 0U);
	if (fd >= 0 && ftruncate(fd, pages * pc_page()))
		return -1;
	return fd;
}

/*
 * Ranges of addresses, in ascending order, and none of them overlap.
 */
struct range {
	__u64 start, end;
	__u64 pgoff;		/* NO_PGOFF where it is not known */
	__u64 ino;
	__u32 maj, min;
	__u32 prot;
	bool shared;
	const char *name;	/* one pointer for each name */
};

#define NO_PGOFF	(~0ULL)
#define MAX_RANGES	4096

struct view {
	int n;
	struct range r[MAX_RANGES];
};

static const char *name_of(const char *name, size_t len)
{
	static char pool[1 << 20], *end = pool;
	static const char *names[1000];
	static int n;

	for (int i = 0; i < n; i++)
		if (!strncmp(names[i], name, len) && !names[i][len])
			return names[i];
	if (n == ARRAY_SIZE(names) || len + 1 > pool + sizeof(pool) - end)
		abort();
	names[n] = memcpy(end, name, len);
	end[len] = 0;
	end += len + 1;
	return names[n++];
}

/* No file, so /proc does not tell where in it the mapping begins. */
static bool nameless(const struct range *r)
{
	return r->name[0] == '[' || !strcmp(r->name, "//anon");
}

/* The same file, or none, at the same place of it. */
static bool same_mapping(const struct range *a, const struct range *b)
{
	if (a->name != b->name || a->ino != b->ino || a->maj != b->maj || a->min != b->min ||
	    a->shared != b->shared)
		return false;
	/*
	 * What a mapping of no file leaves behind as it moves (DONTUNMAP) is numbered
	 * anew, by its address; nobody looks at these numbers but the kernel.
	 */
	if (nameless(a) && (a->pgoff == a->start || b->pgoff == b->start))
		return true;
	return a->pgoff == NO_PGOFF || b->pgoff == NO_PGOFF ||
	       a->pgoff - a->start == b->pgoff - b->start;
}

static bool executable(const struct range *r)
{
	return r->prot & PROT_EXEC;
}

static void cut_out(struct view *v, int at, int n, const struct range *by, int by_n)
{
	if (v->n - n + by_n > MAX_RANGES)
		abort();
	memmove(&v->r[at + by_n], &v->r[at + n], (v->n - at - n) * sizeof(*v->r));
	memcpy(&v->r[at], by, by_n * sizeof(*by));
	v->n += by_n - n;
}

/* Nothing is left between the two addresses, or what is in their place. */
static void replace(struct view *v, __u64 start, __u64 end, const struct range *by)
{
	struct range new[3];
	int first, last, n = 0;

	for (first = 0; first < v->n && v->r[first].end <= start; first++)
		;
	for (last = first; last < v->n && v->r[last].start < end; last++)
		;
	if (first < last && v->r[first].start < start) {
		new[n] = v->r[first];
		new[n++].end = start;
	}
	if (by)
		new[n++] = *by;
	if (first < last && v->r[last - 1].end > end) {
		new[n] = v->r[last - 1];
		if (new[n].pgoff != NO_PGOFF)
			new[n].pgoff += end - new[n].start;
		new[n++].start = end;
	}
	cut_out(v, first, last - first, new, n);
}

/* One MMAP2 or MUNMAP of ours; returns what is wrong with it, or NULL. */
static const char *play(struct view *v, const struct mmap_record *m)
{
	const struct mmap2_record *m2 = (void *)m;
	bool data = m->header.misc & PERF_RECORD_MISC_MMAP_DATA;
	bool gone = m->header.type == PERF_RECORD_MUNMAP;
	const char *file = gone ? m->filename : m2->filename;
	const char *name = name_of(file, strlen(file));
	__u64 start = m->addr, end = m->addr + m->len, at = start;
	struct range new = {
		.start = start, .end = end, .pgoff = m->pgoff, .name = name,
	};

	if (!m->len || (start | end) & (pc_page() - 1))
		return complain("%#llx-%#llx is no range of pages", start, end);
	if (!gone) {
		new.maj = m2->maj;
		new.min = m2->min;
		new.ino = m2->ino;
		new.prot = m2->prot & RWX;
		new.shared = m2->flags & MAP_SHARED;
		if (executable(&new) == data)
			return complain("%#llx-%#llx %s: protection %#x, misc %#x", start, end,
					name, m2->prot, m->header.misc);
	}
	for (int i = 0; i < v->n; i++) {
		struct range *r = &v->r[i];
		__u64 from = r->start > start ? r->start : start;

		if (r->end <= start || r->start >= end)
			continue;
		if (executable(r) == data)
			return complain("%s of %#llx-%#llx %s: %#llx is of the other kind",
					gone ? "MUNMAP" : "MMAP", start, end, name, from);
		if (!gone) {
			if (!same_mapping(r, &new))
				return complain("MMAP of %#llx-%#llx %s over %#llx-%#llx %s",
						start, end, name, r->start, r->end, r->name);
			continue;
		}
		if (from != at)
			break;
		if (r->name != name)
			return complain("MUNMAP of %#llx-%#llx %s, which was %s", start, end,
					name, r->name);
		if (r->pgoff != NO_PGOFF && !(nameless(r) && m->pgoff == start) &&
		    r->pgoff + (from - r->start) != m->pgoff + (from - start))
			return complain("MUNMAP of %#llx-%#llx %s at %#llx, which was at %#llx",
					start, end, name, m->pgoff, r->pgoff + (from - r->start));
		at = r->end;
	}
	if (gone && at < end)
		return complain("MUNMAP of %#llx-%#llx %s: %#llx was not mapped", start, end,
				name, at);
	replace(v, start, end, gone ? NULL : &new);
	return NULL;
}

static __u64 number(const char **p, int base)
{
	char *end;
	__u64 n = strtoull(*p, &end, base);

	*p = end + 1;
	return n;
}

/* What /proc/PID/maps says. Reads until there is no more, into memory of its own. */
static int read_maps(int fd, struct view *v)
{
	static char text[1 << 20], name[PATH_MAX];
	size_t len = 0;
	ssize_t n;

	while ((n = pread(fd, text + len, sizeof(text) - 1 - len, len)) > 0)
		len += n;
	if (n < 0 || len == sizeof(text) - 1)
		return -1;
	text[len] = 0;
	v->n = 0;
	for (const char *p = text; *p;) {
		struct range *r = &v->r[v->n++];
		char *to = name;

		if (v->n == MAX_RANGES)
			return -1;
		memset(r, 0, sizeof(*r));
		r->start = number(&p, 16);
		r->end = number(&p, 16);
		r->prot = (p[0] == 'r' ? PROT_READ : 0) | (p[1] == 'w' ? PROT_WRITE : 0) |
			  (p[2] == 'x' ? PROT_EXEC : 0);
		r->shared = p[3] == 's';
		p += 5;
		r->pgoff = number(&p, 16);
		r->maj = number(&p, 16);
		r->min = number(&p, 16);
		r->ino = strtoull(p, (char **)&p, 10);
		while (*p == ' ')
			p++;
		/* A newline in a name is written in octal. */
		for (; *p != '\n'; p++) {
			if (!strncmp(p, "\\012", 4)) {
				*to++ = '\n';
				p += 3;
			} else {
				*to++ = *p;
			}
		}
		p++;
		if (to == name)
			to = stpcpy(name, "//anon");
		r->name = name_of(name, to - name);
		if (nameless(r))
			r->pgoff = NO_PGOFF;
		/* It is in no address space, only in this list. */
		if (!strcmp(r->name, "[vsyscall]"))
			v->n--;
	}
	return 0;
}

static int maps_of(pid_t pid, struct view *v)
{
	char path[64];
	int fd, ret;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ret = read_maps(fd, v);
	close(fd);
	return ret;
}

/* Copies the part between two addresses, executable ranges alone or all of them. */
static void take_part(struct view *to, const struct view *from, bool all, __u64 lo, __u64 hi)
{
	to->n = 0;
	for (int i = 0; i < from->n; i++) {
		struct range r = from->r[i], *last = to->n ? &to->r[to->n - 1] : NULL;

		if (r.end <= lo || r.start >= hi || (!all && !executable(&r)))
			continue;
		if (r.start < lo) {
			if (r.pgoff != NO_PGOFF)
				r.pgoff += lo - r.start;
			r.start = lo;
		}
		if (r.end > hi)
			r.end = hi;
		if (nameless(&r))
			r.pgoff = NO_PGOFF;
		/* Neighbours that could be one are one: it does not matter who splits them. */
		if (last && last->end == r.start && last->prot == r.prot &&
		    same_mapping(last, &r))
			last->end = r.end;
		else
			to->r[to->n++] = r;
	}
}

static const char *show(const struct range *r)
{
	static char text[2][PATH_MAX + 100];
	static int i;

	if (!r)
		return "nothing";
	i = !i;
	snprintf(text[i], sizeof(text[i]), "%#llx-%#llx %c%c%c%c %#llx %x:%x %llu %.200s",
		 r->start, r->end, r->prot & PROT_READ ? 'r' : '-',
		 r->prot & PROT_WRITE ? 'w' : '-', r->prot & PROT_EXEC ? 'x' : '-',
		 r->shared ? 's' : 'p', r->pgoff, r->maj, r->min, r->ino, r->name);
	return text[i];
}

/* What the records have made of it, and what there is. Returns the difference, or NULL. */
static const char *compare(const struct view *told, const struct view *maps, bool all,
			   __u64 lo, __u64 hi)
{
	static struct view a, b;
	int n;

	take_part(&a, told, all, lo, hi);
	take_part(&b, maps, all, lo, hi);
	n = a.n > b.n ? a.n : b.n;
	for (int i = 0; i < n; i++) {
		struct range *x = i < a.n ? &a.r[i] : NULL, *y = i < b.n ? &b.r[i] : NULL;

		if (!x || !y || x->start != y->start || x->end != y->end || x->prot != y->prot ||
		    x->pgoff != y->pgoff || !same_mapping(x, y))
			return complain("told of %s, there is %s", show(x), show(y));
	}
	return NULL;
}

/*
 * The records that one operation leaves, one after the other.
 */
FIXTURE(map) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	int file;
	int fd;
	__u64 page;
};

#define NAME "/memfd:pc_map (deleted)"

FIXTURE_SETUP(map)
{
	self->fd = -1;
	self->file = -1;
	self->page = pc_page();
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr = map_attr();
	self->file = exec_file("pc_map", 64);
	ASSERT_FD(self->file);
}

FIXTURE_TEARDOWN(map)
{
	pc_ring_unmap(&self->ring);
	close(self->fd);
	close(self->file);
}

static int start(struct perf_counter_attr *attr, pid_t pid, struct pc_ring *ring, int *fd)
{
	*fd = pc_open(attr, pid, -1, -1);
	if (*fd < 0 || pc_ring_map(ring, *fd, 64))
		return -1;
	return pc_enable(*fd);
}

/* Executable pages of the file, private; or, without a file, of no file. */
static char *map_at(void *at, __u64 len, int prot, int file, __u64 pgoff)
{
	return mmap(at, len, prot, MAP_PRIVATE | (at ? MAP_FIXED : 0) |
		    (file < 0 ? MAP_ANONYMOUS : 0), file, pgoff);
}

/* Room for a test, low, where the kernel puts nothing by itself. */
static char *room(int pages)
{
	char *want = (char *)(2UL << 40);

	if (mmap(want, pages * pc_page(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS |
		 MAP_FIXED_NOREPLACE, -1, 0) != want || munmap(want, pages * pc_page()))
		return NULL;
	return want;
}

/* The next record says exactly this; protection and flags are the caller's business. */
static bool next_is(struct pc_ring *ring, __u32 type, __u16 misc, const void *addr, __u64 len,
		    __u64 pgoff, const char *name)
{
	const char *file;

	if (!pc_ring_next(ring, &rec)) {
		complain("no record");
		return false;
	}
	file = rec.header.type == PERF_RECORD_MMAP2 ? mapped2->filename : mapped->filename;
	complain("type %#x misc %#x pid %u tid %u %#llx + %#llx at %#llx %s", rec.header.type,
		 rec.header.misc, mapped->pid, mapped->tid, mapped->addr, mapped->len,
		 mapped->pgoff, file);
	return rec.header.type == type && rec.header.misc == misc && mapped->pid == getpid() &&
	       mapped->tid == syscall(SYS_gettid) && mapped->addr == (unsigned long)addr &&
	       mapped->len == len && mapped->pgoff == pgoff && !strcmp(file, name);
}

#define TOLD(type, misc, addr, len, pgoff, name)				\
	do {									\
		bool __is = next_is(&self->ring, type, misc, addr, len, pgoff, name);	\
										\
		EXPECT_TRUE(__is)						\
			TH_LOG("%s", why);					\
	} while (0)

#define MAPPED(addr, len, pgoff, name)						\
	TOLD(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, addr, len, pgoff, name)

#define UNMAPPED(addr, len, pgoff, name)					\
	TOLD(PERF_RECORD_MUNMAP, PERF_RECORD_MISC_USER, addr, len, pgoff, name)

#define NO_MORE()								\
	do {									\
		bool __more = pc_ring_next(&self->ring, &rec);			\
										\
		EXPECT_FALSE(__more)						\
			TH_LOG("a record of type %#x: %#llx + %#llx", rec.header.type,	\
			       mapped->addr, mapped->len);			\
	} while (0)

PC_TEST(map, what_is_unmapped_is_told_with_what_it_was)
{
	__u64 page = self->page;
	char *at = room(16);

	ASSERT_NE(NULL, at);
	ASSERT_OK(start(&self->attr, 0, &self->ring, &self->fd));
	ASSERT_EQ(at, map_at(at, 8 * page, RX, self->file, 4 * page));
	MAPPED(at, 8 * page, 4 * page, NAME);
	EXPECT_EQ(RX, mapped2->prot);
	EXPECT_EQ(MAP_PRIVATE, mapped2->flags & MAP_TYPE);

	/* In the middle, the end, the beginning; and twice, which is nothing. */
	ASSERT_OK(munmap(at + 3 * page, 2 * page));
	UNMAPPED(at + 3 * page, 2 * page, 7 * page, NAME);
	EXPECT_EQ(sizeof(*mapped) + (sizeof(NAME) + 7) / 8 * 8, rec.header.size);
	ASSERT_OK(munmap(at + 7 * page, page));
	UNMAPPED(at + 7 * page, page, 11 * page, NAME);
	ASSERT_OK(munmap(at, page));
	UNMAPPED(at, page, 4 * page, NAME);
	ASSERT_OK(munmap(at, page));
	NO_MORE();

	/* Several, a hole between them, and data that nobody asked for. */
	ASSERT_EQ(at, map_at(at, page, RX, -1, 0));
	MAPPED(at, page, (unsigned long)at, "//anon");
	ASSERT_EQ(at + 8 * page, map_at(at + 8 * page, page, PROT_READ, self->file, 0));
	NO_MORE();
	ASSERT_OK(munmap(at, 16 * page));
	UNMAPPED(at, page, (unsigned long)at, "//anon");
	UNMAPPED(at + page, 2 * page, 5 * page, NAME);
	UNMAPPED(at + 5 * page, 2 * page, 9 * page, NAME);
	NO_MORE();
}

PC_TEST(map, what_is_mapped_over_is_told_first)
{
	__u64 page = self->page;
	char *at = room(16);

	ASSERT_NE(NULL, at);
	ASSERT_EQ(at, map_at(at, 8 * page, RX, self->file, 0));
	ASSERT_OK(start(&self->attr, 0, &self->ring, &self->fd));
	ASSERT_EQ(at + 6 * page, map_at(at + 6 * page, 4 * page, RX, self->file, 20 * page));
	UNMAPPED(at + 6 * page, 2 * page, 6 * page, NAME);
	MAPPED(at + 6 * page, 4 * page, 20 * page, NAME);
	/* Data over code. */
	ASSERT_EQ(at, map_at(at, 2 * page, RW, -1, 0));
	UNMAPPED(at, 2 * page, 0, NAME);
	NO_MORE();
}

PC_TEST(map, a_mapping_that_grows_its_neighbour_is_told_alone)
{
	__u64 page = self->page;
	char *at = room(16);

	ASSERT_NE(NULL, at);
	ASSERT_OK(start(&self->attr, 0, &self->ring, &self->fd));
	/* Each could be one with the one before it, or behind it. */
	ASSERT_EQ(at + 4 * page, map_at(at + 4 * page, 2 * page, RX, self->file, 4 * page));
	MAPPED(at + 4 * page, 2 * page, 4 * page, NAME);
	ASSERT_EQ(at + 6 * page, map_at(at + 6 * page, 2 * page, RX, self->file, 6 * page));
	MAPPED(at + 6 * page, 2 * page, 6 * page, NAME);
	ASSERT_EQ(at + 3 * page, map_at(at + 3 * page, page, RX, self->file, 3 * page));
	MAPPED(at + 3 * page, page, 3 * page, NAME);
	for (int i = 0; i < 3; i++) {
		char *anon = at + (9 + i) * page;

		ASSERT_EQ(anon, map_at(anon, page, RWX, -1, 0));
		MAPPED(anon, page, (unsigned long)anon, "//anon");
	}
	/* A part that becomes what its neighbours are. */
	ASSERT_OK(mprotect(at + 5 * page, page, PROT_READ));
	UNMAPPED(at + 5 * page, page, 5 * page, NAME);
	ASSERT_OK(mprotect(at + 5 * page, page, RX));
	MAPPED(at + 5 * page, page, 5 * page, NAME);
	NO_MORE();
}

PC_TEST(map, a_protection_that_changes)
{
	__u64 page = self->page;
	char *at = room(8);

	ASSERT_NE(NULL, at);
	ASSERT_EQ(at, map_at(at, 8 * page, RX, self->file, 8 * page));
	ASSERT_OK(start(&self->attr, 0, &self->ring, &self->fd));
	ASSERT_OK(mprotect(at + 2 * page, 4 * page, PROT_READ));
	UNMAPPED(at + 2 * page, 4 * page, 10 * page, NAME);
	ASSERT_OK(mprotect(at + 3 * page, page, RX));
	MAPPED(at + 3 * page, page, 11 * page, NAME);
	EXPECT_EQ(RX, mapped2->prot);
	ASSERT_OK(mprotect(at, page, RWX));
	MAPPED(at, page, 8 * page, NAME);
	EXPECT_EQ(RWX, mapped2->prot);
	NO_MORE();

	/* From data to other data nothing happens. */
	ASSERT_OK(mprotect(at + 4 * page, page, PROT_NONE));
	NO_MORE();
	/* Several mappings at once, of each kind. */
	ASSERT_OK(mprotect(at, 8 * page, PROT_READ));
	UNMAPPED(at, page, 8 * page, NAME);
	UNMAPPED(at + page, page, 9 * page, NAME);
	UNMAPPED(at + 3 * page, page, 11 * page, NAME);
	UNMAPPED(at + 6 * page, 2 * page, 14 * page, NAME);
	NO_MORE();
}

PC_TEST(map, a_mapping_that_shrinks_grows_and_moves)
{
	__u64 page = self->page;
	char *at = room(64), *to;
	int moved[2] = {};

	ASSERT_NE(NULL, at);
	ASSERT_EQ(at, map_at(at, 8 * page, RX, self->file, 0));
	ASSERT_OK(start(&self->attr, 0, &self->ring, &self->fd));
	ASSERT_EQ(at, mremap(at, 8 * page, 5 * page, 0));
	UNMAPPED(at + 5 * page, 3 * page, 5 * page, NAME);
	ASSERT_EQ(at, mremap(at, 5 * page, 9 * page, 0));
	MAPPED(at + 5 * page, 4 * page, 5 * page, NAME);
	NO_MORE();

	/* Elsewhere, and larger, over something: what is there goes first. */
	to = at + 32 * page;
	ASSERT_EQ(to + 9 * page, map_at(to + 9 * page, 4 * page, RX, self->file, 40 * page));
	MAPPED(to + 9 * page, 4 * page, 40 * page, NAME);
	ASSERT_EQ(to, mremap(at + 2 * page, 7 * page, 11 * page, MREMAP_MAYMOVE | MREMAP_FIXED,
			     to));
	UNMAPPED(to + 9 * page, 2 * page, 40 * page, NAME);
	/* Of the two that are left, either may be first. */
	for (int i = 0; i < 2; i++) {
		ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
		if (rec.header.type == PERF_RECORD_MMAP2) {
			EXPECT_EQ((unsigned long)to, mapped2->addr);
			EXPECT_EQ(11 * page, mapped2->len);
			moved[0]++;
		} else {
			EXPECT_EQ(PERF_RECORD_MUNMAP, rec.header.type);
			EXPECT_EQ((unsigned long)at + 2 * page, mapped->addr);
			EXPECT_EQ(7 * page, mapped->len);
			moved[1]++;
		}
		EXPECT_EQ(2 * page, mapped->pgoff);
	}
	EXPECT_EQ(1, moved[0]);
	EXPECT_EQ(1, moved[1]);
	NO_MORE();
}

PC_TEST(map, a_mapping_that_is_moved_and_stays)
{
	__u64 page = self->page;
	char *at = room(16), *map;

	ASSERT_NE(NULL, at);
	ASSERT_OK(start(&self->attr, 0, &self->ring, &self->fd));
	/* Of nothing in a shared mapping there is a second one. */
	ASSERT_EQ(at, mmap(at, 4 * page, RX, MAP_SHARED | MAP_FIXED, self->file, 8 * page));
	MAPPED(at, 4 * page, 8 * page, NAME);
	EXPECT_EQ(MAP_SHARED, mapped2->flags & MAP_TYPE);
	map = mremap(at + page, 0, 2 * page, MREMAP_MAYMOVE | MREMAP_FIXED, at + 8 * page);
	ASSERT_EQ(at + 8 * page, map);
	MAPPED(map, 2 * page, 9 * page, NAME);
	NO_MORE();
	ASSERT_OK(munmap(at, 16 * page));
	UNMAPPED(at, 4 * page, 8 * page, NAME);
	UNMAPPED(map, 2 * page, 9 * page, NAME);

	ASSERT_EQ(at, map_at(at, 4 * page, RWX, -1, 0));
	MAPPED(at, 4 * page, (unsigned long)at, "//anon");
	pc_touch(at, 4);
	map = mremap(at, 4 * page, 4 * page, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP,
		     at + 8 * page);
	ASSERT_EQ(at + 8 * page, map);
	MAPPED(map, 4 * page, (unsigned long)at, "//anon");
	NO_MORE();
}

PC_TEST(map, shared_memory_of_system_v)
{
	__u64 page = self->page;
	char *at = room(8), *map, name[64];
	key_t key = 0x70630000 | (getpid() & 0xffff);
	int id = shmget(key, 4 * page, IPC_CREAT | IPC_EXCL | 0700);

	ASSERT_NE(NULL, at);
	if (id < 0 && errno == ENOSYS)
		SKIP(return, "no shared memory of System V here");
	ASSERT_FD(id);
	snprintf(name, sizeof(name), "/SYSV%08x (deleted)", key);
	ASSERT_OK(start(&self->attr, 0, &self->ring, &self->fd));
	map = shmat(id, at, SHM_EXEC);
	shmctl(id, IPC_RMID, NULL);
	ASSERT_EQ(at, map);
	MAPPED(at, 4 * page, 0, name);
	EXPECT_EQ(RWX, mapped2->prot);
	EXPECT_EQ(MAP_SHARED, mapped2->flags & MAP_TYPE);
	ASSERT_OK(munmap(at + page, page));
	UNMAPPED(at + page, page, page, name);
	ASSERT_OK(shmdt(at));
	UNMAPPED(at, page, 0, name);
	UNMAPPED(at + 2 * page, 2 * page, 2 * page, name);
	NO_MORE();
}

PC_TEST(map, a_personality_that_may_execute_whatever_it_reads)
{
	__u64 page = self->page, old, len = 4 * page;
	char *at = room(4);

	ASSERT_NE(NULL, at);
	/* Whole pages from here on; and what is mapped by us is not by the C library. */
	old = (syscall(SYS_brk, 0) + page - 1) & ~(page - 1);
	ASSERT_EQ(old, syscall(SYS_brk, old));
	ASSERT_OK(start(&self->attr, 0, &self->ring, &self->fd));
	ASSERT_NE(-1, personality(READ_IMPLIES_EXEC));
	ASSERT_EQ(at, map_at(at, page, PROT_READ, -1, 0));
	MAPPED(at, page, (unsigned long)at, "//anon");
	EXPECT_EQ(RX, mapped2->prot);
	/* The first is beside a heap that is not executable, the second beside this one. */
	for (int i = 1; i <= 2; i++) {
		ASSERT_EQ(old + i * len, syscall(SYS_brk, old + i * len));
		if (!PC_IMPLIES_EXEC_OF_HEAP)
			continue;
		MAPPED((void *)(old + (i - 1) * len), len, old + (i - 1) * len, "[heap]");
		EXPECT_EQ(RWX, mapped2->prot);
	}
	ASSERT_EQ(old + len + page, syscall(SYS_brk, old + len + page));
	if (PC_IMPLIES_EXEC_OF_HEAP)
		UNMAPPED((void *)(old + len + page), 3 * page, old + len + page, "[heap]");
	ASSERT_EQ(old, syscall(SYS_brk, old));
	if (PC_IMPLIES_EXEC_OF_HEAP)
		UNMAPPED((void *)old, len + page, old, "[heap]");
	ASSERT_NE(-1, personality(0));
	NO_MORE();
}

PC_TEST(map, a_stack_that_grows)
{
	__u64 page = self->page;
	char *at = room(1024);

	ASSERT_NE(NULL, at);
	/* What grows keeps away from what is below: 256 pages, usually. */
	at += 1000 * page;
	ASSERT_OK(start(&self->attr, 0, &self->ring, &self->fd));
	ASSERT_EQ(at, mmap(at, 4 * page, RWX, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED |
			   MAP_GROWSDOWN, -1, 0));
	MAPPED(at, 4 * page, (unsigned long)at, "//anon");
	for (int i = 1; i <= 20; i++) {
		pc_touch(at - i * page, 1);
		MAPPED(at - i * page, page, (unsigned long)at - i * page, "//anon");
		EXPECT_EQ(RWX, mapped2->prot);
	}
	ASSERT_OK(munmap(at - 20 * page, 24 * page));
	UNMAPPED(at - 20 * page, 24 * page, (unsigned long)at - 20 * page, "//anon");
	NO_MORE();
}

PC_TEST(map, what_goes_is_told_by_a_counter_that_is_on_and_who_it_was)
{
	__u64 page = self->page, last = 0;
	char *at = room(4);
	int cpu;

	ASSERT_NE(NULL, at);
	ASSERT_EQ(1, pc_cpus(&cpu, 1));
	ASSERT_OK(pc_pin(cpu));
	self->attr.sample_id_all = 1;
	self->attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	ASSERT_OK(start(&self->attr, 0, &self->ring, &self->fd));
	for (int on = 0; on < 2; on++) {
		ASSERT_OK(on ? pc_enable(self->fd) : pc_disable(self->fd));
		ASSERT_EQ(at, map_at(at, 4 * page, RX, self->file, 0));
		ASSERT_OK(mprotect(at + page, page, PROT_READ));
		ASSERT_OK(munmap(at, 4 * page));
		if (!on)
			NO_MORE();
	}
	for (int i = 0; i < 4; i++) {
		struct pc_sample s;

		ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
		ASSERT_EQ(i ? PERF_RECORD_MUNMAP : PERF_RECORD_MMAP2, rec.header.type);
		ASSERT_EQ(48, pc_parse_id(&self->attr, &rec, &s));
		if (i) {
			EXPECT_EQ(sizeof(*mapped) + (sizeof(NAME) + 7) / 8 * 8 + 48,
				  rec.header.size);
		}
		EXPECT_EQ(getpid(), s.pid);
		EXPECT_EQ(getpid(), s.tid);
		EXPECT_EQ(pc_id(self->fd), s.id);
		EXPECT_EQ(pc_id(self->fd), s.stream_id);
		EXPECT_EQ(pc_id(self->fd), s.identifier);
		EXPECT_EQ(cpu, s.cpu);
		EXPECT_LE(last, s.time);
		last = s.time;
	}
	NO_MORE();
}

PC_TEST(map, each_kind_is_recorded_to_whom_asked_for_it)
{
	static const struct {
		bool mmap, mmap2, data, munmap;
	} asked[] = {
		{ 0, 0, 0, 1 }, { 1, 0, 0, 0 }, { 1, 0, 0, 1 }, { 1, 1, 0, 1 }, { 0, 1, 0, 1 },
		{ 1, 0, 1, 0 }, { 1, 0, 1, 1 }, { 1, 1, 1, 1 },
	};
	const __u16 user = PERF_RECORD_MISC_USER, data = user | PERF_RECORD_MISC_MMAP_DATA;
	__u64 page = self->page;
	char *at = room(4);

	ASSERT_NE(NULL, at);
	for (int i = 0; i < ARRAY_SIZE(asked); i++) {
		struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);
		__u32 type = asked[i].mmap2 ? PERF_RECORD_MMAP2 : PERF_RECORD_MMAP;
		bool maps = asked[i].mmap || asked[i].mmap2;

		attr.mmap = asked[i].mmap;
		attr.mmap2 = asked[i].mmap2;
		attr.mmap_data = asked[i].data;
		attr.munmap = asked[i].munmap;
		ASSERT_OK(start(&attr, 0, &self->ring, &self->fd));
		ASSERT_EQ(at, map_at(at, 2 * page, RX, self->file, 0));
		ASSERT_EQ(at + 2 * page, map_at(at + 2 * page, 2 * page, RW, self->file, 0));
		ASSERT_OK(mprotect(at, page, PROT_READ));
		ASSERT_OK(mprotect(at, page, RX));
		ASSERT_OK(munmap(at, 4 * page));
		if (maps)
			TOLD(type, user, at, 2 * page, 0, NAME);
		if (maps && asked[i].data)
			TOLD(type, data, at + 2 * page, 2 * page, 0, NAME);
		if (asked[i].munmap)
			TOLD(PERF_RECORD_MUNMAP, user, at, page, 0, NAME);
		if (maps && asked[i].data)
			TOLD(type, data, at, page, 0, NAME);
		if (asked[i].munmap && asked[i].data)
			TOLD(PERF_RECORD_MUNMAP, data, at, page, 0, NAME);
		if (maps)
			TOLD(type, user, at, page, 0, NAME);
		if (asked[i].munmap) {
			/* It may be one mapping again or still be two. */
			ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
			EXPECT_EQ(PERF_RECORD_MUNMAP, rec.header.type);
			EXPECT_EQ(user, rec.header.misc);
			EXPECT_EQ((unsigned long)at, mapped->addr);
			if (mapped->len == page)
				EXPECT_TRUE(pc_ring_next(&self->ring, &rec));
			EXPECT_EQ((unsigned long)at + 2 * page, mapped->addr + mapped->len)
				TH_LOG("attr %d", i);
		}
		if (asked[i].munmap && asked[i].data)
			TOLD(PERF_RECORD_MUNMAP, data, at + 2 * page, 2 * page, 0, NAME);
		NO_MORE();
		pc_ring_unmap(&self->ring);
		close(self->fd);
	}
	self->fd = -1;
}

/*
 * Thousands of operations, played back.
 *
 * An arena is a part of the address space where one thread does as it likes. What
 * an operation may change is known, and its records are within that.
 */
#define ARENA_PAGES	96
#define OBJECTS		5
/* Huge pages, and what has grown beyond the end of the first arena. */
#define BEHIND		(8 << 20)

struct arena {
	char *lo, *hi;
	__u64 seed;
	int *files;		/* of OBJECTS, of which the first two are none */
	int shm[2];
	char *attached[4];
	const struct view *maps;	/* what is there, if the thread is alone */
	__u64 from[2], to[2];	/* what the last operation may have changed */
	int done[16];
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

/* A part of a mapping that is there; of any place if nobody knows what is there. */
static char *random_mapping(struct arena *a, __u64 *len)
{
	__u64 page = pc_page(), pages;
	int inside[MAX_RANGES], n = 0;
	const struct range *r;
	__u64 first;

	if (a->maps)
		for (int i = 0; i < a->maps->n; i++)
			if (a->maps->r[i].start >= (unsigned long)a->lo &&
			    a->maps->r[i].end <= (unsigned long)a->hi)
				inside[n++] = i;
	if (!n) {
		*len = (1 + below(a, 3)) * page;
		return random_place(a, *len);
	}
	r = &a->maps->r[inside[below(a, n)]];
	pages = (r->end - r->start) / page;
	/* The end of it half the time, where it can grow. */
	first = below(a, pages);
	*len = (below(a, 2) ? pages - first : 1 + below(a, pages - first)) * page;
	return (char *)r->start + first * page;
}

/* 0 if it was done, -1 if the kernel refused. */
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
	/* Anywhere, and at once moved to where it belongs, if it is free. */
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
		/* It finds parts that were moved or have grown, wherever they are. */
		may_change(a, 0, a->lo, a->hi - a->lo + BEHIND);
		return a->attached[i] ? shmdt(a->attached[i]) : -1;
	}
	/* As long as the longer of the two segments. */
	a->attached[i] = random_place(a, 8 * pc_page());
	may_change(a, 0, a->attached[i], 8 * pc_page());
	map = shmat(a->shm[i & 1], a->attached[i], SHM_REMAP | (below(a, 4) ? SHM_EXEC : 0) |
		    (below(a, 2) ? SHM_RDONLY : 0));
	return map == MAP_FAILED ? -1 : 0;
}

/* One huge page, in the arena that is made of them. */
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
		/* So that it has pages, which move with it. */
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

/* One operation, and whether its records are about it alone is seen by inside(). */
static int random_op(struct arena *a)
{
	static const int often[] = { OP_MMAP, OP_MMAP, OP_MMAP, OP_MUNMAP, OP_MPROTECT, OP_MPROTECT,
				     OP_TOUCH };
	int op;

	do {
		op = below(a, 2) ? often[below(a, ARRAY_SIZE(often))] : below(a, OP_HUGE + 1);
		/* Where others are, nothing is mapped where it happens to be free. */
	} while (!a->maps && (op == OP_MOVE || op == OP_HUGE));
	if (operate(a, op))
		return -1;
	a->done[op]++;
	return op;
}

static bool inside(const struct arena *a, const struct mmap_record *m)
{
	for (int i = 0; i < 2; i++)
		if (m->addr >= a->from[i] && m->addr + m->len <= a->to[i])
			return true;
	return false;
}

#define HUGE_PAGES "/proc/sys/vm/nr_hugepages"

/* How many huge pages there are. */
static long huge_pages(void)
{
	FILE *f = fopen(HUGE_PAGES, "re");
	long n = 0;

	if (f && fscanf(f, "%ld", &n) != 1)
		n = 0;
	if (f)
		fclose(f);
	return n;
}

/* Enough, until somebody has looked. */
static long huge_pages_before = LONG_MAX;

/* Have 4 huge pages at least, until they are given back, if there is room for them. */
static void huge_pages_get(void)
{
	huge_pages_before = huge_pages();
	if (huge_pages_before < 4)
		pc_write_text(HUGE_PAGES, "4");
}

static void huge_pages_put(void)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", huge_pages_before);
	if (huge_pages_before < 4)
		pc_write_text(HUGE_PAGES, text);
}

FIXTURE(play) {
	struct perf_counter_attr attr;
	struct pc_ring ring, rings[PERF_COUNTER_SUBRINGS_MAX];
	struct pc_log log;
	struct arena arenas[4];
	int files[OBJECTS];
	int shm[2];
	int nr_rings;
	int maps;		/* a descriptor of /proc/self/maps */
	int fd;
	char path[64];
	__u64 seed;
};

FIXTURE_VARIANT(play) {
	bool machine;
	bool inherit;
	bool subrings;
};

FIXTURE_VARIANT_ADD(play, task) {};
FIXTURE_VARIANT_ADD(play, tree) { .inherit = true };
FIXTURE_VARIANT_ADD(play, machine) { .machine = true };
FIXTURE_VARIANT_ADD(play, rings) { .machine = true, .subrings = true };

FIXTURE_SETUP(play)
{
	const char *seed = getenv("PC_SEED");

	self->fd = -1;
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->seed = (seed ? strtoull(seed, NULL, 0) : pc_clock(CLOCK_REALTIME) ^ getpid()) | 1;
	self->attr = map_attr();
	self->attr.sample_id_all = 1;
	self->attr.sample_type = PERF_SAMPLE_TIME;
	self->attr.read_format = PERF_FORMAT_LOST;
	self->attr.inherit = variant->inherit;
	self->attr.subrings = variant->subrings;
	snprintf(self->path, sizeof(self->path), "/tmp/pc_mappings.%d", getpid());
	self->files[2] = exec_file("play", 64);
	self->files[3] = exec_file("more", 64);
	self->files[4] = open(self->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	for (int i = 2; i < OBJECTS; i++)
		ASSERT_FD(self->files[i]);
	ASSERT_OK(ftruncate(self->files[4], 64 * pc_page()));
	for (int i = 0; i < 2; i++) {
		self->shm[i] = shmget(IPC_PRIVATE, (4 + 4 * i) * pc_page(), 0700);
		if (self->shm[i] < 0 && errno != ENOSYS)
			ASSERT_FD(self->shm[i]);
	}
	huge_pages_get();
	self->maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	ASSERT_FD(self->maps);
	ASSERT_OK(pc_log_open(&self->log, 4 << 20));
	for (int i = 0; i < 4; i++) {
		struct arena *a = &self->arenas[i];
		/* Low, where the kernel puts nothing by itself; each beside the next. */
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

FIXTURE_TEARDOWN(play)
{
	if (pc_on_perf_event())
		return;
	huge_pages_put();
	unlink(self->path);
	for (int i = 0; i < 2; i++)
		shmctl(self->shm[i], IPC_RMID, NULL);
	pc_ring_unmap(&self->ring);
	close(self->fd);
}

/* Opens the counter; what is mapped at this moment is where the playing starts. */
static void begin(struct __test_metadata *_metadata, FIXTURE_DATA(play) * self, bool machine,
		  struct view *told, bool all, int pages)
{
	self->fd = pc_open(&self->attr, machine ? -1 : 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, pages));
	self->nr_rings = pc_ring_split(&self->ring, self->rings);
	if (self->attr.subrings && sysconf(_SC_NPROCESSORS_ONLN) > 1)
		ASSERT_LT(1, self->nr_rings);
	ASSERT_OK(pc_enable(self->fd));
	ASSERT_OK(read_maps(self->maps, told));
	if (all)
		return;
	/* Playing knows of no data, so that nobody can remove them. */
	for (int i = 0; i < told->n; i++)
		if (!executable(&told->r[i]))
			cut_out(told, i--, 1, NULL, 0);
}

/* What the records so far make of it; they are within what the arena's last did. */
static const char *play_all(FIXTURE_DATA(play) * self, struct view *told, const struct arena *a)
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
		wrong = play(told, m);
		if (wrong)
			return wrong;
		if (a && !inside(a, m))
			return complain("type %#x: %#llx + %#llx is not what was done",
					m->header.type, m->addr, m->len);
	}
	if (pc_read(self->fd, PERF_FORMAT_LOST, &v) <= 0 || v.v[0].lost)
		return "records were lost";
	return NULL;
}

/* Whether each operation has succeeded once, where the kernel has it. */
static bool all_done(FIXTURE_DATA(play) * self)
{
	for (int i = 0; i < ARRAY_SIZE(op_names); i++) {
		if (i == OP_HUGE || ((i == OP_SHMAT || i == OP_SHMDT) && self->shm[0] < 0))
			continue;
		if (!self->arenas[0].done[i]) {
			complain("%s", op_names[i]);
			return false;
		}
	}
	return true;
}

/* One after the other, and a look at the result after each. */
static void play_alone(struct __test_metadata *_metadata, FIXTURE_DATA(play) * self, bool machine,
		       bool all, int rounds)
{
	static struct view told, maps;
	struct arena *a = &self->arenas[0];
	/* The pages of data everywhere else are the C library's business. */
	__u64 lo = all ? (unsigned long)a->lo : 0;
	__u64 hi = all ? (unsigned long)a->hi + BEHIND : ~0ULL;
	int last = -1;

	begin(_metadata, self, machine, &told, all, 64);
	ASSERT_OK(read_maps(self->maps, &maps));
	a->maps = &maps;
	/* And on until chance has done everything once. */
	for (int i = 0; i < rounds || (i < 50 * rounds && !all_done(self)); i++) {
		const char *wrong;

		last = random_op(a);
		ASSERT_OK(read_maps(self->maps, &maps));
		wrong = play_all(self, &told, a);
		if (!wrong)
			wrong = compare(&told, &maps, all, lo, hi);
		ASSERT_EQ(NULL, wrong)
			TH_LOG("PC_SEED=%llu, operation %d, %s: %s", self->seed, i,
			       last < 0 ? "refused" : op_names[last], wrong);
		/* What the kernel has put elsewhere goes, and that is told too. */
		for (int j = 0; j < 2; j++) {
			if (!a->from[j] || (a->from[j] >= (unsigned long)a->lo &&
					    a->to[j] <= (unsigned long)a->hi + BEHIND))
				continue;
			ASSERT_OK(munmap((void *)a->from[j], a->to[j] - a->from[j]));
			wrong = play_all(self, &told, a);
			ASSERT_EQ(NULL, wrong)
				TH_LOG("PC_SEED=%llu, operation %d, unmapped: %s", self->seed, i,
				       wrong);
		}
	}
	EXPECT_TRUE(all_done(self)) TH_LOG("PC_SEED=%llu: %s was never done", self->seed, why);
}

PC_TEST(play, executable_ranges_follow_the_records)
{
	play_alone(_metadata, self, variant->machine, false, pc_rounds(1000));
}

PC_TEST(play, all_ranges_follow_the_records)
{
	self->attr.mmap_data = 1;
	play_alone(_metadata, self, variant->machine, true, pc_rounds(1000));
}

/*
 * Four threads, each in its own arena, while others take page faults.
 */
#define FAULT_PAGES	64

struct crew {
	struct arena *arena;
	int ops;
	int stop;
};

static void random_ops(struct pc_task *t)
{
	struct crew *c = (struct crew *)t->arg;

	while (pc_await(t)) {
		for (int i = 0; i < c->ops; i++)
			random_op(c->arena);
		pc_done(t);
	}
}

static void fault_until_told(struct pc_task *t)
{
	struct crew *c = (struct crew *)t->arg;
	char *map = pc_fresh(FAULT_PAGES);

	pc_done(t);
	while (!__atomic_load_n(&c->stop, __ATOMIC_RELAXED)) {
		pc_touch(map, FAULT_PAGES);
		madvise(map, FAULT_PAGES * pc_page(), MADV_DONTNEED);
	}
}

PC_TEST(play, threads_that_map_at_once)
{
	static struct view told, maps;
	struct pc_task threads[4], faulters[2];
	struct crew crews[5] = {};
	int ops = 40 + pc_rounds(160), done = 0;

	if (!variant->machine && !variant->inherit)
		SKIP(return, "the counter of one thread");
	for (int i = 0; i < 4; i++) {
		crews[i].arena = &self->arenas[i];
		crews[i].ops = ops;
		ASSERT_OK(pc_thread(&threads[i], random_ops, (long)&crews[i]));
	}
	for (int i = 0; i < 2; i++) {
		ASSERT_OK(pc_thread(&faulters[i], fault_until_told, (long)&crews[4]));
		ASSERT_OK(pc_reply(&faulters[i]));
	}
	/* A counter of a tree follows the threads that come after it. */
	if (variant->inherit) {
		for (int i = 0; i < 4; i++)
			ASSERT_OK(pc_join(&threads[i]));
	}
	begin(_metadata, self, variant->machine, &told, false, 512);
	if (variant->inherit) {
		for (int i = 0; i < 4; i++)
			ASSERT_OK(pc_thread(&threads[i], random_ops, (long)&crews[i]));
	}
	for (int round = 0; round < pc_rounds(6); round++) {
		const char *wrong;

		for (int i = 0; i < 4; i++)
			ASSERT_OK(pc_order(&threads[i], 'g'));
		for (int i = 0; i < 4; i++)
			ASSERT_OK(pc_reply(&threads[i]));
		ASSERT_OK(read_maps(self->maps, &maps));
		wrong = play_all(self, &told, NULL);
		if (!wrong)
			wrong = compare(&told, &maps, false, 0, ~0ULL);
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
	EXPECT_LT(4 * ops / 4 * pc_rounds(6), done) TH_LOG("of %d each in each round", ops);
}

/*
 * What a mapping is called.
 */
FIXTURE(name) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	char dir[64];
	int fd;
};

FIXTURE_SETUP(name)
{
	self->attr = pc_attr(PERF_COUNT_SW_DUMMY);
	self->attr.mmap = 1;
	self->attr.mmap2 = 1;
	self->attr.munmap = !pc_on_perf_event();
	self->fd = -1;
	snprintf(self->dir, sizeof(self->dir), "/tmp/pc_names.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
}

FIXTURE_TEARDOWN(name)
{
	pc_ring_unmap(&self->ring);
	close(self->fd);
	rmdir(self->dir);
}

/* The name and zeros to a multiple of 8, and nothing else. */
static bool is_named(const char *name)
{
	size_t head = rec.header.type == PERF_RECORD_MMAP2 ? sizeof(*mapped2) : sizeof(*mapped);
	const char *is = rec.bytes + head;
	size_t len = strlen(name);

	complain("%.100s, not %.100s, of %zu bytes; record of %u", is, name, len,
		 rec.header.size);
	if (rec.header.size != head + (len + 8) / 8 * 8 || memcmp(is, name, len))
		return false;
	for (size_t i = head + len; i < rec.header.size; i++)
		if (rec.bytes[i])
			return false;
	return true;
}

/* What /proc/self/maps calls the mapping at an address; NULL if there is none. */
static const char *name_in_maps(const void *at)
{
	static struct view maps;

	if (maps_of(getpid(), &maps))
		return NULL;
	for (int i = 0; i < maps.n; i++)
		if (maps.r[i].start <= (unsigned long)at && maps.r[i].end > (unsigned long)at)
			return maps.r[i].name;
	return NULL;
}

/* Maps a file, and unmaps it: both records have the name, and so has /proc. */
static void goes_by(struct __test_metadata *_metadata, struct pc_ring *ring, int file,
		    const char *name)
{
	char *map = mmap(NULL, pc_page(), RX, MAP_PRIVATE, file, 0);

	ASSERT_NE(MAP_FAILED, map) TH_LOG("%.100s: %s", name, strerror(errno));
	ASSERT_TRUE(pc_ring_next(ring, &rec));
	ASSERT_EQ(PERF_RECORD_MMAP2, rec.header.type);
	EXPECT_EQ((unsigned long)map, mapped2->addr);
	EXPECT_TRUE(is_named(name)) TH_LOG("%s", why);
	if (strcmp(name, "//toolong")) {
		const char *maps = name_in_maps(map);

		ASSERT_NE(NULL, maps);
		EXPECT_STREQ(maps, name);
	}
	ASSERT_OK(munmap(map, pc_page()));
	if (pc_on_perf_event())
		return;
	ASSERT_TRUE(pc_ring_next(ring, &rec));
	ASSERT_EQ(PERF_RECORD_MUNMAP, rec.header.type);
	EXPECT_EQ((unsigned long)map, mapped->addr);
	EXPECT_TRUE(is_named(name)) TH_LOG("%s", why);
	EXPECT_FALSE(pc_ring_next(ring, &rec));
}

static int new_file(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700);

	return fd < 0 || ftruncate(fd, 4 * pc_page()) ? -1 : fd;
}

PC_TEST(name, files_whatever_bytes_they_are_called_by)
{
	static const char * const names[] = {
		"a", "with blanks in it ", "\nnew\nlines\n", "quo\"tes' and \\backslashes\\",
		"\033[31mred\033[0m", "\xff\xfe is no UTF-8 \x80", "\xe2\x82\xac", "tab\tbell\a",
		"so it seems (deleted)", "//anon", "[heap]",
	};
	char path[PATH_MAX], longest[NAME_MAX + 1];

	memset(longest, 'x', NAME_MAX);
	longest[NAME_MAX] = 0;
	ASSERT_OK(start(&self->attr, 0, &self->ring, &self->fd));
	for (int i = 0; i <= ARRAY_SIZE(names); i++) {
		const char *name = i < ARRAY_SIZE(names) ? names[i] : longest;
		int file;

		snprintf(path, sizeof(path), "%s/%s", self->dir, name);
		/* No name has a slash: this one is in a directory of its own. */
		if (strchr(name, '/'))
			continue;
		file = new_file(AT_FDCWD, path);
		ASSERT_FD(file);
		goes_by(_metadata, &self->ring, file, path);
		ASSERT_OK(unlink(path));
		strcat(path, " (deleted)");
		goes_by(_metadata, &self->ring, file, path);
		close(file);
	}
}

PC_TEST(name, a_path_that_is_too_long)
{
	char part[201] = {}, path[2 * PATH_MAX], *end;
	int dir = open(self->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int dirs[24];

	ASSERT_FD(dir);
	memset(part, 'd', sizeof(part) - 1);
	ASSERT_OK(start(&self->attr, 0, &self->ring, &self->fd));
	end = stpcpy(path, self->dir);
	/* 20 of them, and what comes before, are just short of PATH_MAX. */
	for (int i = 0; i < ARRAY_SIZE(dirs); i++) {
		int file;

		ASSERT_OK(mkdirat(dir, part, 0700));
		dirs[i] = dir;
		dir = openat(dir, part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		ASSERT_FD(dir);
		end = stpcpy(stpcpy(end, "/"), part);
		file = new_file(dir, "f");
		ASSERT_FD(file);
		stpcpy(end, "/f");
		goes_by(_metadata, &self->ring, file,
			strlen(path) > PATH_MAX ? "//toolong" : path);
		close(file);
		ASSERT_OK(unlinkat(dir, "f", 0));
	}
	for (int i = ARRAY_SIZE(dirs) - 1; i >= 0; i--) {
		close(dir);
		dir = dirs[i];
		ASSERT_OK(unlinkat(dir, part, AT_REMOVEDIR));
	}
	close(dir);
}

PC_TEST(name, memory_of_no_file)
{
	__u64 page = pc_page(), size = 4 * page;
	int memory = exec_file("new\nline", 4);
	char *map;

	ASSERT_FD(memory);
	ASSERT_OK(start(&self->attr, 0, &self->ring, &self->fd));
	goes_by(_metadata, &self->ring, memory, "/memfd:new\nline (deleted)");
	close(memory);

	map = mmap(NULL, size, RX, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
	EXPECT_TRUE(is_named("/dev/zero (deleted)")) TH_LOG("%s", why);
	EXPECT_EQ(MAP_SHARED, mapped2->flags & MAP_TYPE);
	ASSERT_OK(munmap(map, size));
	if (!pc_on_perf_event()) {
		ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
		EXPECT_TRUE(is_named("/dev/zero (deleted)")) TH_LOG("%s", why);
	}

	map = mmap(NULL, size, RX, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
	EXPECT_TRUE(is_named("//anon")) TH_LOG("%s", why);
	EXPECT_EQ(MAP_PRIVATE, mapped2->flags & MAP_TYPE);
	EXPECT_EQ(0, mapped2->ino);
	EXPECT_EQ(0, mapped2->maj);
	EXPECT_EQ(0, mapped2->min);
	ASSERT_OK(munmap(map, size));
	if (!pc_on_perf_event()) {
		ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
		EXPECT_TRUE(is_named("//anon")) TH_LOG("%s", why);
	}
}

/* Bytes of a huge page of the default size; 0 where there are none. */
static __u64 huge_page(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	unsigned long long kib = 0;
	char line[128];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Hugepagesize: %llu kB", &kib) == 1)
			break;
	}
	if (f)
		fclose(f);
	return kib << 10;
}

/* Whether memory that is mapped there is told as huge pages of that name, when it goes too. */
static void is_huge(struct __test_metadata *_metadata, struct pc_ring *ring, char *map, __u64 size,
		    const char *name)
{
	ASSERT_TRUE(pc_ring_next(ring, &rec));
	ASSERT_EQ(PERF_RECORD_MMAP2, rec.header.type);
	EXPECT_EQ((unsigned long)map, mapped2->addr);
	EXPECT_EQ(size, mapped2->len);
	EXPECT_EQ(MAP_HUGETLB, mapped2->flags & MAP_HUGETLB);
	EXPECT_TRUE(is_named(name)) TH_LOG("%s", why);
	EXPECT_STREQ(name_in_maps(map), name);
	ASSERT_OK(munmap(map, size));
	if (pc_on_perf_event())
		return;
	ASSERT_TRUE(pc_ring_next(ring, &rec));
	EXPECT_EQ(PERF_RECORD_MUNMAP, rec.header.type);
	EXPECT_EQ((unsigned long)map, mapped->addr);
	EXPECT_EQ(size, mapped->len);
	EXPECT_TRUE(is_named(name)) TH_LOG("%s", why);
	EXPECT_FALSE(pc_ring_next(ring, &rec));
}

PC_TEST(name, huge_pages)
{
	__u64 size = 2 * huge_page();
	int memory;
	char *map;

	if (!size)
		SKIP(return, "a kernel without huge pages");
	huge_pages_get();
	if (huge_pages() < 2) {
		huge_pages_put();
		SKIP(return, "no room for 2 huge pages");
	}
	ASSERT_OK(start(&self->attr, 0, &self->ring, &self->fd));
	map = mmap(NULL, size, RX, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	ASSERT_NE(MAP_FAILED, map);
	is_huge(_metadata, &self->ring, map, size, "/anon_hugepage (deleted)");

	memory = syscall(SYS_memfd_create, "huge", 0x14U /* MFD_EXEC | MFD_HUGETLB */);
	ASSERT_FD(memory);
	map = mmap(NULL, size, RX, MAP_PRIVATE, memory, 0);
	ASSERT_NE(MAP_FAILED, map);
	is_huge(_metadata, &self->ring, map, size, "/memfd:huge (deleted)");
	close(memory);
	huge_pages_put();
}

PC_TEST(name, heap_and_stack)
{
	__u64 page = pc_page(), heap, stack = 0;
	static struct view maps;

	/* A page in the middle of the one, and a page of the other that is in use. */
	heap = ((unsigned long)sbrk(8 * page) + 3 * page) & ~(page - 1);
	ASSERT_OK(maps_of(getpid(), &maps));
	for (int i = 0; i < maps.n; i++)
		if (!strcmp(maps.r[i].name, "[stack]"))
			stack = maps.r[i].end - page;
	ASSERT_NE(0, stack);
	ASSERT_OK(start(&self->attr, 0, &self->ring, &self->fd));
	for (int i = 0; i < 2; i++) {
		const char *name = i ? "[heap]" : "[stack]";
		__u64 at = i ? heap : stack;

		/* The first page of a program is at the end of its stack. */
		while (!i && strcmp(name_in_maps((void *)at), name))
			at -= page;
		ASSERT_OK(mprotect((void *)at, page, RWX));
		ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
		EXPECT_EQ(at, mapped2->addr);
		EXPECT_EQ(page, mapped2->len);
		if (!strcmp(name, name_in_maps((void *)at)))
			EXPECT_TRUE(is_named(name)) TH_LOG("%s", why);
		ASSERT_OK(mprotect((void *)at, page, RW));
		if (pc_on_perf_event())
			continue;
		ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
		EXPECT_EQ(PERF_RECORD_MUNMAP, rec.header.type);
		EXPECT_EQ(at, mapped->addr);
		EXPECT_EQ(page, mapped->len);
	}
}

/* Works without the page of functions that the kernel gives to programs. */
static void without_vdso(struct pc_task *t)
{
	static struct view maps;
	__u64 at = getauxval(AT_SYSINFO_EHDR), len = 0;

	pc_await(t);
	if (maps_of(getpid(), &maps))
		_exit(1);
	for (int i = 0; i < maps.n; i++)
		if (maps.r[i].start == at && !strcmp(maps.r[i].name, "[vdso]"))
			len = maps.r[i].end - at;
	if (write(t->child_end, &len, sizeof(len)) != sizeof(len))
		_exit(2);
	syscall(SYS_munmap, at, len);
	pc_done(t);
	pc_await(t);
}

PC_TEST(name, functions_of_the_kernel)
{
	__u64 at = getauxval(AT_SYSINFO_EHDR), len;
	struct pc_task t;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	if (!at)
		SKIP(return, "no vDSO here");
	ASSERT_OK(pc_spawn(&t, without_vdso, 0));
	ASSERT_OK(start(&self->attr, t.pid, &self->ring, &self->fd));
	ASSERT_OK(pc_order(&t, 'g'));
	ASSERT_EQ(sizeof(len), recv(t.parent_end, &len, sizeof(len), MSG_WAITALL));
	ASSERT_OK(pc_reply(&t));
	ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
	EXPECT_EQ(PERF_RECORD_MUNMAP, rec.header.type);
	EXPECT_EQ(t.pid, mapped->pid);
	EXPECT_EQ(at, mapped->addr);
	EXPECT_EQ(len, mapped->len);
	EXPECT_STREQ("[vdso]", mapped->filename);
	EXPECT_OK(pc_reap(&t));
}

/* In a mount namespace of its own it maps a file, and hands it to its parent. */
static void elsewhere(struct pc_task *t)
{
	const char *dir = (const char *)t->arg;
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {};
	struct iovec byte = { .iov_base = "", .iov_len = 1 };
	struct msghdr m = {
		.msg_iov = &byte, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	char path[PATH_MAX];
	int file;

	pc_await(t);
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", dir, "tmpfs", 0, NULL))
		_exit(50);
	snprintf(path, sizeof(path), "%s/inside", dir);
	file = new_file(AT_FDCWD, path);
	if (file < 0 || mmap(NULL, pc_page(), RX, MAP_PRIVATE, file, 0) == MAP_FAILED)
		_exit(1);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &file, sizeof(int));
	if (sendmsg(t->child_end, &m, 0) != 1)
		_exit(2);
	pc_await(t);
	/* Where the root is another, the path is another. */
	if (chroot(dir) || mmap(NULL, pc_page(), RX, MAP_SHARED, file, 0) == MAP_FAILED)
		_exit(3);
	pc_done(t);
	pc_await(t);
}

PC_TEST(name, a_file_in_another_mount_namespace)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {};
	struct iovec byte = { .iov_base = &control, .iov_len = 1 };
	struct msghdr m = {
		.msg_iov = &byte, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	struct pc_ring ring;
	struct pc_task t;
	char path[128], c;
	int file, fd;

	byte.iov_base = &c;
	snprintf(path, sizeof(path), "%s/inside", self->dir);
	ASSERT_OK(pc_spawn(&t, elsewhere, (long)self->dir));
	ASSERT_OK(start(&self->attr, t.pid, &self->ring, &self->fd));
	ASSERT_OK(start(&self->attr, 0, &ring, &fd));
	ASSERT_OK(pc_order(&t, 'g'));
	if (recvmsg(t.parent_end, &m, 0) != 1) {
		ASSERT_EQ(50, WEXITSTATUS(pc_reap(&t)));
		SKIP(return, "no mount namespaces here");
	}
	memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(file));
	ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
	EXPECT_EQ(PERF_RECORD_MMAP2, rec.header.type);
	EXPECT_EQ(t.pid, mapped2->pid);
	EXPECT_TRUE(is_named(path)) TH_LOG("there: %s", why);
	goes_by(_metadata, &ring, file, path);
	/* We cannot open it: the name is not ours. */
	EXPECT_EQ(-1, access(path, F_OK));

	ASSERT_OK(pc_tell(&t, 'c'));
	ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
	EXPECT_EQ(t.pid, mapped2->pid);
	EXPECT_TRUE(is_named("/inside")) TH_LOG("in a root of its own: %s", why);
	EXPECT_OK(pc_reap(&t));
	pc_ring_unmap(&ring);
	close(fd);
	close(file);
}

/*
 * Build-ids, in the place of the inode.
 */
struct build_id {
	int size;
	__u8 id[64];
};

/* The one that this program was linked with, as it lies in memory. */
static int own_build_id(struct dl_phdr_info *info, size_t size, void *data)
{
	struct build_id *b = data;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) * p = &info->dlpi_phdr[i];
		const char *at = (char *)info->dlpi_addr + p->p_vaddr, *end = at + p->p_memsz;

		while (p->p_type == PT_NOTE && at + sizeof(ElfW(Nhdr)) < end) {
			const ElfW(Nhdr) * note = (void *)at;
			const char *name = at + sizeof(*note);
			const char *desc = name + (note->n_namesz + 3) / 4 * 4;

			if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
			    !memcmp(name, "GNU", 4) && note->n_descsz <= sizeof(b->id)) {
				b->size = note->n_descsz;
				memcpy(b->id, desc, b->size);
			}
			at = desc + (note->n_descsz + 3) / 4 * 4;
		}
	}
	/* The first is the program; the others are libraries. */
	return 1;
}

static bool has_build_id(const struct build_id *b)
{
	static const __u8 zeros[20];

	complain("%s: misc %#x, size %u, %02x%02x%02x%02x", mapped2->filename, rec.header.misc,
		 mapped2->build_id_size, mapped2->build_id[0], mapped2->build_id[1],
		 mapped2->build_id[2], mapped2->build_id[3]);
	return rec.header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID &&
	       mapped2->build_id_size == b->size && !memcmp(mapped2->reserved, zeros, 3) &&
	       !memcmp(mapped2->build_id, b->id, b->size) &&
	       !memcmp(mapped2->build_id + b->size, zeros, 20 - b->size);
}

static bool has_inode(const struct stat *st)
{
	complain("%s: misc %#x, %x:%x %llu", mapped2->filename, rec.header.misc, mapped2->maj,
		 mapped2->min, mapped2->ino);
	return !(rec.header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) &&
	       mapped2->maj == major(st->st_dev) && mapped2->min == minor(st->st_dev) &&
	       mapped2->ino == st->st_ino;
}

PC_TEST(name, an_exec_tells_the_build_id_of_the_program)
{
	struct build_id b = {};
	char exe[PATH_MAX];
	int len, seen = 0;
	struct pc_task t;

	dl_iterate_phdr(own_build_id, &b);
	if (!b.size)
		SKIP(return, "linked without a build-id");
	len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	ASSERT_LT(0, len);
	exe[len] = 0;
	self->attr.build_id = 1;
	ASSERT_OK(pc_spawn(&t, pc_exec_worker, 0));
	ASSERT_OK(start(&self->attr, t.pid, &self->ring, &self->fd));
	ASSERT_OK(pc_tell(&t, 'x'));
	while (pc_ring_next(&self->ring, &rec)) {
		if (rec.header.type != PERF_RECORD_MMAP2)
			continue;
		if (!strcmp(mapped2->filename, exe)) {
			seen++;
			EXPECT_TRUE(has_build_id(&b)) TH_LOG("%s", why);
		}
		if (mapped2->filename[0] == '[' || !strcmp(mapped2->filename, "//anon")) {
			EXPECT_TRUE(!(rec.header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) ||
				    !strcmp(mapped2->filename, "[vdso]"))
				TH_LOG("%s", mapped2->filename);
		}
	}
	EXPECT_LT(0, seen) TH_LOG("no mapping of %s", exe);
	EXPECT_OK(pc_reap(&t));
}

/* The least of an ELF file with a note in it, or with what is not quite one. */
struct image {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	Elf64_Nhdr nhdr;
	char name[4];
	__u8 desc[64];
};

PC_TEST(name, files_with_a_build_id_and_without)
{
	static const struct {
		const char *what;
		int size;
		int type;
		const char *name;
		int phnum;
		__u64 offset;
		int shown;
	} files[] = {
		{ "20 bytes", 20, 3, "GNU", 1, 0, 20 },
		{ "16 bytes", 16, 3, "GNU", 1, 0, 16 },
		{ "1 byte", 1, 3, "GNU", 1, 0, 1 },
		{ "21 bytes", 21, 3, "GNU", 1, 0, 0 },
		{ "no bytes", 0, 3, "GNU", 1, 0, 0 },
		{ "a note of another type", 20, 1, "GNU", 1, 0, 0 },
		{ "a note of others", 20, 3, "XXX", 1, 0, 0 },
		{ "no segments", 20, 3, "GNU", 0, 0, 0 },
		{ "65535 segments", 20, 3, "GNU", 65535, 1, 0 },
		{ "a note beyond the end", 20, 3, "GNU", 1, 1 << 30, 0 },
		{ "a note nowhere", 20, 3, "GNU", 1, 1ULL << 62, 0 },
		{ "a note of endless size", 0x7fffffff, 3, "GNU", 1, 0, 0 },
	};

	self->attr.build_id = 1;
	ASSERT_OK(start(&self->attr, 0, &self->ring, &self->fd));
	for (int i = 0; i <= ARRAY_SIZE(files); i++) {
		struct image image = {
			.ehdr.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
					  EV_CURRENT },
			.ehdr.e_type = ET_DYN, .ehdr.e_machine = EM_X86_64,
			.ehdr.e_version = EV_CURRENT, .ehdr.e_phoff = sizeof(Elf64_Ehdr),
			.ehdr.e_ehsize = sizeof(Elf64_Ehdr),
			.ehdr.e_phentsize = sizeof(Elf64_Phdr),
			.phdr.p_type = PT_NOTE, .phdr.p_align = 4,
		};
		const char *what = "not ELF";
		struct build_id b = {};
		int file = exec_file("image", 4);
		struct stat st;
		char *map;

		for (int j = 0; j < sizeof(image.desc); j++)
			b.id[j] = 0x80 + 3 * i + j;
		memcpy(image.desc, b.id, sizeof(image.desc));
		if (i < ARRAY_SIZE(files)) {
			what = files[i].what;
			b.size = files[i].shown;
			image.ehdr.e_phnum = files[i].phnum;
			image.phdr.p_offset = files[i].offset ?: offsetof(struct image, nhdr);
			image.phdr.p_filesz = sizeof(Elf64_Nhdr) + 4 +
					      ((__u64)files[i].size + 3) / 4 * 4;
			image.phdr.p_memsz = image.phdr.p_filesz;
			image.nhdr.n_namesz = 4;
			image.nhdr.n_descsz = files[i].size;
			image.nhdr.n_type = files[i].type;
			memcpy(image.name, files[i].name, 4);
		} else {
			memset(&image.ehdr, 'x', sizeof(image.ehdr));
		}
		ASSERT_FD(file);
		ASSERT_OK(fstat(file, &st));
		ASSERT_EQ(sizeof(image), pwrite(file, &image, sizeof(image), 0));
		/* Whichever part of the file is mapped. */
		for (int j = 0; j < 2; j++) {
			map = mmap(NULL, pc_page(), RX, MAP_PRIVATE, file, j * 2 * pc_page());
			ASSERT_NE(MAP_FAILED, map);
			ASSERT_TRUE(pc_ring_find(&self->ring, &rec, PERF_RECORD_MMAP2));
			EXPECT_EQ((unsigned long)map, mapped2->addr);
			EXPECT_EQ(RX, mapped2->prot);
			EXPECT_STREQ("/memfd:image (deleted)", mapped2->filename);
			EXPECT_TRUE(b.size ? has_build_id(&b) : has_inode(&st))
				TH_LOG("%s: %s", what, why);
			ASSERT_OK(munmap(map, pc_page()));
		}
		close(file);
	}
}

PC_TEST(name, build_ids_are_for_mmap2_alone)
{
	char *map;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr.build_id = 1;
	self->attr.mmap2 = 0;
	ASSERT_OK(start(&self->attr, 0, &self->ring, &self->fd));
	map = map_at(NULL, pc_page(), RX, -1, 0);
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_OK(munmap(map, pc_page()));
	for (int i = 0; i < 2; i++) {
		ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
		EXPECT_EQ(i ? PERF_RECORD_MUNMAP : PERF_RECORD_MMAP, rec.header.type);
		EXPECT_EQ(PERF_RECORD_MISC_USER, rec.header.misc);
		EXPECT_STREQ("//anon", mapped->filename);
	}
}

/*
 * The end of an address space: exec, and exit.
 */
FIXTURE(life) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	int fd;
};

FIXTURE_SETUP(life)
{
	self->fd = -1;
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr = map_attr();
	self->attr.comm = 1;
	self->attr.comm_exec = 1;
	self->attr.task = 1;
	self->attr.inherit = 1;
}

FIXTURE_TEARDOWN(life)
{
	pc_ring_unmap(&self->ring);
	close(self->fd);
}

/* What it has before it is another program; and it maps some more. */
static void exec_with_more(struct pc_task *t)
{
	char name[] = "x", *args[] = { name, NULL };
	int file = exec_file("more", 8);

	if (file < 0 || map_at(NULL, 8 * pc_page(), RX, file, 0) == MAP_FAILED ||
	    map_at(NULL, pc_page(), RWX, -1, 0) == MAP_FAILED)
		_exit(1);
	pc_done(t);
	switch (pc_await(t)) {
	case 'x':
		pc_exec(t);
		break;
	case 'f':
		/* A file that is not there, and one that is no program. */
		execl("/proc/self/no such file", "x", NULL);
		syscall(SYS_execveat, file, "", args, environ, AT_EMPTY_PATH);
		pc_done(t);
		pc_await(t);
	}
}

static void keep_executable(struct view *v)
{
	for (int i = 0; i < v->n; i++)
		if (!executable(&v->r[i]))
			cut_out(v, i--, 1, NULL, 0);
}

PC_TEST(life, exec_unmaps_the_old_program_before_it_has_a_new_name)
{
	static struct view told, maps;
	int old = 0, new = 0, execs = 0;
	struct pc_task t;

	ASSERT_OK(pc_spawn(&t, exec_with_more, 0));
	ASSERT_OK(pc_reply(&t));
	ASSERT_OK(maps_of(t.pid, &told));
	keep_executable(&told);
	ASSERT_LE(4, told.n) TH_LOG("program, C library and what it has mapped");
	ASSERT_OK(start(&self->attr, t.pid, &self->ring, &self->fd));
	ASSERT_OK(pc_tell(&t, 'x'));
	ASSERT_OK(maps_of(t.pid, &maps));
	while (pc_ring_next(&self->ring, &rec)) {
		const char *wrong = NULL;

		switch (rec.header.type) {
		case PERF_RECORD_COMM:
			EXPECT_NE(0, rec.header.misc & PERF_RECORD_MISC_COMM_EXEC);
			EXPECT_EQ(0, told.n) TH_LOG("%s is still there", told.r[0].name);
			execs++;
			break;
		case PERF_RECORD_MUNMAP:
			old += !execs;
			wrong = play(&told, mapped);
			break;
		case PERF_RECORD_MMAP2:
			EXPECT_EQ(1, execs);
			new++;
			wrong = play(&told, mapped);
			break;
		default:
			EXPECT_EQ(0, rec.header.type);
		}
		ASSERT_EQ(NULL, wrong)
			TH_LOG("%s", wrong);
		EXPECT_EQ(t.pid, mapped->pid);
		EXPECT_EQ(t.pid, mapped->tid);
	}
	EXPECT_EQ(1, execs);
	EXPECT_LE(4, old);
	EXPECT_LE(3, new) TH_LOG("program, loader, C library");
	EXPECT_EQ(NULL, compare(&told, &maps, false, 0, ~0ULL))
		TH_LOG("%s", why);
	EXPECT_OK(pc_reap(&t));
}

/* A copy of this program whose stack is to be executable. */
static int with_executable_stack(const char *path)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int to = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	static char buf[65536];
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	ssize_t n;

	if (from < 0 || to < 0)
		return -1;
	while ((n = read(from, buf, sizeof(buf))) > 0)
		if (write(to, buf, n) != n)
			return -1;
	if (n || pread(to, &ehdr, sizeof(ehdr), 0) != sizeof(ehdr))
		return -1;
	n = -1;
	for (int i = 0; i < ehdr.e_phnum; i++) {
		off_t at = ehdr.e_phoff + i * sizeof(phdr);

		if (pread(to, &phdr, sizeof(phdr), at) != sizeof(phdr))
			return -1;
		if (phdr.p_type != PT_GNU_STACK)
			continue;
		phdr.p_flags |= PF_X;
		n = pwrite(to, &phdr, sizeof(phdr), at) == sizeof(phdr) ? 0 : -1;
	}
	close(from);
	close(to);
	return n;
}

#define RANDOMIZE "/proc/sys/kernel/randomize_va_space"

static void exec_at_path(struct pc_task *t)
{
	char fd[16];

	pc_await(t);
	snprintf(fd, sizeof(fd), "%d", t->child_end);
	execl((const char *)t->arg, "worker", "--worker", fd, "1", NULL);
	_exit(1);
}

PC_TEST(life, a_program_whose_stack_is_executable)
{
	static struct view told, maps;
	char path[64], old[4] = {};
	int fd;

	snprintf(path, sizeof(path), "/tmp/pc_stack.%d", getpid());
	ASSERT_OK(with_executable_stack(path));
	fd = open(RANDOMIZE, O_RDONLY | O_CLOEXEC);
	ASSERT_FD(fd);
	ASSERT_LT(0, read(fd, old, sizeof(old) - 1));
	close(fd);
	/* At its place from the beginning, and moved to where chance wants it. */
	for (int moved = 0; moved < 6; moved++) {
		const char *wrong = NULL;
		bool stack = false;
		struct pc_task t;

		pc_write_text(RANDOMIZE, moved ? "2" : "0");
		ASSERT_OK(pc_spawn(&t, exec_at_path, (long)path));
		ASSERT_OK(maps_of(t.pid, &told));
		keep_executable(&told);
		ASSERT_OK(start(&self->attr, t.pid, &self->ring, &self->fd));
		ASSERT_OK(pc_tell(&t, 'x'));
		for (int i = 0; i < 10 && !wrong; i++) {
			ASSERT_OK(pc_tell(&t, PC_WORK));
			ASSERT_OK(maps_of(t.pid, &maps));
			while (!wrong && pc_ring_next(&self->ring, &rec))
				if (rec.header.type == PERF_RECORD_MMAP2 ||
				    rec.header.type == PERF_RECORD_MUNMAP)
					wrong = play(&told, mapped);
			if (!wrong)
				wrong = compare(&told, &maps, false, 0, ~0ULL);
		}
		pc_write_text(RANDOMIZE, old);
		EXPECT_EQ(NULL, wrong)
			TH_LOG("%s: %s", moved ? "moved" : "not moved", wrong);
		for (int i = 0; i < told.n; i++)
			stack |= !strcmp(told.r[i].name, "[stack]");
		EXPECT_TRUE(stack);
		EXPECT_OK(pc_reap(&t));
		while (pc_ring_next(&self->ring, &rec)) {
			if (rec.header.type == PERF_RECORD_MUNMAP && !wrong)
				wrong = play(&told, mapped);
			if (rec.header.type != PERF_RECORD_EXIT || wrong)
				continue;
			EXPECT_EQ(0, told.n)
				TH_LOG("%s is still there", told.r[0].name);
		}
		EXPECT_EQ(NULL, wrong)
			TH_LOG("%s: %s", moved ? "moved" : "not moved", wrong);
		pc_ring_unmap(&self->ring);
		close(self->fd);
	}
	self->fd = -1;
	unlink(path);
}

PC_TEST(life, an_exec_that_fails_unmaps_nothing)
{
	struct pc_task t;

	ASSERT_OK(pc_spawn(&t, exec_with_more, 0));
	ASSERT_OK(pc_reply(&t));
	ASSERT_OK(start(&self->attr, t.pid, &self->ring, &self->fd));
	ASSERT_OK(pc_tell(&t, 'f'));
	EXPECT_FALSE(pc_ring_next(&self->ring, &rec)) TH_LOG("type %#x", rec.header.type);
	EXPECT_OK(pc_reap(&t));
}

/* Its first thread ends before its second one does. */
static void second_to_last(struct pc_task *t)
{
	pthread_join(((struct pc_task *)t->arg)->thread, NULL);
	pc_done(t);
	pc_await(t);
}

static void first_goes_first(struct pc_task *t)
{
	struct pc_task *second = malloc(sizeof(*second));

	*second = *t;
	second->fn = second_to_last;
	second->arg = (long)t;
	t->thread = pthread_self();
	pc_await(t);
	if (pthread_create(&second->thread, NULL, pc_thread_main, second))
		_exit(1);
	pthread_exit(NULL);
}

static void *just_ends(void *arg)
{
	pthread_exit(arg);
}

PC_TEST(life, the_last_thread_unmaps_everything_before_it_ends)
{
	static struct view told;
	int forks = 0, exits = 0;
	struct pc_task t;
	pthread_t thread;

	/* What the C library loads to end a thread is there afterwards. */
	ASSERT_EQ(0, pthread_create(&thread, NULL, just_ends, NULL));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	ASSERT_OK(start(&self->attr, 0, &self->ring, &self->fd));
	ASSERT_OK(pc_spawn(&t, first_goes_first, 0));
	ASSERT_OK(maps_of(t.pid, &told));
	keep_executable(&told);
	ASSERT_LE(2, told.n);
	/* Two answers of the second: as it starts, and when the first has gone. */
	ASSERT_OK(pc_tell(&t, 'g'));
	ASSERT_OK(pc_reply(&t));
	/* The kernel has not quite finished with it, but it will. */
	while (exits < 1) {
		if (!pc_ring_next(&self->ring, &rec)) {
			sched_yield();
			continue;
		}
		ASSERT_NE(PERF_RECORD_MUNMAP, rec.header.type)
			TH_LOG("%s while a thread is left", mapped->filename);
		ASSERT_NE(PERF_RECORD_MMAP2, rec.header.type)
			TH_LOG("%s as a thread ends", mapped->filename);
		forks += rec.header.type == PERF_RECORD_FORK && task->pid == t.pid;
		exits += rec.header.type == PERF_RECORD_EXIT && task->tid == t.pid;
	}
	EXPECT_EQ(2, forks);
	EXPECT_OK(pc_reap(&t));
	while (pc_ring_next(&self->ring, &rec)) {
		if (rec.header.type == PERF_RECORD_MUNMAP) {
			const char *wrong = play(&told, mapped);

			EXPECT_EQ(NULL, wrong)
				TH_LOG("%s", wrong);
			EXPECT_EQ(t.pid, mapped->pid);
			EXPECT_NE(t.pid, mapped->tid);
			EXPECT_EQ(1, exits) TH_LOG("unmapped by whom has ended");
		}
		if (rec.header.type == PERF_RECORD_EXIT && task->pid == t.pid) {
			EXPECT_EQ(0, told.n) TH_LOG("%s is still there", told.r[0].name);
			exits++;
		}
	}
	EXPECT_EQ(2, exits);
	EXPECT_EQ(0, told.n);
}

/* Dies of a signal, with threads. */
static void killed(struct pc_task *t)
{
	static struct pc_task threads[3];

	for (int i = 0; i < 3; i++)
		if (pc_thread(&threads[i], pc_worker, 0))
			_exit(1);
	pc_done(t);
	pc_await(t);
}

/* What each process of a tree has, from its first moment to its last. */
#define TREE	6

PC_TEST(life, every_process_of_a_tree_ends_with_nothing_mapped)
{
	static struct view told[TREE], maps;
	struct pc_task t[TREE];
	int exits[TREE] = {};

	ASSERT_OK(maps_of(getpid(), &maps));
	keep_executable(&maps);
	ASSERT_OK(start(&self->attr, 0, &self->ring, &self->fd));
	for (int i = 0; i < TREE; i++) {
		/* A child begins with what its parent has. */
		told[i] = maps;
		ASSERT_OK(pc_spawn(&t[i], i % 3 == 2 ? killed : i % 3 == 1 ? pc_exec_worker :
				   pc_worker, 0));
		if (i % 3 == 2)
			ASSERT_OK(pc_reply(&t[i]));
		else
			ASSERT_OK(pc_tell(&t[i], 'x'));
	}
	for (int i = 0; i < TREE; i++) {
		if (i % 3 == 2) {
			ASSERT_OK(kill(t[i].pid, SIGKILL));
			ASSERT_EQ(SIGKILL, pc_reap(&t[i]));
		} else {
			ASSERT_OK(pc_reap(&t[i]));
		}
	}
	while (pc_ring_next(&self->ring, &rec)) {
		for (int i = 0; i < TREE; i++) {
			const char *wrong = NULL;

			if (mapped->pid != t[i].pid)
				continue;
			if (rec.header.type == PERF_RECORD_MMAP2 ||
			    rec.header.type == PERF_RECORD_MUNMAP)
				wrong = play(&told[i], mapped);
			ASSERT_EQ(NULL, wrong)
				TH_LOG("process %d: %s", i, wrong);
			if (rec.header.type == PERF_RECORD_EXIT)
				exits[i]++;
			/* The last of its threads. */
			if (rec.header.type == PERF_RECORD_EXIT &&
			    exits[i] == (i % 3 == 2 ? 4 : 1)) {
				EXPECT_EQ(0, told[i].n)
					TH_LOG("process %d: %s", i, told[i].r[0].name);
			}
		}
		ASSERT_NE(PERF_RECORD_LOST, rec.header.type);
	}
	for (int i = 0; i < TREE; i++) {
		EXPECT_EQ(i % 3 == 2 ? 4 : 1, exits[i])
			TH_LOG("process %d", i);
	}
}

/* A child that shares our memory takes nothing of ours with it. */
PC_TEST(life, a_child_that_borrows_memory_unmaps_none_of_its_parents)
{
	static struct view told, maps;
	int status;
	pid_t pid;

	ASSERT_OK(maps_of(getpid(), &told));
	keep_executable(&told);
	ASSERT_OK(start(&self->attr, 0, &self->ring, &self->fd));
	for (int i = 0; i < 2; i++) {
		pid = vfork();
		if (!pid) {
			if (i)
				execl("/proc/self/exe", "worker", "--worker", "1000", "1", NULL);
			_exit(77);
		}
		ASSERT_LT(0, pid);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(!i, WEXITSTATUS(status) == 77);
	}
	ASSERT_OK(maps_of(getpid(), &maps));
	while (pc_ring_next(&self->ring, &rec)) {
		const char *wrong;

		if ((rec.header.type != PERF_RECORD_MMAP2 &&
		     rec.header.type != PERF_RECORD_MUNMAP) || mapped->pid != getpid())
			continue;
		wrong = play(&told, mapped);
		EXPECT_EQ(NULL, wrong)
			TH_LOG("%s", wrong);
	}
	EXPECT_EQ(NULL, compare(&told, &maps, false, 0, ~0ULL))
		TH_LOG("%s", why);
}

int main(int argc, char **argv)
{
	pc_exec_entry(argc, argv);
	return pc_main(argc, argv);
}
