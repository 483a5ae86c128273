/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fake system calls: the library calls the __wrap functions when it is linked
 * with --wrap; __real_mmap() is the real call.
 */
#ifndef FAKE_SYSCALLS_H
#define FAKE_SYSCALLS_H

#include <sys/types.h>

long __wrap_syscall(long nr, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
void *__wrap_mmap(void *addr, size_t size, int prot, int flags, int fd, off_t offset);
ssize_t __wrap_read(int fd, void *to, size_t size);
void *__real_mmap(void *addr, size_t size, int prot, int flags, int fd, off_t offset);

#endif
