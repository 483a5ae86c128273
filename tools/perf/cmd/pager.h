/* SPDX-License-Identifier: GPL-2.0 */
/* A pager for long output on a terminal. */
#ifndef PERF_CMD_PAGER_H
#define PERF_CMD_PAGER_H

/**
 * struct pager - a program that shows the standard output page by page
 * @pid: process of the pager; 0 without a pager
 * @out: duplicate of the original standard output
 * @err: duplicate of the original standard error; -1 if it was not redirected
 */
struct pager {
	int pid;
	int out;
	int err;
};

/*
 * Redirect the standard output to a pager if it is a terminal: $PERF_PAGER, $PAGER, or less.
 * The standard error follows if it is a terminal as well.
 */
void pager_start(struct pager *pager);

/* Restore the outputs and wait until the user leaves the pager. */
void pager_end(struct pager *pager);

#endif
