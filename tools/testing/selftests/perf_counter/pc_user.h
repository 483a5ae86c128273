/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A user without privileges, and the number of buffers that the user may lock in memory. The
 * number shows whether the kernel has uncharged everything that it charged to the user.
 */
#ifndef PC_USER_H
#define PC_USER_H

#include "pc_ring.h"

/* A user id that no other process has. */
#define PC_NOBODY 54321

/* Drop all privileges and limit locked memory to @memlock bytes. Exits on failure. */
void pc_become_nobody(rlim_t memlock);

/* Map up to @max buffers of 1 + 1 pages until EPERM. Returns their number, or -1. */
int pc_map_until_refused(int max);

/* Call @fn(@max) in a child without privileges. Returns its result, or -1. */
int pc_in_nobody(int (*fn)(int max), int max, rlim_t memlock);

#endif /* PC_USER_H */
