"""Regular expressions: RE2's language, run by Python's `re`.

`translate` rewrites what the two spell differently: POSIX and Unicode classes, `$` and `\\z`, flags inside a pattern,
`{,n}` (plain text in RE2), escapes. `\\d`, `\\w` and `\\s` are ASCII. What RE2 does not have (look-around, back
references) is refused as it does. Both prefer the leftmost match and earlier alternatives, so matches agree.
"""

from __future__ import annotations

import functools
import re
import unicodedata

import numpy as np

from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.kernels.strings.elementwise import as_bytes, each, invalid, string_op
from reflow.ops.kernels.strings.unicode import _scripts

_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": "\\x00-\\x7f",
    "blank": "\\t ",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-\\~",
    "lower": "a-z",
    "print": " -\\~",
    "punct": "!-/:-@\\[-`{-\\~",
    "space": "\\t\\n\\x0b\\x0c\\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_PERL = {"d": "0-9", "w": "0-9A-Za-z_", "s": "\\t\\n\\x0c\\r "}
#: ICU's numbers of the scripts that patterns name most
_SCRIPTS = {
    "Common": 0,
    "Inherited": 1,
    "Arabic": 2,
    "Armenian": 3,
    "Bengali": 4,
    "Cyrillic": 8,
    "Devanagari": 10,
    "Ethiopic": 11,
    "Georgian": 12,
    "Greek": 14,
    "Gujarati": 15,
    "Gurmukhi": 16,
    "Han": 17,
    "Hangul": 18,
    "Hebrew": 19,
    "Hiragana": 20,
    "Kannada": 21,
    "Katakana": 22,
    "Khmer": 23,
    "Lao": 24,
    "Latin": 25,
    "Malayalam": 26,
    "Mongolian": 27,
    "Myanmar": 28,
    "Sinhala": 33,
    "Tamil": 35,
    "Telugu": 36,
    "Thaana": 37,
    "Thai": 38,
    "Tibetan": 39,
}
_ESCAPES = {"a": "\\x07", "f": "\\x0c", "t": "\\t", "n": "\\n", "r": "\\r", "v": "\\x0b"}
_COUNT = re.compile(r"\{\d+(,\d*)?\}")
_GROUP = re.compile(r"\?(?:P?<(\w+)>|([imsU]*)(?:-([imsU]+))?([:)]))")


class _Bad(Exception):  # turned into TensorFlow's error below
    """What is wrong with a pattern, in RE2's words."""


@functools.cache
def _property(name: str) -> tuple[str, str]:
    """The inside of a character class for a Unicode category or script, and its complement."""
    if name in _SCRIPTS:
        starts, scripts = _scripts()
        has = np.repeat(scripts == _SCRIPTS[name], np.diff([*starts, 0x110000]))
    else:
        kinds = [unicodedata.category(chr(c)) for c in range(0x110000)]
        if name != "Any" and not any(k.startswith(name) for k in set(kinds)):
            raise _Bad(f"invalid character class range: \\p{{{name}}}")
        has = np.array([name == "Any" or k.startswith(name) for k in kinds])
    return _ranges(has), _ranges(~has)


def _ranges(has: np.ndarray) -> str:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], has, [False]])))
    return "".join(f"\\U{a:08x}-\\U{b - 1:08x}" for a, b in edges.reshape(-1, 2))


def _negated(inside: str) -> str:
    """The complement of the inside of a class."""
    wanted = re.compile(f"[{inside}]")
    has = np.array([wanted.match(chr(c)) is not None for c in range(128)])
    return _ranges(np.concatenate([~has, np.ones(0x110000 - 128, bool)]))


