// SPDX-License-Identifier: GPL-2.0
/*
 * MMAP2 and MUNMAP records of mappings that change: their protection, their size, their place.
 */
#include <sys/personality.h>

#include "pc_arch.h"
#include "pc_maps.h"
#include "pc_test.h"
#include "pc_trace.h"
#include "pc_work.h"

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP	4
#endif

FIXTURE(moving) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	union pc_map_record rec;
	int file;
	int fd;
	__u64 page;
};

#define NAME "/memfd:pc_map (deleted)"

FIXTURE_SETUP(moving)
{
	self->fd = -1;
	self->file = -1;
	self->page = pc_page();
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr = pc_maps_attr();
	self->file = pc_exec_file("pc_map", 64);
	ASSERT_FD(self->file);
}

FIXTURE_TEARDOWN(moving)
{
	pc_ring_unmap(&self->ring);
	close(self->fd);
	close(self->file);
}

PC_TEST(moving, mprotect_is_recorded_as_mmap_or_munmap)
{
	__u64 page = self->page;
	char *at = pc_map_room(8);

	ASSERT_NE(NULL, at);
	ASSERT_EQ(at, pc_map_at(at, 8 * page, RX, self->file, 8 * page));
	ASSERT_OK(pc_maps_start(&self->attr, 0, &self->ring, &self->fd));
	ASSERT_OK(mprotect(at + 2 * page, 4 * page, PROT_READ));
	EXPECT_MUNMAP(at + 2 * page, 4 * page, 10 * page, NAME);
	ASSERT_OK(mprotect(at + 3 * page, page, RX));
	EXPECT_MMAP2(at + 3 * page, page, 11 * page, NAME);
	EXPECT_EQ(RX, self->rec.mmap2.prot);
	ASSERT_OK(mprotect(at, page, RWX));
	EXPECT_MMAP2(at, page, 8 * page, NAME);
	EXPECT_EQ(RWX, self->rec.mmap2.prot);
	EXPECT_NO_RECORD();

	/* A change of protection from data to data has no record. */
	ASSERT_OK(mprotect(at + 4 * page, page, PROT_NONE));
	EXPECT_NO_RECORD();
	/* One call changes several mappings of both kinds. */
	ASSERT_OK(mprotect(at, 8 * page, PROT_READ));
	EXPECT_MUNMAP(at, page, 8 * page, NAME);
	EXPECT_MUNMAP(at + page, page, 9 * page, NAME);
	EXPECT_MUNMAP(at + 3 * page, page, 11 * page, NAME);
	EXPECT_MUNMAP(at + 6 * page, 2 * page, 14 * page, NAME);
	EXPECT_NO_RECORD();
}

/* TLB_LOCAL_MM_SHOOTDOWN of the kernel's enum tlb_flush_reason. */
#define FLUSHES_OF_MPROTECT "reason==3"

/* Return how often one mprotect() of three executable mappings among others flushes the TLB. */
static int mprotect_flushes(char *at, int fd)
{
	__u64 page = pc_page(), before;

	if (mprotect(at, 6 * page, RX))
		return -1;
	for (int i = 0; i < 6; i++) {
		if (i % 2 && mprotect(at + i * page, page, PROT_READ))
			return -1;
		(void)*(volatile char *)(at + i * page);
	}
	before = pc_value(fd);
	if (pc_enable(fd) || mprotect(at, 6 * page, PROT_READ) || pc_disable(fd))
		return -1;
	return pc_value(fd) - before;
}

