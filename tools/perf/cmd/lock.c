// SPDX-License-Identifier: GPL-2.0
/* perf lock: record waits for locks, and show which code waited, and how long. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lock/lock.h"
#include "machine/machine.h"
#include "symbol/symbol.h"
#include "arguments.h"
#include "callers.h"
#include "cmd.h"
#include "drop_in.h"
#include "input_options.h"
#include "option_values.h"
#include "pager.h"

/* Bits of common_flags for a hard or soft interrupt (enum trace_flag_type). */
#define FLAGS_INTERRUPT 0x18U

/**
 * struct lock_name - the name of a variable of the kernel
 * @node: node in the table, by address
 * @addr: address
 * @name: name
 */
struct lock_name {
	struct hash_node node;
	uint64_t addr;
	char *name;
};

/**
 * struct lock_section - a part of the kernel's code with functions that take locks
 * @start_name: name of the symbol at its start
 * @end_name: name of the symbol at its end
 * @start: address; 0: not known
 * @end: first address after the section
 */
struct lock_section {
	const char *start_name;
	const char *end_name;
	uint64_t start;
	uint64_t end;
};

/**
 * struct lock - options and results of perf lock
 * @input: recording and its symbols
 * @futex: waits of programs for futexes are shown, not those for the kernel's locks
 * @style: form of the table
 * @types: argument of -Y, or NULL
 * @locks: argument of -L, or NULL
 * @callers: argument of -S, or NULL
 * @skip: number of functions of a chain that are not callers
 * @output: path of --output, or NULL
 * @record: arguments of perf record, to measure now
 * @nr_record: number of @record
 * @contention: waits
 * @texts: texts for callers and wakers
 * @chain: call chain of the current sample
 * @names: names of locks, after read_names()
 * @sections: parts of the kernel's code that are not callers
 * @names_read: the names of locks have been looked for
 * @nr_chains: number of beginnings with call chains
 * @nr_begins: number of beginnings
 * @nr_bad: number of events without the expected fields
 */
struct lock {
	struct input_options input;
	bool futex;
	struct contention_style style;
	const char *types;
	const char *locks;
	const char *callers;
	size_t skip;
	const char *output;
	char **record;
	int nr_record;
	struct contention contention;
	struct intern_table texts;
	struct callchain chain;
	struct hash_table names;
	struct lock_section sections[2];
	bool names_read;
	uint64_t nr_chains;
	uint64_t nr_begins;
	uint64_t nr_bad;
};

static const char *const kernel_events[] = {
	"-g", "--kernel-callchains", "-m", "4M", "-e", "lock:contention_begin", "-e", "lock:contention_end",
};

static const char *const futex_events[] = {
	"--call-graph", "dwarf", "-m", "8M", "-e", "syscalls:sys_enter_futex",
	"-e", "syscalls:sys_exit_futex", "-e", "sched:sched_waking",
};

/* Run "perf record" with the events and further arguments. */
static int record_waits(bool futex, int argc, char **argv)
{
	const char *const *own = futex ? futex_events : kernel_events;
	size_t nr = futex ? ARRAY_SIZE(futex_events) : ARRAY_SIZE(kernel_events), i;
	char **args = xcalloc(2 + nr + argc, sizeof(*args));
	int n = 0, status;

	args[n++] = "perf record";
	for (i = 0; i < nr; i++)
		args[n++] = (char *)own[i];
	for (i = 0; i < (size_t)argc; i++)
		args[n++] = argv[i];
	status = cmd_record(n, args);
	free(args);
	return status;
}

static int64_t tid_of(const struct record *record)
{
	/* Each CPU has an idle task with the number 0. */
	return record->id.tid ? (int64_t)record->id.tid : -1 - (int64_t)record->id.cpu;
}

static bool get_number(const struct session *session, const struct perf_event_attr *attr,
		       const struct record *record, const char *field, uint64_t *value)
{
	return tracing_data_number(data_reader_features(session->reader)->tracing, attr->config,
				   record->sample.raw, record->sample.raw_size, field, value);
}

