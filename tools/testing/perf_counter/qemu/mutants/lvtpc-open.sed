# SPDX-License-Identifier: GPL-2.0
# file: hw/intc/apic.c
# caught by: bare=intel-v4
# The interrupt does not mask its LVT entry.
s/^    if (mask) {/    if (0) {/
