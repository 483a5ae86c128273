// SPDX-License-Identifier: GPL-2.0
/*
 * Events by the names that vendors of processors give them.
 *
 * This is the only file that includes libpfm's headers. Its <perfmon/perf_event.h> and the kernel's
 * <linux/perf_event.h> define the same structures, so this file must not include the kernel's
 * header, not even through another one.
 */
#include <ctype.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "vendor_events.h"

#define FORCE_PMU "LIBPFM_FORCE_PMU"
#define ENCODE_INACTIVE "LIBPFM_ENCODE_INACTIVE"

/* The bits that select an event: number and unit mask; AMD's number has four more bits. */
#define SELECT_MASK 0xf0000ffffULL

/*
 * Events that libpfm 4.13 lacks or encodes wrongly. The wrong ones include events of fixed
 * counters: the kernel needs the number of the same event on a general counter. @base is an event
 * of the same PMU with the same attributes. Intel's numbers come from the perfmon event lists
 * (github.com/intel/perfmon) of Ice Lake, Sapphire Rapids and Goldmont, and from Intel SDM volume
 * 3, "Architectural Performance Events". AMD's numbers come from the PPR for family 19h model 11h,
 * "Performance Monitor Events".
 */
struct addition {
	const char *pmus;
	const char *event;
	const char *mask;
	const char *base;
	uint64_t config;
	const char *description;
};

#define BIG_CORES_TO_2019 "snb snb_ep ivb ivb_ep hsw hsw_ep bdw bdw_ep skl skx clx"
#define BIG_CORES_SINCE "icl icx spr"

static const struct addition additions[] = {
	{ BIG_CORES_TO_2019 " " BIG_CORES_SINCE, "inst_retired", "any", "INSTRUCTION_RETIRED",
	  0x00c0, "Instructions retired" },
	{ BIG_CORES_TO_2019 " " BIG_CORES_SINCE, "cpu_clk_unhalted", "thread",
	  "UNHALTED_CORE_CYCLES", 0x003c, "Cycles of the core while the thread is not halted" },
	{ BIG_CORES_TO_2019, "cpu_clk_unhalted", "ref_tsc", "UNHALTED_REFERENCE_CYCLES", 0x0300,
	  "Cycles, at the rate of the time stamp counter, while the thread is not halted" },
	{ BIG_CORES_SINCE, "topdown", "backend_bound_slots", "TOPDOWN:SLOTS_P",
	  0x02a4, NULL },
	{ BIG_CORES_SINCE, "topdown", "br_mispredict_slots", "TOPDOWN:SLOTS_P",
	  0x08a4, NULL },
	{ "spr", "topdown", "bad_spec_slots", "TOPDOWN:SLOTS_P", 0x04a4, NULL },
	{ "spr", "topdown", "memory_bound_slots", "TOPDOWN:SLOTS_P", 0x10a4, NULL },
	{ "glm", "cpu_clk_unhalted", "core", "UNHALTED_CORE_CYCLES", 0x003c, NULL },
	{ "glm", "cpu_clk_unhalted", "core_p", "UNHALTED_CORE_CYCLES", 0x003c, NULL },
	{ "glm", "cpu_clk_unhalted", "ref", "UNHALTED_CORE_CYCLES", 0x013c, NULL },
	{ "amd64_fam19h_zen4", "de_no_dispatch_per_slot", "no_ops_from_frontend",
	  "CYCLES_NOT_IN_HALT", 0x1000001a0,
	  "Dispatch slots, of six per cycle, that were empty because the front end had no ops" },
	{ "amd64_fam19h_zen4", "de_no_dispatch_per_slot", "backend_stalls",
	  "CYCLES_NOT_IN_HALT", 0x100001ea0,
	  "Dispatch slots, of six per cycle, that were empty because the back end had no room" },
	{ "amd64_fam19h_zen4", "de_no_dispatch_per_slot", "smt_contention",
	  "CYCLES_NOT_IN_HALT", 0x1000060a0,
	  "Dispatch slots, of six per cycle, that were the other thread's" },
	{ "amd64_fam19h_zen4", "de_src_op_disp", "all", "CYCLES_NOT_IN_HALT", 0x07aa,
	  "Ops dispatched, from wherever they were fetched" },
	{ "amd64_fam19h_zen4", "ex_ret_ops", NULL, "CYCLES_NOT_IN_HALT", 0x00c1, "Ops retired" },
};

