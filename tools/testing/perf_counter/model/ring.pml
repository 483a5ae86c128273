/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The protocol of kernel/perf_counter/ring/ring.c, for Spin: every order in which
 * the steps of several writers can happen is tried, and in each of them the
 * properties below have to hold. 'run' tries the sizes that README.rst lists.
 *
 * A writer is a process. It stands for one context of one CPU: the task
 * (level 0), or what interrupts it (level 1, 2: an irq, an NMI). running[cpu]
 * is the level that has the CPU. A writer of a higher level may begin a record
 * whenever its CPU is at a lower one, so between any two steps, and the lower
 * one stands still until that record is done.
 *
 * One "atomic" is one access to shared memory in the C code, and whatever is
 * computed from it in registers:
 *
 *   step       C function           access
 *   ---------  -------------------  -------------------------------------------
 *   begin      ring_reserve()       read published
 *   room       ring_reserve()       read data_tail
 *   try        ring_reserve()       read head
 *   full       ring_reserve()       read published, again
 *   sure       ring_reserve()       read data_tail, again
 *   take       ring_reserve()       compare-and-exchange head; barrier R
 *   write      the caller           store the record's bytes
 *   flip       ring_flip()          xor of one word of the map; barrier A
 *   publish    ring_publish()       read published
 *   own        ring_publish()       compare-and-exchange published; barrier B
 *   last       ring_publish()       read head
 *   runs       ring_publish_runs()  read published
 *   look       ring_publish_runs()  read head
 *   scan       ring_run_end()       read one word of the map
 *   move       ring_publish_runs()  compare-and-exchange published; barrier B
 *   reveal     ring_show()          read data_head, or data_reserved
 *   ahead      ring_show()          read published, or head
 *   exchange   ring_show()          compare-and-exchange what was read
 *   mark       ring_published()     read wake_mark; once more in ring_reached()
 *   notify     ring_reached()       compare-and-exchange wake_mark
 *   question   ring_answer()        read asked
 *   unmarked   ring_answer()        read wake_mark
 *   answer     ring_answer()        compare-and-exchange wake_mark
 *   behind     ..._ring_sample()    read published
 *   hold       ..._ring_sample()    raise held_back
 *   count      ..._ring_sample()    exchange samples; barrier D
 *   held       ..._ring_sample()    read held_back
 *   ask        ring_ask()           raise asked; barrier C
 *   done       ring_ask()           read published
 *   told       ring_ask()           raise wake_mark
 *
 * What raises a position, or counts, is a loop around an exchange that is tried again
 * with what it has found. Nothing else is done in the loop, so it is one step: that of
 * the exchange that succeeds, or of the look that finds nothing to raise.
 *
 * The bytes of a record are one step where nobody reads them: half of them are
 * as incomplete as none.
 *
 * Positions are counted in slots. Sizes, set with -D:
 *
 *   CPUS, LEVELS  CPUs, and contexts on each of them
 *   TASK, NMI     records that a task writes, and each context above it
 *   NMI_CPUS      CPUs that are interrupted; without: all
 *   SIZE, WORD    slots in the ring, slots in a word of the map
 *   LONGEST       a record has 1 to LONGEST slots
 *   START         the position where all begins, at least 2 * SIZE
 *   WATERMARK     slots between notifications; without: no notification
 *   WAKEUP_EVENTS samples that a notification is asked for; any record may be a
 *                 sample. Without: none is
 *
 * Kinds of ring and reader, set with -D. Without: a reader that gives back
 * what it has seen published, as much and as late as it likes.
 *
 *   READER        the same as a process of its own, with its own steps
 *   SLEEPER       the same, and it sleeps, as poll() and splice() do, while it has read
 *                 up to wake_mark; it is woken by notifications
 *   HOSTILE       data_tail and data_head hold something else at every look
 *   OVERWRITE     no feedback; with READER: who takes a snapshot meanwhile
 *   LOCAL         one CPU's ring: the xor is a loop around an exchange
 *
 * Mistakes, set with -D, each of which has to be found:
 *
 *   PLAIN_HEAD             head is stored, not exchanged
 *   UNCLAMPED_TAIL         data_tail is believed
 *   IGNORED_TAIL           nobody asks what the reader has read
 *   NO_LOOK_AT_TAIL        full is what was full before the reader went on
 *   COMMIT_BEFORE_WRITE    step 3 of the protocol comes before step 2
 *   PLAIN_FLIP             a word of the map is stored, not exchanged (LOCAL)
 *   FIRST_WORD_FIRST       of several words of the map, the first slot's first
 *   PUBLISH_BEFORE_COMMIT  step 4 comes before step 3
 *   NO_LAP_FLIP            a run is looked for as if every lap were even
 *   STALE_RUN              a publisher that was overtaken keeps its run
 *   PLAIN_PUBLISHED        published is stored, not exchanged
 *   PLAIN_DATA_HEAD        data_head is stored, not exchanged
 *   SHOW_HEAD              data_head is raised to head
 *   SHOW_ONCE              whose exchange of data_head failed leaves it at that
 *   TOO_FEW_TRIES          or tries again, but once too little
 *   NO_SECOND_LOOK         a publisher that published something is done
 *   NOTIFY_BEFORE_SHOW     wake_mark is moved before data_head
 *   MARK_ONCE              a publisher whose exchange of wake_mark failed leaves it at that
 *   ANSWER_ONCE            the same, in the answer to a question
 *   NO_ANSWER              a publisher does not look for a question
 *   ASK_LATE               the look at published comes before the question
 *   LAST_QUESTION          asked is stored, not raised
 *   TOLD_BEFORE_SHOW       a sample that is published is notified of, and not shown
 *   MARK_STAYS             or shown, and wake_mark is left where it was
 *   SAMPLES_OVERTAKEN      counting and starting again are two exchanges, and each sample
 *                          asks for its own end
 *   OWN_END                the sample that completes the count asks for its own end
 *   BEHIND_TOO_LATE        a sample is counted before the look whether it is held back
 *   RESERVED_TOO_LATE      data_reserved is shown after the bytes are written
 *   WAIT_FOR_TURN          a writer waits until all before it is published
 */

