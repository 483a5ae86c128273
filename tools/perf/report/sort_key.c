// SPDX-License-Identifier: GPL-2.0
/*
 * Sort keys, which tell samples apart and are the columns of a report.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/symbol.h"
#include "chain_store.h"
#include "sort_key.h"

void sample_point_start(struct sample_point *point, struct machine *machine,
			const struct thread *thread, const struct record *record)
{
	point->pid = record->id.pid;
	point->tid = record->id.tid;
	point->comm = thread->comm;
	point->cpu = record->id.cpu;
	point->running = machine_running(machine);
	point->cgroup = cgroups_path(&machine->cgroups, record->sample.cgroup);
}

static uint64_t comm_value(const struct sample_point *point)
{
	return (uintptr_t)point->comm;
}

static char *comm_text(const struct sample_point *point, bool verbose)
{
	(void)verbose;
	return xstrdup(point->comm);
}

/* Return the name of the thread with <N> in the place of each number. */
static char *comm_nodigit_text(const struct sample_point *point, bool verbose)
{
	const char *from = point->comm;
	char *text = xmalloc(3 * strlen(from) + 1), *to = text;

	(void)verbose;
	while (*from) {
		if (isdigit((unsigned char)*from)) {
			to = stpcpy(to, "<N>");
			from += strspn(from, "0123456789");
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	return text;
}

static uint64_t comm_nodigit_value(const struct sample_point *point)
{
	char *text = comm_nodigit_text(point, false), *at;
	uint64_t value = 0;

	for (at = text; *at; at++)
		value = hash_mix(value, *at);
	free(text);
	return value;
}

static uint64_t dso_value(const struct sample_point *point)
{
	return (uintptr_t)point->at.dso;
}

static char *text_of_dso(const struct location *at, bool verbose)
{
	if (!at->dso)
		return xstrdup("[unknown]");
	return xstrdup(verbose ? at->dso->long_name : at->dso->name);
}

static char *dso_text(const struct sample_point *point, bool verbose)
{
	return text_of_dso(&point->at, verbose);
}

static uint64_t symbol_value(const struct sample_point *point)
{
	return location_key(&point->at);
}

static char *text_of_symbol(const struct location *at, bool verbose)
{
	if (at->mode == MODE_NOWHERE)
		return xstrdup(at->symbol ? symbol_name(at->symbol) : LOCATION_NOT_RECORDED);
	if (!at->symbol)
		return xasprintf("[%c] 0x%016" PRIx64, at->mode, at->addr);
	if (verbose)
		return xasprintf("0x%016" PRIx64 " [%c] %s%s", at->ip, at->mode,
				 symbol_name(at->symbol), symbol_suffix(at->symbol));
	return xasprintf("[%c] %s%s", at->mode, symbol_name(at->symbol),
			 symbol_suffix(at->symbol));
}

static char *symbol_text(const struct sample_point *point, bool verbose)
{
	return text_of_symbol(&point->at, verbose);
}

static uint64_t symoff_value(const struct sample_point *point)
{
	return hash_mix(location_key(&point->at), point->at.symbol_offset);
}

static char *symoff_text(const struct sample_point *point, bool verbose)
{
	char *symbol = text_of_symbol(&point->at, verbose), *text;

	if (point->at.mode == MODE_NOWHERE || !point->at.symbol)
		return symbol;
	text = xasprintf("%s+0x%" PRIx64, symbol, point->at.symbol_offset);
	free(symbol);
	return text;
}

/* Return the size of the function in bytes, or 0 if it is not known. */
static uint64_t symbol_size_value(const struct sample_point *point)
{
	const struct symbol *symbol = point->at.symbol;

	return symbol && symbol->sized ? symbol->end - symbol->start : 0;
}

static char *symbol_size_text(const struct sample_point *point, bool verbose)
{
	uint64_t size = symbol_size_value(point);

	(void)verbose;
	return size ? xasprintf("%11" PRIu64, size) : xstrdup("    unknown");
}

static uint64_t addr_value(const struct sample_point *point)
{
	return point->at.mode == MODE_NOWHERE ? 0 : point->at.ip;
}

static char *addr_text(const struct sample_point *point, bool verbose)
{
	(void)verbose;
	if (point->at.mode == MODE_NOWHERE)
		return xstrdup(LOCATION_NOT_RECORDED);
	return xasprintf("%#" PRIx64, point->at.ip);
}

static uint64_t srcline_value(const struct sample_point *point)
{
	return location_line_key(&point->at);
}

static char *srcline_text(const struct sample_point *point, bool verbose)
{
	(void)verbose;
	return location_line_text(&point->at);
}

static uint64_t srcfile_value(const struct sample_point *point)
{
	const struct source_file *file;

	return location_line(&point->at, &file) ? (uintptr_t)source_file_text(file) : 0;
}

static char *srcfile_text(const struct sample_point *point, bool verbose)
{
	const struct source_file *file;

	(void)verbose;
	if (!location_line(&point->at, &file))
		return xstrdup("");
	return xstrdup(source_file_text(file));
}

static uint64_t pid_value(const struct sample_point *point)
{
	return point->pid;
}

static char *pid_text(const struct sample_point *point, bool verbose)
{
	(void)verbose;
	return xasprintf("%7" PRId32 ":%s", (int32_t)point->pid, point->comm);
}

static uint64_t tid_value(const struct sample_point *point)
{
	return point->tid;
}

static char *tid_text(const struct sample_point *point, bool verbose)
{
	(void)verbose;
	return xasprintf("%7" PRId32 ":%s", (int32_t)point->tid, point->comm);
}

static uint64_t cpu_value(const struct sample_point *point)
{
	return point->cpu;
}

static char *cpu_text(const struct sample_point *point, bool verbose)
{
	(void)verbose;
	return xasprintf("%03" PRIu32, point->cpu);
}

static uint64_t parallelism_value(const struct sample_point *point)
{
	return point->running;
}

static char *parallelism_text(const struct sample_point *point, bool verbose)
{
	(void)verbose;
	return xasprintf("%11" PRIu32, point->running);
}

static uint64_t cgroup_value(const struct sample_point *point)
{
	return (uintptr_t)point->cgroup;
}

static char *cgroup_text(const struct sample_point *point, bool verbose)
{
	(void)verbose;
	return xstrdup(point->cgroup ? point->cgroup : "unknown");
}

static uint64_t trace_value(const struct sample_point *point)
{
	return (uintptr_t)point->trace;
}

static char *trace_text(const struct sample_point *point, bool verbose)
{
	(void)verbose;
	return xstrdup(point->trace ? point->trace : "[unknown]");
}

static uint64_t parent_value(const struct sample_point *point)
{
	return (uintptr_t)point->parent;
}

static char *parent_text(const struct sample_point *point, bool verbose)
{
	(void)verbose;
	return xstrdup(point->parent ? point->parent : "[other]");
}

static uint64_t dso_from_value(const struct sample_point *point)
{
	return (uintptr_t)point->branch.from.dso;
}

static char *dso_from_text(const struct sample_point *point, bool verbose)
{
	return text_of_dso(&point->branch.from, verbose);
}

static uint64_t symbol_from_value(const struct sample_point *point)
{
	return location_key(&point->branch.from);
}

static char *symbol_from_text(const struct sample_point *point, bool verbose)
{
	return text_of_symbol(&point->branch.from, verbose);
}

static uint64_t mispredict_value(const struct sample_point *point)
{
	return point->branch.entry.mispred | point->branch.entry.predicted << 1;
}

static char *mispredict_text(const struct sample_point *point, bool verbose)
{
	(void)verbose;
	if (point->branch.entry.mispred)
		return xstrdup("Y");
	return xstrdup(point->branch.entry.predicted ? "N" : "N/A");
}

static uint64_t cycles_value(const struct sample_point *point)
{
	return point->branch.entry.cycles;
}

static char *cycles_text(const struct sample_point *point, bool verbose)
{
	(void)verbose;
	if (!point->branch.entry.cycles)
		return xstrdup("-");
	return xasprintf("%u", (unsigned int)point->branch.entry.cycles);
}

static uint64_t in_tx_value(const struct sample_point *point)
{
	return point->branch.entry.in_tx;
}

static char *in_tx_text(const struct sample_point *point, bool verbose)
{
	(void)verbose;
	return xstrdup(point->branch.entry.in_tx ? "T" : ".");
}

static uint64_t abort_value(const struct sample_point *point)
{
	return point->branch.entry.abort;
}

static char *abort_text(const struct sample_point *point, bool verbose)
{
	(void)verbose;
	return xstrdup(point->branch.entry.abort ? "A" : ".");
}

/* The characters in names of fields. */
#define FIELD_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

#define KEY(key, ...) { .value = key##_value, .text = key##_text, __VA_ARGS__ }
#define BRANCH_KEY(key, ...) KEY(key, .needs = PERF_SAMPLE_BRANCH_STACK, __VA_ARGS__)

static const struct sort_key key_table[] = {
	KEY(comm, .name = "comm", .header = "Command"),
	KEY(comm_nodigit, .name = "comm_nodigit", .header = "CommandNoDigit"),
	KEY(dso, .name = "dso", .header = "Shared Object", .needs = PERF_SAMPLE_IP),
	KEY(symbol, .name = "sym", .alias = "symbol", .header = "Symbol", .needs = PERF_SAMPLE_IP),
	KEY(symoff, .name = "symoff", .header = "Symbol Offset", .needs = PERF_SAMPLE_IP),
	KEY(symbol_size, .name = "symbol_size", .header = "Symbol size", .needs = PERF_SAMPLE_IP),
	KEY(addr, .name = "addr", .header = "Address", .needs = PERF_SAMPLE_IP),
	KEY(srcline, .name = "srcline", .header = "Source:Line", .needs = PERF_SAMPLE_IP),
	KEY(srcfile, .name = "srcfile", .header = "Source File", .needs = PERF_SAMPLE_IP),
	KEY(pid, .name = "pid", .header = "    Pid:Command", .needs = PERF_SAMPLE_TID),
	KEY(tid, .name = "tid", .header = "    Tid:Command", .needs = PERF_SAMPLE_TID),
	KEY(cpu, .name = "cpu", .header = "CPU", .needs = PERF_SAMPLE_CPU),
	KEY(parallelism, .name = "parallelism", .header = "Parallelism",
	    .needs = SORT_NEEDS_SWITCHES),
	KEY(cgroup, .name = "cgroup", .header = "Cgroup", .needs = PERF_SAMPLE_CGROUP),
	KEY(trace, .name = "trace", .header = "Trace output", .needs = PERF_SAMPLE_RAW),
	KEY(parent, .name = "parent", .header = "Parent symbol"),
	BRANCH_KEY(dso_from, .name = "dso_from", .header = "Source Shared Object"),
	BRANCH_KEY(dso, .name = "dso_to", .header = "Target Shared Object"),
	BRANCH_KEY(symbol_from, .name = "symbol_from", .header = "Source Symbol"),
	BRANCH_KEY(symbol, .name = "symbol_to", .header = "Target Symbol"),
	BRANCH_KEY(mispredict, .name = "mispredict", .header = "Branch Mispredicted"),
	BRANCH_KEY(cycles, .name = "cycles", .header = "Basic Block Cycles"),
	BRANCH_KEY(in_tx, .name = "in_tx", .header = "Branch in transaction"),
	BRANCH_KEY(abort, .name = "abort", .header = "Transaction abort"),
};

static const struct sort_key *find_key(const char *name, size_t size)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(key_table); i++) {
		const struct sort_key *key = &key_table[i];

		if (strlen(key->name) == size && !strncmp(key->name, name, size))
			return key;
		if (key->alias && strlen(key->alias) == size && !strncmp(key->alias, name, size))
			return key;
	}
	return NULL;
}

