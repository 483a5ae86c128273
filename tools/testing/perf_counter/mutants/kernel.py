# SPDX-License-Identifier: GPL-2.0
"""Build many mutants into one kernel, and see which of them tests find.

Each mutant is behind a switch (generate.schemata(), switches.c) in a copy of the tree,
build/mutate, that is built like any other tree. Three stages:

  1. KUnit in User Mode Linux: a run without a mutant tells which tests reach which mutant;
     each mutant is then tried with the tests that reach it.
  2. The guest: the same with the selftests, test by test, many mutants in one boot. A mutant
     that lives gets a boot of its own, in which it is on from the start, and more tests.
  3. A mutant that is left is compiled alone: where the object is what it was without the
     mutant, there is nothing to find.

Found is what makes a test fail, a kernel report something, stop or hang.
"""
import fcntl
import json
import os
import re
import selectors
import signal
import subprocess
import sys
import time

import generate

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.realpath(os.path.join(HERE, '../../../..'))
WORK = os.path.join(ROOT, 'build/mutate')
TREE = os.path.join(WORK, 'tree')
PATHS = ['kernel/perf_counter', 'kernel/perf_counter.c', 'kernel/trace', 'arch/x86/perf_counter']

HEADER = '''extern int perf_counter_mutant;
extern unsigned char perf_counter_mutant_hits[];
#ifndef MUTANT
#define MUTANT(n) (perf_counter_mutant_hits[n] = 1, \\
		   __builtin_expect(*(volatile int *)&perf_counter_mutant == (n), 0))
#endif'''

# Where KUnit asks about its tests: a line of its source, and what it becomes.
KUNIT = 'lib/kunit/test.c'
KUNIT_CHANGES = [
    ('int kunit_run_tests(struct kunit_suite *suite)\n',
     'bool perf_counter_mutant_test(void);\n'
     'void perf_counter_mutant_tested(const char *suite, const char *name);\n\n'
     'int kunit_run_tests(struct kunit_suite *suite)\n'),
    ('\t\tif (test_case->status == KUNIT_SKIPPED) {\n',
     '\t\tif (test_case->status == KUNIT_SKIPPED || !perf_counter_mutant_test()) {\n'),
    ('\t\tkunit_update_stats(&suite_stats, test_case->status);\n',
     '\t\tkunit_update_stats(&suite_stats, test_case->status);\n'
     '\t\tperf_counter_mutant_tested(suite->name, test_case->name);\n'),
]

# A kernel in User Mode Linux hangs when no line comes from it for so many seconds of CPU time,
# or while it is found asleep so many times, a second apart.
SILENT_CPU_SECONDS = 8
SILENT_LOOKS = 12
# After so many runs there is one without a mutant.
CONTROL = 40

BAD = re.compile(r'^(\[[ 0-9.]+\])? *(not ok|Bail out)|BUG:|WARNING: |Kernel panic|Oops|'
                 r'rcu: INFO|UBSAN:|INFO: (possible|task)|suspicious RCU|'
                 r'general protection fault|list_(add|del) corruption|refcount_t:|soft lockup')


def say(text):
    """Progress."""
    print(f'== {text}', file=sys.stderr, flush=True)


class BuildFailed(Exception):
    """The kernel does not build; the argument is the log."""


def command(words, log=None, cwd=TREE, **environment):
    """Run a command; raise BuildFailed with its output when it fails."""
    ran = subprocess.run(words, cwd=cwd, env=os.environ | environment, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if log:
        with open(log, 'w', encoding='utf-8') as file:
            file.write(ran.stdout)
    if ran.returncode:
        raise BuildFailed(ran.stdout)
    return ran.stdout


def read(path):
    """The text of a file."""
    with open(path, encoding='utf-8', errors='replace') as file:
        return file.read()


def write(path, text):
    """Write a file, unless it has this text already."""
    if not os.path.exists(path) or read(path) != text:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)