#ifndef NMI_CPUS
#define NMI_CPUS	CPUS
#endif

#define SLOT(p)		((p) % SIZE)
#define ODD_LAP(p)	(((p) / SIZE) % 2)
/* The word of the map that has the bit of position p, and which bit it is. */
#define WORD_OF(p)	(SLOT(p) / WORD)
#define BIT_OF(p)	((p) % WORD)
/* Contexts that can be publishing at one moment. */
#ifdef TOO_FEW_TRIES
#define PUBLISHERS	(CPUS * LEVELS - 1)
#else
#define PUBLISHERS	(CPUS * LEVELS)
#endif
/* Looks at a data_tail that moves. As many as PUBLISHERS in the C code: more of the same. */
#define LOOKS		2
/* What a hostile reader writes: far behind all positions, and far ahead. */
#define BEHIND		0
#define AHEAD		255

#if !defined(OVERWRITE) && !defined(HOSTILE)
#define HONEST
#endif
#ifdef SLEEPER
#define READER
#endif
#if defined(WATERMARK) || defined(WAKEUP_EVENTS)
#define NOTIFIES
#endif
#if defined(OVERWRITE) && defined(READER)
#define SNAPSHOT
#elif defined(READER) && !defined(SLEEPER)
#define LOSS_IS_JUDGED
#endif

/* The ring. */
byte head = START;
byte published = START;
byte commits[SIZE / WORD];

/* The control page: data_head, and data_reserved when it overwrites. */
#ifndef HOSTILE
#define data_head	shared[0]
#define data_reserved	shared[1]
#ifdef OVERWRITE
byte shared[2] = START;
#else
byte shared[1] = START;
#endif
#endif
#ifdef HONEST
byte data_tail = START;
#endif

/* The level that has each CPU. */
byte running[CPUS];

/* How many records are between their first step and their last. */
byte busy;

/* What became of each slot since it was last published: at first, nothing. */
#define TAKEN		1
#define WRITTEN		2
#define COMMITTED	4
#define INNER		8	/* not the first slot of its record */
byte slot[SIZE];

#ifdef SNAPSHOT
/* The position whose bytes each slot has; 0 for a mixture. */
byte content[SIZE];
#endif