/* Return the text for a location: function and offset, or the address. */
static const char *text_of(struct lock *lock, const struct location *at)
{
	const char *interned;
	char *text;

	if (at->symbol)
		text = xasprintf("%s+0x%" PRIx64, symbol_name(at->symbol), at->symbol_offset);
	else
		text = xasprintf("0x%" PRIx64, at->ip);
	interned = intern(&lock->texts, text);
	free(text);
	return interned;
}

/* Return true if the kernel's function is no caller: it takes locks for its callers. */
static bool takes_locks(const struct lock *lock, const struct location *at)
{
	const char *name = at->symbol ? symbol_name(at->symbol) : "";
	bool known = false;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lock->sections); i++) {
		known |= lock->sections[i].start && lock->sections[i].end;
		if (at->ip >= lock->sections[i].start && at->ip < lock->sections[i].end)
			return true;
	}
	return lock_is_trace_function(name) || (!known && lock_is_lock_function(name));
}

static bool is_caller(const struct lock *lock, const struct location *at)
{
	if (!lock->futex)
		return !takes_locks(lock, at);
	return is_user_caller(at);
}

/* Resolve the chain of a sample. Return: the text for the caller, which is not a lock function. */
static const char *find_caller(struct lock *lock, struct session *session,
			       const struct record *record)
{
	struct thread *thread = thread_get(&session->machine.threads, record->id.pid,
					   record->id.tid);
	size_t i;

	lock->chain.nr = 0;
	callchain_resolve(&lock->chain, &session->machine, thread, record);
	for (i = lock->skip; i < lock->chain.nr; i++) {
		if (is_caller(lock, &lock->chain.frames[i]))
			return text_of(lock, &lock->chain.frames[i]);
	}
	return intern(&lock->texts, lock->chain.nr ? "[no caller]" : "[no call chain]");
}

/* Return true if the chain has a function whose name contains a text of -S. */
static bool chain_is_wanted(const struct lock *lock)
{
	char *copy, *rest, *part;
	bool found = false;
	size_t i;

	if (!lock->callers)
		return true;
	copy = xstrdup(lock->callers);
	rest = copy;
	while (!found && (part = strsep(&rest, ","))) {
		for (i = 0; i < lock->chain.nr && !found; i++) {
			struct symbol *symbol = lock->chain.frames[i].symbol;

			found = *part && symbol && strstr(symbol_name(symbol), part);
		}
	}
	free(copy);
	return found;
}

static const char *lock_name(void *context, uint64_t addr)
{
	const struct lock *lock = context;
	struct hash_node *node = hash_table_first(&lock->names, hash_number(addr));

	for (; node; node = hash_table_next(node)) {
		const struct lock_name *name = hash_entry(node, struct lock_name, node);

		if (name->addr == addr)
			return name->name;
	}
	return NULL;
}

/* Return true if the lock is one of -L: an address, or the name of a variable. */
static bool lock_is_wanted(struct lock *lock, uint64_t addr)
{
	const char *name = lock->locks ? lock_name(lock, addr) : NULL;
	char text[24];

	if (!lock->locks || (name && in_list(lock->locks, name)))
		return true;
	snprintf(text, sizeof(text), "%" PRIx64, addr);
	if (in_list(lock->locks, text))
		return true;
	snprintf(text, sizeof(text), "0x%" PRIx64, addr);
	return in_list(lock->locks, text);
}

/* Return true if no filter excludes the wait. */
static bool is_wanted(struct lock *lock, const struct contention_place *place)
{
	return (!lock->types || lock_type_in_list(lock->types, place->flags)) &&
	       lock_is_wanted(lock, place->lock) && chain_is_wanted(lock);
}

static bool has_name(const struct kallsym *k, const char *name)
{
	return !k->module && k->name_size == strlen(name) && !strncmp(k->name, name, k->name_size);
}

