"""Records of CSV files, by the rules of TensorFlow's reader (RFC 4180).

A field is quoted if its first byte is a double quote: it may then contain delimiters and line ends, and two quotes
represent one. An unquoted field contains no quotes. An empty field, or an unquoted "not available" value, takes its
column's default; a column without a default must have a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from reflow.core import dtypes, errors


class Field(NamedTuple):
    """The bytes of a field, and whether it was quoted."""

    text: bytes
    quoted: bool


def rows(lines: Iterable[bytes], delimiter: bytes, use_quotes: bool) -> Iterator[list[Field]]:
    """The records of a file's lines.

    >>> [[f.text for f in r] for r in rows([b'1,"a\\n', b'b"\\n', b'2,c\\n'], b",", True)]
    [[b'1', b'a\\nb'], [b'2', b'c']]
    """
    source = iter(lines)
    for line in source:
        text = _without_end(line)
        if not use_quotes or b'"' not in line:
            yield [Field(part, False) for part in text.split(delimiter)]
        else:
            yield _quoted_row(line, source, delimiter)


def one_record(text: bytes, delimiter: bytes, use_quotes: bool) -> list[Field]:
    """The fields of a string that is one record; only quoted fields may hold line ends. An empty string has none.

    >>> [f.text for f in one_record(b'1,"a\\nb"', b",", True)]
    [b'1', b'a\\nb']
    """
    if not text:
        return []
    if use_quotes and b'"' in text:
        fields = _quoted_row(text, iter(()), delimiter, _OF_STRINGS)
    else:
        fields = [Field(part, False) for part in text.split(delimiter)]
    if any(not f.quoted and (b"\n" in f.text or b"\r" in f.text) for f in fields):
        raise _invalid(_OF_STRINGS.unquoted)
    return fields


class _Words(NamedTuple):
    """What the two readers of TensorFlow say about a quote in a wrong place."""

    unclosed: str
    unquoted: str


_OF_FILES = _Words(
    "Reached end of file without closing quoted field in record", "Unquoted fields cannot have quotes inside"
)
_OF_STRINGS = _Words(
    "Quoted field has to end with quote followed by delim or end", "Unquoted fields cannot have quotes/CRLFs inside"
)


def _without_end(line: bytes) -> bytes:
    return line.removesuffix(b"\n").removesuffix(b"\r")


def _quoted_row(line: bytes, source: Iterator[bytes], delimiter: bytes, words: _Words = _OF_FILES) -> list[Field]:
    fields, at = [], 0
    while True:
        if line[at : at + 1] == b'"':
            parts, at = [], at + 1
            while True:
                end = line.find(b'"', at)
                if end < 0:
                    parts.append(line[at:])
                    line, at = next(source, b""), 0
                    if not line:
                        raise _invalid(words.unclosed)
                    continue
                parts.append(line[at:end])
                at = end + 1
                if line[at : at + 1] != b'"':
                    break
                parts.append(b'"')
                at += 1
            fields.append(Field(b"".join(parts), True))
            rest = line[at:]
            if not _without_end(rest):
                return fields
            if not rest.startswith(delimiter):
                raise _invalid("Quote inside a string has to be escaped by another quote")
            at += len(delimiter)
        else:
            end = line.find(delimiter, at)
            text = _without_end(line[at:]) if end < 0 else line[at:end]
            if b'"' in text:
                raise _invalid(words.unquoted)
            fields.append(Field(text, False))
            if end < 0:
                return fields
            at = end + len(delimiter)


def _invalid(text: str) -> errors.OpError:
    return errors.InvalidArgumentError(None, None, text)


_INTEGERS = (dtypes.int32, dtypes.int64)


class Columns:
    """Converts a record to values: which columns are read, with which dtypes and defaults."""

    def __init__(self, defaults: list, kinds: list, selected: list[int], excluded: list[int], na_value: bytes):
        self.defaults, self.kinds, self.na_value = defaults, kinds, na_value
        self.selected, self.excluded = selected, set(excluded)

    def values(self, record: list[Field], where: str = "record") -> list:
        """The element of a record; `where` is what errors call it."""
        expected = len(self.defaults)
        if self.selected:
            if len(record) <= self.selected[-1]:
                raise _invalid(
                    f"Expect {expected} fields but have {sum(i < len(record) for i in self.selected)} in {where}"
                )
            record = [record[i] for i in self.selected]
        elif self.excluded:
            record = [f for i, f in enumerate(record) if i not in self.excluded]
        if len(record) != expected:
            have = "more" if len(record) > expected and where == "record" else len(record)
            raise _invalid(f"Expect {expected} fields but have {have} in {where}")
        parts = zip(record, self.defaults, self.kinds, strict=True)
        return [self._value(i, where, *part) for i, part in enumerate(parts)]

    def _value(self, index: int, where: str, field: Field, default: np.ndarray, kind: Any) -> np.ndarray:
        text = field.text
        if not text or (not field.quoted and text == self.na_value):
            if not default.size:
                raise _invalid(f"Field {index} is required but missing in {where}!")
            return default.reshape(-1)[0:1].reshape(())
        if kind is dtypes.string:
            return np.array(text, object)
        try:
            number = int(text) if kind in _INTEGERS else float(text)
            if kind in _INTEGERS and not kind.min <= number <= kind.max:
                raise ValueError
            if b"_" in text:
                raise ValueError
        except ValueError:
            raise _invalid(
                f"Field {index} in {where} is not a valid {_NAMES[kind]}: {text.decode(errors='replace')}"
            ) from None
        return np.array(number, kind.np_dtype)


_NAMES = {dtypes.int32: "int32", dtypes.int64: "int64", dtypes.float32: "float", dtypes.float64: "double"}
