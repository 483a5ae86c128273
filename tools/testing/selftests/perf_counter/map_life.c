// SPDX-License-Identifier: GPL-2.0
/*
 * MMAP2 and MUNMAP records of an address space from fork() or exec to its end.
 */
#include <elf.h>

#include "pc_maps.h"
#include "pc_test.h"
#include "pc_work.h"

FIXTURE(life) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	union pc_map_record rec;
	int fd;
};

FIXTURE_SETUP(life)
{
	self->fd = -1;
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr = pc_maps_attr();
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

/* Map executable memory and answer; then execute another program, or fail to. */
static void map_and_exec(struct pc_task *t)
{
	char name[] = "x", *args[] = { name, NULL };
	int file = pc_exec_file("more", 8);

	if (file < 0 || pc_map_at(NULL, 8 * pc_page(), RX, file, 0) == MAP_FAILED ||
	    pc_map_at(NULL, pc_page(), RWX, -1, 0) == MAP_FAILED)
		_exit(1);
	pc_done(t);
	switch (pc_await(t)) {
	case 'x':
		pc_exec(t);
		break;
	case 'f':
		/*
		 * Both calls fail: the first file does not exist, and the second one is no program.
		 */
		execl("/proc/self/no such file", "x", NULL);
		syscall(SYS_execveat, file, "", args, environ, AT_EMPTY_PATH);
		pc_done(t);
		pc_await(t);
	}
}

PC_TEST(life, exec_records_munmaps_before_the_new_name)
{
	static struct pc_maps model, maps;
	int old = 0, new = 0, execs = 0;
	struct pc_task t;

	ASSERT_OK(pc_spawn(&t, map_and_exec, 0));
	ASSERT_OK(pc_reply(&t));
	ASSERT_OK(pc_maps_read(t.pid, &model));
	pc_maps_keep_executable(&model);
	ASSERT_LE(4, model.n) TH_LOG("the program, the C library and the test's two mappings");
	ASSERT_OK(pc_maps_start(&self->attr, t.pid, &self->ring, &self->fd));
	ASSERT_OK(pc_tell(&t, 'x'));
	ASSERT_OK(pc_maps_read(t.pid, &maps));
	while (pc_ring_next(&self->ring, &self->rec.any)) {
		const char *wrong = NULL;

		switch (self->rec.header.type) {
		case PERF_RECORD_COMM:
			EXPECT_NE(0, self->rec.header.misc & PERF_RECORD_MISC_COMM_EXEC);
			EXPECT_EQ(0, model.n) TH_LOG("%s is still there", model.map[0].name);
			execs++;
			break;
		case PERF_RECORD_MUNMAP:
			old += !execs;
			wrong = pc_maps_apply(&model, &self->rec.mmap);
			break;
		case PERF_RECORD_MMAP2:
			EXPECT_EQ(1, execs);
			new++;
			wrong = pc_maps_apply(&model, &self->rec.mmap);
			break;
		default:
			EXPECT_EQ(0, self->rec.header.type);
		}
		ASSERT_RIGHT(wrong);
		EXPECT_EQ(t.pid, self->rec.mmap.pid);
		EXPECT_EQ(t.pid, self->rec.mmap.tid);
	}
	EXPECT_EQ(1, execs);
	EXPECT_LE(4, old);
	EXPECT_LE(3, new) TH_LOG("the program, the loader and the C library");
	EXPECT_RIGHT(pc_maps_compare(&model, &maps, false, 0, ~0ULL));
	EXPECT_OK(pc_reap(&t));
}

/* Copy this program to @path and mark its stack executable in the copy. Returns 0 or -1. */
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

PC_TEST(life, exec_records_an_executable_stack)
{
	static struct pc_maps model, maps;
	char path[64], old[4] = {};
	int fd;

	snprintf(path, sizeof(path), "/tmp/pc_stack.%d", getpid());
	ASSERT_OK(with_executable_stack(path));
	fd = open(RANDOMIZE, O_RDONLY | O_CLOEXEC);
	ASSERT_FD(fd);
	ASSERT_LT(0, read(fd, old, sizeof(old) - 1));
	close(fd);
	/*
	 * In the first round the stack does not move; in the others exec moves it to a random
	 * address.
	 */
	for (int moved = 0; moved < 6; moved++) {
		const char *wrong = NULL;
		bool stack = false;
		struct pc_task t;

		pc_write_text(RANDOMIZE, moved ? "2" : "0");
		ASSERT_OK(pc_spawn(&t, exec_at_path, (long)path));
		ASSERT_OK(pc_maps_read(t.pid, &model));
		pc_maps_keep_executable(&model);
		ASSERT_OK(pc_maps_start(&self->attr, t.pid, &self->ring, &self->fd));
		ASSERT_OK(pc_tell(&t, 'x'));
		for (int i = 0; i < 10 && !wrong; i++) {
			ASSERT_OK(pc_tell(&t, PC_WORK));
			ASSERT_OK(pc_maps_read(t.pid, &maps));
			while (!wrong && pc_ring_next(&self->ring, &self->rec.any))
				if (self->rec.header.type == PERF_RECORD_MMAP2 ||
				    self->rec.header.type == PERF_RECORD_MUNMAP)
					wrong = pc_maps_apply(&model, &self->rec.mmap);
			if (!wrong)
				wrong = pc_maps_compare(&model, &maps, false, 0, ~0ULL);
		}
		pc_write_text(RANDOMIZE, old);
		EXPECT_EQ(NULL, wrong)
			TH_LOG("%s: %s", moved ? "moved" : "not moved", wrong);
		for (int i = 0; i < model.n; i++)
			stack |= !strcmp(model.map[i].name, "[stack]");
		EXPECT_TRUE(stack);
		EXPECT_OK(pc_reap(&t));
		while (pc_ring_next(&self->ring, &self->rec.any)) {
			if (self->rec.header.type == PERF_RECORD_MUNMAP && !wrong)
				wrong = pc_maps_apply(&model, &self->rec.mmap);
			if (self->rec.header.type != PERF_RECORD_EXIT || wrong)
				continue;
			EXPECT_EQ(0, model.n)
				TH_LOG("%s is still there", model.map[0].name);
		}
		EXPECT_EQ(NULL, wrong)
			TH_LOG("%s: %s", moved ? "moved" : "not moved", wrong);
		pc_ring_unmap(&self->ring);
		close(self->fd);
	}
	self->fd = -1;
	unlink(path);
}

PC_TEST(life, a_failed_exec_records_nothing)
{
	struct pc_task t;

	ASSERT_OK(pc_spawn(&t, map_and_exec, 0));
	ASSERT_OK(pc_reply(&t));
	ASSERT_OK(pc_maps_start(&self->attr, t.pid, &self->ring, &self->fd));
	ASSERT_OK(pc_tell(&t, 'f'));
	EXPECT_NO_RECORD();
	EXPECT_OK(pc_reap(&t));
}

/* The second thread of first_goes_first(): it waits for the end of the first thread. */
static void wait_for_first_thread(struct pc_task *t)
{
	pthread_join(((struct pc_task *)t->arg)->thread, NULL);
	pc_done(t);
	pc_await(t);
}

static void exit_before_second_thread(struct pc_task *t)
{
	struct pc_task *second = malloc(sizeof(*second));

	*second = *t;
	second->fn = wait_for_first_thread;
	second->arg = (long)t;
	t->thread = pthread_self();
	pc_await(t);
	if (pthread_create(&second->thread, NULL, pc_thread_main, second))
		_exit(1);
	pthread_exit(NULL);
}

static void *exit_thread(void *arg)
{
	pthread_exit(arg);
}

PC_TEST(life, munmaps_come_before_the_exit_of_the_last_thread)
{
	static struct pc_maps model;
	int forks = 0, exits = 0;
	struct pc_task t;
	pthread_t thread;

	/* The C library loads a library when the first thread ends; the library stays mapped. */
	ASSERT_EQ(0, pthread_create(&thread, NULL, exit_thread, NULL));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	ASSERT_OK(pc_maps_start(&self->attr, 0, &self->ring, &self->fd));
	ASSERT_OK(pc_spawn(&t, exit_before_second_thread, 0));
	ASSERT_OK(pc_maps_read(t.pid, &model));
	pc_maps_keep_executable(&model);
	ASSERT_LE(2, model.n);
	/* The second thread answers when it starts and when the first thread has ended. */
	ASSERT_OK(pc_tell(&t, 'g'));
	ASSERT_OK(pc_reply(&t));
	/* The EXIT record of the first thread may come after pthread_join() has returned. */
	while (exits < 1) {
		if (!pc_ring_next(&self->ring, &self->rec.any)) {
			sched_yield();
			continue;
		}
		ASSERT_NE(PERF_RECORD_MUNMAP, self->rec.header.type)
			TH_LOG("%s while a thread is left", self->rec.mmap.filename);
		ASSERT_NE(PERF_RECORD_MMAP2, self->rec.header.type)
			TH_LOG("%s as a thread ends", self->rec.mmap.filename);
		forks += self->rec.header.type == PERF_RECORD_FORK && self->rec.task.pid == t.pid;
		exits += self->rec.header.type == PERF_RECORD_EXIT && self->rec.task.tid == t.pid;
	}
	EXPECT_EQ(2, forks);
	EXPECT_OK(pc_reap(&t));
	while (pc_ring_next(&self->ring, &self->rec.any)) {
		if (self->rec.header.type == PERF_RECORD_MUNMAP) {
			const char *wrong = pc_maps_apply(&model, &self->rec.mmap);

			EXPECT_RIGHT(wrong);
			EXPECT_EQ(t.pid, self->rec.mmap.pid);
			EXPECT_NE(t.pid, self->rec.mmap.tid);
			EXPECT_EQ(1, exits)
				TH_LOG("the MUNMAP came after the EXIT of the last thread");
		}
		if (self->rec.header.type == PERF_RECORD_EXIT && self->rec.task.pid == t.pid) {
			EXPECT_EQ(0, model.n) TH_LOG("%s is still there", model.map[0].name);
			exits++;
		}
	}
	EXPECT_EQ(2, exits);
	EXPECT_EQ(0, model.n);
}

/* Start three threads and wait for a signal. */
static void wait_with_threads(struct pc_task *t)
{
	static struct pc_task threads[3];

	for (int i = 0; i < 3; i++)
		if (pc_thread(&threads[i], pc_worker, 0))
			_exit(1);
	pc_done(t);
	pc_await(t);
}

/* Processes of the tree. */
#define TREE	6

PC_TEST(life, every_process_unmaps_everything_before_its_exit)
{
	static void (*const fns[])(struct pc_task *t) = {
		pc_worker, pc_exec_worker, wait_with_threads,
	};
	static struct pc_maps model[TREE], maps;
	struct pc_task t[TREE];
	int exits[TREE] = {};

	ASSERT_OK(pc_maps_read(getpid(), &maps));
	pc_maps_keep_executable(&maps);
	ASSERT_OK(pc_maps_start(&self->attr, 0, &self->ring, &self->fd));
	for (int i = 0; i < TREE; i++) {
		/* A child begins with the mappings of its parent. */
		model[i] = maps;
		ASSERT_OK(pc_spawn(&t[i], fns[i % 3], 0));
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
	while (pc_ring_next(&self->ring, &self->rec.any)) {
		for (int i = 0; i < TREE; i++) {
			const char *wrong = NULL;

			if (self->rec.mmap.pid != t[i].pid)
				continue;
			if (self->rec.header.type == PERF_RECORD_MMAP2 ||
			    self->rec.header.type == PERF_RECORD_MUNMAP)
				wrong = pc_maps_apply(&model[i], &self->rec.mmap);
			ASSERT_EQ(NULL, wrong)
				TH_LOG("process %d: %s", i, wrong);
			if (self->rec.header.type == PERF_RECORD_EXIT)
				exits[i]++;
			/* This is the EXIT of the last thread of the process. */
			if (self->rec.header.type == PERF_RECORD_EXIT &&
			    exits[i] == (i % 3 == 2 ? 4 : 1)) {
				EXPECT_EQ(0, model[i].n)
					TH_LOG("process %d: %s", i, model[i].map[0].name);
			}
		}
		ASSERT_NE(PERF_RECORD_LOST, self->rec.header.type);
	}
	for (int i = 0; i < TREE; i++) {
		EXPECT_EQ(i % 3 == 2 ? 4 : 1, exits[i])
			TH_LOG("process %d", i);
	}
}

/* A child of vfork() shares the memory of its parent. */
PC_TEST(life, a_child_of_vfork_unmaps_nothing)
{
	static struct pc_maps model, maps;
	int status;
	pid_t pid;

	ASSERT_OK(pc_maps_read(getpid(), &model));
	pc_maps_keep_executable(&model);
	ASSERT_OK(pc_maps_start(&self->attr, 0, &self->ring, &self->fd));
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
	ASSERT_OK(pc_maps_read(getpid(), &maps));
	while (pc_ring_next(&self->ring, &self->rec.any)) {
		const char *wrong;

		if ((self->rec.header.type != PERF_RECORD_MMAP2 &&
		     self->rec.header.type != PERF_RECORD_MUNMAP) || self->rec.mmap.pid != getpid())
			continue;
		wrong = pc_maps_apply(&model, &self->rec.mmap);
		EXPECT_RIGHT(wrong);
	}
	EXPECT_RIGHT(pc_maps_compare(&model, &maps, false, 0, ~0ULL));
}

int main(int argc, char **argv)
{
	pc_exec_entry(argc, argv);
	return pc_main(argc, argv);
}
