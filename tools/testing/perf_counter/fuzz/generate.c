// SPDX-License-Identifier: GPL-2.0
/* Generating programs, and changing programs of the corpus. */
#include <string.h>

#include "fuzz.h"

/* xorshift64*: a seed gives the same programs on every machine. */
u64 random_word(struct random *r)
{
	r->state ^= r->state >> 12;
	r->state ^= r->state << 25;
	r->state ^= r->state >> 27;
	return r->state * 0x2545f4914f6cdd1dULL;
}

u64 random_below(struct random *r, u64 n)
{
	return (random_word(r) >> 16) % n;
}

bool random_once_in(struct random *r, unsigned int n)
{
	return !random_below(r, n);
}

/* Return any number; most are small, or near a limit of some type. */
u64 random_value(struct random *r)
{
	switch (random_below(r, 6)) {
	case 0:
		return random_word(r);
	case 1:
		return random_below(r, 3) - 1;
	case 2:
		return (1ULL << random_below(r, 64)) + random_below(r, 3) - 1;
	case 3:
		return -(1ULL << random_below(r, 64));
	default:
		return random_below(r, 1 << random_below(r, 20));
	}
}

/* The slots of descriptors and of mappings that the current program fills, a bit each. */
static unsigned int slots_filled, maps_filled;

/* Return mostly one of the slots in @filled, because most calls need an existing object. */
static u64 random_slot(struct random *r, unsigned int filled, unsigned int n)
{
	u64 slot = random_below(r, n);

	if (!filled || random_once_in(r, 20))
		return slot;
	while (!(filled >> slot & 1))
		slot = random_below(r, n);
	return slot;
}

static void note_slots(const struct program *program)
{
	slots_filled = 0;
	maps_filled = 0;
	for (unsigned int i = 0; i < program->n; i++) {
		const struct call *call = &program->calls[i];

		if (call_types[call->kind].args[0].kind == ARG_NEW_SLOT)
			slots_filled |= 1 << call->arg[0] % SLOTS;
		if (call_types[call->kind].args[0].kind == ARG_NEW_MAP)
			maps_filled |= 1 << call->arg[0] % MAPS;
	}
}

static u64 random_flags(struct random *r, const struct arg_type *arg)
{
	u64 flags = 0;

	for (unsigned int i = 0; i < arg->n; i++)
		if (random_once_in(r, 3))
			flags |= arg->values[i];
	if (random_once_in(r, 40))
		flags ^= 1ULL << random_below(r, 64);
	return flags;
}

static u64 random_number(struct random *r, const struct arg_type *arg)
{
	switch (arg->kind) {
	case ARG_SLOT:
		return random_slot(r, slots_filled, SLOTS);
	case ARG_SLOT_OR_NONE:
		return random_once_in(r, 2) ? SLOTS : random_slot(r, slots_filled, SLOTS);
	case ARG_NEW_SLOT:
		return random_below(r, SLOTS);
	case ARG_MAP:
		return random_slot(r, maps_filled, MAPS);
	case ARG_NEW_MAP:
		return random_below(r, MAPS);
	case ARG_CHILD:
		return random_below(r, CHILDREN);
	case ARG_TASK:
		if (random_once_in(r, 40))
			return random_value(r);
		return random_once_in(r, 2) ? TASK_SELF : random_below(r, TASK_NAMES);
	case ARG_CPU:
		if (random_once_in(r, 40))
			return random_value(r);
		return random_once_in(r, 2) ? -1ULL : random_below(r, 4);
	case ARG_PICK:
		return random_once_in(r, 40) ? random_value(r) :
		       arg->values[random_below(r, arg->n)];
	case ARG_FLAGS:
		return random_flags(r, arg);
	case ARG_BELOW:
		return random_below(r, arg->n);
	default:
		return random_value(r);
	}
}

