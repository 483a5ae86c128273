# SPDX-License-Identifier: GPL-2.0
"""Mutants of the perf tool and of libperf_counter: which tests reach one, and which finds it.

The tool's parts are built as one shared library (SHARED=1 of tools/perf/Makefile), so that
a mutant costs one compilation and one link. A mutant whose object file is the original's
changes nothing: it is equivalent. Which tests come to which lines is known from a second
build, whose functions note where they are (reach.c); it is asked anew for a test when that
test, or the tool, has changed. A mutant meets the tests that come to its line, the most
specific one first, until one fails, hangs or crashes.

A mutant does what nobody has thought of, as root. Each test runs in namespaces of its own:
it has a /tmp of its own, can write to nothing else, and sees no process but its own, unless
it records the whole machine.
"""
import collections
import concurrent.futures
import contextlib
import gzip
import hashlib
import json
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import threading

import generate

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), '../../../..'))
sys.path.insert(0, os.path.join(ROOT, 'scripts'))

from patience import Patience                           # noqa: E402

HERE = os.path.dirname(os.path.realpath(__file__))
PERF = os.path.join(ROOT, 'tools/perf')
LIBRARY = 'tools/lib/perf_counter'
BUILD = os.path.join(ROOT, 'build/mutate')
PLACES = os.path.join(BUILD, f'places-{os.getpid()}')
PATHS = ['tools/perf', 'tools/lib']

# The marks of reach.c: more bytes than libparts.so has of code.
MARKS_SIZE = 16 << 20
# Why a mutant lives that no test comes to.
NOWHERE = 'no test comes there'
# The kernel's list of probes is one, for all of the machine.
ONE_AT_A_TIME = {'test-probe': threading.Lock()}
UPROBES = '/sys/kernel/tracing/uprobe_events'
# How many times what the longest test takes in the guest each may take.
GUEST_TIMES = 3
# How often a test may fail without a mutant: some record the whole machine, whatever it does.
TRIES = 3
# What one process of a test may allocate: a mutant may want all there is.
BYTES_MAX = 8 << 30
# Tests with a checker that reserves more. They are the last that a mutant meets.
UNLIMITED = ['leaks']
# Seconds without a line of output: so many, and so many times what the test takes.
PATIENCE_SECONDS = 10
PATIENCE_TIMES = 5

# The command runs as a child of the namespace's first process: signals have their usual
# effect on it, and what it leaves behind ends with the first process.
SANDBOX = '''
mount --bind "$0" "$0" && mount -o remount,bind,ro / && mount -t tmpfs -o size=2g none /tmp || exit 125
"$@"
exit $?
'''


class Failed(Exception):
    """What failed, in words."""


