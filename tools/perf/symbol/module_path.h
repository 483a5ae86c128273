/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the file of a kernel module is.
 */
#ifndef PERF_SYMBOL_MODULE_PATH_H
#define PERF_SYMBOL_MODULE_PATH_H

/**
 * module_path() - the file of a module
 * @dep: text of modules.dep, or NULL
 * @directory: where modules.dep is
 * @module: name of the module
 *
 * Return: its path, or if it is not known the name in brackets; the caller frees it.
 */
char *module_path(const char *dep, const char *directory, const char *module);

#endif
