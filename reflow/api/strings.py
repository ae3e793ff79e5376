"""`tf.strings`: functions of string tensors, elementwise on ragged tensors too."""

from __future__ import annotations

import functools
import inspect

import numpy as np

from reflow.api.call import call
from reflow.api.export import TABLE, export
from reflow.api.ragged import map_flat_values
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.errors import InvalidArgumentError
from reflow.core.ragged import RaggedTensor
from reflow.core.tensor import Tensor
from reflow.ops import opdef
from reflow.ops.convert import constant, convert_to_tensor

_TEXT = (str, bytes)


def _string(x):
    return x if isinstance(x, Tensor) else convert_to_tensor(x, dtypes.string)  # the op itself says what it takes


def _text(x) -> str:
    """A string argument as attributes hold it."""
    return x.decode(errors="surrogateescape") if isinstance(x, bytes) else x


def _one_of(op: str, attr: str, value: str) -> str:
    """`value`, which must be among those the OpDef allows."""
    allowed = opdef.lookup(op).attrs[attr].allowed or ()
    if value not in allowed:
        names = ", ".join(f'"{a}"' for a in allowed)
        message = f"Value for attr '{attr}' of \"{value}\" is not in the list of allowed values: {names}"
        raise (
            ValueError(message) if state.graph is not None else InvalidArgumentError(None, None, f"{message} [Op:{op}]")
        )
    return value


def elementwise(function):
    """Let a function of one string tensor, its first argument, take a ragged one."""
    first = next(iter(inspect.signature(function).parameters))

    @functools.wraps(function)
    def aware(*args, **kwargs):
        if isinstance(args[0] if args else kwargs.get(first), RaggedTensor):
            return map_flat_values(function, *args, **kwargs)
        return function(*args, **kwargs)

    return aware


# --- letters and numbers --------------------------------------------------------------------------------------------


@export("strings.lower")
@elementwise
def lower(input, encoding="", name=None):  # noqa: A002
    """Lower case, of ASCII letters or, with `encoding="utf-8"`, of all.

    >>> lower("CamelCase").numpy()
    b'camelcase'
    """
    return call("StringLower", (_string(input),), {"encoding": _text(encoding)}, name)


@export("strings.upper")
@elementwise
def upper(input, encoding="", name=None):  # noqa: A002
    """Upper case, of ASCII letters or, with `encoding="utf-8"`, of all.

    >>> upper("CamelCase").numpy()
    b'CAMELCASE'
    """
    return call("StringUpper", (_string(input),), {"encoding": _text(encoding)}, name)


@export("strings.strip")
@elementwise
def strip(input, name=None):  # noqa: A002
    """Strings without white space at both ends.

    >>> strip([" a ", "b\\n"]).numpy().tolist()
    [b'a', b'b']
    """
    return call("StringStrip", (_string(input),), {}, name)


@export("strings.length")
@elementwise
def length(input, unit="BYTE", name=None):  # noqa: A002
    """The number of bytes or, with `unit="UTF8_CHAR"`, of characters.

    >>> length(["né", ""]).numpy().tolist(), int(length("né", unit="UTF8_CHAR"))
    ([3, 0], 2)
    """
    return call("StringLength", (_string(input),), {"unit": _one_of("StringLength", "unit", unit)}, name)


@export("strings.substr")
@elementwise
def substr(input, pos, len, unit="BYTE", name=None):  # noqa: A002
    """`len` bytes or characters from `pos` on; a negative `pos` counts from the end.

    >>> substr(["Hello", "World"], 1, 3).numpy().tolist()
    [b'ell', b'orl']
    """
    pos = convert_to_tensor(pos)
    count = convert_to_tensor(len, pos.dtype)
    return call("Substr", (_string(input), pos, count), {"unit": _one_of("Substr", "unit", unit)}, name)


