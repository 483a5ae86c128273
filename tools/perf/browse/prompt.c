// SPDX-License-Identifier: GPL-2.0
/* A line of text that the user types. */
#include <stdio.h>
#include <string.h>

#include "util/util.h"
#include "keys.h"
#include "prompt.h"

/* Remove the last character. */
static void shorten(char *text)
{
	size_t size = strlen(text);

	while (size && (text[--size] & 0xc0) == 0x80)
		;
	text[size] = '\0';
}

static void lengthen(char *text, uint32_t c)
{
	char bytes[5] = "";
	size_t size = strlen(text);

	if (c < 0x80)
		snprintf(bytes, sizeof(bytes), "%c", (int)c);
	else if (c < 0x800)
		snprintf(bytes, sizeof(bytes), "%c%c", 0xc0 | c >> 6, 0x80 | (c & 0x3f));
	else if (c < 0x10000)
		snprintf(bytes, sizeof(bytes), "%c%c%c", 0xe0 | c >> 12, 0x80 | (c >> 6 & 0x3f),
			 0x80 | (c & 0x3f));
	if (size + strlen(bytes) < PROMPT_SIZE)
		memcpy(text + size, bytes, strlen(bytes) + 1);
}

enum prompt_effect prompt_key(char text[PROMPT_SIZE], uint32_t key)
{
	switch (key) {
	case KEY_OF_ENTER:
		return PROMPT_DONE;
	case KEY_OF_ESCAPE:
		return PROMPT_CANCELLED;
	case KEY_OF_BACKSPACE:
		shorten(text);
		return PROMPT_CHANGED;
	case CONTROL('u'):
		*text = '\0';
		return PROMPT_CHANGED;
	default:
		if (key >= KEY_OF_NOTHING || is_control_character(key))
			return PROMPT_UNCHANGED;
		lengthen(text, key);
		return PROMPT_CHANGED;
	}
}
