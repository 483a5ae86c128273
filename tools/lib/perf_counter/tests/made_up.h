/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls of a kernel that is made up: what the library calls when it is
 * linked with --wrap, and what the C library has in their place.
 */
#ifndef MADE_UP_H
#define MADE_UP_H

#include <sys/types.h>

long __wrap_syscall(long nr, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
void *__wrap_mmap(void *addr, size_t size, int prot, int flags, int fd, off_t offset);
ssize_t __wrap_read(int fd, void *to, size_t size);
void *__real_mmap(void *addr, size_t size, int prot, int flags, int fd, off_t offset);

#endif