class _Translator:
    """Walks over a pattern once. `flags` are those in force; `wrapped` says that a `(?i:` is open in this alternative."""

    def __init__(self, pattern: str):
        self.pattern, self.at = pattern, 0
        self.out: list[str] = []
        self.flags: frozenset[str] = frozenset()
        self.stack: list = []
        self.wrapped = False

    def run(self) -> str:
        while self.at < len(self.pattern):
            self.step()
        if self.stack:
            raise _Bad(f"missing ): {self.pattern}")
        self.close_wrap()
        return "".join(self.out)

    def close_wrap(self):
        if self.wrapped:
            self.out.append(")")
        self.wrapped = False

    def open_wrap(self, flags):
        """From here to the end of the alternative, `i` is in force."""
        self.close_wrap()
        self.flags = flags
        self.out.append("(?i:" if "i" in flags else "(?-i:")
        self.wrapped = True

    def step(self):
        c = self.pattern[self.at]
        self.at += 1
        if c == "\\":
            self.escape()
        elif c == "[":
            self.char_class()
        elif c == "(":
            self.group()
        elif c == ")":
            if not self.stack:
                raise _Bad(f"unexpected ): {self.pattern}")
            self.close_wrap()
            self.flags, self.wrapped = self.stack.pop()
            self.out.append(")")
        elif c == "|":
            again = self.wrapped
            self.close_wrap()
            self.out.append("|")
            if again:
                self.open_wrap(self.flags)
        elif c == "$":
            self.out.append("(?m:$)" if "m" in self.flags else "\\Z")
        elif c == "^":
            self.out.append("(?m:^)" if "m" in self.flags else "\\A")
        elif c == ".":
            self.out.append("(?s:.)" if "s" in self.flags else ".")
        elif c in "*+?" or (c == "{" and _COUNT.match(self.pattern, self.at - 1)):
            self.repeat(c)
        else:
            self.out.append(re.escape(c))

    def repeat(self, c):
        if not self.out or self.out[-1] in ("(", "|", "(?:"):
            raise _Bad(f"no argument for repetition operator: {c}")
        end = _COUNT.match(self.pattern, self.at - 1).end() if c == "{" else self.at
        text, self.at = self.pattern[self.at - 1 : end], end
        lazy = self.pattern[end : end + 1] == "?"
        self.at += lazy
        if self.pattern[self.at : self.at + 1] in ("*", "+", "?") and self.pattern[self.at : self.at + 1]:
            raise _Bad(f"bad repetition operator: {self.pattern[end - 1 : self.at + 1]}")
        self.out.append(text + ("?" if lazy != ("U" in self.flags) else ""))

    def group(self):
        if self.pattern[self.at : self.at + 1] != "?":
            self.stack.append((self.flags, self.wrapped))
            self.wrapped = False
            self.out.append("(")
            return
        found = _GROUP.match(self.pattern, self.at)
        if found is None:
            raise _Bad(f"invalid perl operator: {self.pattern[self.at - 1 : self.at + 2]}")
        self.at = found.end()
        name, on, off, end = found.groups()
        if name is not None:
            self.stack.append((self.flags, self.wrapped))
            self.wrapped = False
            self.out.append(f"(?P<{name}>")
            return
        flags = (self.flags | frozenset(on)) - frozenset(off or "")
        if end == ")":
            self.open_wrap(flags)
            return
        self.stack.append((self.flags, self.wrapped))
        self.wrapped, changed = False, ("i" in flags) != ("i" in self.flags)
        self.flags = flags
        self.out.append(("(?i:" if "i" in flags else "(?-i:") if changed else "(?:")

    def escape(self):
        if self.pattern.startswith("Q", self.at):
            end = self.pattern.find("\\E", self.at)
            end = len(self.pattern) if end < 0 else end
            self.out.append(re.escape(self.pattern[self.at + 1 : end]))
            self.at = min(end + 2, len(self.pattern))
            return
        c = self.pattern[self.at : self.at + 1]
        if c and c in "AbB":
            self.at += 1
            self.out.append("\\" + c)
        elif c == "z":
            self.at += 1
            self.out.append("\\Z")
        else:
            inside, single = self.escaped()
            self.out.append(inside if single else f"[{inside}]")

    def escaped(self) -> tuple[str, bool]:
        """What an escape stands for inside a class, and whether that is one character."""
        c = self.pattern[self.at : self.at + 1]
        self.at += 1
        if not c:
            raise _Bad("trailing \\: \\")
        if c in _ESCAPES:
            return _ESCAPES[c], True
        if c.lower() in _PERL:
            return (_PERL[c] if c.islower() else _negated(_PERL[c.lower()])), False
        if c in "pP":
            found = re.compile(r"\{(\^?)(\w+)\}|(\w)").match(self.pattern, self.at)
            if found is None:
                raise _Bad(f"invalid character class range: \\{c}")
            self.at = found.end()
            negative = (c == "P") != (found[1] == "^")
            return _property(found[2] or found[3])[negative], False
        if c == "x":
            found = re.compile(r"\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{2})").match(self.pattern, self.at)
            if found is None:
                raise _Bad("invalid escape sequence: \\x")
            self.at = found.end()
            return f"\\U{int(found[1] or found[2], 16):08x}", True
        if c == "0" or (c in "1234567" and self.pattern[self.at : self.at + 1] in tuple("01234567")):
            digits = re.findall(r"^[0-7]{0,2}", self.pattern[self.at :])[0]
            self.at += len(digits)
            return f"\\U{int(c + digits, 8):08x}", True
        if c.isalnum() and c.isascii():
            raise _Bad(f"invalid escape sequence: \\{c}")
        return re.escape(c), True

    def char_class(self):
        start, parts = self.at - 1, ["["]
        if self.pattern.startswith("^", self.at):
            parts.append("^")
            self.at += 1
        first = True
        while True:
            c = self.pattern[self.at : self.at + 1]
            if not c:
                raise _Bad(f"missing ]: {self.pattern[start:]}")
            self.at += 1
            if c == "]" and not first:
                break
            first = False
            if c == "\\":
                parts.append(self.escaped()[0])
            elif c == "[" and self.pattern.startswith(":", self.at) and ":]" in self.pattern[self.at + 1 :]:
                end = self.pattern.index(":]", self.at + 1)
                name, self.at = self.pattern[self.at + 1 : end], end + 2
                if name.removeprefix("^") not in _POSIX:
                    raise _Bad(f"invalid character class range: [:{name}:]")
                inside = _POSIX[name.removeprefix("^")]
                parts.append(_negated(inside) if name[0] == "^" else inside)
            else:
                parts.append("\\" + c if c in "[&~|^]" else c)
        self.out.append("".join(parts) + "]")


