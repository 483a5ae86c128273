// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the ring of perf_counter under stress. On each of several CPUs, records are
 * written by a task, by the hard interrupt of a timer, and by NMIs. The interrupt interrupts the
 * task, and NMIs interrupt both. NMIs are those of the architecture, or interrupts of the PMU: see
 * <linux/perf_counter_test.h>.
 *
 * Each of these three contexts of a CPU is called a lane. A lane is never concurrent with itself,
 * so its data need no lock. A record contains its lane and its number in the lane; all other words
 * follow from these two, so that a reader can tell a valid word from one that is not yet written,
 * overwritten, or written by another lane.
 *
 * Interruptions are not left to chance. The timer of each CPU sends an NMI to the next CPU whenever
 * it expires and the last NMI has been handled, unless the PMU sends NMIs. NMIs come anywhere, also
 * in the middle of a reservation or a commit. At times, a task waits in the middle of its record
 * until an interrupt and an NMI have come, and an interrupt waits for an NMI. The tasks go on until
 * each interrupting lane has written enough records in the middle of others. Only one task and one
 * interrupt wait at a time, so that the others can come; the interrupt of the first CPU never
 * waits, because its NMIs may be its own.
 *
 * An NMI takes no lock, does not print, allocate or wake: irq_work wakes readers from
 * all contexts.
 */

#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/hash.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/percpu.h>
#include <linux/perf_counter_test.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/wait.h>

#include "ring.h"

#define TORTURE_CPUS		4
/* Minimum number of records of a task. */
#define TORTURE_RECORDS		1000
/* Maximum size of a record in bytes. */
#define TORTURE_RECORD_MAX	(8 * 80)
/* For one in this many records, the writer waits in the middle of the record to be interrupted. */
#define TORTURE_STAY		8
/*
 * Number of records that each interrupting lane has to write in the middle of records of each lane
 * that waits.
 */
#define TORTURE_STRIKES		5
/* Shortest time between two timer interrupts in ns; the longest is twice as long. */
#define TORTURE_PERIOD_NS	50000
/* Timeout in jiffies for an interruption, a notification or room in the ring. */
#define TORTURE_PATIENCE	(60 * HZ)
/*
 * Maximum wait of an interrupt in ns: the CPU that has to send the NMI may be waiting
 * for this CPU in stop_machine() with interrupts off.
 */
#define TORTURE_IRQ_STAY_NS	(10 * NSEC_PER_MSEC)
/*
 * The longest time that a task waits without scheduling. If stop_machine() has stopped the CPU that
 * sends the NMIs, this CPU has to stop, too, before an NMI can come.
 */
#define TORTURE_TASK_STAY_NS	NSEC_PER_SEC
/*
 * Required number of snapshots of an overwriting ring in which at least one record is valid and
 * cannot have been overwritten during the copy.
 */
#define TORTURE_SNAPSHOTS	100
/* Required number of such snapshots that are taken while records are open. */
#define TORTURE_SNAPSHOTS_OPEN	20
/* Maximum number of snapshots. */
#define TORTURE_SNAPSHOTS_TRIED	20000

/* Each lane can interrupt the lanes before it in this list. */
enum { LANE_TASK, LANE_IRQ, LANE_NMI, LANES };

/**
 * struct lane - one context of one CPU
 * @cpu: CPU of the lane
 * @id: number of the lane among all lanes
 * @context: LANE_TASK, LANE_IRQ or LANE_NMI
 * @stays: flag: the lane waits at times in the middle of a record to be interrupted
 * @open: flag: the lane is in the middle of a record
 * @attempts: number of records that the lane tried to write
 * @written: number of records that the lane wrote
 * @visits: number of interruptions of an open record of this lane, for each context
 * @strikes: number of @visits that wrote a record
 * @waited: time in ns that the lane has waited since its last interruption
 * @rnd: random state for sizes and waits
 */
struct lane {
	struct torture_cpu	*cpu;
	u32			id;
	unsigned int		context;
	bool			stays;
	bool			open;
	u64			attempts;
	u64			written;
	unsigned int		visits[LANES];
	unsigned int		strikes[LANES];
	u64			waited;
	struct rnd_state	rnd;
};

/**
 * struct torture_cpu - the lanes of a CPU
 * @torture: test that the CPU belongs to
 * @ring: ring that the lanes write to
 * @cpu: number of the CPU
 * @next: CPU that this CPU's timer sends NMIs to
 * @lanes: lanes of the CPU
 * @timer: timer that interrupts the task
 * @done: flag: the task has ended
 */
