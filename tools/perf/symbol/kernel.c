// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of the kernel and its modules.
 *
 * They come from files that the user names (-k, --kallsyms); from /proc/kallsyms if
 * the recorded kernel is running; or from a vmlinux with the recorded build-id at
 * one of the usual paths.
 *
 * A kernel may run at another address than it was linked for. The recording
 * has the address of one symbol, _text. Its distance from the address that the
 * file has for that symbol is the distance for all symbols.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "build_id_path.h"
#include "kernel.h"
#include "kallsyms.h"
#include "module_path.h"
#include "stored_copy.h"

#define RUNNING_KALLSYMS "/proc/kallsyms"

/* Budgets of files, in bytes; those of a large kernel need 20 MiB and 2 MiB. */
#define KALLSYMS_SIZE_MAX (256 << 20)
#define MODULES_DEP_SIZE_MAX (64 << 20)

#define MODULES_REMEDY "use --symfs with the directory that has the recorded modules"

/* Return the address of a symbol of the kernel itself in a kallsyms text, or 0. */
static uint64_t kallsyms_addr(const char *text, const char *name)
{
	struct kallsym k;

	while (text && *text) {
		text = kallsym_parse(text, &k);
		if (k.type && !k.module && k.name_size == strlen(name) &&
		    !strncmp(k.name, name, k.name_size))
			return k.addr;
	}
	return 0;
}

static enum symbol_binding binding_of(char type)
{
	if (type == 'w' || type == 'W')
		return SYMBOL_WEAK;
	return type == 'T' ? SYMBOL_GLOBAL : SYMBOL_LOCAL;
}

static bool is_of_module(const struct kallsym *k, const char *module)
{
	if (!module || !k->module)
		return !module && !k->module;
	return k->module_size == strlen(module) && !strncmp(k->module, module, k->module_size);
}

static void add_kallsym(struct symbol_table *table, const struct kallsym *k)
{
	symbol_table_take(table, k->addr, 0, xstrndup(k->name, k->name_size),
			  binding_of(k->type));
}

/*
 * Add the functions of @module ("[name]"), or of the kernel itself if @module is
 * NULL. The last of several names for an address counts, as in the kernel's perf.
 */
static void add_kallsyms(struct symbol_table *table, const char *text, const char *module)
{
	struct kallsym k, last = { 0 };

	while (text && *text) {
		text = kallsym_parse(text, &k);
		if (!kallsym_is_code(&k) || !k.name_size || !is_of_module(&k, module))
			continue;
		if (last.name && last.addr != k.addr)
			add_kallsym(table, &last);
		last = k;
	}
	if (last.name)
		add_kallsym(table, &last);
	symbol_table_finish(table);
}

ssize_t running_kernel_id(uint8_t id[BUILD_ID_MAX])
{
	size_t size;
	char *notes = read_text_file("/sys/kernel/notes", &size);
	ssize_t id_size = notes ? build_id_of_notes(notes, size, id) : 0;

	free(notes);
	return id_size;
}

bool running_kernel_has_id(const uint8_t *id, size_t size)
{
	uint8_t running[BUILD_ID_MAX];
	ssize_t running_size = running_kernel_id(running);

	return running_size > 0 && (size_t)running_size == size && !memcmp(running, id, size);
}

static bool release_matches(const struct dso_set *set)
{
	struct utsname uts;

	uname(&uts);
	return set->features->osrelease && !strcmp(uts.release, set->features->osrelease);
}

/*
 * Return the text of /proc/kallsyms if the recorded kernel is running, otherwise NULL. The running
 * kernel is the recorded one if it has the recorded build-id or, without a recorded build-id, the
 * recorded release and _text at the recorded address. The caller frees the text.
 */
static char *running_kallsyms(const struct dso_set *set, const struct dso *kernel)
{
	char *text;

	if (kernel->id_size ? !running_kernel_has_id(kernel->id, kernel->id_size) :
			      !release_matches(set))
		return NULL;
	text = read_text_file(RUNNING_KALLSYMS, NULL);
	if (text && !kernel->id_size &&
	    (!set->kernel_symbol ||
	     kallsyms_addr(text, set->kernel_symbol) != set->kernel_symbol_addr)) {
		free(text);
		return NULL;
	}
	return text;
}

/**
 * kernel_kallsyms_open() - Copy /proc/kallsyms to a file in memory
 *
 * Return: Its descriptor; -1 if the kernel hides the addresses, or if there is no such file.
 */