@export("strings.as_string", "as_string")
@elementwise
def as_string(input, precision=-1, scientific=False, shortest=False, width=-1, fill="", name=None):  # noqa: A002
    """Numbers and booleans as text.

    >>> as_string([3.1415926, 2.72], precision=2).numpy().tolist()
    [b'3.14', b'2.72']
    """
    attrs = {
        "precision": precision,
        "scientific": scientific,
        "shortest": shortest,
        "width": width,
        "fill": _text(fill),
    }
    return call("AsString", (convert_to_tensor(input),), attrs, name)


@export("strings.to_number")
@elementwise
def to_number(input, out_type=dtypes.float32, name=None):  # noqa: A002
    """The numbers that strings spell.

    >>> to_number(["1.5", " 2 "]).numpy().tolist()
    [1.5, 2.0]
    """
    return call("StringToNumber", (_string(input),), {"out_type": dtypes.as_dtype(out_type)}, name)


# --- hashes ---------------------------------------------------------------------------------------------------------


@export("strings.to_hash_bucket")
@elementwise
def to_hash_bucket(input, num_buckets, name=None):  # noqa: A002
    """A bucket for each string, by a hash that may differ between versions: better use `to_hash_bucket_fast`."""
    return call("StringToHashBucket", (_string(input),), {"num_buckets": num_buckets}, name)


@export("strings.to_hash_bucket_fast")
@elementwise
def to_hash_bucket_fast(input, num_buckets, name=None):  # noqa: A002
    """A bucket for each string, always the same one.

    >>> to_hash_bucket_fast(["Hello", "TensorFlow", "2.x"], 3).numpy().tolist()
    [0, 2, 2]
    """
    return call("StringToHashBucketFast", (_string(input),), {"num_buckets": num_buckets}, name)


@export("strings.to_hash_bucket_strong")
@elementwise
def to_hash_bucket_strong(input, num_buckets, key, name=None):  # noqa: A002
    """A bucket for each string, by a hash with a secret key of two integers.

    >>> to_hash_bucket_strong(["Hello", "TF"], 3, [1, 2]).numpy().tolist()
    [2, 0]
    """
    return call("StringToHashBucketStrong", (_string(input),), {"num_buckets": num_buckets, "key": list(key)}, name)


@export("fingerprint")
def fingerprint(data, method="farmhash64", name=None):
    """Eight bytes for each row of a tensor, always the same ones.

    >>> fingerprint(["a"]).numpy().tolist()
    [[227, 117, 223, 182, 101, 66, 69, 179]]
    """
    return call("Fingerprint", (convert_to_tensor(data), _string(method)), {}, name)


# --- regular expressions --------------------------------------------------------------------------------------------


@export("strings.regex_full_match")
@elementwise
def regex_full_match(input, pattern, name=None):  # noqa: A002
    """Whether the pattern, in RE2's syntax, matches each whole string.

    >>> regex_full_match(["TF lib", "lib TF"], ".*lib$").numpy().tolist()
    [True, False]
    """
    if isinstance(pattern, _TEXT):
        return call("StaticRegexFullMatch", (_string(input),), {"pattern": _text(pattern)}, name)
    return call("RegexFullMatch", (_string(input), _string(pattern)), {}, name)


@export("strings.regex_replace")
@elementwise
def regex_replace(input, pattern, rewrite, replace_global=True, name=None):  # noqa: A002
    r"""Replace matches of a pattern; `\\1` to `\\9` in `rewrite` stand for its groups, `\\0` for the match.

    >>> regex_replace("Text with tags.<br /><b>contains html</b>", "<[^>]+>", " ").numpy()
    b'Text with tags.  contains html '
    """
    attrs = {"replace_global": bool(replace_global)}
    if isinstance(pattern, _TEXT) and isinstance(rewrite, _TEXT):
        attrs |= {"pattern": _text(pattern), "rewrite": _text(rewrite)}
        return call("StaticRegexReplace", (_string(input),), attrs, name)
    return call("RegexReplace", (_string(input), _string(pattern), _string(rewrite)), attrs, name)


# --- joining and splitting ------------------------------------------------------------------------------------------


