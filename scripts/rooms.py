#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
scripts/rooms.py - check that the rooms of kernel/perf_counter/ use one another downward only

Usage: scripts/rooms.py SOURCES OBJECTS...

SOURCES is the repository, or a tree. A header of a room may be included from the rooms above
it, except internal.h and ring/ring.h, which belong to their room.

OBJECTS are build directories with the kernel's objects, each of another kernel. The symbols that
an object defines and uses say which file calls which, functions in headers included: they are
compiled into the object that uses them. A file may use files of its own room and of the rooms
below, and no two files may use each other, over other files included. The files of a driver in
arch/*/perf_counter/ may not use each other in a circle either. Tests may use everything.

Prints a line for each finding.
"""
import graphlib
import os
import re
import subprocess
import sys

# From the top to the bottom; '' is the front door, kernel/perf_counter.c.
ROOMS = ['', 'source', 'context', 'record', 'counter', 'ring']
PRIVATE = re.compile(r'/internal\.h$|^ring/ring\.h$')


def room_of(path):
    """The room of a path below kernel/perf_counter/, or of perf_counter.c."""
    return path.split('/')[0] if '/' in path else ''


def above(upper, lower):
    return ROOMS.index(upper) < ROOMS.index(lower)


def includes(kernel):
    """(file, line, header) of each include of a header of a room, below perf_counter/."""
    files = [os.path.join(kernel, 'perf_counter.c')]
    for folder, _, names in os.walk(os.path.join(kernel, 'perf_counter')):
        files += [os.path.join(folder, name) for name in names if name.endswith(('.c', '.h'))]
    for path in sorted(files):
        name = os.path.relpath(path, kernel)
        with open(path, encoding='utf-8') as file:
            for number, line in enumerate(file, 1):
                match = re.match(r'#include "(.*)"', line)
                if match:
                    target = os.path.normpath(os.path.join(os.path.dirname(name), match[1]))
                    yield name, number, target


def check_includes(kernel):
    for name, number, target in includes(kernel):
        inside, header = (path.removeprefix('perf_counter/') for path in (name, target))
        if name == 'perf_counter.c':
            inside = name
        room, other = room_of(inside), room_of(header)
        if room in ('test', other) or other not in ROOMS:
            continue
        if PRIVATE.search(header):
            print(f'kernel/{name}:{number}: {header} belongs to its room: include a door of it')
        elif not above(room, other):
            print(f'kernel/{name}:{number}: {room}/ may not use {other}/, which is above it')


def symbols(path):
    """The global symbols that an object defines, and those that it uses."""
    defined, used = set(), set()
    text = subprocess.run(['nm', '-g', path], check=True, capture_output=True, text=True).stdout
    for line in text.splitlines():
        kind, symbol = line.split()[-2:]
        (used if kind in 'Uw' else defined).add(symbol)
    return defined, used


def objects(kernel):
    """The objects of the rooms, tests left out: name without suffix -> path."""
    found = {'perf_counter': os.path.join(kernel, 'perf_counter.o')}
    for room in ROOMS[1:]:
        folder = os.path.join(kernel, 'perf_counter', room)
        for name in os.listdir(folder):
            if name.endswith('.o') and name != 'built-in.o' and not name.startswith('.'):
                found[f'{room}/{name[:-2]}'] = os.path.join(folder, name)
    return found


def drivers(build):
    """The folders of drivers that a build directory has objects of."""
    arch = os.path.join(build, 'arch')
    folders = [os.path.join(arch, name, 'perf_counter') for name in sorted(os.listdir(arch))]
    return [folder for folder in folders if driver_objects(folder)]


def driver_objects(folder):
    """The objects of a driver, tests left out: name without suffix -> path."""
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return {name[:-2]: os.path.join(folder, name) for name in names
            if name.endswith('.o') and not name.endswith(('_test.o', 'built-in.o'))
            and not name.startswith('.')}


def uses(paths):
    """What each file uses of the others: (user, file) -> one of the symbols."""
    owner, used = {}, {}
    for name, path in paths.items():
        defined, used[name] = symbols(path)
        owner.update(dict.fromkeys(defined, name))
    edges = {}
    for name in sorted(used):
        for symbol in sorted(used[name]):
            if owner.get(symbol, name) != name:
                edges.setdefault((name, owner[symbol]), symbol)
    return edges


def circle(edges):
    """Return a circle of files, each of which uses the next, or None."""
    used = {}
    for user, file in edges:
        used.setdefault(user, set()).add(file)
    try:
        graphlib.TopologicalSorter(used).prepare()
    except graphlib.CycleError as error:
        # In this list, each file is used by the next.
        return error.args[1][::-1]
    return None


def check_circle(folder, edges):
    found = circle(edges)
    if found:
        steps = [f'{user} -> {file} ({edges[user, file]})' for user, file in zip(found, found[1:])]
        print(f'{folder}: files use one another in a circle: ' + ', '.join(steps))


def check_symbols(kernel):
    edges = uses(objects(kernel))
    if not edges:
        print(f'{kernel}: no object of perf_counter: build a kernel first')
    for (user, file), symbol in edges.items():
        if room_of(user) != room_of(file) and not above(room_of(user), room_of(file)):
            print(f'kernel/perf_counter/{user}.c: uses {symbol}() of {file}.c, a room above it')
    check_circle('kernel/perf_counter', edges)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    check_includes(os.path.join(sys.argv[1], 'kernel'))
    for build in sys.argv[2:]:
        check_symbols(os.path.join(build, 'kernel'))
        for folder in drivers(build):
            check_circle(os.path.relpath(folder, build), uses(driver_objects(folder)))


main()