static void random_arg(struct random *r, const struct arg_type *arg, u64 *word)
{
	if (arg->kind == ARG_ATTR)
		random_attr(r, word);
	else if (arg->kind == ARG_TEXT)
		random_filter(r, (char *)word, TEXT_WORDS * sizeof(u64));
	else
		*word = random_number(r, arg);
}

static void random_call(struct random *r, struct call *call)
{
	static unsigned int sum;
	unsigned int nth;
	u64 *word = call->arg;

	for (unsigned int i = 0; !sum || (i && i < nr_call_types); i++)
		sum += call_types[i].weight;
	memset(call, 0, sizeof(*call));
	for (nth = random_below(r, sum); nth >= call_types[call->kind].weight; call->kind++)
		nth -= call_types[call->kind].weight;
	call->async = random_once_in(r, 8);
	for (const struct arg_type *arg = call_types[call->kind].args; arg->kind; arg++) {
		random_arg(r, arg, word);
		word += arg_words(arg->kind);
	}
}

/* Generate a call that maps the descriptor in @slot. */
static void random_mapping(struct random *r, struct call *call, u64 slot)
{
	while (call_types[call->kind].args[0].kind != ARG_NEW_MAP)
		random_call(r, call);
	call->arg[1] = slot;
}

/* Generate a program that opens a counter first: most calls need one. */
void random_program(struct random *r, struct program *program)
{
	unsigned int n = 3 + random_below(r, CALLS_MAX - 3);

	for (program->n = 0; program->n < n; program->n++) {
		struct call *call = &program->calls[program->n];

		note_slots(program);
		do
			random_call(r, call);
		while (!slots_filled && call_types[call->kind].args[1].kind != ARG_ATTR);
		/* Map half of the opened descriptors at once. */
		if (program->n && random_once_in(r, 2) &&
		    call_types[call[-1].kind].args[0].kind == ARG_NEW_SLOT)
			random_mapping(r, call, call[-1].arg[0]);
	}
}

static void mutate_call(struct random *r, struct call *call)
{
	const struct arg_type *arg = call_types[call->kind].args;
	unsigned int nth = 0, n = 0;
	u64 *word = call->arg;

	while (arg[n].kind)
		n++;
	if (!n || random_once_in(r, 12)) {
		call->async = !call->async;
		return;
	}
	for (nth = random_below(r, n); nth; nth--)
		word += arg_words(arg++->kind);
	if (arg->kind == ARG_ATTR && !random_once_in(r, 10))
		mutate_attr(r, word);
	else
		random_arg(r, arg, word);
}

static void remove_call(struct program *program, unsigned int nth)
{
	memmove(&program->calls[nth], &program->calls[nth + 1],
		(program->n - nth - 1) * sizeof(program->calls[0]));
	program->n--;
}

static void insert_call(struct program *program, unsigned int nth, const struct call *call)
{
	if (program->n == CALLS_MAX)
		remove_call(program, CALLS_MAX - 1);
	if (nth > program->n)
		nth = program->n;
	memmove(&program->calls[nth + 1], &program->calls[nth],
		(program->n - nth) * sizeof(program->calls[0]));
	program->calls[nth] = *call;
	program->n++;
}

/* Change @program a little, sometimes by inserting calls of @other. */
void mutate_program(struct random *r, struct program *program, const struct program *other)
{
	struct call call;

	for (int i = random_below(r, 4); i >= 0; i--) {
		unsigned int nth = random_below(r, program->n);

		note_slots(program);
		switch (random_below(r, 10)) {
		case 0:
			if (program->n > 1)
				remove_call(program, nth);
			break;
		case 1 ... 3:
			random_call(r, &call);
			insert_call(program, nth + 1, &call);
			break;
		case 4:
			call = program->calls[nth];
			insert_call(program, random_below(r, program->n), &call);
			break;
		case 5:
			for (unsigned int j = random_below(r, other->n); j < other->n; j++)
				insert_call(program, ++nth, &other->calls[j]);
			break;
		default:
			mutate_call(r, &program->calls[nth]);
		}
	}
}
