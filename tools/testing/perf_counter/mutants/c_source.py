# SPDX-License-Identifier: GPL-2.0
"""Read C as far as mutants need it: tokens, functions, statements, expressions.

The source is in kernel style, and is read without its preprocessor: directives, comments
and strings are no tokens here, and a macro is a call. What this cannot make out it leaves
alone, so that a mutant less is made, never one that means something else.
"""
import re
from dataclasses import dataclass, field

TOKEN = re.compile(r'''
    (?P<skip>\s+|\\\n|/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)
  | (?P<string>L?"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
  | (?P<number>\.?[0-9](?:[eEpP][+-]|[\w.])*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<mark>\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
''', re.X | re.S | re.M)

OPENS = {'(': ')', '[': ']', '{': '}'}
CLOSES = {')', ']', '}'}
TYPE_WORDS = {
    'void', 'char', 'short', 'int', 'long', 'float', 'double', 'signed', 'unsigned', 'struct',
    'union', 'enum', 'const', 'volatile', 'static', 'register', 'extern', 'inline', 'bool',
    'size_t', 'ssize_t', 'u8', 'u16', 'u32', 'u64', 's8', 's16', 's32', 's64', 'typeof',
    '__typeof__', '__auto_type', 'auto', '_Bool', 'off_t', 'pid_t', 'loff_t', '__poll_t',
    'uint8_t', 'uint16_t', 'uint32_t', 'uint64_t', 'int8_t', 'int16_t', 'int32_t', 'int64_t',
    '__u8', '__u16', '__u32', '__u64', '__s8', '__s16', '__s32', '__s64', 'FILE', 'typedef',
    'cpumask_var_t', 'local64_t', 'atomic64_t', 'pgoff_t', 'gfp_t', 'fmode_t', 'guard',
    'scoped_class', 'CLASS', '_Static_assert', 'static_assert', 'asm',
}
# Macros that declare something.
DECLARING = re.compile(r'(DEFINE|DECLARE|LIST_HEAD|HLIST_HEAD|CLASS|guard|BUILD_BUG|class_|KUNIT_)')


@dataclass
class Token:
    """A piece of source: its kind, its text, and where it is in the file."""
    kind: str
    text: str
    start: int
    end: int


@dataclass
class Span:
    """A piece of a function that a mutant can stand in for. Tokens @first to @last, inclusive.

    @kind: condition, loop, expression, initial, return, statement or jump
    @body: of a condition, the first tokens of what it guards
    """
    kind: str
    first: int
    last: int
    body: list = field(default_factory=list)


@dataclass
class Function:
    """A function's name, the words of its type, and the spans of its body."""
    name: str
    type: list
    spans: list


class Confused(Exception):
    """The source is something that this does not understand."""


def tokenise(text):
    """The tokens of a file."""
    found = []
    at = 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match.lastgroup != 'skip':
            found.append(Token(match.lastgroup, match.group(), at, match.end()))
        at = match.end()
    return found


def matching(tokens):
    """For each bracket's index, that of its partner."""
    partner, stack = {}, []
    for i, token in enumerate(tokens):
        if token.kind != 'mark':
            continue
        if token.text in OPENS:
            stack.append(i)
        elif token.text in CLOSES:
            if not stack or OPENS[tokens[stack[-1]].text] != token.text:
                raise Confused(f'"{token.text}" closes nothing')
            partner[i] = stack.pop()
            partner[partner[i]] = i
    if stack:
        raise Confused('a bracket stays open')
    return partner


