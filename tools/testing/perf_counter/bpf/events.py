#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A program at two events of the PMU on each CPU: like llcstat, one event after the other."""

from bcc import BPF, PerfHWConfig, PerfType

from common import print_served

TEXT = """
BPF_ARRAY(overflows, u64, 2);

int on_cycles(struct bpf_perf_event_data *ctx)
{
    overflows.atomic_increment(0);
    return 0;
}

int on_instructions(struct bpf_perf_event_data *ctx)
{
    overflows.atomic_increment(1);
    return 0;
}
"""

bpf = BPF(text=TEXT)
bpf.attach_perf_event(ev_type=PerfType.HARDWARE, ev_config=PerfHWConfig.CPU_CYCLES,
                      fn_name="on_cycles", sample_period=1000000)
bpf.attach_perf_event(ev_type=PerfType.HARDWARE, ev_config=PerfHWConfig.INSTRUCTIONS,
                      fn_name="on_instructions", sample_period=1000000)
print_served()
for index, name in enumerate(("cycles", "instructions")):
    before = bpf["overflows"][index].value
    while bpf["overflows"][index].value == before:
        pass
    print(f"{name} overflow")
