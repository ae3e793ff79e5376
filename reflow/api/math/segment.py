"""`tf.math`: reductions of rows that share an id, and counts."""

from __future__ import annotations

from typing import Any

from reflow.api.call import call
from reflow.api.debugging import asserts
from reflow.api.export import export, export_function, with_sections
from reflow.api.math import arithmetic as m
from reflow.api.math.reduce import reduce_max
from reflow.api.scoped import scoped
from reflow.core import dtypes
from reflow.ops.convert import constant, convert_to_tensor

_UNSORTED = """\
Args:
  data: A tensor of {of}, whose shape starts with that of `segment_ids`.
  segment_ids: An id for each row, in any order; rows with negative ids are dropped.
  num_segments: The number of rows of the result.
  name: A name for the operation.

Returns:
  {result}.

Raises:
  InvalidArgumentError: An id is not below `num_segments`, {error}.
"""
_ROWS = "`[num_segments] + data.shape[segment_ids.rank:]`"
_OF_DATA = f"A tensor of the dtype of `data`, of shape {_ROWS}"
_ORDERED = "a float or integer dtype"
_NO_MATCH = "or the shapes do not match"


def _unsorted(kind: str, does: str, of_none: str, result: list, of: str = "numbers"):
    """A public function that reduces the rows with equal ids; the example has the ids 1, 0, 1."""
    name = f"unsorted_segment_{kind.lower()}"

    def function(data, segment_ids, num_segments, name=None):
        operands = [convert_to_tensor(v) for v in (data, segment_ids, num_segments)]
        return call(f"UnsortedSegment{kind}", operands, {}, name)

    what = f"{does} the rows of `data` with id i into row i of the result; {of_none} if there are none."
    doc = f"{what}\n\n{_UNSORTED.format(of=of, result=_OF_DATA, error=_NO_MATCH)}"
    example = f">>> tf.math.{name}([1, 2, 3], [1, 0, 1], {len(result)}).numpy().tolist()\n{result}"
    return export_function(function, f"math.{name}", doc=doc, example=example)


unsorted_segment_sum = _unsorted("Sum", "Sums", "0", [2, 4, 0])
unsorted_segment_prod = _unsorted("Prod", "Multiplies", "1", [2, 3, 1])
unsorted_segment_max = _unsorted("Max", "Puts the maximum of", "the lowest number", [2, 3], of=_ORDERED)
unsorted_segment_min = _unsorted("Min", "Puts the minimum of", "the highest number", [2, 1], of=_ORDERED)


def _segment_counts(data, segment_ids, num_segments):
    """How many rows each segment has, at least 1, in a shape that divides the sums of `data`."""
    ids = convert_to_tensor(segment_ids)
    ones = call("OnesLike", (m.cast(ids, data._dtype),))
    counts = m.maximum(unsorted_segment_sum(ones, ids, num_segments), 1)
    inner = m.subtract(call("Rank", (data,)), call("Rank", (ids,)))
    ones = call("Fill", (call("ExpandDims", (inner, constant(0))), constant(1)))
    return call("Reshape", (counts, call("ConcatV2", (call("Shape", (counts,)), ones, constant(0)), {"N": 2})))


@export("math.unsorted_segment_mean")
@with_sections(
    _UNSORTED, of="numbers", result=f"A tensor of shape {_ROWS}, of the dtype of `data`; floats for integers",
    error=_NO_MATCH,
)
def unsorted_segment_mean(data, segment_ids, num_segments, name=None):
    """Averages the rows of `data` with id i into row i of the result; 0 if there are none.

    >>> tf.math.unsorted_segment_mean([1.0, 2.0, 3.0], [1, 0, 1], 3).numpy().tolist()
    [2.0, 2.0, 0.0]
    """
    data = convert_to_tensor(data)
    counts = _segment_counts(data, segment_ids, num_segments)
    return m.divide(unsorted_segment_sum(data, segment_ids, num_segments), counts, name)


@export("math.unsorted_segment_sqrt_n")
@with_sections(
    _UNSORTED, of="a float or complex dtype", result=f"{_OF_DATA}; 0 where there are no\n  rows",
    error="the shapes do not match, or `data` has integers",
)
def unsorted_segment_sqrt_n(data, segment_ids, num_segments, name=None):
    """Sums the rows of `data` with id i into row i of the result, divided by the square root of their number.

    >>> tf.math.unsorted_segment_sqrt_n([1.0, 2.0], [0, 1], 2).numpy().tolist()
    [1.0, 2.0]
    """
    data = convert_to_tensor(data)
    counts = m.sqrt(_segment_counts(data, segment_ids, num_segments))
    return m.divide(unsorted_segment_sum(data, segment_ids, num_segments), counts, name)


# --- sorted ids -----------------------------------------------------------------------------------------------------


def _sorted(op_name: str, public: str, what: str, example: list, default: int = 0):
    def function(data, segment_ids, name=None):
        return call(op_name, (convert_to_tensor(data), convert_to_tensor(segment_ids)), {}, name)

    doc = f"""{what} the rows with equal ids.

    Args:
      data: A tensor of numbers.
      segment_ids: An id for each row of `data`, a sorted vector of integers that are not negative.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `data`, with a row for each id up to the last; {default} where no row has it.

    Raises:
      InvalidArgumentError: The ids are not sorted, or not as many as the rows.

    >>> tf.{public}([1.0, 2.0, 5.0], [0, 0, 1]).numpy().tolist()
    {example}
    """
    return export_function(function, public, doc=doc)