int kernel_kallsyms_open(void)
{
	char *text = NULL;
	size_t size;
	int fd = -1;

	text = read_text_file(RUNNING_KALLSYMS, &size);
	if (text && (kallsyms_addr(text, "_text") || kallsyms_addr(text, "_stext")))
		fd = memfd_create("kallsyms", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, text, size) != (ssize_t)size) {
		close(fd);
		fd = -1;
	}
	free(text);
	return fd;
}

static struct dso *kernel_dso(struct dso_set *set)
{
	return dso_set_add(set, DSO_KERNEL, KERNEL_NAME, NULL, 0);
}

/**
 * kernel_is_running() - Compare the recorded kernel with the running one
 * @set: dsos of the recording
 *
 * Return: True if they are certainly the same kernel.
 */
bool kernel_is_running(struct dso_set *set)
{
	struct dso *kernel = kernel_dso(set);
	char *kallsyms;

	dso_find_recorded_id(set, kernel);
	kallsyms = running_kallsyms(set, kernel);
	free(kallsyms);
	return kallsyms;
}

/**
 * kernel_runs_function() - Test whether the running kernel has a recorded function
 * @set: dsos of the recording
 * @name: name of a function of the kernel, of a module or of a BPF program
 * @addr: address of the function in the running kernel
 *
 * Return: True if the recorded kernel is running, and the function is at the address now.
 */
bool kernel_runs_function(struct dso_set *set, const char *name, uint64_t addr)
{
	struct dso *kernel = kernel_dso(set);
	struct kallsym k;
	const char *text;

	if (!set->running_read) {
		set->running_read = true;
		dso_find_recorded_id(set, kernel);
		set->running = running_kallsyms(set, kernel);
	}
	for (text = set->running; text && *text;) {
		text = kallsym_parse(text, &k);
		if (k.type && k.addr == addr && k.name_size == strlen(name) &&
		    !strncmp(k.name, name, k.name_size))
			return true;
	}
	return false;
}

/* Return the kallsyms text that the recording contains, or NULL; the caller frees it. */
static char *stored_kallsyms(const struct dso_set *set, const struct dso *kernel)
{
	int fd = kernel->id_size ? stored_open(set, STORED_KALLSYMS, kernel) : -1;
	char *path, *text;

	if (fd < 0)
		return NULL;
	path = xasprintf("/proc/self/fd/%d", fd);
	text = foreign_text(path, KALLSYMS_SIZE_MAX, NULL);
	free(path);
	close(fd);
	return text;
}

/* Find the kallsyms text of the recorded kernel; the first call reads it. */
static const char *find_kallsyms(struct dso_set *set, const struct dso *kernel)
{
	char *cached, *text;

	if (set->kallsyms_read)
		return set->kallsyms;
	set->kallsyms_read = true;
	if (set->sources->kallsyms) {
		set->kallsyms = read_text_file(set->sources->kallsyms, NULL);
		if (!set->kallsyms)
			warn("%s: cannot read it; functions of the kernel have no names",
			     set->sources->kallsyms);
		return set->kallsyms;
	}
	text = running_kallsyms(set, kernel);
	if (text) {
		/* With kptr_restrict, users without permission read zeros. */
		if (kallsyms_addr(text, set->kernel_symbol ? set->kernel_symbol : "_text")) {
			set->kallsyms = text;
			return text;
		}
		warn("%s hides the addresses; report as root, or set kernel.kptr_restrict=0",
		     RUNNING_KALLSYMS);
	}
	free(text);
	cached = build_id_cached(kernel, "kallsyms");
	if (cached)
		set->kallsyms = foreign_text(cached, KALLSYMS_SIZE_MAX, NULL);
	free(cached);
	if (!set->kallsyms)
		set->kallsyms = stored_kallsyms(set, kernel);
	return set->kallsyms;
}

/**
 * kernel_symbols_walk() - Call a function with each line of the recorded kernel's kallsyms
 * @set: dsos
 * @take: function that gets the lines, also those of data and of modules
 * @context: first argument of @take
 *
 * Without kallsyms of the recorded kernel, @take is not called.
 */
void kernel_symbols_walk(struct dso_set *set,
			 void (*take)(void *context, const struct kallsym *k), void *context)
{
	const char *text = find_kallsyms(set, kernel_dso(set));
	struct kallsym k;

	while (text && *text) {
		text = kallsym_parse(text, &k);
		if (k.type)
			take(context, &k);
	}
}

static void relocate(const struct dso_set *set, struct dso *kernel, uint64_t linked_addr)
{
	if (set->kernel_symbol_addr && linked_addr)
		kernel->relocation = set->kernel_symbol_addr - linked_addr;
}

/*
 * Read the functions of a vmlinux. The symbol table drops _text and similar labels, which share the
 * address of a function, so the address of the kernel's symbol is read from the file.
 */
