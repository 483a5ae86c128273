// SPDX-License-Identifier: GPL-2.0
/*
 * A model of an address space.
 */
#include <stdarg.h>

#include "pc_maps.h"

const char *pc_maps_wrong(const char *format, ...)
{
	static char text[2 * PATH_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return text;
}

struct perf_counter_attr pc_maps_attr(void)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);

	attr.mmap = 1;
	attr.mmap2 = 1;
	attr.munmap = 1;
	return attr;
}

int pc_maps_start(struct perf_counter_attr *attr, pid_t pid, struct pc_ring *ring, int *fd)
{
	*fd = pc_open(attr, pid, -1, -1);
	if (*fd < 0 || pc_ring_map(ring, *fd, 64))
		return -1;
	return pc_enable(*fd);
}

int pc_exec_file(const char *name, int pages)
{
	int fd = syscall(SYS_memfd_create, name, 0x10U /* MFD_EXEC */);

	/* Kernels before 6.3 refuse the flag. */
	if (fd < 0)
		fd = syscall(SYS_memfd_create, name, 0U);
	if (fd >= 0 && ftruncate(fd, pages * pc_page()))
		return -1;
	return fd;
}

char *pc_map_at(void *at, __u64 len, int prot, int file, __u64 pgoff)
{
	return mmap(at, len, prot, MAP_PRIVATE | (at ? MAP_FIXED : 0) |
		    (file < 0 ? MAP_ANONYMOUS : 0), file, pgoff);
}

