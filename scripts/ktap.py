# SPDX-License-Identifier: GPL-2.0
"""Count the results in TAP and KTAP text.

A result that stands above results of its own (nested deeper, before it) sums
them up and is not counted again, unless it failed where none of them did: then
something happened outside of them, a crash for instance. What a plan promises
and the text does not hold is a failure, and so is a text without a plan.

Every result has its number. Nesting is by indentation, or by the "# " that kselftest puts before the lines
of a test of its own. Lines of a kernel log are read without their time stamp.
"""
import re

LOG_PREFIX = re.compile(r'^(<\d+>)?\[ *\d+\.\d+\](\[ *[TC]\d+\])? ?')
RESULT = re.compile(r'^(ok|not ok) +(\d+)\b(?: *-)? *(.*)$')
PLAN = re.compile(r'^1\.\.(\d+)(?: *# *(SKIP.*))?$', re.IGNORECASE)
SKIP = re.compile(r'(^|\s)# *SKIP\b', re.IGNORECASE)
NESTED = re.compile(r'^((?:# )*)( *)(.*)$')

# How much of a text is shown around a failure: why is said before the result, or behind it.
LINES_BEFORE, LINES_BEHIND, LINES_SHOWN = 3, 8, 60


def split(text):
    """A line's depth, and the line without that and without a log's time stamp."""
    hashes, spaces, text = NESTED.match(LOG_PREFIX.sub('', text.rstrip('\r\n'))).groups()
    return len(hashes) + len(spaces), text


class Level:
    """The results of one test's subtests, or of the whole text."""

    def __init__(self, depth):
        self.depth = depth
        self.plan = None
        self.results = 0
        self.failed = 0
        self.skip_all = None


class Count:
    """Reads lines; afterwards: passed, failed, skipped, and failures by name."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.failures = []
        self.levels = []

    def fail(self, name):
        self.failed += 1
        self.failures.append(name)

    def level(self, depth):
        """The level that a line of this depth belongs to, deeper ones closed."""
        for level in self.children(depth):
            self.close(level, 'a nested test')
        if not self.levels or self.levels[-1].depth < depth:
            self.levels.append(Level(depth))
        return self.levels[-1]

    def children(self, depth):
        """Take off what is nested deeper than depth: its levels, outermost last."""
        closed = []
        while self.levels and self.levels[-1].depth > depth:
            closed.append(self.levels.pop())
        return closed

    def close(self, level, name):
        """Check a finished level against its plan. True when it held."""
        if level.plan is None:
            self.fail(f'{name}: {level.results} results but no plan')
        elif level.plan != level.results:
            self.fail(f'{name}: planned {level.plan}, ran {level.results}')
        else:
            return True
        return False

    def line(self, text):
        depth, text = split(text)
        result = RESULT.match(text)
        plan = PLAN.match(text)
        if text.startswith('Bail out!'):
            self.fail(text)
        elif plan:
            level = self.level(depth)
            if level.plan is not None:      # the next test's, one after another
                self.close(level, 'a test')
                level = self.levels[-1] = Level(depth)
            level.plan = int(plan[1])
            level.skip_all = plan[2]
        elif result:
            self.result(depth, result[1] == 'ok', result[3] or f'test {result[2]}')

    def result(self, depth, ok, name):
        closed = self.children(depth)
        held = all([self.close(level, name) for level in closed])
        failed = sum(level.failed for level in closed)
        level = self.level(depth)
        level.results += 1
        level.failed += failed + (not ok) + (not held)
        leaf = not any(child.results for child in closed)
        if not ok:
            if SKIP.search(name):
                self.skipped += 1
            elif leaf or (held and not failed):
                self.fail(name)
        elif leaf:
            if SKIP.search(name):
                self.skipped += 1
            else:
                self.passed += 1

    def end(self):
        """The text is over: check what is still open."""
        while self.levels:
            level = self.levels.pop()
            if level.plan == 0 and level.skip_all:
                self.skipped += 1
            else:
                self.close(level, 'the tests')
        if not self.passed + self.failed + self.skipped:
            self.fail('no test ran')


def count(lines):
    result = Count()
    for text in lines:
        result.line(text)
    result.end()
    return result


def has_failed(text):
    return split(text)[1].startswith(('not ok ', 'Bail out!'))


def excerpt(lines):
    """Of a list of lines, those around failures; the last ones where no result has failed."""
    shown = set()
    for i, text in enumerate(lines):
        if has_failed(text):
            shown.update(range(max(0, i - LINES_BEFORE), min(len(lines), i + 1 + LINES_BEHIND)))
    if not shown:
        return lines[-LINES_SHOWN:]
    return [lines[i] for i in sorted(shown)[:LINES_SHOWN]]
