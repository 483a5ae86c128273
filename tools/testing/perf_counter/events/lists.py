# SPDX-License-Identifier: GPL-2.0
"""The vendors' lists of events, as the kernel's source has them for its perf tool.

tools/perf/pmu-events/arch/x86: mapfile.csv says which list is for which CPU, and a list is a
directory of JSON files. What counts an event is in its field Counter; what it needs besides an
event select, in MSRIndex.
"""
import csv
import json
import os
import re

INVERT, EDGE, ANY_THREAD = 1 << 23, 1 << 18, 1 << 21
FIXED = 32

# Codes of the events that fixed counters have, where the lists have a number of their own.
FIXED_CODES = {0: 0x00c0, 1: 0x003c, 2: 0x0300}


def number(text):
    return int(text, 0) if text else 0


class Event:
    """Entries of a list that have the same code in an event select.

    counters: mask of those that count it, fixed ones from bit 32 on; None: not said
    needs: the register beside the event select that says what it counts, or ''
    names: in the list
    """

    def __init__(self):
        self.counters = None
        self.needs = ''
        self.names = []

    def add(self, name, counters, needs):
        self.names.append(name)
        self.needs = self.needs or needs
        if counters is not None:
            self.counters = (self.counters or 0) | counters


def counters_of(text):
    """The mask that a field Counter means; None where there is none, or a vague one."""
    fixed = re.fullmatch(r'fixed counter (\d+)', text, re.I)
    if fixed:
        return 1 << FIXED + int(fixed[1])
    if re.fullmatch(r'[\d, ]+', text):
        # Bonnell and Nehalem number fixed counters on from 32.
        return sum(1 << int(each) for each in text.split(','))
    return None


def intel_codes(entry, counters):
    """(code, number of the register) for each code of an entry."""
    conditions = number(entry.get('CounterMask')) << 24
    conditions |= INVERT if number(entry.get('Invert')) else 0
    conditions |= EDGE if number(entry.get('EdgeDetect')) else 0
    conditions |= ANY_THREAD if number(entry.get('AnyThread')) else 0
    if counters is not None and counters >> FIXED and not entry['EventName'].endswith('PREC_DIST'):
        code = FIXED_CODES.get((counters >> FIXED).bit_length() - 1)
        if code is not None:
            return [code | conditions & ANY_THREAD]
    return [number(event) & 0xff | number(entry.get('UMask')) << 8 | conditions
            for event in entry.get('EventCode', '0').split(',')]


def amd_code(entry):
    event = number(entry['EventCode'])
    code = event & 0xff | (event >> 8) << 32 | number(entry.get('UMask')) << 8
    code |= number(entry.get('CounterMask')) << 24
    code |= INVERT if number(entry.get('Invert')) else 0
    return code | (EDGE if number(entry.get('EdgeDetect')) else 0)


def needs_of(entry):
    registers = [each.strip() for each in entry.get('MSRIndex', '').split(',')]
    return ','.join(each for each in registers if number(each))


def entries_of(folder, unit):
    """The entries about the cores of one kind; those of other units have another value of Unit."""
    for name in sorted(os.listdir(folder)):
        if not name.endswith('.json') or name == 'counter.json' or name.startswith('uncore'):
            continue
        with open(f'{folder}/{name}', encoding='utf-8') as text:
            entries = json.load(text)
        for entry in entries:
            # The events of fixed counters have no code there.
            if isinstance(entry, dict) and 'EventName' in entry and \
               ('EventCode' in entry or 'Counter' in entry) and entry.get('Unit', '') == unit:
                yield entry


def read_list(folder, unit=''):
    """The events of a list: {code: Event}."""
    events = {}
    intel = not os.path.basename(folder).startswith('amd')
    for entry in entries_of(folder, unit):
        counters = counters_of(entry.get('Counter', ''))
        for code in intel_codes(entry, counters) if intel else [amd_code(entry)]:
            events.setdefault(code, Event()).add(entry['EventName'], counters, needs_of(entry))
    return events


def general_counters(folder, unit, events):
    """How many general counters a core has."""
    try:
        with open(f'{folder}/counter.json', encoding='utf-8') as text:
            for entry in json.load(text):
                if entry['Unit'] == 'core':
                    return int(entry['CountersNumGeneric'])
    except FileNotFoundError:
        pass
    masks = [event.counters & 0xffffffff for event in events.values() if event.counters]
    return max(masks).bit_length()


def read_map(folder):
    """Which CPUs have a list: [(vendor, family, regular expression of the models, name)]."""
    rows = []
    with open(f'{folder}/mapfile.csv', encoding='utf-8') as text:
        for row in csv.DictReader(text):
            vendor, family, models = row['Family-model'].split('-', 2)
            models = models.replace('[[:xdigit:]]', '[0-9A-F]')
            rows.append((vendor, int(family), models, row['Filename']))
    return rows


def models_of(pattern):
    """The models that a row of the map is for: those of any stepping, in order."""
    return [model for model in range(256)
            if any(re.fullmatch(pattern, f'{model:X}{stepping}')
                   for stepping in ('', *(f'-{nr:X}' for nr in range(16))))]
