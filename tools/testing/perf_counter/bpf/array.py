#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A tracepoint whose program reads a counter of its CPU, and counts how often it could."""

import os

from bcc import BPF, PerfSWConfig, PerfType

from common import print_served, rename

TEXT = """
BPF_PERF_ARRAY(switches, CPUS);
BPF_ARRAY(seen, u64, 2);

TRACEPOINT_PROBE(task, task_rename)
{
    struct bpf_perf_event_value value = {};

    if (bpf_get_current_pid_tgid() >> 32 != PID)
        return 0;
    seen.increment(0);
    if (!switches.perf_counter_value(CUR_CPU_IDENTIFIER, &value, sizeof(value)) && value.counter)
        seen.increment(1);
    return 0;
}
"""

TEXT = TEXT.replace("CUR_CPU_IDENTIFIER", "bpf_get_smp_processor_id()")
TEXT = TEXT.replace("CPUS", str(os.cpu_count())).replace("PID", str(os.getpid()))
bpf = BPF(text=TEXT)
bpf["switches"].open_perf_event(PerfType.SOFTWARE, PerfSWConfig.CPU_CLOCK)
print_served()
rename(9)
print(f"renamed: {bpf['seen'][0].value}, with a count: {bpf['seen'][1].value}")
