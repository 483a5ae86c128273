// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that move to other registers to make room for another counter, while NMIs come. This
 * program needs an emulated PMU of AMD's family 15h; its suite starts it: scripts/suites/hardware
 * guest room:MODEL, where MODEL has pmu-all-events=on and, by pmu-nmi-at, an NMI at each access to
 * counter 3.
 *
 * Such an NMI is not one of an overflow. The driver claims it as a late NMI if an overflow was not
 * long ago, so one counter samples all the time.
 */
#include "pc_hw.h"
#include "pc_test.h"
#include "pc_work.h"

#define ROUNDS	10000
#define PERIOD	5000
#define TIMES	20

/* Events of family 15h; the names tell on which registers they count. */
#define ON_3_TO_5	0x0101
#define ON_0_AND_3	0x012e
#define ON_0		0x018f

FIXTURE(room) {
	struct perf_counter_attr plain, moving, leader, member;
};

FIXTURE_SETUP(room)
{
	self->plain = pc_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	self->plain.sample_period = PERIOD;
	self->moving = pc_raw_attr(ON_3_TO_5);
	self->moving.sample_period = PERIOD;
	self->leader = pc_raw_attr(ON_0_AND_3);
	self->member = pc_raw_attr(ON_0);
	self->member.disabled = 0;
}

FIXTURE_TEARDOWN(room)
{
}

/*
 * A sampling counter is on register 3. Then a group is enabled, whose leader is on register 0 until
 * its second event needs register 0: the leader moves to 3, and the sampling counter to 4. Register
 * 0 was not used before, so its value is not negative as after an overflow.
 */
PC_TEST(room, counters_change_registers_while_nmis_come)
{
	int plain, moving, leader, member;
	__u64 frame;

	for (int i = 0; i < TIMES; i++) {
		plain = pc_open(&self->plain, 0, -1, -1);
		ASSERT_FD(plain);
		pc_count_loop(plain, ROUNDS);
		/* Closing the last counter clears all registers. */
		close(plain);

		moving = pc_open(&self->moving, 0, -1, -1);
		ASSERT_FD(moving);
		pc_enable(moving);
		pc_loop(ROUNDS);
		leader = pc_open(&self->leader, 0, -1, -1);
		ASSERT_FD(leader);
		member = pc_open(&self->member, 0, -1, leader);
		ASSERT_FD(member);
		frame = pc_count_loop(leader, 0);
		EXPECT_EQ(ROUNDS * PC_LOOP_INSTRUCTIONS, pc_count_loop(leader, ROUNDS) - frame);
		EXPECT_EQ(pc_value(leader), pc_value(member));
		close(member);
		close(leader);
		close(moving);
	}
}

int main(int argc, char **argv)
{
	return pc_hw_main(argc, argv);
}
