// SPDX-License-Identifier: GPL-2.0
/*
 * The recorded machine at one moment: applies records to it, and resolves addresses.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "symbol/symbol.h"
#include "state.h"

/**
 * struct resolved - an address that was looked up
 * @version: number of the state of its address space; 0: none
 * @location: location
 */
struct resolved {
	uint64_t version;
	struct location location;
};

/* Number of addresses that are kept; a power of two. */
#define RESOLVED_MAX 8192

/**
 * machine_init() - Start with an empty state
 * @machine: filled in
 * @sources: places to look for symbols; must stay valid
 * @features: header of the recording; must stay valid
 */
void machine_init(struct machine *machine, const struct symbol_sources *sources,
		  const struct data_features *features)
{
	memset(machine, 0, sizeof(*machine));
	machine->kernel_maps = map_set_new();
	/* The thread that executes the command has its CPU when its events are enabled. */
	machine->running = 1;
	machine->dsos.sources = sources;
	machine->dsos.features = features;
	stored_use(&machine->dsos);
}

/*
 * Return true for memory without a file. /tmp/perf-PID.map may name the code that is generated
 * there.
 */
static bool is_anonymous(const char *name)
{
	return !strcmp(name, "//anon") || !strncmp(name, "/dev/zero", 9) ||
	       !strncmp(name, "/anon_hugepage", 14) || !strncmp(name, "[anon:", 6);
}

static struct dso *user_dso(struct machine *machine, const struct mmap_record *m)
{
	struct dso *dso;
	char *path;

	if (!strcmp(m->filename, "[vdso]"))
		return dso_set_add(&machine->dsos, DSO_VDSO, m->filename, m->build_id,
				   m->build_id_size);
	if (is_anonymous(m->filename)) {
		path = xasprintf("/tmp/perf-%" PRIu32 ".map", m->pid);
		dso = dso_set_add(&machine->dsos, DSO_JIT, path, NULL, 0);
		free(path);
		return dso;
	}
	if (m->filename[0] != '/' || !strncmp(m->filename, "/SYSV", 5))
		return dso_set_add(&machine->dsos, DSO_PLAIN, m->filename, NULL, 0);
	return dso_set_add(&machine->dsos, DSO_FILE, m->filename, m->build_id, m->build_id_size);
}

/*
 * Return the dso of a kernel mapping. The record of the kernel itself has the name
 * "[kernel.kallsyms]" with the name of a symbol appended ("_text"), and its pgoff is the address of
 * that symbol.
 */
static struct dso *kernel_dso(struct machine *machine, const struct mmap_record *m)
{
	struct dso_set *dsos = &machine->dsos;
	static const char kernel[] = KERNEL_NAME;
	struct dso *dso;

	if (strncmp(m->filename, kernel, strlen(kernel))) {
		dso = dso_set_add(dsos, DSO_MODULE, m->filename, m->build_id, m->build_id_size);
		if (!dso->start)
			dso->start = m->start;
		dso->last_start = m->start;
		dso->size = m->len;
		return dso;
	}
	if (!dsos->kernel_symbol && m->filename[strlen(kernel)]) {
		dsos->kernel_symbol = xstrdup(m->filename + strlen(kernel));
		dsos->kernel_symbol_addr = m->pgoff;
	}
	dso = dso_set_add(dsos, DSO_KERNEL, kernel, NULL, 0);
	if (!dso->loaded && m->build_id_size && !dso->id_size) {
		memcpy(dso->id, m->build_id, m->build_id_size);
		dso->id_size = m->build_id_size;
	}
	return dso;
}

/* Kernel symbols are looked up by address, so the address takes the place of the file offset. */
static void apply_kernel_mmap(struct machine *machine, const struct mmap_record *m, uint64_t end)
{
	struct dso *dso = kernel_dso(machine, m);

	machine->kernel_version++;
	if (dso->kind == DSO_MODULE) {
		map_set_insert(machine->kernel_maps, m->start, end, dso->start, dso);
	} else if (!machine->kernel_mapped) {
		/* The record ends after .text, but .init.text and other code follow. */
		map_set_insert(machine->kernel_maps, m->start, UINT64_MAX, m->start, dso);
		machine->kernel_mapped = true;
	}
}

