"""`RaggedTensor`: rows of different lengths.

`values` holds all rows one after the other; row i is `values[row_splits[i]:row_splits[i + 1]]`. The values may
themselves be ragged, or of a class in `VALUE_TYPES`.

This module has only the structure. `reflow/api/ragged/` installs what needs ops (`from_row_lengths`, `to_tensor`, `[]`,
…).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.core.specs import TensorSpec, TypeSpec
from reflow.core.tensor import TensorBase
from reflow.core.types import DTypeLike, ShapeLike

#: functions to call once, before the first ragged tensor is created: they make public functions accept ragged tensors
at_first_use: list[Callable[[], Any]] = []


#: classes of values besides tensors and ragged tensors: composite tensors with a `shape` and a `dtype`
VALUE_TYPES: list[type] = []


def prepare() -> None:
    """Run the hooks that must precede the first ragged tensor."""
    waiting = at_first_use[:]
    at_first_use.clear()
    for function in waiting:
        function()


class RaggedTensor:
    """A tensor with rows of different lengths.

    The constructor is private: `tf.ragged.constant` and the class methods `from_row_splits`, `from_row_lengths` and
    others make one.

    Args:
      values: The elements of all rows, a tensor or ragged tensor.
      row_partition: Where the rows begin and end.
      internal: Must be true.

    Raises:
      ValueError: `internal` is false.

    >>> RaggedTensor.from_row_splits([3, 1, 4, 1], [0, 3, 3, 4])
    <tf.RaggedTensor [[3, 1, 4], [], [1]]>
    """

    _is_composite = True
    is_tensor_like = True
    __array_priority__ = 100
    # installed by reflow/api/ragged/
    from_row_lengths: Any
    from_nested_row_splits: Any
    from_sparse: Any
    map_pairs: Any
    from_row_splits: Any
    from_row_starts: Any
    from_row_limits: Any
    from_value_rowids: Any
    from_uniform_row_length: Any
    from_tensor: Any
    _row_partition: Any
    _nested_row_partitions: Any
    _from_row_partition: Any
    _from_nested_row_partitions: Any
    row_starts: Any
    row_limits: Any
    bounding_shape: Any
    to_tensor: Any
    merge_dims: Any
    with_row_splits_dtype: Any
    __getitem__: Any
    nested_row_lengths: Any
    nested_value_rowids: Any
    to_list: Any
    numpy: Any
    nrows: Any
    row_lengths: Any
    value_rowids: Any
    to_sparse: Any

    def __init__(self, values: Any, row_partition: Any, internal: bool = False) -> None:
        if not internal:
            raise ValueError(
                "RaggedTensor constructor is private; please use one of the factory methods instead (e.g., "
                "RaggedTensor.from_row_lengths())"
            )
        if at_first_use:
            prepare()
        self._values = values
        self._partition = row_partition
        self._row_splits, self._uniform = row_partition.row_splits(), row_partition.uniform_row_length()

    @classmethod
    def _of(cls, values: Any, row_splits: Any, uniform: Any = None) -> RaggedTensor:
        """Rows with given splits; the row partition is created when another encoding of them is needed."""
        if at_first_use:
            prepare()
        ragged = cls.__new__(cls)
        ragged._values, ragged._row_splits, ragged._uniform, ragged._partition = values, row_splits, uniform, None
        return ragged

    values = property(lambda self: self._values)
    row_splits = property(lambda self: self._row_splits)
    dtype = property(lambda self: self._values.dtype)
    _dtype = dtype
    uniform_row_length = property(lambda self: self._uniform)
    device = property(lambda self: self._values.device)

    def _gradient_parts(self) -> Any:
        """The differentiable part: the innermost values."""
        return self._values._gradient_parts() if isinstance(self._values, RaggedTensor) else self._values

    def _from_gradient_parts(self, gradient: Any) -> RaggedTensor | None:
        """The gradient as a ragged tensor with the same rows."""
        return None if gradient is None else self.with_flat_values(gradient)

    @property
    def shape(self) -> TensorShape:
        """The static shape; None for the lengths of rows."""
        splits = self._row_splits.shape._dims
        rows = None if splits is None or splits[0] is None else splits[0] - 1
        length = None
        if self._uniform is not None:
            length = getattr(self._uniform, "_static", None)
            if length is None and not getattr(self._uniform, "_is_symbolic", False):
                length = int(self._uniform)
        inner = self._values.shape._dims
        return TensorShape(None if inner is None else (rows, length, *inner[1:]))

    def get_shape(self) -> TensorShape:
        """The shape; None where the length of rows varies."""
        return self.shape

    rank = property(lambda self: self.shape.rank)
    ndim = rank

    @property
    def ragged_rank(self) -> int:
        """The number of ragged axes."""
        return 1 + (self._values.ragged_rank if isinstance(self._values, RaggedTensor) else 0)

    @property
    def flat_values(self) -> Any:
        """The innermost values."""
        values = self._values
        while isinstance(values, RaggedTensor):
            values = values._values
        return values

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The row splits of all ragged axes, outermost first."""
        inner = self._values.nested_row_splits if isinstance(self._values, RaggedTensor) else ()
        return (self._row_splits, *inner)

    def _uniform_lengths(self) -> tuple[Any, ...]:
        inner = self._values._uniform_lengths() if isinstance(self._values, RaggedTensor) else ()
        return (self._uniform, *inner)

    def map_values(self, function: Callable[[Any], Any]) -> RaggedTensor:
        """Apply a function of one tensor to the innermost values."""
        return self.with_flat_values(function(self.flat_values))

    def __bool__(self) -> bool:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    @property
    def _is_in_plain_graph(self) -> bool:
        """Whether it belongs to a graph that is no function's.

        There it is compared as an object, and may be a key of a feed.
        """
        graph = getattr(self._row_splits, "graph", None) if self._is_symbolic_ragged else None
        return graph is not None and not graph.building_function

    def __hash__(self) -> int:
        if not self._is_in_plain_graph:
            raise TypeError("RaggedTensor is unhashable.")
        return id(self)

    def with_values(self, new_values: Any) -> RaggedTensor:
        """The same rows with other values."""
        new_values = _as_values(new_values)
        new_values.shape.with_rank_at_least(1)
        self._values.shape[:1].assert_is_compatible_with(new_values.shape[:1])
        result = RaggedTensor._of(new_values, self._row_splits, self._uniform)
        result._partition = self._partition
        return result

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """The same rows with other innermost values."""
        inner = self._values
        return self.with_values(inner.with_flat_values(new_values) if isinstance(inner, RaggedTensor) else new_values)

    def consumers(self) -> Any:
        """The operations of the graph that read the flat values."""
        return self.flat_values.consumers() if self._is_symbolic_ragged else []

    @property
    def _type_spec(self) -> RaggedTensorSpec:
        inner = self.flat_values
        other = None if isinstance(inner, TensorBase) else inner._type_spec._unbatch()._batch(None)
        return RaggedTensorSpec(self.shape, self.dtype, self.ragged_rank, self._row_splits.dtype, other)

    @property
    def _is_symbolic_ragged(self) -> bool:
        return any(getattr(t, "_is_symbolic", False) for t in (self.flat_values, *self.nested_row_splits))

    def __repr__(self) -> str:
        if self._is_symbolic_ragged or not isinstance(self.flat_values, TensorBase):
            return f"tf.RaggedTensor(values={self._values}, row_splits={self._row_splits})"
        return f"<tf.RaggedTensor {self._text()}>"

    def _text(self) -> str:
        with np.printoptions(formatter={"all": _spell}):
            return _spell(self.numpy())