@functools.lru_cache(maxsize=512)
def compiled(pattern: bytes) -> re.Pattern:
    """The Python form of an RE2 pattern."""
    text = pattern.decode(errors="surrogateescape")
    try:
        return re.compile(_Translator(text).run(), re.ASCII)
    except _Bad as bad:
        why = str(bad)
    except re.error as error:
        why = f"{error}: {text}"
    raise invalid(f"Invalid pattern: {text}, error: {why}")


_REWRITE = re.compile(r"\\(.?)", re.DOTALL)


def _rewriter(rewrite: bytes, groups: int):
    """A function from a match to its replacement; None if the rewrite asks for a group that is not there."""
    text = rewrite.decode(errors="surrogateescape")
    marks = [m[1] for m in _REWRITE.finditer(text)]
    if any(m.isdigit() and int(m) > groups for m in marks):
        return None
    if any(not m.isdigit() and m != "\\" for m in marks):
        return lambda match: ""  # RE2 writes a line to the log, and nothing into the string
    if not marks:
        return lambda match: text
    return lambda match: _REWRITE.sub(lambda m: "\\" if m[1] == "\\" else match[int(m[1])] or "", text)


def _replaced(s: bytes, pattern: re.Pattern, write, everywhere: bool) -> bytes:
    """RE2's replacement: an empty match right behind the last match does not count."""
    text, out, at, last = s.decode(errors="surrogateescape"), [], 0, -1
    while at <= len(text):
        match = pattern.search(text, at)
        if match is None:
            break
        start, end = match.span()
        out.append(text[at:start])
        if start == end == last:
            out.append(text[start : start + 1])
            at = start + 1
            continue
        out.append(write(match))
        at = last = end
        if not everywhere:
            break
    out.append(text[at:])
    return "".join(out).encode(errors="surrogateescape")


def replace(strings, pattern: bytes, rewrite: bytes, everywhere: bool) -> np.ndarray:
    found = compiled(pattern)
    write = _rewriter(rewrite, found.groups)
    return strings if write is None else each(lambda s: _replaced(s, found, write, everywhere), strings)


def full_match(strings, pattern: bytes) -> np.ndarray:
    match = compiled(pattern).fullmatch
    return each(lambda s: match(s.decode(errors="surrogateescape")) is not None, strings, np.bool_)


def _one(value, name: str) -> bytes:
    if value.ndim:
        raise invalid(f"{name} must be scalar, but received {rules.text(value.shape)}")
    return value[()]


@string_op("RegexReplace", trace_check=traced.ranks("* 0 0"))
def regex_replace(_, input, pattern, rewrite, replace_global=True):
    return replace(input, _one(pattern, "Pattern"), _one(rewrite, "Rewrite"), replace_global)


@string_op("StaticRegexReplace", elementwise=True)
def static_regex_replace(_, input, pattern, rewrite, replace_global=True):
    return replace(input, as_bytes(pattern), as_bytes(rewrite), replace_global)


@string_op("RegexFullMatch", trace_check=traced.ranks("* 0"))
def regex_full_match(_, input, pattern):
    return full_match(input, _one(pattern, "Pattern"))


@string_op("StaticRegexFullMatch", elementwise=True)
def static_regex_full_match(_, input, pattern):
    return full_match(input, as_bytes(pattern))
