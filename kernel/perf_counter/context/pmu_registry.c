// SPDX-License-Identifier: GPL-2.0
/*
 * PMUs: who they are, when they stop and go on.
 *
 * PMUs register themselves. One whose room is limited has a state on each CPU; see
 * sched.c for what is done with it.
 */

#include <linux/cpu.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "internal.h"

/* Guards changes of the list, at boot and by tests. */
static DEFINE_MUTEX(pmus_mutex);
static LIST_HEAD(pmus);

/* Has @cpu the PMU, while it is online? */
static bool pmu_has_cpu(const struct perf_counter_pmu *pmu, int cpu)
{
	return !pmu->cpus || cpumask_test_cpu(cpu, pmu->cpus);
}

/**
 * perf_counter_register_pmu() - there is a PMU
 * @pmu: its operations, and @pmu->cpus; if it has @pmu->add and @pmu->disable, its room
 *	is limited
 *
 * Context: may sleep; there are no counters of it yet.
 * Return: 0, or -ENOMEM.
 */
int perf_counter_register_pmu(struct perf_counter_pmu *pmu)
{
	struct perf_counter_pmu_cpu *cpu;
	int i;

	guard(cpus_read_lock)();
	if (pmu->disable) {
		pmu->cpu = alloc_percpu(struct perf_counter_pmu_cpu);
		if (!pmu->cpu)
			return -ENOMEM;
		for_each_possible_cpu(i) {
			cpu = per_cpu_ptr(pmu->cpu, i);
			cpu->pmu = pmu;
			cpu->disable = pmu->disable;
			cpu->enable = pmu->enable;
			cpu->online = cpu_online(i);
			cpu->here = cpu->online && pmu_has_cpu(pmu, i);
			perf_counter_tick_init(cpu);
		}
	}
	guard(mutex)(&pmus_mutex);
	list_add_tail_rcu(&pmu->node, &pmus);
	return 0;
}

/**
 * perf_counter_unregister_pmu() - a PMU goes
 * @pmu: it; nothing counts on it, or may begin to. It may come back.
 *
 * Context: may sleep.
 */
void perf_counter_unregister_pmu(struct perf_counter_pmu *pmu)
{
	int i;

	mutex_lock(&pmus_mutex);
	list_del_rcu(&pmu->node);
	mutex_unlock(&pmus_mutex);
	synchronize_rcu();
	if (!pmu->cpu)
		return;
	for_each_possible_cpu(i)
		perf_counter_tick_offline(per_cpu_ptr(pmu->cpu, i));
	free_percpu(pmu->cpu);
	pmu->cpu = NULL;
}

/**
 * perf_counter_find_pmu() - find who counts what a descriptor asks for
 * @desc: the descriptor, with its attr; its pmu is set
 *
 * Context: may sleep.
 * Return: 0; -ENOENT when nobody can; or what the PMU says.
 */
int perf_counter_find_pmu(struct perf_counter_desc *desc)
{
	const struct perf_counter_pmu *pmu;
	u32 type = desc->attr.type < 32 ? BIT(desc->attr.type) : 0;
	int err;

	/* Nobody leaves the list but in tests. */
	list_for_each_entry(pmu, &pmus, node) {
		if (!(pmu->types & type) && pmu->types)
			continue;
		if (desc->cpu >= 0 && pmu->cpus && !cpumask_test_cpu(desc->cpu, pmu->cpus))
			continue;
		err = pmu->event_init(pmu, desc);
		if (err != -ENOENT) {
			desc->pmu = pmu;
			return err;
		}
	}
	return -ENOENT;
}

/* === CPUs that come and go, and PMUs that stop and go on === */

/**
 * perf_counter_pmu_come() - Begin to load counters of a PMU on this CPU, which has come
 * @cpu: the PMU, on this CPU
 *
 * Context: IRQs off.
 */