@export("strings.join")
def join(inputs, separator="", name=None):
    """Join tensors of strings element by element; scalars join every element.

    >>> join([["a", "b"], "x"], separator="-").numpy().tolist()
    [b'a-x', b'b-x']
    """
    inputs = [x if isinstance(x, RaggedTensor) else _string(x) for x in inputs]
    if any(isinstance(x, RaggedTensor) for x in inputs):
        return map_flat_values(lambda *parts: join(parts, separator, name), *inputs)
    return call("StringJoin", inputs, {"separator": _text(separator), "N": len(inputs)}, name)


@export("strings.reduce_join")
def reduce_join(inputs, axis=None, keepdims=False, separator="", name=None):
    """Join the strings along axes, the first of which changes fastest; along all, row by row, without one.

    >>> reduce_join([["a", "b"], ["c", "d"]], -1, separator=":").numpy().tolist()
    [b'a:b', b'c:d']
    """
    if isinstance(inputs, RaggedTensor):
        return _reduce_join_ragged(inputs, axis, keepdims, separator, name)
    inputs = _string(inputs)
    if axis is None:
        rank = inputs.shape.rank
        axis = (
            TABLE["range"](TABLE["rank"](inputs) - 1, -1, -1)
            if rank is None
            else constant(np.arange(rank - 1, -1, -1, dtype=np.int32))
        )
    attrs = {"keep_dims": bool(keepdims), "separator": _text(separator)}
    return call("ReduceJoin", (inputs, convert_to_tensor(axis, dtypes.int32)), attrs, name)


def _reduce_join_ragged(rows, axis, keepdims, separator, name):
    if axis is None:
        return reduce_join(rows.flat_values, None, keepdims, separator, name)
    if isinstance(axis, (list, tuple)):
        if len(axis) != 1:
            raise NotImplementedError(f"reduce_join of a RaggedTensor takes one axis. Received: {axis}")
        axis = axis[0]
    rank = rows.shape.rank
    axis += rank if axis < 0 else 0
    if axis > 1 and isinstance(rows.values, RaggedTensor):
        return rows.with_values(_reduce_join_ragged(rows.values, axis - 1, keepdims, separator, name))
    if axis != 1 or isinstance(rows.values, RaggedTensor):
        raise NotImplementedError("reduce_join of a RaggedTensor joins its innermost rows.")
    joined = unsorted_segment_join(rows.values, rows.value_rowids(), rows.nrows(), separator, name)
    return TABLE["expand_dims"](joined, 1) if keepdims else joined


@export("strings.unsorted_segment_join")
def unsorted_segment_join(inputs, segment_ids, num_segments, separator="", name=None):
    """Join the strings of each segment.

    >>> unsorted_segment_join(["this", "a", "test", "is"], [0, 1, 1, 0], 2, ":").numpy().tolist()
    [b'this:is', b'a:test']
    """
    operands = (_string(inputs), convert_to_tensor(segment_ids), convert_to_tensor(num_segments))
    return call("UnsortedSegmentJoin", operands, {"separator": _text(separator)}, name)


def _by_rows(function, input, unknown_is_vector=False):  # noqa: A002
    """Apply a function from a vector of strings to a ragged matrix (or several), to a tensor of any rank.

    A scalar gives one row; a tensor of more axes, and a ragged one, gives one more ragged axis.
    """
    if isinstance(input, RaggedTensor):
        return _nested(function, input)
    input = _string(input)  # noqa: A001
    rank = 1 if input.shape.rank is None and unknown_is_vector else input.shape.rank
    if rank is None:
        raise ValueError("Rank of `input` must be statically known.")
    if rank == 0:
        result = function(TABLE["reshape"](input, [1]))
        return tuple(r.values for r in result) if isinstance(result, tuple) else result.values
    if rank == 1:
        return function(input)
    return _nested(function, RaggedTensor.from_tensor(input, ragged_rank=rank - 1))


def _nested(function, rows):
    if rows.flat_values.shape.rank not in (None, 1):
        flat = rows.flat_values
        rows = rows.with_flat_values(RaggedTensor.from_tensor(flat, ragged_rank=flat.shape.rank - 1))
    result = function(rows.flat_values)
    return tuple(map(rows.with_flat_values, result)) if isinstance(result, tuple) else rows.with_flat_values(result)


