# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/machine.c
# caught by: migration
# After a migration nothing counts.
s/ppc_pmu_restart(env);/;/