const struct sort_key *sort_key_number(size_t i)
{
	return i < ARRAY_SIZE(key_table) ? &key_table[i] : NULL;
}

int sample_point_compare(const struct sample_point *a, const struct sample_point *b)
{
	const char *path_a = a->at.dso ? a->at.dso->long_name : "";
	const char *path_b = b->at.dso ? b->at.dso->long_name : "";
	int order = strcmp(path_a, path_b);

	if (order)
		return order;
	return a->at.addr < b->at.addr ? -1 : a->at.addr > b->at.addr;
}

char *sort_key_text(const struct sort_key *key, const struct sample_point *point, bool verbose)
{
	if (!key->field)
		return key->text(point, verbose);
	return xstrdup(point->fields[key->slot] ? point->fields[key->slot] : "[unknown]");
}

/*
 * Make a key of "FIELD", "EVENT.FIELD" or "SYSTEM:EVENT.FIELD", a field of tracepoints. Return NULL
 * if @name cannot be the name of a field.
 */
static struct sort_key *make_field(const char *name, size_t size, size_t slot)
{
	const char *dot = memrchr(name, '.', size);
	const char *field = dot ? dot + 1 : name;
	size_t length = name + size - field;
	struct sort_key *key;

	if (!length || dot == name || (!isalpha((unsigned char)*field) && *field != '_') ||
	    strspn(field, FIELD_CHARS) < length)
		return NULL;
	key = xcalloc(1, sizeof(*key));
	key->name = xstrndup(name, size);
	key->header = key->name;
	key->needs = PERF_SAMPLE_RAW;
	key->field = xstrndup(field, length);
	key->event = dot ? xstrndup(name, dot - name) : NULL;
	key->slot = slot;
	return key;
}

