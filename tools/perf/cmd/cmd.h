/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands of perf, and the options that several of them share.
 *
 * A command receives its own arguments, with argv[0] "perf NAME" for its messages, and returns
 * the exit status.
 *
 * Uses: annotate, top, trace, probe, record, stat, sched, live, html, browse, export, report
 * Uses: measure, machine, symbol, file, util
 */
#ifndef PERF_CMD_H
#define PERF_CMD_H

int cmd_annotate(int argc, char **argv);
int cmd_archive(int argc, char **argv);
int cmd_buildid_cache(int argc, char **argv);
int cmd_buildid_list(int argc, char **argv);
int cmd_config(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_evlist(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_probe(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_sched(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_version(int argc, char **argv);

#endif
