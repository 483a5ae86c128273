/* SPDX-License-Identifier: GPL-2.0 */
/* The machine that the bare-metal test runs on, and its TAP. */
#ifndef MACHINE_H
#define MACHINE_H

#include "bare.h"

#define H_ENTER		0x08
#define H_GET_TERM_CHAR	0x54
#define H_PUT_TERM_CHAR	0x58
#define H_RTAS		0xf000	/* of QEMU */
#define RTAS_POWER_OFF	0x2003	/* of QEMU */
#define RTAS_START_CPU	0x2006	/* of QEMU */

#define MSR_EE		0x8000UL
#define MSR_PMM		0x4UL

#define mfspr(n) ({							\
	u64 v_;								\
	asm volatile("mfspr %0,%1" : "=r" (v_) : "i" (n) : "memory");	\
	v_; })
#define mtspr(n, v) ({							\
	asm volatile("mtspr %0,%1" : : "i" (n), "r" ((u64)(v)) : "memory"); })

#define barrier()	({ asm volatile("" : : : "memory"); })

#define array_size(a)	(sizeof(a) / sizeof((a)[0]))

extern char image_end[];

u64 hcall(u64 opcode, ...);
u64 hcall_second(u64 opcode, ...);
void measure(void (*sequence)(void), u64 start, u64 stop);
void leave_user(void);
void unexpected_entry(void);
void unexpected(u64 vector, u64 srr0, u64 srr1);
void handle_pmi(void);
void start_second(void);
void bare_main(void);
void *memset(void *to, int byte, u64 n);

/* Set handlers that report interrupts, and map the program for user mode. */
void machine_init(void);

/* Set the handler of an interrupt; with NULL the interrupt is reported. */
void set_vector(int vector, void (*handler)(void));

/* Take interrupts from now on, or leave them pending. */
void interrupts(bool on);

/* Make CPU @id execute @function. Returns false if there is no such CPU. */
bool start_cpu(int id, void (*function)(void));

/* Return whether the console has received a byte, which is discarded. */
bool console_has_input(void);

/* Print a line that is not a test's result. */
void say(const char *format, ...);

/* Print the result of a test, which passes if @is equals @should; @format is its name. */
void check(const char *format, u64 is, u64 should, ...);

/* Print the TAP plan and switch the machine off; does not return. */
void finish(void);

#endif