_Static_assert(ARRAY_SIZE(key_table) + SORT_FIELDS_MAX <= SORT_KEYS_MAX, "no room for all keys");
_Static_assert(SORT_FIELDS_MAX == 4, "refuse_key() says four");

/* Keys that only the kernel's perf has, and the way to the same answer. */
static const struct {
	const char *name;
	const char *remedy;
} other_keys[] = {
	{ "time", "choose a part by --time, or see the timeline of --html" },
	{ "socket", "sort by cpu" },
	{ "dso_size", "sort by dso" },
	{ "cgroup_id", "sort by cgroup" },
	{ "trace_fields", "sort by fields of the tracepoint: FIELD or EVENT.FIELD" },
};

void sort_keys_suggest(const char *typed, const char *more, struct error *err)
{
	struct suggestions near = { .typed = typed };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(other_keys); i++) {
		if (!strcmp(typed, other_keys[i].name)) {
			error_add(err, "; %s", other_keys[i].remedy);
			return;
		}
	}
	/* Suggest nothing for a key that exists: the samples lack what it needs. */
	for (i = 0; i < ARRAY_SIZE(key_table) && !find_key(typed, strlen(typed)); i++) {
		suggestions_add(&near, key_table[i].name);
		if (key_table[i].alias)
			suggestions_add(&near, key_table[i].alias);
	}
	if (!suggestions_say(&near, err))
		error_add(err, "; keys are " SORT_KEY_NAMES "%s", more);
}

