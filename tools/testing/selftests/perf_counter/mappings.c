// SPDX-License-Identifier: GPL-2.0
/*
 * MMAP2 and MUNMAP records of mmap(), munmap() and System V shared memory, and the kinds of
 * records that a counter may ask for.
 */
#include <sys/shm.h>

#include "pc_maps.h"
#include "pc_ring.h"
#include "pc_test.h"
#include "pc_work.h"

#ifndef SHM_EXEC
#define SHM_EXEC		0100000
#endif

FIXTURE(map) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	union pc_map_record rec;
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
	self->attr = pc_maps_attr();
	self->file = pc_exec_file("pc_map", 64);
	ASSERT_FD(self->file);
}

FIXTURE_TEARDOWN(map)
{
	pc_ring_unmap(&self->ring);
	close(self->fd);
	close(self->file);
}

PC_TEST(map, munmap_records_the_range_and_its_file)
{
	__u64 page = self->page;
	char *at = pc_map_room(16);

	ASSERT_NE(NULL, at);
	ASSERT_OK(pc_maps_start(&self->attr, 0, &self->ring, &self->fd));
	ASSERT_EQ(at, pc_map_at(at, 8 * page, RX, self->file, 4 * page));
	EXPECT_MMAP2(at, 8 * page, 4 * page, NAME);
	EXPECT_EQ(RX, self->rec.mmap2.prot);
	EXPECT_EQ(MAP_PRIVATE, self->rec.mmap2.flags & MAP_TYPE);

	/* Unmap the middle, then the end, then the beginning, then once more the new beginning. */
	ASSERT_OK(munmap(at + 3 * page, 2 * page));
	EXPECT_MUNMAP(at + 3 * page, 2 * page, 7 * page, NAME);
	EXPECT_EQ(sizeof(self->rec.mmap) + (sizeof(NAME) + 7) / 8 * 8, self->rec.header.size);
	ASSERT_OK(munmap(at + 7 * page, page));
	EXPECT_MUNMAP(at + 7 * page, page, 11 * page, NAME);
	ASSERT_OK(munmap(at, page));
	EXPECT_MUNMAP(at, page, 4 * page, NAME);
	ASSERT_OK(munmap(at, page));
	EXPECT_NO_RECORD();

	/*
	 * Unmap several mappings with a gap and a data mapping, which has no record, between them.
	 */
	ASSERT_EQ(at, pc_map_at(at, page, RX, -1, 0));
	EXPECT_MMAP2(at, page, (unsigned long)at, "//anon");
	ASSERT_EQ(at + 8 * page, pc_map_at(at + 8 * page, page, PROT_READ, self->file, 0));
	EXPECT_NO_RECORD();
	ASSERT_OK(munmap(at, 16 * page));
	EXPECT_MUNMAP(at, page, (unsigned long)at, "//anon");
	EXPECT_MUNMAP(at + page, 2 * page, 5 * page, NAME);
	EXPECT_MUNMAP(at + 5 * page, 2 * page, 9 * page, NAME);
	EXPECT_NO_RECORD();
}

PC_TEST(map, mapping_over_code_records_its_munmap_first)
{
	__u64 page = self->page;
	char *at = pc_map_room(16);

	ASSERT_NE(NULL, at);
	ASSERT_EQ(at, pc_map_at(at, 8 * page, RX, self->file, 0));
	ASSERT_OK(pc_maps_start(&self->attr, 0, &self->ring, &self->fd));
	ASSERT_EQ(at + 6 * page, pc_map_at(at + 6 * page, 4 * page, RX, self->file, 20 * page));
	EXPECT_MUNMAP(at + 6 * page, 2 * page, 6 * page, NAME);
	EXPECT_MMAP2(at + 6 * page, 4 * page, 20 * page, NAME);
	/* Map data over code. */
	ASSERT_EQ(at, pc_map_at(at, 2 * page, RW, -1, 0));
	EXPECT_MUNMAP(at, 2 * page, 0, NAME);
	EXPECT_NO_RECORD();
}