/* Return true if a program may have generated code in a mapping of @dso. */
static bool is_memory(const struct dso *dso)
{
	return dso->kind == DSO_JIT || dso->kind == DSO_PLAIN || !strncmp(dso->path, "/memfd:", 7);
}

/* Return true if all samples have times of CLOCK_MONOTONIC, which programs can read, too. */
static bool has_monotonic_times(const struct event_table *events)
{
	size_t i;

	for (i = 0; events && i < events->nr; i++) {
		const struct perf_event_attr *attr = &events->events[i].attr;

		if (!attr->use_clockid || attr->clockid != CLOCK_MONOTONIC ||
		    !(attr->sample_type & PERF_SAMPLE_TIME))
			return false;
	}
	return events;
}

/* Add a jitdump file. The process that writes the file also maps it, so it has an MMAP record. */
static void apply_jitdump(struct machine *machine, struct process *process, const char *path)
{
	struct dso *dso = dso_set_add(&machine->dsos, DSO_JITDUMP, path, NULL, 0);
	struct jitdump *dump;

	dso_note_process(dso, process->pid);
	dump = jitdump_of(dso, has_monotonic_times(machine->events));
	if (!dump->nr)
		return;
	/* A program writes the number that it has in its own PID namespace. */
	if (dump->pid == process->pid || (pid_t)dump->pid == proc_own_number(process->pid)) {
		jit_code_add(&process->jit, dump);
	} else if (!dump->misplaced) {
		warn("%s: written by process %" PRIu32 ", mapped by %" PRIu32 "; not used for the latter",
		     path, dump->pid, process->pid);
		dump->misplaced = true;
	}
}

static void apply_user_mmap(struct machine *machine, const struct record *record, uint64_t end)
{
	const struct mmap_record *m = &record->mmap;
	struct thread *thread = thread_get(&machine->threads, m->pid, m->tid);
	struct process *process = thread->process;
	struct dso *dso;
	struct map *map;

	if (!(m->prot & PROT_EXEC)) {
		process_unmap(process, m->start, end);
		return;
	}
	if (!machine->no_generated && jitdump_is_name(m->filename))
		apply_jitdump(machine, process, m->filename);
	dso = user_dso(machine, m);
	dso_note_process(dso, m->pid);
	if (!is_memory(dso)) {
		jit_code_advance(&process->jit, record->id.time);
		jit_code_unmap(&process->jit, m->start, end);
	}
	map = process_map(process, m->start, end, m->pgoff, dso);
	copied_text_replace(&process->copied_text, map, m->tid, record->id.time);
}

static void apply_user_munmap(struct machine *machine, const struct record *record, uint64_t end)
{
	const struct mmap_record *m = &record->mmap;
	struct process *process;

	/* Only executable mappings are kept. */
	if (!(m->prot & PROT_EXEC))
		return;
	process = thread_get(&machine->threads, m->pid, m->tid)->process;
	copied_text_note(&process->copied_text, process->maps, m->start, end, m->tid,
			 record->id.time);
	process_unmap(process, m->start, end);
}

static void apply_mmap(struct machine *machine, const struct record *record)
{
	const struct mmap_record *m = &record->mmap;
	bool unmapped = record->type == PERF_RECORD_MUNMAP;
	uint64_t end = m->start + m->len;

	if (end <= m->start)
		return;
	switch (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
		if (!unmapped) {
			apply_kernel_mmap(machine, m, end);
			return;
		}
		map_set_remove(machine->kernel_maps, m->start, end, NULL);
		machine->kernel_version++;
		return;
	case PERF_RECORD_MISC_GUEST_KERNEL:
	case PERF_RECORD_MISC_GUEST_USER:
		return;
	}
	if (unmapped)
		apply_user_munmap(machine, record, end);
	else
		apply_user_mmap(machine, record, end);
}

static void apply_comm(struct machine *machine, const struct comm_record *c)
{
	struct thread *thread = thread_get(&machine->threads, c->pid, c->tid);

	thread_set_comm(&machine->threads, thread, c->comm);
	if (c->exec) {
		process_exec(thread->process);
		thread_forget_calls(thread);
	}
}

