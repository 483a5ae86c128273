/* SPDX-License-Identifier: GPL-2.0 */
/* Descriptors over which a program controls a measurement: it sends lines and gets answers. */
#ifndef PERF_CMD_CONTROL_CHANNEL_H
#define PERF_CMD_CONTROL_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/measure.h"

/* Bytes of the longest command that is read. */
#define CONTROL_LINE_MAX 4096

/**
 * struct control_channel - where commands come from and acknowledgments go to
 * @commands: descriptor of commands; -1 without --control
 * @acks: descriptor of acknowledgments, or -1
 * @opened: the descriptors were opened from paths, and are closed at the end
 * @ended: nobody can send a further command
 * @acks_fail: an acknowledgment was lost, and this has been said
 * @skipping: the rest of a command that is too long is left out
 * @used: bytes of @text
 * @text: bytes that were read, and are not a whole command yet
 */
struct control_channel {
	int commands;
	int acks;
	bool opened;
	bool ended;
	bool acks_fail;
	bool skipping;
	size_t used;
	char text[CONTROL_LINE_MAX + 1];
};

/**
 * control_channel_open() - open what --control names
 * @ch: receives the descriptors
 * @where: "fd:COMMANDS[,ACKS]", numbers of descriptors that perf has inherited, or
 *	"fifo:COMMANDS[,ACKS]", paths of FIFOs
 * @err: receives the reason of a failure
 *
 * Return: 0; EXIT_FAILED or EXIT_USAGE with @err set and nothing open.
 */
int control_channel_open(struct control_channel *ch, const char *where, struct error *err);

/* Let watch_wait() return WATCH_INPUT when there are commands. */
int control_channel_watch(struct control_channel *ch, struct watch *watch, struct error *err);

/**
 * control_channel_read() - read once, without waiting
 * @ch: channel; watch_wait() has returned WATCH_INPUT for it
 * @watch: forgets the descriptor if nobody can send a further command
 *
 * Return: true if nothing is left to be read, so that the writer has finished its command.
 */
bool control_channel_read(struct control_channel *ch, struct watch *watch);

/**
 * control_channel_next() - take a command from the bytes that were read
 * @ch: channel
 * @line: receives the command, without its end and the blanks around it
 * @size: bytes of @line; at least CONTROL_LINE_MAX + 1
 *
 * A command ends with a newline or a NUL byte.
 *
 * Return: false if there is no further whole command.
 */
bool control_channel_next(struct control_channel *ch, char *line, size_t size);

/* Forget the bytes of a command without an end, because it has been carried out. */
static inline void control_channel_take_rest(struct control_channel *ch)
{
	ch->used = 0;
}

/* Send the acknowledgment of a command, if somebody wants it and there is room for it. */
void control_channel_ack(struct control_channel *ch);

void control_channel_close(struct control_channel *ch);

#endif
