# SPDX-License-Identifier: GPL-2.0
"""Find mutants again whose ids have changed.

The id of a mutant is made of names and of the text of a line, so a renamed function or variable
gives it another one. A file that names mutants was committed when its ids were those of the
source. This module reads the source of that commit, and puts its mutants beside those of the
present source: a rename leaves their order and their shapes as they were.
"""
import difflib
import io
import os
import re
import subprocess
import tarfile
import tempfile

import generate

HERE = os.path.dirname(os.path.realpath(__file__))
FILES = ['lived.txt', 'checked.txt', 'lived-tool.txt']
ID = re.compile(r'^([a-z]+-[0-9a-f]{8})\b', re.M)
# Where mutants have been drawn from, now or in an earlier commit.
TOPS = ['kernel', 'arch/x86', 'tools/perf', 'tools/lib']
WORDS = {'if', 'return', 'true', 'false', 'NULL', 'goto', 'break', 'continue', 'sizeof'}


def read(name):
    """The text of a file that names mutants; nothing when there is none."""
    path = os.path.join(HERE, name)
    if not os.path.exists(path):
        return ''
    with open(path, encoding='utf-8') as file:
        return file.read()


def git(root, *words):
    """The output of a git command; nothing when it fails."""
    ran = subprocess.run(['git', *words], cwd=root, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=False)
    return b'' if ran.returncode else ran.stdout


def shape(text):
    """C without its names."""
    return re.sub(r'\b[A-Za-z_]\w*', lambda name: name[0] if name[0] in WORDS else 'n',
                  generate.squeeze(text))


def mutants(root, paths):
    """{file: [(mutant, shape)]} of the source below @root, in the order of each file."""
    found = generate.parse(root, paths)
    parameters = {}
    for source in found.values():
        parameters.update(source.parameters)
    return {path: [(mutant, f'{mutant.rule} {shape(source.text[mutant.start:mutant.end])} -> '
                            f'{shape(mutant.text)}')
                   for site in generate.mutants_of(path, source, parameters) for mutant in site]
            for path, source in found.items()}


def beside(old, new):
    """{id of @old: mutant of @new} of two files: the same lines, or the same shapes, in order."""
    def text(mutant):
        return f'{mutant.function} {mutant.rule} {mutant.old} {mutant.new}'

    both = {text(mutant) for mutant, _ in old} & {text(mutant) for mutant, _ in new}

    def keys(side):
        return [text(mutant) if text(mutant) in both else key for mutant, key in side]

    matcher = difflib.SequenceMatcher(None, keys(old), keys(new), autojunk=False)
    found = {}
    for block in matcher.get_matching_blocks():
        for i in range(block.size):
            found[old[block.a + i][0].id] = new[block.b + i][0]
    return found


def of_commit(root, commit):
    """The mutants of a commit's source, as mutants() has them."""
    with tempfile.TemporaryDirectory() as directory:
        listed = git(root, 'ls-tree', '-r', '--name-only', commit, *TOPS).decode().split()
        sources = [path for path in listed if path.endswith(('.c', '.h'))]
        archive = git(root, 'archive', commit, *sources) if sources else b''
        if not archive:
            return {}
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            tar.extractall(directory, filter='data')
        return mutants(directory, generate.files(directory, TOPS))


def match(old, wanted, path, present):
    """{id: mutant} for some ids of the file @old, which was @path.

    The file may have another name or be two by now. A function is where most of its mutants are
    found again, and half of them at least.
    """
    found, best = {}, {}
    functions = {mutant.id: mutant.function for mutant, _ in old}
    for candidate in [path] if path in present else present:
        if not candidate.startswith(path.split('/')[0]):
            continue
        matched = beside(old, present[candidate])
        for name in wanted:
            if name not in matched:
                continue
            whole = [mutant for mutant, _ in old if mutant.function == functions[name]]
            there = [mutant for mutant in whole if mutant.id in matched and
                     matched[mutant.id].function == matched[name].function]
            if 2 * len(there) >= len(whole) and len(there) > best.get(name, 0):
                best[name] = len(there)
                found[name] = matched[name]
    return found


def find(root, paths, wanted, since=None):
    """{id: mutant of the present source}, of ids that may be those of the commit @since.

    Without @since, those of the commit that wrote the id into a file here.
    """
    present = mutants(root, paths)
    by_id = {mutant.id: mutant for of_file in present.values() for mutant, _ in of_file}
    found = {name: by_id[name] for name in wanted if name in by_id}
    commits = {}
    for name in set(wanted) - set(found):
        commit = since or \
            git(root, 'log', '-1', '--format=%H', '-S', name, '--', HERE).decode().strip()
        if commit:
            commits.setdefault(commit, set()).add(name)
    for commit, missing in commits.items():
        for path, old in of_commit(root, commit).items():
            here = missing & {mutant.id for mutant, _ in old}
            if here:
                found |= match(old, here, path, present)
    return found


def names():
    """{file: [id]}: the mutants that the files name."""
    return {name: ID.findall(read(name)) for name in FILES}


def stale(root, paths):
    """Lines about ids that no mutant of the source has."""
    present = {mutant.id for of_file in mutants(root, paths).values() for mutant, _ in of_file}
    return [f'{os.path.relpath(os.path.join(HERE, name), root)}: no mutant has the id {wanted} '
            '(any more): see scripts/mutate remap'
            for name, ids in names().items() for wanted in ids if wanted not in present]


def remap(root, paths, since=None):
    """Give the files the ids of the present source; @since as for find().

    Returns lines about what has changed.
    """
    of_file = names()
    found = find(root, paths, {wanted for ids in of_file.values() for wanted in ids}, since)
    said = []
    for name, ids in of_file.items():
        text = read(name)
        for wanted in ids:
            mutant = found.get(wanted)
            if mutant and mutant.id != wanted:
                said.append(f'{name}: {wanted} is {mutant.id} {mutant.file}:{mutant.line} '
                            f'{mutant.function}\n\t- {mutant.old}\n\t+ {mutant.new}')
                text = re.sub(rf'^{wanted}( \w+)?( \S+)?( \w+)?$', lambda line, mutant=mutant:
                              f'{mutant.id}{line[1] or ""} {mutant.file} {mutant.function}',
                              text, flags=re.M)
            elif not mutant:
                said.append(f'{name}: {wanted} is gone: take it out')
        if text != read(name):
            with open(os.path.join(HERE, name), 'w', encoding='utf-8') as file:
                file.write(text)
    return said