static void apply_fork(struct machine *machine, const struct record *record)
{
	const struct task_record *t = &record->task;
	struct thread *parent = thread_get(&machine->threads, t->ppid, t->ptid);

	jit_code_advance(&parent->process->jit, record->id.time);
	/* With FORK_EXEC, perf synthesized the record for a process that existed at the start. */
	thread_fork(&machine->threads, t->pid, t->tid, t->ppid, t->ptid,
		    !(record->misc & PERF_RECORD_MISC_FORK_EXEC));
}

static void apply_ksymbol(struct machine *machine, const struct record *record)
{
	uint64_t start = record->ksymbol.addr, end = start + record->ksymbol.len;
	struct dso *dso;

	if (end <= start)
		return;
	machine->kernel_version++;
	if (record->ksymbol.flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER) {
		map_set_remove(machine->kernel_maps, start, end, NULL);
		return;
	}
	dso = dso_set_add_ksymbol(&machine->dsos, record->ksymbol.name);
	map_set_insert(machine->kernel_maps, start, end, 0, dso);
}

/* A thread gets or leaves a CPU. Exiting threads have no events when they leave it. */
static void apply_switch(struct machine *machine, const struct record *record)
{
	if (record->type == PERF_RECORD_SWITCH_CPU_WIDE)
		machine->wide_switches = true;
	if (record->type == PERF_RECORD_EXIT || record->misc & PERF_RECORD_MISC_SWITCH_OUT)
		machine->running--;
	else
		machine->running++;
}

/**
 * machine_running() - Return the number of recorded threads that have a CPU
 * @machine: machine; its records have context switches, and those of tasks only
 *
 * Threads that had a CPU before the recording are not counted, so that the number may be too low.
 *
 * Return: the number, at least 1 and at most the number of CPUs.
 */
uint32_t machine_running(const struct machine *machine)
{
	const struct data_features *features = machine->dsos.features;
	int64_t most = features && features->cpus_configured ? features->cpus_configured :
							       UINT32_MAX;

	if (machine->running < 1)
		return 1;
	return machine->running < most ? machine->running : most;
}

static void apply_sample(struct machine *machine, const struct record *record)
{
	struct process *process = thread_get(&machine->threads, record->id.pid,
					     record->id.tid)->process;

	jit_code_advance(&process->jit, record->id.time);
	if (cpu_mode_of(record->misc) == MODE_USER)
		process_in_user_mode(process);
}

/**
 * machine_apply - make a record part of the state
 * @machine: the machine
 * @record: the record; types that change nothing are ignored
 */
void machine_apply(struct machine *machine, const struct record *record)
{
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_MUNMAP:
		apply_mmap(machine, record);
		break;
	case PERF_RECORD_COMM:
		apply_comm(machine, &record->comm);
		break;
	case PERF_RECORD_FORK:
		apply_fork(machine, record);
		break;
	case PERF_RECORD_EXIT:
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		apply_switch(machine, record);
		break;
	case PERF_RECORD_KSYMBOL:
		apply_ksymbol(machine, record);
		break;
	case PERF_RECORD_CGROUP:
		cgroups_add(&machine->cgroups, record->cgroup.id, record->cgroup.path);
		break;
	case PERF_RECORD_SAMPLE:
		apply_sample(machine, record);
		break;
	}
}

/* Return the mode in @misc, header.misc of a sample. */
enum cpu_mode cpu_mode_of(uint16_t misc)
{
	switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
		return MODE_KERNEL;
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return MODE_GUEST_KERNEL;
	case PERF_RECORD_MISC_GUEST_USER:
		return MODE_GUEST_USER;
	case PERF_RECORD_MISC_HYPERVISOR:
		return MODE_HYPERVISOR;
	default:
		return MODE_USER;
	}
}

/* Find the function at @location->addr minus @back bytes. */
static void find_symbol(struct machine *machine, struct location *location, uint64_t back)
{
	location->symbol = dso_symbol(&machine->dsos, location->dso, location->addr - back,
				      &location->symbol_offset);
	if (location->symbol)
		location->symbol_offset += back;
}

/* Look up code in the file whose text was copied to the anonymous memory @map. */
static void resolve_in_text(struct machine *machine, const struct map *map,
			    struct location *location, uint64_t back)
{
	location->dso = map->text;
	location->addr = location->ip - map->start + map->text_pgoff;
	find_symbol(machine, location, back);
}