static void take_symbol(void *context, const struct kallsym *k)
{
	struct lock *lock = context;
	struct lock_name *name;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lock->sections); i++) {
		if (has_name(k, lock->sections[i].start_name))
			lock->sections[i].start = k->addr;
		if (has_name(k, lock->sections[i].end_name))
			lock->sections[i].end = k->addr;
	}
	if (kallsym_is_code(k) || lock_name(lock, k->addr) ||
	    (!lock->locks && lock->contention.view != CONTENTION_BY_LOCK))
		return;
	name = xcalloc(1, sizeof(*name));
	name->addr = k->addr;
	name->name = xstrndup(k->name, k->name_size);
	hash_table_add(&lock->names, &name->node, hash_number(k->addr));
}

/* Find sections and the names of locks. The records so far say which kernel it is. */
static void read_names(struct lock *lock, struct session *session)
{
	if (lock->names_read || lock->futex)
		return;
	lock->names_read = true;
	kernel_symbols_walk(&session->machine.dsos, take_symbol, lock);
}

static void begin(struct lock *lock, struct session *session, const struct record *record,
		  uint64_t key, uint64_t addr, uint32_t flags)
{
	struct contention_place place;

	read_names(lock, session);
	place = (struct contention_place){
		.tid = tid_of(record),
		.comm = thread_get(&session->machine.threads, record->id.pid,
				   record->id.tid)->comm,
		.lock = addr,
		.flags = flags,
		.caller = find_caller(lock, session, record),
	};

	lock->nr_begins++;
	lock->nr_chains += lock->chain.nr != 0;
	if (is_wanted(lock, &place))
		contention_begin(&lock->contention, key, &place, record->id.time);
}

static void handle_kernel(struct lock *lock, struct session *session,
			  const struct perf_event_attr *attr, const char *name,
			  const struct record *record)
{
	uint64_t addr, flags;

	if (strcmp(name, "lock:contention_begin") && strcmp(name, "lock:contention_end"))
		return;
	if (!get_number(session, attr, record, "lock_addr", &addr))
		lock->nr_bad++;
	else if (!strcmp(name, "lock:contention_end"))
		contention_end(&lock->contention, tid_of(record), addr, record->id.time);
	else if (get_number(session, attr, record, "flags", &flags))
		begin(lock, session, record, addr, addr, flags);
	else
		lock->nr_bad++;
}

static bool is_wait(uint64_t op)
{
	switch (op & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
	case FUTEX_LOCK_PI:
	case 13: /* FUTEX_LOCK_PI2, since Linux 5.14 */
		return true;
	}
	return false;
}

/* Note the task and the function that wake up a thread that waits for a futex. */
static void handle_waking(struct lock *lock, struct session *session,
			  const struct perf_event_attr *attr, const struct record *record)
{
	uint64_t tid, flags;
	const char *waker;
	char *text;

	if (!get_number(session, attr, record, "pid", &tid)) {
		lock->nr_bad++;
		return;
	}
	if (!contention_is_waiting(&lock->contention, tid, 0))
		return;
	if (get_number(session, attr, record, "common_flags", &flags) && flags & FLAGS_INTERRUPT) {
		waker = intern(&lock->texts, "an interrupt");
	} else {
		text = xasprintf("%s %s", thread_get(&session->machine.threads, record->id.pid,
						     record->id.tid)->comm,
				 find_caller(lock, session, record));
		waker = intern(&lock->texts, text);
		free(text);
	}
	contention_wake(&lock->contention, tid, 0, waker);
}