static void load_vmlinux(const struct dso_set *set, struct dso *kernel, const char *path)
{
	struct error err;
	uint64_t addr;

	if (elf_file_load(&kernel->elf, path, &err)) {
		warn("%s", err.text);
		return;
	}
	/* Addresses of kernel code are not offsets in a file. */
	kernel->elf.nr_segments = 0;
	if (set->kernel_symbol && !elf_symbol_addr(path, set->kernel_symbol, &addr))
		relocate(set, kernel, addr);
}

static char *path_beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return xstrdup(name);
	return xasprintf("%.*s/%s", (int)(slash - path), path, name);
}

/* Find a vmlinux with the recorded build-id. The caller frees the path. */
static char *find_vmlinux(const struct dso_set *set, const struct dso *kernel)
{
	const char *recorded = set->features->osrelease;
	const char *release = recorded && !strchr(recorded, '/') ? recorded : "";
	const char *root = set->sources->symfs ? set->sources->symfs : "";
	char *paths[8] = {
		path_beside(set->sources->data_path, "vmlinux"),
		xasprintf("%s/usr/lib/debug/boot/vmlinux-%s", root, release),
		xasprintf("%s/usr/lib/debug/lib/modules/%s/vmlinux", root, release),
		xasprintf("%s/lib/modules/%s/build/vmlinux", root, release),
		xasprintf("%s/boot/vmlinux-%s", root, release),
		build_id_cached(kernel, "vmlinux"),
		build_id_cached(kernel, "elf"),
		build_id_installed(kernel, ".debug"),
	};
	char *found = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		if (!found && paths[i] && build_id_matches(kernel, paths[i]))
			found = paths[i];
		else
			free(paths[i]);
	}
	return found;
}

static void warn_of_no_symbols(const struct dso *kernel)
{
	char *id = build_id_text(kernel);

	if (kernel->id_size)
		warn("no symbols for kernel %s; use -k with its vmlinux, or --kallsyms", id);
	else
		warn("the recorded kernel is unknown; use -k with its vmlinux");
	free(id);
}

/**
 * kernel_symbols_load() - Read the functions of the kernel
 * @set: set that contains @kernel
 * @kernel: dso of the kernel; gets the functions
 */
void kernel_symbols_load(struct dso_set *set, struct dso *kernel)
{
	const char *named = set->sources->vmlinux, *text;
	char *path;

	if (named) {
		if (kernel->id_size && !build_id_matches(kernel, named))
			warn("%s: not the recorded kernel (its build-id differs); use its vmlinux",
			     named);
		else
			load_vmlinux(set, kernel, named);
		return;
	}
	text = find_kallsyms(set, kernel);
	if (text) {
		add_kallsyms(&kernel->elf.symbols, text, NULL);
		if (set->kernel_symbol)
			relocate(set, kernel, kallsyms_addr(text, set->kernel_symbol));
		return;
	}
	path = find_vmlinux(set, kernel);
	if (path)
		load_vmlinux(set, kernel, path);
	else
		warn_of_no_symbols(kernel);
	free(path);
}

/* Return true if the kallsyms text has functions of the module at @start. */
static bool has_functions_at(const struct dso *module, uint64_t start)
{
	const struct symbol_table *table = &module->elf.symbols;
	size_t i;

	for (i = 0; i < table->nr; i++) {
		if (table->symbols[i].start >= start &&
		    table->symbols[i].start - start < module->size)
			return true;
	}
	return false;
}

/*
 * Read the functions of a module from kallsyms. Return false if kallsyms has no functions of the
 * module at any of its recorded addresses.
 */
static bool load_module_of_kallsyms(struct dso_set *set, struct dso *module)
{
	struct dso *kernel = kernel_dso(set);

	dso_find_recorded_id(set, kernel);
	add_kallsyms(&module->elf.symbols, find_kallsyms(set, kernel), module->name);
	if (has_functions_at(module, module->start))
		return true;
	if (has_functions_at(module, module->last_start)) {
		module->relocation = module->start - module->last_start;
		return true;
	}
	elf_file_free(&module->elf);
	memset(&module->elf, 0, sizeof(module->elf));
	return false;
}

