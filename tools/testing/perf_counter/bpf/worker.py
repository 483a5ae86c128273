#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Do what programs of bpftrace look at.

It is started by bpftrace, as a child that waits until all programs are attached. It prints how
many files of perf_counter bpftrace has, takes at least 100 page faults, renames itself 7 times,
calls getpriority() 11 times, and uses the CPU until it has been seen at a clock of 99 Hz.
"""

import ctypes
import mmap
import os
import time

PR_SET_NAME = 15


def files_of_perf_counter(pid):
    """How many files of @pid are descriptors of perf_counter."""
    directory = f"/proc/{pid}/fd"
    links = []
    for name in os.listdir(directory):
        try:
            links.append(os.readlink(f"{directory}/{name}"))
        except FileNotFoundError:
            pass
    return sum("[perf_counter]" in link for link in links)


def main():
    print(f"served: {files_of_perf_counter(os.getppid())}", flush=True)
    fresh = mmap.mmap(-1, 100 * mmap.PAGESIZE)
    for page in range(100):
        fresh[page * mmap.PAGESIZE] = 1
    libc = ctypes.CDLL(None)
    for i in range(7):
        libc.prctl(PR_SET_NAME, b"worker%d" % i)
    for i in range(11):
        os.getpriority(os.PRIO_PROCESS, 0)
    # A second of its own CPU time has 99 ticks.
    while time.process_time() < 1:
        pass


main()