/* The properties. Spin names the one that does not hold. */
hidden byte head_stays_within_the_size = true;
hidden byte head_only_grows = true;
hidden byte a_slot_has_one_owner = true;
#ifdef LOSS_IS_JUDGED
hidden byte lost_only_when_full = true;
#endif
hidden byte unread_is_not_overwritten = true;
hidden byte published_is_complete = true;
hidden byte published_ends_with_a_record = true;
hidden byte published_only_grows = true;
hidden byte data_head_only_grows = true;
hidden byte data_head_is_published = true;
hidden byte tries_suffice = true;
hidden byte committed_gets_published = true;
hidden byte published_gets_shown = true;
#ifdef WATERMARK
hidden byte reader_gets_notified = true;
#endif
#ifdef SNAPSHOT
hidden byte snapshot_is_true = true;
#endif
#ifdef NOTIFIES
hidden byte notified_of_what_is_shown = true;
#endif
#ifdef SLEEPER
hidden byte sleeper_is_woken = true;
#ifdef WATERMARK
hidden byte sleeper_is_below_watermark = true;
#endif
#ifdef WAKEUP_EVENTS
hidden byte sleeper_has_too_few_samples = true;
#endif
#endif
#define MUST(property, condition)	property = (condition); assert(property)

#ifdef NOTIFIES
byte wake_mark = START;
#endif
#ifdef WATERMARK
/* What data_head was when the reader was last notified. */
byte told = START;
#endif
#ifdef WAKEUP_EVENTS
byte asked = START;
byte held_back = START;
byte samples;
/* Each slot: a sample begins there. Meant for what is published and not read. */
bit sample[SIZE];
#endif
#ifdef SLEEPER
bit asleep;
#endif

hidden byte i, j, k;

/* What comes after what: as the protocol has it, or as a mistake has it. */
#if defined(COMMIT_BEFORE_WRITE)
#define AFTER_TAKE	goto flip
#define AFTER_FLIP	goto write
#define AFTER_WRITE	goto publish
#elif defined(PUBLISH_BEFORE_COMMIT)
#define AFTER_TAKE	goto write
#define AFTER_WRITE	goto publish
#define AFTER_PUBLISH	nr = size; goto flip
#elif defined(RESERVED_TOO_LATE)
#define AFTER_TAKE	goto write
#define AFTER_WRITE	caller = RESERVE; end = pos + size; goto reveal
#define AFTER_RESERVED	goto flip
#elif defined(OVERWRITE)
#define AFTER_TAKE	caller = RESERVE; end = pos + size; goto reveal
#define AFTER_RESERVED	goto write
#else
#define AFTER_TAKE	goto write
#endif
#ifndef AFTER_WRITE
#define AFTER_WRITE	goto flip
#endif
#ifndef AFTER_FLIP
#ifdef AFTER_PUBLISH
#define AFTER_FLIP	finish(); goto end_of_record
#else
#define AFTER_FLIP	goto publish
#endif
#endif
#if !defined(AFTER_PUBLISH) && defined(WAKEUP_EVENTS)
#define AFTER_PUBLISH							\
	seen = 0;							\
	end = 0;							\
	if								\
	:: is_sample -> goto behind					\
	:: else -> finish(); goto end_of_record				\
	fi
#elif !defined(AFTER_PUBLISH)
#define AFTER_PUBLISH	finish(); goto end_of_record
#endif
#ifdef NOTIFY_BEFORE_SHOW
#define AFTER_MOVE	goto mark
#define AFTER_NOTIFY	goto reveal
#else
#define AFTER_MOVE	goto reveal
#define AFTER_NOTIFY	AFTER_RUN
#endif
/* ring_show() has four callers. */
#define RUNS		0
#define OWN		1
#define RESERVE		2
#define ASK		3
#if defined(WAKEUP_EVENTS) && !defined(NO_ANSWER)
#define AFTER_RUN							\
	if								\
	:: caller == RUNS -> goto question				\
	:: else -> AFTER_ALL						\
	fi
#else
#define AFTER_RUN	AFTER_ALL
#endif
#ifdef NO_SECOND_LOOK
#define AFTER_ALL	caller = RUNS; AFTER_PUBLISH
#else
#define AFTER_ALL							\
	end = 0;							\
	if								\
	:: caller == OWN -> caller = RUNS; goto last			\
	:: else -> goto look						\
	fi
