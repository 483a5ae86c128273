/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From an address to a name: what is mapped there, and the functions of files, of the
 * kernel and of generated code.
 *
 * machine/ knows which mappings a process had at which time. Sets of mappings are here because
 * functions of generated code are looked up in one as well.
 *
 * Uses: file, util
 */
#ifndef PERF_SYMBOL_H
#define PERF_SYMBOL_H

#include "build_id_path.h"	/* files that are stored by build-id */
#include "code.h"		/* the instructions of a function */
#include "cache_path.h"		/* the directory of copies of files by build-id */
#include "debug_file.h"		/* where debug files are looked for */
#include "demangle.h"		/* names of functions for people */
#include "die_children.h"	/* walks through debug information */
#include "dso_set.h"		/* files and other things that contain code */
#include "dwarf_file.h"		/* files with debug information */
#include "elf_file.h"		/* build-ids */
#include "elf_safe.h"		/* files that libelf may read */
#include "file_cache.h"		/* copies of files by build-id */
#include "file_cache_clean.h"	/* lists and removes such copies */
#include "instructions.h"	/* decodes instructions */
#include "jit_map.h"		/* names of generated code */
#include "jitdump.h"		/* files in which programs describe generated code */
#include "kallsyms.h"		/* lines of kallsyms */
#include "kernel.h"		/* functions of the kernel; which kernel is running */
#include "live_file.h"		/* files of processes that still run */
#include "location.h"		/* an address and the code there */
#include "map.h"		/* the mappings of one address space */
#include "module_path.h"	/* the file of a module */
#include "source.h"		/* the source line and the inlined functions at an address */
#include "symbols.h"		/* the function at an address */
#include "stored_copy.h"	/* files that a recording contains */
#include "symbol_table.h"	/* the functions of one file */
#include "user.h"		/* programs, libraries and the vdso */

#endif