def copy_tree():
    """Make TREE what the repository is; what is the same keeps its time."""
    cache = os.path.join(os.environ.get('XDG_CACHE_HOME', os.path.expanduser('~/.cache')),
                         'perf-counter')
    own = os.path.join(WORK, 'cache/perf-counter')
    os.makedirs(own, exist_ok=True)
    os.makedirs(TREE, exist_ok=True)
    if not os.path.isdir(os.path.join(TREE, '.git')):
        command(['git', 'init', '-q', TREE])
    listed = subprocess.run(['git', 'ls-files', '-zco', '--exclude-standard'], cwd=ROOT,
                            stdout=subprocess.PIPE, check=True).stdout
    return_code = subprocess.run(['rsync', '-ac', '--no-times', '--from0', '--files-from=-',
                                  '--ignore-missing-args', f'{ROOT}/', f'{TREE}/'],
                                 input=listed, check=False).returncode
    if return_code:
        raise SystemExit('scripts/mutate: the tree cannot be copied to build/mutate')
    for name in ('ccache', 'qemu', 'qemu-source'):
        os.makedirs(os.path.join(cache, name), exist_ok=True)
        link = os.path.join(own, name)
        if not os.path.islink(link):
            os.symlink(os.path.join(cache, name), link)


def lock():
    """Wait until no other run uses WORK. The lock goes with the process."""
    os.makedirs(WORK, exist_ok=True)
    handle = os.open(os.path.join(WORK, '.lock'), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
    fcntl.flock(handle, fcntl.LOCK_EX)


def build(*words):
    """A build in TREE, with a cache of kernels of its own: see copy_tree(). It goes on behind errors."""
    return command(list(words), XDG_CACHE_HOME=os.path.join(WORK, 'cache'), MAKEFLAGS='k')


def install(numbered):
    """Put the mutants, {number: mutant}, and their switches into TREE."""
    by_file = {}
    for number, mutant in numbered.items():
        by_file.setdefault(mutant.file, []).append((number, mutant))
    for path in generate.files(ROOT, PATHS):
        text = read(os.path.join(ROOT, path))
        if path in by_file:
            text = generate.schemata(text, by_file[path], HEADER)
        write(os.path.join(TREE, path), text)
    write(os.path.join(TREE, 'kernel/perf_counter/switches.c'),
          read(os.path.join(HERE, 'switches.c')))
    makefile = 'kernel/perf_counter/Makefile'
    write(os.path.join(TREE, makefile),
          read(os.path.join(ROOT, makefile)) + 'obj-y += switches.o\n')


def patch_kunit():
    """Leave TREE's KUnit with the questions of KUNIT_CHANGES, as a patch of the overlay."""
    patch = os.path.join(TREE, f'{KUNIT}.patch')
    if os.path.exists(patch):
        return
    old = text = read(os.path.join(TREE, 'build/linux', KUNIT))
    for before, after in KUNIT_CHANGES:
        if text.count(before) != 1:
            raise SystemExit(f'scripts/mutate: {KUNIT} has no line, or several: {before.strip()}')
        text = text.replace(before, after)
    write(os.path.join(WORK, 'a', KUNIT), old)
    write(os.path.join(WORK, 'b', KUNIT), text)
    diff = subprocess.run(['diff', '-u', f'a/{KUNIT}', f'b/{KUNIT}'], cwd=WORK, text=True,
                          stdout=subprocess.PIPE, check=False).stdout
    write(patch, diff)


def not_built(log, numbered):
    """The numbers of mutants that a build's log has errors for."""
    bad, lines, functions = set(), set(), set()
    for match in re.finditer(r'(\S+?\.[ch]):(\d+):\d+: error', log):
        lines.add((os.path.basename(match[1]), int(match[2])))
    functions.update(re.findall(r"in function [`']([\w]+)[\w.]*'", log))
    for number, mutant in numbered.items():
        begin = mutant.line
        if any(name == os.path.basename(mutant.file) and begin - 3 <= line <= begin + 3
               for name, line in lines) or mutant.function in functions:
            bad.add(number)
    return bad


def make(flavour, numbered):
    """Build a flavour with mutants. Those that do not build are taken out of @numbered."""
    dropped = []
    while True:
        install(numbered)
        build('scripts/tree')
        try:
            build('scripts/build', '--no-tree', flavour)
            return dropped
        except BuildFailed as failed:
            log = os.path.join(TREE, f'build/log/build-{flavour}.log')
            text = str(failed) + (read(log) if os.path.exists(log) else '')
            bad = not_built(text, numbered)
            if not bad:
                raise SystemExit(f'scripts/mutate: the kernel does not build: see {log}') from failed
            say(f'{len(bad)} mutants do not build as a switch')
            dropped += [numbered.pop(number) for number in sorted(bad)]


def usage(pid):
    """The CPU time of a process in seconds, and whether it sleeps."""
    try:
        fields = read(f'/proc/{pid}/stat').rpartition(')')[2].split()
    except OSError:
        return 0, False
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK'), fields[0] == 'S'


class Run:
    """A User Mode Linux process: its lines, and what was wrong with it."""

    def __init__(self, *parameters):
        self.lines = []
        words = [os.path.join(TREE, 'build/kernel/uml/linux'), 'mem=512M', 'con=null',
                 'con0=null,fd:1', 'console=tty0', 'kunit.filter_glob=perf_counter*',
                 'kunit_shutdown=halt', *parameters]
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, start_new_session=True) as child:
            try:
                self.wrong = self._watch(child)
            finally:
                try:
                    os.killpg(child.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        if not self.wrong and not any('System halted' in line for line in self.lines[-3:]):
            self.wrong = 'it stopped before its end'

    def _watch(self, child):
        """Read until the end, or until something is wrong."""
        spent, asleep, rest = 0, 0, b''
        with selectors.DefaultSelector() as selector:
            selector.register(child.stdout, selectors.EVENT_READ)
            while True:
                if not selector.select(1):
                    now, sleeps = usage(child.pid)
                    asleep = asleep + 1 if sleeps else 0
                    if asleep >= SILENT_LOOKS or now - spent > SILENT_CPU_SECONDS:
                        return 'it hangs'
                    continue
                data = os.read(child.stdout.fileno(), 65536)
                if not data:
                    return None
                spent, asleep = usage(child.pid)[0], 0
                *lines, rest = (rest + data).split(b'\n')
                for line in lines:
                    line = line.decode(errors='replace').rstrip('\r')
                    self.lines.append(line)
                    if BAD.search(line):
                        return line.strip()

    def results(self):
        """How many results there were."""
        return sum(1 for line in self.lines if re.match(r'(\[[ 0-9.]+\])? *ok \d', line))


class Kunit:
    """The first stage."""

    def __init__(self):
        run = Run()
        if run.wrong:
            raise SystemExit(f'scripts/mutate: KUnit fails without a mutant: {run.wrong}')
        self.expected = run.results()
        self.reached = {}
        self.names = {}
        for line in run.lines:
            match = re.search(r'mutants: (\d+) (\S+): ([ 0-9]+)$', line)
            if match:
                self.names[int(match[1])] = match[2]
                for number in match[3].split():
                    self.reached.setdefault(int(number), set()).add(int(match[1]))
        self.runs = 0

    def attempt(self, number):
        """Why the mutant is found, or None."""
        tests = ','.join(map(str, sorted(self.reached[number])))
        self.runs += 1
        if self.runs % CONTROL == 0:
            control = self._run(0, tests)
            if control:
                say(f'without a mutant: {control}')
        return self._run(number, tests)

    def _run(self, number, tests):
        run = Run(f'mutant.on={number}', f'mutant.tests={tests}')
        if not run.wrong and run.results() != self.expected:
            return f'{run.results()} results in place of {self.expected}'
        return run.wrong


class Results:
    """What is known of each mutant, kept in a file."""

    def __init__(self, path):
        self.path = path
        self.of = {}
        if os.path.exists(path):
            self.of = json.loads(read(path))

    def set(self, mutant, state, why):
        """Remember a result: state is caught, lived, same or unbuilt."""
        self.of[mutant.id] = {'state': state, 'why': why, 'tried': self.tried(mutant)}
        self._keep()

    def tried(self, mutant):
        """The guests that the mutant has lived in."""
        return self.of.get(mutant.id, {}).get('tried', [])

    def note(self, mutant, guest):
        """Remember that the mutant was tried in a guest."""
        self.of[mutant.id]['tried'] = self.tried(mutant) + [guest]
        self._keep()

    def _keep(self):
        with open(self.path, 'w', encoding='utf-8') as file:
            json.dump(self.of, file, indent=1)

    def forget(self, state):
        """Forget the mutants with a state, so that they are tried again."""
        self.of = {name: what for name, what in self.of.items() if what['state'] != state}

    def state(self, mutant):
        """The state of a mutant, or None."""
        return self.of.get(mutant.id, {}).get('state')


def first_stage(drawn, results):
    """Try mutants in User Mode Linux."""
    numbered = {n + 1: mutant for n, mutant in enumerate(drawn)}
    lock()
    copy_tree()
    build('scripts/tree')
    patch_kunit()
    say(f'{len(numbered)} mutants: building the kernel for KUnit')
    for mutant in make('uml', numbered):
        results.set(mutant, 'unbuilt', '')
    kunit = Kunit()
    say(f'{len(kunit.reached)} of {len(numbered)} are reached by KUnit')
    done = 0
    for number, mutant in numbered.items():
        if number not in kunit.reached or results.state(mutant):
            continue
        began = time.monotonic()
        why = kunit.attempt(number)
        results.set(mutant, 'caught' if why else 'lived', why)
        done += 1
        print(f'# {mutant.id} {"caught" if why else "LIVED"} {time.monotonic() - began:.1f} s '
              f'{mutant.file}:{mutant.line}  {why or ""}', flush=True)
    return numbered


# All suites of KUnit, and programs of the selftests.
PROGRAMS = ['kunit', 'attr', 'count', 'control', 'inherit', 'sampling', 'fields', 'off_cpu',
            'sideband', 'mappings', 'moving', 'map_names', 'map_life', 'map_fuzz', 'tasks', 'text',
            'tracepoint', 'syscall', 'buffer', 'permission', 'machine', 'subrings', 'overwrite',
            'splice', 'rows', 'notify', 'output', 'loss', 'hostile', 'races', 'compat', 'hardware',
            'branches']
# The guests of the second stage: a flavour of the kernel, a model, CPUs, programs, their
# environment, more for the kernel's command line, and which files' mutants are tried. The first
# has a PMU with branch records, so that nearly all programs run in it. The others are for the
# mutants that live there. A variable that is None is not set.
GUESTS = [('guest', 'skylake', 2, PROGRAMS, {}, '', ''),
          ('guest', 'intel-v4', 4, ['bpf'], {}, '', 'kernel/'),
          ('guest', 'intel-v4', 4, ['watchdog'], {}, 'nmi_watchdog=1',
           'kernel/perf_counter/source'),
          ('guest', 'zen4', 2, ['hardware', 'branches'], {}, '', 'arch/x86/'),
          ('guest', 'alderlake', 4, ['hybrid'], {}, '', 'arch/x86/'),
          ('guest', 'bulldozer,pmu-all-events=on', 2, ['hardware'], {'PC_ALL_EVENTS': '1'}, '',
           'arch/x86/'),
          ('guest', 'goldmont', 2, ['branches'], {}, '', 'arch/x86/'),
          ('debug', 'skylake', 2, ['kunit', 'allocations', 'lsm'],
           {'PC_TIMEOUT_SCALE': '8', 'PC_PMU': None}, '', 'kernel/')]
# Units that take longer than this many seconds are left out, and the units that a mutant is
# tried with take so many at most, without it.
LONGEST = 40
SECONDS = 12
# The same of a mutant that is on since the boot.
SECONDS_FROM_BOOT = 60


def units_of_guest(programs):
    """What can be run in the guest: suites of KUnit, tests of the selftests."""
    units = []
    for directory in ('kernel/perf_counter/test', 'arch/x86/perf_counter'):
        for name in sorted(os.listdir(os.path.join(ROOT, directory))):
            if name.endswith('.c') and 'kunit' in programs:
                text = read(os.path.join(ROOT, directory, name))
                units += [[f'kunit {suite}', 'kunit', suite] for suite in
                          re.findall(r'\.name\s*=\s*"(perf_counter\w+)"', text)
                          if suite != 'perf_counter_torture']
    tests = os.path.join(ROOT, 'tools/testing/selftests/perf_counter')
    for program in programs:
        if program == 'kunit':
            continue
        text = read(os.path.join(tests, f'{program}.c'))
        names = re.findall(r'^(?:PC_TEST|TEST_F|TEST_F_TIMEOUT)\(\w+, (\w+)', text, re.M)
        names += re.findall(r'^TEST\((\w+)\)', text, re.M)
        units += [[f'{program} {name}', 'selftest', program, name]
                  for name in dict.fromkeys(names)]
    return units


class Guest:
    """The second stage."""

    def __init__(self, flavour, model, cpus, programs, environment, append):
        self.flavour, self.model, self.cpus, self.append = flavour, model, cpus, append
        self.name = f'{flavour} {model} {append}'.strip()
        self.units = units_of_guest(programs)
        self.environment = {'PC_PMU': '1', 'PC_BRANCHES': '1',
                            'PC_MODULE': os.path.join(TREE, f'build/kernel/{flavour}/cpuid.ko')}
        self.environment |= environment
        self.environment = {name: value for name, value in self.environment.items()
                            if value is not None}
        self.boots = 0
        self.seconds, self.reached, self.at_boot = {}, {}, set()
        self.error = ''

    def boot(self, told, on=0, **job):
        """Boot with a job for the agent; @told gets each object that it prints. The exit status.

        Mutant @on is on from the start.
        """
        path = os.path.join(WORK, 'job.json')
        job |= {'units': self.units, 'environment': self.environment,
                'programs': os.path.join(ROOT, 'build/selftests')}
        write(path, json.dumps(job))
        self.boots += 1
        words = ['scripts/boot', '--no-build', '--flavour', self.flavour, '--pmu', self.model,
                 '--smp', str(self.cpus),
                 '--name', 'mutate', '--timeout', '40', '--append',
                 'kunit.enable=1 kunit.filter_glob=perf_counter* mutant.tests=1023 hugepages=4 '
                 f'sysctl.kernel.panic_on_rcu_stall=1 softlockup_panic=1 mutant.on={on} '
                 f'{self.append}',
                 '--', 'python3', os.path.join(HERE, 'agent.py'), path]
        with subprocess.Popen(words, cwd=TREE, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              errors='replace') as child:
            try:
                for line in child.stdout:
                    try:
                        told(json.loads(line))
                    except json.JSONDecodeError:
                        say(f'the guest: {line.strip()}')
                self.error = child.stderr.read()
            finally:
                child.terminate()
        return child.returncode

    def reach(self):
        """See which unit reaches which mutant."""
        begun = [None]

        def told(what):
            if 'boot' in what:
                self.at_boot = set(what['boot'])
                return
            if 'hits' not in what:
                begun[0] = what['unit']
                return
            begun[0] = None
            name, took = what['unit'], what['seconds']
            if what['why'] or took > LONGEST:
                say(f'left out: {name}: {what["why"] or f"takes {took:.0f} s"}')
                return
            self.seconds[name] = took
            for number in what['hits']:
                self.reached.setdefault(number, []).append(name)

        status = self.boot(told, boot=True)
        if begun[0] or not self.seconds:
            say(f'the guest ended with {status} in {begun[0]}: {self.error}')

    def choose(self, names, most=SECONDS):
        """Units to try a mutant with, for @most seconds: KUnit, then of each program the fastest."""
        ranks, order = {}, []
        for name in sorted(names, key=self.seconds.get):
            program = name.split()[0]
            ranks[program] = 0 if program == 'kunit' else ranks.get(program, 0) + 1
            order.append((ranks[program], self.seconds[name], name))
        chosen, spent = [], 0
        for _, seconds, name in sorted(order):
            if not chosen or spent + seconds <= most:
                chosen.append([name, seconds])
                spent += seconds
        return chosen

    def tries(self, numbers):
        """The jobs for the agent: each mutant with units that reach it."""
        return [[number, self.choose(self.reached[number])]
                for number in numbers if number in self.reached]

    def attempt(self, numbers, report):
        """Try mutants, in as many boots as it takes; report(number, unit, why) says what came out."""
        left = self.tries(numbers)
        failed = 0
        while left:
            state = {'begun': None, 'last': None}

            def told(what, state=state):
                if 'begin' in what:
                    state['begun'] = what['begin']
                else:
                    state['last'] = what['mutant']
                    report(what['mutant'], what['unit'], what['why'])

            self.boot(told, tries=left)
            begun = state['begun']
            if begun is None:
                failed += 1
                if failed == 3:
                    raise SystemExit(f'scripts/mutate: the guest does not start: {self.error}')
                continue
            failed = 0
            if begun != state['last']:
                report(begun, 'guest', self.error.strip().split('\n')[-1])
            left = left[[number for number, _ in left].index(begun) + 1:]

    def attempt_from_boot(self, number, report):
        """Try a mutant in a boot of its own, in which it is on from the start."""
        names = self.reached.get(number) or list(self.seconds)
        said = {}

        def told(what):
            said.update(what)

        for _ in range(2):
            said.clear()
            status = self.boot(told, on=number, from_boot=True,
                               tries=[[number, self.choose(names, SECONDS_FROM_BOOT)]])
            if said:
                break
        # The kernel's log may have a report of the boot.
        if 'mutant' in said and (said['why'] or not status):
            report(number, said['unit'], said['why'])
        else:
            report(number, 'guest' if said else 'boot', self.error.strip().split('\n')[-1])


def second_stage(numbered, results):
    """Try in the guests what has not been caught in User Mode Linux."""
    build('scripts/build-qemu')
    command(['scripts/build-selftests'], cwd=ROOT)
    built = set()
    for *machine, prefix in GUESTS:
        guest = Guest(*machine)
        left = {number: mutant for number, mutant in numbered.items()
                if results.state(mutant) in (None, 'lived') and mutant.file.startswith(prefix) and
                guest.name not in results.tried(mutant)}
        if not left:
            continue
        if guest.flavour not in built:
            say(f'building the kernel {guest.flavour}')
            for mutant in make(guest.flavour, numbered):
                results.set(mutant, 'unbuilt', '')
            built.add(guest.flavour)
        try_in_guest(guest, {number: mutant for number, mutant in left.items()
                             if number in numbered}, results)


def try_in_guest(guest, numbered, results):
    """Try mutants in a guest."""
    say(f'{guest.name}, {len(guest.units)} units: seeing what each reaches of {len(numbered)}')
    guest.reach()
    reached = [number for number in numbered if number in guest.reached]
    say(f'{len(reached)} are reached, {len(guest.at_boot & set(numbered))} by the boot')

    def report(number, unit, why):
        mutant = numbered[number]
        results.set(mutant, 'caught' if why else 'lived',
                    f'{guest.name}: {unit}: {why}' if why else '')
        print(f'{mutant.id} {"caught" if why else "LIVED"} {mutant.file}:{mutant.line}  '
              f'{guest.name}: {unit or ""} {why or ""}', flush=True)

    guest.attempt(reached, report)
    for number in sorted(guest.at_boot.union(guest.reached) & set(numbered)):
        if results.state(numbered[number]) != 'caught':
            guest.attempt_from_boot(number, report)
    for mutant in numbered.values():
        if not results.state(mutant):
            results.set(mutant, 'lived', 'not reached')
        results.note(mutant, guest.name)


def compiled(path):
    """A file of TREE as an object of the guest's kernel, without what debuggers read."""
    made = os.path.join(TREE, 'build/obj/guest', f'{path[:-2]}.o')
    text = read(os.path.join(os.path.dirname(made), f'.{os.path.basename(made)}.cmd'))
    words = re.match(r'(?:saved)?cmd_\S+ := (.*)', text)[1]
    out = os.path.join(WORK, 'object.o')
    words = re.sub(r' -o \S+', f' -o {out}', words.split(' ; ')[0], count=1)
    words = re.sub(r' -Wp,-MMD,\S+', '', words).replace('$(pound)', '#').replace('$$', '$')
    ran = subprocess.run(words, shell=True, cwd=os.path.join(TREE, 'build/obj/guest'), check=False,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if ran.returncode:
        return None
    subprocess.run(['strip', '-g', out], check=True)
    with open(out, 'rb') as file:
        return file.read()


def third_stage(numbered, results):
    """Compile alone what lives, and take out what is the same object."""
    lived = [mutant for mutant in numbered.values() if results.state(mutant) == 'lived']
    say(f'{len(lived)} mutants live: comparing their objects')
    clean = {}
    for mutant in sorted(lived, key=lambda mutant: mutant.file):
        path = mutant.file
        if path.endswith('.h'):
            continue
        text = read(os.path.join(ROOT, path))
        if path not in clean:
            write(os.path.join(TREE, 'build/linux', path), text)
            clean[path] = compiled(path)
            if not clean[path]:
                raise SystemExit(f'scripts/mutate: {path} does not compile without a mutant')
        write(os.path.join(TREE, 'build/linux', path), generate.changed(text, mutant))
        new = compiled(path)
        write(os.path.join(TREE, 'build/linux', path), text)
        if new is None:
            results.set(mutant, 'unbuilt', '')
        elif new == clean[path]:
            results.set(mutant, 'same', '')


def known():
    """What lived.txt says of mutants: {id: (kind, reason)}."""
    found, last = {}, None
    for line in read(os.path.join(HERE, 'lived.txt')).split('\n'):
        if line.startswith('\t') and last:
            found[last] = (found[last][0], f'{found[last][1]} {line.strip()}'.strip())
        elif line and not line.startswith('#'):
            last, kind = line.split()[:2]
            found[last] = (kind, '')
    return found


def table(drawn, results):
    """Print what came out, by rule; then each mutant that lives."""
    states = ('caught', 'lived', 'equal', 'unbuilt')
    reasons = known()
    counts = {rule: dict.fromkeys(states, 0) for rule in [*generate.RULES, 'all']}
    lived = []
    for mutant in drawn:
        state = results.state(mutant)
        if state == 'same' or state == 'lived' and reasons.get(mutant.id, '-')[0] == 'equal':
            state = 'equal'
        if state == 'lived':
            lived.append(mutant)
        if state:
            counts[mutant.rule][state] += 1
            counts['all'][state] += 1
    print(f'{"rule":10}' + ''.join(f'{state:>9}' for state in states))
    for rule, of_rule in counts.items():
        print(f'{rule:10}' + ''.join(f'{of_rule[state]:9}' for state in states))
    caught, change = counts['all']['caught'], counts['all']['caught'] + len(lived)
    if change:
        print(f'{caught} of {change} that change something are caught: {100 * caught / change:.0f} %')
    for mutant in lived:
        kind, reason = reasons.get(mutant.id, ('', results.of[mutant.id]['why'] or 'reached'))
        print(f'{mutant.id} {mutant.file}:{mutant.line} {mutant.function}: {kind} {reason}\n'
              f'\t- {mutant.old}\n\t+ {mutant.new}')


def tap(drawn, reached=False):
    """The first stage as TAP: what KUnit reaches it finds, but for what lived.txt names.

    With @reached, each mutant has to be one that a test reaches.
    """
    path = os.path.join(WORK, 'tap.json')
    if os.path.exists(path):
        os.unlink(path)
    results = Results(path)
    first_stage(drawn, results)
    reasons = known()
    tried = [mutant for mutant in drawn if results.state(mutant) in ('caught', 'lived') or
             reached and not results.state(mutant)]
    print(f'TAP version 13\n1..{len(tried)}')
    failed = 0
    for n, mutant in enumerate(tried, 1):
        lives = results.state(mutant) != 'caught'
        bad = lives and mutant.id not in reasons
        failed += bad
        print(f'{"not ok" if bad else "ok"} {n} - {mutant.id} in {mutant.function} '
              f'{"lives, as lived.txt says" if lives and not bad else "is caught"}')
        if bad:
            print(f'# {mutant.file}:{mutant.line}\n# - {mutant.old}\n# + {mutant.new}')
    return 1 if failed or not tried else 0
