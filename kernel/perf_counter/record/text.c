// SPDX-License-Identifier: GPL-2.0
/*
 * Records of the kernel's code: functions that the kernel generates (KSYMBOL), BPF
 * programs (BPF_EVENT), patched code (TEXT_POKE), and modules (MMAP and MUNMAP of the
 * kernel). All of these except records of modules may be written with the locks
 * of code patching held.
 */

#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/module.h>

#include "../counter/desc.h"
#include "record.h"

/* A KSYMBOL record; zeros pad @name to @size bytes, a multiple of 8. */
struct ksymbol_record {
	u64		addr;
	u32		len;
	u16		type, flags;
	char		name[ALIGN(KSYM_NAME_LEN, sizeof(u64))] __aligned(8);
	u32		size;
};

static void ksymbol_output(struct perf_counter *counter, void *data)
{
	const struct ksymbol_record *info = data;
	struct perf_counter_record record;
	u32 len = offsetof(struct ksymbol_record, name) + info->size;

	if (!counter->desc->attr.ksymbol)
		return;
	if (!perf_counter_output_begin(&record, counter, PERF_RECORD_KSYMBOL, 0, len))
		return;
	perf_counter_put(&record, info, len);
	perf_counter_output_end(&record);
}

/**
 * __perf_counter_ksymbol() - Write records of a generated function
 * @type: kind of function, PERF_RECORD_KSYMBOL_TYPE_*
 * @addr: address of the function
 * @len: size of the function in bytes
 * @unregister: true if the function is about to be freed, false if it is new
 * @name: name of the function
 *
 * A function without code has no record: it is a BPF program that was not compiled.
 *
 * Context: any.
 */
void __perf_counter_ksymbol(u16 type, u64 addr, u32 len, bool unregister, const char *name)
{
	struct ksymbol_record info = {
		.addr	= addr,
		.len	= len,
		.type	= type,
		.flags	= unregister ? PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER : 0,
	};

	/* A record has a copy of the members up to @name, so there must be no padding. */
	BUILD_BUG_ON(offsetof(struct ksymbol_record, name) != 2 * sizeof(u64));
	if (!len)
		return;
	strscpy(info.name, name);
	info.size = perf_counter_name_size(info.name);
	perf_counter_sideband_machine(ksymbol_output, &info);
}

#ifdef CONFIG_BPF_SYSCALL

/* Fields of BPF_EVENT. */
struct bpf_fields {
	u16	type, flags;
	u32	id;
	u8	tag[BPF_TAG_SIZE];
};

static void bpf_output(struct perf_counter *counter, void *data)
{
	const struct bpf_fields *info = data;
	struct perf_counter_record record;

	if (!counter->desc->attr.bpf_event)
		return;
	if (!perf_counter_output_begin(&record, counter, PERF_RECORD_BPF_EVENT, 0, sizeof(*info)))
		return;
	perf_counter_put(&record, info, sizeof(*info));
	perf_counter_output_end(&record);
}

static void bpf_ksymbol(const struct bpf_prog *prog, bool unregister)
{
	__perf_counter_ksymbol(PERF_RECORD_KSYMBOL_TYPE_BPF, (unsigned long)prog->bpf_func,
			       prog->jited_len, unregister, prog->aux->ksym.name);
}

/* Write records of the compiled functions of @prog. */
static void bpf_ksymbols(const struct bpf_prog *prog, bool unregister)
{
	u32 i;

	/* The first of several functions is the program itself. */
	bpf_ksymbol(prog, unregister);
	for (i = 1; i < prog->aux->func_cnt; i++)
		bpf_ksymbol(prog->aux->func[i], unregister);
}

/**
 * __perf_counter_bpf_event() - Write records of a BPF program
 * @prog: BPF program
 * @type: kind of event: the program was loaded, or is about to be unloaded
 * @flags: flags of the record, 0
 *
 * The records of the compiled functions come before: perf_events has reported the functions, if
 * it is a part of the kernel.
 *
 * Context: any.
 */
void __perf_counter_bpf_event(struct bpf_prog *prog, enum perf_bpf_event_type type, u16 flags)
{
	struct bpf_fields info = { .type = type, .flags = flags, .id = prog->aux->id };

	if (!IS_ENABLED(CONFIG_PERF_EVENTS))
		bpf_ksymbols(prog, type == PERF_BPF_EVENT_PROG_UNLOAD);
	memcpy(info.tag, prog->tag, sizeof(info.tag));
	perf_counter_sideband_machine(bpf_output, &info);
}

#endif /* CONFIG_BPF_SYSCALL */

/* Fields of TEXT_POKE with fixed size; the old and the new bytes follow. */
struct text_poke_fields {
	u64	addr;
	u16	old_len, new_len;
};

/* Size of struct text_poke_fields in a record in bytes; the bytes that follow are not aligned. */
#define TEXT_POKE_FIELDS	offsetofend(struct text_poke_fields, new_len)

struct text_poke_record {
	const void	*addr;
	const void	*old, *new;
	size_t		old_len, new_len;
};

static void text_poke_output(struct perf_counter *counter, void *data)
{
	const struct text_poke_record *info = data;
	const struct text_poke_fields fields = {
		.addr		= (unsigned long)info->addr,
		.old_len	= info->old_len,
		.new_len	= info->new_len,
	};
	/* A length of more than 16 bits makes the record too long, so that it is lost. */
	size_t len = ALIGN(TEXT_POKE_FIELDS + info->old_len + info->new_len, sizeof(u64));
	struct perf_counter_record record;
	void __ring *at;

	if (!counter->desc->attr.text_poke)
		return;
	if (!perf_counter_output_begin(&record, counter, PERF_RECORD_TEXT_POKE, 0, len))
		return;
	at = record.at;
	record.at += len / sizeof(u64);
	ring_put(record.at - 1, 0);
	ring_copy(at, &fields, TEXT_POKE_FIELDS);
	ring_copy(at + TEXT_POKE_FIELDS, info->old, info->old_len);
	ring_copy(at + TEXT_POKE_FIELDS + info->old_len, info->new, info->new_len);
	perf_counter_output_end(&record);
}

/**
 * __perf_counter_text_poke() - Write records of a change of the kernel's code
 * @addr: address of the change
 * @old: bytes before the change
 * @old_len: number of bytes before the change; 0 for new code
 * @new: bytes after the change
 * @new_len: number of bytes after the change; 0 for removed code
 *
 * Context: any.
 */
void __perf_counter_text_poke(const void *addr, const void *old, size_t old_len, const void *new,
			      size_t new_len)
{
	struct text_poke_record info = {
		.addr = addr, .old = old, .new = new, .old_len = old_len, .new_len = new_len,
	};

	perf_counter_sideband_machine(text_poke_output, &info);
}

#ifdef CONFIG_MODULES

static int module_changed(struct notifier_block *nb, unsigned long state, void *data)
{
	const struct module *mod = data;
	const struct module_memory *text = &mod->mem[MOD_TEXT];

	if (!static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_KSYMBOL]))
		return NOTIFY_DONE;
	if (state == MODULE_STATE_COMING || state == MODULE_STATE_GOING)
		perf_counter_record_module(mod->name, (unsigned long)text->base, text->size,
					   state == MODULE_STATE_GOING);
	return NOTIFY_DONE;
}

static struct notifier_block module_notifier = { .notifier_call = module_changed };

static int __init perf_counter_text_init(void)
{
	return register_module_notifier(&module_notifier);
}
core_initcall(perf_counter_text_init);

#endif /* CONFIG_MODULES */