struct torture_cpu {
	struct torture			*torture;
	struct perf_counter_ring	*ring;
	unsigned int			cpu;
	struct torture_cpu		*next;
	struct lane			lanes[LANES];
	struct hrtimer			timer;
	struct completion		done;
};

/**
 * struct torture - writers, and the state of the reader
 * @test: KUnit test
 * @rings: rings: one, or one for each CPU
 * @nr_rings: number of @rings
 * @cpus: CPUs with lanes
 * @nr_cpus: number of @cpus
 * @nmis: source of NMIs
 * @contexts: number of lanes on each CPU, one less without NMIs
 * @hostile: flag: the reader writes to the data
 * @enough: flag: the reader has seen enough
 * @late: flag: an interruption, a notification or room timed out
 * @staying: flag for each context: a lane waits in the middle of a record
 * @running: number of tasks that have not ended
 * @notified: wait queue of the reader, for notifications and the end
 * @wake: work that wakes the reader
 * @rounds: number of times that the reader has given up bytes
 * @room: wait queue of tasks without room in the ring
 * @tail: position up to which the reader has read each ring
 * @head: position that each ring showed last
 * @mark: position of the last notification of each ring
 * @next: number of each lane's next record
 * @bad: flag: an error was found and reported
 */
struct torture {
	struct kunit			*test;
	struct perf_counter_ring	*rings[TORTURE_CPUS];
	unsigned int			nr_rings;
	struct torture_cpu		cpus[TORTURE_CPUS];
	unsigned int			nr_cpus;
	const struct perf_counter_test_nmis *nmis;
	unsigned int			contexts;
	bool				hostile;
	bool				enough;
	bool				late;
	atomic_t			staying[LANES];
	atomic_t			running;
	wait_queue_head_t		notified;
	struct irq_work			wake;
	atomic_t			rounds;
	wait_queue_head_t		room;
	u64				tail[TORTURE_CPUS];
	u64				head[TORTURE_CPUS];
	u64				mark[TORTURE_CPUS];
	u64				next[TORTURE_CPUS * LANES];
	bool				bad;
};

/* === Lanes === */

static u64 lane_word(u32 id, u64 seq, u32 i)
{
	return hash_64(((u64)id << 56) ^ (seq << 8) ^ i, 64);
}

static void lane_store(struct lane *lane, u64 *at, u32 words, u32 i)
{
	u64 word = i > 1 ? lane_word(lane->id, lane->written, i) :
		   i ? lane->written : (u64)lane->id << 32 | words * 8;

	/*
	 * Use a plain access, as writers of records do, so that KCSAN sees conflicts with readers.
	 * If the reader writes to the data, too, conflicts are expected.
	 */
	if (lane->cpu->torture->hostile)
		WRITE_ONCE(at[i], word);
	else
		at[i] = word;
}

/*
 * Wait until each lane that can interrupt this one has done so, unless another lane of the same
 * context is waiting.
 */
static void lane_stay(struct lane *lane)
{
	struct torture *torture = lane->cpu->torture;
	u64 start = local_clock(), patience = jiffies_to_nsecs(TORTURE_PATIENCE);
	u64 most = lane->context == LANE_TASK ? TORTURE_TASK_STAY_NS : TORTURE_IRQ_STAY_NS;
	unsigned int context, before;

	if (atomic_xchg(&torture->staying[lane->context], true))
		return;
	for (context = lane->context + 1; context < torture->contexts; context++) {
		before = READ_ONCE(lane->visits[context]);
		while (READ_ONCE(lane->visits[context]) == before && !READ_ONCE(torture->late) &&
		       local_clock() - start < most)
			cpu_relax();
		lane->waited = READ_ONCE(lane->visits[context]) == before ? lane->waited + most : 0;
		if (lane->waited >= patience)
			WRITE_ONCE(torture->late, true);
	}
	atomic_set(&torture->staying[lane->context], false);
}

/*
 * Tell whether each interrupting lane has written enough records in the middle of this lane's
 * records.
 */
static bool lane_struck(const struct lane *lane)
{
	unsigned int context;

	for (context = lane->context + 1; context < lane->cpu->torture->contexts; context++) {
		if (READ_ONCE(lane->strikes[context]) < TORTURE_STRIKES)
			return false;
	}
	return true;
}

