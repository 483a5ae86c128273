// SPDX-License-Identifier: GPL-2.0
/*
 * The contexts of CPUs, which run while their CPU is online.
 */

#include <linux/cpuhotplug.h>
#include <linux/percpu.h>

#include "internal.h"

static int ctx_cpu_online(unsigned int cpu)
{
	struct perf_counter_ctx *ctx = this_cpu_ptr(&perf_counter_cpu_ctx);

	perf_counter_pmus_online();
	raw_spin_lock_irq(&ctx->lock);
	perf_counter_ctx_start(ctx, perf_counter_clock());
	raw_spin_unlock_irq(&ctx->lock);
	perf_counter_cgroup_online();
	return 0;
}

static int ctx_cpu_offline(unsigned int cpu)
{
	struct perf_counter_ctx *ctx = this_cpu_ptr(&perf_counter_cpu_ctx);

	raw_spin_lock_irq(&ctx->lock);
	perf_counter_ctx_stop(ctx);
	raw_spin_unlock_irq(&ctx->lock);
	perf_counter_pmus_offline();
	return 0;
}

static int __init hotplug_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		perf_counter_ctx_init(per_cpu_ptr(&perf_counter_cpu_ctx, cpu), NULL);
	/* On each CPU, start the context before the NMI watchdog, and stop the context after it. */
	return cpuhp_setup_state(CPUHP_AP_PERF_COUNTER_ONLINE, "perf_counter:online",
				 ctx_cpu_online, ctx_cpu_offline);
}
core_initcall(hotplug_init);
