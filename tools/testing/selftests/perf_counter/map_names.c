// SPDX-License-Identifier: GPL-2.0
/*
 * The names of mappings in MMAP2 and MUNMAP records, and build-ids.
 */
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>

#include "pc_maps.h"
#include "pc_test.h"
#include "pc_work.h"

FIXTURE(name) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	union pc_map_record rec;
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

/*
 * Expect that a record ends with a name and zeros up to a multiple of 8 bytes. Returns NULL, or a
 * description of the name that the record has.
 */
static const char *check_name(const union pc_map_record *rec, const char *name)
{
	size_t head = rec->header.type == PERF_RECORD_MMAP2 ? sizeof(rec->mmap2) :
		      sizeof(rec->mmap);
	const char *is = rec->any.bytes + head;
	size_t len = strlen(name);
	bool right = rec->header.size == head + (len + 8) / 8 * 8 && !memcmp(is, name, len);

	for (size_t i = head + len; right && i < rec->header.size; i++)
		right = !rec->any.bytes[i];
	return right ? NULL : pc_maps_wrong("%.100s, not %.100s, of %zu bytes; record of %u bytes",
					    is, name, len, rec->header.size);
}

/* The name of the mapping at an address in /proc/self/maps; NULL if there is none. */
static const char *name_in_maps(const void *at)
{
	static struct pc_maps maps;

	if (pc_maps_read(getpid(), &maps))
		return NULL;
	for (int i = 0; i < maps.n; i++)
		if (maps.map[i].start <= (unsigned long)at && maps.map[i].end > (unsigned long)at)
			return maps.map[i].name;
	return NULL;
}

/*
 * Have the kernel copy the longest possible path. The records of a mapping use the same memory for
 * the name: bytes after the name must not be those of the path.
 */
static void use_longest_path(void)
{
	char path[PATH_MAX];

	memset(path, 'p', sizeof(path) - 1);
	path[sizeof(path) - 1] = 0;
	access(path, F_OK);
}

/* Map and unmap @file. Expect @name in the MMAP2 and the MUNMAP record and in /proc/self/maps. */
static void expect_name(struct __test_metadata *_metadata, FIXTURE_DATA(name) * self,
			struct pc_ring *ring, int file, const char *name)
{
	char *map;

	use_longest_path();
	map = mmap(NULL, pc_page(), RX, MAP_PRIVATE, file, 0);
	ASSERT_NE(MAP_FAILED, map) TH_LOG("%.100s: %s", name, strerror(errno));
	ASSERT_TRUE(pc_ring_next(ring, &self->rec.any));
	ASSERT_EQ(PERF_RECORD_MMAP2, self->rec.header.type);
	EXPECT_EQ((unsigned long)map, self->rec.mmap2.addr);
	EXPECT_RIGHT(check_name(&self->rec, name));
	if (strcmp(name, "//toolong")) {
		const char *maps = name_in_maps(map);

		ASSERT_NE(NULL, maps);
		EXPECT_STREQ(maps, name);
	}
	ASSERT_OK(munmap(map, pc_page()));
	if (pc_on_perf_event())
		return;
	ASSERT_TRUE(pc_ring_next(ring, &self->rec.any));
	ASSERT_EQ(PERF_RECORD_MUNMAP, self->rec.header.type);
	EXPECT_EQ((unsigned long)map, self->rec.mmap.addr);
	EXPECT_RIGHT(check_name(&self->rec, name));
	EXPECT_FALSE(pc_ring_next(ring, &self->rec.any));
}

static int new_file(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700);

	return fd < 0 || ftruncate(fd, 4 * pc_page()) ? -1 : fd;
}

