// SPDX-License-Identifier: GPL-2.0
/* perf list: events that have names of vendors, by PMU. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "measure/measure.h"
#include "cmd.h"
#include "list_vendor.h"

/* The PMU that is being listed. */
struct listing {
	const struct list_options *o;
	const struct vendor_pmu *pmu;
	bool all;		/* list all events, not only those that match a pattern */
	size_t nr;
};

/* Compose the name of an event. The name of the PMU is included if this machine lacks the PMU. */
static char *full_name(const struct listing *l, const char *event, const char *mask)
{
	return xasprintf("%s%s%s%s%s", l->pmu->here ? "" : l->pmu->name, l->pmu->here ? "" : "::",
			 event, mask ? "." : "", mask ? mask : "");
}

/* Find the encoding of an event with a mask. A mask that needs another mask has no encoding. */
static bool find_encoding(const struct listing *l, const char *event, const char *mask,
			  struct vendor_encoding *e)
{
	char *spec = xasprintf("%s::%s%s%s", l->pmu->name, event, mask ? "." : "",
			       mask ? mask : "");
	struct error err;
	bool found = !vendor_event_find(spec, e, &err);

	free(spec);
	if (!found)
		return false;
	free(e->modifiers);
	e->modifiers = NULL;
	return true;
}

static bool can_count(const struct vendor_encoding *e)
{
	const struct perf_event_attr attr = {
		.type = e->type, .config = e->config, .config1 = e->config1, .config2 = e->config2,
	};

	return !e->absent && list_can_count(&attr);
}

static void list_line_of(struct listing *l, const char *name, bool countable)
{
	char *label = xasprintf("Vendor event, %s", l->pmu->name);

	l->nr += list_line(l->o, name, label, countable);
	free(label);
}

static bool is_wanted(const struct listing *l, const char *name)
{
	return l->all || list_matches(l->o, name);
}

/* List an event with one mask, if the two can be counted alone. */
static void list_name(struct listing *l, const char *event, const char *mask)
{
	char *name = full_name(l, event, mask);
	struct vendor_encoding e;

	if (is_wanted(l, name) && find_encoding(l, event, mask, &e))
		list_line_of(l, name, can_count(&e));
	free(name);
}

static void list_names(struct listing *l, const struct vendor_event *event)
{
	size_t i;

	if (!event->nr_masks)
		list_name(l, event->name, NULL);
	for (i = 0; i < event->nr_masks; i++)
		list_name(l, event->name, event->masks[i].name);
}

/* Format an encoding in the syntax of -e if possible. */
static char *encoding_text(const struct vendor_encoding *e)
{
	if (!e->absent && e->type == PERF_TYPE_RAW && !e->config1 && !e->config2)
		return xasprintf("r%" PRIx64, e->config);
	if (e->config2)
		return xasprintf("config=0x%" PRIx64 ",config1=0x%" PRIx64 ",config2=0x%" PRIx64,
				 e->config, e->config1, e->config2);
	if (e->config1)
		return xasprintf("config=0x%" PRIx64 ",config1=0x%" PRIx64, e->config, e->config1);
	return xasprintf("config=0x%" PRIx64, e->config);
}