static void handle_futex(struct lock *lock, struct session *session,
			 const struct perf_event_attr *attr, const char *name,
			 const struct record *record)
{
	uint64_t addr, op, ret;

	if (!strcmp(name, "sched:sched_waking")) {
		handle_waking(lock, session, attr, record);
	} else if (!strcmp(name, "syscalls:sys_exit_futex")) {
		if (!get_number(session, attr, record, "ret", &ret))
			lock->nr_bad++;
		else if ((int64_t)ret == -EAGAIN)
			/* The futex was free already. */
			contention_cancel(&lock->contention, record->id.tid, 0);
		else
			contention_end(&lock->contention, record->id.tid, 0, record->id.time);
	} else if (!strcmp(name, "syscalls:sys_enter_futex")) {
		if (!get_number(session, attr, record, "uaddr", &addr) ||
		    !get_number(session, attr, record, "op", &op))
			lock->nr_bad++;
		else if (is_wait(op))
			begin(lock, session, record, 0, addr, LOCK_FUTEX);
	}
}

static void handle_record(void *context, struct session *session, const struct record *record)
{
	const struct data_event *event;
	struct lock *lock = context;
	char *name;

	if (record->type != PERF_RECORD_SAMPLE)
		return;
	event = &data_reader_events(session->reader)->events[record->event];
	if (event->attr.type != PERF_TYPE_TRACEPOINT)
		return;
	name = xstrndup(event->name, strcspn(event->name, ":") + 1 +
			strcspn(event->name + strcspn(event->name, ":") + 1, ":"));
	if (lock->futex)
		handle_futex(lock, session, &event->attr, name, record);
	else
		handle_kernel(lock, session, &event->attr, name, record);
	free(name);
}

static void free_name(struct hash_node *node)
{
	struct lock_name *name = hash_entry(node, struct lock_name, node);

	free(name->name);
	free(name);
}

/* Return true if the recording has the event that begins a wait. */
static bool has_event(const struct lock *lock, const struct session *session)
{
	const struct event_table *events = data_reader_events(session->reader);
	const char *name = lock->futex ? "syscalls:sys_enter_futex" : "lock:contention_begin";
	size_t i;

	for (i = 0; i < events->nr; i++) {
		if (!strncmp(events->events[i].name, name, strlen(name)))
			return true;
	}
	return false;
}

/* Warn of events that the recording lacks, and of malformed ones. Return: the exit status. */
static int check(const struct lock *lock, const struct session *session)
{
	if (lock->nr_bad)
		complain("%s: %" PRIu64 " events lack expected fields and are left out",
			 session->path, lock->nr_bad);
	if (lock->contention.nr_lost)
		warn("%s: %" PRIu64 " waits began again before they ended, because records were lost; record with a larger -m",
		     session->path, lock->contention.nr_lost);
	if (lock->contention.waits.nr)
		warn("%s: %zu waits had not ended when the recording did; they are not counted",
		     session->path, lock->contention.waits.nr);
	if (lock->nr_begins && !lock->nr_chains && lock->contention.view == CONTENTION_BY_CALLER)
		warn("%s: the events have no call chains; record them with perf lock record",
		     session->path);
	if (has_event(lock, session))
		return lock->nr_bad ? EXIT_FAILED : 0;
	if (lock->futex)
		complain("%s: the recording has no calls of futex(2); make one with: perf lock record --futex",
			 session->path);
	else
		complain("%s: the recording has no lock:contention_begin; make one with: perf lock record",
			 session->path);
	return EXIT_FAILED;
}

/* Print the table. Return: the exit status. */
static int print(struct lock *lock)
{
	struct error err;
	FILE *out = stdout;

	if (lock->output) {
		out = open_output_file(lock->output, false, &err);
		if (!out) {
			complain("%s", err.text);
			return EXIT_FAILED;
		}
	}
	contention_print(out, &lock->contention, &lock->style);
	if (out != stdout && fclose(out)) {
		complain("%s: cannot write it: %s", lock->output, strerror(errno));
		return EXIT_FAILED;
	}
	return 0;
}

