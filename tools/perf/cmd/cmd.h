/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands of perf, and the options that several of them share.
 *
 * A command receives its own arguments, with argv[0] "perf NAME" for its messages, and returns
 * the exit status.
 *
 * Uses: annotate, top, trace, probe, record, stat, sched, lock, wall, live, html, browse, export
 * Uses: report, measure, machine, symbol, file, util
 */
#ifndef PERF_CMD_H
#define PERF_CMD_H

#include <stddef.h>

int cmd_annotate(int argc, char **argv);
int cmd_archive(int argc, char **argv);
int cmd_buildid_cache(int argc, char **argv);
int cmd_buildid_list(int argc, char **argv);
int cmd_config(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_evlist(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_lock(int argc, char **argv);
int cmd_probe(int argc, char **argv);
int cmd_record(int argc, char **argv);
/**
 * record_calls() - perf record, with the strings in arguments of system calls
 * @argc: number of strings in @argv
 * @argv: "perf trace record" and arguments of perf record
 * @string_size: bytes of each string of raw_syscalls:sys_enter; 0 for only addresses
 *
 * Return: the exit status.
 */
int record_calls(int argc, char **argv, size_t string_size);
int cmd_report(int argc, char **argv);
int cmd_sched(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_version(int argc, char **argv);

#endif