#endif
#if defined(WATERMARK) && !defined(NOTIFY_BEFORE_SHOW)
#define AFTER_SHOWN	goto mark
#else
#define AFTER_SHOWN	AFTER_RUN
#endif
#ifdef WAKEUP_EVENTS
#define AFTER_DATA_HEAD							\
	if								\
	:: caller == ASK -> goto told_of				\
	:: else -> AFTER_SHOWN						\
	fi
#else
#define AFTER_DATA_HEAD	AFTER_SHOWN
#endif
#ifdef OVERWRITE
#define WHICH		(caller == RESERVE)
#define LIMIT		(caller == RESERVE -> head : published)
#define AFTER_SHOW							\
	shown = 0;							\
	tries = 0;							\
	if								\
	:: caller == RESERVE -> caller = RUNS; end = 0; AFTER_RESERVED	\
	:: else -> AFTER_DATA_HEAD					\
	fi
#else
#define WHICH		0
#define LIMIT		published
#define AFTER_SHOW	shown = 0; tries = 0; AFTER_DATA_HEAD
#endif

/* An exchange succeeds when nothing has changed; a plain store always does. */
#ifdef PLAIN_HEAD
#define UNCHANGED_HEAD		true
#else
#define UNCHANGED_HEAD		head == pos
#endif
#ifdef PLAIN_PUBLISHED
#define UNCHANGED_PUBLISHED	true
#else
#define UNCHANGED_PUBLISHED	published == seen
#endif
#ifdef PLAIN_DATA_HEAD
#define UNCHANGED_SHARED	true
#else
#define UNCHANGED_SHARED	shared[WHICH] == shown
#endif

#if !defined(LOCAL)
#define UNCHANGED_WORD		true
#define OLD_WORD		commits[WORD_OF(j)]
#elif defined(PLAIN_FLIP)
#define UNCHANGED_WORD		true
#define OLD_WORD		old_word
#else
#define UNCHANGED_WORD		commits[WORD_OF(j)] == old_word
#define OLD_WORD		old_word
#endif

/* What a bit is when its slot is committed follows from the lap. */
#ifdef NO_LAP_FLIP
#define COMMITTED_IS_0(p)	0
#else
#define COMMITTED_IS_0(p)	ODD_LAP(p)
#endif

#define RAISE(position, to)						\
	if								\
	:: position < (to) -> position = (to)				\
	:: else								\
	fi
/* A notification: of all before wake_mark, which has just been moved. */
inline wake()
{
	d_step {
#ifdef WATERMARK
		told = data_head;
#endif
#ifdef SLEEPER
		asleep = 0;
#endif
		MUST(notified_of_what_is_shown, wake_mark <= data_head)
	}
}

inline take_slots(first, count)
{
	d_step {
		MUST(head_stays_within_the_size, first + count - published <= SIZE);
		i = first;
		do
		:: i < first + count ->
			MUST(a_slot_has_one_owner, slot[SLOT(i)] == 0);
			slot[SLOT(i)] = TAKEN + (i > first -> INNER : 0);
			i++
		:: else -> break
		od;
		i = 0
	}
}

inline write_slots(first, count)
{
	d_step {
#ifdef HONEST
		MUST(unread_is_not_overwritten, first + count <= data_tail + SIZE);
#endif
		i = first;
		do
		:: i < first + count ->
			slot[SLOT(i)] = slot[SLOT(i)] + WRITTEN;
#ifdef SNAPSHOT
			content[SLOT(i)] = i;
#endif
#ifdef WAKEUP_EVENTS
			sample[SLOT(i)] = (i == first && is_sample);
#endif
			i++
		:: else -> break
		od;
		i = 0
	}
}

/* Of the slots that are not flipped yet: k from j on are next, all in one word. */
inline next_slots()
{
	d_step {
#ifdef FIRST_WORD_FIRST
		j = pos + size - nr;
		k = (nr > WORD - BIT_OF(j) -> WORD - BIT_OF(j) : nr)
#else
		k = (BIT_OF(pos) + nr > WORD -> (BIT_OF(pos) + nr - 1) % WORD + 1 : nr);
		j = pos + nr - k
#endif
	}
}

