/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The dsos of a recording: files, and other things that contain code.
 */
#ifndef PERF_SYMBOL_DSO_SET_H
#define PERF_SYMBOL_DSO_SET_H

#include "file/file.h"
#include "util/util.h"
#include "elf_file.h"
#include "map.h"
#include "source_files.h"

struct dso_set;
struct frame_rules;
struct jit_map;
struct jitdump;
struct source;

enum dso_kind {
	DSO_FILE,		/* program or library */
	DSO_KERNEL,
	DSO_MODULE,
	DSO_KSYMBOL,		/* one function that the kernel generated, such as a BPF program */
	DSO_VDSO,
	DSO_JIT,		/* generated code; /tmp/perf-PID.map may name its functions */
	DSO_JITDUMP,		/* jitdump file, which contains generated code and its names */
	DSO_PLAIN,		/* heap, stack and other memory without symbols */
};

/* Number of processes that are noted for each dso. */
#define DSO_PROCESSES 4

/**
 * struct dso - something that is mapped and contains code
 * @node: node in the set, by @path, and by @id if @mapped_id
 * @kind: kind of the dso
 * @path: path as in the MMAP record
 * @name: base name of @path, or "[something]"; safe to print
 * @long_name: @path, or "[something]" for the kernel and its modules; safe to print
 * @id: recorded build-id
 * @id_size: size of @id in bytes; 0 if none was recorded
 * @mapped_id: true if @id came with the mapping
 * @loaded: true if reading the symbols has been tried
 * @hit: true if a sample hit it, as far as machine_mark_hits() was asked to mark dsos
 * @elf: functions and segments
 * @pids: processes that have mapped it, the latest ones; 0: none
 * @next_pid: number of processes that have been noted
 * @code_path: file that @elf was read from, or NULL
 * @code_fd: descriptor that @code_path in /proc/self/fd names, or -1; closed with the dso
 * @rules: call frame information, which unwind/ reads when it is first needed, or NULL
 * @free_rules: function that frees @rules
 * @set: set that contains the dso
 * @source: lines and inlined functions, read when they are first needed, or NULL
 * @free_source: function that frees @source
 * @start: first address where a module was mapped
 * @last_start: latest address where a module was mapped
 * @size: bytes that a module had mapped
 * @relocation: distance between mapped addresses and those of @elf (kernel, modules)
 * @jit: contents of /tmp/perf-PID.map (DSO_JIT), or NULL
 * @dump: contents of the jitdump file (DSO_JITDUMP), or NULL
 */
struct dso {
	struct hash_node node;
	enum dso_kind kind;
	char *path;
	char *name;
	char *long_name;
	uint8_t id[BUILD_ID_MAX];
	size_t id_size;
	bool mapped_id;
	bool loaded;
	bool hit;
	struct elf_file elf;
	uint32_t pids[DSO_PROCESSES];
	size_t next_pid;
	char *code_path;
	int code_fd;
	struct frame_rules *rules;
	void (*free_rules)(struct frame_rules *rules);
	struct dso_set *set;
	struct source *source;
	void (*free_source)(struct source *source);
	uint64_t start;
	uint64_t last_start;
	uint64_t size;
	uint64_t relocation;
	struct jit_map *jit;
	struct jitdump *dump;
};

/**
 * struct symbol_sources - places that the user names for symbols
 * @vmlinux: ELF file of the kernel, or NULL
 * @kallsyms: copy of /proc/kallsyms, or NULL
 * @data_path: recording; a vmlinux in its directory is tried
 * @modules: directory with the modules of each kernel release; NULL: "/lib/modules"
 * @symfs: directory that stands for the root of the recorded machine, or NULL
 */
struct symbol_sources {
	const char *vmlinux;
	const char *kallsyms;
	const char *data_path;
	const char *modules;
	const char *symfs;
};

/**
 * struct dso_set - all dsos of a recording
 * @table: dsos by name and build-id
 * @sources: places to look for symbols
 * @features: header of the recording, which lists build-ids
 * @has_mapped_ids: true if any file was mapped with a build-id
 * @kernel_symbol: symbol whose address is in the MMAP record of the kernel, "_text", or NULL
 * @kernel_symbol_addr: address of @kernel_symbol when recorded; 0: unknown
 * @kallsyms: text of kallsyms that belongs to the recorded kernel, or NULL
 * @kallsyms_read: true if @kallsyms has been looked for
 * @running: text of /proc/kallsyms if the recorded kernel is running, or NULL
 * @running_read: true if @running has been looked for
 * @source_files: source files of all dsos
 */
struct dso_set {
	struct hash_table table;
	const struct symbol_sources *sources;
	const struct data_features *features;
	bool has_mapped_ids;
	char *kernel_symbol;
	uint64_t kernel_symbol_addr;
	char *kallsyms;
	bool kallsyms_read;
	char *running;
	bool running_read;
	struct source_files source_files;
};

struct dso *dso_set_add(struct dso_set *set, enum dso_kind kind, const char *path,
			const uint8_t *id, size_t id_size);
struct dso *dso_set_add_ksymbol(struct dso_set *set, const char *name);
void dso_find_recorded_id(const struct dso_set *set, struct dso *dso);
void dso_set_free(struct dso_set *set);

#endif
