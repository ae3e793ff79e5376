"""`tf.experimental.DynamicRaggedShape`: the shape of a ragged tensor, as tensors.

A ragged shape is a list of row partitions and an *inner shape*, that of the innermost values: the first size of the
inner shape is the number of values of the last partition. Partitions may be uniform, so one shape can be written with
more or fewer partitions; without any it is the shape of a dense tensor.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from reflow.api.array import arrange, creation
from reflow.api.debugging import asserts
from reflow.api.export import export
from reflow.api.math import arithmetic
from reflow.api.math import reduce as reductions
from reflow.api.ragged import shape_merging
from reflow.api.ragged.build import as_values
from reflow.api.ragged.row_partition import RowPartition, guarded
from reflow.api.ragged.shape_spec import DynamicRaggedShapeSpec
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor, prepare
from reflow.core.shapes import TensorShape
from reflow.core.tensor import Tensor
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
        if not isinstance(row_partitions, Iterable):
            raise TypeError(f"row_partitions should be a list of row partitions. Instead, got {row_partitions}")
        row_partitions = tuple(row_partitions)
        for partition in row_partitions:
            if not isinstance(partition, RowPartition):
                raise TypeError(f"row_partitions contains {partition} which is not a RowPartition")
        prepare()  # public functions take such a shape once they know of ragged tensors
        kind = _common_dtype(row_partitions, inner_shape, dtype)
        inner = arithmetic.cast(convert_to_tensor(inner_shape, dtype_hint=kind), kind)
        inner.shape.assert_has_rank(1)
        self._row_partitions = tuple(p.with_dtype(kind) for p in row_partitions)
        known = TensorShape(_known_sizes(inner)).merge_with(static_inner_shape)
        if self._row_partitions and known.rank == 0:
            raise ValueError("If row_partitions are provided, must have inner_rank > 0")
        checks = _alignment(self._row_partitions, inner, known, validate)
        if self._row_partitions and known.rank:
            values = self._row_partitions[-1].static_nvals
            known = TensorShape([values]).merge_with(known[:1]).concatenate(known[1:])
        if checks:
            inner = guarded(checks, inner)
            self._row_partitions = tuple(p._with_dependencies(checks) for p in self._row_partitions)
        self._inner_shape, self._static_inner_shape, self._dtype = inner, known, kind

    # --- factories ----------------------------------------------------------------------------------------------------

    @classmethod
    def from_lengths(cls, lengths: Sequence, num_row_partitions=None, dtype: Any = dtypes.int64) -> DynamicRaggedShape:
        """From a size for each uniform axis, and a tuple with the length of each row for ragged ones.

        >>> tf.experimental.DynamicRaggedShape.from_lengths([2, (3, 1), 5])
        <DynamicRaggedShape lengths=[2, (3, 1), 5] num_row_partitions=1>
        """
        if not isinstance(lengths, list):
            raise ValueError("lengths should be a list")
        for length in lengths:
            if (
                not isinstance(length, int)
                and not (isinstance(length, tuple) and all(isinstance(n, int) for n in length))
            ):
                raise ValueError(f"element of lengths should be int or tuple of ints: instead {length!r}")
        if num_row_partitions is None:
            num_row_partitions = max((axis for axis, n in enumerate(lengths) if isinstance(n, tuple)), default=0)
        if not isinstance(num_row_partitions, int):
            raise ValueError("num_row_partitions should be an int or None")
        if not lengths and num_row_partitions > 0:
            raise ValueError("num_row_partitions==0 for a scalar shape")
        if lengths and num_row_partitions >= len(lengths):
            raise ValueError("num_row_partitions should be less than `len(lengths)` if shape is not scalar.")
        partitions, count = partitions_of_lengths(lengths[: num_row_partitions + 1], dtype) if lengths else ([], 0)
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
            raise TypeError("axis must be an integer")
        if axis < 0:
            raise IndexError("Negative axis values are not supported")
        if self.rank is not None and axis >= self.rank:
            raise IndexError(f"Expected axis={axis} < rank={self.rank}")
        return axis == 0 or axis > self.num_row_partitions or self._row_partitions[axis - 1].is_uniform()

    def __getitem__(self, index):
        """The size of a uniform axis, or the shape of a range of axes."""
        if isinstance(index, slice):
            if index.step not in (None, 1):
                raise IndexError("Cannot stride through a shape")
            start = slice_start(index.start or 0, self.rank, self.num_row_partitions)
            return self._slice_shape(start, slice_stop(index.stop, self.rank))
        if not isinstance(index, int):
            raise TypeError("Argument is not an int or a slice")
        return self._dimension(index + self._known_rank() if index < 0 else index)

    def _dimension(self, axis: int):
        """The size of a uniform axis."""
        if not isinstance(axis, int):
            raise TypeError("index should be an int")
        if not self._row_partitions or axis > self.num_row_partitions + 1:
            if self.rank is None:
                raise ValueError("Rank must be known to use __getitem__ on a large index.")
            if axis >= self.rank:
                raise IndexError(f"Index is too big: {axis}>={self.rank}")
        if axis < 0:
            raise IndexError(f"Index must be non-negative: {axis}")
        if not self.is_uniform(axis):
            raise ValueError(f"Index {axis} is not uniform")
        if axis == 0 and self._row_partitions:
            known = self._row_partitions[0].static_nrows
            return self._row_partitions[0].nrows() if known is None else constant(known, self._dtype)
        if 0 < axis <= self.num_row_partitions:
            return self._row_partitions[axis - 1].uniform_row_length()
        size = self._inner_shape_dim(axis - self.num_row_partitions)
        return constant(size, self._dtype) if isinstance(size, int) else size

    def _inner_shape_dim(self, axis: int):
        """The size of an inner axis: a number if it is known, else a tensor."""
        known = self._static_inner_shape[axis]
        return self._inner_shape[axis] if known is None else known

    def _slice_shape(self, start: int, stop: int) -> DynamicRaggedShape:
        """The shape of the axes from `start` to `stop`."""
        if stop <= start:
            return DynamicRaggedShape._from_inner_shape(constant([], self._dtype))
        if start > 0:
            outer = self if self.rank is not None and stop >= self.rank else self._slice_shape(0, stop)
            if not all(partition.is_uniform() for partition in outer.row_partitions):
                raise ValueError("All relevant dimensions must be uniform")
            if outer.rank is None:
                raise NotImplementedError("__getitem__[start:stop] where start > 0 not implemented")
            return DynamicRaggedShape._from_inner_shape(outer._with_num_row_partitions(0).inner_shape[start:])
        kept, count = self._row_partitions[: stop - 1], self.num_row_partitions
        if self.rank is not None and stop >= self.rank:
            return self
        if stop > count:
            known = self._static_inner_shape[: stop - count]
            return DynamicRaggedShape(kept, self._inner_shape[: stop - count], static_inner_shape=known)
        last = kept[-1].nvals() if kept else self._row_partitions[0].nrows()
        return DynamicRaggedShape(kept, arrange.reshape(last, [1]))

    def static_lengths(self, ragged_lengths: bool = True) -> list:
        """The lengths that are known: a number, None, or a tuple with one number a row (None if `ragged_lengths` is
        False). `...` stands for axes that are not known."""
        if not self._row_partitions:
            return self._static_inner_shape_as_list(False)
        out: list = [self._row_partitions[0].static_nrows]
        for partition in self._row_partitions:
            if partition.is_uniform():
                out.append(partition.static_uniform_row_length)
            else:
                lengths = arrange.get_static_value(partition.row_lengths()) if ragged_lengths else None
                out.append(None if lengths is None else tuple(lengths.tolist()))
        return out + self._static_inner_shape_as_list(True)

    def _static_inner_shape_as_list(self, truncate_first: bool) -> list:
        """The inner sizes that are known, without the first if asked; `[...]` where not even their number is."""
        if self._static_inner_shape.rank is None:
            return [Ellipsis]
        return list(self._static_inner_shape)[1 if truncate_first else 0 :]

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
        if not isinstance(axis, int):
            raise TypeError("axis must be an integer")
        if axis < 0:
            if self.rank is None:
                raise ValueError("You can't use negative values if the rank is undefined")
            axis += self.rank
        if axis == 0:
            return self._dimension(0)
        if axis <= self.num_row_partitions:
            return self._row_partitions[axis - 1].nvals()
        return reductions.reduce_prod(self._inner_shape[: axis - self.num_row_partitions + 1])

    def _with_num_row_partitions(self, count: int) -> DynamicRaggedShape:
        """The same shape with more or fewer of its axes as row partitions."""
        if self.rank is None:
            raise ValueError("Rank must be known to adjust num_row_partitions")
        if not isinstance(count, int):
            raise ValueError("num_row_partitions must be an int")
        if count < 0:
            raise ValueError("num_row_partitions must be nonnegative")
        if count == self.num_row_partitions:
            return self
        if count >= self.rank:
            raise ValueError("num_row_partitions must be less than rank")
        partitions, inner, known = list(self._row_partitions), self._inner_shape, self._static_inner_shape
        while len(partitions) < count:
            first, length = (inner[i] if known[i] is None else constant(known[i], self._dtype) for i in (0, 1))
            partitions.append(RowPartition.from_uniform_row_length(length, nrows=first, validate=False))
            inner = arrange.concat([arrange.reshape(first * length, [1]), inner[2:]], 0)
            known = TensorShape([None if None in known[:2] else known[0] * known[1]]).concatenate(known[2:])
        while len(partitions) > count:
            last = partitions.pop()
            if not last.is_uniform():
                raise ValueError("Cannot get an inner shape over a ragged dimension")
            sizes = arrange.stack([last.nrows(), last.uniform_row_length()])
            inner = arrange.concat([sizes, inner[1:]], 0)
            known = TensorShape([last.static_nrows, last.static_uniform_row_length]).concatenate(known[1:])
        return DynamicRaggedShape(partitions, inner, self._dtype, static_inner_shape=known)

    def _with_inner_rank(self, inner_rank: int) -> DynamicRaggedShape:
        if self.rank is None:
            raise ValueError("Rank must be known to adjust inner_rank")
        if self.rank < 2:
            if inner_rank == self.rank:
                return self
            raise ValueError("Cannot change inner_rank if rank < 2")
        return self._with_num_row_partitions(self.rank - inner_rank)

    def _alt_inner_shape(self, inner_rank: int):
        """The inner shape if there were as many inner axes as `inner_rank`."""
        if inner_rank == 0:
            raise ValueError("new_inner_rank cannot be zero")
        if self.inner_rank == 0:
            raise ValueError("old inner_rank cannot be zero")
        if inner_rank == self.inner_rank:
            return self._inner_shape
        return self._with_inner_rank(inner_rank).inner_shape

    def _merge_dims(self, outer_axis: int, inner_axis: int) -> DynamicRaggedShape:
        """The shape with all axes from one to another as one."""
        return shape_merging.merge_axes(self, outer_axis, inner_axis)

    def _merge_with(self, other: DynamicRaggedShape) -> DynamicRaggedShape:
        """This shape with what another one also says of it."""
        return shape_merging.merge_shapes(self, other)

    def _merge_with_spec(self, other: DynamicRaggedShapeSpec) -> DynamicRaggedShape:
        """This shape with what a spec also says of it."""
        return shape_merging.merge_shapes(self, other)

    def _as_row_partitions(self) -> tuple[RowPartition, ...]:
        """The partitions of all axes but the first."""
        if self.rank is None:
            raise ValueError("rank must be known for _as_row_partitions")
        if self.rank < 1:
            raise ValueError("rank must be >= 1 for _as_row_partitions")
        return self._with_num_row_partitions(self.rank - 1).row_partitions

    def _add_row_partitions(self, flat_values, validate: bool = False):
        """Values of the inner shape, cut into rows."""
        if not self._row_partitions:
            return flat_values
        if validate:
            flat_values = self._validate_flat_values(flat_values)
        return RaggedTensor._from_nested_row_partitions(flat_values, self._row_partitions, validate=False)

    def _validate_flat_values(self, flat_values):
        """Values of which there are as many as the last row partition has, behind a check if that is not known."""
        if not self._row_partitions or not isinstance(flat_values, Tensor):
            return flat_values
        count, known = flat_values.shape[0] if flat_values.shape.rank else None, self._row_partitions[-1].static_nvals
        message = "Last row partition does not match flat_values."
        if count is not None and known is not None:
            if count != known:
                raise ValueError(message)
            return flat_values
        there = arrange.shape(flat_values, out_type=self._dtype)[0]
        return guarded([asserts.assert_equal(self._row_partitions[-1].nvals(), there, message=message)], flat_values)

    def __eq__(self, other):
        """Whether two shapes have equal specs, partitions and sizes, as a tensor; False if the specs differ."""
        if type(self) is not type(other) or self._type_spec != other._type_spec:
            return False
        pairs = zip(self._type_spec.to_tensors(self), other._type_spec.to_tensors(other), strict=True)
        return reductions.reduce_all(arrange.stack([reductions.reduce_all(arithmetic.equal(*pair)) for pair in pairs]))

    __hash__ = None  # type: ignore[assignment]


def partitions_of_lengths(lengths: Sequence, dtype=None) -> tuple[list[RowPartition], int]:
    """The row partitions that lengths of axes stand for, and how many values the last of them has."""
    count, partitions = lengths[0], []
    for length in lengths[1:]:
        hint = None if dtype is None else dtypes.as_dtype(dtype)
        if isinstance(length, int):
            partitions.append(RowPartition.from_uniform_row_length(length, nrows=count, dtype_hint=hint))
            count *= length
            continue
        if len(length) != count:
            raise ValueError("Shape not consistent.")
        partitions.append(RowPartition.from_row_lengths(length, dtype_hint=hint))
        count = sum(length)
    return partitions, count


def _alignment(partitions: Sequence[RowPartition], inner, known: TensorShape, validate: bool) -> list:
    """Checks that each partition has as many rows as the one above has values; what is known is checked at once."""
    checks = []
    for axis, (above, below) in enumerate(itertools.pairwise(partitions)):
        message = f"RowPartitions in DynamicRaggedShape do not align between {axis} and {axis + 1}"
        if above.static_nvals is not None and below.static_nrows is not None:
            if above.static_nvals != below.static_nrows:
                raise ValueError(message)
        elif validate:
            checks.append(asserts.assert_equal(above.nvals(), below.nrows(), message=message))
    if partitions:
        message = "Last row partition does not match inner_shape."
        values, first = partitions[-1].static_nvals, known[0] if known.rank else None
        if values is not None and first is not None:
            if values != first:
                raise ValueError(message)
        elif validate:
            checks.append(asserts.assert_equal(partitions[-1].nvals(), inner[0], message=message))
    return checks


def slice_start(index: int, rank: int | None, num_row_partitions: int) -> int:
    """Where a slice of axes starts: no further than the last axis."""
    if index < 0:
        if rank is None:
            raise ValueError("Rank must be known to use __getitem__ on a negative index.")
        index = max(index + rank, 0)
    if index == 0 or 0 < num_row_partitions and index <= num_row_partitions + 1:  # there are as many axes
        return index
    if rank is None:
        raise ValueError("Rank must be known to use __getitem__ on a large index.")
    return min(index, rank)


def slice_stop(index: int | None, rank: int | None) -> int:
    """Where a slice of axes ends."""
    if rank is None:
        if index is None:
            raise ValueError("Rank must be known to use __getitem__ without a stop.")
        if index < 0:
            raise ValueError("Rank must be known to use __getitem__ on a negative index.")
        return index
    return rank if index is None else min(max(index + rank if index < 0 else index, 0), rank)


def _common_dtype(partitions, inner_shape, dtype):
    """The requested type, or that of the row partitions or the inner shape, otherwise int64."""
    if dtype is None:
        dtype = next((p.dtype for p in partitions), getattr(inner_shape, "dtype", dtypes.int64))
    dtype = dtypes.as_dtype(dtype)
    if dtype not in (dtypes.int32, dtypes.int64):
        raise ValueError(f"Illegal dtype: {dtype}")
    return dtype


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