PC_TEST(map, a_merged_mapping_is_recorded_without_its_neighbour)
{
	__u64 page = self->page;
	char *at = pc_map_room(16);

	ASSERT_NE(NULL, at);
	ASSERT_OK(pc_maps_start(&self->attr, 0, &self->ring, &self->fd));
	/* The kernel may merge each of these mappings with the previous or the next one. */
	ASSERT_EQ(at + 4 * page, pc_map_at(at + 4 * page, 2 * page, RX, self->file, 4 * page));
	EXPECT_MMAP2(at + 4 * page, 2 * page, 4 * page, NAME);
	ASSERT_EQ(at + 6 * page, pc_map_at(at + 6 * page, 2 * page, RX, self->file, 6 * page));
	EXPECT_MMAP2(at + 6 * page, 2 * page, 6 * page, NAME);
	ASSERT_EQ(at + 3 * page, pc_map_at(at + 3 * page, page, RX, self->file, 3 * page));
	EXPECT_MMAP2(at + 3 * page, page, 3 * page, NAME);
	for (int i = 0; i < 3; i++) {
		char *anon = at + (9 + i) * page;

		ASSERT_EQ(anon, pc_map_at(anon, page, RWX, -1, 0));
		EXPECT_MMAP2(anon, page, (unsigned long)anon, "//anon");
	}
	/* A part changes and gets the protection of its neighbours again. */
	ASSERT_OK(mprotect(at + 5 * page, page, PROT_READ));
	EXPECT_MUNMAP(at + 5 * page, page, 5 * page, NAME);
	ASSERT_OK(mprotect(at + 5 * page, page, RX));
	EXPECT_MMAP2(at + 5 * page, page, 5 * page, NAME);
	EXPECT_NO_RECORD();
}

PC_TEST(map, system_v_shared_memory_is_recorded)
{
	__u64 page = self->page;
	char *at = pc_map_room(8), *map, name[64];
	key_t key = 0x70630000 | (getpid() & 0xffff);
	int id = shmget(key, 4 * page, IPC_CREAT | IPC_EXCL | 0700);

	ASSERT_NE(NULL, at);
	if (id < 0 && errno == ENOSYS)
		SKIP(return, "no shared memory of System V here");
	ASSERT_FD(id);
	snprintf(name, sizeof(name), "/SYSV%08x (deleted)", key);
	ASSERT_OK(pc_maps_start(&self->attr, 0, &self->ring, &self->fd));
	map = shmat(id, at, SHM_EXEC);
	shmctl(id, IPC_RMID, NULL);
	ASSERT_EQ(at, map);
	EXPECT_MMAP2(at, 4 * page, 0, name);
	EXPECT_EQ(RWX, self->rec.mmap2.prot);
	EXPECT_EQ(MAP_SHARED, self->rec.mmap2.flags & MAP_TYPE);
	ASSERT_OK(munmap(at + page, page));
	EXPECT_MUNMAP(at + page, page, page, name);
	ASSERT_OK(shmdt(at));
	EXPECT_MUNMAP(at, page, 0, name);
	EXPECT_MUNMAP(at + 2 * page, 2 * page, 2 * page, name);
	EXPECT_NO_RECORD();
}

