/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands. Each gets its own arguments, argv[0] being "perf NAME" for its
 * messages, and returns the exit status.
 */
#ifndef PERF_BUILTIN_H
#define PERF_BUILTIN_H

int cmd_list(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_top(int argc, char **argv);

#endif
