/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of the kernel and its modules.
 */
#ifndef PERF_SYMBOL_KERNEL_H
#define PERF_SYMBOL_KERNEL_H

#include "dso_set.h"
#include "kallsyms.h"

/* Read the build-id of the running kernel. Return: its size, 0 or a negative number if unknown. */
ssize_t running_kernel_id(uint8_t id[BUILD_ID_MAX]);
/* Return true if @id is the build-id of the running kernel. */
bool running_kernel_has_id(const uint8_t *id, size_t size);

int kernel_kallsyms_open(void);
bool kernel_is_running(struct dso_set *set);
bool kernel_runs_function(struct dso_set *set, const char *name, uint64_t addr);
void kernel_symbols_walk(struct dso_set *set,
			 void (*take)(void *context, const struct kallsym *k), void *context);
void kernel_symbols_load(struct dso_set *set, struct dso *dso);
void module_symbols_load(struct dso_set *set, struct dso *dso);
char *kernel_debug_path(struct dso_set *set, struct dso *kernel, uint64_t *relocation);
bool module_file_is_other(const struct dso *module, const char *path);
char *module_debug_path(const struct dso_set *set, const struct dso *module);

#endif