@export("strings.split")
def split(input, sep=None, maxsplit=-1, name=None):  # noqa: A002
    """Split strings at a separator, or at runs of white space: one ragged row each.

    >>> split(["hello world", "a b c"])
    <tf.RaggedTensor [[b'hello', b'world'], [b'a', b'b', b'c']]>
    """
    sep = constant(b"" if sep is None else sep) if sep is None or isinstance(sep, _TEXT) else _string(sep)
    maxsplit = int(maxsplit)

    def rows(flat):
        indices, values, shape = call("StringSplitV2", (flat, sep), {"maxsplit": maxsplit}, name)
        return RaggedTensor.from_value_rowids(values, indices[:, 0], shape[0], validate=False)

    return _by_rows(rows, input, unknown_is_vector=True)


@export("strings.bytes_split")
def bytes_split(input, name=None):  # noqa: A002
    """Split strings into bytes.

    >>> bytes_split("hello").numpy().tolist()
    [b'h', b'e', b'l', b'l', b'o']
    """

    def rows(flat):
        indices, values, shape = call("StringSplit", (flat, constant(b"")), {"skip_empty": True}, name)
        return RaggedTensor.from_value_rowids(values, indices[:, 0], shape[0], validate=False)

    return _by_rows(rows, input)


@export("strings.ngrams")
def ngrams(
    data, ngram_width, separator=" ", pad_values=None, padding_width=None, preserve_short_sequences=False, name=None
):
    """Runs of neighbouring strings, joined.

    >>> ngrams(["A", "B", "C"], 2).numpy().tolist()
    [b'A B', b'B C']
    """
    if isinstance(pad_values, _TEXT):
        left, right = pad_values, pad_values
    elif isinstance(pad_values, tuple) and len(pad_values) == 2 and all(isinstance(p, _TEXT) for p in pad_values):
        left, right = pad_values
    elif pad_values is None:
        left, right = "", ""
    else:
        raise TypeError("pad_values must be a string, tuple of strings, or None.")
    if padding_width is not None and padding_width < 1:
        raise ValueError(f"padding_width must be greater than 0. Got {padding_width}")
    if pad_values is None and padding_width is not None:
        raise ValueError("pad_values must be provided if padding_width is set.")
    widths = [ngram_width] if isinstance(ngram_width, int) else list(ngram_width)
    for width in widths:
        if width < 1:
            raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
    rows = data if isinstance(data, RaggedTensor) else _string(data)
    dense, rank = not isinstance(rows, RaggedTensor), rows.shape.rank
    if dense:
        rows = TABLE["expand_dims"](rows, 0) if rank == 1 else rows
        rows = RaggedTensor.from_tensor(rows, ragged_rank=max(rank - 1, 1))
    outer, inner = rows, rows.values
    while isinstance(inner, RaggedTensor):
        outer, inner = inner, inner.values
    attrs = {
        "separator": _text(separator),
        "ngram_widths": widths,
        "left_pad": _text(left),
        "right_pad": _text(right),
        "pad_width": -1 if pad_values is not None and padding_width is None else (padding_width or 0),
        "preserve_short_sequences": bool(preserve_short_sequences),
    }
    values, splits = call("StringNGrams", (inner, outer.row_splits), attrs, name)
    result = RaggedTensor.from_row_splits(values, splits, validate=False)
    if outer is not rows:
        result = _with_innermost(rows, result)
    if not dense:
        return result
    return result.values if rank == 1 else result.to_tensor()


def _with_innermost(rows, new):
    inner = rows.values
    return rows.with_values(new if not isinstance(inner.values, RaggedTensor) else _with_innermost(inner, new))


