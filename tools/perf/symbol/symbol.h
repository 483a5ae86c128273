/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From an address to a name: what is mapped there, and the functions of files, of the
 * kernel and of generated code.
 *
 * Which mapping was there when is a matter of machine/; a set of mappings is kept here
 * because functions of generated code are found in one as well.
 *
 * Uses: file, util
 */
#ifndef PERF_SYMBOL_H
#define PERF_SYMBOL_H

#include "call_frame.h"		/* where a function's caller has its registers */
#include "debug_file.h"		/* whether servers are asked */
#include "dso.h"		/* a file, and the function at an address in it */
#include "elf_file.h"		/* build-ids */
#include "instructions.h"	/* how many there are from one to another */
#include "jitdump.h"		/* what programs write about code that they generate */
#include "kallsyms.h"		/* lines of kallsyms */
#include "kernel.h"		/* functions of the kernel, and which one runs */
#include "map.h"		/* what is mapped in one address space */
#include "module_path.h"	/* where the file of a module is */
#include "powerpc_frame.h"	/* where a function has its return address */
#include "table.h"		/* the functions of one file */

#endif