/* Records consist of {id, size}, the number in the lane, and words that follow from these. */
static bool lane_write(struct lane *lane)
{
	struct torture_cpu *cpu = lane->cpu;
	u32 words = 2 + prandom_u32_state(&lane->rnd) % (TORTURE_RECORD_MAX / 8 - 1), i;
	u32 place = prandom_u32_state(&lane->rnd) % words;
	bool stay = prandom_u32_state(&lane->rnd) % TORTURE_STAY == 0 &&
		    lane->stays && !lane_struck(lane);
	u64 pos, *at;

	lane->attempts++;
	at = ring_room(cpu->ring, words * 8, &pos);
	if (!at)
		return false;
	/* Only read on this CPU, by interrupting lanes. */
	WRITE_ONCE(lane->open, true);
	for (i = 0; i < words; i++) {
		if (stay && i == place)
			lane_stay(lane);
		lane_store(lane, at, words, i);
	}
	WRITE_ONCE(lane->open, false);
	lane->written++;
	if (perf_counter_ring_commit(cpu->ring, pos, words * 8))
		irq_work_queue(&cpu->torture->wake);
	return true;
}

/* Write a record, interrupting the other lanes of this CPU. */
static void lane_strike(struct lane *lane)
{
	bool written = lane_write(lane);
	unsigned int context = lane->context;
	struct lane *under;

	for (under = lane->cpu->lanes; under != lane; under++) {
		if (!READ_ONCE(under->open))
			continue;
		if (written)
			WRITE_ONCE(under->strikes[context], under->strikes[context] + 1);
		WRITE_ONCE(under->visits[context], under->visits[context] + 1);
	}
}

/* Test whether all waiting lanes of the CPU have been interrupted often enough. */
static bool lanes_struck(const struct torture_cpu *cpu)
{
	const struct lane *lane;

	for (lane = cpu->lanes; lane < cpu->lanes + LANES; lane++) {
		if (lane->stays && !lane_struck(lane))
			return false;
	}
	return true;
}

/* === NMIs === */

static DEFINE_PER_CPU(struct torture_cpu *, torture_here);

static void torture_nmi(void)
{
	struct torture_cpu *cpu = __this_cpu_read(torture_here);

	/* CPUs without lanes ignore NMIs. */
	if (cpu)
		lane_strike(&cpu->lanes[LANE_NMI]);
}

static bool nmis_on(struct torture *torture)
{
	unsigned int i;

	for (i = 0; i < torture->nr_cpus; i++)
		per_cpu(torture_here, torture->cpus[i].cpu) = &torture->cpus[i];
	return torture->nmis->on(torture_nmi);
}

/* Switch NMIs off. Returns false if an NMI was lost. */
static bool nmis_off(struct torture *torture)
{
	bool came = torture->nmis->off();
	unsigned int i;

	for (i = 0; i < torture->nr_cpus; i++)
		per_cpu(torture_here, torture->cpus[i].cpu) = NULL;
	return came;
}

/* === Writers === */

static enum hrtimer_restart torture_timer(struct hrtimer *timer)
{
	struct torture_cpu *cpu = container_of(timer, struct torture_cpu, timer);
	struct lane *lane = &cpu->lanes[LANE_IRQ];

	if (cpu->torture->contexts > LANE_NMI && cpu->torture->nmis->send)
		cpu->torture->nmis->send(cpu->next->cpu);
	lane_strike(lane);
	hrtimer_forward_now(timer, TORTURE_PERIOD_NS +
			    prandom_u32_state(&lane->rnd) % TORTURE_PERIOD_NS);
	return HRTIMER_RESTART;
}

/*
 * Test whether half of the ring waits for an open record: the other half is left to the
 * lanes that interrupt its writer.
 */
static bool ring_held_up(struct perf_counter_ring *ring)
{
	s64 held_up = atomic64_read(&ring->head) - atomic64_read(&ring->published);

	return held_up > (s64)ring->size / 2;
}

static bool torture_over(struct torture_cpu *cpu)
{
	struct torture *torture = cpu->torture;

	return READ_ONCE(torture->late) ||
	       (cpu->lanes[LANE_TASK].written >= TORTURE_RECORDS && lanes_struck(cpu) &&
		READ_ONCE(torture->enough));
}