PC_TEST(map, munmap_has_a_sample_id_and_needs_an_enabled_counter)
{
	__u64 page = self->page, last = 0;
	char *at = pc_map_room(4);
	int cpu;

	ASSERT_NE(NULL, at);
	ASSERT_EQ(1, pc_cpus(&cpu, 1));
	ASSERT_OK(pc_pin(cpu));
	self->attr.sample_id_all = 1;
	self->attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	ASSERT_OK(pc_maps_start(&self->attr, 0, &self->ring, &self->fd));
	for (int on = 0; on < 2; on++) {
		ASSERT_OK(on ? pc_enable(self->fd) : pc_disable(self->fd));
		ASSERT_EQ(at, pc_map_at(at, 4 * page, RX, self->file, 0));
		ASSERT_OK(mprotect(at + page, page, PROT_READ));
		ASSERT_OK(munmap(at, 4 * page));
		if (!on)
			EXPECT_NO_RECORD();
	}
	for (int i = 0; i < 4; i++) {
		struct pc_sample s;

		ASSERT_TRUE(pc_ring_next(&self->ring, &self->rec.any));
		ASSERT_EQ(i ? PERF_RECORD_MUNMAP : PERF_RECORD_MMAP2, self->rec.header.type);
		ASSERT_EQ(48, pc_parse_id(&self->attr, &self->rec.any, &s));
		if (i) {
			EXPECT_EQ(sizeof(self->rec.mmap) + (sizeof(NAME) + 7) / 8 * 8 + 48,
				  self->rec.header.size);
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
	EXPECT_NO_RECORD();
}

PC_TEST(map, a_counter_gets_the_records_that_it_asks_for)
{
	static const struct {
		bool mmap, mmap2, data, munmap;
	} asked[] = {
		{ 0, 0, 0, 1 }, { 1, 0, 0, 0 }, { 1, 0, 0, 1 }, { 1, 1, 0, 1 }, { 0, 1, 0, 1 },
		{ 1, 0, 1, 0 }, { 1, 0, 1, 1 }, { 1, 1, 1, 1 },
	};
	const __u16 user = PERF_RECORD_MISC_USER, data = user | PERF_RECORD_MISC_MMAP_DATA;
	__u64 page = self->page;
	char *at = pc_map_room(4);

	ASSERT_NE(NULL, at);
	for (int i = 0; i < ARRAY_SIZE(asked); i++) {
		struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);
		__u32 type = asked[i].mmap2 ? PERF_RECORD_MMAP2 : PERF_RECORD_MMAP;
		bool maps = asked[i].mmap || asked[i].mmap2;

		attr.mmap = asked[i].mmap;
		attr.mmap2 = asked[i].mmap2;
		attr.mmap_data = asked[i].data;
		attr.munmap = asked[i].munmap;
		ASSERT_OK(pc_maps_start(&attr, 0, &self->ring, &self->fd));
		ASSERT_EQ(at, pc_map_at(at, 2 * page, RX, self->file, 0));
		ASSERT_EQ(at + 2 * page, pc_map_at(at + 2 * page, 2 * page, RW, self->file, 0));
		ASSERT_OK(mprotect(at, page, PROT_READ));
		ASSERT_OK(mprotect(at, page, RX));
		ASSERT_OK(munmap(at, 4 * page));
		if (maps)
			EXPECT_RECORD(type, user, at, 2 * page, 0, NAME);
		if (maps && asked[i].data)
			EXPECT_RECORD(type, data, at + 2 * page, 2 * page, 0, NAME);
		if (asked[i].munmap)
			EXPECT_RECORD(PERF_RECORD_MUNMAP, user, at, page, 0, NAME);
		if (maps && asked[i].data)
			EXPECT_RECORD(type, data, at, page, 0, NAME);
		if (asked[i].munmap && asked[i].data)
			EXPECT_RECORD(PERF_RECORD_MUNMAP, data, at, page, 0, NAME);
		if (maps)
			EXPECT_RECORD(type, user, at, page, 0, NAME);
		if (asked[i].munmap) {
			/* The kernel may have merged the two parts or not. */
			ASSERT_TRUE(pc_ring_next(&self->ring, &self->rec.any));
			EXPECT_EQ(PERF_RECORD_MUNMAP, self->rec.header.type);
			EXPECT_EQ(user, self->rec.header.misc);
			EXPECT_EQ((unsigned long)at, self->rec.mmap.addr);
			if (self->rec.mmap.len == page)
				EXPECT_TRUE(pc_ring_next(&self->ring, &self->rec.any));
			EXPECT_EQ((unsigned long)at + 2 * page,
				  self->rec.mmap.addr + self->rec.mmap.len)
				TH_LOG("attr %d", i);
		}
		if (asked[i].munmap && asked[i].data)
			EXPECT_RECORD(PERF_RECORD_MUNMAP, data, at + 2 * page, 2 * page, 0, NAME);
		EXPECT_NO_RECORD();
		pc_ring_unmap(&self->ring);
		close(self->fd);
	}
	self->fd = -1;
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}