void perf_counter_pmu_come(struct perf_counter_pmu_cpu *cpu)
{
	if (!pmu_has_cpu(cpu->pmu, smp_processor_id()))
		return;
	cpu->pmu->reset();
	cpu->here = true;
	perf_counter_pmu_go_on_here(cpu);
}

/**
 * perf_counter_pmu_leave() - Unload the counters of a PMU on this CPU, which is about to go
 * @cpu: the PMU, on this CPU
 *
 * Tasks that run here until the CPU is off load none any more: its registers would be in use
 * by a CPU that is off, and when it comes again others may have them.
 *
 * Context: IRQs off.
 */
void perf_counter_pmu_leave(struct perf_counter_pmu_cpu *cpu)
{
	if (!cpu->here)
		return;
	perf_counter_pmu_unload(cpu);
	cpu->here = false;
}

/**
 * perf_counter_pmus_online() - this CPU has come
 *
 * Context: its hotplug callback; no context is live here but tasks'.
 */
void perf_counter_pmus_online(void)
{
	struct perf_counter_pmu_cpu *cpu;
	struct perf_counter_pmu *pmu;

	guard(mutex)(&pmus_mutex);
	list_for_each_entry(pmu, &pmus, node) {
		if (!pmu->cpu)
			continue;
		guard(irq)();
		cpu = this_cpu_ptr(pmu->cpu);
		perf_counter_tick_online(cpu);
		perf_counter_pmu_come(cpu);
	}
}

/**
 * perf_counter_pmus_offline() - this CPU is about to go
 *
 * Context: as perf_counter_pmus_online().
 */
void perf_counter_pmus_offline(void)
{
	struct perf_counter_pmu *pmu;

	guard(mutex)(&pmus_mutex);
	list_for_each_entry(pmu, &pmus, node) {
		if (!pmu->cpu)
			continue;
		scoped_guard(irq)
			perf_counter_pmu_leave(this_cpu_ptr(pmu->cpu));
		perf_counter_tick_offline(per_cpu_ptr(pmu->cpu, smp_processor_id()));
	}
}

/**
 * perf_counter_pmu_change() - Change how a PMU counts on this CPU
 * @pmu: a PMU with limited room
 * @change: makes the change; called while nothing counts
 *
 * A program that reads a counter by itself is told if the counter begins anew.
 *
 * Context: IRQs off.
 */
void perf_counter_pmu_change(const struct perf_counter_pmu *pmu, void (*change)(void))
{
	struct perf_counter_pmu_cpu *cpu = this_cpu_ptr(pmu->cpu);

	perf_counter_pmu_begin(cpu);
	change();
	perf_counter_pmu_end(cpu);
}

static void pmu_on_each_cpu(struct perf_counter_pmu *pmu, smp_call_func_t fn)
{
	on_each_cpu_mask(pmu->cpus ?: cpu_online_mask, fn, pmu, true);
}

static void pmu_halt_here(void *info)
{
	struct perf_counter_pmu *pmu = info;

	perf_counter_pmu_unload(this_cpu_ptr(pmu->cpu));
}

/**
 * perf_counter_pmu_halt() - unload what a PMU counts, until it goes on
 * @pmu: a PMU with limited room
 *
 * Nobody fails for that: pinned groups are loaded again when it goes on.
 *
 * Context: may be called with IRQs on alone.
 */
void perf_counter_pmu_halt(struct perf_counter_pmu *pmu)
{
	WRITE_ONCE(pmu->halted, true);
	pmu_on_each_cpu(pmu, pmu_halt_here);
}

static void pmu_go_on_here(void *info)
{
	struct perf_counter_pmu *pmu = info;

	perf_counter_pmu_go_on_here(this_cpu_ptr(pmu->cpu));
}

/**
 * perf_counter_pmu_go_on() - load what it counts
 * @pmu: a PMU that was halted
 *
 * Context: as perf_counter_pmu_halt().
 */
void perf_counter_pmu_go_on(struct perf_counter_pmu *pmu)
{
	WRITE_ONCE(pmu->halted, false);
	pmu_on_each_cpu(pmu, pmu_go_on_here);
}