static int torture_task(void *arg)
{
	struct torture_cpu *cpu = arg;
	struct torture *torture = cpu->torture;
	unsigned long end = jiffies + TORTURE_PATIENCE;
	bool written;
	int round;

	hrtimer_start(&cpu->timer, TORTURE_PERIOD_NS, HRTIMER_MODE_REL_PINNED_HARD);
	while (!torture_over(cpu)) {
		round = atomic_read_acquire(&torture->rounds);
		preempt_disable();
		written = !ring_held_up(cpu->ring) && lane_write(&cpu->lanes[LANE_TASK]);
		preempt_enable();
		if (written)
			end = jiffies + TORTURE_PATIENCE;
		else
			wait_event(torture->room, atomic_read(&torture->rounds) != round);
		if (time_after(jiffies, end))
			WRITE_ONCE(torture->late, true);
		cond_resched();
	}
	atomic_dec_return_release(&torture->running);
	wake_up(&torture->notified);
	kthread_complete_and_exit(&cpu->done, 0);
}

static void torture_wake(struct irq_work *work)
{
	wake_up(&container_of(work, struct torture, wake)->notified);
}

static void torture_add_cpu(struct torture *torture, unsigned int number)
{
	unsigned int i = torture->nr_cpus++, context;
	struct torture_cpu *cpu = &torture->cpus[i];

	cpu->torture = torture;
	cpu->ring = torture->rings[i % torture->nr_rings];
	cpu->cpu = number;
	cpu->next = &torture->cpus[0];
	if (i)
		torture->cpus[i - 1].next = cpu;
	for (context = 0; context < LANES; context++) {
		struct lane *lane = &cpu->lanes[context];

		lane->cpu = cpu;
		lane->id = i * LANES + context;
		lane->context = context;
		lane->stays = context == LANE_TASK || (context == LANE_IRQ && i > 0);
		prandom_seed_state(&lane->rnd, lane->id + 1);
	}
	hrtimer_init(&cpu->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	cpu->timer.function = torture_timer;
	init_completion(&cpu->done);
}

/* Make one ring, or one for each CPU, with @config and without writers yet. */
static struct torture *torture_new(struct kunit *test, struct perf_counter_ring_config config)
{
	struct torture *torture = kunit_kzalloc(test, sizeof(*torture), GFP_KERNEL);
	unsigned int cpu;

	KUNIT_ASSERT_NOT_NULL(test, torture);
	torture->test = test;
	torture->nmis = perf_counter_test_nmis();
	torture->enough = true;
	init_waitqueue_head(&torture->notified);
	init_waitqueue_head(&torture->room);
	torture->wake = IRQ_WORK_INIT_HARD(torture_wake);
	torture->nr_rings = config.local ? min(num_online_cpus(), TORTURE_CPUS) : 1;
	for (cpu = 0; cpu < torture->nr_rings; cpu++)
		torture->rings[cpu] = test_ring(test, config);
	for_each_online_cpu(cpu) {
		if (torture->nr_cpus < TORTURE_CPUS)
			torture_add_cpu(torture, cpu);
	}
	return torture;
}

static void torture_start(struct torture *torture)
{
	struct task_struct *tasks[TORTURE_CPUS];
	unsigned int i;

	for (i = 0; i < torture->nr_cpus; i++) {
		tasks[i] = kthread_create_on_cpu(torture_task, &torture->cpus[i],
						 torture->cpus[i].cpu, "ring_torture/%u");
		if (IS_ERR(tasks[i]))
			break;
	}
	if (i < torture->nr_cpus) {
		while (i--)
			kthread_stop(tasks[i]);
		KUNIT_FAIL_AND_ABORT(torture->test, "no thread for a writer");
	}
	torture->contexts = nmis_on(torture) ? LANES : LANE_NMI;
	atomic_set(&torture->running, torture->nr_cpus);
	for (i = 0; i < torture->nr_cpus; i++)
		wake_up_process(tasks[i]);
}

/* Wake the tasks that wait for room. */
static void torture_round(struct torture *torture)
{
	atomic_inc_return_release(&torture->rounds);
	wake_up_all(&torture->room);
}

/* End the timers and NMIs after the tasks have ended. */
static void torture_stop(struct torture *torture)
{
	unsigned int i;

	for (i = 0; i < torture->nr_cpus; i++) {
		wait_for_completion(&torture->cpus[i].done);
		hrtimer_cancel(&torture->cpus[i].timer);
	}
	if (torture->contexts > LANE_NMI && !nmis_off(torture))
		WRITE_ONCE(torture->late, true);
	irq_work_sync(&torture->wake);
	KUNIT_EXPECT_FALSE_MSG(torture->test, torture->late,
			       "an interrupt, an NMI, a notification or room never came");
}

/* Final check: all records are published, all losses counted, all lanes interrupted enough. */
static void torture_end(struct torture *torture)
{
	struct kunit *test = torture->test;
	u64 unwritten = 0, lost = 0, written[LANES] = {}, head;
	unsigned int i, context;

	for (i = 0; i < torture->nr_cpus; i++) {
		struct torture_cpu *cpu = &torture->cpus[i];

		KUNIT_EXPECT_GE(test, cpu->lanes[LANE_TASK].written, TORTURE_RECORDS);
		KUNIT_EXPECT_TRUE(test, lanes_struck(cpu));
		for (context = 0; context < torture->contexts; context++) {
			struct lane *lane = &cpu->lanes[context];

			KUNIT_EXPECT_GT(test, lane->written, 0);
			written[context] += lane->written;
			unwritten += lane->attempts - lane->written;
		}
	}
	for (i = 0; i < torture->nr_rings; i++) {
		struct perf_counter_ring *ring = torture->rings[i];

		lost += ring_lost(ring);
		head = atomic64_read(&ring->head);
		KUNIT_EXPECT_GT(test, head, ring->size);
		KUNIT_EXPECT_EQ(test, atomic64_read(&ring->published), head);
		test_ring_senses(test, ring, head);
		if (!torture->hostile)
			KUNIT_EXPECT_EQ(test, ring_shown(ring), ring->backward ? -head : head);
	}
	KUNIT_EXPECT_EQ(test, lost, unwritten);
	kunit_info(test, "%llu records of tasks, %llu of interrupts, %llu of NMIs, %llu lost",
		   written[LANE_TASK], written[LANE_IRQ], written[LANE_NMI], lost);
}

/* === Readers === */

/*
 * Check the record at @at, which must end within @room bytes. Returns its size, or 0 if
 * it is invalid.
 */
static u32 record_check(struct torture *torture, const u64 *at, u64 room)
{
	u32 id, len, i;

	if (room < 16)
		return 0;
	id = at[0] >> 32;
	len = at[0];
	if (id >= LANES * torture->nr_cpus || len < 16 || len % 8 ||
	    len > TORTURE_RECORD_MAX || len > room)
		return 0;
	for (i = 2; i < len / 8; i++) {
		if (at[i] != lane_word(id, at[1], i))
			return 0;
	}
	return len;
}

static void torture_bad_record(struct torture *torture, unsigned int ring, const u64 *at, u64 pos,
			       u64 end)
{
	KUNIT_FAIL(torture->test, "ring %u, at %llu of %llu: lane %llu, %u bytes, number %llu",
		   ring, pos, end, at[0] >> 32, (u32)at[0], at[1]);
	torture->bad = true;
}

/* Check and give up all records that ring @i shows. */
static void torture_read_ring(struct torture *torture, unsigned int i)
{
	struct perf_counter_ring *ring = torture->rings[i];
	u64 mark = atomic64_read(&ring->wake_mark), head = ring_shown(ring), tail, *at;
	u32 len, id;

	if (!torture->bad && (mark < torture->mark[i] || head < torture->head[i])) {
		KUNIT_FAIL(torture->test, "ring %u: mark %llu, data_head %llu, after %llu and %llu",
			   i, mark, head, torture->mark[i], torture->head[i]);
		torture->bad = true;
	}
	torture->mark[i] = mark;
	torture->head[i] = head;
	for (tail = torture->tail[i]; tail < head && !torture->bad; tail += len) {
		at = ring_at(ring, tail);
		len = record_check(torture, at, head - tail);
		id = at[0] >> 32;
		if (!len || at[1] != torture->next[id]) {
			torture_bad_record(torture, i, at, tail, head);
			break;
		}
		torture->next[id]++;
		/* Give up each record at once, so that its bytes are soon written again. */
		ring_give_up(ring, tail + len);
	}
	/* After an invalid record, skip the rest. */
	if (torture->bad)
		ring_give_up(ring, head);
	torture->tail[i] = head;
}

static void torture_read(struct torture *torture)
{
	unsigned int i;

	for (i = 0; i < torture->nr_rings; i++)
		torture_read_ring(torture, i);
	torture_round(torture);
}

static bool torture_unread(struct torture *torture)
{
	unsigned int i;

	for (i = 0; i < torture->nr_rings; i++) {
		if (ring_shown(torture->rings[i]) != torture->tail[i])
			return true;
	}
	return false;
}

/* Expect every record exactly once, complete and in its lane's order, or counted as lost. */
static void torture_feedback(struct kunit *test, struct perf_counter_ring_config config)
{
	struct torture *torture = torture_new(test, config);
	unsigned int i, context;
	bool over;

	torture_start(torture);
	do {
		if (!wait_event_timeout(torture->notified, torture_unread(torture) ||
					!atomic_read(&torture->running), TORTURE_PATIENCE))
			WRITE_ONCE(torture->late, true);
		over = !atomic_read_acquire(&torture->running);
		torture_read(torture);
	} while (!over);
	torture_stop(torture);
	torture_read(torture);

	torture_end(torture);
	for (i = 0; i < torture->nr_cpus; i++) {
		for (context = 0; context < torture->contexts; context++) {
			struct lane *lane = &torture->cpus[i].lanes[context];

			KUNIT_EXPECT_EQ(test, torture->next[lane->id], lane->written);
		}
	}
}

static void torture_one_ring_has_every_record_once(struct kunit *test)
{
	torture_feedback(test, (struct perf_counter_ring_config) { .nr_pages = 2 });
}

static void torture_ring_per_cpu_has_every_record_once(struct kunit *test)
{
	torture_feedback(test, (struct perf_counter_ring_config) { .nr_pages = 1, .local = true });
}

/**
 * struct snapshot - a copy of an overwriting ring that is written backward
 * @data: copy of the data, newest record first
 * @published: position of complete records before the copy
 * @reserved: position of reservations after the copy
 * @good: number of bytes at the beginning that cannot have been overwritten
 * @tried: number of snapshots
 * @taken: number of snapshots with at least one valid record in the first @good bytes
 * @taken_open: number of @taken snapshots with reserved records that were not yet published
 */
struct snapshot {
	u64		*data;
	u64		published;
	u64		reserved;
	u64		good;
	unsigned int	tried;
	unsigned int	taken;
	unsigned int	taken_open;
};

/* Copy the ring like a program that has mapped it read-only. */
static void snapshot_take(struct snapshot *snapshot, struct perf_counter_ring *ring)
{
	u64 head = ring_shown(ring), behind;

	/* Bytes that are overwritten during the copy are detected afterwards. */
	data_race(memcpy(snapshot->data, ring_at(ring, head), ring->size));
	/*
	 * Order the copy before the read of data_reserved. Pairs with the write barrier that
	 * follows the store of data_reserved.
	 */
	smp_rmb();
	snapshot->reserved = READ_ONCE(*ring_word_at(ring->data_reserved));
	snapshot->published = -head;
	behind = snapshot->reserved - snapshot->published;
	snapshot->good = behind < ring->size ? min(ring->size - behind, snapshot->published) : 0;
}

/*
 * Expect good records to be valid, newest first without a gap, and not older than in
 * the last snapshot. Returns their size in bytes.
 */
static u64 snapshot_check(struct torture *torture, struct snapshot *snapshot)
{
	u64 next[TORTURE_CPUS * LANES] = {}, at = 0, *record;
	u32 len, id;

	while (at + 16 <= snapshot->good) {
		record = snapshot->data + at / 8;
		id = record[0] >> 32;
		len = record[0];
		if (len <= TORTURE_RECORD_MAX && at + len > snapshot->good)
			break;
		if (!record_check(torture, record, snapshot->good - at) ||
		    (next[id] ? record[1] != next[id] - 2 : record[1] + 1 < torture->next[id])) {
			torture_bad_record(torture, 0, record, at, snapshot->good);
			break;
		}
		if (!next[id])
			torture->next[id] = record[1] + 1;
		next[id] = record[1] + 1;
		at += len;
	}
	snapshot->tried++;
	snapshot->taken += at > 0;
	snapshot->taken_open += at > 0 && snapshot->reserved > snapshot->published;
	return at;
}

/*
 * Tell whether there are enough snapshots. On a single CPU, no record is open while the reader
 * runs.
 */
static bool snapshots_enough(const struct torture *torture, const struct snapshot *snapshot)
{
	return snapshot->taken >= TORTURE_SNAPSHOTS &&
	       (snapshot->taken_open >= TORTURE_SNAPSHOTS_OPEN || torture->nr_cpus == 1);
}

/* The last snapshot, after all writers have ended, has all records that fit. */
static void snapshot_last(struct torture *torture, struct snapshot *snapshot)
{
	struct perf_counter_ring *ring = torture->rings[0];
	struct kunit *test = torture->test;
	unsigned int i, context;

	memset(torture->next, 0, sizeof(torture->next));
	snapshot_take(snapshot, ring);
	KUNIT_EXPECT_EQ(test, snapshot->good, ring->size);
	KUNIT_EXPECT_GT(test, snapshot_check(torture, snapshot), ring->size - TORTURE_RECORD_MAX);
	for (i = 0; i < torture->nr_cpus; i++) {
		for (context = 0; context < torture->contexts; context++) {
			struct lane *lane = &torture->cpus[i].lanes[context];

			if (torture->next[lane->id])
				KUNIT_EXPECT_EQ(test, torture->next[lane->id], lane->written);
		}
	}
}

static void torture_snapshots_are_consistent(struct kunit *test)
{
	struct torture *torture = torture_new(test, (struct perf_counter_ring_config) {
		.nr_pages = 8, .overwrite = true, .backward = true });
	struct perf_counter_ring *ring = torture->rings[0];
	struct snapshot snapshot = { .data = kunit_kmalloc(test, ring->size, GFP_KERNEL) };

	KUNIT_ASSERT_NOT_NULL(test, snapshot.data);
	torture->enough = false;
	torture_start(torture);
	while (atomic_read_acquire(&torture->running)) {
		if (!torture->bad) {
			snapshot_take(&snapshot, ring);
			snapshot_check(torture, &snapshot);
		}
		if (torture->bad || snapshots_enough(torture, &snapshot) ||
		    snapshot.tried >= TORTURE_SNAPSHOTS_TRIED)
			WRITE_ONCE(torture->enough, true);
		torture_round(torture);
		cond_resched();
	}
	torture_stop(torture);
	torture_end(torture);
	KUNIT_EXPECT_TRUE_MSG(test, torture->bad || snapshots_enough(torture, &snapshot),
			      "%u of %u snapshots good, %u with open records", snapshot.taken,
			      snapshot.tried, snapshot.taken_open);
	if (!torture->bad)
		snapshot_last(torture, &snapshot);
}

/* Write random values anywhere in the shared memory, as often as possible. */
static void torture_hostility(struct kunit *test, struct perf_counter_ring_config config)
{
	struct torture *torture = torture_new(test, config);
	struct perf_counter_ring *ring = torture->rings[0];
	struct rnd_state rnd;
	u64 value;

	prandom_seed_state(&rnd, 7);
	torture->hostile = true;
	torture_start(torture);
	while (atomic_read_acquire(&torture->running)) {
		value = (u64)prandom_u32_state(&rnd) << 32 | prandom_u32_state(&rnd);
		/* Three out of four values let the writers go on. */
		ring_give_up(ring, value & 3 ? (u64)atomic64_read(&ring->published) : value);
		WRITE_ONCE(*ring_word_at(ring->data_head), value >> (value & 63));
		WRITE_ONCE(*ring_word_at(ring->data_reserved), value >> (value & 31));
		WRITE_ONCE(*ring_at(ring, value & ~7ULL), value);
		if (value % 16 == 0) {
			torture_round(torture);
			schedule();
		}
	}
	torture_stop(torture);
	torture_end(torture);
}

static void torture_writers_survive_a_hostile_reader(struct kunit *test)
{
	torture_hostility(test, (struct perf_counter_ring_config) { .nr_pages = 1 });
}

static void torture_overwriters_survive_a_hostile_reader(struct kunit *test)
{
	torture_hostility(test, (struct perf_counter_ring_config) {
		.nr_pages = 1, .overwrite = true, .backward = true });
}

static struct kunit_case torture_cases[] = {
	KUNIT_CASE_SLOW(torture_one_ring_has_every_record_once),
	KUNIT_CASE_SLOW(torture_ring_per_cpu_has_every_record_once),
	KUNIT_CASE_SLOW(torture_snapshots_are_consistent),
	KUNIT_CASE_SLOW(torture_writers_survive_a_hostile_reader),
	KUNIT_CASE_SLOW(torture_overwriters_survive_a_hostile_reader),
	{}
};

static struct kunit_suite torture_suite = {
	.name = "perf_counter_torture",
	.test_cases = torture_cases,
};

kunit_test_suite(torture_suite);
