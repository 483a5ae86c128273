/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Debug information as a tree: which function an address is in, and which blocks of it.
 */
#ifndef PERF_PROBE_SCOPES_H
#define PERF_PROBE_SCOPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

#include "binary.h"

/* Blocks in blocks; the children of one entry. */
#define SCOPES_MAX 64
#define CHILDREN_MAX 1000000

/**
 * struct child - a walk through the children of an entry
 * @die: the child that it is at
 * @nr: how many were before; a file may say that one comes after itself
 */
struct child {
	Dwarf_Die die;
	unsigned int nr;
};

/* Go to the first or the next child; false: there is none. */
bool child_first(struct child *child, Dwarf_Die *parent);
bool child_next(struct child *child);

/**
 * struct scopes - where an address is
 * @cu: its compilation unit
 * @dies: the function, and what is around the address in it, from outside to inside
 * @nr: number of @dies
 */
struct scopes {
	Dwarf_Die cu;
	Dwarf_Die dies[SCOPES_MAX];
	size_t nr;
};

/* @pc is an address of the debug information. -1: it is in no function known there. */
int scopes_find(struct scopes *scopes, const struct binary *binary, Dwarf_Addr pc);

/* The innermost function at the address, which may be an inlined one: its number in @dies. */
size_t scopes_function(const struct scopes *scopes);

#endif
