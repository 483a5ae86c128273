// SPDX-License-Identifier: GPL-2.0
/*
 * The APIC as a source of NMIs for perf_counter's KUnit tests: it can send an NMI to any CPU at any
 * time.
 */

#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/perf_counter_test.h>
#include <linux/processor.h>

#include <asm/apic.h>
#include <asm/nmi.h>

/* Give up waiting for an NMI after this time, in jiffies. */
#define APIC_PATIENCE	(60 * HZ)

static void (*apic_function)(void);
/* An NMI was sent to this CPU, and its handler has not finished yet. */
static DEFINE_PER_CPU(bool, apic_sent);

static int apic_nmi(unsigned int cmd, struct pt_regs *regs)
{
	if (!__this_cpu_read(apic_sent))
		return NMI_DONE;
	apic_function();
	/* Order the function's accesses before the store; pairs with the acquire in apic_off(). */
	smp_store_release(this_cpu_ptr(&apic_sent), false);
	return NMI_HANDLED;
}

static bool apic_on(void (*function)(void))
{
	if (!boot_cpu_has(X86_FEATURE_APIC))
		return false;
	apic_function = function;
	return !register_nmi_handler(NMI_LOCAL, apic_nmi, 0, "perf_counter_test");
}

static void apic_send(unsigned int cpu)
{
	/* Send one NMI at a time: a second one that is pending may be dropped. */
	if (READ_ONCE(per_cpu(apic_sent, cpu)))
		return;
	WRITE_ONCE(per_cpu(apic_sent, cpu), true);
	__apic_send_IPI(cpu, NMI_VECTOR);
}

static bool apic_off(void)
{
	unsigned long end = jiffies + APIC_PATIENCE;
	bool late = false;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		/* Pairs with the release in apic_nmi(). */
		while (smp_load_acquire(&per_cpu(apic_sent, cpu)) && !late) {
			late = time_after(jiffies, end);
			cpu_relax();
		}
	}
	unregister_nmi_handler(NMI_LOCAL, "perf_counter_test");
	return !late;
}

static const struct perf_counter_test_nmis apic_nmis = {
	.on	= apic_on,
	.send	= apic_send,
	.off	= apic_off,
};

const struct perf_counter_test_nmis *perf_counter_test_nmis(void)
{
	return &apic_nmis;
}