def run(command, **options):
    """A command's output; Failed when it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors='replace', check=False, **options)
    if done.returncode:
        raise Failed(f'{shlex.join(command)}: exit status {done.returncode}\n{done.stdout[-2000:]}')
    return done.stdout


# === Building ===

class Kind:
    """A build of the tool with its parts as a shared library, and with a file of ours."""

    def __init__(self, name, cc, cflags, extra, ldflags=''):
        self.cc = cc
        self.directory = os.path.join(BUILD, name)
        self.extra = f'{self.directory}/{extra}.o'
        ldflags = f'{ldflags} {self.extra}'
        self.make = ['make', '-s', '-C', PERF, f'O={self.directory}', 'SHARED=1',
                     f'CFLAGS={cflags}', f'LDFLAGS={ldflags}']

    def build(self):
        os.makedirs(self.directory, exist_ok=True)
        source = os.path.basename(self.extra)[:-2] + '.c'
        run(['gcc', '-O2', '-Wall', '-fPIC', '-c', '-o', self.extra, f'{HERE}/{source}'])
        run(self.make + [f'CC={self.cc}', f'-j{os.cpu_count()}', 'all'])

    def commands(self):
        """{what is made: its command}, of the objects, of the parts and of the tool."""
        lines = run(self.make + ['-n', '-B', 'CC=gcc', f'{self.directory}/perf']).splitlines()
        found = {}
        for line in lines:
            if line.startswith('gcc ') and ' -o ' in line:
                words = [word for word in shlex.split(line) if word not in ('-MMD', '-MP')]
                found[words[words.index('-o') + 1]] = words
        return found


PLAIN = Kind('plain', f'{ROOT}/scripts/cc', '-O2 -fPIC -fno-semantic-interposition -w', 'guard',
             '-Wl,--wrap=kill')
# An object from the compiler's cache may name the source files of another clone.
REACH = Kind('reach', 'gcc', '-O0 -g -fPIC -w -fsanitize-coverage=trace-pc', 'reach')


class Place:
    """A directory with programs that use a libparts.so, and a tool, of the place's own."""

    def __init__(self, name, kind):
        self.directory = os.path.join(PLACES, name)
        shutil.rmtree(self.directory, ignore_errors=True)
        os.makedirs(f'{self.directory}/parts')
        os.makedirs(f'{self.directory}/out')
        os.link(f'{kind.directory}/perf', f'{self.directory}/perf')
        shutil.copytree(f'{kind.directory}/tests', f'{self.directory}/tests', copy_function=os.link)
        self.parts = f'{self.directory}/parts/libparts.so'
        self.tool = f'{self.directory}/perf'
        self.kind = kind
        self.restore()

    def restore(self):
        for mine, theirs in ((self.parts, 'parts/libparts.so'), (self.tool, 'perf')):
            if os.path.exists(mine):
                os.unlink(mine)
            os.link(f'{self.kind.directory}/{theirs}', mine)


class Compiler:
    """Makes a mutant's object, and links it in the place of the original's."""

    def __init__(self, kind):
        self.kind = kind
        self.commands_of = kind.commands()
        self.objects = {os.path.normpath(os.path.join(PERF, words[-1])): name
                        for name, words in self.commands_of.items() if name.endswith('.o')}

    def knows(self, path):
        return os.path.join(ROOT, path) in self.objects

    def compile(self, mutant, place):
        """The mutant's object; None when it does not compile, '' when it is the original's."""
        original = os.path.join(ROOT, mutant.file)
        made = self.objects[original]
        source = f'{place.directory}/{os.path.basename(mutant.file)}'
        with open(original, encoding='utf-8') as file:
            text = generate.changed(file.read(), mutant)
        with open(source, 'w', encoding='utf-8') as file:
            file.write(text)
        command = list(self.commands_of[made])
        command[-1] = source
        command[command.index('-o') + 1] = f'{place.directory}/mutant.o'
        command[1:1] = ['-iquote', os.path.dirname(original)]
        try:
            run(command, cwd=PERF)
        except Failed:
            return None
        with open(made, 'rb') as one, open(f'{place.directory}/mutant.o', 'rb') as other:
            same = without_name(one.read(), original) == without_name(other.read(), source)
        return '' if same else f'{place.directory}/mutant.o'

    def link(self, mutant, place, made):
        original = self.objects[os.path.join(ROOT, mutant.file)]
        parts, tool = (f'{self.kind.directory}/{name}' for name in ('parts/libparts.so', 'perf'))
        for target, output in ((parts, place.parts), (tool, place.tool)):
            command = self.commands_of[target]
            if original in command:
                os.unlink(output)
                run([{original: made, target: output}.get(word, word) for word in command], cwd=PERF)


def without_name(content, source):
    """An object file without the name of its source: of symbols, the first is the file's."""
    return content.replace(os.path.basename(source).encode(), b'')


# === Running ===

