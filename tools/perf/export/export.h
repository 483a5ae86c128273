/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recordings in the formats of other programs.
 *
 * profile.h has the tables that the formats share: functions, locations, stacks, samples. Each
 * format is a file that writes these tables.
 *
 * Uses: report, machine, symbol, file, util
 */
#ifndef PERF_EXPORT_H
#define PERF_EXPORT_H

#include "chrome.h"		/* trace events in JSON */
#include "firefox.h"		/* profiles of the Firefox Profiler */
#include "folded.h"		/* one line for each stack, for flame graphs */
#include "http.h"		/* sending by HTTP */
#include "otlp.h"		/* profiles of OpenTelemetry */
#include "perfetto.h"		/* traces of Perfetto */
#include "pprof.h"		/* profile.proto of pprof */
#include "profile.h"		/* the samples of a recording in tables */
#include "rows.h"		/* the rows of perf report as CSV and JSON */
#include "speedscope.h"		/* the file format of speedscope */
#include "table.h"		/* tables of rows for SQL engines */

#endif
