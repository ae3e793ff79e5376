"""`tf.experimental.DynamicRaggedShape`: the shape of a ragged tensor, as tensors.

A ragged shape is a list of row partitions and an *inner shape*, that of the innermost values: the first size of the
inner shape is the number of values of the last partition. Partitions may be uniform, so one shape can be written with
more or fewer partitions; without any it is the shape of a dense tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reflow.api.array import arrange, creation
from reflow.api.debugging import asserts
from reflow.api.export import export
from reflow.api.math import arithmetic
from reflow.api.math import reduce as reductions
from reflow.api.ragged.build import as_values
from reflow.api.ragged.row_partition import RowPartition, guarded
from reflow.api.ragged.shape_spec import DynamicRaggedShapeSpec
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor, prepare
from reflow.core.shapes import TensorShape
from reflow.ops.convert import constant, convert_to_tensor


@export("experimental.DynamicRaggedShape")
class DynamicRaggedShape:
    """The shape of a ragged tensor: sizes of uniform axes, lengths of the rows of ragged ones.

    Args:
      row_partitions: A `tf.experimental.RowPartition` for each axis behind the first that is not part of the inner
        shape.
      inner_shape: The shape of the innermost values.
      dtype: int32 or int64, in which everything is counted.
      validate: Whether to check that the inner shape has as many values as the last partition.
      static_inner_shape: What is known of the inner shape.

    >>> shape = tf.shape(tf.ragged.constant([[1], [2, 3]]))
    >>> shape[0].numpy().item(), shape.rank, shape.static_lengths()
    (2, 2, [2, (1, 2)])
    """

    _is_composite = True
    Spec = DynamicRaggedShapeSpec

    def __init__(
        self, row_partitions: Sequence[RowPartition], inner_shape, dtype=None, validate: bool = False,
        static_inner_shape=None,
    ):
        if not isinstance(row_partitions, (list, tuple)):
            raise TypeError(f"row_partitions should be a list of row partitions. Instead, got {row_partitions}")
        for partition in row_partitions:
            if not isinstance(partition, RowPartition):
                raise TypeError(f"row_partitions contains {partition}, which is no row partition")
        prepare()  # public functions take such a shape once they know of ragged tensors
        kind = _common_dtype(row_partitions, inner_shape, dtype)
        inner = arithmetic.cast(convert_to_tensor(inner_shape, dtype_hint=kind), kind)
        inner.shape.assert_has_rank(1)
        self._row_partitions = tuple(p.with_dtype(kind) for p in row_partitions)
        known = TensorShape(_known_sizes(inner)).merge_with(static_inner_shape)
        if self._row_partitions:
            if known.rank == 0:
                raise ValueError("If row_partitions are provided, must have inner_rank > 0")
            if known.rank:
                values = self._row_partitions[-1].static_nvals
                known = TensorShape([values]).merge_with(known[:1]).concatenate(known[1:])
        if validate and self._row_partitions:
            what = "Last row partition does not match inner_shape."
            inner = guarded([asserts.assert_equal(self._row_partitions[-1].nvals(), inner[0], message=what)], inner)
        self._inner_shape, self._static_inner_shape, self._dtype = inner, known, kind

    # --- factories ----------------------------------------------------------------------------------------------------

    @classmethod
    def from_lengths(cls, lengths: Sequence, num_row_partitions=None, dtype: Any = dtypes.int64) -> DynamicRaggedShape:
        """From a size for each uniform axis, and a tuple with the length of each row for ragged ones.

        >>> tf.experimental.DynamicRaggedShape.from_lengths([2, (3, 1), 5])
        <DynamicRaggedShape lengths=[2, (3, 1), 5] num_row_partitions=1>
        """
        if not isinstance(lengths, (list, tuple)):
            raise ValueError("lengths should be a list")
        for length in lengths:
            if (
                not isinstance(length, int)
                and not (isinstance(length, tuple) and all(isinstance(n, int) for n in length))
            ):
                raise TypeError("lengths should be a list of ints and tuples of ints")
        ragged = [axis for axis, length in enumerate(lengths) if isinstance(length, tuple)]
        needed = max(ragged, default=0)
        if ragged and ragged[0] == 0:
            raise ValueError("First dimension can not be a tuple of lengths.")
        if num_row_partitions is None:
            num_row_partitions = needed
        if not isinstance(num_row_partitions, int):
            raise TypeError("num_row_partitions should be an int or None")
        if not lengths and num_row_partitions > 0:
            raise ValueError("num_row_partitions==0 for a scalar shape")
        if not needed <= num_row_partitions < max(len(lengths), 1):
            raise ValueError(
                f"num_row_partitions should be between `{needed}` and `{len(lengths)}` exclusive, but is "
                f"{num_row_partitions}"
            )
        partitions, count = [], lengths[0] if lengths else 0
        for axis in range(1, num_row_partitions + 1):
            partition = _partition_of(lengths[axis], count, dtype)
            partitions.append(partition)
            count = sum(lengths[axis]) if isinstance(lengths[axis], tuple) else count * lengths[axis]
        inner = [count, *lengths[num_row_partitions + 1 :]] if lengths else []
        return cls(partitions, constant(inner, dtypes.as_dtype(dtype)), static_inner_shape=inner)

    @classmethod
    def from_row_partitions(cls, row_partitions, dtype=None) -> DynamicRaggedShape:
        """From row partitions, with values that are scalars."""
        if not row_partitions:
            raise ValueError("row_partitions cannot be empty")
        inner = arrange.reshape(row_partitions[-1].nvals(), [1])
        return cls(row_partitions, inner, dtype=dtype)

    @classmethod
    def _from_inner_shape(cls, inner_shape, dtype=None) -> DynamicRaggedShape:
        return cls([], inner_shape, dtype=dtype)

    @classmethod
    def from_tensor(cls, t, dtype=None) -> DynamicRaggedShape:
        """The shape of a tensor."""
        if hasattr(t, "_ragged_shape"):  # a structured tensor
            return t._ragged_shape if dtype is None else t._ragged_shape.with_dtype(dtype)
        t = as_values(t)
        if isinstance(t, RaggedTensor):
            kind = t.row_splits.dtype
            inner, partitions = t.flat_values, t._nested_row_partitions
        else:
            inner, partitions, kind = t, (), dtypes.int64
        return cls(
            partitions, arrange.shape(inner, out_type=kind), dtype=dtype, static_inner_shape=inner.shape
        )

    # --- what it says -------------------------------------------------------------------------------------------------

    row_partitions = property(lambda self: self._row_partitions, doc="The row partitions, outermost first.")
    num_row_partitions = property(lambda self: len(self._row_partitions), doc="How many row partitions there are.")
    inner_shape = property(lambda self: self._inner_shape, doc="The shape of the innermost values.")
    static_inner_shape = property(lambda self: self._static_inner_shape, doc="What is known of the inner shape.")
    inner_rank = property(
        lambda self: self._static_inner_shape.rank, doc="The rank of the inner shape, if it is known."
    )
    dtype = property(lambda self: self._dtype, doc="The type in which everything is counted.")

    @property
    def rank(self) -> int | None:
        """How many axes there are, if that is known."""
        return None if self.inner_rank is None else self.inner_rank + self.num_row_partitions

    def _known_rank(self) -> int:
        if self.rank is None:
            raise ValueError("Rank must be known to use __getitem__ with a negative index.")
        return self.rank

    @property
    def _type_spec(self) -> DynamicRaggedShapeSpec:
        return DynamicRaggedShapeSpec.from_value(self)

    def with_dtype(self, dtype) -> DynamicRaggedShape:
        """The same shape, counted in int32 or int64."""
        dtype = dtypes.as_dtype(dtype)
        if dtype is self._dtype:
            return self
        return DynamicRaggedShape(
            self._row_partitions, self._inner_shape, dtype, static_inner_shape=self._static_inner_shape
        )

    def is_uniform(self, axis: int) -> bool:
        """Whether all rows of an axis have the same length by construction."""
        if not isinstance(axis, int):
            raise TypeError(f"axis must be an integer, got {axis!r}")
        if axis < 0:
            raise IndexError(f"Negative axis values are not supported, got {axis}")
        if self.rank is not None and axis >= self.rank:
            raise IndexError(f"Expected axis={axis} < rank={self.rank}")
        return axis == 0 or axis > self.num_row_partitions or self._row_partitions[axis - 1].is_uniform()

    def __getitem__(self, index):
        """The size of a uniform axis, or the shape of a range of axes."""
        if isinstance(index, slice):
            if index.step not in (None, 1):
                raise IndexError("Cannot stride through a shape")
            return self._slice_shape(*index.indices(self._known_rank())[:2])
        if not isinstance(index, int):
            raise TypeError("Argument is not an int or a slice")
        axis = index + self._known_rank() if index < 0 else index
        if axis < 0 or self.rank is not None and axis >= self.rank:
            raise IndexError(f"Index {axis} is out of range for a ragged shape of rank {self.rank}.")
        if not self.is_uniform(axis):
            raise ValueError(f"Index {axis} is not uniform")
        return self._dimension(axis)

    def _dimension(self, axis: int):
        """The size of a uniform axis."""
        if axis == 0:
            return self._row_partitions[0].nrows() if self._row_partitions else self._inner_shape[0]
        if axis <= self.num_row_partitions:
            return self._row_partitions[axis - 1].uniform_row_length()
        return self._inner_shape[axis - self.num_row_partitions]

    def _slice_shape(self, start: int, stop: int) -> DynamicRaggedShape:
        """The shape of the axes from `start` to `stop`."""
        if stop <= start:
            return DynamicRaggedShape._from_inner_shape(constant([], self._dtype))
        if start > 0:
            if not all(map(self.is_uniform, range(stop))):
                raise ValueError("All relevant dimensions must be uniform")
            sizes = [self._dimension(axis) for axis in range(start, stop)]
            return DynamicRaggedShape._from_inner_shape(arrange.stack(sizes))
        kept, count = self._row_partitions[: stop - 1], self.num_row_partitions
        if stop > count:
            return DynamicRaggedShape(kept, self._inner_shape[: stop - count])
        last = kept[-1].nvals() if kept else self._row_partitions[0].nrows()
        return DynamicRaggedShape(kept, arrange.reshape(last, [1]))

    def static_lengths(self, ragged_lengths: bool = True) -> list:
        """The lengths that are known: a number, None, or a tuple with one number a row (None if `ragged_lengths` is
        False). `...` stands for axes that are not known."""
        if self.rank is None and not self._row_partitions:
            return [Ellipsis]
        if not self._row_partitions:
            return list(self._static_inner_shape)
        out: list = [self._row_partitions[0].static_nrows]
        for partition in self._row_partitions:
            if partition.is_uniform():
                out.append(partition.static_uniform_row_length)
            else:
                lengths = arrange.get_static_value(partition.row_lengths()) if ragged_lengths else None
                out.append(None if lengths is None else tuple(lengths.tolist()))
        return [*out, Ellipsis] if self.inner_rank is None else [*out, *self._static_inner_shape[1:]]

    def _to_tensor_shape(self) -> TensorShape:
        lengths = self.static_lengths(ragged_lengths=False)
        return TensorShape(None) if Ellipsis in lengths else TensorShape(lengths)

    def __repr__(self):
        lengths = ", ".join("..." if n is Ellipsis else str(n) for n in self.static_lengths())
        return f"<DynamicRaggedShape lengths=[{lengths}] num_row_partitions={self.num_row_partitions}>"

    # --- other forms --------------------------------------------------------------------------------------------------

    def _num_elements(self):
        return reductions.reduce_prod(self._inner_shape)

    def _num_slices_in_dimension(self, axis: int):
        """How many slices there are if all axes up to this one are merged."""
        if axis < 0:
            return constant(1, self._dtype)
        if axis == 0:
            return self._dimension(0)
        if axis <= self.num_row_partitions:
            return self._row_partitions[axis - 1].nvals()
        return reductions.reduce_prod(self._inner_shape[: axis - self.num_row_partitions + 1])

    def _with_num_row_partitions(self, count: int) -> DynamicRaggedShape:
        """The same shape with more or fewer of its axes as row partitions."""
        if self.rank is not None and count >= max(self.rank, 1):
            raise ValueError("num_row_partitions must be less than rank")
        partitions, inner, known = list(self._row_partitions), self._inner_shape, self._static_inner_shape
        while len(partitions) < count:
            first, length = inner[0], inner[1]
            partitions.append(RowPartition.from_uniform_row_length(length, nrows=first, validate=False))
            inner = arrange.concat([arrange.reshape(first * length, [1]), inner[2:]], 0)
            known = TensorShape([None if None in known[:2] else known[0] * known[1]]).concatenate(known[2:])
        while len(partitions) > count:
            last = partitions.pop()
            if not last.is_uniform():
                raise ValueError("The row partitions that become inner axes must be uniform.")
            sizes = arrange.stack([last.nrows(), last.uniform_row_length()])
            inner = arrange.concat([sizes, inner[1:]], 0)
            known = TensorShape([last.static_nrows, last.static_uniform_row_length]).concatenate(known[1:])
        return DynamicRaggedShape(partitions, inner, self._dtype, static_inner_shape=known)

    def _with_inner_rank(self, inner_rank: int) -> DynamicRaggedShape:
        if self.rank is None:
            raise ValueError("Rank must be known to adjust inner_rank")
        return self._with_num_row_partitions(self.rank - inner_rank)

    def _alt_inner_shape(self, inner_rank: int):
        """The inner shape if there were as many inner axes as `inner_rank`."""
        return self._with_inner_rank(inner_rank).inner_shape

    def _as_row_partitions(self) -> list[RowPartition]:
        """The partitions of all axes but the first."""
        return list(self._with_num_row_partitions(max(self._known_rank() - 1, 0)).row_partitions)

    def _add_row_partitions(self, flat_values, validate: bool = False):
        """Values of the inner shape, cut into rows."""
        if not self._row_partitions:
            return flat_values
        return RaggedTensor._from_nested_row_partitions(flat_values, self._row_partitions, validate=validate)

    def __eq__(self, other):
        return isinstance(other, DynamicRaggedShape) and self is other

    __hash__ = object.__hash__


def _partition_of(length, count: int, dtype) -> RowPartition:
    if not isinstance(length, tuple):
        return RowPartition.from_uniform_row_length(length, nrows=count, dtype_hint=dtypes.as_dtype(dtype))
    if len(length) != count:
        raise ValueError(f"There are {count} rows, but {len(length)} lengths of rows: {length}")
    return RowPartition.from_row_lengths(constant(list(length), dtypes.as_dtype(dtype)))


def _common_dtype(partitions, inner_shape, dtype):
    """The requested type, or int32 if everything uses it, otherwise int64."""
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype)
        if dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError("dtype must be int32 or int64")
        return dtype
    found = {p.dtype for p in partitions}
    if hasattr(inner_shape, "dtype"):
        found.add(dtypes.as_dtype(inner_shape.dtype))
    return dtypes.int32 if found == {dtypes.int32} else dtypes.int64


def _known_sizes(inner) -> list | None:
    """The sizes in an inner shape, None where they are not known."""
    value = arrange.get_static_value(inner, partial=True)
    if value is not None:
        return [None if n is None else int(n) for n in value]
    return None if inner.shape.rank is None or inner.shape[0] is None else [None] * inner.shape[0]


def broadcast_dynamic_shape(shape_x, shape_y) -> DynamicRaggedShape:
    """The shape to which ragged shapes are broadcast."""
    from reflow.api.ragged.broadcast import broadcast

    shape_x, shape_y = (
        s if isinstance(s, DynamicRaggedShape) else DynamicRaggedShape._from_inner_shape(s) for s in (shape_x, shape_y)
    )
    if not shape_x.row_partitions and not shape_y.row_partitions:
        return DynamicRaggedShape._from_inner_shape(
            arrange.broadcast_dynamic_shape(shape_x.inner_shape, shape_y.inner_shape)
        )
    (x, y), ragged = broadcast([_zeros(shape_x), _zeros(shape_y)])
    return DynamicRaggedShape.from_tensor(ragged(x + y))


def broadcast_to(input, shape: DynamicRaggedShape, name=None):
    """A tensor broadcast to a ragged shape."""
    from reflow.api.ragged.broadcast import broadcast

    value = as_values(input)
    if not shape.row_partitions and not isinstance(value, RaggedTensor):
        return arrange.broadcast_to(value, shape.inner_shape)
    (flat, like), ragged = broadcast([value, _zeros(shape)])
    return ragged(arrange.broadcast_to(flat, arrange.shape(like)))


def _zeros(shape: DynamicRaggedShape):
    return shape._add_row_partitions(creation.zeros(shape.inner_shape, dtypes.int8))


