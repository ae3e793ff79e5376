"""`StringFormat`: tensors as text, in the format of `tf.print`.

A *summary* shows the first and last `summarize` entries of every axis:

    [[0 1 2 ... 7 8 9]
     ...
     [90 91 92 ... 97 98 99]]

Numbers are written as in TensorFlow's C++: with six significant digits (fifteen for float64) if those reproduce the
number, otherwise nine (seventeen); booleans as 0 and 1; strings quoted and escaped.
"""

from __future__ import annotations

import numpy as np

from reflow.core.tensor import HostObject
from reflow.ops import shape_rules as rules
from reflow.ops.kernels.strings.elementwise import as_string
from reflow.ops.registry import NO_GRADIENT, op, own_op


def number_text(v) -> str:
    """One element.

    >>> number_text(np.float32(1 / 3)), number_text(np.float64(0.1)), number_text(np.bool_(True))
    ('0.333333343', '0.1', '1')
    """
    kind = v.dtype.kind if isinstance(v, np.generic) else ""
    if kind == "b":
        return str(int(v))
    if kind == "f" or kind == "V":  # V: bfloat16 and the 8-bit floats
        if v.dtype.itemsize == 8:
            short = f"{float(v):.15g}"
            return short if float(short) == float(v) or v != v else f"{float(v):.17g}"
        wide = np.float32(v)
        short = f"{float(wide):.6g}"
        return short if np.float32(short) == wide or wide != wide else f"{float(wide):.9g}"
    return "?" if kind == "c" else str(v)


_ESCAPES = {'"': '\\"', "'": "\\'", "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def escaped(v: bytes) -> str:
    """A string with quotes and control characters escaped."""
    text = v.decode(errors="backslashreplace")
    return "".join(_ESCAPES.get(c) or (c if c >= " " and c != "\x7f" else f"\\{ord(c):03o}") for c in text)


def quoted(v: bytes) -> str:
    """The same in quotes.

    >>> quoted(b'a"b')
    '"a\\\\"b"'
    """
    return f'"{escaped(v)}"'


def element(v) -> str:
    return quoted(v) if isinstance(v, bytes) else number_text(v)


def summary(value, ends: int) -> str:
    """An array as text, with `ends` entries at both ends of each axis; all of them if `ends` is negative.

    >>> summary(np.arange(10), 2)
    '[0 1 ... 8 9]'
    """
    if isinstance(value, HostObject):
        return repr(value)
    if value.ndim == 0:
        return element(value[()])
    if not value.size:  # TensorFlow's own quirk: rows without entries are "..."
        return "[]" if not value.shape[0] else "[" + "\n" * (value.ndim - 1) + " ...]"
    return _axis(value, ends, 1)


def _axis(value, ends: int, depth: int) -> str:
    count = len(value)
    some = 0 <= 2 * ends < count
    flat = value.ndim == 1
    gap = " " if flat else "\n" * (value.ndim - 1) + " " * depth

    def spell(row):
        return element(row) if flat else _axis(row, ends, depth + 1)

    if not some:
        return "[" + gap.join(map(spell, value)) + "]"
    first, last = [spell(v) for v in value[:ends]], [spell(v) for v in value[count - ends :]] if ends else []
    return "[" + gap.join([*first, "...", *last] if ends else ["", "..."]) + "]"


def flat_summary(value, limit: int) -> str:
    """An array as `Assert` shows it: the first `limit` entries, rows in brackets without spaces between.

    >>> flat_summary(np.arange(4).reshape(2, 2), 3)
    '[0 1][2...]...'
    """
    if isinstance(value, HostObject):
        return repr(value)
    if limit < 0:
        limit = value.size
    texts = [escaped(v) if isinstance(v, bytes) else number_text(v) for v in value.reshape(-1)[:limit]]
    more = "..." if value.size > limit else ""
    if value.ndim < 2:
        return " ".join(texts) + more
    return _rows(value.shape, iter(texts), [limit]) + more


def _rows(shape, texts, left) -> str:
    """The rows of `flat_summary`; `left` counts the entries that may still be shown."""
    if len(shape) == 1:
        here = [next(texts) for _ in range(min(shape[0], left[0]))]
        left[0] -= len(here)
        return " ".join(here) + ("..." if len(here) < shape[0] else "")
    return "".join("[" + _rows(shape[1:], texts, left) + "]" for _ in range(shape[0]) if left[0] > 0)


@op("StringFormat", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def string_format(_, inputs, template="%s", placeholder="%s", summarize=3):
    pieces = template.split(placeholder)
    if len(pieces) != len(inputs) + 1:
        raise ValueError(f"num placeholders in template and num inputs must match: {len(pieces) - 1} vs. {len(inputs)}")
    out = pieces[0]
    for value, piece in zip(inputs, pieces[1:], strict=True):
        out += summary(value, summarize) + piece
    return np.array(out.encode(), object)


def ragged_text(rows, ends: int) -> str:
    """Nested lists as text, with `ends` entries at both ends of each; numbers as `tf.strings.as_string` writes them.

    >>> ragged_text([[1, 2, 3, 4], [], [0.5]], 1)
    '[[1, ..., 4], ..., [0.500000]]'
    """
    if not isinstance(rows, list):
        if isinstance(rows, bytes):
            return repr(rows.decode(errors="replace"))
        return as_string.kernel(None, np.asarray(rows)).item().decode()
    if 0 <= 2 * ends < len(rows):
        shown = (
            [ragged_text(r, ends) for r in rows[:ends]]
            + ["..."]
            + [ragged_text(r, ends) for r in rows[len(rows) - ends :]]
        )
    else:
        shown = [ragged_text(r, ends) for r in rows]
    return "[" + ", ".join(shown) + "]"


def ragged_lists(values, splits) -> list:
    """Nested lists of the elements of a ragged tensor: flat values, and row splits from the outermost in."""
    rows = [_elements(v) for v in values]
    for split in reversed(splits):
        rows = [rows[a:b] for a, b in zip(split[:-1], split[1:], strict=True)]
    return rows


def _elements(v):
    return (
        [_elements(x) for x in v]
        if isinstance(v, np.ndarray) and v.ndim
        else (v[()] if isinstance(v, np.ndarray) else v)
    )


@own_op(
    "Format", inputs="*values", outputs="output", attrs=("template", "placeholder", "summarize", "ragged"),
    shape=rules.scalar, grad=NO_GRADIENT, host=True,
)
def format_ragged(_, values, template="", placeholder="{}", summarize=3, ragged=()):
    """`StringFormat` with ragged tensors: `ragged` says per placeholder how many row splits follow, or -1."""
    pieces, left = template.split(placeholder), list(values)
    out = pieces[0]
    for splits, piece in zip(ragged, pieces[1:], strict=True):
        value = left.pop(0)
        if splits < 0:
            out += summary(value, summarize) + piece
        else:
            out += ragged_text(ragged_lists(value, [left.pop(0) for _ in range(splits)]), summarize) + piece
    return np.array(out.encode(), object)
