// SPDX-License-Identifier: GPL-2.0
/*
 * Random attrs and filters. Most fields of an attr are plausible, because the kernel's
 * first check refuses all others.
 */
#include <string.h>

#include "fuzz.h"

#define SAMPLE_BITS	25	/* PERF_SAMPLE_*, with one that no kernel knows */
#define FORMAT_BITS	5	/* PERF_FORMAT_* */
#define BRANCH_BITS	20	/* PERF_SAMPLE_BRANCH_*, with one that no kernel knows */
#define REGS_X86	0xff0fffULL	/* registers that an x86-64 has in samples */

static void random_event(struct random *r, struct perf_counter_attr *attr)
{
	switch (random_below(r, 24)) {
	case 0 ... 7:
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = random_once_in(r, 6) ? PERF_COUNT_SW_OFF_CPU : random_below(r, 12);
		if (attr->config == PERF_COUNT_SW_OFF_CPU && random_once_in(r, 3))
			attr->config1 = random_below(r, 1000000);
		break;
	case 8 ... 12:
		attr->type = PERF_TYPE_HARDWARE;
		attr->config = random_below(r, 11);
		break;
	case 13 ... 14:
		attr->type = PERF_TYPE_RAW;
		attr->config = random_once_in(r, 2) ? 0xc0 + random_below(r, 16) :
			       random_word(r) & 0xfffffff;
		attr->config1 = random_once_in(r, 8) ? random_word(r) : 0;
		break;
	case 15:
		attr->type = PERF_TYPE_HW_CACHE;
		attr->config = random_below(r, 8) | random_below(r, 4) << 8 |
			       random_below(r, 3) << 16;
		break;
	case 16 ... 20:
		attr->type = PERF_TYPE_TRACEPOINT;
		attr->config = random_once_in(r, 4) ? CONFIG_PROBE | random_below(r, PROBES) :
			       CONFIG_NAMED | random_below(r, 64);
		if (random_once_in(r, 4))
			attr->config1 = random_below(r, PERF_COUNTER_SYSCALL_MAX + 2);
		break;
	case 21:
		attr->type = random_once_in(r, 2) ? TYPE_KPROBE : TYPE_UPROBE;
		attr->config = random_below(r, 2);
		attr->config1 = random_below(r, 6);
		attr->config2 = random_once_in(r, 4) ? random_below(r, 64) : 0;
		break;
	default:
		attr->type = random_below(r, 16);
		attr->config = random_value(r);
	}
}

static void random_period(struct random *r, struct perf_counter_attr *attr)
{
	bool clock = attr->type == PERF_TYPE_SOFTWARE && attr->config <= PERF_COUNT_SW_TASK_CLOCK;

	if (random_once_in(r, 4))
		return;
	if (random_once_in(r, 4)) {
		attr->freq = 1;
		attr->sample_freq = 1 + random_below(r, 5000);
	} else if (random_once_in(r, 12)) {
		attr->sample_period = random_value(r);
	} else if (clock || attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_RAW) {
		/* A machine that is busy with samples tests nothing else. */
		attr->sample_period = 100000 + random_below(r, 1000000);
	} else {
		attr->sample_period = 1 + random_below(r, 30);
	}
}

static u64 random_regs(struct random *r)
{
	return random_word(r) & (random_once_in(r, 20) ? ~0ULL : REGS_X86);
}

/*
 * Return branch filters. Mostly they are what hardware supports: one mode (user, kernel or
 * hypervisor), and one kind (any branch, or the call stack).
 */
static u64 random_branches(struct random *r)
{
	if (random_once_in(r, 3))
		return random_word(r) & random_word(r) & ((1ULL << BRANCH_BITS) - 1);
	return 1ULL << random_below(r, 3) |
	       (random_once_in(r, 2) ? PERF_SAMPLE_BRANCH_ANY : PERF_SAMPLE_BRANCH_CALL_STACK);
}

static void random_sample(struct random *r, struct perf_counter_attr *attr)
{
	attr->sample_type = random_word(r) & random_word(r) & ((1ULL << (SAMPLE_BITS - 1)) - 1);
	if (random_once_in(r, 3))
		attr->sample_type &= 0xffff;
	attr->sample_type &= ~PERF_SAMPLE_AUX;
	if ((attr->sample_type & PERF_SAMPLE_WEIGHT_TYPE) == PERF_SAMPLE_WEIGHT_TYPE)
		attr->sample_type &= ~PERF_SAMPLE_WEIGHT;
	if (random_once_in(r, 30))
		attr->sample_type |= 1ULL << random_below(r, 64);
	if (attr->sample_type & PERF_SAMPLE_REGS_USER)
		attr->sample_regs_user = random_regs(r);
	if (attr->sample_type & PERF_SAMPLE_REGS_INTR)
		attr->sample_regs_intr = random_regs(r);
	if (attr->sample_type & PERF_SAMPLE_STACK_USER)
		attr->sample_stack_user = 8 * random_below(r, random_once_in(r, 5) ? 8200 : 100);
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		attr->branch_sample_type = random_branches(r);
	if (random_once_in(r, 6))
		attr->sample_max_stack = random_below(r, 140);
}

/* Return the 64 bits of the attr's flags, which are a bit field without a name. */
static u64 *attr_bits(struct perf_counter_attr *attr)
{
	return (u64 *)attr + offsetof(struct perf_counter_attr, read_format) / sizeof(u64) + 1;
}

