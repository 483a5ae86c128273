// SPDX-License-Identifier: GPL-2.0
/*
 * load-module - load a module of the kernel, run its code, and unload it
 *
 * Usage: load-module CPUID.KO READS KALLSYMS
 *
 * Loads the kernel's cpuid module, makes its cpuid_read() write to READS untouched pages, with one
 * page fault each, copies /proc/kallsyms to the file KALLSYMS, and unloads the module.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Number of bytes that the device returns: four registers. */
#define LEAF_SIZE 16

static void die(const char *what)
{
	fprintf(stderr, "load-module: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int open_or_die(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0644);

	if (fd < 0)
		die(path);
	return fd;
}

static void read_into_pages(int nr)
{
	size_t i, page_size = sysconf(_SC_PAGESIZE), size = nr * page_size;
	int fd = open_or_die("/dev/cpu/0/cpuid", O_RDONLY);
	char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || madvise(pages, size, MADV_NOHUGEPAGE))
		die("mmap");
	for (i = 0; i < size; i += page_size) {
		if (pread(fd, pages + i, LEAF_SIZE, 0) != LEAF_SIZE)
			die("/dev/cpu/0/cpuid");
	}
	close(fd);
}

static void keep_kallsyms(const char *path)
{
	int from = open_or_die("/proc/kallsyms", O_RDONLY);
	int to = open_or_die(path, O_WRONLY | O_CREAT | O_TRUNC);
	static char text[1 << 16];
	ssize_t bytes;

	while ((bytes = read(from, text, sizeof(text))) > 0) {
		if (write(to, text, bytes) != bytes)
			die(path);
	}
	if (bytes)
		die("/proc/kallsyms");
	close(from);
	close(to);
}

int main(int argc, char **argv)
{
	int module;

	if (argc != 4) {
		fputs("usage: load-module CPUID.KO READS KALLSYMS\n", stderr);
		return 2;
	}
	module = open_or_die(argv[1], O_RDONLY);
	if (syscall(SYS_finit_module, module, "", 0))
		die(argv[1]);
	read_into_pages(atoi(argv[2]));
	keep_kallsyms(argv[3]);
	if (syscall(SYS_delete_module, "cpuid", O_NONBLOCK))
		die("delete_module");
	return 0;
}
