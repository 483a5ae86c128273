// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the mappings of buffers: their flags, and what remains of a buffer when it is
 * unmapped. Each test opens a counter and maps its buffer into a new address space.
 */

#include <linux/anon_inodes.h>
#include <linux/completion.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mman.h>

#include "test.h"

/* Bytes of the mapping: the user page and one data page. */
#define MAPPED		(2 * PAGE_SIZE)

/* Jiffies after which an unused buffer should be freed, on a busy host as well. */
#define LATE		(30 * HZ)

static const struct perf_counter_buffer_config config = { .cpu = -1, .no_mlock_limit = true };

static int map_writer(struct file *file, struct vm_area_struct *vma)
{
	return perf_counter_buffer_mmap(file->private_data, &config, vma);
}

static const struct file_operations map_fops = { .mmap = map_writer };

static struct perf_counter_desc *open_dummy(struct kunit *test)
{
	static const struct perf_counter_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
	};
	struct perf_counter_desc *desc = perf_counter_kernel_open(&attr, current, -1, NULL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, desc);
	return desc;
}

/* Map the buffer of @desc, with @prot. Returns the address. */
static unsigned long map_buffer(struct kunit *test, struct perf_counter_desc *desc,
				unsigned long prot)
{
	struct file *file = anon_inode_getfile("[perf_counter_test]", &map_fops, &desc->writer,
					       O_RDWR);
	unsigned long addr;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	addr = kunit_vm_mmap(test, file, 0, MAPPED, prot, MAP_SHARED, 0);
	fput(file);
	KUNIT_ASSERT_NE(test, addr, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(addr));
	return addr;
}

/* A child does not get the mapping, its size is fixed, and a core dump does not have it. */
static void mapping_has_the_flags_of_its_kind(struct kunit *test)
{
	const vm_flags_t always = VM_SHARED | VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP;
	static const struct {
		unsigned long	prot;
		vm_flags_t	has, lacks;
	} cases[] = {
		{ PROT_READ | PROT_WRITE, VM_READ | VM_WRITE | VM_MAYWRITE, VM_EXEC },
		{ PROT_WRITE, VM_WRITE | VM_MAYWRITE, VM_READ | VM_EXEC },
		/* A read-only buffer overwrites its records, and must not become writable. */
		{ PROT_READ, VM_READ, VM_WRITE | VM_MAYWRITE | VM_EXEC },
	};
	struct perf_counter_desc *desc;
	struct vm_area_struct *vma;
	unsigned long addr;
	vm_flags_t flags;

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		desc = open_dummy(test);
		addr = map_buffer(test, desc, cases[i].prot);
		mmap_read_lock(current->mm);
		vma = vma_lookup(current->mm, addr);
		flags = vma ? vma->vm_flags : 0;
		mmap_read_unlock(current->mm);
		KUNIT_EXPECT_EQ_MSG(test, flags & (always | cases[i].has), always | cases[i].has,
				    "case %u", i);
		KUNIT_EXPECT_EQ_MSG(test, flags & cases[i].lacks, 0, "case %u", i);
		KUNIT_EXPECT_EQ(test, vm_munmap(addr, MAPPED), 0);
		perf_counter_kernel_close(desc);
	}
}

static DECLARE_COMPLETION(freed);
static work_func_t free_buffer;

static void free_and_tell(struct work_struct *work)
{
	free_buffer(work);
	complete(&freed);
}

/* Unmapping a buffer drops the references to it and to its counter; the last one frees it. */
static void unmapping_leaves_nothing(struct kunit *test)
{
	struct perf_counter_desc *desc = open_dummy(test);
	unsigned int refs = refcount_read(&desc->refs);
	struct perf_counter_buffer *buffer;
	unsigned long addr;

	addr = map_buffer(test, desc, PROT_READ | PROT_WRITE);
	buffer = perf_counter_buffer_get(&desc->writer);
	KUNIT_ASSERT_NOT_NULL(test, buffer);
	/* The references are those of the writer, the mapping, and the test. */
	KUNIT_EXPECT_EQ(test, refcount_read(&buffer->refs), 3);
	KUNIT_EXPECT_EQ(test, vm_munmap(addr, MAPPED), 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&buffer->refs), 1);
	KUNIT_EXPECT_EQ(test, refcount_read(&desc->refs), refs);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(desc->writer.buffer));

	reinit_completion(&freed);
	free_buffer = buffer->free.work.func;
	buffer->free.work.func = free_and_tell;
	perf_counter_buffer_put(buffer);
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&freed, LATE), 0);
	perf_counter_kernel_close(desc);
}

static struct kunit_case buffer_cases[] = {
	KUNIT_CASE(mapping_has_the_flags_of_its_kind),
	KUNIT_CASE(unmapping_leaves_nothing),
	{}
};

static struct kunit_suite buffer_suite = {
	.name		= "perf_counter_buffer",
	.test_cases	= buffer_cases,
};

kunit_test_suite(buffer_suite);
