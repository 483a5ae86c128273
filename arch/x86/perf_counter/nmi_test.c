// SPDX-License-Identifier: GPL-2.0
/*
 * The APIC as a source of NMIs, for KUnit tests of perf_counter: it sends one to any CPU, in
 * the middle of whatever is done there.
 */

#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/perf_counter_test.h>
#include <linux/processor.h>

#include <asm/apic.h>
#include <asm/nmi.h>

/* One that takes longer than this does not come at all. */
#define APIC_PATIENCE	(60 * HZ)

static void (*apic_function)(void);
/* To this CPU, and not taken yet. */
static DEFINE_PER_CPU(bool, apic_sent);

static int apic_nmi(unsigned int cmd, struct pt_regs *regs)
{
	if (!__this_cpu_read(apic_sent))
		return NMI_DONE;
	apic_function();
	/* What the function did is done; partner: the acquire of who waits for the last NMI. */
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
	/* One at a time: of two that are under way, the second may be no NMI at all. */
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
		/* Partner: the release at the end of the NMI. */
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
