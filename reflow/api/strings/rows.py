"""`tf.strings`: joining strings, and splitting them into the rows of ragged tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.api.array import arrange, creation
from reflow.api.call import call
from reflow.api.export import export
from reflow.api.strings.elementwise import TEXT, as_text, string_tensor
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.ragged import RaggedTensor
from reflow.ops.convert import constant, convert_to_tensor
from reflow.ops.from_python import mixed_dtypes


@export("strings.join")
def join(inputs, separator="", name=None):
    """Joins tensors of strings elementwise; scalars are broadcast.

    Args:
      inputs: A list of string tensors of one shape, or scalars.
      separator: What stands between the strings.
      name: A name for the operation.

    Returns:
      A tensor of strings of that shape.

    Raises:
      InvalidArgumentError: The shapes do not fit, or there is something else than strings.

    >>> join([["a", "b"], "x"], separator="-").numpy().tolist()
    [b'a-x', b'b-x']
    """
    inputs = [string_tensor(x) for x in inputs]
    for place, given in enumerate(inputs):
        # an op with a list argument does not check dtypes itself
        if given.dtype is not dtypes.string and state.graph is None:
            raise mixed_dtypes("StringJoin", place, dtypes.string, given.dtype)
    return call("StringJoin", inputs, {"separator": as_text(separator), "N": len(inputs)}, name)


@export("strings.reduce_join")
def reduce_join(inputs, axis=None, keepdims=False, separator="", name=None):
    """Joins strings along axes, the first of which varies fastest.

    Args:
      inputs: A tensor of strings.
      axis: The axis or axes to join along, in order; by default all, row by row.
      keepdims: Whether joined axes stay, with size 1.
      separator: What stands between the strings.
      name: A name for the operation.

    Returns:
      A tensor of strings without the axes, unless `keepdims` is set.

    Raises:
      OutOfRangeError: There is no such axis.

    >>> reduce_join([["a", "b"], ["c", "d"]], -1, separator=":").numpy().tolist()
    [b'a:b', b'c:d']
    """
    inputs = string_tensor(inputs)
    if axis is None:
        rank = inputs.shape.rank
        axis = (
            creation.range(arrange.rank(inputs) - 1, -1, -1)
            if rank is None
            else constant(np.arange(rank - 1, -1, -1, dtype=np.int32))
        )
    attrs = {"keep_dims": bool(keepdims), "separator": as_text(separator)}
    return call("ReduceJoin", (inputs, convert_to_tensor(axis, dtypes.int32)), attrs, name)


@export("strings.unsorted_segment_join")
def unsorted_segment_join(inputs, segment_ids, num_segments, separator="", name=None):
    """Joins the strings of each segment.

    Args:
      inputs: A tensor of strings.
      segment_ids: The segment of each string, integers of a shape that `inputs.shape` begins with.
      num_segments: The number of segments.
      separator: What stands between the strings.
      name: A name for the operation.

    Returns:
      A tensor of strings whose first axis, of size `num_segments`, replaces those of `segment_ids`.

    Raises:
      InvalidArgumentError: A segment is out of range, or the shapes do not fit.

    >>> unsorted_segment_join(["this", "a", "test", "is"], [0, 1, 1, 0], 2, ":").numpy().tolist()
    [b'this:is', b'a:test']
    """
    operands = (string_tensor(inputs), convert_to_tensor(segment_ids), convert_to_tensor(num_segments))
    return call("UnsortedSegmentJoin", operands, {"separator": as_text(separator)}, name)


def by_rows(function, input, unknown_is_vector=False) -> Any:
    """Apply a function from a vector of strings to a ragged matrix (or several), to a tensor of any rank.

    A scalar gives one row; a tensor of more axes, and a ragged one, gives one more ragged axis.
    """
    if isinstance(input, RaggedTensor):
        return _nested(function, input)
    input = string_tensor(input)
    rank = 1 if input.shape.rank is None and unknown_is_vector else input.shape.rank
    if rank is None:
        raise ValueError("Rank of `input` must be statically known.")
    if rank == 0:
        result = function(arrange.reshape(input, [1]))
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
def split(input, sep=None, maxsplit=-1, name=None):
    """Splits strings at a separator, or at runs of white space, into ragged rows.

    Args:
      input: A tensor of strings, possibly ragged.
      sep: The separator, a scalar; None or empty for runs of white space.
      maxsplit: How often to split each string at most; -1 for no limit.
      name: A name for the operation.

    Returns:
      A `RaggedTensor` with one more axis, of the pieces; a vector for a scalar.

    >>> split(["hello world", "a b c"])
    <tf.RaggedTensor [[b'hello', b'world'], [b'a', b'b', b'c']]>
    """
    sep = constant(b"" if sep is None else sep) if sep is None or isinstance(sep, TEXT) else string_tensor(sep)
    maxsplit = int(maxsplit)

    def rows(flat):
        indices, values, shape = call("StringSplitV2", (flat, sep), {"maxsplit": maxsplit}, name)
        return RaggedTensor.from_value_rowids(values, indices[:, 0], shape[0], validate=False)

    return by_rows(rows, input, unknown_is_vector=True)


@export("strings.bytes_split")
def bytes_split(input, name=None):
    """Splits strings into bytes.

    Args:
      input: A tensor of strings, possibly ragged.
      name: A name for the operation.

    Returns:
      A `RaggedTensor` with one more axis, of strings of one byte; a vector for a scalar.

    Raises:
      ValueError: The rank of `input` is not known.

    >>> bytes_split("hello").numpy().tolist()
    [b'h', b'e', b'l', b'l', b'o']
    """

    def rows(flat):
        indices, values, shape = call("StringSplit", (flat, constant(b"")), {"skip_empty": True}, name)
        return RaggedTensor.from_value_rowids(values, indices[:, 0], shape[0], validate=False)

    return by_rows(rows, input)


def _pads(pad_values, padding_width) -> tuple:
    """What rows are padded with on the left and on the right."""
    if not isinstance(pad_values, TEXT) and pad_values is not None:
        pair = isinstance(pad_values, tuple) and len(pad_values) == 2 and all(isinstance(p, TEXT) for p in pad_values)
        if not pair:
            raise TypeError("pad_values must be a string, tuple of strings, or None.")
    if padding_width is not None and padding_width < 1:
        raise ValueError(f"padding_width must be greater than 0. Got {padding_width}")
    if pad_values is None and padding_width is not None:
        raise ValueError("pad_values must be provided if padding_width is set.")
    if pad_values is None:
        return "", ""
    return pad_values if isinstance(pad_values, tuple) else (pad_values, pad_values)


@export("strings.ngrams")
def ngrams(
    data, ngram_width, separator=" ", pad_values=None, padding_width=None, preserve_short_sequences=False, name=None
):
    """Joins runs of adjacent strings.

    Args:
      data: A tensor of strings, possibly ragged, with at least one axis.
      ngram_width: How many strings a run has, or a list of such numbers.
      separator: What stands between the strings.
      pad_values: A string to pad each row with at both ends, or a tuple of one for each end; None for no padding.
      padding_width: How often to pad at each end, at most one less than the run; by default so often.
      preserve_short_sequences: Whether a row too short for a run gives one of all its strings, rather than none.
      name: A name for the operation.

    Returns:
      A tensor of strings whose last axis holds the runs; ragged if `data` is.

    Raises:
      TypeError: `pad_values` is not a string, a tuple of two strings or None.
      ValueError: A width is not positive, `pad_values` is missing for a `padding_width`, or `data` is a scalar.

    >>> ngrams(["A", "B", "C"], 2).numpy().tolist()
    [b'A B', b'B C']
    """
    left, right = _pads(pad_values, padding_width)
    widths = [ngram_width] if isinstance(ngram_width, int) else list(ngram_width)
    for width in widths:
        if width < 1:
            raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
    rows = data if isinstance(data, RaggedTensor) else string_tensor(data)
    dense = not isinstance(rows, RaggedTensor)
    rank: Any = rows.shape.rank
    if rank is None:
        raise ValueError("Rank of data must be known.")
    if rank == 0:
        raise ValueError("Data must have rank>0")
    if dense:
        rows = arrange.expand_dims(rows, 0) if rank == 1 else rows
        rows = RaggedTensor.from_tensor(rows, ragged_rank=max(rank - 1, 1))
    outer, inner = rows, rows.values
    while isinstance(inner, RaggedTensor):
        outer, inner = inner, inner.values
    attrs = {
        "separator": as_text(separator),
        "ngram_widths": widths,
        "left_pad": as_text(left),
        "right_pad": as_text(right),
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