class Source:
    """A file of C: its text, tokens, functions, and the parameters of what it declares."""

    def __init__(self, text):
        self.text = text
        self.tokens = tokenise(text)
        self.partner = matching(self.tokens)
        self.functions = []
        self.parameters = {}
        self._read()

    def word(self, i):
        """The text of token @i; nothing behind the last one."""
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ''

    def slice(self, first, last):
        """The source of tokens @first to @last."""
        return self.text[self.tokens[first].start:self.tokens[last].end]

    def line(self, offset):
        """The number of the line with an offset."""
        return self.text.count('\n', 0, offset) + 1

    def _read(self):
        """Go over what is outside of functions: declarations, and bodies."""
        begin = i = 0
        while i < len(self.tokens):
            word = self.word(i)
            if word == '{':
                end = self.partner[i]
                opening = self._parameter_list(begin, i)
                if opening is not None and self.text[self.tokens[i].start - 1] == '\n':
                    self._declaration(begin, opening)
                    self._function(begin, opening, i, end)
                    begin = end + 1
                i = end + 1
                continue
            if word == ';':
                opening = self._parameter_list(begin, i)
                if opening is not None and self.word(i - 1) == ')':
                    self._declaration(begin, opening)
                begin = i + 1
            i = self.partner[i] + 1 if word in ('(', '[') else i + 1

    def _parameter_list(self, begin, end):
        """The index of the bracket that opens the parameters of a function declared there."""
        i = begin
        while i < end:
            if self.word(i) == '=':
                return None
            if self.word(i) == '(':
                if self.tokens[i - 1].kind == 'name' and i > begin and \
                   not self.word(i - 1).startswith('__printf'):
                    return i
                i = self.partner[i]
            i += 1
        return None

    def split(self, first, last):
        """What commas outside of brackets separate in tokens @first to @last, as pairs."""
        parts, begin, i = [], first, first
        while i <= last:
            if self.word(i) == ',':
                parts.append((begin, i - 1))
                begin = i + 1
            i = self.partner[i] + 1 if self.word(i) in OPENS else i + 1
        if begin <= last:
            parts.append((begin, last))
        return parts

    def _declaration(self, begin, opening):
        """Remember the types of a function's parameters: None for what is not plain."""
        types = []
        for first, last in self.split(opening + 1, self.partner[opening] - 1):
            words = [self.word(i) for i in range(first, last + 1)]
            plain = len(words) > 1 and '(' not in words and self.tokens[last].kind == 'name'
            types.append(' '.join(word for word in words[:-1] if word not in ('const', '__user'))
                         if plain else None)
        self.parameters[self.word(opening - 1)] = types

    def _function(self, begin, opening, body, end):
        name = self.word(opening - 1)
        words = [self.word(i) for i in range(begin, opening - 1)]
        if '__init' in words or '__exit' in words:
            return
        function = Function(name, words, [])
        i = body + 1
        try:
            while i < end:
                i = self._statement(i, function)
        except Confused:
            return
        self.functions.append(function)

    def _span(self, function, kind, first, last, body=()):
        """Add a span, unless it is empty or a directive is within."""
        if first > last:
            return
        if not re.search(r'^[ \t]*#', self.slice(first, last), re.M):
            function.spans.append(Span(kind, first, last, list(body)))

    def _until(self, i, stop):
        """The index of the next token @stop outside of brackets."""
        while self.word(i) != stop:
            if i >= len(self.tokens) or self.word(i) in CLOSES:
                raise Confused(f'no "{stop}"')
            i = self.partner[i] + 1 if self.word(i) in OPENS else i + 1
        return i

    def _statement(self, i, function):
        """Read a statement that begins at @i. Return the index behind it."""
        word = self.word(i)
        reader = getattr(self, f'_read_{word}', None)
        if word == '{':
            end, i = self.partner[i], i + 1
            while i < end:
                i = self._statement(i, function)
            return end + 1
        if word == ';':
            return i + 1
        if reader:
            return reader(i, function)
        if self.tokens[i].kind == 'name' and self.word(i + 1) == ':' and word != 'default':
            return i + 2
        if word in ('case', 'default'):
            return self._label(i) + 1
        if self._is_declaration(i):
            return self._declared(i, function)
        if self.tokens[i].kind == 'name' and self.word(i + 1) == '(':
            behind = self.partner[i + 1] + 1
            if self.word(behind) == '{' or self.tokens[behind].kind == 'name':
                return self._statement(behind, function)
        end = self._until(i, ';')
        self._span(function, 'statement', i, end - 1)
        return end + 1

    def _label(self, i):
        while self.word(i) != ':':
            if self.word(i) in (';', '{', '?'):
                raise Confused('a label')
            i = self.partner[i] + 1 if self.word(i) in OPENS else i + 1
        return i

    def _head(self, i):
        """The brackets behind a keyword at @i: where they open and close."""
        if self.word(i + 1) != '(':
            raise Confused('no condition')
        return i + 1, self.partner[i + 1]

    def _read_if(self, i, function):
        opening, closing = self._head(i)
        body = closing + 1
        guarded = body + 1 if self.word(body) == '{' else body
        self._span(function, 'condition', opening + 1, closing - 1,
                   [self.word(k) for k in range(guarded, guarded + 4)])
        i = self._statement(body, function)
        return self._statement(i + 1, function) if self.word(i) == 'else' else i

    def _read_while(self, i, function):
        opening, closing = self._head(i)
        self._span(function, 'loop', opening + 1, closing - 1)
        return self._statement(closing + 1, function)

    def _read_switch(self, i, function):
        opening, closing = self._head(i)
        self._span(function, 'expression', opening + 1, closing - 1)
        return self._statement(closing + 1, function)

    def _read_for(self, i, function):
        opening, closing = self._head(i)
        first = self._until(opening + 1, ';')
        second = self._until(first + 1, ';')
        if not self._is_declaration(opening + 1):
            self._span(function, 'expression', opening + 1, first - 1)
        self._span(function, 'loop', first + 1, second - 1)
        self._span(function, 'expression', second + 1, closing - 1)
        return self._statement(closing + 1, function)

    def _read_do(self, i, function):
        i = self._statement(i + 1, function)
        opening, closing = self._head(i)
        self._span(function, 'loop', opening + 1, closing - 1)
        return closing + 2

    def _read_return(self, i, function):
        end = self._until(i, ';')
        if end == i + 1:
            self._span(function, 'jump', i, i)
        self._span(function, 'return', i + 1, end - 1)
        return end + 1

    def _read_goto(self, i, function):
        self._span(function, 'jump', i, i + 1)
        return i + 3

    def _read_break(self, i, function):
        self._span(function, 'jump', i, i)
        return i + 2

    _read_continue = _read_break

    def _is_declaration(self, i):
        """Does a declaration begin at @i?"""
        word = self.word(i)
        if word in TYPE_WORDS or DECLARING.match(word):
            return True
        if self.tokens[i].kind != 'name':
            return False
        k = i + 1
        while self.word(k) in ('*', 'const'):
            k += 1
        return self.tokens[k].kind == 'name' and \
            (k == i + 1 or self.word(k + 1) in ('=', ';', ',', '['))

    def _declared(self, i, function):
        """The initial values of a declaration are spans, unless they have to be constant."""
        end = self._until(i, ';')
        constant = 'static' in (self.word(k) for k in range(i, min(i + 3, end)))
        if not constant and not DECLARING.match(self.word(i)):
            for first, last in self.split(i, end - 1):
                k = first
                while k <= last and self.word(k) != '=':
                    k = self.partner[k] + 1 if self.word(k) in OPENS else k + 1
                if k < last:
                    self._initial(k + 1, last, function)
        return end + 1

    def _initial(self, first, last, function):
        if self.word(first) != '{':
            self._span(function, 'initial', first, last)
            return
        for begin, end in self.split(first + 1, last - 1):
            k = begin
            while k <= end and self.word(k) != '=':
                k = self.partner[k] + 1 if self.word(k) in OPENS else k + 1
            if k < end:
                self._initial(k + 1, end, function)
