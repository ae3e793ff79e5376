"""Histograms of fixed width, isotonic regression, Sobol points, approximate top-k, repeated labels."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np

from reflow.api.array import arrange, creation, indexing, sorting
from reflow.api.call import call
from reflow.api.control import functional
from reflow.api.export import export, export_function, with_sections
from reflow.api.math import arithmetic, bins, clip, reduce, unary
from reflow.api.scoped import scoped
from reflow.core import dtypes
from reflow.core.specs import TensorSpec
from reflow.ops.convert import constant, convert_to_tensor

_Isotonic = collections.namedtuple("IsotonicRegression", "output segments")  # type: ignore[name-match]
_TopK = collections.namedtuple("ApproxTopK", "values indices")  # type: ignore[name-match]


@export("histogram_fixed_width")
@scoped("histogram_fixed_width", result=True)
def histogram_fixed_width(values, value_range, nbins=100, dtype: Any = dtypes.int32, name=None):
    """Counts the values in each of `nbins` equal bins of a range; values outside count in the first or last bin.

    Args:
      values: A tensor of numbers.
      value_range: The ends of the range, `[low, high]`.
      nbins: The number of bins.
      dtype: The dtype of the counts, int32 or int64.
      name: A name for the operation.

    Returns:
      A vector of `nbins` counts.

    Raises:
      InvalidArgumentError: The range is empty, or `nbins` is not positive.

    >>> tf.histogram_fixed_width([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5).numpy().tolist()
    [2, 1, 1, 0, 2]
    """
    values = convert_to_tensor(values)
    inputs = (values, convert_to_tensor(value_range, values._dtype), convert_to_tensor(nbins, dtypes.int32))
    return call("HistogramFixedWidth", inputs, {"dtype": dtypes.as_dtype(dtype)}, name)


@export("histogram_fixed_width_bins")
def histogram_fixed_width_bins(values, value_range, nbins=100, dtype: Any = dtypes.int32, name=None):
    """Finds the bin of each value, of `nbins` equal bins of a range; values outside are in the first or last bin.

    Args:
      values: A tensor of numbers.
      value_range: The ends of the range, `[low, high]`.
      nbins: The number of bins.
      dtype: The dtype of the numbers of the bins.
      name: A name for the operation.

    Returns:
      A tensor of the shape of `values`, with numbers in `[0, nbins)`.

    >>> tf.histogram_fixed_width_bins([-1.0, 1.5, 15.0], [0.0, 5.0], nbins=5).numpy().tolist()
    [0, 1, 4]
    """
    values = convert_to_tensor(values)
    low, high = arrange.unstack(arithmetic.cast(convert_to_tensor(value_range), values._dtype), num=2)
    scaled = arithmetic.truediv(values - low, high - low)
    count = convert_to_tensor(nbins, dtypes.int32)
    places = unary.floor(arithmetic.cast(count, scaled._dtype) * scaled)
    top = arithmetic.cast(count - 1, scaled._dtype)
    bounded = clip.clip_by_value(places, constant(0, scaled._dtype), top)
    return arithmetic.cast(bounded, dtypes.as_dtype(dtype), name)


@export("nn.isotonic_regression")
def isotonic_regression(inputs, decreasing=True, axis=-1):
    """Finds the closest monotonic sequence (in least squares) along an axis; and the segments that were pooled.

    Args:
      inputs: A tensor of numbers.
      decreasing: Whether the sequence decreases; else it increases.
      axis: The axis of the sequences.

    Returns:
      A tuple `(output, segments)` of tensors of the shape of `inputs`. `output` has the dtype of floats, float32 for
      integers of 8 and 16 bits, float64 for longer ones; `segments` says, in int32, to which segment of equal numbers
      each element belongs.

    >>> tf.nn.isotonic_regression([3.0, 1.0, 2.0])[0].numpy().tolist()
    [3.0, 1.5, 1.5]
    """
    x = convert_to_tensor(inputs)
    last = x.shape.rank is None or axis in (-1, x.shape.rank - 1)
    if not last:
        order = list(range(len(x.shape)))
        order[axis], order[-1] = order[-1], order[axis]
        found = isotonic_regression(arrange.transpose(x, order), decreasing)
        return tuple(arrange.transpose(t, order) for t in found)
    if not decreasing:
        values, segments = isotonic_regression(unary.negative(x))
        return unary.negative(values), segments
    out = x._dtype if x._dtype.kind == "f" else dtypes.float32 if x._dtype.size < 4 else dtypes.float64
    found = call("IsotonicRegression", (x,), {"output_dtype": out})
    return _Isotonic(*found)


@export("math.sobol_sample")
def sobol_sample(dim, num_results, skip=0, dtype: Any = dtypes.float32, name=None):
    """Returns points of Sobol's sequence, which fill the unit cube evenly.

    Args:
      dim: The number of coordinates of a point, at least 1.
      num_results: The number of points.
      skip: How many points at the start of the sequence are left out.
      dtype: The dtype of the coordinates, float32 or float64.
      name: A name for the operation.

    Returns:
      A tensor of shape `[num_results, dim]`.

    Raises:
      InvalidArgumentError: `dim` is not positive.

    >>> tf.math.sobol_sample(2, 2).numpy().tolist()
    [[0.5, 0.5], [0.75, 0.25]]
    """
    inputs = [convert_to_tensor(x, dtypes.int32) for x in (dim, num_results, skip)]
    return call("SobolSample", inputs, {"dtype": dtypes.as_dtype(dtype)}, name)


@export("timestamp")
def timestamp(name=None):
    """Returns the seconds since 1970, at the time when the op runs.

    Args:
      name: A name for the operation.

    Returns:
      A scalar tensor of dtype float64.

    >>> timestamp().dtype
    tf.float64
    """
    return call("Timestamp", (), {}, name)


def _approx(operand, k, axis, recall_target, name, largest: bool):
    """TensorFlow's CPU kernel is exact too; only a TPU's is not."""
    if not 0.0 < recall_target <= 1.0:
        raise ValueError(f"recall_target must be in (0, 1]. Received: {recall_target}")
    x = convert_to_tensor(operand)
    last = x.shape.rank is None or axis in (-1, x.shape.rank - 1)
    order = None
    if not last:
        order = list(range(len(x.shape)))
        order[axis], order[-1] = order[-1], order[axis]
        x = arrange.transpose(x, order)
    values, indices = sorting.top_k(x if largest else unary.negative(x), k, name=name)
    values = values if largest else unary.negative(values)
    if order is not None:
        values, indices = arrange.transpose(values, order), arrange.transpose(indices, order)
    return _TopK(values, indices)


_TOP_K = """\
Args:
  {operand}: A tensor of a float or integer dtype.
  k: How many elements to find.
  reduction_dimension: The axis to search.
  recall_target: In (0, 1], the part that must be found; all of them are.
  reduction_input_size_override: Ignored: it tunes TPUs.
  aggregate_to_topk: Ignored: there are never more than `k` elements.
  name: A name for the operation.

Returns:
  A named tuple `(values, indices)`, both of size `k` along the axis; the indices are int32.

Raises:
  ValueError: `recall_target` is out of range.
  InvalidArgumentError: The axis has fewer than `k` elements.
"""


def _approximate(largest: bool, public: str, what: str, result: list):
    def function(
        operand, k, reduction_dimension=-1, recall_target=0.95, reduction_input_size_override=-1,
        aggregate_to_topk=True, name=None,
    ):
        return _approx(operand, k, reduction_dimension, recall_target, name, largest)

    doc = f"""Finds the k {what} elements along an axis and their places; all of them, whatever `recall_target` allows.

{_TOP_K.format(operand="operand")}"""
    example = f">>> tf.math.{public}([1.0, 5.0, 3.0], 2)[1].numpy().tolist()\n{result}"
    return export_function(function, f"math.{public}", f"nn.{public}", doc=doc, example=example)


approx_max_k = _approximate(True, "approx_max_k", "greatest", [1, 2])
approx_min_k = _approximate(False, "approx_min_k", "smallest", [0, 2])


@export("approx_top_k")
@with_sections(_TOP_K, operand="input")
def approx_top_k(
    input, k, reduction_dimension=-1, recall_target=0.95, is_max_k=True, reduction_input_size_override=-1,
    aggregate_to_topk=True, name=None,
):
    """Finds the k greatest, or smallest, elements along an axis and their indices, without error.

    Args:
      is_max_k: Whether to find the greatest elements; else the smallest.

    >>> tf.approx_top_k(tf.constant([1.0, 5.0, 3.0]), 1)[0].numpy().tolist()
    [5.0]
    """
    return _approx(input, k, reduction_dimension, recall_target, name, bool(is_max_k))


@export("nn.ctc_unique_labels")
def ctc_unique_labels(labels, name=None):
    """Finds the different labels of each row, in order of appearance, and where each label is among them.

    Args:
      labels: A matrix of integers, a row for each sequence.
      name: Ignored.

    Returns:
      Two tensors of the shape of `labels`: the different labels in int64, with zeros after them, and the place of each
      label among them in int32.

    >>> [t.numpy().tolist() for t in tf.nn.ctc_unique_labels([[1, 1, 2]])]
    [[[1, 2, 0]], [[0, 0, 1]]]
    """
    labels = convert_to_tensor(labels)

    def row(x):
        found, places = sorting.unique(x)
        size = arrange.shape(x)[0]
        padded = arrange.pad(found, [[0, size - arrange.shape(found)[0]]])
        return [arithmetic.cast(padded, dtypes.int64), places]

    width = labels.shape[1:]
    specs = [TensorSpec(width, dtypes.int64), TensorSpec(width, dtypes.int32)]
    return functional.map_fn(row, labels, fn_output_signature=specs)


@export("nn.collapse_repeated")
def collapse_repeated(labels, seq_length, name=None):
    """Removes repetitions from label sequences, and counts what is left; positions beyond `seq_length` are ignored.

    Args:
      labels: A matrix of labels, a row for each sequence.
      seq_length: The length of each sequence.
      name: Ignored.

    Returns:
      The labels that are left, with zeros after them, of shape `[rows, longest]`; and how many there are in each row,
      of the dtype of `seq_length`.

    >>> [t.numpy().tolist() for t in tf.nn.collapse_repeated([[1, 1, 2, 3], [4, 4, 4, 1]], [4, 3])]
    [[[1, 2, 3], [4, 0, 0]], [3, 1]]
    """
    labels, lengths = convert_to_tensor(labels), convert_to_tensor(seq_length)
    first = creation.ones_like(labels[:, :1], dtypes.bool_)
    new = arrange.concat([first, arithmetic.not_equal(labels[:, 1:], labels[:, :-1])], 1)
    width = arrange.shape(labels)[1]
    keep = arithmetic.logical_and(new, creation.sequence_mask(lengths, maxlen=width))
    counts = reduce.reduce_sum(arithmetic.cast(keep, lengths._dtype), 1)
    longest = reduce.reduce_max(counts)
    places = creation.sequence_mask(counts, maxlen=longest)
    flat = indexing.boolean_mask(labels, keep)
    shape = arithmetic.cast(arrange.shape(places), dtypes.int64)
    return indexing.scatter_nd(arithmetic.where(places), flat, shape), counts


@export("extract_volume_patches")
def extract_volume_patches(input, ksizes, strides, padding, name=None):
    """Extracts patches of volumes `[batch, planes, rows, columns, depth]`, each as one vector in the place of the
    depth.

    Args:
      input: A tensor of rank 5.
      ksizes: The size of a patch, five integers of which the first and last are 1.
      strides: The distances between patches, five integers of which the first and last are 1.
      padding: "VALID" for patches within the volume, or "SAME", which pads it with zeros.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `input`, of shape `[batch, planes, rows, columns, depth * size of a patch]`.

    Raises:
      ValueError: `padding` is another word.

    >>> tf.extract_volume_patches(tf.ones([1, 2, 2, 2, 1]), [1, 2, 2, 1, 1], [1] * 5, "VALID").shape
    TensorShape([1, 1, 1, 2, 4])
    """
    x = convert_to_tensor(input)
    sizes, steps = ksizes[1:4], strides[1:4]
    if padding == "SAME":
        totals = [_at_least_0((-(-n // s) - 1) * s + k - n) for n, s, k in zip(_sizes(x), steps, sizes, strict=True)]
        x = arrange.pad(x, [[0, 0], *([t // 2, t - t // 2] for t in totals), [0, 0]])
    elif padding != "VALID":
        raise ValueError(f"`padding` must be 'SAME' or 'VALID'. Received: padding={padding!r}")
    counts = [(n - k) // s + 1 for n, s, k in zip(_sizes(x), steps, sizes, strict=True)]
    parts = []
    for place in np.ndindex(*sizes):
        cuts = [slice(p, p + (c - 1) * s + 1, s) for p, c, s in zip(place, counts, steps, strict=True)]
        parts.append(x[(slice(None), *cuts)])
    return arrange.concat(parts, -1, name=name or "ExtractVolumePatches")


def _sizes(volume) -> list:
    """Planes, rows and columns: numbers where they are known, else tensors."""
    known = volume.shape.as_list()[1:4] if volume.shape.rank is not None else [None] * 3
    if None not in known:
        return known
    dims = arrange.shape(volume)
    return [dims[i + 1] if n is None else n for i, n in enumerate(known)]


def _at_least_0(n):
    return max(n, 0) if isinstance(n, int) else arithmetic.maximum(n, 0)


RaggedFillEmptyRows = collections.namedtuple(
    "RaggedFillEmptyRows", "output_value_rowids output_values empty_row_indicator reverse_index_map"
)
RaggedFillEmptyRowsGrad = collections.namedtuple("RaggedFillEmptyRowsGrad", "d_values d_default_value")


@export("ragged_fill_empty_rows")
def ragged_fill_empty_rows(value_rowids, values, nrows, default_value, name=None):
    """Puts a default value into the empty rows of a ragged matrix, which is given by the row number of each value.

    Args:
      value_rowids: The row of each value, a sorted vector of integers.
      values: The values, a vector.
      nrows: The number of rows.
      default_value: The value for empty rows.
      name: Ignored.

    Returns:
      A named tuple: `output_value_rowids` and `output_values` of the filled rows, `empty_row_indicator`, a boolean for
      each row, and `reverse_index_map`, the new place of each value, in int64.

    >>> rows, nrows = tf.constant([0, 2], tf.int64), tf.constant(3, tf.int64)
    >>> [t.numpy().tolist() for t in tf.ragged_fill_empty_rows(rows, [5, 7], nrows, 9)[:2]]
    [[0, 1, 2], [5, 9, 7]]
    """
    rows = arithmetic.cast(convert_to_tensor(value_rowids), dtypes.int64)
    values = convert_to_tensor(values)
    count = arithmetic.cast(convert_to_tensor(nrows), dtypes.int64)
    lengths = bins.bincount(arithmetic.cast(rows, dtypes.int32), minlength=arithmetic.cast(count, dtypes.int32))
    empty = arithmetic.equal(lengths, 0)
    added = arrange.squeeze(arithmetic.where(empty), [1])
    every = arrange.concat([rows, added], 0)
    order = sorting.argsort(every, stable=True)
    filling = creation.fill(arrange.shape(added), convert_to_tensor(default_value, values._dtype))
    filled = indexing.gather(arrange.concat([values, filling], 0), order)
    places = sorting.argsort(order, stable=True)[: arrange.shape(rows)[0]]
    result = (indexing.gather(every, order), filled, empty, arithmetic.cast(places, dtypes.int64))
    return RaggedFillEmptyRows(*result)


@export("ragged_fill_empty_rows_grad")
def ragged_fill_empty_rows_grad(reverse_index_map, grad_values, name=None):
    """Computes the gradient of `ragged_fill_empty_rows`: for the values, and for the default value.

    Args:
      reverse_index_map: The new place of each value, as `ragged_fill_empty_rows` returns it.
      grad_values: The gradient of `output_values`.
      name: Ignored.

    Returns:
      A named tuple `(d_values, d_default_value)` of the dtype of `grad_values`.

    >>> came_from = tf.constant([0, 2], tf.int64)
    >>> [t.numpy().tolist() for t in tf.ragged_fill_empty_rows_grad(came_from, [1.0, 2.0, 4.0])]
    [[1.0, 4.0], 2.0]
    """
    grad = convert_to_tensor(grad_values)
    for_values = indexing.gather(grad, reverse_index_map)
    rest = reduce.reduce_sum(grad) - reduce.reduce_sum(for_values)
    return RaggedFillEmptyRowsGrad(for_values, rest)
