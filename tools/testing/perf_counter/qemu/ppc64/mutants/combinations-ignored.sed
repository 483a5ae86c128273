# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# Combined events are the first.
s/if (!select || pmu_combines(env, i)) {/if (!select) {/
