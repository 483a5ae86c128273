# SPDX-License-Identifier: GPL-2.0
# file: target/i386/cpu-pmu.h
# caught by: bare=intel-v4
# Near calls are near returns.
s/return branch == X86_PMU_RETURN;/return branch == X86_PMU_CALL;/