segment_sum = _sorted("SegmentSum", "math.segment_sum", "Sums", [3.0, 5.0])
segment_mean = _sorted("SegmentMean", "math.segment_mean", "Averages", [1.5, 5.0])
segment_prod = _sorted("SegmentProd", "math.segment_prod", "Multiplies", [2.0, 5.0], default=1)
segment_max = _sorted("SegmentMax", "math.segment_max", "Takes the maximum of", [2.0, 5.0])
segment_min = _sorted("SegmentMin", "math.segment_min", "Takes the minimum of", [1.0, 5.0])


# --- rows picked by indices -------------------------------------------------------------------------------------------


_SPARSE = """\
Args:
  data: A tensor of {kind}.
  indices: The rows of `data` to take, a vector of integers.
  segment_ids: An id for each of `indices`, sorted; ids start at 0 and may repeat.
  num_segments: The number of rows of the result; by default one more than the last id.
  name: A name for the operation.
  sparse_gradient: Ignored: the gradient is always dense.

Returns:
  A tensor of the dtype of `data`, with a row for each segment; 0 where no row has its id.

Raises:
  InvalidArgumentError: An index is out of range, or the ids are not sorted.
"""


def _sparse_segment(kind: str, name: str, does: str, example: str, result: list, of="a float dtype", how=""):
    """A public function that reduces the picked rows with equal ids."""
    op_name = f"SparseSegment{kind}"

    def function(data, indices, segment_ids, num_segments=None, name=None, sparse_gradient=False):
        operands = [convert_to_tensor(v) for v in (data, indices, segment_ids)]
        attrs = {"sparse_gradient": bool(sparse_gradient)}
        if num_segments is None:
            return call(op_name, operands, attrs, name)
        return call(op_name + "WithNumSegments", [*operands, convert_to_tensor(num_segments)], attrs, name)

    doc = f"{does} those rows of `data[indices]` that have the same id{how}.\n\n{_SPARSE.format(kind=of)}"
    example = f">>> tf.sparse.{name}({example}).numpy().tolist()\n{result}"
    return export_function(function, f"sparse.{name}", doc=doc, example=example, name=f"sparse_{name}")


sparse_segment_sum = _sparse_segment(
    "Sum", "segment_sum", "Sums", "[1.0, 2.0, 4.0], [0, 2], [0, 0]", [5.0], of="numbers"
)
sparse_segment_mean = _sparse_segment("Mean", "segment_mean", "Averages", "[1.0, 2.0, 5.0], [0, 2], [0, 0]", [3.0])
sparse_segment_sqrt_n = _sparse_segment(
    "SqrtN", "segment_sqrt_n", "Sums", "[1.0, 2.0, 4.0], [1], [0]", [2.0],
    how=", divided by the square root of their number",
)


@export("math.confusion_matrix")
@scoped("confusion_matrix")
def confusion_matrix(labels, predictions, num_classes=None, weights=None, dtype: Any = dtypes.int32, name=None):
    """Counts, in element [i, j], the examples of class i that were predicted to be j.

    Args:
      labels: The class of each example, a vector (or column) of integers.
      predictions: The class predicted for each, in the same form.
      num_classes: The number of classes; by default one more than the greatest of both.
      weights: What each example counts instead of 1.
      dtype: The dtype of the result.
      name: A name for the operation.

    Returns:
      A tensor of shape `[num_classes, num_classes]`, of dtype `dtype`.

    Raises:
      InvalidArgumentError: A class is negative, or not below `num_classes`.

    >>> tf.math.confusion_matrix([0, 1, 1], [0, 1, 0]).numpy().tolist()
    [[1, 0], [1, 1]]
    """
    labels, predictions = (m.cast(_column(convert_to_tensor(v)), dtypes.int64) for v in (labels, predictions))
    for what, values in (("labels", labels), ("predictions", predictions)):
        asserts.assert_non_negative(values, message=f"`{what}` contains negative values")
    if num_classes is None:
        classes = m.add(m.maximum(reduce_max(predictions), reduce_max(labels)), 1)
    else:
        classes = m.cast(convert_to_tensor(num_classes), dtypes.int64)
        for what, values in (("labels", labels), ("predictions", predictions)):
            asserts.assert_less(values, classes, message=f"`{what}` out of bound")
    dtype = dtypes.as_dtype(dtype)
    if weights is None:
        values = call("OnesLike", (m.cast(predictions, dtype),))
    else:
        values = m.cast(_column(convert_to_tensor(weights)), dtype)
    flat = m.add(m.multiply(labels, classes), predictions)
    cells = call("UnsortedSegmentSum", (values, flat, m.multiply(classes, classes)))
    return call("Reshape", (cells, call("Pack", (classes, classes), {"N": 2, "axis": 0})), {}, name)


def _column(x):
    """A vector, also from a column of shape (n, 1)."""
    return call("Squeeze", (x,), {"squeeze_dims": [-1]}) if x.shape.rank == 2 else x
