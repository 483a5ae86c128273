#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""scripts/patience.py - run a command, and stop it when it hangs

Usage: scripts/patience.py [--sign FILE]... SECONDS COMMAND [ARGUMENT]...

The command is stopped when it has given no sign of life for SECONDS, or has run for ten
times SECONDS in all; 0 is no limit. A sign of life is that a FILE has grown, or, for a
file of /proc, that it reads differently. Without --sign, there is none.

The seconds are those of an idle machine: while there are twice as many tasks to run as CPUs,
a second counts as half of one. So a busy machine stops no command that only waits for a
CPU.

Exit status: that of the command, 128 + N after signal N; 124 when it was stopped.
"""
import glob
import os
import signal
import stat
import subprocess
import sys
import time

BUILD = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), 'build')
# Multiple of the limit without a sign of life that a command may run in all.
TIMES_IN_ALL = 10
# Seconds from SIGTERM to SIGKILL.
GRACE_SECONDS = 10


def share():
    """Return the part of a CPU that a task gets now, if it wants one: 0 to 1."""
    return min(1, os.cpu_count() / max(os.getloadavg()[0], 1e-9))


# A sign of a command that waits for a build, see Patience.
WAITS = object()


class Patience:
    """Decides when a command has hung, see above. signs() returns a value that changes while
    the command is alive; or WAITS, and then the time is not counted."""

    def __init__(self, seconds, signs):
        self.seconds = seconds
        self.signs = signs
        self.seen = signs()
        self.silent = self.in_all = 0
        self.looked = time.monotonic()

    def next_look(self):
        """Return the seconds after which it makes sense to look again."""
        return min(5, max(0.1, self.seconds / 10)) if self.seconds else 3600

    def over(self):
        """Return None, or the reason why the command must be stopped, in words."""
        now = time.monotonic()
        spent = (now - self.looked) * share()
        self.looked = now
        seen = self.signs()
        if seen is WAITS or not self.seconds:
            return None
        self.silent = 0 if seen != self.seen else self.silent + spent
        self.in_all += spent
        self.seen = seen
        if self.silent >= self.seconds:
            return f'nothing came for {self.seconds} seconds'
        if self.in_all >= TIMES_IN_ALL * self.seconds:
            return f'it ran for {TIMES_IN_ALL * self.seconds} seconds'
        return None


def growth(path):
    """Return a value that changes when a file grows, or a file of /proc reads differently."""
    try:
        if path.startswith('/proc/'):
            with open(path, 'rb') as file:
                return file.read()
        return os.stat(path).st_size
    except OSError:
        return None


def status_field(pid):
    """Return the parent and the session of a process."""
    with open(f'/proc/{pid}/stat', encoding='utf-8', errors='replace') as file:
        fields = file.read().rpartition(')')[2].split()
    return int(fields[1]), int(fields[3])


def family(leader):
    """Return the processes that a session's leader has started, in any session."""
    parents, sessions = {}, {}
    for name in os.listdir('/proc'):
        if name.isdigit():
            try:
                parents[int(name)], sessions[int(name)] = status_field(name)
            except (OSError, ValueError):
                continue
    found = {leader} | {pid for pid, session in sessions.items() if session == leader}
    while True:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        if not more:
            return found
        found |= more


def written(pid):
    """Return the files that a process has open for writing, and their sizes."""
    found = set()
    try:
        for fd in os.listdir(f'/proc/{pid}/fd'):
            with open(f'/proc/{pid}/fdinfo/{fd}', encoding='utf-8') as file:
                info = dict(line.split(':', 1) for line in file if ':' in line)
            if int(info['flags'], 8) & os.O_ACCMODE == os.O_RDONLY:
                continue
            what = os.stat(f'/proc/{pid}/fd/{fd}')
            if stat.S_ISREG(what.st_mode):
                found.add((what.st_dev, what.st_ino, what.st_size))
    except (OSError, ValueError, KeyError):
        pass
    return found


def awaited_files(pids):
    """Return the inodes of the files whose locks these processes wait for."""
    try:
        with open('/proc/locks', encoding='utf-8') as file:
            waiting = [line.split() for line in file if '->' in line]
    except OSError:
        return set()
    return {int(words[6].rpartition(':')[2]) for words in waiting if int(words[5]) in pids}


def build_locks():
    """Return the inodes of the files that builds lock, see lock() in scripts/lib.sh."""
    return {os.stat(path).st_ino for path in glob.glob(f'{BUILD}/.lock-*')}


def signs_of_family(leader):
    """Return the sizes of all files that a suite writes. While it waits for a build, return
    WAITS; while it waits for another lock, always a new value."""
    pids = family(leader)
    files = awaited_files(pids)
    if files & build_locks():
        return WAITS
    if files:
        return time.monotonic()
    return frozenset().union(*(written(pid) for pid in pids))


def end(child):
    """End a child, the leader of a process group, and its group."""
    try:
        os.killpg(child.pid, signal.SIGTERM)
        try:
            child.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
    except ProcessLookupError:
        child.wait()


def run(seconds, signs, command):
    """Return the exit status of this script for a command."""
    with subprocess.Popen(command, process_group=0) as child:
        def pass_on(number, _):
            end(child)
            sys.exit(128 + number)

        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, pass_on)
        patience = Patience(seconds, lambda: [growth(path) for path in signs])
        while True:
            try:
                status = child.wait(patience.next_look())
                return status if status >= 0 else 128 - status
            except subprocess.TimeoutExpired:
                if patience.over():
                    end(child)
                    return 124


def main():
    words, signs = sys.argv[1:], []
    while words and words[0].startswith('-'):
        option = words.pop(0)
        if option in ('-h', '--help'):
            print(__doc__.strip())
            return 0
        if option != '--sign' or not words:
            sys.exit(f"scripts/patience.py: unknown option '{option}', or no FILE behind it: "
                     'see scripts/patience.py --help')
        signs.append(words.pop(0))
    if len(words) < 2 or not words[0].isdigit():
        sys.exit('scripts/patience.py: SECONDS and a COMMAND are missing: '
                 'see scripts/patience.py --help')
    try:
        return run(int(words[0]), signs, words[1:])
    except OSError as error:
        sys.exit(f'scripts/patience.py: {words[1]}: {error.strerror}')


if __name__ == '__main__':
    sys.exit(main())