static int show(struct lock *lock)
{
	static const struct session_handlers handlers = { .record = handle_record };
	struct session session;
	struct pager pager;
	int status, complaint;

	status = input_open(&session, &lock->input);
	if (status)
		return status;
	session.silent = true;
	session_run(&session, &handlers, lock);
	/* Chains in recordings of the kernel's perf may have callers in programs: not used. */
	if (!lock->futex)
		session.machine.pointed = (struct pointer_counts){ 0 };
	pager_start(&pager);
	complaint = has_event(lock, &session) ? print(lock) : 0;
	if (check(lock, &session))
		complaint = EXIT_FAILED;
	status = session_complain(&session);
	pager_end(&pager);
	if (!status && !complaint && !lock->contention.rows.nr && !lock->futex && !lock->types &&
	    !lock->locks && !lock->callers)
		warn("no thread waited for a lock of the kernel; --futex shows waits for locks of programs");
	contention_free(&lock->contention);
	hash_table_free_all(&lock->names, free_name);
	callchain_free(&lock->chain);
	intern_free(&lock->texts);
	session_close(&session);
	return status ? status : complaint;
}

/* Record into a file of its own, show it, and remove it. */
static int show_now(struct lock *lock)
{
	const char *tmp = getenv("TMPDIR") ?: "/tmp";
	char *dir = xasprintf("%s/perf-lock-XXXXXX", tmp), *path;
	char **args;
	int status;

	if (!mkdtemp(dir)) {
		complain("%s: cannot make a directory in it: %s", tmp, strerror(errno));
		free(dir);
		return EXIT_FAILED;
	}
	path = xasprintf("%s/data", dir);
	args = xcalloc(lock->nr_record + 5, sizeof(*args));
	args[0] = "-q";
	args[1] = "-B";
	args[2] = "-o";
	args[3] = path;
	memcpy(args + 4, lock->record, lock->nr_record * sizeof(*args));
	status = record_waits(lock->futex, lock->nr_record + 4, args);
	if (!status) {
		lock->input.path = path;
		status = show(lock);
	}
	unlink(path);
	rmdir(dir);
	free(args);
	free(path);
	free(dir);
	return status;
}

enum {
	OPTION_TID = 0x100,
	OPTION_OUTPUT,
	OPTION_KALLSYMS,
	OPTION_VMLINUX,
	OPTION_FUTEX,
	OPTION_STACK_SKIP,
};

static const struct argp_option option_table[] = {
	{ "input", 'i', "FILE", 0, "Read FILE (perf.data)", 0 },
	{ "all-cpus", 'a', NULL, 0, "Record the whole machine now, and show it", 0 },
	{ "cpu", 'C', "CPU[,CPU...]", 0, "Record these CPUs now", 0 },
	{ "pid", 'p', "PID[,PID...]", 0, "Record these processes now", 0 },
	{ "tid", OPTION_TID, "TID[,TID...]", 0, "Record these threads now", 0 },
	{ "futex", OPTION_FUTEX, NULL, 0, "Waits of programs for futexes, as those of mutexes", 0 },
	{ "threads", 't', NULL, 0, "A row for each thread that waited", 0 },
	{ "lock-addr", 'l', NULL, 0, "A row for each lock", 0 },
	{ "key", 'k', "COLUMN", 0,
	  "Sort by contended, wait_total (default), wait_max, wait_min or avg_wait", 0 },
	{ "field", 'F', "COLUMN[,COLUMN...]", 0, "Show these columns (all but wait_min)", 0 },
	{ "entries", 'E', "N", 0, "Show the first N rows", 0 },
	{ "type-filter", 'Y', "TYPE[,TYPE...]", 0,
	  "Only locks of these types: mutex, spinlock, rwsem, rwsem:R, ...", 0 },
	{ "lock-filter", 'L', "LOCK[,LOCK...]", 0, "Only these locks: addresses or names", 0 },
	{ "callstack-filter", 'S', "NAME[,NAME...]", 0,
	  "Only waits with a function in the call chain whose name contains NAME", 0 },
	{ "stack-skip", OPTION_STACK_SKIP, "N", 0,
	  "Leave out N functions of the call chain where the caller is looked for (0)", 0 },
	{ "field-separator", 'x', "TEXT", 0, "Put TEXT between columns, and print ns", 0 },
	{ "output", OPTION_OUTPUT, "FILE", 0, "Write to FILE", 0 },
	{ "kallsyms", OPTION_KALLSYMS, "FILE", 0,
	  "Copy of the recorded kernel's /proc/kallsyms, for its symbols", 0 },
	{ "vmlinux", OPTION_VMLINUX, "FILE", 0,
	  "vmlinux of the recorded kernel, for its symbols", 0 },
	{ 0 }
};