PC_TEST(name, names_of_files_may_have_any_bytes)
{
	static const char * const names[] = {
		"a", "with blanks in it ", "\nnew\nlines\n", "quo\"tes' and \\backslashes\\",
		"\033[31mred\033[0m", "\xff\xfe is no UTF-8 \x80", "\xe2\x82\xac", "tab\tbell\a",
		"so it seems (deleted)", "//anon", "[heap]",
	};
	char path[PATH_MAX], longest[NAME_MAX + 1];

	memset(longest, 'x', NAME_MAX);
	longest[NAME_MAX] = 0;
	ASSERT_OK(pc_maps_start(&self->attr, 0, &self->ring, &self->fd));
	for (int i = 0; i <= ARRAY_SIZE(names); i++) {
		const char *name = i < ARRAY_SIZE(names) ? names[i] : longest;
		int file;

		snprintf(path, sizeof(path), "%s/%s", self->dir, name);
		/* A file name has no slash, so names of mappings without a file are not tested. */
		if (strchr(name, '/'))
			continue;
		file = new_file(AT_FDCWD, path);
		ASSERT_FD(file);
		expect_name(_metadata, self, &self->ring, file, path);
		ASSERT_OK(unlink(path));
		strcat(path, " (deleted)");
		expect_name(_metadata, self, &self->ring, file, path);
		close(file);
	}
}

