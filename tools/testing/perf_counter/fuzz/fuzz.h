/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fuzzer's parts: programs of calls (program.c), how they are made up (generate.c,
 * attr.c), what each call does (calls.c, world.c, work.c), which blocks of the kernel they
 * reach (cover.c), and the workers with their supervisor (worker.c, main.c).
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <linux/perf_counter.h>

typedef uint64_t u64;

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Memory that others write at the same time, the kernel or another worker. */
static inline u64 load(const void *at)
{
	return __atomic_load_n((const u64 *)at, __ATOMIC_RELAXED);
}

static inline void store(void *at, u64 value)
{
	__atomic_store_n((u64 *)at, value, __ATOMIC_RELAXED);
}

/* === Programs === */

#define CALLS_MAX	16	/* calls in a program */
#define WORDS_MAX	24	/* words that a call's arguments take */
#define ATTR_WORDS	17	/* of them, those of an attr */
#define TEXT_WORDS	12	/* of them, those of a text */

/* Descriptors, mappings and children that a program can name. */
#define SLOTS		6
#define MAPS		4
#define CHILDREN	3

/**
 * enum arg_kind - what an argument of a call is, and so how it is made up and printed
 * @ARG_END: no argument; ends the list
 * @ARG_SLOT: a descriptor of the program, by its slot
 * @ARG_SLOT_OR_NONE: the same, or -1
 * @ARG_NEW_SLOT: the same, of a descriptor that the call makes
 * @ARG_MAP: a mapping of the program, by its slot
 * @ARG_NEW_MAP: the same, of one that the call makes
 * @ARG_CHILD: a child of the program, by its slot
 * @ARG_TASK: a task, as enum task_name
 * @ARG_CPU: a CPU's number, or -1
 * @ARG_PICK: mostly one of the values that the argument lists
 * @ARG_FLAGS: mostly bits out of those that the argument lists
 * @ARG_BELOW: a number below the argument's limit
 * @ARG_VALUE: any number, with a liking for limits
 * @ARG_ATTR: an attr, ATTR_WORDS words
 * @ARG_TEXT: a filter, TEXT_WORDS words
 */
enum arg_kind {
	ARG_END, ARG_SLOT, ARG_SLOT_OR_NONE, ARG_NEW_SLOT, ARG_MAP, ARG_NEW_MAP, ARG_CHILD,
	ARG_TASK, ARG_CPU, ARG_PICK, ARG_FLAGS, ARG_BELOW, ARG_VALUE, ARG_ATTR, ARG_TEXT,
};

/* What a program names tasks by, as ids are others in each run. Other values are ids. */
enum task_name {
	TASK_SELF, TASK_MACHINE, TASK_HELPER, TASK_PARENT, TASK_INIT, TASK_OTHER_WORKER,
	TASK_CHILD0, TASK_NAMES = TASK_CHILD0 + CHILDREN,
};

struct arg_type {
	enum arg_kind kind;
	const u64 *values;
	unsigned int n;
};

struct call {
	unsigned short kind;	/* index into call_types */
	bool async;		/* made by the worker's helper thread, beside those that follow */
	u64 arg[WORDS_MAX];
};

struct program {
	unsigned int n;
	struct call calls[CALLS_MAX];
};

/**
 * struct call_type - a call that programs can make
 * @name: its name in a program's text
 * @args: its arguments
 * @weight: how often it is made up, in comparison with the others
 * @run: makes the call
 * @child: it changes the process for good, so that the program runs in a child of its own
 */
struct call_type {
	const char *name;
	struct arg_type args[9];
	unsigned int weight;
	void (*run)(const u64 *arg);
	bool child;
};

extern const struct call_type call_types[];
extern const unsigned int nr_call_types;

unsigned int arg_words(enum arg_kind kind);
bool program_needs_child(const struct program *program);
void program_print(const struct program *program, FILE *to);
/* Returns the number of programs read, or -1 and says where the text is wrong. */
int programs_read(FILE *from, const char *name, struct program *programs, int max);

/* === Making programs up === */

struct random {
	u64 state;
};