static void parse_columns(struct argp_state *state, struct contention_style *style,
			  const char *list)
{
	size_t size;

	for (style->nr_columns = 0; list; list = list[size] ? list + size + 1 : NULL) {
		size = strcspn(list, ",");
		if (style->nr_columns == CONTENTION_COLUMNS ||
		    contention_column_find(list, size, &style->columns[style->nr_columns]))
			argp_error(state, "-F: '%s' are not columns; use contended, wait_total, wait_max, wait_min, avg_wait",
				   list);
		style->nr_columns++;
	}
}

static void parse_types(struct argp_state *state, struct lock *lock, const char *list)
{
	const char *unknown = lock_type_unknown(list);

	if (unknown)
		argp_error(state, "-Y: there is no type '%.*s'; use semaphore, spinlock, rwlock, rwsem, rtmutex, rwlock-rt, pcpu-sem, mutex or futex, some with :R or :W",
			   (int)strcspn(unknown, ","), unknown);
	lock->types = list;
}

/* Pass an option to perf record. */
static void add_record(struct lock *lock, char *option, char *value)
{
	lock->record = xreallocarray(lock->record, lock->nr_record + 2, sizeof(*lock->record));
	lock->record[lock->nr_record++] = option;
	if (value)
		lock->record[lock->nr_record++] = value;
}

static void parse_command(struct argp_state *state, struct lock *lock)
{
	add_record(lock, "--", NULL);
	for (; state->next < state->argc; state->next++)
		add_record(lock, state->argv[state->next], NULL);
}

