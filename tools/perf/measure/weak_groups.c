// SPDX-License-Identifier: GPL-2.0
/*
 * Groups that are split if they do not fit on the hardware. To find out, the tool opens the group
 * for its own task, so the target is not affected.
 */
#include <errno.h>
#include <unistd.h>

#include "syscall.h"
#include "weak_groups.h"

/*
 * Return true if the group fits on the hardware. Only a lack of room makes the result false. Other
 * errors are reported when the group is opened for the target.
 */
static bool group_fits(const struct event_list *list, size_t leader)
{
	struct int_list fds = { 0 };
	struct perf_event_attr attr;
	bool fit = true;
	size_t i;
	int fd;

	for (i = leader; i < list->nr && list->events[i].leader == leader; i++) {
		attr = list->events[i].attr;
		attr.disabled = 1;
		attr.inherit = 0;
		attr.exclude_kernel = 1;
		attr.exclude_hv = 1;
		fd = syscall_open(&attr, 0, -1, fds.nr ? fds.values[0] : -1);
		if (fd < 0) {
			fit = !fds.nr || (errno != EINVAL && errno != ENOSPC);
			break;
		}
		int_list_add(&fds, fd);
	}
	while (fds.nr)
		close(fds.values[--fds.nr]);
	int_list_free(&fds);
	return fit;
}

void weak_groups_split(struct event_list *list)
{
	size_t i, leader;

	for (i = 0; i < list->nr; i++) {
		leader = list->events[i].leader;
		if (leader != i || !list->events[i].weak || group_fits(list, i))
			continue;
		for (; i < list->nr && list->events[i].leader == leader; i++)
			list->events[i].leader = i;
		i--;
	}
}