PC_TEST(moving, a_listener_adds_no_flush_to_mprotect)
{
	struct perf_counter_attr flushes = pc_trace_attr("tlb/tlb_flush");
	char *at = pc_map_room(6);
	int fd, alone;

	if (!flushes.config)
		SKIP(return, "the kernel has no tracepoint of TLB flushes");
	ASSERT_NE(NULL, at);
	ASSERT_EQ(at, pc_map_at(at, 6 * self->page, RX, self->file, 0));
	fd = pc_open(&flushes, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, FLUSHES_OF_MPROTECT));
	alone = mprotect_flushes(at, fd);
	EXPECT_EQ(1, alone);
	ASSERT_OK(pc_maps_start(&self->attr, 0, &self->ring, &self->fd));
	EXPECT_EQ(alone, mprotect_flushes(at, fd));
	close(fd);
}

PC_TEST(moving, mremap_records_what_it_maps_and_unmaps)
{
	__u64 page = self->page;
	char *at = pc_map_room(64), *to;
	int moved[2] = {};

	ASSERT_NE(NULL, at);
	ASSERT_EQ(at, pc_map_at(at, 8 * page, RX, self->file, 0));
	ASSERT_OK(pc_maps_start(&self->attr, 0, &self->ring, &self->fd));
	ASSERT_EQ(at, mremap(at, 8 * page, 5 * page, 0));
	EXPECT_MUNMAP(at + 5 * page, 3 * page, 5 * page, NAME);
	ASSERT_EQ(at, mremap(at, 5 * page, 9 * page, 0));
	EXPECT_MMAP2(at + 5 * page, 4 * page, 5 * page, NAME);
	EXPECT_NO_RECORD();

	/* Move to an address where another mapping is, and grow: the other mapping goes first. */
	to = at + 32 * page;
	ASSERT_EQ(to + 9 * page, pc_map_at(to + 9 * page, 4 * page, RX, self->file, 40 * page));
	EXPECT_MMAP2(to + 9 * page, 4 * page, 40 * page, NAME);
	ASSERT_EQ(to, mremap(at + 2 * page, 7 * page, 11 * page, MREMAP_MAYMOVE | MREMAP_FIXED,
			     to));
	EXPECT_MUNMAP(to + 9 * page, 2 * page, 40 * page, NAME);
	/* The MMAP2 and the MUNMAP may come in any order. */
	for (int i = 0; i < 2; i++) {
		ASSERT_TRUE(pc_ring_next(&self->ring, &self->rec.any));
		if (self->rec.header.type == PERF_RECORD_MMAP2) {
			EXPECT_EQ((unsigned long)to, self->rec.mmap2.addr);
			EXPECT_EQ(11 * page, self->rec.mmap2.len);
			moved[0]++;
		} else {
			EXPECT_EQ(PERF_RECORD_MUNMAP, self->rec.header.type);
			EXPECT_EQ((unsigned long)at + 2 * page, self->rec.mmap.addr);
			EXPECT_EQ(7 * page, self->rec.mmap.len);
			moved[1]++;
		}
		EXPECT_EQ(2 * page, self->rec.mmap.pgoff);
	}
	EXPECT_EQ(1, moved[0]);
	EXPECT_EQ(1, moved[1]);
	EXPECT_NO_RECORD();
}

PC_TEST(moving, mremap_that_keeps_the_old_range_records_the_new)
{
	__u64 page = self->page;
	char *at = pc_map_room(16), *map;

	ASSERT_NE(NULL, at);
	ASSERT_OK(pc_maps_start(&self->attr, 0, &self->ring, &self->fd));
	/* mremap() of no bytes of a shared mapping creates a second mapping. */
	ASSERT_EQ(at, mmap(at, 4 * page, RX, MAP_SHARED | MAP_FIXED, self->file, 8 * page));
	EXPECT_MMAP2(at, 4 * page, 8 * page, NAME);
	EXPECT_EQ(MAP_SHARED, self->rec.mmap2.flags & MAP_TYPE);
	map = mremap(at + page, 0, 2 * page, MREMAP_MAYMOVE | MREMAP_FIXED, at + 8 * page);
	ASSERT_EQ(at + 8 * page, map);
	EXPECT_MMAP2(map, 2 * page, 9 * page, NAME);
	EXPECT_NO_RECORD();
	ASSERT_OK(munmap(at, 16 * page));
	EXPECT_MUNMAP(at, 4 * page, 8 * page, NAME);
	EXPECT_MUNMAP(map, 2 * page, 9 * page, NAME);

	ASSERT_EQ(at, pc_map_at(at, 4 * page, RWX, -1, 0));
	EXPECT_MMAP2(at, 4 * page, (unsigned long)at, "//anon");
	pc_touch(at, 4);
	map = mremap(at, 4 * page, 4 * page, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP,
		     at + 8 * page);
	ASSERT_EQ(at + 8 * page, map);
	EXPECT_MMAP2(map, 4 * page, (unsigned long)at, "//anon");
	EXPECT_NO_RECORD();
}

