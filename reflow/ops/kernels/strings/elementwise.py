"""Strings: arrays of `bytes` on the host, one Python call per element.

As in TensorFlow, characters (`unit="UTF8_CHAR"`) are counted by bytes that are not continuation bytes, so any bytes
have a length. Regular expressions are in `regex.py`, encodings in `unicode.py`, hashes in `hashing.py`.
"""

from __future__ import annotations

import base64
import itertools
import re
from collections.abc import Iterator

import numpy as np

from reflow.core import dtypes, errors, limits
from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.registry import NO_GRADIENT, op


def each(function, strings: np.ndarray, dtype=object) -> np.ndarray:
    """An array of the results of `function` on the elements."""
    return np.fromiter(map(function, strings.reshape(-1)), dtype, strings.size).reshape(strings.shape)


def vector(items) -> np.ndarray:
    """Concatenated bytes as an array."""
    return np.fromiter(items, object)


def as_bytes(text: str) -> bytes:
    """A string attribute as it was given: bytes that are not UTF-8 were encoded with surrogates."""
    return text.encode(errors="surrogateescape")


def invalid(message: str):
    return errors.InvalidArgumentError(None, None, message)


def string_op(name: str, shape=rules.same, **facts):
    """The record of an op on the host, without a gradient."""
    return op(name, shape=shape, grad=NO_GRADIENT, host=True, **facts)


# --- letters --------------------------------------------------------------------------------------------------------


def _cased(strings, encoding: str, of_bytes, of_text):
    if encoding not in ("", "utf-8"):
        raise invalid(f"only utf-8 or '' (no encoding) is supported, received {encoding}")
    if not encoding:
        return each(of_bytes, strings)
    return each(lambda s: of_text(s.decode(errors="replace")).encode(), strings)


@string_op("StringLower", elementwise=True)
def string_lower(_, input, encoding=""):
    return _cased(input, encoding, bytes.lower, str.lower)


@string_op("StringUpper", elementwise=True)
def string_upper(_, input, encoding=""):
    return _cased(input, encoding, bytes.upper, str.upper)


@string_op("StringStrip", elementwise=True)
def string_strip(_, input):
    return each(bytes.strip, input)


_CONTINUES = bytes(range(0x80, 0xC0))


@string_op("StringLength", elementwise=True)
def string_length(_, input, unit="BYTE"):
    if unit == "UTF8_CHAR":
        return each(lambda s: len(s.translate(None, _CONTINUES)), input, np.int32)
    return each(len, input, np.int32)


def _substr_shape(f):
    if f.shapes[1] == ():
        return [f.shapes[0]]
    return [rules.broadcast_dims(f.shapes[0], f.shapes[1])]


@string_op("Substr", shape=_substr_shape, trace_check=traced.substring)
def substr(_, input, pos, len, unit="BYTE"):
    if pos.shape != len.shape:
        raise invalid(
            f"pos and len should have the same shape, got: {rules.text(pos.shape)} vs. {rules.text(len.shape)}"
        )
    if pos.ndim and pos.shape != input.shape and max(input.ndim, pos.ndim) > 2:
        message = f"Substr broadcast not implemented for {max(input.ndim, pos.ndim)} dimensions"
        raise errors.UnimplementedError(None, None, message)
    strings, pos, count = np.broadcast_arrays(input, pos, len)
    pieces, cut = [], _piece_of_text if unit == "UTF8_CHAR" else _piece
    for i, (s, p, n) in enumerate(
        zip(strings.reshape(-1), pos.reshape(-1).tolist(), count.reshape(-1).tolist(), strict=True)
    ):
        piece = cut(s, p, n)
        if piece is None:
            shown = "" if unit == "UTF8_CHAR" else f" b'{s.decode(errors='replace')}'"
            raise invalid(f"pos {p} out of range for string{shown} at index {i}")
        pieces.append(piece)
    return vector(pieces).reshape(strings.shape)


def _piece(s: bytes, at: int, count: int):
    """`count` bytes from `at`; all the rest if `count` is negative, None if `at` is outside."""
    if not -len(s) <= at <= len(s):
        return None
    at += len(s) if at < 0 else 0
    return s[at:] if count < 0 else s[at : at + count]


