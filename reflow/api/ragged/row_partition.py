"""`tf.experimental.RowPartition`: how a sequence of values is divided into rows, without the values.

The same rows have several *encodings*: row splits (the boundaries), row lengths, or the row of each value; along with
the number of rows, the number of values, and the common row length, if they are *uniform*. A partition always keeps its
row splits. Any other encoding that was given or computed is kept with them: it is *precomputed*, and no op is needed to
get it.
"""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange, creation, indexing
from reflow.api.debugging import asserts
from reflow.api.export import export, with_sections
from reflow.api.framework.core_names import control_dependencies, inside_function
from reflow.api.math import arithmetic, reduce, segment
from reflow.api.ragged.row_partition_spec import RowPartitionSpec
from reflow.core import dtypes
from reflow.core.tensor import Tensor
from reflow.eager.variables import Variable
from reflow.ops.convert import constant, convert_to_tensor

_INTEGERS = (dtypes.int32, dtypes.int64)


def partition_tensor(value, name, dtype=None, dtype_hint=None):
    """Splits, lengths or ids as an int32 or int64 tensor; lists become int64."""
    if isinstance(value, (Tensor, Variable)) or dtype is not None:
        value = convert_to_tensor(value, dtype)
    else:
        hint = dtype_hint or getattr(value, "dtype", None) or dtypes.int64
        value = convert_to_tensor(value, dtype_hint=hint)
    if value.dtype not in _INTEGERS:
        raise ValueError(f"{name} must have dtype int32 or int64")
    return value


def static_number(tensor) -> int | None:
    """The value of a scalar if it is known."""
    value = None if tensor is None else arrange.get_static_value(tensor)
    return None if value is None else int(value)


def _check_validate(validate) -> None:
    if not isinstance(validate, bool):
        raise TypeError("validate must have type bool")


def guarded(checks, tensor):
    """The tensor, behind the checks that a plain graph holds; eager ones have been made already. A function runs its
    asserts in any case, and is one program if nothing waits for them."""
    checks = [check for check in checks if check is not None]
    if not checks or inside_function():
        return tensor
    with control_dependencies(checks):
        return arrange.identity(tensor)


def _vector(given, name, validate, dtype, dtype_hint):
    """An argument that describes rows, as a vector of integers."""
    _check_validate(validate)
    tensor = partition_tensor(given, name, dtype, dtype_hint)
    tensor.shape.assert_has_rank(1)
    return tensor


def _checked_vector(tensor, message, *checks):
    """The tensor after the checks, the first of which is that it is a vector."""
    return guarded([asserts.assert_rank(tensor, 1, message=message), *checks], tensor)


def _monotonic(tensor, message):
    return asserts.assert_non_negative(tensor[1:] - tensor[:-1], message=message)


#: what the docstrings of the functions that make a `RowPartition` have in common
_MADE = """\
Args:
  validate: Whether to check that the arguments are valid.
  dtype: `tf.int32` or `tf.int64`, in which rows are counted; by default that of the argument.
  dtype_hint: The dtype for arguments that are not tensors.

Returns:
  A `RowPartition`.

Raises:
  InvalidArgumentError: The arguments are not valid.
"""