def _spell(x: Any) -> str:
    """Nested arrays in NumPy's layout and with its ellipses, but with commas and without `array(...)`."""
    if isinstance(x, np.ndarray):
        return np.array2string(x, separator=", ") if x.size else repr(x.tolist())
    return str(x) if isinstance(x, np.generic) and not isinstance(x, bytes) else repr(x)  # `str`: 0.1 of a float32


def _as_values(values: Any, dtype: Any = None) -> Any:
    """Convert values to a tensor. Installed by `reflow/api/ragged/elementwise.py`."""
    return values


def install_as_values(function: Callable[..., Any]) -> None:
    global _as_values
    _as_values = function


class RaggedTensorSpec(TypeSpec):
    """The spec of a ragged tensor.

    Args:
      shape: The shape, with None for the lengths of rows; by default any, which needs a `ragged_rank`.
      dtype: The dtype of the elements.
      ragged_rank: How many axes are ragged; by default all but the first.
      row_splits_dtype: The dtype of the row splits, int32 or int64.
      flat_values_spec: The spec of the innermost values, if these are not a plain tensor.

    Raises:
      ValueError: The rank is not known, not above `ragged_rank`, or the dtypes differ.
      TypeError: `ragged_rank` is not an int.

    >>> RaggedTensorSpec([2, None], "int32")
    RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int64)
    """

    __slots__ = ("_shape", "_dtype", "_ragged_rank", "_row_splits_dtype", "_flat_values_spec")

    def __init__(
        self, shape: ShapeLike | None = None, dtype: DTypeLike | None = dtypes.float32, ragged_rank: int | None = None,
        row_splits_dtype: DTypeLike = dtypes.int64, flat_values_spec: Any = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._row_splits_dtype = dtypes.as_dtype(row_splits_dtype)
        self._flat_values_spec = flat_values_spec
        self._dtype = _common_dtype(dtype, flat_values_spec)
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if not isinstance(ragged_rank, int):
            raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
        if rank is not None and ragged_rank >= rank:
            raise ValueError(f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank}).")
        self._ragged_rank = ragged_rank

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)
    ragged_rank = property(lambda self: self._ragged_rank)
    row_splits_dtype = property(lambda self: self._row_splits_dtype)
    flat_values_spec = property(lambda self: self._flat_values_spec)

    @property
    def value_type(self) -> Any:
        """The class of the values: without ragged axes that of the innermost ones."""
        if self._ragged_rank > 0:
            return RaggedTensor
        return TensorSpec.value_type if self._flat_values_spec is None else self._flat_values_spec.value_type

    def _serialize(self) -> tuple[Any, ...]:
        parts = (self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype)
        return parts if self._flat_values_spec is None else (*parts, self._flat_values_spec)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a value, or all values of another spec, fit this spec."""
        if self._ragged_rank == 0 and not isinstance(spec_or_value, TypeSpec):
            return self._component_specs[0].is_compatible_with(spec_or_value)
        return super().is_compatible_with(spec_or_value)

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """The spec of a ragged tensor."""
        return value._type_spec if isinstance(value, RaggedTensor) else cls(value.shape, value.dtype, 0)

    @property
    def _component_specs(self) -> list[TypeSpec]:
        dims = self._shape._dims
        inner = self._flat_values_spec
        if self._ragged_rank == 0:
            return [TensorSpec(self._shape, self._dtype) if inner is None else inner]
        if inner is None:
            inner = TensorSpec(None if dims is None else (None, *dims[self._ragged_rank + 1 :]), self._dtype)
        rows = None if dims is None or dims[0] is None else dims[0] + 1
        more = (TensorSpec([None], self._row_splits_dtype) for _ in range(self._ragged_rank - 1))
        return [inner, TensorSpec([rows], self._row_splits_dtype), *more]

    def _batch(self, size: int | None) -> RaggedTensorSpec:
        """The spec of a batch of `size` such tensors."""
        shape, inner = TensorShape([size]).concatenate(self._shape), self._flat_values_spec
        inner = inner._batch(None) if inner is not None and self._ragged_rank == 0 else inner
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank + 1, self._row_splits_dtype, inner)

    def _unbatch(self) -> RaggedTensorSpec:
        """The spec of a row. A row without splits is a dense tensor of unknown length."""
        if self._ragged_rank == 0:
            raise ValueError(f"Unbatching {self!r} is not possible: it has no rows.")
        shape = None if self._shape.rank is None else self._shape[1:]
        return RaggedTensorSpec(
            shape, self._dtype, self._ragged_rank - 1, self._row_splits_dtype, self._flat_values_spec
        )

    def _to_components(self, value: Any) -> list[Any]:
        if not isinstance(value, RaggedTensor):
            return [value]
        return [value.flat_values, *value.nested_row_splits]

    def _from_components(self, components: Any) -> Any:
        result, *splits = components
        dims = self._shape._dims or (None,) * (len(splits) + 1)
        for row_splits, length in zip(reversed(splits), reversed(dims[1 : len(splits) + 1]), strict=True):
            uniform = None if length is None else _as_values(length, self._row_splits_dtype)
            result = RaggedTensor._of(result, row_splits, uniform)
        return result


def _common_dtype(dtype: DTypeLike | None, flat_values_spec: Any) -> dtypes.DType:
    """The dtype of a ragged spec, which that of its innermost values must agree with."""
    if flat_values_spec is None:
        if dtype is None:
            raise ValueError("At least one of dtype or flat_values_spec must be provided")
        return dtypes.as_dtype(dtype)
    if dtype is not None and dtypes.as_dtype(dtype) is not flat_values_spec.dtype:
        raise ValueError("dtype must be the same as flat_values_spec.dtype")
    return flat_values_spec.dtype