PC_TEST(moving, read_implies_exec_makes_data_executable)
{
	__u64 page = self->page, old, len = 4 * page;
	char *at = pc_map_room(4);

	ASSERT_NE(NULL, at);
	/* The C library does not know of memory that brk() adds here, in whole pages. */
	old = (syscall(SYS_brk, 0) + page - 1) & ~(page - 1);
	ASSERT_EQ(old, syscall(SYS_brk, old));
	ASSERT_OK(pc_maps_start(&self->attr, 0, &self->ring, &self->fd));
	ASSERT_NE(-1, personality(READ_IMPLIES_EXEC));
	ASSERT_EQ(at, pc_map_at(at, page, PROT_READ, -1, 0));
	EXPECT_MMAP2(at, page, (unsigned long)at, "//anon");
	EXPECT_EQ(RX, self->rec.mmap2.prot);
	/*
	 * The first range is adjacent to a heap that is not executable, the second to an executable
	 * one.
	 */
	for (int i = 1; i <= 2; i++) {
		ASSERT_EQ(old + i * len, syscall(SYS_brk, old + i * len));
		if (!PC_IMPLIES_EXEC_OF_HEAP)
			continue;
		EXPECT_MMAP2((void *)(old + (i - 1) * len), len, old + (i - 1) * len, "[heap]");
		EXPECT_EQ(RWX, self->rec.mmap2.prot);
	}
	ASSERT_EQ(old + len + page, syscall(SYS_brk, old + len + page));
	if (PC_IMPLIES_EXEC_OF_HEAP)
		EXPECT_MUNMAP((void *)(old + len + page), 3 * page, old + len + page, "[heap]");
	ASSERT_EQ(old, syscall(SYS_brk, old));
	if (PC_IMPLIES_EXEC_OF_HEAP)
		EXPECT_MUNMAP((void *)old, len + page, old, "[heap]");
	ASSERT_NE(-1, personality(0));
	EXPECT_NO_RECORD();
}

PC_TEST(moving, a_stack_that_grows_records_each_page)
{
	__u64 page = self->page;
	char *at = pc_map_room(1024);

	ASSERT_NE(NULL, at);
	/* A stack that grows stays 256 pages away from the mapping below it, by default. */
	at += 1000 * page;
	ASSERT_OK(pc_maps_start(&self->attr, 0, &self->ring, &self->fd));
	ASSERT_EQ(at, mmap(at, 4 * page, RWX, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED |
			   MAP_GROWSDOWN, -1, 0));
	EXPECT_MMAP2(at, 4 * page, (unsigned long)at, "//anon");
	for (int i = 1; i <= 20; i++) {
		pc_touch(at - i * page, 1);
		EXPECT_MMAP2(at - i * page, page, (unsigned long)at - i * page, "//anon");
		EXPECT_EQ(RWX, self->rec.mmap2.prot);
	}
	ASSERT_OK(munmap(at - 20 * page, 24 * page));
	EXPECT_MUNMAP(at - 20 * page, 24 * page, (unsigned long)at - 20 * page, "//anon");
	EXPECT_NO_RECORD();
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}