u64 random_word(struct random *r);
u64 random_below(struct random *r, u64 n);
bool random_once_in(struct random *r, unsigned int n);
u64 random_value(struct random *r);
void random_attr(struct random *r, u64 *words);
void mutate_attr(struct random *r, u64 *words);
void random_filter(struct random *r, char *text, size_t size);
void random_program(struct random *r, struct program *program);
void mutate_program(struct random *r, struct program *program, const struct program *other);

/* === What programs act on === */

/* Types of attrs beyond the kernel's: of the PMUs kprobe and uprobe, by name. */
#define TYPE_KPROBE	0x106
#define TYPE_UPROBE	0x107
/* A tracepoint's config: by its place in the list of names, or one of the probes below. */
#define CONFIG_NAMED	(1ULL << 63)
#define CONFIG_PROBE	(1ULL << 62)

#define PROBES		6	/* that programs define in tracefs: kprobes, then uprobes */
#define KPROBES		4

void world_prepare(void);	/* once, in the supervisor */
void world_enter(void);		/* once in each worker, and in a program's own child */
void world_leave(void);		/* after each program */
void world_restore(void);	/* in the supervisor, at the end */
void world_set_helper(pid_t tid);

void run_call(const struct call *call);
void run_program(const struct program *program, void (*ran)(void));

/* What a task does that is counted: @kind is below WORKS. */
#define WORKS		28
void work(u64 kind, u64 amount);
bool work_is_slow(u64 kind);
/* What the program does when it is executed by a program: its first argument is WORK_ARG. */
#define WORK_ARG	"--work"
void execute_work(unsigned int kind, unsigned int amount);
int work_main(int argc, char **argv);
void probed_function(void);

/*
 * touch_memory() - run @touch, which may fault
 *
 * A fault ends it; the memory is the program's, which may have unmapped it.
 */
void touch_memory(void (*touch)(void *data), void *data);
void catch_signals(void);

/* === Coverage === */

#define COVER_BASE	0xffffffff80000000ULL
#define COVER_BYTES	(64ULL << 20)	/* of the kernel's code */

bool cover_open(void);			/* once in each worker; false: an error */
bool cover_is_known(void);		/* the kernel has KCOV */
void cover_start(void);
void cover_stop(void);
/* In a child or a thread; in one at a time, it does nothing in the others. */
void cover_start_child(void);
/* Take in what the last call has reached. */
void cover_take(void);

#define FRESH_MAX	64

/**
 * struct cover_result - what the program that ran last has reached; a child writes it, too
 * @nr_fresh: blocks that no program had reached before
 * @fresh: the first of them
 * @nr_expected: blocks that the program is to reach
 * @expected: these blocks
 * @met: a bit for each that it has reached
 */
struct cover_result {
	unsigned int nr_fresh, nr_expected;
	u64 fresh[FRESH_MAX], expected[FRESH_MAX], met;
};

extern struct cover_result *cover_result;

/* === Workers === */

#define WORKERS_MAX	8
#define CORPUS_MAX	4096
#define RECENT		8	/* programs of each worker that are shown in a report */

struct recent {
	_Atomic unsigned int runs;	/* programs begun; the last is at (runs - 1) % RECENT */
	struct program programs[RECENT];
};

/* What the processes share. */
struct shared {
	_Atomic u64 calls, programs, blocks, opened;
	_Atomic u64 next_hotplug, next_slow, next_exec;	/* in calls: not before so many */
	_Atomic u64 hotplugs;
	_Atomic bool stop;
	_Atomic unsigned int next_given, nr_given, nr_corpus;
	_Atomic pid_t pids[WORKERS_MAX];
	_Atomic u64 calls_of[WORKERS_MAX];
	struct recent recent[WORKERS_MAX];
	_Atomic uint8_t seen[COVER_BYTES / 8];
	struct program given[CORPUS_MAX];	/* read from files, to be run first */
	_Atomic bool ready[CORPUS_MAX];		/* this one of the corpus is complete */
	struct program corpus[CORPUS_MAX];	/* has reached something new each */
};

extern struct shared *shared;
extern unsigned int nr_workers, worker_nr;
extern bool only_given;	/* nothing is made up */
extern char self_path[];

void worker_run(unsigned int nr, u64 seed);

#endif
