#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A program that runs at each page fault of this process, and counts the 100 that it takes."""

import mmap
import os

from bcc import BPF, PerfSWConfig, PerfType

from common import print_served

TEXT = """
BPF_ARRAY(faults, u64, 1);

int on_fault(struct bpf_perf_event_data *ctx)
{
    faults.increment(0);
    return 0;
}
"""

bpf = BPF(text=TEXT)
bpf.attach_perf_event(ev_type=PerfType.SOFTWARE, ev_config=PerfSWConfig.PAGE_FAULTS,
                      fn_name="on_fault", sample_period=1, pid=os.getpid())
print_served()
before = bpf["faults"][0].value
fresh = mmap.mmap(-1, 100 * mmap.PAGESIZE)
for page in range(100):
    fresh[page * mmap.PAGESIZE] = 1
print(f"100 faults: {bpf['faults'][0].value - before >= 100}")
