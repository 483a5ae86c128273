# SPDX-License-Identifier: GPL-2.0
"""Make mutants of C by rule: small changes, each of which a test should find.

A site is a place that a rule applies to: a condition, a comparison, a call, a constant, a
statement. draw() takes sites with the same chance each, then one of the site's mutants, and
depends on nothing but the source and the seed. A mutant's id is made of its file, function,
rule and changed text, so that it stays the same while other lines change.

Two ways to use a mutant: changed() is the file with it, schemata() is the file with many
of them, each behind a switch of its own.
"""
import hashlib
import os
import re
from dataclasses import dataclass

from c_source import OPENS, Confused, Source, TYPE_WORDS

# The rules, and what each does.
RULES = {
    'negate': 'a condition is negated',
    'drop': 'a condition, or a part of one, is dropped',
    'bound': 'a bound is off by one',
    'remove': 'a statement is removed',
    'unlock': 'something that was taken is not given back',
    'barrier': 'a barrier is removed or weakened',
    'swap': 'two arguments of one type are swapped',
    'error': 'an error is ignored',
    'constant': 'a constant is another one',
    'logic': '&& and || are exchanged',
    'return': 'another value is returned',
    'operator': 'an operator is exchanged with its opposite',
}

BOUNDS = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '=='}
OPPOSITES = {'+': '-', '-': '+', '+=': '-=', '-=': '+=', '++': '--', '--': '++',
             '<<': '>>', '>>': '<<', '|=': '&=', '&=': '|=', '&': '|', '|': '&'}
LOGIC = {'&&': '||', '||': '&&'}
GIVES_BACK = re.compile(r'(^|_)(unlock|put|release|free|restore|enable|close|end|unpin|fput|'
                        r'unregister|dec|munmap|destroy|exit|complete|up)(_|$)|free$|unlock')
BARRIER = re.compile(r'^(__)?(virt_|smp_|dma_|io_)?(mb|rmb|wmb|barrier|mb__\w+|store_mb)$')
WEAKER = {'smp_store_release': 'WRITE_ONCE', 'smp_load_acquire': 'READ_ONCE',
          'rcu_assign_pointer': 'RCU_INIT_POINTER', 'smp_store_mb': 'WRITE_ONCE'}
ORDERED = re.compile(r'^(\w*(?:atomic|xchg|inc|dec)\w*)_(?:acquire|release)$')
# Statements that check or tell, and change nothing.
CHECKS = re.compile(r'^(lockdep_\w+|WARN\w*|BUG\w*|BUILD_BUG\w*|assert|might_\w+|pr_\w+|printk|'
                    r'prefetch\w*|cpu_relax|kmemleak_\w+|fallthrough|va_\w+|asm|__asm__|'
                    r'barrier_nospec|static_assert|unreachable|trace_\w+|instrument_\w+)$')
ERROR_NAMES = {'err', 'error', 'ret', 'result', 'status', 'rc'}
# Functions of the kernel and of C that take two arguments of one type.
KNOWN = {
    'memcpy': ['p', 'p', None], 'memmove': ['p', 'p', None], 'div64_u64': ['u', 'u'],
    'cmpxchg': [None, 'v', 'v'], 'clamp': ['v', 'v', 'v'], 'list_move': ['l', 'l'],
    'list_add': ['l', 'l'], 'list_add_tail': ['l', 'l'], 'list_move_tail': ['l', 'l'],
    'mul_u64_u64_div_u64': ['u', 'u', 'u'], 'time_before': ['t', 't'],
    'time_after': ['t', 't'], 'div_u64': ['u', 'u'], 'strncmp': ['s', 's', None],
}


@dataclass
class Mutant:
    """One change of a file.

    @start, @end, @text: the bytes that are replaced, and by what
    @span: (kind, start, end) of the expression or statement around them
    @old, @new: the lines before and after
    """
    id: str
    file: str
    function: str
    line: int
    rule: str
    start: int
    end: int
    text: str
    span: tuple
    old: str
    new: str


def squeeze(text):
    """Source on one line."""
    return ' '.join(text.split())