PC_TEST(name, a_path_that_is_too_long_is_toolong)
{
	char part[201] = {}, path[2 * PATH_MAX], *end;
	int dir = open(self->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int dirs[24];

	ASSERT_FD(dir);
	memset(part, 'd', sizeof(part) - 1);
	ASSERT_OK(pc_maps_start(&self->attr, 0, &self->ring, &self->fd));
	end = stpcpy(path, self->dir);
	/* The path of 20 directories is just shorter than PATH_MAX. */
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
		expect_name(_metadata, self, &self->ring, file,
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

PC_TEST(name, anonymous_memory_has_a_name)
{
	__u64 page = pc_page(), size = 4 * page;
	int memory = pc_exec_file("new\nline", 4);
	char *map;

	ASSERT_FD(memory);
	ASSERT_OK(pc_maps_start(&self->attr, 0, &self->ring, &self->fd));
	expect_name(_metadata, self, &self->ring, memory, "/memfd:new\nline (deleted)");
	close(memory);

	map = mmap(NULL, size, RX, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_TRUE(pc_ring_next(&self->ring, &self->rec.any));
	EXPECT_RIGHT(check_name(&self->rec, "/dev/zero (deleted)"));
	EXPECT_EQ(MAP_SHARED, self->rec.mmap2.flags & MAP_TYPE);
	ASSERT_OK(munmap(map, size));
	if (!pc_on_perf_event()) {
		ASSERT_TRUE(pc_ring_next(&self->ring, &self->rec.any));
		EXPECT_RIGHT(check_name(&self->rec, "/dev/zero (deleted)"));
	}

	map = mmap(NULL, size, RX, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_TRUE(pc_ring_next(&self->ring, &self->rec.any));
	EXPECT_RIGHT(check_name(&self->rec, "//anon"));
	EXPECT_EQ(MAP_PRIVATE, self->rec.mmap2.flags & MAP_TYPE);
	EXPECT_EQ(0, self->rec.mmap2.ino);
	EXPECT_EQ(0, self->rec.mmap2.maj);
	EXPECT_EQ(0, self->rec.mmap2.min);
	ASSERT_OK(munmap(map, size));
	if (!pc_on_perf_event()) {
		ASSERT_TRUE(pc_ring_next(&self->ring, &self->rec.any));
		EXPECT_RIGHT(check_name(&self->rec, "//anon"));
	}
}

/* The default size of a huge page in bytes; 0 on kernels without huge pages. */
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

/* Expect the record of huge pages with this name; unmap them and expect their MUNMAP. */
static void expect_huge_pages(struct __test_metadata *_metadata, FIXTURE_DATA(name) * self,
			      struct pc_ring *ring, char *map, __u64 size, const char *name)
{
	ASSERT_TRUE(pc_ring_next(ring, &self->rec.any));
	ASSERT_EQ(PERF_RECORD_MMAP2, self->rec.header.type);
	EXPECT_EQ((unsigned long)map, self->rec.mmap2.addr);
	EXPECT_EQ(size, self->rec.mmap2.len);
	EXPECT_EQ(MAP_HUGETLB, self->rec.mmap2.flags & MAP_HUGETLB);
	EXPECT_RIGHT(check_name(&self->rec, name));
	EXPECT_STREQ(name_in_maps(map), name);
	ASSERT_OK(munmap(map, size));
	if (pc_on_perf_event())
		return;
	ASSERT_TRUE(pc_ring_next(ring, &self->rec.any));
	EXPECT_EQ(PERF_RECORD_MUNMAP, self->rec.header.type);
	EXPECT_EQ((unsigned long)map, self->rec.mmap.addr);
	EXPECT_EQ(size, self->rec.mmap.len);
	EXPECT_RIGHT(check_name(&self->rec, name));
	EXPECT_FALSE(pc_ring_next(ring, &self->rec.any));
}

PC_TEST(name, huge_pages)
{
	__u64 size = 2 * huge_page();
	int memory;
	char *map;

	if (!size)
		SKIP(return, "a kernel without huge pages");
	pc_huge_pages_get();
	if (pc_huge_pages() < 2) {
		pc_huge_pages_put();
		SKIP(return, "no room for 2 huge pages");
	}
	ASSERT_OK(pc_maps_start(&self->attr, 0, &self->ring, &self->fd));
	map = mmap(NULL, size, RX, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	ASSERT_NE(MAP_FAILED, map);
	expect_huge_pages(_metadata, self, &self->ring, map, size, "/anon_hugepage (deleted)");

	memory = syscall(SYS_memfd_create, "huge", 0x14U /* MFD_EXEC | MFD_HUGETLB */);
	ASSERT_FD(memory);
	map = mmap(NULL, size, RX, MAP_PRIVATE, memory, 0);
	ASSERT_NE(MAP_FAILED, map);
	expect_huge_pages(_metadata, self, &self->ring, map, size, "/memfd:huge (deleted)");
	close(memory);
	pc_huge_pages_put();
}

PC_TEST(name, heap_and_stack_have_names)
{
	__u64 page = pc_page(), heap, stack = 0;
	static struct pc_maps maps;

	/*
	 * One page is in the middle of the heap, and the other is a page of the stack that is in
	 * use.
	 */
	heap = ((unsigned long)sbrk(8 * page) + 3 * page) & ~(page - 1);
	ASSERT_OK(pc_maps_read(getpid(), &maps));
	for (int i = 0; i < maps.n; i++)
		if (!strcmp(maps.map[i].name, "[stack]"))
			stack = maps.map[i].end - page;
	ASSERT_NE(0, stack);
	ASSERT_OK(pc_maps_start(&self->attr, 0, &self->ring, &self->fd));
	for (int i = 0; i < 2; i++) {
		const char *name = i ? "[heap]" : "[stack]";
		__u64 at = i ? heap : stack;

		/*
		 * The kernel may name the last page of the stack differently: look for a page
		 * called [stack].
		 */
		while (!i && strcmp(name_in_maps((void *)at), name))
			at -= page;
		ASSERT_OK(mprotect((void *)at, page, RWX));
		ASSERT_TRUE(pc_ring_next(&self->ring, &self->rec.any));
		EXPECT_EQ(at, self->rec.mmap2.addr);
		EXPECT_EQ(page, self->rec.mmap2.len);
		if (!strcmp(name, name_in_maps((void *)at)))
			EXPECT_RIGHT(check_name(&self->rec, name));
		ASSERT_OK(mprotect((void *)at, page, RW));
		if (pc_on_perf_event())
			continue;
		ASSERT_TRUE(pc_ring_next(&self->ring, &self->rec.any));
		EXPECT_EQ(PERF_RECORD_MUNMAP, self->rec.header.type);
		EXPECT_EQ(at, self->rec.mmap.addr);
		EXPECT_EQ(page, self->rec.mmap.len);
	}
}

/* Report the length of the vDSO, unmap it and go on. */
static void without_vdso(struct pc_task *t)
{
	static struct pc_maps maps;
	__u64 at = getauxval(AT_SYSINFO_EHDR), len = 0;

	pc_await(t);
	if (pc_maps_read(getpid(), &maps))
		_exit(1);
	for (int i = 0; i < maps.n; i++)
		if (maps.map[i].start == at && !strcmp(maps.map[i].name, "[vdso]"))
			len = maps.map[i].end - at;
	if (write(t->child_end, &len, sizeof(len)) != sizeof(len))
		_exit(2);
	syscall(SYS_munmap, at, len);
	pc_done(t);
	pc_await(t);
}

PC_TEST(name, the_vdso_has_a_name)
{
	__u64 at = getauxval(AT_SYSINFO_EHDR), len;
	struct pc_task t;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	if (!at)
		SKIP(return, "no vDSO here");
	ASSERT_OK(pc_spawn(&t, without_vdso, 0));
	ASSERT_OK(pc_maps_start(&self->attr, t.pid, &self->ring, &self->fd));
	ASSERT_OK(pc_order(&t, 'g'));
	ASSERT_EQ(sizeof(len), recv(t.parent_end, &len, sizeof(len), MSG_WAITALL));
	ASSERT_OK(pc_reply(&t));
	ASSERT_TRUE(pc_ring_next(&self->ring, &self->rec.any));
	EXPECT_EQ(PERF_RECORD_MUNMAP, self->rec.header.type);
	EXPECT_EQ(t.pid, self->rec.mmap.pid);
	EXPECT_EQ(at, self->rec.mmap.addr);
	EXPECT_EQ(len, self->rec.mmap.len);
	EXPECT_STREQ("[vdso]", self->rec.mmap.filename);
	EXPECT_OK(pc_reap(&t));
}

/* Map a file in another mount namespace and send its descriptor to the parent. */
static void map_in_other_namespace(struct pc_task *t)
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
	/* chroot() changes the path of the file. */
	if (chroot(dir) || mmap(NULL, pc_page(), RX, MAP_SHARED, file, 0) == MAP_FAILED)
		_exit(3);
	pc_done(t);
	pc_await(t);
}

PC_TEST(name, a_path_is_that_of_the_tasks_mount_namespace)
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
	ASSERT_OK(pc_spawn(&t, map_in_other_namespace, (long)self->dir));
	ASSERT_OK(pc_maps_start(&self->attr, t.pid, &self->ring, &self->fd));
	ASSERT_OK(pc_maps_start(&self->attr, 0, &ring, &fd));
	ASSERT_OK(pc_order(&t, 'g'));
	if (recvmsg(t.parent_end, &m, 0) != 1) {
		ASSERT_EQ(50, WEXITSTATUS(pc_reap(&t)));
		SKIP(return, "no mount namespaces here");
	}
	memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(file));
	ASSERT_TRUE(pc_ring_next(&self->ring, &self->rec.any));
	EXPECT_EQ(PERF_RECORD_MMAP2, self->rec.header.type);
	EXPECT_EQ(t.pid, self->rec.mmap2.pid);
	EXPECT_RIGHT(check_name(&self->rec, path));
	expect_name(_metadata, self, &ring, file, path);
	/* The path is valid in the other namespace only. */
	EXPECT_EQ(-1, access(path, F_OK));

	ASSERT_OK(pc_tell(&t, 'c'));
	ASSERT_TRUE(pc_ring_next(&self->ring, &self->rec.any));
	EXPECT_EQ(t.pid, self->rec.mmap2.pid);
	EXPECT_RIGHT(check_name(&self->rec, "/inside"));
	EXPECT_OK(pc_reap(&t));
	pc_ring_unmap(&ring);
	close(fd);
	close(file);
}

/* A build-id. In an MMAP2 record it takes the place of the device and inode numbers. */
struct build_id {
	int size;
	__u8 id[64];
};

/* Find the build-id of this program in memory. */
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
	/* A result of 1 ends the search with the first object, which is the program. */
	return 1;
}

/* Expect a build-id in an MMAP2. Returns NULL, or a description of the record. */
static const char *check_build_id(const union pc_map_record *rec, const struct build_id *b)
{
	const struct mmap2_record *m = &rec->mmap2;
	static const __u8 zeros[20];

	if (m->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID && m->build_id_size == b->size &&
	    !memcmp(m->reserved, zeros, 3) && !memcmp(m->build_id, b->id, b->size) &&
	    !memcmp(m->build_id + b->size, zeros, 20 - b->size))
		return NULL;
	return pc_maps_wrong("%s: misc %#x, size %u, %02x%02x%02x%02x", m->filename,
			     m->header.misc, m->build_id_size, m->build_id[0], m->build_id[1],
			     m->build_id[2], m->build_id[3]);
}

/* Expect an inode in an MMAP2. Returns NULL, or a description of the record. */
static const char *check_inode(const union pc_map_record *rec, const struct stat *st)
{
	const struct mmap2_record *m = &rec->mmap2;

	if (!(m->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) && m->maj == major(st->st_dev) &&
	    m->min == minor(st->st_dev) && m->ino == st->st_ino)
		return NULL;
	return pc_maps_wrong("%s: misc %#x, %x:%x %llu", m->filename, m->header.misc, m->maj,
			     m->min, m->ino);
}

PC_TEST(name, exec_records_the_build_id_of_the_program)
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
	ASSERT_OK(pc_maps_start(&self->attr, t.pid, &self->ring, &self->fd));
	ASSERT_OK(pc_tell(&t, 'x'));
	while (pc_ring_next(&self->ring, &self->rec.any)) {
		if (self->rec.header.type != PERF_RECORD_MMAP2)
			continue;
		if (!strcmp(self->rec.mmap2.filename, exe)) {
			seen++;
			EXPECT_RIGHT(check_build_id(&self->rec, &b));
		}
		if (self->rec.mmap2.filename[0] == '[' ||
		    !strcmp(self->rec.mmap2.filename, "//anon")) {
			EXPECT_TRUE(!(self->rec.header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) ||
				    !strcmp(self->rec.mmap2.filename, "[vdso]"))
				TH_LOG("%s", self->rec.mmap2.filename);
		}
	}
	EXPECT_LT(0, seen) TH_LOG("no mapping of %s", exe);
	EXPECT_OK(pc_reap(&t));
}

/* The smallest ELF file with a note. The test makes parts of it invalid. */
struct image {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	Elf64_Nhdr nhdr;
	char name[4];
	__u8 desc[64];
};

PC_TEST(name, an_invalid_build_id_is_left_out)
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
	ASSERT_OK(pc_maps_start(&self->attr, 0, &self->ring, &self->fd));
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
		const char *what = "not ELF", *wrong;
		struct build_id b = {};
		int file = pc_exec_file("image", 4);
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
		/* The record has the build-id for each part of the file. */
		for (int j = 0; j < 2; j++) {
			map = mmap(NULL, pc_page(), RX, MAP_PRIVATE, file, j * 2 * pc_page());
			ASSERT_NE(MAP_FAILED, map);
			ASSERT_TRUE(pc_ring_find(&self->ring, &self->rec.any, PERF_RECORD_MMAP2));
			EXPECT_EQ((unsigned long)map, self->rec.mmap2.addr);
			EXPECT_EQ(RX, self->rec.mmap2.prot);
			EXPECT_STREQ("/memfd:image (deleted)", self->rec.mmap2.filename);
			wrong = b.size ? check_build_id(&self->rec, &b) :
				check_inode(&self->rec, &st);
			EXPECT_EQ(NULL, wrong)
				TH_LOG("%s: %s", what, wrong);
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
	ASSERT_OK(pc_maps_start(&self->attr, 0, &self->ring, &self->fd));
	map = pc_map_at(NULL, pc_page(), RX, -1, 0);
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_OK(munmap(map, pc_page()));
	for (int i = 0; i < 2; i++) {
		ASSERT_TRUE(pc_ring_next(&self->ring, &self->rec.any));
		EXPECT_EQ(i ? PERF_RECORD_MUNMAP : PERF_RECORD_MMAP, self->rec.header.type);
		EXPECT_EQ(PERF_RECORD_MISC_USER, self->rec.header.misc);
		EXPECT_STREQ("//anon", self->rec.mmap.filename);
	}
}

int main(int argc, char **argv)
{
	pc_exec_entry(argc, argv);
	return pc_main(argc, argv);
}