char *pc_map_room(int pages)
{
	char *want = (char *)(2UL << 40);

	if (mmap(want, pages * pc_page(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS |
		 MAP_FIXED_NOREPLACE, -1, 0) != want || munmap(want, pages * pc_page()))
		return NULL;
	return want;
}

/* The only copy of a name: equal names have equal pointers. */
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

/* True for a mapping without a file: /proc does not show its offset. */
static bool is_anonymous(const struct pc_map *r)
{
	return r->name[0] == '[' || !strcmp(r->name, "//anon");
}

/* True if two ranges are parts of one mapping of a file or of anonymous memory. */
static bool same_mapping(const struct pc_map *a, const struct pc_map *b)
{
	if (a->name != b->name || a->ino != b->ino || a->maj != b->maj || a->min != b->min ||
	    a->shared != b->shared)
		return false;
	/* The range that MREMAP_DONTUNMAP keeps mapped has its own start address as its offset. */
	if (is_anonymous(a) && (a->pgoff == a->start || b->pgoff == b->start))
		return true;
	return a->pgoff == PC_NO_PGOFF || b->pgoff == PC_NO_PGOFF ||
	       a->pgoff - a->start == b->pgoff - b->start;
}

static bool executable(const struct pc_map *r)
{
	return r->prot & PROT_EXEC;
}

/* Replace the @n ranges from the index @at on by the @by_n ranges in @by. */
static void cut_out(struct pc_maps *maps, int at, int n, const struct pc_map *by, int by_n)
{
	if (maps->n - n + by_n > PC_MAX_MAPS)
		abort();
	memmove(&maps->map[at + by_n], &maps->map[at + n], (maps->n - at - n) * sizeof(*maps->map));
	memcpy(&maps->map[at], by, by_n * sizeof(*by));
	maps->n += by_n - n;
}

/* Replace everything between two addresses by the range @by, or by nothing if it is NULL. */
static void replace(struct pc_maps *maps, __u64 start, __u64 end, const struct pc_map *by)
{
	struct pc_map new[3];
	int first, last, n = 0;

	for (first = 0; first < maps->n && maps->map[first].end <= start; first++)
		;
	for (last = first; last < maps->n && maps->map[last].start < end; last++)
		;
	if (first < last && maps->map[first].start < start) {
		new[n] = maps->map[first];
		new[n++].end = start;
	}
	if (by)
		new[n++] = *by;
	if (first < last && maps->map[last - 1].end > end) {
		new[n] = maps->map[last - 1];
		if (new[n].pgoff != PC_NO_PGOFF)
			new[n].pgoff += end - new[n].start;
		new[n++].start = end;
	}
	cut_out(maps, first, last - first, new, n);
}

const char *pc_maps_apply(struct pc_maps *maps, const struct mmap_record *m)
{
	const struct mmap2_record *m2 = (void *)m;
	bool data = m->header.misc & PERF_RECORD_MISC_MMAP_DATA;
	bool gone = m->header.type == PERF_RECORD_MUNMAP;
	const char *file = gone ? m->filename : m2->filename;
	const char *name = name_of(file, strlen(file));
	__u64 start = m->addr, end = m->addr + m->len, at = start;
	struct pc_map new = {
		.start = start, .end = end, .pgoff = m->pgoff, .name = name,
	};

	if (!m->len || (start | end) & (pc_page() - 1))
		return pc_maps_wrong("%#llx-%#llx is no range of pages", start, end);
	if (!gone) {
		new.maj = m2->maj;
		new.min = m2->min;
		new.ino = m2->ino;
		new.prot = m2->prot & RWX;
		new.shared = m2->flags & MAP_SHARED;
		if (executable(&new) == data)
			return pc_maps_wrong("%#llx-%#llx %s: protection %#x, misc %#x", start,
					     end, name, m2->prot, m->header.misc);
	}
	for (int i = 0; i < maps->n; i++) {
		struct pc_map *r = &maps->map[i];
		__u64 from = r->start > start ? r->start : start;

		if (r->end <= start || r->start >= end)
			continue;
		if (executable(r) == data)
			return pc_maps_wrong("%s of %#llx-%#llx %s: %#llx %s executable",
					     gone ? "MUNMAP" : "MMAP", start, end, name, from,
					     data ? "is" : "is not");
		if (!gone) {
			if (!same_mapping(r, &new))
				return pc_maps_wrong("MMAP of %#llx-%#llx %s over %#llx-%#llx %s",
						     start, end, name, r->start, r->end, r->name);
			continue;
		}
		if (from != at)
			break;
		if (r->name != name)
			return pc_maps_wrong("MUNMAP of %#llx-%#llx %s, which was %s", start, end,
					     name, r->name);
		if (r->pgoff != PC_NO_PGOFF && !(is_anonymous(r) && m->pgoff == start) &&
		    r->pgoff + (from - r->start) != m->pgoff + (from - start))
			return pc_maps_wrong("MUNMAP of %#llx-%#llx %s at %#llx, not at %#llx",
					     start, end, name, m->pgoff,
					     r->pgoff + (from - r->start));
		at = r->end;
	}
	if (gone && at < end)
		return pc_maps_wrong("MUNMAP of %#llx-%#llx %s: %#llx was not mapped", start, end,
				     name, at);
	replace(maps, start, end, gone ? NULL : &new);
	return NULL;
}

/* Parse a number and skip the character after it. */
static __u64 number(const char **p, int base)
{
	char *end;
	__u64 n = strtoull(*p, &end, base);

	*p = end + 1;
	return n;
}

/* The buffers are static: an allocation would change the address space that the function reads. */
int pc_maps_read_fd(int fd, struct pc_maps *maps)
{
	static char text[1 << 20], name[PATH_MAX];
	size_t len = 0;
	ssize_t n;

	while ((n = pread(fd, text + len, sizeof(text) - 1 - len, len)) > 0)
		len += n;
	if (n < 0 || len == sizeof(text) - 1)
		return -1;
	text[len] = 0;
	maps->n = 0;
	for (const char *p = text; *p;) {
		struct pc_map *r = &maps->map[maps->n++];
		char *to = name;

		if (maps->n == PC_MAX_MAPS)
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
		/* The file shows a newline in a name as an octal number. */
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
		if (is_anonymous(r))
			r->pgoff = PC_NO_PGOFF;
		/* The file lists this page although it is not in the address space. */
		if (!strcmp(r->name, "[vsyscall]"))
			maps->n--;
	}
	return 0;
}

int pc_maps_read(pid_t pid, struct pc_maps *maps)
{
	char path[64];
	int fd, ret;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ret = pc_maps_read_fd(fd, maps);
	close(fd);
	return ret;
}

/* Copy the ranges between two addresses; executable ranges only, unless @all is set. */
static void take_part(struct pc_maps *to, const struct pc_maps *from, bool all, __u64 lo, __u64 hi)
{
	to->n = 0;
	for (int i = 0; i < from->n; i++) {
		struct pc_map r = from->map[i], *last = to->n ? &to->map[to->n - 1] : NULL;

		if (r.end <= lo || r.start >= hi || (!all && !executable(&r)))
			continue;
		if (r.start < lo) {
			if (r.pgoff != PC_NO_PGOFF)
				r.pgoff += lo - r.start;
			r.start = lo;
		}
		if (r.end > hi)
			r.end = hi;
		if (is_anonymous(&r))
			r.pgoff = PC_NO_PGOFF;
		/* Merge adjacent parts of a mapping: the kernel may keep them split or not. */
		if (last && last->end == r.start && last->prot == r.prot &&
		    same_mapping(last, &r))
			last->end = r.end;
		else
			to->map[to->n++] = r;
	}
}

/* The text of a range; valid until the second call after this one. */
static const char *show(const struct pc_map *r)
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

const char *pc_maps_compare(const struct pc_maps *model, const struct pc_maps *maps, bool all,
			    __u64 lo, __u64 hi)
{
	static struct pc_maps a, b;
	int n;

	take_part(&a, model, all, lo, hi);
	take_part(&b, maps, all, lo, hi);
	n = a.n > b.n ? a.n : b.n;
	for (int i = 0; i < n; i++) {
		struct pc_map *x = i < a.n ? &a.map[i] : NULL, *y = i < b.n ? &b.map[i] : NULL;

		if (!x || !y || x->start != y->start || x->end != y->end || x->prot != y->prot ||
		    x->pgoff != y->pgoff || !same_mapping(x, y))
			return pc_maps_wrong("the records have %s, /proc has %s", show(x), show(y));
	}
	return NULL;
}

void pc_maps_keep_executable(struct pc_maps *maps)
{
	int n = 0;

	for (int i = 0; i < maps->n; i++)
		if (executable(&maps->map[i]))
			maps->map[n++] = maps->map[i];
	maps->n = n;
}

const char *pc_maps_next(struct pc_ring *ring, union pc_map_record *rec, __u32 type, __u16 misc,
			 const void *addr, __u64 len, __u64 pgoff, const char *name)
{
	const struct mmap_record *m = &rec->mmap;
	const char *file;

	if (!pc_ring_next(ring, &rec->any))
		return "no record";
	file = rec->header.type == PERF_RECORD_MMAP2 ? rec->mmap2.filename : m->filename;
	if (rec->header.type == type && rec->header.misc == misc && m->pid == getpid() &&
	    m->tid == syscall(SYS_gettid) && m->addr == (unsigned long)addr && m->len == len &&
	    m->pgoff == pgoff && !strcmp(file, name))
		return NULL;
	return pc_maps_wrong("type %#x misc %#x pid %u tid %u %#llx + %#llx at %#llx %s",
			     rec->header.type, rec->header.misc, m->pid, m->tid, m->addr, m->len,
			     m->pgoff, file);
}

#define HUGE_PAGES "/proc/sys/vm/nr_hugepages"

/* The number of huge pages before pc_huge_pages_get(); LONG_MAX if there is nothing to restore. */
static long huge_pages_before = LONG_MAX;

long pc_huge_pages(void)
{
	FILE *f = fopen(HUGE_PAGES, "re");
	long n = 0;

	if (f && fscanf(f, "%ld", &n) != 1)
		n = 0;
	if (f)
		fclose(f);
	return n;
}

void pc_huge_pages_get(void)
{
	huge_pages_before = pc_huge_pages();
	if (huge_pages_before < 4)
		pc_write_text(HUGE_PAGES, "4");
}

void pc_huge_pages_put(void)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", huge_pages_before);
	if (huge_pages_before < 4)
		pc_write_text(HUGE_PAGES, text);
}