class Sites:
    """Collects the sites of one file: lists of (rule, start, end, text, span, function)."""

    def __init__(self, source, parameters):
        self.source = source
        self.parameters = parameters
        self.found = []
        for function in source.functions:
            for span in function.spans:
                self._span(function, span)

    def _add(self, function, span, changes):
        """A site with its changes: (rule, first token, last token, text)."""
        tokens = self.source.tokens
        kind = {'statement': 'statement', 'jump': 'statement'}.get(span.kind, 'expression')
        where = (kind, tokens[span.first].start, tokens[span.last].end)
        site = [(rule, tokens[first].start, tokens[last].end, text, where, function.name)
                for rule, first, last, text in changes
                if squeeze(text) != squeeze(self.source.slice(first, last))]
        if site:
            self.found.append(site)

    def _span(self, function, span):
        text = self.source.slice(span.first, span.last)
        # What is left out of the kernel may call functions that are not there.
        if re.search(r'\b(IS_ENABLED|IS_BUILTIN|CONFIG_\w+|__builtin_constant_p)\b', text):
            return
        if span.kind in ('statement', 'jump'):
            self._statement(function, span)
        elif span.kind in ('condition', 'loop'):
            self._condition(function, span, span.first, span.last)
        elif span.kind == 'return':
            self._return(function, span)
        if span.kind != 'jump' and not CHECKS.match(self.source.word(span.first)):
            self._tokens(function, span)

    def _statement(self, function, span):
        source, first, last = self.source, span.first, span.last
        word = source.word(first)
        if CHECKS.match(word):
            return
        changes = []
        if BARRIER.match(word):
            changes.append(('barrier', first, last, ''))
        else:
            called = word if source.word(first + 1) == '(' and word not in WEAKER else ''
            rule = 'unlock' if GIVES_BACK.search(called) else 'remove'
            changes.append((rule, first, last, ''))
        if word in ERROR_NAMES and source.word(first + 1) == '=' and \
           source.word(first + 3) == '(' and source.partner[first + 3] == last:
            changes.append(('error', first + 2, last, f'({source.slice(first + 2, last)}, 0)'))
        self._add(function, span, changes)

    def _logical(self, first, last):
        """The operands of && and || between two tokens, with the operator; none if unclear."""
        source, parts, begin, i = self.source, [], first, first
        while i <= last:
            word = source.word(i)
            if word in ('?', ',', ';') or (word.endswith('=') and word not in BOUNDS):
                return []
            if word in LOGIC:
                parts.append((begin, i - 1, word))
                begin = i + 1
            i = source.partner[i] + 1 if word in OPENS else i + 1
        return parts + [(begin, last, parts[-1][2])] if parts else []

    def _condition(self, function, span, first, last):
        """A condition as a whole; then the parts of it."""
        text = self.source.slice(first, last)
        changes = [('negate', first, last, f'!({text})')]
        if span.kind == 'condition':
            changes.append(('drop', first, last, 'true'))
            body = span.body
            leaves = body[:1] == ['goto'] or \
                body[:1] == ['return'] and (body[1:2] == ['-'] or body[1] in ERROR_NAMES or
                                            body[1] in ('ERR_PTR', 'ERR_CAST', 'PTR_ERR'))
            changes.append(('error' if leaves else 'drop', first, last, 'false'))
        self._add(function, span, changes)
        self._operands(function, span, first, last)

    def _operands(self, function, span, first, last):
        source = self.source
        for begin, end, operator in self._logical(first, last):
            neutral = 'true' if operator == '&&' else 'false'
            self._add(function, span, [
                ('drop', begin, end, neutral),
                ('negate', begin, end, f'!({source.slice(begin, end)})')])
            if source.word(begin) == '(' and source.partner[begin] == end:
                self._operands(function, span, begin + 1, end - 1)

    def _return(self, function, span):
        source, first, last = self.source, span.first, span.last
        text = source.slice(first, last)
        words = function.type
        self._operands(function, span, first, last)
        if '*' in words:
            changes = [('return', first, last, 'NULL')]
        elif 'bool' in words:
            if text in ('true', 'false'):
                changes = [('return', first, last, 'false' if text == 'true' else 'true')]
            else:
                changes = [('return', first, last, value) for value in ('true', 'false')]
        elif 'struct' in words or 'union' in words or 'void' in words:
            return
        elif text == '0':
            changes = [('return', first, last, '1'), ('return', first, last, '-EINVAL')
                       if 'int' in words or 'long' in words else ('return', first, last, '2')]
        else:
            changes = [('return', first, last, '0')]
        self._add(function, span, changes)

    def _is_value(self, i, first):
        """Does an operand end with token @i?"""
        source = self.source
        if i < first:
            return False
        token = source.tokens[i]
        if token.text == ')':
            begin = source.partner[i]
            words = [source.word(k) for k in range(begin + 1, i)]
            is_cast = words and (words[0] in TYPE_WORDS or words[-1] == '*')
            return not is_cast or source.tokens[begin - 1].kind == 'name'
        return token.text == ']' or token.kind in ('number', 'string') or \
            token.kind == 'name' and token.text not in ('return', 'sizeof')

    def _tokens(self, function, span):
        source, i = self.source, span.first
        while i <= span.last:
            word, kind = source.word(i), source.tokens[i].kind
            if word in ('sizeof', 'offsetof', 'typeof', 'container_of', '__typeof__', 'struct',
                        'typeof_member', 'list_entry', 'CLASS') and source.word(i + 1) == '(':
                i = source.partner[i + 1] + 1
                continue
            if word == '(' and source.word(i + 1) == '{':       # a statement in an expression
                i = source.partner[i] + 1
                continue
            value = self._is_value(i - 1, span.first)
            if word in LOGIC:
                self._add(function, span, [('logic', i, i, LOGIC[word])])
            elif word in BOUNDS:
                self._bound(function, span, i)
            elif word in ('++', '--') or word in OPPOSITES and value:
                self._add(function, span, [('operator', i, i, OPPOSITES[word])])
            elif kind == 'number':
                self._number(function, span, i)
            elif kind == 'name':
                self._name(function, span, i)
            i += 1

    def _bound(self, function, span, i):
        word = self.source.word(i)
        rule = 'negate' if word in ('==', '!=') else 'bound'
        self._add(function, span, [(rule, i, i, BOUNDS[word])])

    def _number(self, function, span, i):
        word = self.source.word(i)
        value = re.fullmatch(r'(0[xX][0-9a-fA-F]+|[0-9]+)([uUlL]*)', word)
        if not value:
            return
        number = int(value[1], 0) if not re.fullmatch('0[0-7]+', value[1]) else int(value[1], 8)
        changes = [('constant', i, i, f'{number + 1}{value[2]}')]
        if number:
            changes.append(('constant', i, i, f'{number - 1}{value[2]}'))
        self._add(function, span, changes)

    def _name(self, function, span, i):
        source = self.source
        word, called = source.word(i), source.word(i + 1) == '('
        if source.word(i - 1) in ('.', '->', 'struct', 'enum', 'union', '&'):
            return
        if word in ('true', 'false'):
            if span.last > span.first or span.kind != 'return':
                self._add(function, span,
                          [('constant', i, i, 'false' if word == 'true' else 'true')])
        elif called:
            self._call(function, span, i)
        elif re.fullmatch(r'[A-Z][A-Z0-9]*_[A-Z0-9_]*', word) and \
                not re.match(r'(GFP_|_IO)', word) and source.word(i + 1) not in ('.', '[', '->'):
            self._add(function, span, [('constant', i, i, f'({word} + 1)'),
                                       ('constant', i, i, f'({word} - 1)')])

    def _call(self, function, span, i):
        source, closing = self.source, self.source.partner[i + 1]
        word, inside = source.word(i), (i + 2, closing - 1)
        arguments = source.split(*inside) if inside[0] <= inside[1] else []
        texts = [source.slice(*argument) for argument in arguments]
        ordered = ORDERED.match(word)
        if word in WEAKER and texts:
            first = texts[0] if word in ('rcu_assign_pointer', 'smp_store_mb') else f'*({texts[0]})'
            rest = ''.join(', ' + text for text in texts[1:])
            self._add(function, span, [('barrier', i, closing, f'{WEAKER[word]}({first}{rest})')])
        elif ordered:
            self._add(function, span, [('barrier', i, i, ordered[1] + '_relaxed')])
        types = self.parameters.get(word, KNOWN.get(word, []))
        if len(types) != len(texts):
            return
        pairs = [(a, b) for b in range(len(texts)) for a in range(b)
                 if types[a] and types[a] == types[b] and texts[a] != texts[b]]
        changes = []
        for a, b in pairs:
            swapped = list(texts)
            swapped[a], swapped[b] = texts[b], texts[a]
            changes.append(('swap', i + 2, closing - 1, ', '.join(swapped)))
        self._add(function, span, changes)


