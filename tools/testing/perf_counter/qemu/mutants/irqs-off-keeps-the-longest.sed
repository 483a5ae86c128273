# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: irqs-off
# A read of the longest stretch does not begin anew.
/memset(&pmu->irqs_off_longest/d