inline flip_slots()
{
	d_step {
		commits[WORD_OF(j)] = OLD_WORD ^ (((1 << k) - 1) << BIT_OF(j));
		nr = nr - k;
		i = j;
		do
		:: i < j + k -> slot[SLOT(i)] = slot[SLOT(i)] + COMMITTED; i++
		:: else -> break
		od;
		i = 0
	}
}

inline publish_slots(first, last)
{
	d_step {
		MUST(published_only_grows, first < last && last <= head);
		i = first;
		do
		:: i < last ->
			MUST(published_is_complete,
			     (slot[SLOT(i)] & WRITTEN) && (slot[SLOT(i)] & COMMITTED));
			slot[SLOT(i)] = 0;
			i++
		:: else -> break
		od;
		i = 0;
		MUST(published_ends_with_a_record, last == head || !(slot[SLOT(last)] & INNER))
	}
}

#ifdef SLEEPER
/* What a reader that sleeps has left unread while no writer is at work. */
inline judge_sleeper()
{
	MUST(sleeper_is_woken, wake_mark <= data_tail);
#ifdef WATERMARK
	MUST(sleeper_is_below_watermark, published - data_tail < WATERMARK);
#endif
#ifdef WAKEUP_EVENTS
	i = data_tail;
	k = 0;
	do
	:: i < published -> k = k + sample[SLOT(i)]; i++
	:: else -> break
	od;
	i = 0;
	MUST(sleeper_has_too_few_samples, k < WAKEUP_EVENTS);
	k = 0
#endif
}
#endif

/* The end of a record. When no writer is at work, nothing may be left to do. */
inline finish()
{
	d_step {
		pos = 0;
		size = 0;
		seen = 0;
		tail = 0;
		end = 0;
		tries = 0;
#ifdef LOSS_IS_JUDGED
		was_full = 0;
#endif
#ifdef WAKEUP_EVENTS
		is_sample = 0;
#endif
		running[cpu] = interrupted;
		interrupted = 0;
		busy--;
		if
		:: busy == 0 ->
			MUST(committed_gets_published, published == head);
#ifndef HOSTILE
			MUST(published_gets_shown, data_head == published);
#endif
#ifdef OVERWRITE
			MUST(published_gets_shown, data_reserved == head);
#endif
#ifdef WATERMARK
			MUST(reader_gets_notified, published - told < WATERMARK);
#endif
#ifdef SLEEPER
			if
			:: asleep -> judge_sleeper()
			:: else
			fi
#endif
		:: else
		fi
	}
}

inline lose()
{
#ifdef LOSS_IS_JUDGED
	MUST(lost_only_when_full, was_full);
#endif
	finish()
}

inline look_at_published()
{
	seen = published;
#ifdef OVERWRITE
	tail = seen
#endif
}

#ifdef UNCLAMPED_TAIL
#define CLAMPED(tail)	tail
#else
#define CLAMPED(tail)	(tail > seen -> seen : tail)
#endif

inline look_at_tail()
{
#if defined(HOSTILE)
	if
	:: tail = BEHIND
	:: select(tail : published - SIZE .. head + LONGEST)
	:: tail = AHEAD
	fi;
	/* What makes no difference must not make states: head only grows. */
	tail = CLAMPED(tail);
	tail = (tail + SIZE < head + size -> BEHIND : tail)
#elif defined(IGNORED_TAIL)
	tail = seen
#elif defined(READER)
	tail = data_tail
#else
	/* What the reader has given back until now shows here, and nowhere else. */
	select(tail : data_tail .. data_head);
	data_tail = tail
#endif
}

/* A step is the writer's only while its level has the CPU. */
#define mine	running[cpu] == level