/* Fill in the columns that are shown without -F, or the column by which the rows are sorted. */
static void complete_columns(struct contention_style *style)
{
	static const enum contention_column all[] = {
		CONTENTION_NR, CONTENTION_TOTAL, CONTENTION_MAX, CONTENTION_AVERAGE,
	};
	size_t i;

	if (!style->nr_columns) {
		memcpy(style->columns, all, sizeof(all));
		style->nr_columns = ARRAY_SIZE(all);
	}
	for (i = 0; i < style->nr_columns && style->columns[i] != style->key; i++)
		;
	if (i == style->nr_columns && i < CONTENTION_COLUMNS)
		style->columns[style->nr_columns++] = style->key;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct lock *lock = state->input;

	switch (key) {
	case 'i':
		lock->input.path = arg;
		return 0;
	case 'a':
		add_record(lock, "-a", NULL);
		return 0;
	case 'C':
		add_record(lock, "-C", arg);
		return 0;
	case 'p':
		add_record(lock, "-p", arg);
		return 0;
	case OPTION_TID:
		add_record(lock, "-t", arg);
		return 0;
	case OPTION_FUTEX:
		lock->futex = true;
		lock->style.with_wakers = true;
		return 0;
	case 't':
		lock->contention.view = CONTENTION_BY_THREAD;
		return 0;
	case 'l':
		lock->contention.view = CONTENTION_BY_LOCK;
		return 0;
	case 'k':
		if (contention_column_find(arg, strlen(arg), &lock->style.key))
			argp_error(state, "-k: '%s' is no column; use contended, wait_total, wait_max, wait_min or avg_wait",
				   arg);
		return 0;
	case 'F':
		parse_columns(state, &lock->style, arg);
		return 0;
	case 'E':
		lock->style.entries = parse_number(state, "-E", arg, 1, 1000000000);
		return 0;
	case 'Y':
		parse_types(state, lock, arg);
		return 0;
	case 'L':
		lock->locks = arg;
		return 0;
	case 'S':
		lock->callers = arg;
		return 0;
	case OPTION_STACK_SKIP:
		lock->skip = parse_number(state, "--stack-skip", arg, 0, 1000);
		return 0;
	case 'x':
		lock->style.separator = arg;
		return 0;
	case OPTION_OUTPUT:
		lock->output = arg;
		return 0;
	case OPTION_KALLSYMS:
		lock->input.sources.kallsyms = arg;
		return 0;
	case OPTION_VMLINUX:
		lock->input.sources.vmlinux = arg;
		return 0;
	case ARGP_KEY_ARGS:
		parse_command(state, lock);
		return 0;
	case ARGP_KEY_SUCCESS:
		if (lock->record && lock->input.path)
			argp_error(state, "-i shows a recording, and a command, -a, -C, -p or --tid make one; leave one out");
		complete_columns(&lock->style);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp contention_argp = {
	.options = option_table,
	.parser = parse_option,
	.args_doc = "[COMMAND [ARG...]]",
	.doc = "Show which code waited for locks, and how long.",
	.children = (const struct argp_child[]){ { &lock_drop_in, 0, NULL, 0 }, { 0 } },
};

static int lock_contention(int argc, char **argv)
{
	struct lock lock = {
		.style = { .key = CONTENTION_TOTAL, .lock_name = lock_name },
		.sections = {
			{ .start_name = "__sched_text_start", .end_name = "__sched_text_end" },
			{ .start_name = "__lock_text_start", .end_name = "__lock_text_end" },
		},
	};
	int status;

	lock.style.context = &lock;
	argv[0] = "perf lock contention";
	parse_arguments(&contention_argp, argc, argv, ARGP_IN_ORDER, &lock);
	/* An inlined function is part of the caller that the kernel's perf shows. */
	lock.input.no_inline = !lock.futex;
	status = lock.record ? show_now(&lock) : show(&lock);
	free(lock.record);
	return status;
}

static int lock_record(int argc, char **argv)
{
	bool futex = argc > 1 && !strcmp(argv[1], "--futex");

	return record_waits(futex, argc - 1 - futex, argv + 1 + futex);
}

/**
 * cmd_lock - perf lock
 * @argc: number of strings in @argv
 * @argv: "perf lock", then record, contention or script, and its arguments
 *
 * Return: the exit status.
 */
int cmd_lock(int argc, char **argv)
{
	static const char what[] =
		"Usage: perf lock record [--futex] [ARG...]\n"
		"  or:  perf lock contention [--futex] [-t|-l] [-i FILE]\n"
		"  or:  perf lock contention [--futex] [-t|-l] [-a|-p PID] [COMMAND [ARG...]]\n"
		"  or:  perf lock script [-i FILE]\n"
		"record: store waits for the kernel's locks, or for futexes, as perf record.\n"
		"contention: show which code waited, in a recording or now.\n"
		"script: print the events of a recording.\n";
	const char *name = argc > 1 ? argv[1] : "";

	if (!strcmp(name, "record"))
		return lock_record(argc - 1, argv + 1);
	if (!strcmp(name, "contention") || !strcmp(name, "con"))
		return lock_contention(argc - 1, argv + 1);
	if (!strcmp(name, "script")) {
		argv[1] = "perf script";
		return cmd_script(argc - 1, argv + 1);
	}
	if (!strcmp(name, "report") || !strcmp(name, "info")) {
		complain("%s %s: it needs events of kernels with lockdep; use 'perf lock contention'",
			 argv[0], name);
		return EXIT_USAGE;
	}
	if (!strcmp(name, "--help") || !strcmp(name, "-?")) {
		fputs(what, stdout);
		return 0;
	}
	if (argc < 2)
		complain("%s: give record, contention or script; see 'perf lock --help'", argv[0]);
	else
		complain("%s: '%s' is not record, contention or script; see 'perf lock --help'",
			 argv[0], name);
	return EXIT_USAGE;
}
