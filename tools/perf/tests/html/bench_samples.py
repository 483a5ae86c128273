# SPDX-License-Identifier: GPL-2.0
"""Write a recording to the standard output: bench_samples.py SAMPLES STACKS.

The stacks are walks through a program of 5000 functions of no file, 8 to 40 functions deep, that
begin alike. Some stacks have many samples, most have few. 64 threads run on 16 CPUs.
"""
import random
import struct
import sys

FUNCTIONS = 5000
THREADS = 64
CPUS = 16


def make_stacks(nr, choose):
    """Return different stacks; each one is a prefix of another and some more functions."""
    stacks, seen = [[1]], set()
    while len(stacks) <= nr:
        stack = stacks[choose.randrange(len(stacks))]
        stack = stack[:choose.randrange(max(1, len(stack) - 4), len(stack) + 1)]
        stack = stack + [choose.randrange(FUNCTIONS) for _ in range(choose.randrange(1, 9))]
        key = tuple(stack)
        if len(stack) <= 40 and key not in seen:
            seen.add(key)
            stacks.append(stack)
    return stacks[1:]


# Values of <linux/perf_event.h>: the fields of a sample, types of records, and a mark in chains.
IP, TID, TIME, CALLCHAIN, CPU, PERIOD = 1, 2, 4, 32, 128, 256
RECORD_COMM, RECORD_SAMPLE = 3, 9
MODE_USER = 2
CONTEXT_USER = 0xfffffffffffffe00

HEADER_SIZE = 104
ATTR_SIZE = 128


def record(kind, misc, body):
    return struct.pack('<IHH', kind, misc, 8 + len(body)) + body


def comm(thread, name):
    return record(RECORD_COMM, 0, struct.pack('<II16s', thread, thread, name.encode()))


def header(size):
    """Return the header of a perf.data file with one event, cycles, and records of a size."""
    attr = struct.pack('<IIQQQ', 0, ATTR_SIZE, 0, 1000,
                       IP | TID | TIME | CPU | PERIOD | CALLCHAIN).ljust(ATTR_SIZE, b'\0')
    data = HEADER_SIZE + ATTR_SIZE + 16
    return struct.pack('<8s8Q', b'PERFILE2', HEADER_SIZE, ATTR_SIZE + 16, HEADER_SIZE,
                       ATTR_SIZE + 16, data, size, 0, 0).ljust(HEADER_SIZE, b'\0') + \
        attr + struct.pack('<QQ', 0, 0)


def main():
    nr_samples, nr_stacks = map(int, sys.argv[1:])
    choose = random.Random(1)
    chains = []
    for stack in make_stacks(nr_stacks, choose):
        chain = [0x400000 + 16 * x for x in reversed(stack)]
        chains.append((chain[0], struct.pack(f'<{len(chain) + 2}Q', len(chain) + 1, CONTEXT_USER,
                                             *chain)))
    records = [comm(100 + thread, f'worker-{thread % 8}') for thread in range(THREADS)]
    time = 10 ** 9
    for i in range(nr_samples):
        # Each stack occurs at least once if there are enough samples.
        ip, chain = chains[i if i < nr_stacks else int(nr_stacks * choose.random() ** 3)]
        time += choose.randrange(2000)
        thread = 100 + choose.randrange(THREADS)
        records.append(record(RECORD_SAMPLE, MODE_USER, struct.pack(
            '<QIIQIIQ', ip, thread, thread, time, choose.randrange(CPUS), 0, 1000) + chain))
    sys.stdout.buffer.write(header(sum(map(len, records))))
    sys.stdout.buffer.writelines(records)


main()
