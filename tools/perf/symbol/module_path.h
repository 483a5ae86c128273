/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the file of a kernel module.
 */
#ifndef PERF_SYMBOL_MODULE_PATH_H
#define PERF_SYMBOL_MODULE_PATH_H

/**
 * module_path() - Find the file of a module in modules.dep
 * @dep: text of modules.dep, or NULL
 * @directory: directory of modules.dep
 * @module: name of the module
 *
 * Return: The path, or the name in brackets if it is not found; the caller frees it.
 */
char *module_path(const char *dep, const char *directory, const char *module);

#endif