def files(root, paths):
    """The C files below @paths, relative to @root; tests and numbers of the ABI are none of them."""
    found = set()
    for path in paths:
        full = os.path.join(root, path)
        if os.path.isfile(full):
            found.add(path)
        for directory, _, names in os.walk(full):
            found.update(os.path.relpath(os.path.join(directory, name), root)
                         for name in names if name.endswith(('.c', '.h')))
    return sorted(path for path in found
                  if not re.search(r'(^|/)(tests?|uapi|build)/|_test\.c$', path))


def parse(root, paths):
    """{path: Source} of the files that can be read."""
    sources = {}
    for path in files(root, paths):
        with open(os.path.join(root, path), encoding='utf-8') as file:
            try:
                sources[path] = Source(file.read())
            except Confused as error:
                raise SystemExit(f'{path}: {error}') from error
    return sources


def mutants_of(path, source, parameters):
    """The sites of a file: a list of lists of mutants."""
    seen, sites = {}, []
    text = source.text
    for site in Sites(source, parameters).found:
        mutants = []
        for rule, start, end, new, span, function in site:
            begin = text.rfind('\n', 0, start) + 1
            stop = text.find('\n', end)
            old_line = squeeze(text[begin:stop])
            new_line = squeeze(text[begin:start] + new + text[end:stop])
            name = '\0'.join((path, function, rule, old_line, new_line))
            seen[name] = seen.get(name, 0) + 1
            digest = hashlib.sha256(f'{name}\0{seen[name]}'.encode()).hexdigest()[:8]
            mutants.append(Mutant(f'{rule}-{digest}', path, function, source.line(start), rule,
                                  start, end, new, span, old_line, new_line))
        sites.append(mutants)
    return sites