static void random_bits(struct random *r, struct perf_counter_attr *attr)
{
	u64 known = ((1ULL << 35) - 1) & ~(1ULL << 31);	/* all up to build_id except aux_output */
	u64 own = 1ULL << 36 | 3ULL << 62;		/* remove_on_exec, subrings, munmap */
	u64 bits = random_word(r) & random_word(r) & random_word(r) & (known | own);
	bool freq = attr->freq;

	*attr_bits(attr) = bits;
	attr->freq = freq;
	attr->precise_ip = random_once_in(r, 20) ? random_below(r, 4) : 0;
	if (random_once_in(r, 2)) {
		attr->exclude_idle = 0;
		attr->exclude_guest = 0;
		attr->exclude_host = 0;
	}
	if (random_once_in(r, 3))
		attr->inherit = 1;
	if (attr->use_clockid)
		attr->clockid = random_below(r, 12);
	if (random_once_in(r, 30))
		*attr_bits(attr) ^= 1ULL << random_below(r, 64);
	if (random_once_in(r, 3))
		attr->wakeup_events = random_below(r, 100);
}

void random_attr(struct random *r, u64 *words)
{
	struct perf_counter_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = random_once_in(r, 20) ? random_below(r, 300) : sizeof(attr);
	random_event(r, &attr);
	random_period(r, &attr);
	if (attr.sample_period || random_once_in(r, 2))
		random_sample(r, &attr);
	attr.read_format = random_once_in(r, 20) ? random_value(r) :
			   random_below(r, 1 << FORMAT_BITS);
	random_bits(r, &attr);
	memcpy(words, &attr, sizeof(attr));
}

void mutate_attr(struct random *r, u64 *words)
{
	struct perf_counter_attr attr, other;

	memcpy(&attr, words, sizeof(attr));
	switch (random_below(r, 7)) {
	case 0:
		random_period(r, &attr);
		break;
	case 1:
		random_sample(r, &attr);
		break;
	case 2:
		*attr_bits(&attr) ^= 1ULL << random_below(r, 64);
		break;
	case 3:
		*attr_bits(&attr) ^= 1ULL << random_below(r, 37);
		break;
	case 4:
		random_attr(r, (u64 *)&other);
		attr.type = other.type;
		attr.config = other.config;
		attr.config1 = other.config1;
		attr.config2 = other.config2;
		attr.sample_period = other.sample_period;
		attr.freq = other.freq;
		break;
	case 5:
		((u64 *)&attr)[random_below(r, ATTR_WORDS)] = random_value(r);
		break;
	default:
		((u64 *)&attr)[random_below(r, ATTR_WORDS)] ^= 1ULL << random_below(r, 64);
	}
	memcpy(words, &attr, sizeof(attr));
}

/* Append @word to the text that begins at @text, if there is room. */
static void append(char *text, size_t size, const char *word)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s", word);
}

static void append_comparison(struct random *r, char *text, size_t size)
{
	static const char *const fields[] = {
		"common_pid", "prev_pid", "next_pid", "prev_comm", "comm", "pid", "id", "ret",
		"args", "COMM", "CPU", "cpu", "filename", "count", "bytes_alloc", "__probe_ip",
		"address", "common_type", "runtime", "nothing", "stacktrace", "common_cpu", "fd",
	};
	static const char *const operators[] = {
		" == ", " != ", " < ", " > ", " <= ", " >= ", " & ", " ~ ", "==", " = ", " & CPUS",
	};
	static const char *const values[] = {
		"0", "1", "-1", "0x10", "18446744073709551616", "\"fuzz\"", "\"*\"", "\"f*z?\"",
		"\"[a-f]*\"", "'x'", "\"", "{0-1}", "{3", "09", "vfs_read", "\"*zz\"",
	};

	append(text, size, fields[random_below(r, ARRAY_SIZE(fields))]);
	append(text, size, operators[random_below(r, ARRAY_SIZE(operators))]);
	append(text, size, values[random_below(r, ARRAY_SIZE(values))]);
}

/*
 * Generate a filter. One in five is invalid; the others are comparisons with operators
 * between them.
 */
void random_filter(struct random *r, char *text, size_t size)
{
	static const char *const between[] = { " && ", " || ", "&&", " ) || ( ", " " };
	int open = 0;

	memset(text, 0, size);
	if (random_once_in(r, 12)) {
		for (size_t i = 0; i < size && i < 1 + random_below(r, size); i++)
			text[i] = random_word(r);
		return;
	}
	for (int i = random_below(r, 4); i >= 0; i--) {
		if (random_once_in(r, 4))
			append(text, size, "!");
		if (random_once_in(r, 4)) {
			append(text, size, "(");
			open++;
		}
		append_comparison(r, text, size);
		for (; open && random_once_in(r, 2); open--)
			append(text, size, ")");
		if (i)
			append(text, size, random_once_in(r, 10) ?
			       between[random_below(r, ARRAY_SIZE(between))] : between[i & 1]);
	}
	for (; open && !random_once_in(r, 8); open--)
		append(text, size, ")");
	if (random_once_in(r, 10))
		text[random_below(r, size)] ^= 1 << random_below(r, 8);
}
