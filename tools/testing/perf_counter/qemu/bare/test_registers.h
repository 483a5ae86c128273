/* SPDX-License-Identifier: GPL-2.0 */
/* Tests of the registers of the PMU by number. */
#ifndef TEST_REGISTERS_H
#define TEST_REGISTERS_H

void test_registers(void);
/* Test pmu-nmi-at=... of counter 1, with pmu-nmi-every=3. */
void test_nmi_at(void);

#endif
