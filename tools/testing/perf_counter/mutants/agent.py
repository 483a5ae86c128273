#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""agent.py JOB - try mutants in the guest that this runs in

JOB is a file of JSON: "programs", the directory of the selftests; "units", what to run;
and "tries", a list of [mutant, [unit]...], or without any the units are run to see which
mutants they reach. A unit is [name, "kunit", suite] or [name, "selftest", program, test].
With "from_boot", the one mutant of "tries" is on since the guest's boot, and stays on.

Prints JSON, one object on each line, about what it begins and what has come out. Exit status
3 asks for another boot: what a mutant left behind makes a unit fail without it.
"""
import json
import os
import re
import signal
import subprocess
import sys
import time

PARAMETERS = '/sys/module/mutant/parameters'
SUITES = '/sys/kernel/debug/kunit'
BUDGET = '/proc/sys/kernel/perf_counter_cpu_time_max_percent'
# Seconds for a unit, beside ten times what it took without a mutant.
SECONDS = 20
BAD = re.compile(r'^ *not ok|BUG:|WARNING: |Oops|rcu: .*(stall|INFO)|UBSAN:|INFO: (possible|task)|'
                 r'suspicious RCU|general protection fault|list_(add|del) corruption|refcount_t:|'
                 r'soft lockup|LOCKUP|unregister_netdevice|NMI received for unknown')


def tell(**what):
    """A line for the host."""
    print(json.dumps(what), flush=True)


def write(path, text):
    """Write a file of the kernel's."""
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def read(path):
    """Read a file."""
    with open(path, encoding='utf-8', errors='replace') as file:
        return file.read()


class Log:
    """The kernel's log, from here on."""

    def __init__(self):
        self.file = os.open('/dev/kmsg', os.O_RDONLY | os.O_NONBLOCK)
        os.lseek(self.file, 0, os.SEEK_END)

    def bad(self):
        """The first line since the last call that reports something, or None."""
        found = None
        while True:
            try:
                line = os.read(self.file, 8192).decode(errors='replace')
            except BlockingIOError:
                return found
            except OSError:
                continue
            line = line.partition(';')[2].split('\n')[0]
            if not found and BAD.search(line):
                found = line.strip()


HANGS = 'it hangs'


def run_selftest(path, test, seconds):
    """Why a test of a program fails, or None. A process that cannot be killed is left behind."""
    child = subprocess.Popen([path, '-t', test],        # pylint: disable=consider-using-with
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, start_new_session=True, text=True,
                             errors='replace')
    try:
        output = child.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        return HANGS
    for line in output.split('\n'):
        if re.match(r'(not ok|Bail out)', line):
            return line
    if not re.search(r'^1\.\.\d+', output, re.M):
        return f'no plan, status {child.returncode}'
    if 'SKIP' in output and not re.search(r'^ok \d+ (?!.*# SKIP)', output, re.M):
        return 'skipped'
    return None if child.returncode in (0, 4) else f'status {child.returncode}'


def run_suite(suite, seconds):
    """Why a suite of KUnit does not end, or None; what failed is in the kernel's log."""
    child = os.fork()
    if not child:
        write(f'{SUITES}/{suite}/run', '1')
        os._exit(0)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if os.waitpid(child, os.WNOHANG)[0]:
            return None
        time.sleep(0.02)
    return HANGS


class Agent:
    """Runs units."""

    def __init__(self, job):
        self.job = job
        self.log = Log()
        self.units = {unit[0]: unit[1:] for unit in job['units']}

    def run(self, name, seconds):
        """Why a unit fails, or None."""
        kind, what, *rest = self.units[name]
        if kind == 'kunit':
            if not os.path.exists(f'{SUITES}/{what}'):
                return 'there is no such suite'
            # KUnit's tests are for the kernel's own limit, which the guest's init has lifted.
            write(f'{PARAMETERS}/tests', '0-1023')
            write(BUDGET, '25')
            failed = run_suite(what, seconds)
            write(BUDGET, '0')
        else:
            failed = run_selftest(os.path.join(self.job['programs'], what), rest[0], seconds)
        return self.log.bad() or failed

    def reach(self):
        """Run each unit without a mutant; tell what it reaches, and what the boot has reached."""
        if self.job.get('boot'):
            tell(boot=[int(word) for word in read(f'{PARAMETERS}/hits').split()])
        for name in self.units:
            tell(unit=name)
            write(f'{PARAMETERS}/hits', '0')
            began = time.monotonic()
            why = self.run(name, 300)
            took = time.monotonic() - began
            hits = [int(word) for word in read(f'{PARAMETERS}/hits').split()]
            tell(unit=name, why=why, seconds=took, hits=hits)

    def attempt(self, number, units):
        """Try one mutant. False when the guest is not what it was."""
        tell(begin=number)
        stays = self.job.get('from_boot')
        for name, seconds in units:
            limit = SECONDS + 10 * seconds
            write(f'{PARAMETERS}/on', str(number))
            why = self.run(name, limit)
            if not stays:
                write(f'{PARAMETERS}/on', '0')
            if why and stays:
                why = self.run(name, limit)
            elif why and why != HANGS:
                # A busy machine may fail a test as well: it passes without the mutant, and
                # fails with it again, or the mutant has left something behind.
                if not self.run(name, limit):
                    write(f'{PARAMETERS}/on', str(number))
                    why = self.run(name, limit)
                    write(f'{PARAMETERS}/on', '0')
            if why:
                tell(mutant=number, unit=name, why=why)
                return stays or why != HANGS and not self.run(name, limit)
        tell(mutant=number, unit=None, why=None)
        return True


def main():
    agent = Agent(json.loads(read(sys.argv[1])))
    os.environ.update(agent.job.get('environment', {}))
    if not os.path.isdir(SUITES):
        subprocess.run(['mount', '-t', 'debugfs', 'none', '/sys/kernel/debug'], check=True)
    if not agent.job.get('from_boot'):
        write(f'{PARAMETERS}/on', '0')
    if 'tries' not in agent.job:
        agent.reach()
        return 0
    for number, units in agent.job['tries']:
        if not agent.attempt(number, units):
            return 3
    return 0


if __name__ == '__main__':
    status = main()
    # Nothing is waited for: what hangs goes with the guest.
    sys.stdout.flush()
    os._exit(status)
