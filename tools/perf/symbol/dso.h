/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files (and what is not quite a file) whose code was running.
 */
#ifndef PERF_SYMBOL_DSO_H
#define PERF_SYMBOL_DSO_H

#include "file/file.h"
#include "util/util.h"
#include "elf_file.h"
#include "map.h"

struct frame_rules;
struct jit_map;
struct jitdump;

enum dso_kind {
	DSO_FILE,		/* a program or a library */
	DSO_KERNEL,
	DSO_MODULE,
	DSO_KSYMBOL,		/* one function that the kernel made, such as a BPF program */
	DSO_VDSO,
	DSO_JIT,		/* code that was generated; /tmp/perf-PID.map may know its names */
	DSO_JITDUMP,		/* the file that describes such code */
	DSO_PLAIN,		/* heap, stack, ...: nothing that has symbols */
};

/**
 * struct dso - something that is mapped and contains code
 * @node: in the set, by name, and by the id that came with its mappings
 * @kind: what it is
 * @path: its name as in the MMAP record
 * @name: its name for people: base name of @path, or "[something]"; safe to print
 * @long_name: @path, or "[something]" for the kernel and its modules; safe to print
 * @id: its build-id, as recorded
 * @id_size: 0: not recorded
 * @mapped_id: @id came with its mappings
 * @loaded: @elf has been tried
 * @elf: its functions
 * @code_path: the file that they, and so its code, are read from, or NULL
 * @rules: how its functions use the stack, once somebody has asked, or NULL
 * @start: where it was mapped first (modules)
 * @last_start: where it was mapped last (modules)
 * @size: how much was mapped there (modules)
 * @relocation: to be taken off an address before it is looked for in @elf (kernel, modules)
 * @jit: what is in the file (DSO_JIT), or NULL
 * @dump: what is in the file (DSO_JITDUMP), or NULL
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
	struct elf_file elf;
	char *code_path;
	struct frame_rules *rules;
	uint64_t start;
	uint64_t last_start;
	uint64_t size;
	uint64_t relocation;
	struct jit_map *jit;
	struct jitdump *dump;
};

/**
 * struct symbol_sources - where the user says symbols are
 * @vmlinux: the kernel's ELF file, or NULL
 * @kallsyms: a copy of /proc/kallsyms, or NULL
 * @data_path: the recording; a vmlinux beside it is tried
 * @modules: directory of the releases' modules; NULL: "/lib/modules"
 * @symfs: directory that stands for the root of the machine that was recorded, or NULL
 */
struct symbol_sources {
	const char *vmlinux;
	const char *kallsyms;
	const char *data_path;
	const char *modules;
	const char *symfs;
};

/**
 * struct dso_set - all the dsos of a recording
 * @table: the dsos
 * @sources: where symbols are
 * @features: recorded build-ids
 * @has_mapped_ids: build-ids come with mappings, where the kernel knew them
 * @kernel_symbol: the symbol whose address the MMAP record of the kernel has, "_text"
 * @kernel_symbol_addr: that address when recorded; 0: not known
 * @kallsyms: text of the kallsyms that belong to the recorded kernel, or NULL
 * @kallsyms_read: @kallsyms has been looked for
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
};

struct dso *dso_set_add(struct dso_set *set, enum dso_kind kind, const char *path,
			const uint8_t *id, size_t id_size);
struct dso *dso_set_add_ksymbol(struct dso_set *set, const char *name);
void dso_find_recorded_id(const struct dso_set *set, struct dso *dso);
void dso_set_refresh(struct dso_set *set);
void dso_set_free(struct dso_set *set);

struct symbol *dso_symbol(struct dso_set *set, struct dso *dso, uint64_t addr, uint64_t *offset);

#endif
