"""Text encodings: bytes to code points and back.

Bytes that are not a character of their encoding are replaced by one character, dropped, or an error, depending on the
attribute `errors`. The number of bytes per replacement follows Unicode's rule (the longest prefix of a character),
which Python's codecs and ICU share.
"""

from __future__ import annotations

import codecs
import functools
import pathlib

import numpy as np

from reflow.core import dtypes
from reflow.ops import shape_rules as rules
from reflow.ops.kernels.strings.elementwise import each, invalid, string_op, vector

_OUTPUT = {"UTF-8": "utf-8", "UTF-16-BE": "utf-16-be", "UTF-32-BE": "utf-32-be"}
_BAD = -1


def _codec(encoding: str) -> str:
    try:
        return _OUTPUT.get(encoding) or codecs.lookup(encoding).name
    except LookupError:
        raise invalid(f"Could not create converter for input encoding: {encoding}") from None


def code_points(s: bytes, codec: str) -> tuple[list[int], list[int]]:
    """The code points of a string, -1 for what is none, and the byte where each starts.

    >>> code_points(b"a\\xc3\\xa9\\xff", "utf-8")
    ([97, 233, -1], [0, 1, 3])
    """
    points: list[int] = []
    starts: list[int] = []
    at = 0
    while at < len(s):
        try:
            good, bad = s[at:].decode(codec), None
        except UnicodeDecodeError as error:
            good, bad = s[at : at + error.start].decode(codec), at + error.end
        for c in good:
            points.append(ord(c))
            starts.append(at)
            at += len(c.encode(codec))
        if bad is not None:
            points.append(_BAD)
            starts.append(at)
            at = bad
    return points, starts


def _clean(points, starts, errors: str, replacement_char: int, controls: bool):
    """Code points without the bad ones."""
    if errors not in ("strict", "replace", "ignore"):
        raise invalid(
            f'Value for attr \'errors\' of "{errors}" is not in the list of allowed values: "strict", "replace", '
            '"ignore"'
        )
    out, kept = [], []
    for point, start in zip(points, starts):
        if point == _BAD or (controls and point <= 0x1F):
            if point == _BAD and errors == "strict":
                raise invalid("Invalid formatting on input string")
            if errors == "ignore":
                continue
            point = replacement_char
        out.append(point)
        kept.append(start)
    return out, kept


def _check_replacement(point: int) -> None:
    if not 0 <= point <= 0x10FFFF:
        raise invalid("replacement_char out of unicode codepoint range")


def _decoded(strings, encoding, errors, replacement_char, controls, splits):
    codec = _codec(encoding)
    _check_replacement(replacement_char)
    values: list[int] = []
    starts: list[int] = []
    bounds = [0]
    for s in strings.reshape(-1):
        points, at = _clean(*code_points(s, codec), errors, replacement_char, controls)
        values += points
        starts += at
        bounds.append(len(values))
    return np.array(bounds, splits.np_dtype), np.array(values, np.int32), np.array(starts, np.int64)


def _rows(f):
    count = rules.product(f.shapes[0])
    return (None if count is None else count + 1,)


@string_op("UnicodeDecode", shape=lambda f: [_rows(f), (None,)])
def unicode_decode(
    _, input, input_encoding, errors="replace", replacement_char=0xFFFD, replace_control_characters=False,
    Tsplits=dtypes.int64,
):
    return _decoded(input, input_encoding, errors, replacement_char, replace_control_characters, Tsplits)[:2]


@string_op("UnicodeDecodeWithOffsets", shape=lambda f: [_rows(f), (None,), (None,)])
def unicode_decode_with_offsets(
    _, input, input_encoding, errors="replace", replacement_char=0xFFFD, replace_control_characters=False,
    Tsplits=dtypes.int64,
):
    return _decoded(input, input_encoding, errors, replacement_char, replace_control_characters, Tsplits)


@string_op(
    "UnicodeEncode", fits="1 1",
    shape=lambda f: [None if f.shapes[1] is None else (None if f.shapes[1][0] is None else f.shapes[1][0] - 1,)],
)
def unicode_encode(_, input_values, input_splits, output_encoding, errors="replace", replacement_char=0xFFFD):
    codec = _OUTPUT[output_encoding]
    _check_replacement(replacement_char)
    if not input_splits.size:
        raise invalid("Input_splits should contain elements, but given input_values has 0 elements")
    if input_splits[0] != 0:
        raise invalid("First value in input_splits must be zero.")
    if input_splits[-1] != input_values.size:
        raise invalid("Last value in input_splits must be equal to length of input_tensor.")
    if (np.diff(input_splits) < 0).any():
        raise invalid("Values in input_splits must be equal or in ascending order.")

    def text(points):
        for point in points:
            if 0 <= point <= 0x10FFFF and not 0xD800 <= point < 0xE000:
                yield chr(point)
            elif errors == "strict":
                raise invalid("Code point is out of range for Unicode, or is a surrogate.")
            elif errors == "replace":
                yield chr(replacement_char)

    points, bounds = input_values.tolist(), input_splits.tolist()
    return vector("".join(text(points[a:b])).encode(codec) for a, b in zip(bounds[:-1], bounds[1:], strict=True))


@string_op("UnicodeTranscode", elementwise=True)
def unicode_transcode(
    _, input, input_encoding, output_encoding, errors="replace", replacement_char=0xFFFD,
    replace_control_characters=False,
):
    source, target = _codec(input_encoding), _OUTPUT[output_encoding]
    _check_replacement(replacement_char)

    def convert(s):
        points, _ = _clean(*code_points(s, source), errors, replacement_char, replace_control_characters)
        return "".join(map(chr, points)).encode(target, "surrogatepass")

    return each(convert, input)


@functools.cache
def _scripts() -> tuple[np.ndarray, np.ndarray]:
    """Where runs of code points of one script start, and ICU's number of each script."""
    with np.load(pathlib.Path(__file__).with_name("unicode_scripts.npz")) as stored:
        return stored["starts"], stored["scripts"]


@string_op("UnicodeScript", elementwise=True)
def unicode_script(_, input):
    starts, scripts = _scripts()
    found = scripts[np.searchsorted(starts, input, "right") - 1].astype(np.int32)
    return np.where((input < 0) | (input > 0x10FFFF), np.int32(-1), found)