def _piece_of_text(s: bytes, at: int, count: int):
    starts = [i for i, b in enumerate(s) if b & 0xC0 != 0x80]
    if not -len(starts) <= at <= len(starts) or at < 0 and count < 0:  # TensorFlow counts back over less than nothing
        return None
    at += len(starts) if at < 0 else 0
    starts.append(len(s))
    return s[starts[at] :] if count < 0 else s[starts[at] : starts[min(at + count, len(starts) - 1)]]


# --- numbers --------------------------------------------------------------------------------------------------------


@string_op("AsString", elementwise=True)
def as_string(_, input, precision=-1, scientific=False, shortest=False, width=-1, fill=""):
    """Numbers as C's `printf` writes them."""
    name = dtypes.string.name if input.dtype == object else dtypes.FROM_NUMPY[input.dtype].name
    real = name.startswith(("float", "bfloat", "half", "complex"))
    _check_as_string(name, real, precision, scientific, shortest, fill)
    if name == "bool":
        return each(lambda v: b"true" if v else b"false", input)
    if width > 0 and width * input.size > limits.room():
        raise errors.ResourceExhaustedError(None, None, f"OOM when writing {input.size} strings of {width} characters")
    mark = "e" if scientific else "g" if shortest else "f" if real else "s" if name == "string" else "d"
    form = (
        "%"
        + (fill if width >= 0 or fill else "")
        + (str(width) if width >= 0 else "")
        + (f".{precision}" if real and precision >= 0 else "")
        + mark
    )
    if name == "string":
        side = bytes.ljust if fill == "-" else bytes.rjust
        return each(lambda s: side(s, max(width, 0)), input)
    if name.startswith("complex"):
        return each(lambda v: f"({form % v.real},{form % v.imag})".encode(), input)
    kind = float if real else int
    return each(lambda v: (form % kind(v)).encode(), input)


def _check_as_string(name, real, precision, scientific, shortest, fill):
    if (scientific or shortest) and not real and name not in ("string", "bool"):
        raise invalid(f"scientific and shortest format not supported for datatype {name}")
    if scientific and shortest:
        raise invalid("Cannot select both scientific and shortest notation")
    if precision >= 0 and not real and name not in ("string", "bool"):
        raise invalid(f"precision not supported for datatype {name}")
    if len(fill) > 1:
        raise invalid("Fill string must be one or fewer characters")
    if fill and fill not in "-+ 0":
        raise invalid(f'Fill argument not supported: "{fill}"')


_REAL = re.compile(rb"[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf(inity)?|nan)", re.IGNORECASE)
_HEX = re.compile(rb"[+-]?0[xX][0-9a-fA-F.]+([pP][+-]?\d+)?")
_WHOLE = re.compile(rb"[+-]?\d+")


def _number(s: bytes, kind):
    """The number that a string spells, or None."""
    s = s.strip()
    if kind.kind == "f":
        if _REAL.fullmatch(s):
            return float(s)
        return float.fromhex(s.decode()) if _HEX.fullmatch(s) else None
    if not _WHOLE.fullmatch(s) or (kind.kind == "u" and s[:1] == b"-"):
        return None
    value, limits = int(s), np.iinfo(kind)
    return value if limits.min <= value <= limits.max else None


@string_op("StringToNumber", elementwise=True)
def string_to_number(_, string_tensor, out_type=dtypes.float32):
    kind = np.dtype(out_type.np_dtype)

    def convert(s):
        value = _number(s, kind)
        if value is None:
            raise invalid(f"StringToNumberOp could not correctly convert string: {s.decode(errors='replace')}")
        return value

    return each(convert, string_tensor, kind)


# --- joining and splitting ------------------------------------------------------------------------------------------


def _join_shape(f):
    if all(s == () for s in f.shapes):
        return [()]
    out = None
    for dims in f.shapes:
        if dims:
            if out is not None and (
                len(out) != len(dims) or any(None not in (a, b) and a != b for a, b in zip(out, dims))
            ):
                raise ValueError(f"Input shapes do not match: {rules.text(out)} vs. {rules.text(dims)}")
            out = dims if out is None else tuple(b if a is None else a for a, b in zip(out, dims))
    return [out]