class Test:
    """One program of the tests.

    @seconds: of CPU time, without a mutant
    @alone: it sees no process but its own; one that records the whole machine has to
    """

    def __init__(self, name, file):
        self.name = name
        self.file = file
        self.seconds = 0
        self.alone = True
        self.lines = {}

    def environment(self, place):
        # Some tests copy the tool, and use the copy.
        return {'PERF': place.tool, 'TEST_BUILD': f'{place.directory}/tests',
                'LD_LIBRARY_PATH': f'{place.directory}/parts'}

    def program(self, place):
        return f'{place.directory}/tests/{self.file[:-2]}' if self.file.endswith('.c') else \
            os.path.join(PERF, 'tests', self.file)

    def lines_reached(self):
        return sum(map(len, self.lines.values()))

    def order(self):
        """First what is about little, and what costs little."""
        return self.name in UNLIMITED, self.lines_reached() * (0.2 + self.seconds)

    def run(self, place, limit, reached=None):
        """(what failed, or None; seconds of CPU time). With @reached, it goes on after that."""
        namespaces = ['--pid', '--mount-proc'] if self.alone else []
        limit_of_memory = [] if self.name in UNLIMITED else ['prlimit', f'--as={BYTES_MAX}']
        environment = dict(os.environ, LC_ALL='C', TMPDIR='/tmp', **self.environment(place))
        if reached:
            environment['MUTATE_REACHED'] = reached
        command = ['unshare', '--mount', '--fork', '--kill-child', *namespaces,
                   *limit_of_memory, 'sh', '-c', SANDBOX,
                   f'{place.directory}/out', self.program(place)]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env=environment, cwd='/',
                              start_new_session=True) as child:
            watched = Tap(child, limit)
            failure = watched.failure()
            if failure and reached:
                while watched.failure():
                    pass
            elif failure:
                os.killpg(child.pid, signal.SIGKILL)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if failure:
            forget_probes()
        return (failure or watched.at_end(child.returncode), usage.ru_utime + usage.ru_stime)


    def finds(self, place, plain):
        """What fails, or None. A test in shell depends on the machine: @plain has to pass that."""
        limit = PATIENCE_SECONDS + PATIENCE_TIMES * self.seconds
        with ONE_AT_A_TIME.get(self.file, contextlib.nullcontext()):
            failure, _ = self.run(place, limit)
            if failure and not self.file.endswith('.c') and self.run(plain, limit)[0] == failure:
                return None
        return failure


def forget_probes():
    """Delete the kernel's events in programs of ours: a test that is stopped leaves them."""
    try:
        with open(UPROBES, encoding='utf-8') as file:
            names = [line.split()[0].partition(':')[2] for line in file if f' {BUILD}/' in line]
        # The file has no end to seek to, which open() of Python wants.
        file = os.open(UPROBES, os.O_WRONLY | os.O_APPEND)
        try:
            for name in names:
                os.write(file, f'-:{name}\n'.encode())
        finally:
            os.close(file)
    except OSError:
        pass


class LibraryTest(Test):
    """One of the library's, which is built in the place."""

    def environment(self, place):
        return {'O': library_output(place), 'CC': 'gcc'}

    def program(self, place):
        return f'{place.directory}/copy/{LIBRARY}/tests/{self.file}' if self.name == 'install' \
            else f'{library_output(place)}/tests/{self.file}'


class Tap:
    """Reads what a test prints, up to the first failure."""

    def __init__(self, child, limit):
        self.child = child
        self.seen = 0
        self.planned = None
        self.bytes = 0
        self.lines = []
        self.rest = b''
        self.patience = Patience(limit, lambda: self.bytes) if limit else None

    def failure(self):
        """The next failure, or None at the end."""
        while True:
            if self.lines:
                failure = self.look_at(self.lines.pop(0))
                if failure:
                    return failure
                continue
            if not select.select([self.child.stdout], [], [], 1)[0]:
                if self.patience and self.patience.over():
                    return 'it hangs'
                continue
            more = os.read(self.child.stdout.fileno(), 65536)
            if not more:
                return None
            self.bytes += len(more)
            if self.patience and self.patience.over():
                return 'it hangs'
            *self.lines, self.rest = (self.rest + more).split(b'\n')

    def look_at(self, line):
        line = line.decode(errors='replace')
        if re.match('not ok', line):
            return re.sub(r'^not ok *\d* *-? *', '', line)
        if re.match('ok', line):
            self.seen += 1
        elif plan := re.match(r'1\.\.(\d+)', line):
            self.planned = int(plan[1])
        return None

    def at_end(self, status):
        if self.seen != self.planned:
            return f'it ends after {self.seen} results, planned {self.planned}, status {status}'
        return f'it ends with {status}' if status else None