proctype writer(byte cpu, level, left)
{
	byte interrupted;	/* the level that had the CPU before */
	byte seen;		/* published, as read */
	byte tail;
	byte pos, size;		/* the record */
	byte nr;		/* slots of it that are not flipped yet */
	byte end;		/* of a run */
	byte shown, tries;
	byte caller;		/* of ring_show() */
#ifdef LOSS_IS_JUDGED
	bool was_full;		/* when the writer looked at head */
#endif
#ifdef LOCAL
	byte old_word;
#endif
#ifdef NOTIFIES
	byte old_mark;
#endif
#ifdef WAKEUP_EVENTS
	bit is_sample;
#endif

end_of_record:
	atomic { /* begin */
		left > 0 && (level > 0 -> running[cpu] < level : running[cpu] == 0);
		left--;
		busy++;
		interrupted = running[cpu];
		running[cpu] = level;
		select(size : 1 .. LONGEST);
#ifdef WAKEUP_EVENTS
		if
		:: is_sample = 1
		:: is_sample = 0
		fi;
#endif
		tries = LOOKS;
		look_at_published();
		goto room
	}
begin:	atomic {
		mine;
		look_at_published()
	}
room:
#ifndef OVERWRITE
	atomic {
		mine;
		look_at_tail()
	}
#endif
	atomic { /* try */
		mine;
		pos = head;
		if
		/* The difference is unsigned in the C code: below 0 is very much. */
		:: pos + size > CLAMPED(tail) + SIZE || pos + size < CLAMPED(tail) ->
#ifdef LOSS_IS_JUDGED
			was_full = (pos + size > data_tail + SIZE);
#endif
#ifdef HOSTILE
			tail = 0;
#endif
			pos = 0
		:: else -> seen = 0; tail = 0; goto take
		fi
	}
	atomic { /* full */
		mine;
		if
		:: published != seen -> seen = 0; tail = 0; goto begin
		:: else
		fi;
#if defined(OVERWRITE) || defined(NO_LOOK_AT_TAIL)
		lose();
		goto end_of_record
#endif
	}
#ifndef OVERWRITE
	atomic { /* sure */
		mine;
#ifdef HOSTILE
		if
		:: lose(); goto end_of_record
		:: true
		fi;
#else
		seen = tail;
		look_at_tail();
		if
		:: seen == tail -> lose(); goto end_of_record
		:: else
		fi;
#endif
		seen = 0;
		tail = 0;
		tries--;
		if
		:: tries == 0 -> finish(); goto end_of_record
		:: else -> goto begin
		fi
	}
#endif

take:	atomic {
		mine;
		if
		:: UNCHANGED_HEAD ->
			take_slots(pos, size);
			MUST(head_only_grows, head < pos + size);
			head = pos + size;
			nr = size;
			tries = 0;
			AFTER_TAKE
		:: else -> pos = 0; goto begin
		fi
	}

write:	atomic {
		mine;
#ifdef SNAPSHOT
		/* While it is being written, a slot has bytes of two laps. */
		d_step {
			i = pos;
			do
			:: i < pos + size -> content[SLOT(i)] = 0; i++
			:: else -> break
			od;
			i = 0
		}
	}
	atomic {
		mine;
#endif
		write_slots(pos, size);
		AFTER_WRITE
	}

flip:
#ifdef LOCAL
	atomic {
		mine;
		next_slots();
		old_word = commits[WORD_OF(j)]
	}
xor:
#endif
	atomic {
		mine;
		next_slots();
		if
		:: UNCHANGED_WORD -> flip_slots()
#ifdef LOCAL
		:: else -> old_word = commits[WORD_OF(j)]; goto xor
#endif
		fi;
		if
		:: nr > 0 -> goto flip
		:: else ->
#ifdef LOCAL
			old_word = 0;
#endif
			AFTER_FLIP
		fi
	}

publish:
#ifdef WAIT_FOR_TURN
	if
	:: atomic { mine && published != pos -> goto publish }
	:: atomic { mine && published == pos }
	fi;
#endif
	atomic {
		mine;
		seen = published;
		if
		:: seen == pos -> end = pos + size
		:: else -> goto last
		fi
	}
	atomic { /* own */
		mine;
		if
		:: UNCHANGED_PUBLISHED ->
			publish_slots(published, end);
			published = end;
			seen = end;
			caller = OWN;
			AFTER_MOVE
		:: else ->
			seen = published;
			end = 0
		fi
	}
last:	atomic {
		mine;
		if
		:: seen == head -> AFTER_PUBLISH
		:: else -> seen = 0
		fi
	}
	atomic { /* runs */
		mine;
		seen = published
	}
look:	atomic {
		mine;
		if
		:: seen == head -> AFTER_PUBLISH
		:: else -> end = seen
		fi
	}
scan:	atomic {
		mine;
		d_step {
			i = commits[WORD_OF(end)];
			k = 0;	/* 1: committed up to the end of the word */
			do
			:: k == 0 && ((i >> BIT_OF(end)) & 1) != COMMITTED_IS_0(end) ->
				end++;
				k = (BIT_OF(end) == 0)
			:: else -> break
			od;
			i = 0
		}
		if
		:: k == 1 -> goto scan
		:: k == 0 && end == seen -> AFTER_PUBLISH
		:: else
		fi
	}
move:	atomic {
		mine;
		if
		:: UNCHANGED_PUBLISHED ->
			publish_slots(published, end);
			published = end;
			seen = end;
			AFTER_MOVE
		:: else ->
			seen = published;
#ifdef STALE_RUN
			goto move
#else
			end = 0;
			goto look
#endif
		fi
	}

reveal:	atomic {
		mine;
#ifdef SHOW_HEAD
		end = head;
#endif
		tries = PUBLISHERS;
#ifdef HOSTILE
		if
		:: shown = BEHIND
		:: shown = end
		:: shown = AHEAD
		fi;
#else
		shown = shared[WHICH];
#endif
		if
		:: shown < end -> goto exchange
		:: else
		fi
	}
ahead:	atomic {
		mine;
		if
		:: shown > LIMIT
		:: else -> AFTER_SHOW
		fi
	}
exchange:
	atomic {
		mine;
#ifdef HOSTILE
		if
		:: AFTER_SHOW
		:: shown = BEHIND
		:: shown = end
		:: shown = AHEAD
		fi;
#else
		if
		:: UNCHANGED_SHARED ->
			MUST(data_head_only_grows, shared[WHICH] < end);
			MUST(data_head_is_published, end <= LIMIT);
			shared[WHICH] = end;
			AFTER_SHOW
#ifdef SHOW_ONCE
		:: else -> AFTER_SHOW
#else
		:: else -> shown = shared[WHICH]
#endif
		fi;
#endif
		tries--;
		if
		:: tries == 0 ->
#ifndef HOSTILE
			MUST(tries_suffice, shown >= end);
#endif
			AFTER_SHOW
		:: tries > 0 && shown < end -> goto exchange
		:: else -> goto ahead
		fi
	}

#ifdef WATERMARK
mark:	atomic {
		mine;
		old_mark = wake_mark;
		if
		:: end - old_mark >= WATERMARK
		:: else -> old_mark = 0; AFTER_NOTIFY
		fi
	}
notify:	atomic {
		mine;
		if
		:: wake_mark == old_mark -> wake_mark = end; wake()
#ifdef MARK_ONCE
		:: else
#else
		:: else ->
			/* Signed: another may have moved it beyond the end. */
			old_mark = wake_mark;
			if
			:: end - old_mark >= WATERMARK -> goto notify
			:: else
			fi
#endif
		fi;
		old_mark = 0;
		AFTER_NOTIFY
	}
#endif

#ifdef WAKEUP_EVENTS
question:
	atomic {
		mine;
		if
		:: asked > end -> AFTER_ALL
		:: else -> shown = asked
		fi
	}
	atomic { /* unmarked */
		mine;
		old_mark = wake_mark;
		if
		:: shown > old_mark
		:: else -> shown = 0; old_mark = 0; AFTER_ALL
		fi
	}
answer:	atomic {
		mine;
		if
		:: wake_mark == old_mark -> wake_mark = end; wake()
#ifdef ANSWER_ONCE
		:: else
#else
		:: else ->
			old_mark = wake_mark;
			if
			:: shown > old_mark -> goto answer
			:: else
			fi
#endif
		fi;
		shown = 0;
		old_mark = 0;
		AFTER_ALL
	}

behind:
#ifndef BEHIND_TOO_LATE
	atomic {
		mine;
		if
		:: published < pos + size -> goto hold
		:: else -> goto count
		fi
	}
hold:	atomic {
		mine;
		RAISE(held_back, pos + size)
	}
#endif
count:	atomic {
		mine;
		samples++;
#ifdef SAMPLES_OVERTAKEN
		tries = samples;
		if
		:: samples >= WAKEUP_EVENTS -> goto restart
		:: else -> finish(); goto end_of_record
		fi
	}
restart:
	atomic {
		mine;
		if
		:: samples == tries -> samples = 0; tries = 0; end = pos + size; goto ask
		:: else -> finish(); goto end_of_record
		fi
	}
#else
		if
		:: samples >= WAKEUP_EVENTS -> samples = 0; goto held
#ifdef BEHIND_TOO_LATE
		:: else -> goto too_late
#else
		:: else -> finish(); goto end_of_record
#endif
		fi
	}