static bool is_of(const struct addition *a, const char *pmu)
{
	size_t length = strlen(pmu);
	const char *at = a->pmus;

	while ((at = strstr(at, pmu))) {
		if ((at == a->pmus || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
		at += length;
	}
	return false;
}

static bool get_pmu(int id, pfm_pmu_info_t *info)
{
	*info = (pfm_pmu_info_t){ .size = sizeof(*info) };
	/* Leave out libpfm's generic events, for which the tool has its own names. */
	return pfm_get_pmu_info(id, info) == PFM_SUCCESS && info->type != PFM_PMU_TYPE_OS_GENERIC;
}

static bool get_pmu_named(const char *name, pfm_pmu_info_t *info)
{
	int id;

	for (id = 0; id < PFM_PMU_MAX; id++) {
		if (get_pmu(id, info) && !strcasecmp(info->name, name))
			return true;
	}
	return false;
}

/* The name of this machine's PMU in LIBPFM_FORCE_PMU; NULL: use the PMUs that libpfm detects. */
static char *forced;

/*
 * The common start of the names of the PMUs, if LIBPFM_FORCE_PMU has more than a name. When
 * libpfm is initialized again, it still reports the PMUs as present that it detected before.
 */
static char *forced_family;

static bool is_here(const pfm_pmu_info_t *pmu)
{
	if (forced)
		return !strcasecmp(pmu->name, forced);
	return pmu->is_present && (!forced_family || !strncasecmp(pmu->name, forced_family,
								  strlen(forced_family)));
}

/*
 * An environment variable that is set only for libpfm and then restored, because measured commands
 * inherit the environment.
 */
struct variable {
	const char *name;
	char *before;
};

static struct variable set_variable(const char *name, const char *value)
{
	const char *before = getenv(name);
	struct variable v = { name, before ? xstrdup(before) : NULL };

	if (value)
		setenv(name, value, true);
	else
		unsetenv(name);
	return v;
}

static void reset_variable(struct variable *v)
{
	if (v->before)
		setenv(v->name, v->before, true);
	else
		unsetenv(v->name);
	free(v->before);
}

/*
 * Initialize libpfm. With LIBPFM_FORCE_PMU, libpfm forgets the PMUs that follow the forced one
 * in its own order. So the variable is hidden, unless libpfm needs more than the name
 * ("amd64,16,2,1") or has to prepare a table that depends on the processor.
 */
static bool initialize(void)
{
	struct variable force = set_variable(FORCE_PMU, NULL);
	bool done = pfm_initialize() == PFM_SUCCESS;
	pfm_pmu_info_t pmu;

	if (done && force.before && get_pmu_named(force.before, &pmu) && pmu.nevents) {
		forced = xstrdup(pmu.name);
	} else if (done && force.before) {
		pfm_terminate();
		forced_family = xstrndup(force.before, strcspn(force.before, ","));
		setenv(FORCE_PMU, force.before, true);
		done = pfm_initialize() == PFM_SUCCESS;
	}
	reset_variable(&force);
	return done;
}

static void check_force(void)
{
	const char *wanted = getenv(FORCE_PMU);
	pfm_pmu_info_t pmu;
	int id;

	for (id = 0; wanted && id < PFM_PMU_MAX; id++) {
		if (get_pmu(id, &pmu) && is_here(&pmu))
			return;
	}
	if (wanted)
		warn(FORCE_PMU " is '%s', which is not a PMU of libpfm; 'perf list --pmus' shows them",
		     wanted);
}

/* Initialize libpfm once, with the tables of all processors. Return: true on success. */
static bool prepare(void)
{
	static enum { NOT_YET, FAILED, DONE } state;
	struct variable inactive;

	if (state != NOT_YET)
		return state == DONE;
	if (getauxval(AT_SECURE))
		unsetenv(FORCE_PMU);
	inactive = set_variable(ENCODE_INACTIVE, "1");
	state = initialize() ? DONE : FAILED;
	reset_variable(&inactive);
	if (state == DONE)
		check_force();
	return state == DONE;
}

size_t vendor_pmus(struct vendor_pmu **pmus)
{
	pfm_pmu_info_t info;
	size_t nr = 0;
	int id;

	*pmus = NULL;
	for (id = 0; prepare() && id < PFM_PMU_MAX; id++) {
		if (!get_pmu(id, &info))
			continue;
		*pmus = xreallocarray(*pmus, nr + 1, sizeof(**pmus));
		(*pmus)[nr++] = (struct vendor_pmu){ info.name, info.desc, info.nevents,
						     is_here(&info) };
	}
	return nr;
}

static char *small_letters(const char *name)
{
	char *copy = xstrdup(name), *c;

	for (c = copy; *c; c++)
		*c = tolower((unsigned char)*c);
	return copy;
}

static bool get_event(int id, pfm_event_info_t *info)
{
	*info = (pfm_event_info_t){ .size = sizeof(*info) };
	return pfm_get_event_info(id, PFM_OS_PERF_EVENT, info) == PFM_SUCCESS;
}

static bool get_attribute(const pfm_event_info_t *event, int at, pfm_event_attr_info_t *info)
{
	*info = (pfm_event_attr_info_t){ .size = sizeof(*info) };
	return pfm_get_event_attr_info(event->idx, at, PFM_OS_PERF_EVENT, info) == PFM_SUCCESS;
}

static bool find_event(const pfm_pmu_info_t *pmu, const char *name, pfm_event_info_t *info)
{
	int id;

	for (id = pmu->first_event; id != -1; id = pfm_get_event_next(id)) {
		if (get_event(id, info) && !strcasecmp(info->name, name))
			return true;
	}
	return false;
}

static bool find_attribute(const pfm_event_info_t *event, const char *name,
			   pfm_event_attr_info_t *info)
{
	int at;

	for (at = 0; at < event->nattrs; at++) {
		if (get_attribute(event, at, info) && !strcasecmp(info->name, name))
			return true;
	}
	return false;
}

static struct vendor_attribute *add_attribute(struct vendor_attribute **list, size_t *nr,
					      const char *name, const char *description)
{
	*list = xreallocarray(*list, *nr + 1, sizeof(**list));
	(*list)[*nr] = (struct vendor_attribute){
		.name = small_letters(name), .description = description,
	};
	return &(*list)[(*nr)++];
}

static void load_attributes(struct vendor_event *event, const pfm_event_info_t *from)
{
	pfm_event_attr_info_t info;
	struct vendor_attribute *a;
	int at;

	for (at = 0; at < from->nattrs; at++) {
		if (!get_attribute(from, at, &info))
			continue;
		if (info.type == PFM_ATTR_UMASK)
			a = add_attribute(&event->masks, &event->nr_masks, info.name, info.desc);
		else
			a = add_attribute(&event->attributes, &event->nr_attributes, info.name,
					  info.desc);
		a->same_as = info.equiv;
		a->has_value = info.type == PFM_ATTR_MOD_INTEGER;
	}
}

static struct vendor_event *add_event(struct vendor_events *list, const char *name,
				      const char *description)
{
	list->events = xreallocarray(list->events, list->nr + 1, sizeof(*list->events));
	list->events[list->nr] = (struct vendor_event){
		.name = small_letters(name), .description = description,
	};
	return &list->events[list->nr++];
}

static void drop_masks(struct vendor_event *event)
{
	size_t i;

	for (i = 0; i < event->nr_masks; i++)
		free(event->masks[i].name);
	free(event->masks);
	event->masks = NULL;
	event->nr_masks = 0;
}

/*
 * Add an event of the table of additions, which libpfm lacks. It has the attributes of its base
 * event, and its own masks.
 */
static struct vendor_event *add_like_base(struct vendor_events *list, const pfm_pmu_info_t *pmu,
					  const struct addition *a)
{
	char *base = xstrndup(a->base, strcspn(a->base, ":"));
	struct vendor_event *event = add_event(list, a->event, a->description);
	pfm_event_info_t info;

	if (find_event(pmu, base, &info)) {
		load_attributes(event, &info);
		drop_masks(event);
	}
	free(base);
	return event;
}

static void load_addition(struct vendor_events *list, const pfm_pmu_info_t *pmu,
			  const struct addition *a)
{
	struct vendor_event *event = NULL;
	size_t i;

	for (i = 0; i < list->nr && !event; i++) {
		if (!strcmp(list->events[i].name, a->event))
			event = &list->events[i];
	}
	if (!event)
		event = add_like_base(list, pmu, a);
	if (!a->mask)
		return;
	for (i = 0; i < event->nr_masks; i++) {
		if (!strcmp(event->masks[i].name, a->mask))
			return;
	}
	add_attribute(&event->masks, &event->nr_masks, a->mask, a->description);
}

bool vendor_events_load(struct vendor_events *list, const char *pmu)
{
	struct vendor_event *event;
	pfm_event_info_t info;
	pfm_pmu_info_t p;
	size_t i;
	int id;

	*list = (struct vendor_events){ 0 };
	if (!prepare() || !get_pmu_named(pmu, &p))
		return false;
	for (id = p.first_event; id != -1; id = pfm_get_event_next(id)) {
		if (!get_event(id, &info))
			continue;
		event = add_event(list, info.name, info.desc);
		event->same_as = info.equiv;
		load_attributes(event, &info);
	}
	for (i = 0; i < ARRAY_SIZE(additions); i++) {
		if (is_of(&additions[i], p.name))
			load_addition(list, &p, &additions[i]);
	}
	return true;
}

void vendor_events_free(struct vendor_events *list)
{
	size_t i, j;

	for (i = 0; i < list->nr; i++) {
		struct vendor_event *event = &list->events[i];

		drop_masks(event);
		for (j = 0; j < event->nr_attributes; j++)
			free(event->attributes[j].name);
		free(event->attributes);
		free(event->name);
	}
	free(list->events);
	*list = (struct vendor_events){ 0 };
}

/* A name that is being looked up, and its parts. */
struct request {
	const char *spec;		/* text that the user wrote */
	char *pmu;			/* or NULL */
	char *event;
	char **parts;			/* parts after the event; NULL: used */
	size_t nr_parts;
	pfm_pmu_info_t found_pmu;
	pfm_event_info_t found_event;	/* for an addition, its base */
	const struct addition *addition;
	struct vendor_encoding *e;
	struct error *err;
};

static void take_apart(struct request *r)
{
	const char *text = r->spec, *colons = strstr(text, "::");
	size_t length;

	if (colons) {
		r->pmu = xstrndup(text, colons - text);
		text = colons + 2;
	}
	length = strcspn(text, ".:");
	r->event = xstrndup(text, length);
	for (text += length; *text; text += length) {
		length = strcspn(++text, ".:");
		r->parts = xreallocarray(r->parts, r->nr_parts + 1, sizeof(*r->parts));
		r->parts[r->nr_parts++] = xstrndup(text, length);
	}
}

static void put_away(struct request *r)
{
	size_t i;

	for (i = 0; i < r->nr_parts; i++)
		free(r->parts[i]);
	free(r->parts);
	free(r->event);
	free(r->pmu);
}

/* Find @mask among the parts of a name. Return: a pointer to the part, or NULL. */
static char **part_named(const struct request *r, const char *mask)
{
	size_t i;

	for (i = 0; i < r->nr_parts; i++) {
		if (r->parts[i] && !strcasecmp(r->parts[i], mask))
			return &r->parts[i];
	}
	return NULL;
}

static bool find_addition(struct request *r, const pfm_pmu_info_t *pmu)
{
	char *base, **part = NULL;
	size_t i;
	bool found;

	for (i = 0; i < ARRAY_SIZE(additions); i++) {
		const struct addition *a = &additions[i];

		if (!is_of(a, pmu->name) || strcasecmp(a->event, r->event))
			continue;
		if (a->mask) {
			part = part_named(r, a->mask);
			if (!part)
				continue;
		}
		base = xstrndup(a->base, strcspn(a->base, ":"));
		found = find_event(pmu, base, &r->found_event);
		free(base);
		if (!found)
			continue;
		if (part) {
			free(*part);
			*part = NULL;
		}
		r->addition = a;
		return true;
	}
	return false;
}

static bool find_in_pmu(struct request *r, const pfm_pmu_info_t *pmu)
{
	if (!find_addition(r, pmu) && !find_event(pmu, r->event, &r->found_event))
		return false;
	r->found_pmu = *pmu;
	return true;
}

static bool find_in_machine(struct request *r)
{
	pfm_pmu_info_t pmu;
	int id;

	for (id = 0; id < PFM_PMU_MAX; id++) {
		if (get_pmu(id, &pmu) && is_here(&pmu) && find_in_pmu(r, &pmu))
			return true;
	}
	return false;
}

static int refuse_pmu(const struct request *r)
{
	struct suggestions near = { .typed = r->pmu };
	struct vendor_pmu *pmus;
	size_t i, nr;

	error_set(r->err, "event '%s': libpfm knows no PMU '%s' of this architecture", r->spec,
		  r->pmu);
	nr = vendor_pmus(&pmus);
	for (i = 0; i < nr; i++)
		suggestions_add(&near, pmus[i].name);
	free(pmus);
	error_add(r->err, "%s 'perf list --pmus' shows them",
		  suggestions_say(&near, r->err) ? "" : ";");
	return EXIT_FAILED;
}

static int find_request(struct request *r)
{
	pfm_pmu_info_t pmu;

	if (!r->pmu)
		return find_in_machine(r) ? 0 : VENDOR_UNKNOWN;
	if (!get_pmu_named(r->pmu, &pmu))
		return refuse_pmu(r);
	return find_in_pmu(r, &pmu) ? 0 : VENDOR_UNKNOWN;
}

/*
 * Return true if the part is a modifier of the tool, false if it is an attribute of libpfm. A
 * single letter of a mode is a modifier, as for all other events, and so are capital letters. Other
 * parts belong to libpfm if libpfm knows them: "e" alone is an edge, not an exclusive counter.
 */
static bool is_modifiers(const struct request *r, const char *part)
{
	pfm_event_attr_info_t info;

	if (!*part || part[strspn(part, "ukhGHIDep")])
		return false;
	if (!part[1] && strchr("ukhGHIDp", *part))
		return true;
	return !find_attribute(&r->found_event, part, &info);
}

static int refuse_part(const struct request *r, const char *part)
{
	struct suggestions near = { .typed = part };
	pfm_event_attr_info_t info;
	char *name;
	int at;

	error_set(r->err, "event '%s': '%s' has no mask or attribute '%s'", r->spec, r->event,
		  part);
	for (at = 0; at < r->found_event.nattrs && !r->addition; at++) {
		if (!get_attribute(&r->found_event, at, &info))
			continue;
		name = small_letters(info.name);
		suggestions_add(&near, name);
		free(name);
	}
	error_add(r->err, "%s 'perf list --details %s' shows all of them",
		  suggestions_say(&near, r->err) ? "" : ";", r->event);
	return EXIT_FAILED;
}

static void note_modes(struct vendor_encoding *e, const char *name)
{
	if (!strcasecmp(name, "u") || !strcasecmp(name, "k") || !strcasecmp(name, "h"))
		e->has_modes = true;
	if (!strcasecmp(name, "mg") || !strcasecmp(name, "mh"))
		e->has_guests = true;
}

static void add_text(char **text, const char *separator, const char *more)
{
	char *longer = xasprintf("%s%s%s", *text, separator, more);

	free(*text);
	*text = longer;
}

/*
 * Sort the parts after the event: append attributes of libpfm to @request, and collect modifiers of
 * the tool.
 */
static int sort_parts(struct request *r, char **request)
{
	pfm_event_attr_info_t info;
	size_t i;
	char *name;
	bool known;

	for (i = 0; i < r->nr_parts; i++) {
		const char *part = r->parts[i];

		if (!part)
			continue;
		r->e->ends_in_modifiers = is_modifiers(r, part);
		if (r->e->ends_in_modifiers) {
			add_text(&r->e->modifiers, "", part);
			continue;
		}
		name = xstrndup(part, strcspn(part, "="));
		known = find_attribute(&r->found_event, name, &info) &&
			!(r->addition && info.type == PFM_ATTR_UMASK);
		if (known)
			note_modes(r->e, name);
		free(name);
		if (!known)
			return refuse_part(r, part);
		add_text(request, ":", part);
	}
	return 0;
}

static int refuse_encoding(const struct request *r, int error)
{
	switch (error) {
	case PFM_ERR_UMASK:
		error_set(r->err,
			  "event '%s': a unit mask is missing; 'perf list --details %s' shows all of them",
			  r->spec, r->event);
		break;
	case PFM_ERR_FEATCOMB:
		error_set(r->err,
			  "event '%s': these masks and attributes cannot be combined; give fewer of them",
			  r->spec);
		break;
	case PFM_ERR_ATTR_VAL:
		error_set(r->err,
			  "event '%s': the value of an attribute is missing, not a number or out of range; 'perf list --details %s' shows the attributes",
			  r->spec, r->event);
		break;
	case PFM_ERR_ATTR_SET:
		error_set(r->err, "event '%s': an attribute is given twice; leave one out",
			  r->spec);
		break;
	default:
		error_set(r->err, "event '%s': libpfm refuses it: %s", r->spec,
			  pfm_strerror(error));
	}
	return EXIT_USAGE;
}

/* Encode an event of a PMU without a type in the kernel, by the numbers of the manuals. */
static int encode_raw(struct vendor_encoding *e, const char *request)
{
	pfm_pmu_encode_arg_t arg = { .size = sizeof(arg) };
	int status = pfm_get_os_event_encoding(request, PFM_PLM0 | PFM_PLM3 | PFM_PLMH,
					       PFM_OS_NONE, &arg);

	if (status != PFM_SUCCESS)
		return status;
	e->absent = true;
	e->config = arg.count > 0 ? arg.codes[0] : 0;
	e->config1 = arg.count > 1 ? arg.codes[1] : 0;
	e->config2 = arg.count > 2 ? arg.codes[2] : 0;
	free(arg.codes);
	return status;
}

static int encode(const struct request *r, const char *request)
{
	struct vendor_encoding *e = r->e;
	struct perf_event_attr attr = { 0 };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
	int status = pfm_get_os_event_encoding(request, PFM_PLM0 | PFM_PLM3 | PFM_PLMH,
					       PFM_OS_PERF_EVENT, &arg);

	e->pmu = r->found_pmu.name;
	if (status == PFM_ERR_NOTSUPP)
		return encode_raw(e, request);
	if (status != PFM_SUCCESS)
		return status;
	e->absent = !is_here(&r->found_pmu);
	e->type = attr.type;
	e->config = attr.config;
	e->config1 = attr.config1;
	e->config2 = attr.config2;
	e->exclude_user = attr.exclude_user;
	e->exclude_kernel = attr.exclude_kernel;
	e->exclude_hv = attr.exclude_hv;
	e->exclude_host = attr.exclude_host;
	e->exclude_guest = attr.exclude_guest;
	if (r->addition)
		e->config = (e->config & ~SELECT_MASK) | r->addition->config;
	return status;
}

static int find_and_encode(struct request *r)
{
	char *request;
	int status = find_request(r);

	if (status)
		return status;
	request = xasprintf("%s::%s", r->found_pmu.name,
			    r->addition ? r->addition->base : r->found_event.name);
	status = sort_parts(r, &request);
	if (!status) {
		status = encode(r, request);
		status = status == PFM_SUCCESS ? 0 : refuse_encoding(r, status);
	}
	free(request);
	return status;
}

int vendor_event_find(const char *spec, struct vendor_encoding *e, struct error *err)
{
	struct request r = { .spec = spec, .e = e, .err = err };
	int status = VENDOR_UNKNOWN;

	*e = (struct vendor_encoding){ .modifiers = xstrdup("") };
	if (prepare()) {
		take_apart(&r);
		status = find_and_encode(&r);
		put_away(&r);
	}
	if (status) {
		free(e->modifiers);
		e->modifiers = NULL;
	}
	return status;
}

static void consider_pmu(struct suggestions *near, const char *pmu, const char *prefix)
{
	struct vendor_events list;
	size_t i, j;
	char *name;

	vendor_events_load(&list, pmu);
	for (i = 0; i < list.nr; i++) {
		const struct vendor_event *event = &list.events[i];

		for (j = 0; j < event->nr_masks; j++) {
			name = xasprintf("%s%s.%s", prefix, event->name, event->masks[j].name);
			suggestions_add(near, name);
			free(name);
		}
		name = xasprintf("%s%s", prefix, event->name);
		if (!event->nr_masks || strcspn(near->typed + strlen(prefix), ".:") ==
		    strlen(near->typed + strlen(prefix)))
			suggestions_add(near, name);
		free(name);
	}
	vendor_events_free(&list);
}

void vendor_consider_names(struct suggestions *near)
{
	const char *colons = strstr(near->typed, "::");
	struct vendor_pmu *pmus;
	size_t i, nr = vendor_pmus(&pmus), length = colons ? colons - near->typed : 0;

	for (i = 0; i < nr; i++) {
		if (!colons && pmus[i].here) {
			consider_pmu(near, pmus[i].name, "");
		} else if (colons && strlen(pmus[i].name) == length &&
			   !strncasecmp(pmus[i].name, near->typed, length)) {
			char *prefix = xasprintf("%s::", pmus[i].name);

			consider_pmu(near, pmus[i].name, prefix);
			free(prefix);
		}
	}
	free(pmus);
}