@string_op("StringJoin", shape=_join_shape, trace_words=traced.string_join)
def string_join(_, inputs, separator=""):
    shape: tuple = ()
    if not inputs:
        return np.array(b"", object)
    for part in inputs:
        if part.ndim and shape and part.shape != shape:
            raise invalid(f"Input shapes do not match: {rules.text(shape)} vs. {rules.text(part.shape)}")
        shape = shape or part.shape
    parts = [np.broadcast_to(part, shape).reshape(-1) for part in inputs]
    return vector(map(as_bytes(separator).join, zip(*parts, strict=True))).reshape(shape)


@string_op("ReduceJoin", fits="* 1-", shape=rules.reduce, trace_words=traced.reduce)
def reduce_join(_, inputs, reduction_indices, keep_dims=False, separator=""):
    """The first of the axes given changes fastest in the joined strings."""
    rank, axes = inputs.ndim, []
    for axis in reduction_indices.reshape(-1).tolist():
        if not -rank <= axis < rank:
            raise errors.OutOfRangeError(
                None, None, f"Invalid reduction dimension {axis} for input with {rank} dimension(s)"
            )
        if axis % rank in axes:
            raise invalid(f"Duplicate reduction dimension {axis % rank}")
        axes.append(axis % rank)
    if not axes:
        return inputs
    kept, sep = [i for i in range(rank) if i not in axes], as_bytes(separator)
    rows = inputs.transpose(kept + axes[::-1])
    count = int(np.prod([inputs.shape[i] for i in kept], dtype=int))
    width = int(np.prod([inputs.shape[i] for i in axes], dtype=int))
    out = vector(sep.join(row) for row in rows.reshape(count, width))
    return out.reshape([1 if i in axes else d for i, d in enumerate(inputs.shape) if keep_dims or i not in axes])


def _segment_shape(f):
    data, ids, count = f.shapes[0], f.shapes[1], f.values[2]
    if data is None or ids is None:
        return [None]
    return [(count, *data[len(ids) :])]


@string_op("UnsortedSegmentJoin", shape=_segment_shape, trace_check=traced.unsorted_segments)
def unsorted_segment_join(_, inputs, segment_ids, num_segments, separator=""):
    if not segment_ids.ndim:
        raise invalid("Segment_id cannot have rank 0")
    count, ids = int(num_segments), segment_ids.reshape(-1)
    if ids.size and not (0 <= ids.min() and ids.max() < count):
        raise invalid("segment_ids are not allowed to exceed num_segments or to have negative values.")
    tail = inputs.shape[segment_ids.ndim :]
    rows = inputs.reshape(len(ids), int(np.prod(tail, dtype=int)))
    out, sep, order = np.full((count, rows.shape[1]), b"", object), as_bytes(separator), np.argsort(ids, kind="stable")
    starts = np.flatnonzero(np.diff(ids[order], prepend=-1))
    for own in np.split(order, starts[1:]) if ids.size else ():
        out[ids[own[0]]] = [sep.join(column) for column in rows[own].T]
    return out.reshape(count, *tail)


def pieces(s: bytes, sep: bytes, limit: int) -> list[bytes]:
    """The parts between separators, or between runs of spaces; the last one has the rest once `limit` others were
    found.

    >>> pieces(b"a b  c ", b"", 1), pieces(b"a,,b", b",", -1)
    ([b'a', b'b  c '], [b'a', b'', b'b'])
    """
    if limit == 0:
        return [s]
    if sep:
        return s.split(sep, limit if limit > 0 else -1)
    if limit < 0:
        return s.split()
    found = s.split(None, limit)
    if len(found) == limit:  # the rest is empty, and counts
        found.append(b"")
    return found


def _sparse_rows(rows) -> tuple:
    """Lists of strings as the three parts of a sparse matrix."""
    indices = np.array([(i, j) for i, row in enumerate(rows) for j in range(len(row))], np.int64).reshape(-1, 2)
    width = max(map(len, rows), default=0)
    return indices, vector(s for row in rows for s in row), np.array([len(rows), width], np.int64)


def _split_shape(f):
    return [(None, 2), (None,), (2,)]


def _check_split(strings, mark, name: str) -> None:
    if strings.ndim != 1:
        raise invalid(f"input must be a vector, got shape: {rules.text(strings.shape)}")
    if mark.ndim:
        raise invalid(f"{name} must be a scalar, got shape: {rules.text(mark.shape)}")