/* Look up @ip minus @back bytes; @location keeps @ip. */
static void look_up(struct machine *machine, const struct thread *thread, enum cpu_mode mode,
		    uint64_t ip, uint64_t back, struct location *location)
{
	const struct map *map = NULL;

	memset(location, 0, sizeof(*location));
	location->ip = ip;
	location->addr = ip;
	location->back = back;
	location->mode = mode;
	if (mode == MODE_KERNEL)
		map = map_set_find(machine->kernel_maps, ip - back);
	else if (mode == MODE_USER)
		map = process_find_map(thread->process, ip - back);
	if (!map)
		return;
	location->dso = map->dso;
	if (map->dso->kind != DSO_JIT && map->dso->kind != DSO_PLAIN)
		location->addr = ip - map->start + map->pgoff;
	find_symbol(machine, location, back);
	if (!location->symbol && map->text)
		resolve_in_text(machine, map, location, back);
}

/*
 * Return the number of the state of the address space that @ip is looked up in; 0 if its contents
 * change without a new number: programs add to the names of generated code.
 */
static uint64_t version_of(const struct machine *machine, const struct thread *thread,
			   enum cpu_mode mode)
{
	const struct process *process;

	if (mode == MODE_KERNEL)
		return machine->kernel_version;
	if (mode != MODE_USER)
		return 0;
	process = thread->process;
	return process->jit.nr || process->jit.maps ? 0 : process->version;
}

/* Resolve @ip minus @back bytes, which samples often have in common. */
static void resolve(struct machine *machine, const struct thread *thread, enum cpu_mode mode,
		    uint64_t ip, uint64_t back, struct location *location)
{
	const uint64_t version = version_of(machine, thread, mode);
	struct resolved *resolved;

	if (!version) {
		look_up(machine, thread, mode, ip, back, location);
		return;
	}
	if (!machine->resolved)
		machine->resolved = xcalloc(RESOLVED_MAX, sizeof(*machine->resolved));
	resolved = &machine->resolved[hash_mix(version, ip + back) % RESOLVED_MAX];
	if (resolved->version != version || resolved->location.ip != ip ||
	    resolved->location.back != back || resolved->location.mode != mode) {
		look_up(machine, thread, mode, ip, back, &resolved->location);
		resolved->version = version;
		if (resolved->location.dso && resolved->location.dso->kind == DSO_JIT)
			resolved->version = 0;
	}
	*location = resolved->location;
}

/**
 * machine_resolve() - Find the dso and the function at an address
 * @machine: machine
 * @thread: thread that was running
 * @mode: mode of the CPU
 * @ip: address
 * @location: set to the result
 */
void machine_resolve(struct machine *machine, const struct thread *thread, enum cpu_mode mode,
		     uint64_t ip, struct location *location)
{
	resolve(machine, thread, mode, ip, 0, location);
}

/*
 * Return whether a symbol names the padding before a function of the kernel, in which no call is
 * (FUNCTION_PADDING_BYTES of Linux since 6.2; CONFIG_CFI_CLANG has another prefix).
 */
static bool is_padding(const struct symbol *symbol)
{
	return !strncmp(symbol->name, "__pfx_", 6) || !strncmp(symbol->name, "__cfi_", 6);
}

/**
 * machine_resolve_return() - Find the calling function of a return address
 * @machine: machine
 * @thread: thread that was running
 * @mode: mode of the CPU
 * @ip: return address
 * @location: set to the result: its address is @ip, its function is the caller
 *
 * A call that never returns may be the last instruction of a function, so that @ip is in the next
 * function. So the byte before @ip is looked up. A signal trampoline was not called, and no
 * function is before it: then @ip itself is looked up. An interrupt can stop the kernel at the
 * first instruction of a function: then @ip is no return address, and the byte before it is
 * padding.
 */
void machine_resolve_return(struct machine *machine, const struct thread *thread,
			    enum cpu_mode mode, uint64_t ip, struct location *location)
{
	resolve(machine, thread, mode, ip, 1, location);
	if (!location->symbol || is_padding(location->symbol))
		resolve(machine, thread, mode, ip, 0, location);
}

void machine_free(struct machine *machine)
{
	stored_use(NULL);
	thread_table_free(&machine->threads);
	map_set_free(machine->kernel_maps);
	dso_set_free(&machine->dsos);
	cgroups_free(&machine->cgroups);
	free(machine->resolved);
}
