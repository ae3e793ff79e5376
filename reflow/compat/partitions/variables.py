"""Partitioned variables: one variable stored as several along an axis, `w/part_0`, `w/part_1`.

A *partitioner* says for a shape and a dtype into how many parts each axis is split; only one axis may be. If the length
does not divide evenly, the first parts are longer by one. Checkpoints hold the whole variable under one name, so it can
be restored with another number of parts.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from reflow.api.array import arrange, indexing
from reflow.compat.behavior import get_default_graph
from reflow.compat.graph_variables import SaveSliceInfo
from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.core.tensor import Tensor
from reflow.eager.variables import Variable
from reflow.ops.convert import convert_to_tensor, register_tensor_conversion_function


class PartitionInfo:
    """What an initializer of a part may ask: the shape of the whole, and where the part begins."""

    def __init__(self, full_shape: Sequence[int], var_offset: Sequence[int]) -> None:
        for name, given in (("full_shape", full_shape), ("var_offset", var_offset)):
            _check_sequence(name, given)
        if len(var_offset) != len(full_shape):
            raise ValueError(
                f"Expected equal length, but `var_offset` is of length {len(var_offset)} while full_shape is of "
                f"length {len(full_shape)}."
            )
        for offset, size in zip(var_offset, full_shape, strict=True):
            if not 0 <= offset < size:
                raise ValueError(
                    f"Expected 0 <= offset < shape but found offset={offset}, shape={size} for "
                    f"var_offset={var_offset}, full_shape={full_shape}"
                )
        self.full_shape, self.var_offset = full_shape, var_offset

    def single_offset(self, shape: Sequence[int]) -> int:
        """Where a part of this shape begins along the axis that is cut."""
        axis = self.single_slice_dim(shape)
        return 0 if axis is None else self.var_offset[axis]

    def single_slice_dim(self, shape: Sequence[int]) -> int | None:
        """The axis along which a part of this shape is cut; None if it is the whole."""
        _check_sequence("shape", shape)
        if len(shape) != len(self.full_shape):
            raise ValueError(
                f"Expected equal length, but received shape={shape} of length {len(shape)} while "
                f"self.full_shape={self.full_shape} is of length {len(self.full_shape)}."
            )
        found = None
        for i, (size, offset, full) in enumerate(zip(shape, self.var_offset, self.full_shape, strict=True)):
            if offset + size > full:
                raise ValueError(
                    f"With self.var_offset={self.var_offset}, a partition of shape={shape} would exceed "
                    f"self.full_shape={self.full_shape} in dimension {i}."
                )
            if size != full and found is not None:
                raise ValueError(
                    f"Cannot use single_slice_dim() with shape={shape} and self.full_shape={self.full_shape} since "
                    f"slice dim could be either dimension {i} or {found}."
                )
            found = i if size != full else found
        return found


def _check_sequence(name: str, given: Any) -> None:
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise TypeError(f"`{name}` must be a sequence (like tuple or list) instead of {type(given).__name__}")


class PartitionedVariable:
    """The parts of a variable, which is their concatenation wherever a tensor is wanted.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     w = v1.get_variable(
    ...         "w", [3, 2], initializer=v1.ones_initializer(), partitioner=v1.fixed_size_partitioner(2))
    ...     _ = session.run(v1.global_variables_initializer())
    ...     [v.name for v in w], session.run(tf.add(w, 1.0)).tolist()
    (['w/part_0:0', 'w/part_1:0'], [[2.0, 2.0], [2.0, 2.0], [2.0, 2.0]])
    """

    def __init__(
        self, name: str, shape: Any, dtype: Any, variable_list: Sequence[Variable], partitions: Sequence[int]
    ) -> None:
        if not isinstance(variable_list, (list, tuple)):
            raise TypeError(f"variable_list is not a list or tuple: {variable_list}")
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(f"partitions is not a list or tuple: {partitions}")
        if any(p < 1 for p in partitions):
            raise ValueError(f"partition values must be positive: {partitions}")
        if not variable_list:
            raise ValueError("variable_list may not be empty")
        self._name, self._shape, self._dtype = name, TensorShape(shape), dtypes.as_dtype(dtype)
        self._variables, self._partitions = list(variable_list), list(partitions)

    name = property(lambda self: self._name)
    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._variables)

    def __len__(self) -> int:
        return len(self._variables)

    def get_shape(self) -> TensorShape:
        return self._shape

    def _get_variable_list(self) -> list[Variable]:
        return self._variables

    def _get_partitions(self) -> list[int]:
        return self._partitions

    def _partition_axes(self) -> list[int]:
        """The axes that are cut; the first if none is."""
        return [i for i, parts in enumerate(self._partitions) if parts > 1] or [0]

    def as_tensor(self) -> Tensor:
        """The whole value."""
        axes = self._partition_axes()
        if len(axes) > 1:
            raise NotImplementedError(
                f"Cannot concatenate along more than one dimension: {axes}. Multi-axis "
                "partition concat is not supported"
            )
        graph = get_default_graph()
        with graph.scope(f"{self._name}/ConcatPartitions/"):
            values = [v.value() for v in self._variables]
            whole = arrange.concat(values, axes[0]) if len(values) > 1 else values[0]
        with graph.scope(None):
            return arrange.identity(whole, name=self._name)

    value = as_tensor

    def _assign(self, method: str, value: Any, use_locking: bool, name: str | None, read_value: bool) -> list:
        """Hand each part its part of a value."""
        whole = isinstance(value, (list, tuple)) and len(value) == len(self._variables) and all(map(_is_tensor, value))
        pieces = list(value) if whole else _pieces(convert_to_tensor(value, self._dtype), self._variables)
        made = [getattr(v, method)(x, read_value=read_value) for v, x in zip(self._variables, pieces, strict=True)]
        return made

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> list:
        """Replace the value; returns what the parts' `assign` return."""
        return self._assign("assign", value, use_locking, name, read_value)

    def assign_add(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> list:
        """Add to the value; returns what the parts' `assign_add` return."""
        return self._assign("assign_add", value, use_locking, name, read_value)

    def assign_sub(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> list:
        """Subtract from the value; returns what the parts' `assign_sub` return."""
        return self._assign("assign_sub", value, use_locking, name, read_value)

    @property
    def op(self) -> Any:
        raise NotImplementedError("Operation of a partitioned variable is not defined: its parts have operations.")


def _is_tensor(value: Any) -> bool:
    return isinstance(value, (Tensor, Variable))


def _pieces(value: Tensor, parts: Sequence[Any]) -> list[Tensor]:
    infos = [part._save_slice_info for part in parts]
    return [indexing.slice(value, info.var_offset, info.var_shape) for info in infos]


def _converted(value: PartitionedVariable, dtype: Any = None, name: str | None = None, as_ref: bool = False) -> Any:
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        return NotImplemented
    return value.as_tensor()


register_tensor_conversion_function(PartitionedVariable, _converted)


# --- making them ------------------------------------------------------------------------------------------------------


def parts_along(shape: Sequence[int], count: int, axis: int) -> Iterator[tuple[list[int], list[int]]]:
    """(offset, shape) of each part.

    >>> list(parts_along([5, 2], 2, 0))
    [([0, 0], [3, 2]), ([3, 0], [2, 2])]
    """
    offset = [0] * len(shape)
    for i in range(count):
        part = list(shape)
        part[axis] = shape[axis] // count + (i < shape[axis] % count)
        yield list(offset), part
        offset[axis] += part[axis]


def axis_and_count(shape: Sequence[int], slicing: Sequence[int]) -> tuple[int, int]:
    """Which axis is cut, and into how many parts. ValueError if it is more than one."""
    axis, count = 0, 1
    for i, (size, parts) in enumerate(zip(shape, slicing, strict=True)):
        if parts <= 0 or size < parts:
            raise ValueError(
                f"Cannot create {parts} slices for size {size}. shape: {list(shape)}, slicing: {list(slicing)}"
            )
        if parts > 1:
            if count > 1:
                raise ValueError(
                    f"Can only slice a variable along one dimension: shape: {list(shape)}, slicing: {list(slicing)}"
                )
            axis, count = i, parts
    return axis, count


def _cut(name: str, partitioner: Any, shape: TensorShape, dtype: Any) -> list[int]:
    """What a partitioner says, checked."""
    if not shape.is_fully_defined():
        raise ValueError(
            f"Shape of a new partitioned variable ({name}) must be fully defined, but instead was {shape}."
        )
    if not shape.rank:
        raise ValueError(f"A partitioned Variable must have rank at least 1, shape: {shape}")
    slicing = partitioner(shape=shape, dtype=dtype)
    if not isinstance(slicing, (list, tuple)):
        raise ValueError(f"Partitioner must return a sequence, but saw: {slicing}")
    if len(slicing) != shape.rank:
        raise ValueError(
            f"Partitioner returned a partition list that does not match the Variable's rank: {slicing} vs. {shape}"
        )
    if any(parts < 1 for parts in slicing):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {slicing}")
    return list(slicing)


def get_partitioned(
    store: Any, reuse: Any, make: Callable[..., Variable], name: str, shape: Any, dtype: Any, initializer: Any,
    partitioner: Any,
) -> PartitionedVariable:
    """The partitioned variable of a name: that of the store, or a new one of variables that `make` makes."""
    if not callable(partitioner):
        raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
    if name in store.variables:
        raise ValueError(
            f"A partitioner was provided, but an unpartitioned version of the variable was found: {name}. Perhaps a "
            "variable of the same name was already created without partitioning?"
        )
    fixed = initializer is not None and not callable(initializer)
    first = convert_to_tensor(initializer, None if isinstance(initializer, Tensor) else dtype) if fixed else None
    whole = (
        TensorShape(shape) if first is None else TensorShape(shape).merge_with(first.shape) if shape is not None
        else first.shape
    )
    found = store.partitioned.get(name)
    if found is not None:
        return _found_again(found, reuse, name, whole, dtype, partitioner)
    if reuse is True:
        raise ValueError(
            f"PartitionedVariable {name} does not exist, or was not created with tf.get_variable(). Did you mean to "
            "set reuse=False or reuse=tf.AUTO_REUSE in VarScope?"
        )
    slicing = _cut(name, partitioner, whole, dtypes.as_dtype(dtype))
    sizes: list[Any] = whole.as_list()
    axis, count = axis_and_count(sizes, slicing)
    parts: list[Any] = []
    for i, (offset, part) in enumerate(parts_along(sizes, count, axis)):
        if first is not None:
            given: Any = indexing.slice(first, offset, part)
        else:
            given = _informed(initializer, PartitionInfo(sizes, offset))
        parts.append(make(f"{name}/part_{i}", None if first is not None else part, dtype, given))
        parts[-1]._save_slice_info = SaveSliceInfo(name, sizes, offset, part)
    store.partitioned[name] = PartitionedVariable(name, whole, parts[0].dtype, parts, slicing)
    return store.partitioned[name]


def _found_again(
    found: PartitionedVariable, reuse: Any, name: str, shape: TensorShape, dtype: Any, partitioner: Any
) -> PartitionedVariable:
    if not reuse:
        raise ValueError(
            f"Partitioned variable with name {name} already exists. Did you mean to set reuse=True or "
            "reuse=tf.AUTO_REUSE in VarScope?"
        )
    if not shape.is_compatible_with(found.shape):
        raise ValueError(
            f"Trying to reuse partitioned variable {name}, but specified shape {shape} and found shape {found.shape}."
        )
    if not dtypes.as_dtype(dtype).is_compatible_with(found.dtype):
        raise ValueError(
            f"Trying to reuse partitioned variable {name}, but specified dtype {dtypes.as_dtype(dtype).name} and found "
            f"dtype {found.dtype.name}."
        )
    slicing = _cut(name, partitioner, found.shape, found.dtype)
    if slicing != found._get_partitions():
        raise ValueError(
            f"Trying to reuse partitioned variable {name}, but specified partitions {slicing} and found partitions "
            f"{found._get_partitions()}."
        )
    return found


def _informed(initializer: Any, info: PartitionInfo) -> Any:
    """An initializer that gets the partition info, if it accepts it."""
    if isinstance(initializer, type):
        initializer = initializer()
    try:
        asks = "partition_info" in inspect.signature(initializer).parameters
    except (TypeError, ValueError):
        asks = False
    return functools.partial(initializer, partition_info=info) if asks else initializer