#endif
#ifdef BEHIND_TOO_LATE
too_late:
	atomic {
		mine;
		if
		:: published < pos + size
		:: else -> finish(); goto end_of_record
		fi
	}
	atomic {
		mine;
		RAISE(held_back, pos + size);
		finish();
		goto end_of_record
	}
#endif
held:	atomic {
		mine;
#ifdef OWN_END
		end = pos + size
#else
		end = (held_back > pos + size -> held_back : pos + size)
#endif
	}
ask:	atomic {
		mine;
#ifdef ASK_LATE
		seen = published
	}
	atomic {
		mine;
#endif
#ifdef LAST_QUESTION
		asked = end
#else
		RAISE(asked, end)
#endif
	}
	atomic { /* done */
		mine;
#ifndef ASK_LATE
		seen = published;
#endif
		if
		:: seen < end -> finish(); goto end_of_record
		:: else ->
			end = seen;
			seen = 0;
			caller = ASK
		fi;
#ifdef TOLD_BEFORE_SHOW
		goto told_of
#else
		goto reveal
#endif
	}
told_of:
	atomic {
		mine;
#ifndef MARK_STAYS
		RAISE(wake_mark, end);
#endif
		wake();
		caller = RUNS;
		finish();
		goto end_of_record
	}
#endif
}