def all_tests():
    tests = []
    for file in sorted(os.listdir(f'{PERF}/tests')):
        if re.fullmatch(r'unit-.*\.c|test-[a-z-]*', file):
            tests.append(Test(re.sub(r'^(unit|test)-|\.c$', '', file), file))
    return tests


# === Who comes where ===

class Blocks:
    """Which lines the blocks have that the marks of reach.c are about."""

    def __init__(self, library):
        calls = []
        for line in run(['objdump', '-d', '--no-show-raw-insn', library]).splitlines():
            if '<__sanitizer_cov_trace_pc' in line and 'call' in line:
                calls.append(int(line.split(':')[0], 16))
        calls.sort()
        rows = []
        for address, place in zip(*places_of(library)):
            path, _, line = place.rpartition(':')
            if path.startswith('/') and not path.startswith((f'{ROOT}/', '/usr/')):
                raise Failed(f'{library} is made of {path}, which is not in this tree')
            line = line.split(' ')[0]
            if line.isdigit():
                rows.append((address, os.path.relpath(path, ROOT), int(line)))
        rows.sort()
        # A block is marked at the address behind its call, of five bytes.
        self.of = {}
        at = 0
        for call, following in zip(calls, calls[1:] + [1 << 62]):
            while at < len(rows) and rows[at][0] < call:
                at += 1
            begin = at
            while at < len(rows) and rows[at][0] < following:
                at += 1
            self.of[call + 5] = {row[1:] for row in rows[begin:at]}

    def lines(self, marks):
        """{file: lines} of marks."""
        found = collections.defaultdict(set)
        at = marks.find(1)
        while at >= 0:
            for file, line in self.of.get(at, ()):
                found[file].add(line)
            at = marks.find(1, at + 1)
        return {file: sorted(lines) for file, lines in found.items()}


def places_of(library):
    """The addresses that the table of lines has, and "file:line" of each."""
    addresses = sorted({int(word, 16) for word in
                        re.findall(r' (0x[0-9a-f]+) ', run(['objdump', '--dwarf=decodedline',
                                                            library]))})
    places = run(['addr2line', '-e', library], input=''.join(f'{at:#x}\n' for at in addresses))
    return addresses, [os.path.normpath(place) for place in places.splitlines()]


def digest(paths):
    total = hashlib.sha256()
    for path in paths:
        with open(path, 'rb') as file:
            total.update(f'{os.path.relpath(path, ROOT)}\0'.encode() + file.read() + b'\0')
    return total.hexdigest()


def digest_of_tool():
    """Of whatever all tests depend on: the tool, and what several tests use."""
    paths = [f'{HERE}/reach.c', f'{ROOT}/include/uapi/linux/perf_counter.h']
    for top in (PERF, os.path.join(ROOT, LIBRARY)):
        for directory, _, names in os.walk(top):
            paths += [f'{directory}/{name}' for name in names
                      if not re.match(r'unit-.*\.c|test-', name)]
    return digest(sorted(paths))


def unknown_of(tests, prefix=''):
    """Tests of which it is not known where they come."""
    tool = digest_of_tool()[:16]
    cache = os.path.join(BUILD, 'reached')
    os.makedirs(cache, exist_ok=True)
    for test in tests:
        test.known = f'{cache}/{prefix}{digest([f"{PERF}/tests/{test.file}"])[:16]}-{tool}.json'
    return [test for test in tests if not recall(test)]


def recall(test):
    try:
        with open(test.known, encoding='utf-8') as file:
            known = json.load(file)
    except (OSError, ValueError):
        return False
    test.seconds = known['seconds']
    test.alone = known['alone']
    test.lines = {file: set(lines) for file, lines in known['lines'].items()}
    return True


def remember(test, seconds, lines, say):
    with open(f'{test.known}.new', 'w', encoding='utf-8') as file:
        json.dump({'seconds': seconds, 'alone': test.alone, 'lines': lines}, file)
    os.rename(f'{test.known}.new', test.known)
    recall(test)
    say(f'{test.name}: {test.lines_reached()} lines, {seconds:.1f} s')


