# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=amd-v2
# AMD's APIC masks as Intel's does.
s/apic_state, IS_INTEL_CPU(env));/apic_state, true);/