def all_sites(root, paths):
    """The sites of all files below @paths, in the order of the files."""
    sources = parse(root, paths)
    parameters = {}
    for source in sources.values():
        parameters.update(source.parameters)
    return [site for path, source in sources.items()
            for site in mutants_of(path, source, parameters)]


def chance(*words):
    """A number that looks random and depends on the words alone."""
    return int.from_bytes(hashlib.sha256('\0'.join(words).encode()).digest()[:8], 'big')


def draw(root, paths, seed, count):
    """@count mutants, each from a site of its own. What is drawn stays when other code changes."""
    seed = str(seed)
    sites = sorted(all_sites(root, paths), key=lambda site: chance(seed, site[0].id))
    drawn = []
    for site in sites[:count]:
        rules = sorted({mutant.rule for mutant in site})
        rule = rules[chance(seed, 'rule', site[0].id) % len(rules)]
        of_rule = [mutant for mutant in site if mutant.rule == rule]
        drawn.append(of_rule[chance(seed, 'mutant', site[0].id) % len(of_rule)])
    return drawn


def replacement(text, mutant):
    """What stands in the place of the mutant's own bytes, on as many lines as before."""
    old = text[mutant.start:mutant.end]
    new = mutant.text
    if not new and mutant.span[0] == 'statement':
        new = '(void)0'
    return new + '\n' * (old.count('\n') - new.count('\n'))


def changed(text, mutant):
    """The text of a file with one mutant; every other line keeps its number."""
    return text[:mutant.start] + replacement(text, mutant) + text[mutant.end:]


def schemata(text, numbered, header):
    """The text of a file with mutants behind switches: @numbered is [(number, mutant)].

    MUTANT(number), which @header declares, says whether one is switched on. Lines keep
    their numbers in what the compiler says.
    """
    spans = {}
    for number, mutant in numbered:
        spans.setdefault(mutant.span, []).append((number, mutant))
    for (kind, start, end), mutants in sorted(spans.items(), key=lambda item: -item[0][1]):
        old = text[start:end]
        parts = []
        for number, mutant in mutants:
            new = squeeze(re.sub(r'/\*.*?\*/|//[^\n]*', ' ', text[start:mutant.start] +
                                 replacement(text, mutant) + text[mutant.end:end], flags=re.S))
            parts.append((number, new))
        if kind == 'statement':
            new = ''.join(f'if (MUTANT({number})) {{ {part}; }} else ' for number, part in parts)
            behind = text.index(';', end) + 1
            text = f'{text[:start]}{{ {new}{{ {old}; }} }}{text[behind:]}'
        else:
            new = ''.join(f'MUTANT({number}) ? ({part}) : ' for number, part in parts)
            text = f'{text[:start]}({new}({old})){text[end:]}'
    return f'{header}\n#line 1\n{text}'