def learn(tests, jobs, say):
    """Where each test comes, what it costs, and that it passes."""
    unknown = unknown_of(tests)
    if not unknown:
        return
    say(f'{len(unknown)} tests run without a mutant, to see where they come')
    REACH.build()
    blocks = Blocks(f'{REACH.directory}/parts/libparts.so')
    places = Places([Place(f'reach-{i}', REACH) for i in range(jobs)],
                    [Place(f'plain-{i}', PLAIN) for i in range(jobs)])

    def see(test):
        with places as (reach, plain):
            marks = f'{reach.directory}/out/marks'
            with open(marks, 'wb') as file:
                file.truncate(MARKS_SIZE)
            # Some tests run the tool as another user.
            os.chmod(marks, 0o666)
            failure, seconds = test.run(plain, 0)
            if failure:
                say(f'{test.name} fails where it sees no process but its own: {failure}')
                test.alone = False
            for _ in range(TRIES):
                if failure:
                    failure, seconds = test.run(plain, 0)
            if failure:
                say(f'{test.name} finds no mutants, for it fails without one: {failure}')
                remember(test, seconds, {}, say)
                return
            failure, _ = test.run(reach, 0, marks)
            if failure:
                say(f'{test.name} fails where calls are noted, and is taken as it is: {failure}')
            with open(marks, 'rb') as file:
                remember(test, seconds, blocks.lines(file.read()), say)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(see, unknown))


class Places:
    """Places that are taken and given back: one of each kind at a time."""

    def __init__(self, *kinds):
        self.free = list(zip(*kinds))
        self.lock = threading.Condition()
        self.mine = threading.local()

    def __enter__(self):
        with self.lock:
            while not self.free:
                self.lock.wait()
            self.mine.taken = self.free.pop()
        return self.mine.taken

    def __exit__(self, *_):
        with self.lock:
            self.free.append(self.mine.taken)
            self.lock.notify()


# === Judging ===

def lines_of(mutant):
    """The mutant's lines, from the beginning of what it is a part of: not all lines have code.

    An initializer's code belongs to the line in front of its members.
    """
    with open(os.path.join(ROOT, mutant.file), encoding='utf-8') as file:
        text = file.read()
    first = min(text[:mutant.span[1]].count('\n') + 1, mutant.line)
    lines = text.splitlines()
    while first > 1 and lines[first - 2].rstrip().endswith((',', '= {')):
        first -= 1
    return range(first, mutant.line + 1)


def reaching(tests, mutant):
    """The tests that come to a mutant, in the order in which they are worth to be run."""
    lines = lines_of(mutant)
    found = [test for test in tests if not test.lines.get(mutant.file, set()).isdisjoint(lines)]
    return sorted(found, key=Test.order)


def judge(mutant, tests, compiler, place, plain):
    """(verdict, why): caught, lived, equivalent or invalid."""
    if mutant.file.startswith(LIBRARY):
        verdict = judge_library(mutant, place)
        if verdict[0] != 'lived' or not compiler.knows(mutant.file):
            return verdict
    made = compiler.compile(mutant, place)
    if made is None:
        return 'invalid', 'it does not compile'
    if not made:
        return 'equivalent', 'its object file is the same'
    found = reaching(tests, mutant)
    if not found:
        return 'lived', NOWHERE
    compiler.link(mutant, place, made)
    try:
        for test in found:
            failure = test.finds(place, plain)
            if failure:
                return 'caught', f'{test.name}: {failure}'
    finally:
        place.restore()
    return 'lived', f'{len(found)} tests come there: {" ".join(test.name for test in found)}'


def library_output(place):
    """Where a place's copy of the library is built: its installation writes there."""
    return f'{place.directory}/out/library'


