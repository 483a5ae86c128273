/* SPDX-License-Identifier: GPL-2.0 */
/* A line of text that the user types. */
#ifndef PERF_BROWSE_PROMPT_H
#define PERF_BROWSE_PROMPT_H

#include <stdint.h>

/* Room for the text of a prompt, in bytes. */
#define PROMPT_SIZE 256

/* The effect of a key on a prompt. */
enum prompt_effect {
	PROMPT_UNCHANGED,
	PROMPT_CHANGED,
	PROMPT_DONE,
	PROMPT_CANCELLED,
};

/**
 * prompt_key() - Change the text of a prompt by a key
 * @text: text in UTF-8
 * @key: character, or an enum browse_key
 *
 * Return: the effect of the key.
 */
enum prompt_effect prompt_key(char text[PROMPT_SIZE], uint32_t key);

#endif