static void print_same_as(const char *name)
{
	const char *c;

	if (!name)
		return;
	fputs("; the same as ", stdout);
	for (c = name; *c; c++)
		putchar(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
}

static void print_mask(const struct listing *l, const struct vendor_event *event,
		       const struct vendor_attribute *mask)
{
	struct vendor_encoding e;
	char *text;

	if (find_encoding(l, event->name, mask->name, &e))
		text = encoding_text(&e);
	else
		text = xstrdup("not alone");
	printf("        .%-36s %-28s %s", mask->name, text, mask->description);
	print_same_as(mask->same_as);
	putchar('\n');
	free(text);
}

static void print_attribute(const struct vendor_attribute *attribute)
{
	char *name = xasprintf("%s%s", attribute->name, attribute->has_value ? "=NUMBER" : "");

	printf("        :%-36s %s\n", name, attribute->description);
	free(name);
}

/* Return true if a mask is wanted. All masks of a wanted event are wanted. */
static bool is_mask_wanted(const struct listing *l, const struct vendor_event *event, size_t mask)
{
	char *alone = full_name(l, event->name, NULL);
	char *name = full_name(l, event->name, event->masks[mask].name);
	bool wanted = is_wanted(l, alone) || is_wanted(l, name);

	free(alone);
	free(name);
	return wanted;
}

static void print_details(const struct listing *l, const struct vendor_event *event,
			  const struct vendor_encoding *e)
{
	char *text = e ? encoding_text(e) : NULL;
	bool headed = false;
	size_t i;

	if (event->description)
		printf("      %s", event->description);
	print_same_as(event->same_as);
	putchar('\n');
	if (text)
		printf("      Encoding: %s\n", text);
	free(text);
	for (i = 0; i < event->nr_masks; i++) {
		if (!is_mask_wanted(l, event, i))
			continue;
		if (!headed)
			puts(e ? "      Masks:" : "      Masks, at least one:");
		headed = true;
		print_mask(l, event, &event->masks[i]);
	}
	if (event->nr_attributes)
		puts("      Attributes:");
	for (i = 0; i < event->nr_attributes; i++)
		print_attribute(&event->attributes[i]);
}

/* Return true if an event can be counted with at least one of its masks. */
static bool can_count_some(const struct listing *l, const struct vendor_event *event)
{
	struct vendor_encoding e;
	size_t i;

	for (i = 0; i < event->nr_masks; i++) {
		if (find_encoding(l, event->name, event->masks[i].name, &e) && can_count(&e))
			return true;
	}
	return false;
}

static void list_with_details(struct listing *l, const struct vendor_event *event)
{
	char *name = full_name(l, event->name, NULL);
	bool wanted = is_wanted(l, name), encoded;
	struct vendor_encoding e;
	size_t i, before = l->nr;

	for (i = 0; i < event->nr_masks && !wanted; i++)
		wanted = is_mask_wanted(l, event, i);
	encoded = find_encoding(l, event->name, NULL, &e);
	if (wanted) {
		list_line_of(l, name, (encoded && can_count(&e)) || can_count_some(l, event));
		if (l->nr > before)
			print_details(l, event, encoded ? &e : NULL);
	}
	free(name);
}

static void list_pmu(struct listing *l)
{
	struct vendor_events list;
	size_t i;

	vendor_events_load(&list, l->pmu->name);
	for (i = 0; i < list.nr; i++) {
		if (l->o->details)
			list_with_details(l, &list.events[i]);
		else
			list_names(l, &list.events[i]);
	}
	vendor_events_free(&list);
}

size_t list_vendor_events(const struct list_options *o, bool all)
{
	struct listing l = { .o = o, .all = all };
	struct vendor_pmu *pmus;
	size_t i, nr = vendor_pmus(&pmus);

	for (i = 0; i < nr; i++) {
		l.pmu = &pmus[i];
		if (o->pmu ? !strcasecmp(o->pmu, pmus[i].name) : pmus[i].here)
			list_pmu(&l);
	}
	free(pmus);
	return l.nr;
}

int list_vendor_pmus(void)
{
	struct vendor_pmu *pmus;
	size_t i, nr = vendor_pmus(&pmus);

	for (i = 0; i < nr; i++)
		printf("  %-24s %5zu events  %s%s\n", pmus[i].name, pmus[i].nr_events,
		       pmus[i].description, pmus[i].here ? " [this machine]" : "");
	free(pmus);
	return nr ? 0 : EXIT_FAILED;
}

int list_check_pmu(const char *name)
{
	struct suggestions near = { .typed = name };
	struct vendor_pmu *pmus;
	size_t i, nr = vendor_pmus(&pmus);
	bool found = false;
	struct error err;

	for (i = 0; i < nr; i++) {
		found |= !strcasecmp(name, pmus[i].name);
		suggestions_add(&near, pmus[i].name);
	}
	free(pmus);
	error_set(&err, "libpfm knows no PMU '%s' of this architecture", name);
	error_add(&err, "%s 'perf list --pmus' shows them",
		  suggestions_say(&near, &err) ? "" : ";");
	if (!found)
		complain("%s", err.text);
	return found ? 0 : -1;
}
