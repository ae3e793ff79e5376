"""Regular expressions: RE2, the engine that TensorFlow uses. It takes linear time for every pattern.

Strings are bytes. RE2 reads them as UTF-8, so `.` is a character and never half of one.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import re2

from reflow.ops import shape_rules as rules
from reflow.ops.kernels.strings.elementwise import as_bytes, each, invalid, string_op


@functools.lru_cache(maxsize=512)
def compiled(pattern: bytes) -> Any:
    """A pattern of RE2; InvalidArgumentError if it is none."""
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        why = error.args[0]
        why = why.decode(errors="replace") if isinstance(why, bytes) else why
        raise invalid(f"Invalid pattern: {pattern.decode(errors='replace')}, error: {why}") from None


_REWRITE = re.compile(rb"\\(.?)", re.DOTALL)


def _rewriter(rewrite: bytes, groups: int, everywhere: bool) -> Callable[[Any], bytes] | None:
    """A function from a match to its replacement; None if nothing is replaced because the rewrite is not valid."""
    marks = [m[1] for m in _REWRITE.finditer(rewrite)]
    if any(m.isdigit() and int(m) > groups for m in marks):
        return None
    for m in _REWRITE.finditer(rewrite):
        if not m[1].isdigit() and m[1] != b"\\":
            if not everywhere:
                return None
            rewrite = rewrite[: m.start()]  # RE2 writes a line to the log and gives up in the middle
            break
    if not marks:
        return lambda match: rewrite
    return lambda match: _REWRITE.sub(lambda m: b"\\" if m[1] == b"\\" else match[int(m[1])] or b"", rewrite)


_CHARACTER = re.compile(rb"[\xc0-\xff][\x80-\xbf]*|.", re.DOTALL)


def _replaced(text: bytes, pattern: Any, write: Callable[[Any], bytes], everywhere: bool) -> bytes:
    """RE2's replacement: an empty match right after the last match does not count."""
    out, at, last = [], 0, -1
    while at <= len(text):
        match = pattern.search(text, at)
        if match is None:
            break
        start, end = match.span()
        out.append(text[at:start])
        if start == end == last:
            character = _CHARACTER.match(text, start)
            step = len(character[0]) if character else 1
            out.append(text[start : start + step])
            at = start + step
            continue
        out.append(write(match))
        at = last = end
        if not everywhere:
            break
    out.append(text[at:])
    return b"".join(out)


def replace(strings: np.ndarray, pattern: bytes, rewrite: bytes, everywhere: bool) -> np.ndarray:
    found = compiled(pattern)
    write = _rewriter(rewrite, found.groups, everywhere)
    return strings if write is None else each(lambda s: _replaced(s, found, write, everywhere), strings)


def full_match(strings, pattern: bytes) -> np.ndarray:
    match = compiled(pattern).fullmatch
    return each(lambda s: match(s) is not None, strings, np.bool_)


def _one(value, name: str) -> bytes:
    if value.ndim:
        raise invalid(f"{name} must be scalar, but received {rules.text(value.shape)}")
    return value[()]


@string_op("RegexReplace", fits="* 0 0")
def regex_replace(_, input, pattern, rewrite, replace_global=True):
    return replace(input, _one(pattern, "Pattern"), _one(rewrite, "Rewrite"), replace_global)


@string_op("StaticRegexReplace", elementwise=True)
def static_regex_replace(_, input, pattern, rewrite, replace_global=True):
    return replace(input, as_bytes(pattern), as_bytes(rewrite), replace_global)


@string_op("RegexFullMatch", fits="* 0")
def regex_full_match(_, input, pattern):
    return full_match(input, _one(pattern, "Pattern"))


@string_op("StaticRegexFullMatch", elementwise=True)
def static_regex_full_match(_, input, pattern):
    return full_match(input, as_bytes(pattern))