@export("experimental.RowPartition")
class RowPartition:
    """The borders of rows in a sequence of values, made by class methods such as `from_row_lengths`.

    Args:
      row_splits: Where the rows begin and end, a vector.
      row_lengths: The lengths of the rows, if known.
      value_rowids: The row of each value, if known.
      nrows: The number of rows, if known.
      uniform_row_length: The length of all rows, if they have one.
      nvals: The number of values, if known.
      internal: Must be True: programs use the class methods.

    Raises:
      ValueError: `internal` is not set.

    >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
    >>> rows.row_splits().numpy().tolist(), rows.value_rowids().numpy().tolist()
    ([0, 2, 2, 3], [0, 0, 2])
    """

    _is_composite = True

    def __init__(
        self, row_splits, row_lengths=None, value_rowids=None, nrows=None, uniform_row_length=None, nvals=None,
        internal=False,
    ):
        if not internal:
            raise ValueError(
                "RowPartition constructor is private; please use one of the factory methods instead (e.g., "
                "RowPartition.from_row_lengths())"
            )
        self._row_splits = row_splits
        self._row_lengths = row_lengths
        self._value_rowids = value_rowids
        self._nrows = nrows
        self._uniform_row_length = uniform_row_length
        self._nvals = nvals

    # --- factories ----------------------------------------------------------------------------------------------------

    @classmethod
    @with_sections(_MADE)
    def from_value_rowids(cls, value_rowids, nrows=None, validate=True, dtype=None, dtype_hint=None) -> RowPartition:
        """Makes rows from the number of the row of each value.

        Args:
          value_rowids: The numbers, a vector that never falls.
          nrows: The number of rows; by default up to the last that has a value.
        """
        ids = _vector(value_rowids, "value_rowids", validate, dtype, dtype_hint)
        count = None if nrows is None else arithmetic.cast(nrows, ids.dtype)
        if count is None:
            count = reduce.reduce_max(arrange.concat([constant([-1], ids.dtype), ids[-1:]], 0)) + 1
        else:
            _check_row_count(static_number(count) if count.shape.rank == 0 else None, ids)
        count.shape.assert_has_rank(0)
        if validate:
            message = "Arguments to from_value_rowids do not form a valid RowPartition"
            checks = [
                asserts.assert_rank(ids, 1, message=message),
                asserts.assert_rank(count, 0, message=message),
                asserts.assert_non_negative(ids[:1], message=message),
                _monotonic(ids, message),
                asserts.assert_less(ids[-1:], count, message=message),
            ]
            ids = guarded(checks, ids)
        lengths = segment.unsorted_segment_sum(creation.ones_like(ids), ids, count)
        splits = arrange.concat([constant([0], ids.dtype), reduce.cumsum(lengths)], 0)
        known = static_number(count)
        if known is not None and splits.shape[0] is None:
            splits.set_shape([known + 1])
        return cls(splits, lengths, ids, count, internal=True)

    @classmethod
    @with_sections(_MADE)
    def from_row_splits(cls, row_splits, validate=True, dtype=None, dtype_hint=None) -> RowPartition:
        """Makes rows from their borders.

        Args:
          row_splits: The borders, a vector that begins with 0 and never falls.

        Raises:
          ValueError: There are no borders.
        """
        _check_validate(validate)
        if isinstance(row_splits, (list, tuple)) and not row_splits:
            raise ValueError("row_splits tensor may not be empty.")
        splits = partition_tensor(row_splits, "row_splits", dtype, dtype_hint)
        splits.shape.assert_has_rank(1)
        if validate:
            message = "Arguments to from_row_splits do not form a valid RaggedTensor"
            checks = [
                asserts.assert_rank(splits, 1, message=f"{message}:rank"),
                _assert_zero(splits[0], f"{message}:zero"),
                _monotonic(splits, f"{message}:monotonic"),
            ]
            splits = guarded(checks, splits)
        return cls(splits, internal=True)

    @classmethod
    @with_sections(_MADE)
    def from_row_lengths(cls, row_lengths, validate=True, dtype=None, dtype_hint=None) -> RowPartition:
        """Makes rows from their lengths.

        Args:
          row_lengths: The lengths, a vector.
        """
        lengths = _vector(row_lengths, "row_lengths", validate, dtype, dtype_hint)
        if validate:
            message = "Arguments to from_row_lengths do not form a valid RowPartition"
            lengths = _checked_vector(lengths, message, asserts.assert_non_negative(lengths, message=message))
        splits = arrange.concat([constant([0], lengths.dtype), reduce.cumsum(lengths)], 0)
        return cls(splits, lengths, internal=True)

    @classmethod
    @with_sections(_MADE)
    def from_row_starts(cls, row_starts, nvals, validate=True, dtype=None, dtype_hint=None) -> RowPartition:
        """Makes rows from the first position of each.

        Args:
          row_starts: The positions, a vector that begins with 0 and never falls.
          nvals: The number of values.
        """
        starts = _vector(row_starts, "row_starts", validate, dtype, dtype_hint)
        nvals = arithmetic.cast(nvals, starts.dtype)
        if validate:
            message = "Arguments to from_row_starts do not form a valid RaggedTensor"
            starts = _checked_vector(
                starts, message, _assert_zero(starts[:1], message), _monotonic(starts, message),
                asserts.assert_less_equal(starts[-1:], nvals, message=message),
            )
        return cls(arrange.concat([starts, [nvals]], 0), nvals=nvals, internal=True)

    @classmethod
    @with_sections(_MADE)
    def from_row_limits(cls, row_limits, validate=True, dtype=None, dtype_hint=None) -> RowPartition:
        """Makes rows from the position after each.

        Args:
          row_limits: The positions, a vector that never falls.
        """
        limits = _vector(row_limits, "row_limits", validate, dtype, dtype_hint)
        if validate:
            message = "Arguments to from_row_limits do not form a valid RaggedTensor"
            first = asserts.assert_non_negative(limits[:1], message=message)
            limits = _checked_vector(limits, message, first, _monotonic(limits, message))
        return cls(arrange.concat([constant([0], limits.dtype), limits], 0), internal=True)

    @classmethod
    def from_uniform_row_length(
        cls, uniform_row_length, nvals=None, nrows=None, validate=True, dtype=None, dtype_hint=None
    ) -> RowPartition:
        """From one length that all rows have, and how many values or rows there are."""
        _check_validate(validate)
        if nvals is None and nrows is None:
            raise ValueError("Either (or both) of nvals and nrows must be specified")
        given = [x.dtype for x in (uniform_row_length, nvals, nrows) if isinstance(x, Tensor)]
        kind = dtype or (dtypes.int64 if dtypes.int64 in given else given[0] if given else dtype_hint)
        kind = dtypes.as_dtype(kind or dtypes.int64)
        length = arithmetic.cast(convert_to_tensor(uniform_row_length), kind)
        nvals, nrows = (None if x is None else arithmetic.cast(convert_to_tensor(x), kind) for x in (nvals, nrows))
        length.shape.assert_has_rank(0)
        if (static_number(length) or 0) < 0:
            raise ValueError("uniform_row_length must be >= 0.")
        counted = nvals is not None
        if nrows is None:
            nrows = nvals // arithmetic.maximum(length, constant(1, kind)) if static_number(length) != 0 else length
        if nvals is None:
            nvals = length * nrows
        _check_uniform(static_number(length), static_number(nrows), static_number(nvals))
        splits = creation.range(constant(0, kind), nrows + 1) * length
        count = static_number(nrows)
        if count is not None and count >= 0 and splits.shape[0] is None:
            splits.set_shape([count + 1])
        if validate and (static_number(length) is None or static_number(nrows) is None or static_number(nvals) is None):
            checks = [] if not counted else [asserts.assert_equal(
                length * nrows, nvals, "uniform_row_length times nrows must equal nvals"
            )]
            splits = guarded([*checks, asserts.assert_non_negative(length)], splits)
        return cls(splits, nrows=nrows, uniform_row_length=length, nvals=nvals, internal=True)

    # --- encodings ----------------------------------------------------------------------------------------------------

    dtype = property(lambda self: self._row_splits.dtype)

    def row_splits(self):
        """The borders: row i is what stands between border i and border i + 1."""
        return self._row_splits

    def row_starts(self):
        """Where each row starts."""
        return self._row_splits[:-1]

    def row_limits(self):
        """Where each row ends."""
        return self._row_splits[1:]

    def row_lengths(self):
        """The length of each row."""
        if self._row_lengths is not None:
            return self._row_lengths
        count = self.static_nrows
        if self._uniform_row_length is not None:
            return creation.fill([self.nrows() if count is None else count], self._uniform_row_length)
        return self._row_splits[1:] - self._row_splits[:-1]

    def value_rowids(self):
        """The row of each value."""
        if self._value_rowids is not None:
            return self._value_rowids
        return creation.repeat(creation.range(self.nrows()), self.row_lengths())

    def nrows(self):
        """How many rows there are."""
        if self._nrows is not None:
            return self._nrows
        return arrange.shape(self._row_splits, out_type=self.dtype)[0] - 1

    def nvals(self):
        """How many values all rows have together."""
        if self._nvals is not None:
            return self._nvals
        if self._value_rowids is not None:
            return arrange.shape(self._value_rowids, out_type=self.dtype)[0]
        return self._row_splits[-1]

    def uniform_row_length(self):
        """The length that all rows have, or None if they were not made that way."""
        return self._uniform_row_length

    def offsets_in_rows(self):
        """The position of each value in its row."""
        starts = indexing.gather(self.row_starts(), self.value_rowids())
        return creation.range(self.nvals()) - starts

    def is_uniform(self) -> bool:
        """Whether all rows have one length by construction."""
        return self._uniform_row_length is not None

    @property
    def static_nrows(self) -> int | None:
        """The number of rows, if it is known."""
        splits = self._row_splits.shape
        if splits.rank is not None and splits[0] is not None:
            return splits[0] - 1
        if self._row_lengths is not None and self._row_lengths.shape.rank and self._row_lengths.shape[0] is not None:
            return self._row_lengths.shape[0]
        return static_number(self._nrows)

    @property
    def static_nvals(self) -> int | None:
        """The number of values, if an encoding says it without being computed."""
        if self._nvals is not None and static_number(self._nvals) is not None:
            return static_number(self._nvals)
        if self._value_rowids is not None and self._value_rowids.shape.rank:
            return self._value_rowids.shape[0]
        return None

    @property
    def static_uniform_row_length(self) -> int | None:
        """The length of all rows, if they are uniform and it is known."""
        return static_number(self._uniform_row_length)

    def with_dtype(self, dtype) -> RowPartition:
        """Counts the same rows in another dtype.

        Args:
          dtype: `tf.int32` or `tf.int64`.

        Returns:
          A `RowPartition`.

        Raises:
          ValueError: It is another dtype.
        """
        dtype = dtypes.as_dtype(dtype)
        if dtype not in _INTEGERS:
            raise ValueError("dtype must be int32 or int64")
        if self.dtype is dtype:
            return self
        return _of_encodings(None if x is None else arithmetic.cast(x, dtype) for x in self._encodings())

    def __repr__(self):
        if self.is_uniform():
            shown = [str(self.uniform_row_length()) if n is None else n for n in (self.static_uniform_row_length,)]
            nrows = self.nrows() if self.static_nrows is None else self.static_nrows
            if static_number(self._nrows) is not None:
                nrows = static_number(self._nrows)
            return f"tf.RowPartition(nrows={nrows}, uniform_row_length={shown[0]})"
        splits = arrange.get_static_value(self._row_splits)
        return f"tf.RowPartition(row_splits={self._row_splits if splits is None else splits})"

    # --- for other modules --------------------------------------------------------------------------------------------

    def _encodings(self) -> tuple[Any, Any, Any, Any, Any, Any]:
        """The available encodings, in the order of the constructor's arguments."""
        return (
            self._row_splits, self._row_lengths, self._value_rowids, self._nrows, self._uniform_row_length, self._nvals,
        )

    @property
    def _type_spec(self) -> RowPartitionSpec:
        return RowPartitionSpec.from_value(self)

    def _has_precomputed_row_splits(self) -> bool:
        return True

    def _has_precomputed_row_lengths(self) -> bool:
        return self._row_lengths is not None

    def _has_precomputed_value_rowids(self) -> bool:
        return self._value_rowids is not None

    def _has_precomputed_nrows(self) -> bool:
        return self._nrows is not None

    def _has_precomputed_nvals(self) -> bool:
        return self._nvals is not None

    def _with_precomputed_row_splits(self) -> RowPartition:
        return self

    def _with(self, position: int, value) -> RowPartition:
        encodings = list(self._encodings())
        encodings[position] = value
        return _of_encodings(encodings)

    def _with_precomputed_row_lengths(self) -> RowPartition:
        return self._with(1, self.row_lengths())

    def _with_precomputed_value_rowids(self) -> RowPartition:
        return self._with(2, self.value_rowids())

    def _with_precomputed_nrows(self) -> RowPartition:
        return self._with(3, self.nrows())

    def _with_precomputed_nvals(self) -> RowPartition:
        return self._with(5, self.nvals())

    def _merge_precomputed_encodings(self, other: RowPartition, validate=True) -> RowPartition:
        """These rows with every encoding that one of the two knows; they must be the same rows."""
        if self is other or self._row_splits is other._row_splits and self._encodings() == other._encodings():
            return self
        names = ("row_splits", "row_lengths", "value_rowids", "nrows", "uniform_row_length", "nvals")
        merged, found = [], False
        for name, mine, theirs in zip(names, self._encodings(), other._encodings(), strict=True):
            if mine is None or theirs is None or mine is theirs:
                merged.append(theirs if mine is None else mine)
                continue
            found = True
            try:
                mine.shape.assert_is_compatible_with(theirs.shape)
            except ValueError:
                raise ValueError(
                    f"RowPartition._merge_precomputed_encodings: partitions have incompatible {name}"
                ) from None
            if validate:
                what = f"RowPartition._merge_precomputed_encodings: partitions have incompatible {name}"
                mine = guarded([asserts.assert_equal(mine, theirs, message=what)], mine)
            merged.append(mine)
        if not found and merged[0] is self._row_splits and all(
            a is b for a, b in zip(merged, self._encodings(), strict=True)
        ):
            return self
        return _of_encodings(merged)


    def _merge_with_spec(self, other: RowPartitionSpec) -> RowPartition:
        """These rows with the numbers that a spec knows."""
        if not self._type_spec.is_compatible_with(other):
            raise ValueError("RowPartition and RowPartitionSpec are not compatible")
        encodings = list(self._encodings())
        for position, known in ((3, other.nrows), (4, other.uniform_row_length), (5, other.nvals)):
            if known is not None:
                encodings[position] = constant(known, self.dtype)
        return _of_encodings(encodings)

    def _with_dependencies(self, checks) -> RowPartition:
        """The same rows, behind checks."""
        return _of_encodings(None if x is None else guarded(checks, x) for x in self._encodings())


def _of_encodings(encodings) -> RowPartition:
    splits, lengths, ids, nrows, length, nvals = encodings
    return RowPartition(splits, lengths, ids, nrows, length, nvals, internal=True)


def _check_row_count(count: int | None, ids) -> None:
    if count is None:
        return
    if count < 0:
        raise ValueError(f"Expected nrows >= 0; got {count}")
    known = arrange.get_static_value(ids)
    if known is not None and known.ndim == 1 and known.size and count < known[-1] + 1:
        raise ValueError(f"Expected nrows >= value_rowids[-1] + 1; got nrows={count}, value_rowids[-1]={known[-1]}")


def _check_uniform(length: int | None, nrows: int | None, nvals: int | None) -> None:
    if length is not None and nrows is not None and nvals is not None and length * nrows != nvals:
        raise ValueError(f"uniform_row_length={length} times nrows={nrows} must equal nvals={nvals}")


def _assert_zero(tensor, message):
    return asserts.assert_equal(tensor, constant(0, tensor.dtype), message=message)