@export("strings.format")
def format_(template, inputs, placeholder="{}", summarize=3, name=None):
    """A text with tensors in it, as `tf.print` shows them.

    >>> format_("tensor: {}", constant([1, 2])).numpy()
    b'tensor: [1 2]'
    """
    if isinstance(inputs, (tuple, list)):
        tensors = list(inputs)
    else:
        tensors = [inputs]
    count = template.count(placeholder)
    if count != len(tensors):
        raise ValueError(
            f"The template expects {count} tensors, but the inputs only has {len(tensors)}. Please ensure the "
            "number of placeholders in template matches inputs length."
        )
    tensors = [t if isinstance(t, RaggedTensor) else convert_to_tensor(t) for t in tensors]
    attrs = {"template": template, "placeholder": placeholder, "summarize": summarize}
    if any(isinstance(t, RaggedTensor) for t in tensors):
        flat = [
            p for t in tensors for p in ((t.flat_values, *t.nested_row_splits) if isinstance(t, RaggedTensor) else (t,))
        ]
        counts = [t.ragged_rank if isinstance(t, RaggedTensor) else -1 for t in tensors]
        types = {"T_output": dtypes.string, "Tin_values": [t.dtype for t in flat]}
        return call("Reflow>Format", flat, {**attrs, **types, "ragged": counts}, name)
    return call("StringFormat", tensors, {**attrs, "T": [t.dtype for t in tensors]}, name)


# --- encodings ------------------------------------------------------------------------------------------------------


def _decode(input, input_encoding, errors, replacement_char, controls, offsets: bool, name=None):  # noqa: A002
    op = "UnicodeDecodeWithOffsets" if offsets else "UnicodeDecode"
    attrs = {
        "input_encoding": _text(input_encoding),
        "errors": _one_of(op, "errors", _text(errors)),
        "replacement_char": replacement_char,
        "replace_control_characters": controls,
    }

    def rows(flat):
        splits, values, *starts = call(op, (flat,), {**attrs, "Tsplits": dtypes.int64}, name)
        points = RaggedTensor.from_row_splits(values, splits, validate=False)
        return (points, points.with_values(starts[0])) if offsets else points

    return _by_rows(rows, input)


@export("strings.unicode_decode")
def unicode_decode(
    input,
    input_encoding,
    errors="replace",
    replacement_char=65533,  # noqa: A002
    replace_control_characters=False,
    name=None,
):
    """The code points of each string.

    >>> unicode_decode(["né"], "UTF-8").to_list()
    [[110, 233]]
    """
    return _decode(input, input_encoding, errors, replacement_char, replace_control_characters, False, name)


@export("strings.unicode_decode_with_offsets")
def unicode_decode_with_offsets(
    input,
    input_encoding,
    errors="replace",
    replacement_char=65533,  # noqa: A002
    replace_control_characters=False,
    name=None,
):
    """The code points of each string, and the byte where each starts.

    >>> [r.to_list() for r in unicode_decode_with_offsets(["éa"], "UTF-8")]
    [[[233, 97]], [[0, 2]]]
    """
    return _decode(input, input_encoding, errors, replacement_char, replace_control_characters, True, name)


def _characters(points, encoding):
    """Code points, each as a string of its own."""
    if isinstance(points, RaggedTensor):
        return points.with_flat_values(_characters(points.flat_values, encoding))
    splits = TABLE["range"](TABLE["size"](points, out_type=dtypes.int64) + 1)
    return call(
        "UnicodeEncode", (points, splits), {"output_encoding": encoding, "errors": "replace", "replacement_char": 65533}
    )


@export("strings.unicode_split")
def unicode_split(input, input_encoding, errors="replace", replacement_char=65533, name=None):  # noqa: A002
    """The characters of each string.

    >>> unicode_split("abc", "UTF-8").numpy().tolist()
    [b'a', b'b', b'c']
    """
    points = _decode(input, input_encoding, errors, replacement_char, False, False, name)
    return _characters(points, _one_of("UnicodeEncode", "output_encoding", _text(input_encoding)))


@export("strings.unicode_split_with_offsets")
def unicode_split_with_offsets(input, input_encoding, errors="replace", replacement_char=65533, name=None):  # noqa: A002
    """The characters of each string, and the byte where each starts."""
    points, starts = _decode(input, input_encoding, errors, replacement_char, False, True, name)
    return _characters(points, _one_of("UnicodeEncode", "output_encoding", _text(input_encoding))), starts


