# SPDX-License-Identifier: GPL-2.0
"""Read the data of a page of "perf report --html", without the page's own scripts.

html/page.h describes their form.
"""
import base64
import collections
import json
import re
import zlib


def part(text, start, end):
    """Return the text between two marks, of which each has to occur once."""
    if text.count(start) != 1:
        raise ValueError(f'{start!r} occurs {text.count(start)} times')
    begin = text.index(start) + len(start)
    return text[begin:text.index(end, begin)]


def read_column(data, nr, form):
    numbers, at, last = [], 0, 0
    for _ in range(nr):
        number = shift = 0
        while True:
            byte = data[at]
            at += 1
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        if form == 'delta':
            last += (number >> 1) ^ -(number & 1)
            number = last
        numbers.append(number)
    if at != len(data):
        raise ValueError('a column has more bytes than its numbers')
    return numbers


class Data:
    """The texts, functions, stacks and recordings of a page.

    frames is [(name, dso, mode, source line)], stacks is [(caller, frame)] with stack 0 as the
    root, recordings is [description with the columns of its samples]."""

    def __init__(self, path):
        with open(path, encoding='utf-8') as page:
            self.page = page.read()
        packed = part(self.page, '<script type="text/plain" id="data">', '</script>')
        data = zlib.decompress(base64.b64decode(packed, validate=True), wbits=-15)
        end = data.index(b'\n')
        self.texts = json.loads(data[:end])
        self.recordings = self.texts['recordings']
        columns, at, recording = {}, end + 1, -1
        for title, nr, size, form in self.texts['columns']:
            column = read_column(data[at:at + size], nr, form)
            at += size
            recording += title == 'time'
            if '.' in title:
                columns[title] = column
            else:
                self.recordings[recording][title] = column
        if at != len(data):
            raise ValueError('there are bytes behind the columns')
        self.frames = [(self.texts['names'][name], self.texts['dsos'][dso], chr(mode),
                        f"{self.texts['sources'][source]}:{line}" if line else '')
                       for name, dso, mode, source, line in zip(
                           *(columns[f'frame.{x}'] for x in
                             ('name', 'dso', 'mode', 'source', 'line')))]
        self.stacks = [(None, None), *zip(columns['stack.caller'], columns['stack.frame'])]
        self.threads = list(zip(columns['thread.pid'], columns['thread.tid'],
                                (self.texts['comms'][x] for x in columns['thread.comm'])))

    def functions(self, stack):
        """Return the names of a stack, the outermost first."""
        names = []
        while stack:
            stack, frame = self.stacks[stack]
            names.insert(0, self.frames[frame][0])
        return names

    def sums(self, event, recording=-1):
        """Return {(dso, '[mode] name'): [self, total]} of an event, in periods, and their sum."""
        sums, whole = collections.defaultdict(lambda: [0, 0]), 0
        samples = self.recordings[recording]
        periods = collections.Counter()
        for stack, period, of in zip(samples['stack'], samples['period'], samples['event']):
            if self.texts['events'][of] == event:
                periods[stack] += period
        for stack, period in periods.items():
            whole += period
            seen, leaf = set(), True
            while stack:
                stack, frame = self.stacks[stack]
                name, dso, mode, _ = self.frames[frame]
                key = dso, name if mode == '-' else f'[{mode}] {name}'
                sums[key][0] += period * leaf
                sums[key][1] += period * (key not in seen)
                seen.add(key)
                leaf = False
        return sums, whole


def rows_of(report):
    """Return {event: {(dso, '[mode] name'): [(total %, self %)]}} of perf report -t '|'."""
    events, event = {}, None
    for line in report.splitlines():
        said = re.match(r"# Samples: .* of event '(.*)'", line)
        if said:
            event = events.setdefault(said[1], collections.defaultdict(list))
        elif line and not line.startswith('#'):
            total, own, dso, symbol = (x.strip() for x in line.split('|', 3))
            event[dso, symbol].append((float(total.rstrip('%')), float(own.rstrip('%'))))
    return events
