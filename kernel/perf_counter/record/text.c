// SPDX-License-Identifier: GPL-2.0
/*
 * What becomes of the kernel's own code: functions that it makes (KSYMBOL), BPF
 * programs (BPF_EVENT), changes in place (TEXT_POKE), and modules (MMAP and
 * MUNMAP of the kernel). All but the latter come from wherever code is patched,
 * with whatever locks are held there.
 */

#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/module.h>

#include "../context/context.h"

/* A KSYMBOL record; @name is padded with zeros to @size bytes, a multiple of 8. */
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
 * __perf_counter_ksymbol() - record a function that the kernel has made, or frees
 * @type: PERF_RECORD_KSYMBOL_TYPE_*
 * @addr: its address
 * @len: bytes of it
 * @unregister: it is about to go
 * @name: its name
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

	/* As the record has it. */
	BUILD_BUG_ON(offsetof(struct ksymbol_record, name) != 2 * sizeof(u64));
	strscpy(info.name, name);
	info.size = perf_counter_name_size(info.name);
	perf_counter_sideband_machine(ksymbol_output, &info);
}

#ifdef CONFIG_BPF_SYSCALL

/* The fields of BPF_EVENT. */
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

/**
 * __perf_counter_bpf_event() - record a BPF program, and the functions that it was compiled to
 * @prog: the program
 * @type: it was loaded, or is about to be unloaded
 * @flags: zero
 *
 * Context: any.
 */
void __perf_counter_bpf_event(struct bpf_prog *prog, enum perf_bpf_event_type type, u16 flags)
{
	struct bpf_fields info = { .type = type, .flags = flags, .id = prog->aux->id };
	bool unload = type == PERF_BPF_EVENT_PROG_UNLOAD;
	u32 i;

	/* The first of several functions is the program itself. */
	if (prog->jited)
		bpf_ksymbol(prog, unload);
	for (i = 1; i < prog->aux->func_cnt; i++)
		bpf_ksymbol(prog->aux->func[i], unload);

	memcpy(info.tag, prog->tag, sizeof(info.tag));
	perf_counter_sideband_machine(bpf_output, &info);
}

#endif /* CONFIG_BPF_SYSCALL */

/* The fields of TEXT_POKE of fixed size; the bytes follow, the old, then the new. */
struct text_poke_fields {
	u64	addr;
	u16	old_len, new_len;
};

/* Bytes of them in a record: what follows is not aligned. */
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
	/* A length that 16 bits do not hold makes the record too long: it is lost. */
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
 * __perf_counter_text_poke() - record a change of the kernel's code
 * @addr: where
 * @old: what was there
 * @old_len: bytes of it; 0 for code that is new
 * @new: what will be there
 * @new_len: bytes of it; 0 for code that goes
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
