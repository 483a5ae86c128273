// SPDX-License-Identifier: GPL-2.0
/*
 * The list of PMUs, and the stopping and resuming of a PMU for hotplug and halts.
 *
 * PMUs register themselves. A PMU with limited room has a state on each CPU, which sched.c uses.
 */

#include <linux/cpu.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "internal.h"

/* Guards changes of the list. */
static DEFINE_MUTEX(pmus_mutex);
static LIST_HEAD(pmus);

/* Return true if @cpu has the PMU whenever the CPU is online. */
static bool pmu_has_cpu(const struct perf_counter_pmu *pmu, int cpu)
{
	return !pmu->cpus || cpumask_test_cpu(cpu, pmu->cpus);
}

/**
 * perf_counter_register_pmu() - Register a PMU
 * @pmu: PMU with its operations and cpus set; a PMU with a disable operation has limited room
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM.
 */
int perf_counter_register_pmu(struct perf_counter_pmu *pmu)
{
	struct perf_counter_pmu_cpu *pmu_cpu;
	int i;

	guard(cpus_read_lock)();
	if (pmu->disable) {
		pmu->cpu = alloc_percpu(struct perf_counter_pmu_cpu);
		if (!pmu->cpu)
			return -ENOMEM;
		for_each_possible_cpu(i) {
			pmu_cpu = per_cpu_ptr(pmu->cpu, i);
			pmu_cpu->pmu = pmu;
			pmu_cpu->disable = pmu->disable;
			pmu_cpu->enable = pmu->enable;
			pmu_cpu->online = cpu_online(i);
			pmu_cpu->present = pmu_cpu->online && pmu_has_cpu(pmu, i);
			perf_counter_tick_init(pmu_cpu);
		}
	}
	guard(mutex)(&pmus_mutex);
	list_add_tail_rcu(&pmu->node, &pmus);
	return 0;
}

#if IS_ENABLED(CONFIG_PERF_COUNTERS_KUNIT_TEST)
/**
 * perf_counter_unregister_pmu() - Unregister a PMU of a test
 * @pmu: a PMU without counters; no open may look for it during the call. It can be registered again
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
#endif

/**
 * perf_counter_find_pmu() - Find the PMU that counts the event of a descriptor
 * @desc: a descriptor with its attr; on success, the function sets desc->pmu
 *
 * Context: may sleep.
 * Return: 0; -ENOENT when no PMU has the event; or the error of the PMU.
 */
int perf_counter_find_pmu(struct perf_counter_desc *desc)
{
	const struct perf_counter_pmu *pmu;
	u32 type = desc->attr.type < 32 ? BIT(desc->attr.type) : 0;
	int err;

	/* Walk the list without a lock: only KUnit removes PMUs from it. */
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

/* === CPUs going online and offline, and halted PMUs === */

/**
 * perf_counter_pmu_come() - Start a PMU on this CPU, which has come online
 * @pmu_cpu: the PMU, on this CPU
 *
 * Context: IRQs off.
 */
void perf_counter_pmu_come(struct perf_counter_pmu_cpu *pmu_cpu)
{
	if (!pmu_has_cpu(pmu_cpu->pmu, smp_processor_id()))
		return;
	pmu_cpu->pmu->reset();
	pmu_cpu->present = true;
	perf_counter_pmu_go_on_this_cpu(pmu_cpu);
}

/**
 * perf_counter_pmu_leave() - Stop a PMU on this CPU, which goes offline
 * @pmu_cpu: the PMU, on this CPU
 *
 * Tasks that still run on this CPU load no counters from here on: the registers would stay in use,
 * and may belong to perf_events when the CPU comes online again.
 *
 * Context: IRQs off.
 */
void perf_counter_pmu_leave(struct perf_counter_pmu_cpu *pmu_cpu)
{
	if (!pmu_cpu->present)
		return;
	perf_counter_pmu_unload(pmu_cpu);
	pmu_cpu->present = false;
}

/**
 * perf_counter_pmus_online() - Start all PMUs on this CPU, which has come online
 *
 * Context: hotplug callback of the CPU; the CPU's context is not live.
 */
void perf_counter_pmus_online(void)
{
	struct perf_counter_pmu_cpu *pmu_cpu;
	struct perf_counter_pmu *pmu;

	guard(mutex)(&pmus_mutex);
	list_for_each_entry(pmu, &pmus, node) {
		if (!pmu->cpu)
			continue;
		guard(irq)();
		pmu_cpu = this_cpu_ptr(pmu->cpu);
		perf_counter_tick_online(pmu_cpu);
		perf_counter_pmu_come(pmu_cpu);
	}
}

/**
 * perf_counter_pmus_offline() - Stop all PMUs on this CPU, which goes offline
 *
 * Context: hotplug callback of the CPU; the CPU's context is not live.
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
 * @change: function that makes the change; called while the PMU counts nothing
 *
 * The user page of a counter is updated if its register was written.
 *
 * Context: IRQs off.
 */
void perf_counter_pmu_change(const struct perf_counter_pmu *pmu, void (*change)(void))
{
	struct perf_counter_pmu_cpu *pmu_cpu = this_cpu_ptr(pmu->cpu);

	perf_counter_pmu_begin(pmu_cpu);
	change();
	perf_counter_pmu_end(pmu_cpu);
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
 * perf_counter_pmu_halt() - Unload all counters of a PMU, until perf_counter_pmu_go_on()
 * @pmu: a PMU with limited room
 *
 * Pinned groups do not fail because of a halt; they are loaded again after it.
 *
 * Context: IRQs on.
 */
void perf_counter_pmu_halt(struct perf_counter_pmu *pmu)
{
	WRITE_ONCE(pmu->halted, true);
	pmu_on_each_cpu(pmu, pmu_halt_here);
}

static void pmu_go_on_here(void *info)
{
	struct perf_counter_pmu *pmu = info;

	perf_counter_pmu_go_on_this_cpu(this_cpu_ptr(pmu->cpu));
}

/**
 * perf_counter_pmu_go_on() - End a halt, and load the counters of a PMU
 * @pmu: a PMU that was halted
 *
 * Context: IRQs on.
 */
void perf_counter_pmu_go_on(struct perf_counter_pmu *pmu)
{
	WRITE_ONCE(pmu->halted, false);
	pmu_on_each_cpu(pmu, pmu_go_on_here);
}
