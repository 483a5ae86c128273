/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output that may be long, one screen at a time.
 */
#ifndef PERF_CMD_PAGER_H
#define PERF_CMD_PAGER_H

/**
 * struct pager - a program that shows what is written to the standard output
 * @pid: its process; 0: there is none
 * @out: the standard output as it was before
 * @err: the standard error as it was before, or -1: it is still that
 */
struct pager {
	int pid;
	int out;
	int err;
};

/*
 * From now on the standard output is a pager's, if it was a terminal: that of $PERF_PAGER,
 * $PAGER, or less. Messages that would have gone to the terminal go the same way.
 */
void pager_start(struct pager *pager);

/* Wait until the user has seen enough. */
void pager_end(struct pager *pager);

#endif
