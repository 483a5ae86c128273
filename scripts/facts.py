#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""scripts/facts.py - compare tables of Documentation/perf_counter with the source

Usage: scripts/facts.py [DIRECTORY]

Prints a line for each name that is in the source and not in a document, or the other way
round: static keys, locks, patched files, sysctls, files of the rooms, KUnit files, selftests,
suites, kernel flavours and emulated PMUs. Also prints a line for each path in a document that
does not exist, for each row of a table that does not fit its columns, and for each cost in
README.md and scripts/series.cover that is not in costs.rst, and for each command of the tool whose
limit in costs.rst is not that of tests/speed. DIRECTORY is the root of the
repository; by default, this one. Exit status 1 when a line was printed.
"""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
DOCS = 'Documentation/perf_counter'


def read(path):
    """Read a file of the repository."""
    with open(path, encoding='utf-8') as file:
        return file.read()


def section(text, title):
    """Return the section below a title, up to the next title of its kind."""
    lines = text.split('\n')
    start = lines.index(title) + 2
    underline = lines[start - 1][0]
    for i in range(start, len(lines) - 1):
        if lines[i] and re.fullmatch(re.escape(underline) + '+', lines[i + 1]) and \
           len(lines[i + 1]) >= len(lines[i]):
            return '\n'.join(lines[start:i])
    return '\n'.join(lines[start:])


def sources():
    """Return our kernel files without tests, as {path: text}."""
    patterns = ('kernel/perf_counter.c', 'kernel/perf_counter/*/*.[ch]',
                'kernel/trace/trace_perf_counter.c', 'arch/*/perf_counter/*.[ch]', 'arch/*/include/asm/perf_counter.h',
                'include/linux/perf_counter*.h')
    paths = {path for pattern in patterns for path in glob.glob(pattern, recursive=True)}
    return {path: read(path) for path in sorted(paths)
            if '/test/' not in path and not path.endswith('_test.c')}


def missing(what, has, named, where):
    """Return a message for each of @has that is not in @named."""
    return [f'{where}: {what} {name} is missing' for name in sorted(has - named)]


def keys():
    """Compare the static keys, without those of software events."""
    text = read('include/linux/perf_counter.h')
    enum = re.search(r'enum perf_counter_hook \{(.*?)\};', text, re.S).group(1)
    has = set(re.findall(r'^\s(PERF_COUNTER_HOOK_\w+)', enum, re.M)) - {'PERF_COUNTER_HOOK_SW'}
    where = f'{DOCS}/internals.rst'
    table = section(read(where), 'Hooks and static keys')
    named = set(re.findall(r'^``(PERF_COUNTER_HOOK_\w+)``', table, re.M))
    return missing('the key', has, named, where) + \
        [f'{where}: there is no key {name}' for name in sorted(named - has)]


def locks():
    """Compare the names of locks that are variables."""
    where = f'{DOCS}/internals.rst'
    order = section(read(where), 'Lock order')
    has = {name for text in sources().values()
           for name in re.findall(r'DEFINE_(?:MUTEX|SPINLOCK|RAW_SPINLOCK)\((\w+)\)', text)}
    return missing('the lock', has, set(re.findall(r'\w+', order)), where)


def patches():
    """Compare the patched files of the kernel; a folder ends with a slash."""
    where = f'{DOCS}/internals.rst'
    text = section(read(where), 'Hooks and static keys')
    named = set(re.findall(r'[\w./-]+', text))
    found = []
    all_patches = [path for path in glob.glob('**/*.patch', recursive=True)
                   if not path.startswith(('build/', 'tools/')) and
                   not path.endswith('.fix.patch')]
    number = re.search(r'(\d+) files of others', text)
    if not number or int(number.group(1)) != len(all_patches):
        found.append(f'{where}: {len(all_patches)} files of others have a patch, not '
                     f'{number.group(1) if number else "no number"}')
    for patch in sorted(all_patches):
        path = patch.removesuffix('.patch')
        folders = {path[:i + 1] for i, char in enumerate(path) if char == '/'}
        if path.startswith(('tools/', 'build/', 'Documentation/')) or \
           path.endswith(('Makefile', 'Kbuild', 'Kconfig', '.tbl')):
            continue
        if path not in {name.rstrip('.') for name in named} and not folders & named:
            found.append(f'{where}: the patched file {path} is missing')
    return found


def sysctls():
    """Compare the sysctls; a name may continue in the next row of the table."""
    where = f'{DOCS}/abi.rst'
    table = re.sub(r'``kernel\.perf_counter_``(.*)\n``(\w+)``', r'``kernel.perf_counter_\2``\1',
                   read(where))
    named = set(re.findall(r'^``kernel\.(perf_counter_\w+)``', table, re.M))
    has = {name for text in sources().values()
           for name in re.findall(r'\.procname\s*=\s*"(\w+)"', text)}
    return missing('the sysctl', has, named, where) + \
        [f'{where}: there is no sysctl {name}' for name in sorted(named - has)]


def rooms():
    """Compare the files of the rooms with the definition of each room in internals.rst."""
    where = f'{DOCS}/internals.rst'
    named, room = set(), None
    for line in read(where).split('\n'):
        title = re.match(r'\*\*(\w+)/\*\*$', line)
        if title:
            room = title.group(1)
        elif not line.startswith('  '):
            room = None
        elif room:
            named |= {f'{room}/{name}' for name in re.findall(r'``(\w+\.c)``', line)}
    has = {'/'.join(path.split('/')[-2:]) for path in glob.glob('kernel/perf_counter/*/*.c')
           if '/test/' not in path}
    return missing('the file', has, named, where) + \
        [f'{where}: there is no file {name}' for name in sorted(named - has)]


def tests():
    """Compare KUnit files, selftests and suites with testing.rst."""
    where = f'{DOCS}/testing.rst'
    named = set(re.findall(r'^``([\w.-]+)``', read(where), re.M))
    kunit = {os.path.basename(path) for path in glob.glob('kernel/perf_counter/test/*.c')}
    makefile = read('tools/testing/selftests/perf_counter/Makefile').replace('\\\n', ' ')
    programs = {word for words in re.findall(r'TEST_GEN_PROGS\w* [:+]?= (.*)', makefile)
                for word in words.split() if re.fullmatch(r'\w+', word)}
    suites = {line.split('|')[0].strip() for name in glob.glob('scripts/suites*.list')
              if 'ppc64le' not in name
              for line in read(name).split('\n') if '|' in line and not line.startswith('#')}
    return missing('the KUnit file', kunit, named, where) + \
        missing('the selftest', programs, named, where) + missing('the suite', suites, named, where)


def kernels():
    """Compare the kernel flavours and the emulated PMUs with testing.rst."""
    where = f'{DOCS}/testing.rst'
    named = set(re.findall(r'``([\w-]+)``', section(read(where), 'Kernels')))
    usage = read('scripts/build').split('# Brings build/linux')[0]
    flavours = {name for names in re.findall(r'^#   ([\w-]+(?:, [\w-]+)*)', usage, re.M)
                for name in names.split(', ')}
    models = set(re.findall(r'^([\w-]+) *[|]', read('tools/testing/perf_counter/qemu/models.list'),
                            re.M))
    return missing('the flavour', flavours, named, where) + \
        missing('the emulated PMU', models, named, where)


def paths():
    """Find paths of our files in the documents, and in README.rst files, that do not exist."""
    ours = re.compile(r'(?<![\w./-])((?:kernel/perf_counter|kernel/trace/trace_perf_counter|scripts|'
                      r'Documentation/perf_counter|arch/\w+/perf_counter|'
                      r'include/(?:uapi/)?linux/perf_counter|'
                      r'tools/(?:testing/|testing/selftests/|lib/)perf_counter|tools/perf)\b'
                      r'[\w./-]*)')
    found = []
    for where in sorted(glob.glob(f'{DOCS}/*.rst') + glob.glob('tools/**/README.rst', recursive=True)):
        for number, line in enumerate(read(where).split('\n'), 1):
            found += [f'{where}: line {number}: there is no {path}'
                      for path in (name.rstrip('.-/') for name in ours.findall(line))
                      if not os.path.exists(path) and not glob.glob(f'{path}.*')
                      and os.path.exists('/'.join(path.split('/')[:2]))]
    return found


def tables():
    """Find rows with text in the gap between two columns of a simple table."""
    found = []
    for where in sorted(glob.glob(f'{DOCS}/*.rst')):
        gaps = None
        for number, line in enumerate(read(where).split('\n'), 1):
            if re.fullmatch(r'=+( +=+)+', line):
                gaps = [match.span() for match in re.finditer(' +', line)]
            elif not line:
                gaps = None
            elif gaps and any(line[start:end].strip() for start, end in gaps):
                found.append(f'{where}: line {number} does not fit the columns of its table')
    return found


def costs():
    """Compare the costs that README.md and the cover letter quote with costs.rst."""
    figures = r'([\d,]+){0}([\d,]+){0}([\d.]+)'
    rows = set(re.findall(r'^(\S.*?) +' + figures.format(' +') + '$',
                          read(f'{DOCS}/costs.rst'), re.M))
    quoted = re.findall(r'^\| (\S.*?) \| ' + figures.format(r' \| ') + r' \|$',
                        read('README.md'), re.M)
    if not quoted:
        return ['README.md: no row of costs found']
    found = [f'README.md: {DOCS}/costs.rst has no row {"  ".join(fields)}'
             for fields in quoted if fields not in rows]
    pairs = {(ours, theirs) for _, theirs, ours, _ in quoted}
    named = re.findall(r'([\d,]+)\s+instead\s+of\s+([\d,]*\d)', read('scripts/series.cover'))
    return found + [f'scripts/series.cover: README.md has no row with {ours} instead of {theirs}'
                    for ours, theirs in named if (ours, theirs) not in pairs]


def tool_costs():
    """Compare the limits of the tool's commands with the script that measures them."""
    where = f'{DOCS}/costs.rst'
    has = {(name, float(limit)) for name, limit in re.findall(
        r"^    \('(.*?)', '\w+', \[[^]]*\], ([\d.]+)\),$", read('tools/perf/tests/speed'), re.M)}
    table = section(read(where), 'Reading a recording')
    named = {(name, float(limit)) for name, limit in re.findall(
        r'^(\S.*?) +[\d,.]+ +[\d,.]+ +[\d.]+ +([\d.]+)$', table, re.M)}
    return missing('the limit of', {f'{name}, {limit},' for name, limit in has},
                   {f'{name}, {limit},' for name, limit in named}, where) + \
        [f'{where}: tests/speed has no row {name} with the limit {limit}'
         for name, limit in sorted(named - has)]


def main():
    if sys.argv[1:] and sys.argv[1] in ('-h', '--help'):
        print(__doc__.strip())
        return 0
    os.chdir(sys.argv[1] if sys.argv[1:] else ROOT)
    found = keys() + locks() + patches() + sysctls() + rooms() + tests() + kernels() + paths() + \
        tables() + costs() + tool_costs()
    print(''.join(f'{line}\n' for line in found), end='')
    return 1 if found else 0


sys.exit(main())
