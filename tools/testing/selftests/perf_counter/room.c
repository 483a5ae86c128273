// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that make room for another one while NMIs come. It is for an emulated PMU of AMD's
 * family 15h, started by its suite alone: scripts/suites/hardware guest room:MODEL, where MODEL
 * has pmu-all-events=on, and an NMI with each access to counter 3, by pmu-nmi-at.
 *
 * Such an NMI is nobody's. The driver takes it for a late one of the PMU, as long as an overflow
 * was not long ago: so there is always a counter that samples.
 */
#include "pc_hw.h"
#include "pc_test.h"
#include "pc_work.h"

#define ROUNDS	10000
#define PERIOD	5000
#define TIMES	20

/* Events of family 15h, and the counters that count them. */
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
 * A sampling counter is on counter 3. Then a group comes, whose leader is on counter 0 until its
 * second event wants that: so the leader has to go to 3, and the sampling one to 4. No register
 * of counter 0 has been used before, so it is not negative, as that of an overflow is.
 */
PC_TEST(room, counters_make_room_while_nmis_come)
{
	int plain, moving, leader, member;
	__u64 frame;

	for (int i = 0; i < TIMES; i++) {
		plain = pc_open(&self->plain, 0, -1, -1);
		ASSERT_FD(plain);
		pc_count_loop(plain, ROUNDS);
		/* With the last counter all registers are set to 0. */
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