#ifdef SNAPSHOT
/*
 * One slot stands for the record that it belongs to: of what the copy has, it
 * believes what cannot have been reserved again when the copy was complete.
 */
proctype reader()
{
	byte at, copy;

	atomic {
		select(at : data_head - SIZE .. data_head - 1)
	}
	atomic {
		copy = content[SLOT(at)]
	}
	atomic {
		if
		:: data_reserved - at <= SIZE -> MUST(snapshot_is_true, copy == at)
		:: else
		fi
	}
}
#elif defined(READER)
proctype reader()
{
#ifndef SLEEPER
	byte to;
#endif

end_of_data:
	do
#ifdef SLEEPER
	/* From here on a notification alone wakes it. Looking and sleeping are one step, as
	   the wait queue makes them. */
	:: atomic {
		wake_mark <= data_tail;
		d_step {
			asleep = 1;
			if
			:: busy == 0 -> judge_sleeper()
			:: else
			fi
		}
	   }
end_of_sleep:
	   asleep == 0
	/* To data_head, to published as splice() does, or no further than it was notified of;
	   at once: a reader that takes its time comes later. */
	:: atomic { data_tail < data_head; data_tail = data_head }
	:: atomic { data_tail < published; data_tail = published }
	:: atomic { data_tail < wake_mark; data_tail = wake_mark }
#else
	:: atomic {
		data_tail != data_head;
		select(to : data_tail + 1 .. data_head)
	   }
	   atomic {
		data_tail = to;
		to = 0
	   }
#endif
	od
}
#endif

init {
	atomic {
		d_step {
			i = START - SIZE;
			do
			:: i < START ->
				/* Of the lap that has begun, what is published was flipped. */
				commits[WORD_OF(i)] = commits[WORD_OF(i)] |
					((ODD_LAP(i) -> 0 : 1) << BIT_OF(i));
#ifdef SNAPSHOT
				content[SLOT(i)] = i;
#endif
				i++
			:: else -> break
			od;
			i = 0
		}
		do
		:: i < CPUS ->
			run writer(i, 0, TASK);
			k = 1;
			do
			:: k < LEVELS && i < NMI_CPUS -> run writer(i, k, NMI); k++
			:: else -> break
			od;
			i++
		:: else -> break
		od;
#ifdef READER
		run reader();
#endif
		i = 0
	}
}