@string_op("StringSplitV2", fits="1 0", shape=_split_shape)
def string_split_v2(_, input, sep, maxsplit=-1):
    _check_split(input, sep, "sep")
    return _sparse_rows([pieces(s, sep[()], maxsplit) for s in input])


@string_op("StringSplit", fits="1 0", shape=_split_shape)
def string_split(_, input, delimiter, skip_empty=True):
    """Split at every byte of `delimiter`; into bytes if it is empty."""
    _check_split(input, delimiter, "delimiter")
    marks = delimiter[()]
    at = re.compile(b"[" + re.escape(marks) + b"]") if marks else None
    rows = [at.split(s) if at and s else [s[i : i + 1] for i in range(len(s))] for s in input]  # "" has no parts
    return _sparse_rows([[p for p in row if p] for row in rows] if skip_empty else rows)


def _check_ngrams(count, splits, widths, pad_width, preserve_short_sequences):
    if preserve_short_sequences and not widths and pad_width < 0:
        words = "when preserve_short_sequences is True and ngram_widths are not provided"
        raise invalid(f"Pad width should be >= 0 {words}, got {pad_width}")
    if any(width <= 0 for width in widths):
        raise invalid("ngram_widths must contain positive values")
    widest = max(widths, default=1) - 1 if pad_width < 0 else min(pad_width, max(widths, default=1) - 1)
    if widest > 2**29:  # two pads of this width no longer fit into 32 bits
        raise invalid(f"Pad width could lead to integer overflow, got pad_width = {widest}")
    if splits and splits[0] != 0:
        raise invalid(f"First split value must be 0, got {splits[0]}")
    for before, split in itertools.pairwise(splits):
        if not before <= split <= count:
            raise invalid(f"Invalid split value {split}, must be in [{before}, {count}]")
    if splits and splits[-1] != count:
        raise invalid(f"Last split value must be data size. Expected {count}, got {splits[-1]}")


def _ngrams(tokens: list[bytes], width: int, separator: bytes) -> Iterator[bytes]:
    """Each run of `width` tokens, joined."""
    text = separator.join(tokens)
    begins = [0, *itertools.accumulate(len(token) + len(separator) for token in tokens)]
    for i in range(len(tokens) - width + 1):
        yield text[begins[i] : begins[i + width] - len(separator)]


@string_op("StringNGrams", fits="1 1", shape=lambda f: [(None,), f.shapes[1]])
def string_ngrams(
    _, data, data_splits, separator, ngram_widths, left_pad, right_pad, pad_width, preserve_short_sequences
):
    _check_ngrams(len(data), data_splits.tolist(), ngram_widths, pad_width, preserve_short_sequences)
    if not data.size or not data_splits.size:
        return np.full(data.shape, b"", object), np.zeros_like(data_splits)
    sep, left, right = map(as_bytes, (separator, left_pad, right_pad))
    out: list[bytes] = []
    splits = [0]
    for a, b in zip(data_splits[:-1].tolist(), data_splits[1:].tolist(), strict=True):
        row = data[a:b].tolist()
        for width in ngram_widths:
            pad = width - 1 if pad_width < 0 else min(pad_width, width - 1)
            out.extend(_ngrams([left] * pad + row + [right] * pad, width, sep))
        if preserve_short_sequences and len(out) == splits[-1] and row:
            pad = max(pad_width, 0)
            out.append(sep.join([left] * pad + row + [right] * pad))
        splits.append(len(out))
    return vector(out), np.array(splits[: len(data_splits)], data_splits.dtype)


# --- base64 ---------------------------------------------------------------------------------------------------------


@string_op("EncodeBase64", elementwise=True)
def encode_base64(_, input, pad=False):
    """The web-safe alphabet, with - and _."""
    return each(lambda s: base64.urlsafe_b64encode(s) if pad else base64.urlsafe_b64encode(s).rstrip(b"="), input)


_BASE64 = re.compile(rb"[A-Za-z0-9_-]*={0,2}")


@string_op("DecodeBase64", elementwise=True)
def decode_base64(_, input):
    def decode(s):
        if not _BASE64.fullmatch(s):
            raise invalid("Invalid character found in base64.")
        s = s.rstrip(b"=")
        if len(s) % 4 == 1:
            raise invalid("Base64 string length cannot be 1 modulo 4.")
        return base64.urlsafe_b64decode(s + b"=" * (-len(s) % 4))

    return each(decode, input)
