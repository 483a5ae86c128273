/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fuzzer's parts: programs of calls (program.c), their generation (generate.c, attr.c),
 * the calls (calls.c, world.c, work.c), the blocks of the kernel that they reach (cover.c),
 * and the workers with their supervisor (worker.c, main.c).
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

/* Read memory that the kernel or another worker may write at the same time. */
static inline u64 load(const void *at)
{
	return __atomic_load_n((const u64 *)at, __ATOMIC_RELAXED);
}

static inline void store(void *at, u64 value)
{
	__atomic_store_n((u64 *)at, value, __ATOMIC_RELAXED);
}

/* === Programs === */

#define CALLS_MAX	16	/* largest number of calls in a program */
#define WORDS_MAX	24	/* largest number of words of a call's arguments together */
#define ATTR_WORDS	17	/* words of an argument that is an attr */
#define TEXT_WORDS	12	/* words of an argument that is a text */

/* Largest numbers of descriptors, mappings and children of a program. */
#define SLOTS		6
#define MAPS		4
#define CHILDREN	3

/**
 * enum arg_kind - kind of an argument, which decides how it is generated and printed
 * @ARG_END: end of the list of arguments
 * @ARG_SLOT: slot of a descriptor of the program
 * @ARG_SLOT_OR_NONE: slot of a descriptor, or -1
 * @ARG_NEW_SLOT: slot of a descriptor that the call makes
 * @ARG_MAP: slot of a mapping of the program
 * @ARG_NEW_MAP: slot of a mapping that the call makes
 * @ARG_CHILD: slot of a child of the program
 * @ARG_TASK: task, as enum task_name
 * @ARG_CPU: number of a CPU, or -1
 * @ARG_PICK: mostly a value of the argument's list
 * @ARG_FLAGS: mostly bits of the argument's list
 * @ARG_BELOW: number below the argument's limit
 * @ARG_VALUE: any number, often near a limit
 * @ARG_ATTR: attr, ATTR_WORDS words
 * @ARG_TEXT: filter, TEXT_WORDS words
 */
enum arg_kind {
	ARG_END, ARG_SLOT, ARG_SLOT_OR_NONE, ARG_NEW_SLOT, ARG_MAP, ARG_NEW_MAP, ARG_CHILD,
	ARG_TASK, ARG_CPU, ARG_PICK, ARG_FLAGS, ARG_BELOW, ARG_VALUE, ARG_ATTR, ARG_TEXT,
};

/* Names of tasks in programs, as ids differ in each run. Other values are ids. */
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
	bool async;		/* made by the helper thread, beside later calls */
	u64 arg[WORDS_MAX];
};

struct program {
	unsigned int n;
	struct call calls[CALLS_MAX];
};

/**
 * struct call_type - a call that programs can make
 * @name: name of the call in a program's text
 * @args: arguments of the call
 * @weight: frequency of the call, relative to the others
 * @run: function that makes the call
 * @child: true if the call changes the process for good, so that the program runs in a child
 *	of its own
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
/* Read programs. Returns their number, or -1 after a message about an error in the text. */
int programs_read(FILE *from, const char *name, struct program *programs, int max);

/* === Generating programs === */

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

/* === The world of programs === */

/*
 * In the attr of a program, these types stand for those of the PMUs kprobe and uprobe, which differ
 * from kernel to kernel. attr_resolve() replaces them with the real types.
 */
#define TYPE_KPROBE	0x106
#define TYPE_UPROBE	0x107
/* Bit of a tracepoint's config: the other bits are a place in the list of names. */
#define CONFIG_NAMED	(1ULL << 63)
/* Bit of a tracepoint's config: the other bits are the number of one of the probes below. */
#define CONFIG_PROBE	(1ULL << 62)

#define PROBES		6	/* probes that programs define in tracefs: kprobes, then uprobes */
#define KPROBES		4

void world_prepare(void);	/* once, in the supervisor */
void world_enter(void);		/* once in each worker, and in a program's own child */
void world_leave(void);		/* after each program */
void world_restore(void);	/* in the supervisor, at the end */
void world_set_helper(pid_t tid);

void run_call(const struct call *call);
void run_program(const struct program *program, void (*ran)(void));

/* Do work that counters count: @kind is below WORKS. */
#define WORKS		28
void work(u64 kind, u64 amount);
bool work_is_slow(u64 kind);
/* First argument of this program when a work executes it. */
#define WORK_ARG	"--work"
void execute_work(unsigned int kind, unsigned int amount);
int work_main(int argc, char **argv);
void probed_function(void);

/*
 * touch_memory() - run @touch, which may fault
 *
 * A fault ends @touch, because the program may have unmapped the memory.
 */
void touch_memory(void (*touch)(void *data), void *data);
void catch_signals(void);

/* === Coverage === */

#define COVER_BASE	0xffffffff80000000ULL
#define COVER_BYTES	(64ULL << 20)	/* bytes of the kernel's code */

bool cover_open(void);			/* once in each worker; returns false on an error */
bool cover_is_known(void);		/* returns whether the kernel has KCOV */
void cover_start(void);
void cover_stop(void);
/* Call this in a child or a thread. Only one at a time is recorded. */
void cover_start_child(void);
/* Record the blocks that the last call has reached. */
void cover_take(void);

#define FRESH_MAX	64

/**
 * struct cover_result - blocks reached by the last program, and by its children
 * @nr_fresh: number of blocks that no program had reached before
 * @fresh: the first of these blocks
 * @nr_expected: number of blocks that the program should reach
 * @expected: addresses of the expected blocks
 * @met: a bit for each expected block that was reached
 */
struct cover_result {
	unsigned int nr_fresh, nr_expected;
	u64 fresh[FRESH_MAX], expected[FRESH_MAX], met;
};

extern struct cover_result *cover_result;

/* === Workers === */

#define WORKERS_MAX	8
#define CORPUS_MAX	4096
#define RECENT		8	/* programs of each worker that a report shows */

struct recent {
	_Atomic unsigned int runs;	/* programs begun; the last is at (runs - 1) % RECENT */
	struct program programs[RECENT];
};

/* Memory that the processes share. */
struct shared {
	_Atomic u64 calls, programs, blocks, opened;
	/* Total of calls before which none of this kind is made. */
	_Atomic u64 next_hotplug, next_slow, next_exec;
	_Atomic u64 hotplugs;
	_Atomic bool stop;
	_Atomic unsigned int next_given, nr_given, nr_corpus;
	_Atomic pid_t pids[WORKERS_MAX];
	_Atomic u64 calls_of[WORKERS_MAX];
	struct recent recent[WORKERS_MAX];
	_Atomic uint8_t seen[COVER_BYTES / 8];
	struct program given[CORPUS_MAX];	/* programs from files, which run first */
	_Atomic bool ready[CORPUS_MAX];		/* corpus[i] is complete */
	struct program corpus[CORPUS_MAX];	/* programs that have each reached new blocks */
};

extern struct shared *shared;
extern unsigned int nr_workers, worker_nr;
extern bool only_given;	/* no program is generated */
extern char self_path[];

void worker_run(unsigned int nr, u64 seed);

#endif
