# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/pmu-translate.c.inc
# caught by: power9
# MFSPR of any register is an access.
/^static bool pmu_is_register/,/^}/s/return false;/return true;/
