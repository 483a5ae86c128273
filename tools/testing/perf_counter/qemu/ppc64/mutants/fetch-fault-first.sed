# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/mmu_helper.c
# caught by: power9
# The fault of the next instruction overtakes the overflow.
s/if (access_type == MMU_INST_FETCH && ppc_pmu_overflow_due/if (false \&\& ppc_pmu_overflow_due/
