// SPDX-License-Identifier: GPL-2.0
/*
 * A security module for tests: it labels the descriptors that a process opens, and
 * refuses the operations that its parameters name, for that process only. Few security
 * modules have hooks for performance counters, and those need a policy; this module
 * needs four parameters in /sys/module/perf_counter_lsm/parameters/.
 *
 * It refuses with EKEYREJECTED, which no other code of these calls returns.
 */

#include <linux/lsm_hooks.h>
#include <linux/moduleparam.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/security.h>

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX	"perf_counter_lsm."

/* Value that identifies a label of this module. */
#define LABEL_MAGIC	0x1abe1ed0

enum { DENY_ALLOC = 1, DENY_READ = 2, DENY_WRITE = 4 };

static int lsm_pid;
module_param_named(pid, lsm_pid, int, 0600);
MODULE_PARM_DESC(pid, "the process that is refused something, 0 for none");

static uint lsm_deny_open;
module_param_named(deny_open, lsm_deny_open, uint, 0600);
MODULE_PARM_DESC(deny_open, "mask of PERF_SECURITY_* that it may not open");

static uint lsm_deny;
module_param_named(deny, lsm_deny, uint, 0600);
MODULE_PARM_DESC(deny, "what else: 1 labels, 2 reading, 4 controlling");

static uint lsm_labels;
module_param_named(labels, lsm_labels, uint, 0600);
MODULE_PARM_DESC(labels, "labels that it was given so far");

static struct lsm_blob_sizes lsm_sizes __ro_after_init = {
	.lbs_perf_event = sizeof(u32),
};

static u32 *lsm_label(const struct perf_event *event)
{
	return event->security + lsm_sizes.lbs_perf_event;
}

static bool lsm_concerned(void)
{
	return READ_ONCE(lsm_pid) == task_tgid_nr(current);
}

static bool lsm_denied(unsigned int what)
{
	return lsm_concerned() && READ_ONCE(lsm_deny) & what;
}

static int lsm_event_open(int type)
{
	return lsm_concerned() && READ_ONCE(lsm_deny_open) & BIT(type) ? -EKEYREJECTED : 0;
}

static int lsm_event_alloc(struct perf_event *event)
{
	if (lsm_denied(DENY_ALLOC))
		return -EKEYREJECTED;
	*lsm_label(event) = LABEL_MAGIC;
	if (lsm_concerned())
		WRITE_ONCE(lsm_labels, lsm_labels + 1);
	return 0;
}

static int lsm_event_read(struct perf_event *event)
{
	WARN_ON_ONCE(*lsm_label(event) != LABEL_MAGIC);
	return lsm_denied(DENY_READ) ? -EKEYREJECTED : 0;
}

static int lsm_event_write(struct perf_event *event)
{
	WARN_ON_ONCE(*lsm_label(event) != LABEL_MAGIC);
	return lsm_denied(DENY_WRITE) ? -EKEYREJECTED : 0;
}

static struct security_hook_list lsm_hooks[] __ro_after_init = {
	LSM_HOOK_INIT(perf_event_open, lsm_event_open),
	LSM_HOOK_INIT(perf_event_alloc, lsm_event_alloc),
	LSM_HOOK_INIT(perf_event_read, lsm_event_read),
	LSM_HOOK_INIT(perf_event_write, lsm_event_write),
};

static const struct lsm_id lsm_id = {
	.name	= "perf_counter_lsm",
	.id	= LSM_ID_UNDEF,
};

static int __init lsm_init(void)
{
	security_add_hooks(lsm_hooks, ARRAY_SIZE(lsm_hooks), &lsm_id);
	return 0;
}

DEFINE_LSM(perf_counter_lsm) = {
	.name	= "perf_counter_lsm",
	.init	= lsm_init,
	.blobs	= &lsm_sizes,
};
