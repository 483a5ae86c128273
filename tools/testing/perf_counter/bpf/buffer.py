#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A kprobe whose program writes a record of each call to bcc's buffer, which is read."""

import os

from bcc import BPF

from common import get_priority, print_served

TEXT = """
BPF_PERF_OUTPUT(calls);

int on_call(struct pt_regs *ctx)
{
    u32 tgid = bpf_get_current_pid_tgid() >> 32;

    if (tgid == PID)
        calls.perf_submit(ctx, &tgid, sizeof(tgid));
    return 0;
}
"""

bpf = BPF(text=TEXT.replace("PID", str(os.getpid())))
bpf.attach_kprobe(event="__x64_sys_getpriority", fn_name="on_call")
seen = []
bpf["calls"].open_perf_buffer(lambda cpu, data, size: seen.append(size))
print_served()
get_priority(13)
while len(seen) < 13:
    bpf.perf_buffer_poll(timeout=1000)
bpf.perf_buffer_poll(timeout=0)
print(f"records: {len(seen)}")
