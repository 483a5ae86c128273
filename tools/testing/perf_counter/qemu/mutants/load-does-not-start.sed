# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: migration
# After a migration nothing counts.
/^void x86_pmu_post_load/,/^}/s/pmu_reconfigure(env);/;/