def make_library(place):
    """Build a place's copy of the library; {file: content} of what all of it is in."""
    output = library_output(place)
    run(['make', '-s', '-C', f'{place.directory}/copy/{LIBRARY}', f'O={output}',
         f'CC={ROOT}/scripts/cc', 'CFLAGS=-O2 -w', 'all', 'tests'])
    made = {}
    for directory in (output, f'{output}/tests'):
        for name in os.listdir(directory):
            if name.endswith('.o') or name.startswith('test-') and not name.endswith('.d'):
                with open(f'{directory}/{name}', 'rb') as file:
                    made[name] = file.read()
    return made


def judge_library(mutant, place):
    """A mutant of the library, in a copy of it."""
    copy = f'{place.directory}/copy'
    for name in (LIBRARY, 'include/uapi'):
        os.makedirs(f'{copy}/{name}', exist_ok=True)
        run(['rsync', '-a', '--delete', '--exclude=/build', f'{ROOT}/{name}/', f'{copy}/{name}/'])
    original = make_library(place)
    with open(f'{copy}/{mutant.file}', encoding='utf-8') as file:
        text = generate.changed(file.read(), mutant)
    with open(f'{copy}/{mutant.file}', 'w', encoding='utf-8') as file:
        file.write(text)
    try:
        if make_library(place) == original:
            return 'equivalent', 'its object file is the same'
    except Failed:
        return 'invalid', 'it does not compile'
    for name in ('refusals', 'values', 'install'):
        test = LibraryTest(name, f'test-{name}')
        failure, _ = test.run(place, 2 * PATIENCE_SECONDS)
        if failure:
            return 'caught', f'lib: {name}: {failure}'
    return 'lived', 'the library\'s tests here pass'


# === In the guest ===

def guest_tests():
    """The tests of tests/run-guest: what there is to see on a kernel with our system call."""
    with open(f'{PERF}/tests/run-guest', encoding='utf-8') as file:
        names = re.search(r'set -- ([a-z -]+)', file.read())[1].split()
    return [Test(name, f'test-{name}') for name in names]


def in_guest(words, say):
    """Run run-tool-guest with these words in one boot; yield what it prints, by the line."""
    command = [f'{ROOT}/scripts/boot', '--name', 'mutate-tool', '--smp', '4', '--no-build',
               '--timeout', '0', '--env', f'PC_MODULE={ROOT}/build/kernel/guest/cpuid.ko', '--',
               f'{HERE}/run-tool-guest', *words]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          errors='replace') as guest:
        for line in guest.stdout:
            if line.startswith('#'):
                say(line.rstrip())
            else:
                yield line.rstrip()
    if guest.returncode:
        raise Failed(f'the guest ended with {guest.returncode}: see build/log/mutate-tool.console')


def learn_in_guest(tests, say):
    """Where each test comes in the guest, and how long it takes there."""
    unknown = unknown_of(tests, 'guest-')
    if not unknown:
        return
    say(f'{len(unknown)} tests run in the guest without a mutant, to see where they come')
    REACH.build()
    blocks = Blocks(f'{REACH.directory}/parts/libparts.so')
    place = Place('reach-guest', REACH)
    names = {test.name: test for test in unknown}
    for line in in_guest(['reach', place.directory, str(MARKS_SIZE), *names], say):
        name, seconds = line.split()
        with gzip.open(f'{ROOT}/build/out/{name}.marks.gz') as file:
            remember(names[name], int(seconds), blocks.lines(file.read()), say)