/* Find the file of a module that was loaded while recording, by the release of the kernel. */
static char *find_module_file(const struct dso_set *set, const struct dso *module)
{
	const char *modules = set->sources->modules ? set->sources->modules : "/lib/modules";
	const char *release = set->features->osrelease;
	char *directory, *dep_path, *dep, *name, *path;

	/* Reject a release with a slash: it could lead to any directory. */
	if (!release || strchr(release, '/'))
		return xstrdup(module->path);
	directory = xasprintf("%s/%s", modules, release);
	dep_path = xasprintf("%s/modules.dep", directory);
	dep = foreign_text(dep_path, MODULES_DEP_SIZE_MAX, NULL);
	name = xstrndup(module->path + 1, strcspn(module->path + 1, "]"));
	path = module_path(dep, directory, name);
	free(name);
	free(dep);
	free(dep_path);
	free(directory);
	return path;
}

static void load_module_file(struct dso *module, const char *path)
{
	struct error err;

	if (elf_module_load(&module->elf, path, &err))
		warn("%s", err.text);
	else
		module->relocation = module->start;
}

/**
 * module_file_is_other() - Compare the build-id of a file with that of a recorded module
 * @module: dso of the module
 * @path: file of a module, which may be compressed
 *
 * Return: True if both build-ids are known and differ, or if only the recording has one.
 */
bool module_file_is_other(const struct dso *module, const char *path)
{
	uint8_t id[BUILD_ID_MAX];
	ssize_t size = elf_module_build_id(path, id);

	return module->id_size && size >= 0 &&
	       (size != (ssize_t)module->id_size || memcmp(id, module->id, size));
}

/* Return true if the file of a module, which may be compressed, has the recorded build-id. */
static bool is_recorded_module(const struct dso *module, const char *path)
{
	uint8_t id[BUILD_ID_MAX];

	return module->id_size && elf_module_build_id(path, id) == (ssize_t)module->id_size &&
	       !memcmp(id, module->id, module->id_size);
}

/* Read the functions of a module from the recorded path, on this machine or below --symfs. */
static void load_recorded_file(const struct dso_set *set, struct dso *module)
{
	const char *root = set->sources->symfs;
	char *path = root ? xasprintf("%s%s", root, module->path) : NULL;

	if (is_recorded_module(module, module->path))
		load_module_file(module, module->path);
	else if (path && is_recorded_module(module, path))
		load_module_file(module, path);
	else
		note_file(path ? path : module->path,
			  "not the recorded module, or not found; its functions have no names",
			  MODULES_REMEDY);
	free(path);
}

/**
 * module_symbols_load() - Read the functions of a kernel module
 * @set: set that contains @module
 * @module: dso of the module; its path is "[name]" if it was loaded while recording
 *
 * A module that has been unloaded is not in kallsyms, but its file may exist.
 */
void module_symbols_load(struct dso_set *set, struct dso *module)
{
	char *path;

	if (load_module_of_kallsyms(set, module))
		return;
	if (module->path[0] != '[') {
		load_recorded_file(set, module);
		return;
	}
	path = find_module_file(set, module);
	if (path[0] != '[' && module_file_is_other(module, path))
		note_file(path,
			  "not the recorded module (its build-id differs); its functions have no names",
			  MODULES_REMEDY);
	else if (path[0] != '[')
		load_module_file(module, path);
	free(path);
}

/**
 * kernel_debug_path() - Find the vmlinux with the debug information of the kernel
 * @set: set that contains @kernel
 * @kernel: dso of the kernel, whose functions have been read
 * @relocation: set to the distance between the kernel's addresses and those of the file
 *
 * Return: The path, or NULL; the caller frees it.
 */
char *kernel_debug_path(struct dso_set *set, struct dso *kernel, uint64_t *relocation)
{
	const char *named = set->sources->vmlinux;
	char *path;
	uint64_t addr;

	if (named)
		path = kernel->id_size && !build_id_matches(kernel, named) ? NULL : xstrdup(named);
	else
		path = find_vmlinux(set, kernel);
	*relocation = 0;
	if (path && set->kernel_symbol && set->kernel_symbol_addr &&
	    !elf_symbol_addr(path, set->kernel_symbol, &addr))
		*relocation = set->kernel_symbol_addr - addr;
	return path;
}

/**
 * module_debug_path() - Find the file of a kernel module
 * @set: set that contains @module
 * @module: dso of the module
 *
 * Return: The path, or NULL; the caller frees it.
 */
char *module_debug_path(const struct dso_set *set, const struct dso *module)
{
	const char *root = set->sources->symfs;
	char *path;
	bool found;

	if (module->path[0] != '[' && is_recorded_module(module, module->path))
		return xstrdup(module->path);
	path = module->path[0] == '[' ? find_module_file(set, module) :
	       xasprintf("%s%s", root ?: "", module->path);
	found = module->path[0] == '[' ? path[0] != '[' : is_recorded_module(module, path);
	if (found)
		return path;
	free(path);
	return NULL;
}