@export("strings.unicode_encode")
def unicode_encode(input, output_encoding, errors="replace", replacement_char=65533, name=None):  # noqa: A002
    """Strings of code points, along the last axis.

    >>> unicode_encode([110, 233], "UTF-8").numpy()
    b'n\\xc3\\xa9'
    """
    attrs = {
        "output_encoding": _one_of("UnicodeEncode", "output_encoding", _text(output_encoding)),
        "errors": _one_of("UnicodeEncode", "errors", _text(errors)),
        "replacement_char": replacement_char,
    }
    if not isinstance(input, RaggedTensor):
        input = convert_to_tensor(input, dtypes.int32) if not isinstance(input, Tensor) else input  # noqa: A001
        if input.shape.rank is None:
            raise ValueError("Rank of input_tensor must be statically known.")
        if input.shape.rank == 0:
            raise ValueError("input_tensor's rank must be at least 1.")
        if input.shape.rank == 1:
            row = RaggedTensor.from_row_splits(
                input,
                TABLE["stack"]([constant(0, dtypes.int64), TABLE["shape"](input, out_type=dtypes.int64)[0]]),
                validate=False,
            )
            return TABLE["reshape"](call("UnicodeEncode", (row.values, row.row_splits), attrs, name), [])
        if input.shape.rank > 2:
            shape = TABLE["shape"](input)
            flat = TABLE["reshape"](input, TABLE["stack"]([-1, shape[-1]]))
            return TABLE["reshape"](unicode_encode(flat, output_encoding, errors, replacement_char, name), shape[:-1])
        input = RaggedTensor.from_tensor(input)  # noqa: A001
    if isinstance(input.values, RaggedTensor):
        return input.with_values(unicode_encode(input.values, output_encoding, errors, replacement_char, name))
    if input.values.shape.rank not in (None, 1):
        return input.with_values(unicode_encode(input.values, output_encoding, errors, replacement_char, name))
    return call("UnicodeEncode", (input.values, input.row_splits), attrs, name)


@export("strings.unicode_transcode")
@elementwise
def unicode_transcode(
    input,
    input_encoding,
    output_encoding,
    errors="replace",
    replacement_char=65533,  # noqa: A002
    replace_control_characters=False,
    name=None,
):
    """Strings in another encoding.

    >>> unicode_transcode("né", "UTF-8", "UTF-16-BE").numpy()
    b'\\x00n\\x00\\xe9'
    """
    attrs = {
        "input_encoding": _text(input_encoding),
        "errors": _one_of("UnicodeTranscode", "errors", _text(errors)),
        "output_encoding": _one_of("UnicodeTranscode", "output_encoding", _text(output_encoding)),
        "replacement_char": replacement_char,
        "replace_control_characters": replace_control_characters,
    }
    return call("UnicodeTranscode", (_string(input),), attrs, name)


@export("strings.unicode_script")
@elementwise
def unicode_script(input, name=None):  # noqa: A002
    """ICU's number of the script of each code point, -1 for none.

    >>> unicode_script([ord("a"), ord("я")]).numpy().tolist()
    [25, 8]
    """
    return call("UnicodeScript", (convert_to_tensor(input, dtypes.int32),), {}, name)


# --- base64 ---------------------------------------------------------------------------------------------------------


@export("io.encode_base64")
@elementwise
def encode_base64(input, pad=False, name=None):  # noqa: A002
    """Strings in base64, with - and _ as in addresses of web pages.

    >>> encode_base64("hi?").numpy(), decode_base64("aGk_").numpy()
    (b'aGk_', b'hi?')
    """
    return call("EncodeBase64", (_string(input),), {"pad": bool(pad)}, name)


@export("io.decode_base64")
@elementwise
def decode_base64(input, name=None):  # noqa: A002
    """What strings in base64 spell; padding may be left out."""
    return call("DecodeBase64", (_string(input),), {}, name)