static void refuse_key(const char *name, size_t size, bool with_fields, struct error *err)
{
	char *typed = xstrndup(name, size);

	error_set(err, "unknown sort key '%s'", typed);
	sort_keys_suggest(typed, with_fields ? ", or up to four fields of tracepoints" : "", err);
	free(typed);
}

/* Find a key in @keys by name. */
static const struct sort_key *find_again(const struct sort_keys *keys, const char *name,
					 size_t size)
{
	const struct sort_key *key;
	size_t i;

	for (i = 0; i < keys->nr; i++) {
		key = keys->keys[i];
		if (strlen(key->name) == size && !strncmp(key->name, name, size))
			return key;
	}
	return NULL;
}

static int parse(struct sort_keys *keys, const char *list, bool with_fields, struct error *err)
{
	const struct sort_key *key;
	size_t size, fields = 0;

	keys->nr = 0;
	do {
		size = strcspn(list, ",");
		key = find_again(keys, list, size) ?: find_key(list, size);
		if (!key && with_fields && fields < SORT_FIELDS_MAX)
			key = make_field(list, size, fields++);
		if (!key) {
			refuse_key(list, size, with_fields, err);
			return -1;
		}
		if (!sort_keys_have(keys, key->name))
			keys->keys[keys->nr++] = key;
		list += size;
	} while (*list++);
	return 0;
}

/**
 * sort_keys_parse() - Parse the argument of --sort
 * @keys: set to the keys
 * @list: names of keys, separated by commas
 * @err: set to the reason if parsing fails
 *
 * Return: 0, or -1 with @err set.
 */
int sort_keys_parse(struct sort_keys *keys, const char *list, struct error *err)
{
	return parse(keys, list, false, err);
}

/*
 * Parse the argument of --sort, with fields of tracepoints as keys. The caller frees the keys with
 * sort_keys_free().
 */
int sort_keys_parse_fields(struct sort_keys *keys, const char *list, struct error *err)
{
	return parse(keys, list, true, err);
}

void sort_keys_free(struct sort_keys *keys)
{
	size_t i;

	for (i = 0; i < keys->nr; i++) {
		struct sort_key *key = (struct sort_key *)keys->keys[i];

		if (!key->field)
			continue;
		free((char *)key->name);
		free(key->field);
		free(key->event);
		free(key);
	}
	keys->nr = 0;
}

/* Return true if the values of all keys depend only on the command and the call chain. */
bool sort_keys_are_of_code(const struct sort_keys *keys)
{
	static const char * const names[] = {
		"comm", "comm_nodigit", "dso", "sym", "symoff", "symbol_size", "addr", "srcline",
		"srcfile", "parent",
	};
	size_t i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		nr += sort_keys_have(keys, names[i]);
	return nr == keys->nr;
}

bool sort_keys_have(const struct sort_keys *keys, const char *name)
{
	size_t i;

	for (i = 0; i < keys->nr; i++) {
		if (!strcmp(keys->keys[i]->name, name))
			return true;
	}
	return false;
}
