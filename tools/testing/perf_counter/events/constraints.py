# SPDX-License-Identifier: GPL-2.0
"""What perf_events lets count what: the tables of arch/x86/events/intel/core.c.

They are read as text: a constraint is a macro with a code, perhaps a last code, and a mask of
counters; the macro's name says which bits of an event have to be those of the code.
"""
import re

EVENT, UMASK = 0xff, 0xff00
CONDITIONS = 0xff000000 | 1 << 23 | 1 << 18
FIXED = 32
# Metrics are no registers; neither are the slots of top-down, which only groups of them count.
METRICS = 48

MASKS = {
    'FIXED_EVENT_CONSTRAINT': EVENT | UMASK | CONDITIONS,
    'METRIC_EVENT_CONSTRAINT': EVENT | UMASK,
    'INTEL_EVENT_CONSTRAINT': EVENT,
    'INTEL_EXCLEVT_CONSTRAINT': EVENT,
    'INTEL_EVENT_CONSTRAINT_RANGE': EVENT,
    'INTEL_UEVENT_CONSTRAINT': EVENT | UMASK,
    'INTEL_UEVENT_EXTRA_REG': EVENT | UMASK,
    'INTEL_UEVENT_PEBS_LDLAT_EXTRA_REG': EVENT | UMASK,
}

METRIC_CODES = {
    'INTEL_TD_METRIC_RETIRING': 0x8000, 'INTEL_TD_METRIC_BAD_SPEC': 0x8100,
    'INTEL_TD_METRIC_FE_BOUND': 0x8200, 'INTEL_TD_METRIC_BE_BOUND': 0x8300,
    'INTEL_TD_METRIC_HEAVY_OPS': 0x8400, 'INTEL_TD_METRIC_BR_MISPREDICT': 0x8500,
    'INTEL_TD_METRIC_FETCH_LAT': 0x8600, 'INTEL_TD_METRIC_MEM_BOUND': 0x8700,
}

# The tables that perf_events uses on the models of each of the driver's tables.
TABLES = {
    'core2': ('core2', None), 'nehalem': ('nehalem', 'nehalem'),
    'westmere': ('westmere', 'westmere'), 'sandybridge': ('snb', 'snb'),
    'ivybridge': ('ivb', 'snb'), 'haswell': ('hsw', 'snbep'), 'broadwell': ('bdw', 'snbep'),
    'skylake': ('skl', 'skl'), 'icelake': ('icl', 'icl'), 'golden_cove': ('glc', 'glc'),
    'redwood_cove': ('glc', 'rwc'), 'lion_cove': ('lnc', 'lnc'), 'bonnell': ('gen', None),
    'silvermont': ('slm', 'slm'), 'goldmont': ('slm', 'glm'), 'tremont': ('slm', 'tnt'),
    'knl': ('slm', 'knl'), 'gracemont': ('grt', 'grt'), 'crestmont': ('grt', 'cmt'),
    'skymont': ('skt', 'cmt'),
}


class Constraint:
    """Events by the bits of @mask: from @first to @last, on @counters."""

    def __init__(self, kind, first, last, counters):
        self.fixed = kind == 'FIXED_EVENT_CONSTRAINT'
        self.first, self.last, self.counters = first, last, counters
        # A bit of the unit mask, whatever the others are.
        bit = kind == 'INTEL_UBIT_EVENT_CONSTRAINT'
        self.mask = EVENT | first if bit else MASKS[kind]

    def fits(self, code):
        return self.first <= code & self.mask <= self.last


def read_table(source, name):
    """The macros of a table: [(macro, [argument])]."""
    body = re.search(rf'^static struct \w+ intel_{name}\[\][^{{;]*\{{(.*?)^\}};', source,
                     re.S | re.M)
    if not body:
        raise ValueError(f'there is no table intel_{name}')
    text = re.sub(r'/\*.*?\*/', '', body[1], flags=re.S)
    macros = re.findall(r'(\w+)\(([^()]*)\)', text)
    return [(macro, [each.strip() for each in arguments.split(',')])
            for macro, arguments in macros]


def read_constraint(macro, arguments):
    if macro == 'METRIC_EVENT_CONSTRAINT':
        code = METRIC_CODES[arguments[0]]
        return Constraint(macro, code, code, 1 << METRICS + int(arguments[1]))
    first = int(arguments[0], 0)
    if macro == 'FIXED_EVENT_CONSTRAINT':
        return Constraint(macro, first, first, 1 << FIXED + int(arguments[1]))
    last = int(arguments[1], 0) if macro.endswith('_RANGE') else first
    return Constraint(macro, first, last, int(arguments[-1], 0))


class PerfEvents:
    """What perf_events does with events on a core that the driver has table @table for."""

    def __init__(self, source, table, general):
        constraints, registers = TABLES[table]
        self.general = (1 << general) - 1
        self.constraints = [read_constraint(*each) for each in
                            read_table(source, f'{constraints}_event_constraints')]
        self.registers = [] if registers is None else [
            Constraint(macro, int(arguments[0], 0), int(arguments[0], 0), 0)
            for macro, arguments in read_table(source, f'{registers}_extra_regs')]

    def codes(self):
        """The codes that the tables name: the first and the last of each."""
        for each in self.constraints + self.registers:
            yield each.first
            yield each.last

    def counters(self, code):
        """The counters that may count an event, or 0 if it needs a register besides."""
        if any(each.fits(code) for each in self.registers):
            return 0
        for each in self.constraints:
            if each.fits(code):
                # General counters have the events of fixed ones, too, if the events have numbers.
                also = self.general if each.fixed and code & EVENT else 0
                return each.counters & (self.general | 7 << FIXED) | also
        return self.general
