# SPDX-License-Identifier: GPL-2.0
# file: hw/intc/apic.c
# caught by: nasty
# The mask keeps an interrupt from coming again.
/^void apic_repeat_perf_intr/,/^}/ s/s->lvt\[APIC_LVT_PERFORM\] \&= ~APIC_LVT_MASKED;/;/
