"""Array functions on structured tensors: `tf.expand_dims`, `tf.gather`, `tf.concat`, `tf.shape` and similar functions.

They are registered when the first structured tensor is created. Functions that rearrange structures are applied to each
field, and to a proxy, a tensor of zeros with the shape of the structures, which gives the new shape even for structures
without fields.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from reflow.api.array import arrange, creation, indexing
from reflow.api.dispatching import NOT_MINE, teach
from reflow.api.math import arithmetic
from reflow.api.ragged.parts import positive_axis
from reflow.api.ragged.shape import DynamicRaggedShape
from reflow.api.ragged.structured import StructuredTensor
from reflow.api.random import sampling
from reflow.core import dtypes
from reflow.core.types import DTypeLike
from reflow.ops.convert import constant


def _stand_in(structures: StructuredTensor) -> Any:
    return creation.zeros(structures._ragged_shape, dtypes.int32)


def structured_tensor_like(value: Any) -> StructuredTensor:
    """Structures without fields, of a tensor's shape."""
    if value.shape.rank is None:
        raise ValueError("Can't build StructuredTensor w/ unknown rank")
    shape = value._ragged_shape if isinstance(value, StructuredTensor) else DynamicRaggedShape.from_tensor(value)
    return StructuredTensor.from_shape(_in_rows(shape))


def _in_rows(shape: DynamicRaggedShape) -> DynamicRaggedShape:
    """A shape in the form of structured tensors: all axes after the first as row partitions."""
    rank = shape._known_rank()
    return shape._with_num_row_partitions(rank - 1) if rank > 1 else shape


def _rearranged(change: Callable[[list[Any]], Any], values: Sequence[StructuredTensor]) -> StructuredTensor:
    """Structures whose fields, and shape, are what `change` makes of those of some others, a list for each field."""
    every = {name for value in values for name in value.field_names()}
    uneven = {name for name in every if any(name not in value.field_names() for value in values)}
    if uneven:
        raise ValueError(
            f"Some paths are present in some, but not all, structured tensors: {sorted((name,) for name in uneven)}"
        )
    fields = {name: change([value.field_value(name) for value in values]) for name in values[0].field_names()}
    shape = DynamicRaggedShape.from_tensor(
        change([_stand_in(value) for value in values]), values[0]._ragged_shape.dtype
    )
    return StructuredTensor(fields, _in_rows(shape))


def extend_op(values: Any, leaf_op: Callable[[list[Any]], Any]) -> Any:
    """A function of a list of tensors, applied to the fields of a list of structures, however deep these are nested."""
    if not isinstance(values, (list, tuple)):
        raise ValueError("Expected a list")
    if not values:
        raise ValueError("List cannot be empty")
    if not isinstance(values[0], StructuredTensor):
        return leaf_op(list(values))
    return _rearranged(lambda parts: extend_op(parts, leaf_op), values)


def expand_dims(
    input: StructuredTensor, axis: Any = None, name: str | None = None, dim: Any = None
) -> StructuredTensor:
    """Structures with one more axis of size 1."""
    axis = positive_axis(
        axis if axis is not None else dim, input._ragged_shape._known_rank() + 1, rank_name="rank(input)"
    )
    return _rearranged(lambda parts: arrange.expand_dims(parts[0], axis), [input])


def gather(
    params: StructuredTensor, indices: Any, validate_indices: Any = None, name: str | None = None, axis: Any = None,
    batch_dims: int = 0,
) -> StructuredTensor:
    """Structures at some places along an axis."""
    rank = params._ragged_shape._known_rank()
    axis = positive_axis(batch_dims if axis is None else axis, rank, rank_name="rank(params)")
    batch_dims = positive_axis(batch_dims, rank, name="batch_dims", rank_name="rank(params)")
    return _rearranged(lambda parts: indexing.gather(parts[0], indices, axis=axis, batch_dims=batch_dims), [params])


def concat(values: Any, axis: Any, name: str = "concat") -> StructuredTensor:
    """Concatenate structures along an axis."""
    if isinstance(values, (list, tuple)) and not values:
        raise ValueError("values must not be an empty list")
    if not isinstance(values, (list, tuple)):
        raise ValueError("values must be a list of StructuredTensors (not a list)")
    if not all(isinstance(value, StructuredTensor) for value in values):
        raise ValueError("values must be a list of StructuredTensors")
    if len({value.rank for value in values}) > 1:
        raise ValueError("Ranks of sub-message do not match")
    axis = positive_axis(axis, values[0]._ragged_shape._known_rank())
    return _rearranged(lambda parts: arrange.concat(parts, axis), values)


def random_shuffle(value: StructuredTensor, seed: int | None = None, name: str | None = None) -> StructuredTensor:
    """The structures of the first axis in a random order."""
    if value.rank == 0:
        raise ValueError("Cannot shuffle a scalar StructuredTensor")
    return gather(value, sampling.shuffle(creation.range(value.nrows()), seed))


def shape(input: StructuredTensor, name: str | None = None, out_type: DTypeLike | None = None) -> DynamicRaggedShape:
    """The shape, which may be ragged."""
    return input._ragged_shape.with_dtype(dtypes.as_dtype(out_type or dtypes.int32))


def rank(input: StructuredTensor, name: str | None = None) -> Any:
    """How many axes there are."""
    return constant(input._ragged_shape._known_rank(), dtypes.int32)


def size(input: StructuredTensor, name: str | None = None, out_type: DTypeLike | None = None) -> Any:
    """How many structures there are."""
    return arithmetic.cast(input._ragged_shape._num_elements(), out_type or dtypes.int32)


def zeros_like(tensor: StructuredTensor, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """Zeros, ragged or not, in the structures' shape."""
    return creation.zeros(tensor._ragged_shape, dtypes.as_dtype(dtype or dtypes.float32))


def ones_like(tensor: StructuredTensor, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """Ones, ragged or not, in the structures' shape."""
    return creation.ones(tensor._ragged_shape, dtypes.as_dtype(dtype or dtypes.float32))


#: public functions, and what they do with structures, which are their first argument or in it
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "expand_dims": expand_dims,
    "gather": gather,
    "concat": lambda values, axis, name="concat": concat(
        values if isinstance(values, (list, tuple)) else [values], axis, name
    ),
    "random.shuffle": random_shuffle,
    "random_shuffle": random_shuffle,
    "shape": shape,
    "rank": rank,
    "size": size,
    "zeros_like": zeros_like,
    "ones_like": ones_like,
}
#: arguments of the public functions that structures have only with these values
_ONLY: dict[str, tuple[Any, ...]] = {
    "optimize": (True, False), "layout": (None,), "bad_indices_policy": (None, "", "DEFAULT")
}


def _target(function: Callable[..., Any]) -> Callable[..., Any]:
    """Routes a call to the version here if its first argument, or an element of it, is structured."""

    def target(api: Any, args: tuple, kwargs: dict) -> Any:
        given = dict(zip(api.parameters, args, strict=False)) | kwargs
        first = given.pop(api.parameters[0], None)
        if not any(isinstance(v, StructuredTensor) for v in (first if isinstance(first, (list, tuple)) else [first])):
            return NOT_MINE
        for name in given.keys() & _ONLY.keys():
            value = given.pop(name)
            if value not in _ONLY[name]:
                raise ValueError(f"{name}={value!r} is not supported for a StructuredTensor.")
        return function(first, **given)

    return target


def install() -> None:
    """Teach all public functions that are listed here."""
    for name, function in _FUNCTIONS.items():
        teach(name, _target(function))
