#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""scripts/check-prose.py - find comments in our C files that a stranger must read twice

Usage: scripts/check-prose.py [--limits FILE | --no-limits] [FOLDER...]
       scripts/check-prose.py --counts | --exceptions [FOLDER...]
       scripts/check-prose.py --draw N --seed TEXT [FOLDER...]

The rules, below in PLAIN and KERNEL_DOC, are patterns of sentences that have no named
subject or need the comment before them. The first form prints the comments of each folder
in which more than 2 % of the plain comments match a rule, and each kernel-doc that matches
one, as "FILE:LINE: COMMENT: RULE: REMEDY". scripts/check-prose.list has folders that are
not rewritten yet, and how many matches each may have: one more than that is a finding.
--limits takes another such file, --no-limits takes none.

--counts prints for each folder its comments, its matches, and the percentage. --exceptions
prints the lines that scripts/check-prose.list needs for today's comments.

--draw prints N of the comments, drawn at random by the seed, each with the code below it.
A regular expression does not know whether a comment makes sense. A reader who does not
know the code judges the comments that are drawn.

FOLDER limits everything to the files below it. Exit status 1 when there is a finding, 2 when
an argument or a file is wrong.
"""
import argparse
import collections
import os
import random
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
LIMITS = 'scripts/check-prose.list'
# Of a folder's plain comments, the part that may match: a pattern also hits good sentences.
TOLERATED_PERCENT = 2
# Lines of code that --draw prints below a comment.
CODE_LINES = 12
# Characters of a comment that a finding shows.
EXCERPT = 160

Rule = collections.namedtuple('Rule', 'pattern name remedy')


def die(text):
    """End with a message; status 1 is for findings."""
    print(f'scripts/check-prose.py: {text}', file=sys.stderr)
    sys.exit(2)


def rule(pattern, name, remedy):
    """A rule for text in which every white space is one blank."""
    return Rule(re.compile(pattern), name, remedy)


SUBJECT = 'name the subject with a noun'
ALONE = 'write a sentence that can be understood without the comment before it'
ORDER = 'use the order subject, verb, object'

# What neither a plain comment nor kernel-doc may contain.
IDIOM = rule(r"\b(?:do(?:es)? the job|says? so|in vain|anew)\b",
             'idiom for a fact', 'say what happens: "has no effect", "again", "warns of it"')

# What a plain comment may not contain. One rule per kind of mistake, the first match counts.
PLAIN = (
    rule(r"^(?:Of|Than|To whom|From whom|By whom|For whom)\b(?! course)",
         'inverted beginning', f'{ORDER}: "Counters of a CPU are not inherited"'),
    rule(r"^(?:And|Nor|Else|Likewise|Never|Behind|The same|As (?:there|here|the|it|perf|sw))\b",
         'continues another comment', ALONE),
    rule(r"^(?:Whose|Whom|Who(?! le)|Whoever|Nobody|Somebody|Others|Those|That|Its|Theirs?)\b",
         'no subject', SUBJECT),
    rule(r"\b(?:[Nn]obody|[Ss]omebody|[Ww]hoever|[Ww]home?ver|whom|who is|who has)\b",
         'person for a noun', f'{SUBJECT}: "the NMI handler", "a task without counters"'),
    rule(r"(?:^|[.;:(] *|\b(?:of|than|by|to|and|but) )whose\b",
         'relative clause for a noun', SUBJECT),
    rule(r"\b(?:[Ll]ikewise|as there(?! (?:is|are)\b)|as above|as the next one)\b",
         'refers to another comment', ALONE),
    rule(r"^(?:How|Whether|What|Which)\b",
         'question for a noun', 'name the thing: "Form of an argument", not "How an argument is recorded"'),
    rule(r"\bthe (?:ones?|branch|call|entry|frame|line|number|record|round|row|sample|span|word) (?:before|above)"
         r"(?= ?[.,;:)]|$)",
         'place for an adjective', 'write "the previous record", not "the record before"'),
    IDIOM,
    rule(r"\b(?:of it\b(?!s)|of them,|of those,|of theirs|of his)",
         'pronoun for a noun', 'repeat the noun: "bytes of the record", not "of it"'),
    rule(r"\b(?:(?<!there )is none|are none|is another|is there|are there not|there are not"
         r"|that there is|has not(?: an?\b| the\b| any\b| enough\b| it\b|[.,;:)]|$)|is no \w+ any more|be had|(?:so|as) far as"
         r"|(?:is|are) to be)\b",
         'foreign grammar', 'say it with a plain verb: "does not exist", "must be freed"'),
)

LEANING = (r"(?:it|its|they|their|them|th(?:is|ese|ose)(?= (?:is|are|was|were|has|have|that|who)\b|$)|that"
           r"|which|whose|whom|who|whoever|what|and|or|but|nor|not|no (?:more|longer)"
           r"|one(?! [a-z]+ (?:of|in|for|that)\b)(?= (?:of|that|which|more)\b|[,.;]|$)|others"
           r"|as|the same|the second(?: half| one)|the two|likewise|there|see there|is it|of)\b")

# What the summary of kernel-doc and the text of an @name may not begin with.
SUMMARY = rule(rf"^(?:{LEANING}|(?:how|whether)\b)", 'summary leans on its neighbour',
               'begin with an imperative for a function, with a noun for a structure')
FIELD = rule(rf"^(?:{LEANING}|(?:how|whether)\b)", 'description leans on its neighbour',
             'begin with a noun: "@nr: number of ...", with unit and allowed values')
ANYWHERE = rule(r"\b(?:[Ll]ikewise|[Aa]s there(?! (?:is|are)\b)|see there)\b", 'kernel-doc refers to its neighbour',
                'say it here, or make it a plain comment')

Comment = collections.namedtuple('Comment', 'path line end doc text')
Match = collections.namedtuple('Match', 'comment line text rule')

# Strings and characters are found so that comment marks in them are not taken for comments.
TOKEN = re.compile(r'''"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'|/\*.*?\*/|//[^\n]*(?:\n[ \t]*//[^\n]*)*''',
                   re.DOTALL)


def comments_of(path, text):
    """All comments of a file but those with its licence."""
    for token in TOKEN.finditer(text):
        raw = token.group(0)
        if raw[0] != '/' or 'SPDX-License-Identifier' in raw:
            continue
        line = text.count('\n', 0, token.start()) + 1
        body = re.sub(r'^/\*+|\*+/$', '', raw) if raw[1] == '*' else raw
        lines = [re.sub(r'^\s*(?:\*(?!/)|//+) ?', '', part).rstrip() for part in body.split('\n')]
        yield Comment(path, line, line + raw.count('\n'), raw.startswith('/**'),
                      '\n'.join(lines).strip())


def plain_matches(comment):
    """The first rule that a plain comment breaks, as a list of at most one match."""
    text = ' '.join(comment.text.split())
    for each in PLAIN:
        if each.pattern.search(text):
            return [Match(comment, comment.line, text, each)]
    return []


def parts_of(comment):
    """(line, kind, text) of what kernel-doc is made of: 'summary', 'field' or 'text'."""
    parts = []
    for number, line in enumerate(comment.text.split('\n'), comment.line + 1):
        line = line.strip()
        field = re.match(r'@[\w.]+(?:\(\)|\.\.\.)?:\s*(.*)', line)
        summary = not parts and re.match(r'(?:(?:struct|union|enum|typedef|define) )?\w+(?:\(\))? - (.*)',
                                         line)
        if field:
            parts.append([number, 'field', field.group(1)])
        elif summary:
            parts.append([number, 'summary', summary.group(1)])
        elif not line or not parts:
            parts.append([number, 'text', line])
        else:
            parts[-1][2] += ' ' + line
    return [(number, kind, ' '.join(text.split())) for number, kind, text in parts if text.strip()]


def doc_matches(comment):
    """At most one match for each part of kernel-doc."""
    matches = []
    for line, kind, text in parts_of(comment):
        line = min(line, comment.end)
        rules = {'summary': (SUMMARY,), 'field': (FIELD,)}.get(kind, ())
        for each in rules + (ANYWHERE, IDIOM):
            if each.pattern.search(text):
                matches.append(Match(comment, line, text, each))
                break
    return matches


class Folder:
    """Comments of the files in one folder, and those of them that match."""

    def __init__(self):
        self.plain = 0
        self.docs = 0
        self.plain_matches = []
        self.doc_matches = []

    def add(self, comment):
        """Count a comment, and look for what it breaks."""
        if comment.doc:
            self.docs += 1
            self.doc_matches += doc_matches(comment)
        else:
            self.plain += 1
            self.plain_matches += plain_matches(comment)

    def tolerated(self):
        """How many plain comments may match."""
        return self.plain * TOLERATED_PERCENT // 100


def files(folders):
    """Paths of our C and assembler files below the folders, from the root of the repository."""
    listed = subprocess.run(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard',
                             '--', '*.c', '*.h', '*.S'],
                            cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    paths = sorted(path for path in set(listed.split('\0')) if path
                   if os.path.isfile(os.path.join(ROOT, path)))
    below = [os.path.normpath(folder) for folder in folders]
    chosen = [path for path in paths
              if not below or any(folder == '.' or (path + '/').startswith(folder + '/')
                                  for folder in below)]
    for folder in below:
        if folder != '.' and not any((path + '/').startswith(folder + '/') for path in chosen):
            die(f'{folder} has no C files: name a folder or a file from the root of the repository')
    return chosen


def read_comments(paths):
    """All comments of the files, in order."""
    for path in paths:
        with open(os.path.join(ROOT, path), encoding='utf-8') as file:
            yield from comments_of(path, file.read())


def count(paths):
    """{folder: Folder} of the files."""
    folders = collections.defaultdict(Folder)
    for comment in read_comments(paths):
        folders[os.path.dirname(comment.path)].add(comment)
    return dict(sorted(folders.items()))


def read_limits(path):
    """{folder: (plain, doc)}: matches that folders may have, from lines "FOLDER PLAIN DOC"."""
    limits = {}
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        for number, line in enumerate(file, 1):
            words = line.split('#')[0].split()
            if not words:
                continue
            if len(words) != 3 or not words[1].isdigit() or not words[2].isdigit():
                die(f'{path}:{number}: not "FOLDER PLAIN-MATCHES KERNEL-DOC-MATCHES"')
            limits[words[0]] = int(words[1]), int(words[2])
    return limits


def excerpt(match):
    """What a rule found in a long text, with some words on both sides."""
    if len(match.text) <= EXCERPT:
        return match.text
    found = match.rule.pattern.search(match.text)
    start = max(0, found.start() - EXCERPT // 2)
    end = start + EXCERPT
    return (start > 0) * '...' + match.text[start:end] + (end < len(match.text)) * '...'


def findings(folders, limits):
    """Lines to print."""
    lines = []
    for name, folder in folders.items():
        plain_limit, doc_limit = limits.get(name, (0, 0))
        plain_limit = max(plain_limit, folder.tolerated())
        matches = []
        if len(folder.plain_matches) > plain_limit:
            matches += folder.plain_matches
            lines.append(f'{name}: {len(folder.plain_matches)} of {folder.plain} plain comments '
                         f'match, {plain_limit} may: rewrite some of them')
        if len(folder.doc_matches) > doc_limit:
            matches += folder.doc_matches
            lines.append(f'{name}: {len(folder.doc_matches)} parts of kernel-doc match, '
                         f'{doc_limit} may: rewrite them')
        for match in sorted(matches, key=lambda match: (match.comment.path, match.line)):
            lines.append(f'{match.comment.path}:{match.line}: "{excerpt(match)}": '
                         f'{match.rule.name}: {match.rule.remedy}')
    return lines


def print_exceptions(folders):
    """Lines of scripts/check-prose.list for the folders that fail without one."""
    for name, folder in folders.items():
        if findings({name: folder}, {}):
            plain = len(folder.plain_matches)
            print(name, plain if plain > folder.tolerated() else 0, len(folder.doc_matches))


def print_counts(folders):
    """A row for each folder, and a total."""
    print(f'{"folder":42} {"plain":>6} {"match":>6} {"%":>5}  {"kernel-doc":>10} {"match":>6}')
    rows = [(name, each.plain, len(each.plain_matches), each.docs, len(each.doc_matches))
            for name, each in folders.items()]
    rows.append(('all', *(sum(row[i] for row in rows) for i in range(1, 5))))
    for name, plain, matches, docs, leaning in rows:
        print(f'{name:42} {plain:6} {matches:6} {100 * matches / max(plain, 1):5.1f}  '
              f'{docs:10} {leaning:6}')


def draw(paths, number, seed):
    """Print comments drawn by the seed, each with the code below it."""
    comments = list(read_comments(paths))
    drawn = random.Random(seed).sample(comments, min(number, len(comments)))
    for index, comment in enumerate(drawn, 1):
        with open(os.path.join(ROOT, comment.path), encoding='utf-8') as file:
            lines = file.read().split('\n')
        print(f'=== {index}. {comment.path}:{comment.line}')
        print('\n'.join(lines[comment.line - 1:comment.end + CODE_LINES]))
        print()


def main():
    """Do what the command line says."""
    parser = argparse.ArgumentParser(usage=__doc__.split('\n', 1)[1].strip(), add_help=False)
    parser.add_argument('-h', '--help', action='store_true')
    parser.add_argument('--limits', default=LIMITS)
    parser.add_argument('--no-limits', action='store_true')
    parser.add_argument('--counts', action='store_true')
    parser.add_argument('--exceptions', action='store_true')
    parser.add_argument('--draw', type=int)
    parser.add_argument('--seed')
    parser.add_argument('folder', nargs='*')
    options = parser.parse_args()
    if options.help:
        print(__doc__.strip())
        return 0
    paths = files(options.folder)
    if options.draw is not None:
        if options.draw < 1 or options.seed is None:
            die('--draw takes a number from 1 on, and --seed')
        draw(paths, options.draw, options.seed)
        return 0
    folders = count(paths)
    if options.counts or options.exceptions:
        (print_counts if options.counts else print_exceptions)(folders)
        return 0
    lines = findings(folders, {} if options.no_limits else read_limits(options.limits))
    for line in lines:
        print(line)
    return 1 if lines else 0


if __name__ == '__main__':
    sys.exit(main())
