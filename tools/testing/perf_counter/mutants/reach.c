// SPDX-License-Identifier: GPL-2.0
/*
 * Records which code of libparts.so a program has reached: one byte of the file
 * $MUTATE_REACHED for each return address of a call by -fsanitize-coverage=trace-pc. All
 * processes of a test share the file, so a killed process leaves its marks, too.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned char *marks;
static uintptr_t base;
static size_t nr_marks;

void __sanitizer_cov_trace_pc(void)
{
	uintptr_t at = (uintptr_t)__builtin_return_address(0) - base;

	if (at < nr_marks)
		marks[at] = 1;
}

static int find_parts(struct dl_phdr_info *info, size_t size, void *found)
{
	(void)size;
	if (!strstr(info->dlpi_name, "/libparts.so"))
		return 0;
	base = info->dlpi_addr;
	*(int *)found = 1;
	return 1;
}

__attribute__((constructor)) static void reach_start(void)
{
	const char *name = getenv("MUTATE_REACHED");
	struct stat file;
	void *mapped;
	int found = 0, fd;

	dl_iterate_phdr(find_parts, &found);
	if (!name || !found)
		return;
	fd = open(name, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	if (!fstat(fd, &file)) {
		mapped = mmap(NULL, file.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (mapped != MAP_FAILED) {
			marks = mapped;
			nr_marks = file.st_size;
		}
	}
	close(fd);
}