def judge_in_guest(results, most, jobs, say):
    """What lived here meets the tests of the guest that come to it: @most, in one boot."""
    lived = [i for i, (_, verdict, _) in enumerate(results) if verdict == 'lived']
    if not lived or not most:
        return
    say(f'{len(lived)} live here: building the kernel guest')
    run([f'{ROOT}/scripts/build', 'guest'])
    tests = guest_tests()
    learn_in_guest(tests, say)
    compiler = Compiler(PLAIN)
    wanted = []
    for i in lived:
        mutant, _, why = results[i]
        found = reaching(tests, mutant)
        if found and compiler.knows(mutant.file):
            wanted.append((why != NOWHERE, i, found))
    wanted = sorted(wanted, key=lambda one: one[:2])[:most]
    places = os.path.join(PLACES, 'guest')

    def make(one):
        mutant = results[one[1]][0]
        place = Place(f'guest/{mutant.id}', PLAIN)
        compiler.link(mutant, place, compiler.compile(mutant, place))

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(make, wanted))
    if not wanted:
        return
    with open(f'{places}/list', 'w', encoding='utf-8') as file:
        for _, i, found in wanted:
            print(results[i][0].id, *(test.name for test in found), file=file)
    at = {results[i][0].id: i for _, i, _ in wanted}
    limit = GUEST_TIMES * max(test.seconds for test in tests)
    for line in in_guest(['judge', places, str(limit)], say):
        words = line.split(' ', 2)
        i = at[words[1]]
        mutant, _, why = results[i]
        if words[0] == 'caught':
            results[i] = (mutant, 'caught', f'guest: {words[2]}')
        else:
            results[i] = (mutant, 'lived', f'{why}; nor in the guest')
        say(f'{mutant.id} in the guest: {line}')


# === All of them ===

def table(results):
    """How many of each rule were caught, lived, and so on."""
    verdicts = ['caught', 'lived', 'equivalent', 'invalid']
    lines = ['%-12s' % 'rule' + ''.join(f'{verdict:>12}' for verdict in verdicts)]
    rules = sorted({mutant.rule for mutant, _, _ in results})
    for rule in rules + ['all']:
        lines.append(f'{rule:12}' + ''.join(
            f'{sum(v == verdict and rule in (m.rule, "all") for m, v, _ in results):12}'
            for verdict in verdicts))
    caught, lived = (sum(v == verdict for _, v, _ in results) for verdict in verdicts[:2])
    if caught + lived:
        lines.append(f'{caught} of {caught + lived} that change something were caught: '
                     f'{100 * caught // (caught + lived)} %')
    return lines


def sources():
    """What mutants are made of: a header has no object of its own, but for the library's."""
    return [path for path in generate.files(ROOT, PATHS)
            if path.endswith('.c') or path.startswith(LIBRARY)]


def judge_all(mutants, jobs, say):
    """[(mutant, verdict, why)]"""
    tests = all_tests()
    PLAIN.build()
    forget_probes()
    learn(tests, jobs, say)
    compiler = Compiler(PLAIN)
    places = Places([Place(f'mutant-{i}', PLAIN) for i in range(jobs)],
                    [Place(f'original-{i}', PLAIN) for i in range(jobs)])
    results = []

    def one(mutant):
        with places as (place, plain):
            try:
                verdict, why = judge(mutant, tests, compiler, place, plain)
            except Failed as error:
                verdict, why = 'invalid', str(error)
        results.append((mutant, verdict, why))
        say(f'{len(results)}/{len(mutants)} {mutant.id} {mutant.file}:{mutant.line} '
            f'{mutant.function}: {verdict}: {why}')

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, mutants))
    return results


def main(seed, count, names, jobs, in_guests):
    """Judge the mutants of @names, or @count by a @seed; the number of those that lived.

    At most @in_guests of those that live here meet the tests of the guest as well.
    """
    def say(line):
        print(line, flush=True)

    if names:
        mutants = [mutant for site in generate.all_sites(ROOT, sources()) for mutant in site
                   if mutant.id in names]
        if len(mutants) != len(set(names)):
            sys.exit('scripts/mutate: some of these mutants are not there any more')
    else:
        mutants = generate.draw(ROOT, sources(), seed, count)
    try:
        results = judge_all(mutants, jobs, say)
        judge_in_guest(results, in_guests, jobs, say)
    except Failed as error:
        sys.exit(f'scripts/mutate: {error}')
    finally:
        shutil.rmtree(PLACES, ignore_errors=True)
    lived = [(mutant, why) for mutant, verdict, why in results if verdict == 'lived']
    for mutant, why in lived:
        say(f'\nlived: {mutant.id} {mutant.file}:{mutant.line} {mutant.function}\n'
            f'\t- {mutant.old}\n\t+ {mutant.new}\n\t{why}')
    say('')
    for line in table(results):
        say(line)
    return len(lived)
