"""Ragged tensors as variants and back, and what becomes known of their shapes later."""

from __future__ import annotations

from typing import Any

from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor, RaggedTensorSpec
from reflow.core.shapes import TensorShape
from reflow.core.specs import TensorSpec
from reflow.core.tensor import EagerTensor
from reflow.ops.convert import constant, convert_to_tensor
from reflow.ops.dispatch import run


def _to_variant(self: RaggedTensor, batched_input: bool = False, name: str | None = None) -> Any:
    """This ragged tensor as a scalar variant, or as a vector with one for each row if `batched_input`."""
    values = self.flat_values
    return run(
        "RaggedTensorToVariant", *self.nested_row_splits, values, batched_input=batched_input, Tvalues=values.dtype,
        Tsplits=self.row_splits.dtype, RAGGED_RANK=self.ragged_rank,
    )


def _from_variant(
    cls: type[RaggedTensor], variant: Any, dtype: Any, output_ragged_rank: int, input_ragged_rank: int | None = None,
    row_splits_dtype: Any = dtypes.int64, name: str | None = None,
) -> RaggedTensor:
    """The ragged tensor behind variants: those of an array of variants are its outer rows.

    Raises:
      ValueError: The ranks do not fit.
    """
    variant = convert_to_tensor(variant, dtypes.variant)
    rank = variant.shape.rank
    if None not in (rank, input_ragged_rank) and output_ragged_rank != input_ragged_rank + rank:  # type: ignore[operator]
        raise ValueError(
            f"Argument `output_ragged_rank` ({output_ragged_rank}) must be equal to `input_ragged_rank` + "
            f"`variant.shape.ndims` ({input_ragged_rank} + {rank})."
        )
    *splits, values = run(
        "RaggedTensorFromVariant", variant, input_ragged_rank=-1 if input_ragged_rank is None else input_ragged_rank,
        output_ragged_rank=max(output_ragged_rank, 0), Tvalues=dtypes.as_dtype(dtype),
        Tsplits=dtypes.as_dtype(row_splits_dtype),
    )
    return cls.from_nested_row_splits(values, splits, validate=False)


def _set_shape(self: RaggedTensor, shape: Any) -> None:
    """Note what is known about the shape, without a check at run time.

    Raises:
      ValueError: The rows are known to have another length.
    """
    wanted = TensorShape(shape)
    if wanted.rank is None:
        return
    sizes = wanted.as_list()
    part: Any = self
    if sizes[0] is not None:
        part.row_splits.set_shape([sizes[0] + 1])
    for axis, size in enumerate(sizes[1 : self.ragged_rank + 1], start=1):
        if size is not None:
            known = part.shape[1]
            if known is not None and known != size:
                raise ValueError(f"Inconsistent size for axis {axis}: {known} vs. {size}.")
            part._uniform, part._partition = constant(size, part.row_splits.dtype), None
        part = part.values
    part.set_shape([None, *sizes[self.ragged_rank + 1 :]])


def _shape_invariant_to_type_spec(self: RaggedTensor, shape: Any) -> RaggedTensorSpec:
    """The spec of a loop variable of a given shape."""
    return RaggedTensorSpec(shape, self.dtype, self.ragged_rank, self.row_splits.dtype)


def _is_eager(self: RaggedTensor) -> bool:
    """Whether all parts have values."""
    return all(isinstance(part, EagerTensor) for part in (self.flat_values, *self.nested_row_splits))


def _checked(spec: RaggedTensorSpec, value: Any) -> Any:
    """A value of a spec; ValueError if it has other rows, or values that are no plain tensor."""
    if spec.flat_values_spec is not None:
        raise ValueError("Customized value_type is not supported.")
    if isinstance(value, RaggedTensor):
        if value.ragged_rank != spec.ragged_rank:
            raise ValueError(
                f"Ragged rank of value {value.ragged_rank} does not match ragged rank of type {spec.ragged_rank}."
            )
    elif spec.ragged_rank > 0:
        raise ValueError(
            f"Expected a RaggedTensor if ragged rank={spec.ragged_rank} but got {type(value).__name__}."
        )
    return value


def _to_list(self: RaggedTensorSpec, value: Any, batched: bool) -> list[Any]:
    value = _checked(self, value)
    if isinstance(value, RaggedTensor):
        return [_to_variant(value, batched)]
    value = convert_to_tensor(value, self.dtype)
    return [run(
        "RaggedTensorToVariant", value, batched_input=batched, Tvalues=value.dtype, Tsplits=self.row_splits_dtype,
        RAGGED_RANK=0,
    )]  # fmt: skip


def _to_tensor_list(self: RaggedTensorSpec, value: Any) -> list[Any]:
    """The value as a scalar variant, in a list."""
    return _to_list(self, value, False)


def _to_batched_tensor_list(self: RaggedTensorSpec, value: Any) -> list[Any]:
    """The value as a vector of variants with one for each row, in a list."""
    return _to_list(self, value, True)


def _from_compatible_tensor_list(self: RaggedTensorSpec, tensor_list: list[Any]) -> Any:
    """The value that was encoded."""
    if self.flat_values_spec is not None:
        raise ValueError("Customized value_type is not supported.")
    value = _from_variant(
        RaggedTensor, tensor_list[0], self.dtype, self.ragged_rank, row_splits_dtype=self.row_splits_dtype
    )
    if self.shape.rank is None:
        return value
    if isinstance(value, RaggedTensor):
        _set_shape(value, self.shape)
    else:  # no axis is ragged
        value.set_shape(self.shape)
    return value


# one variant holds a value, and a batch of values needs an array of them
RaggedTensorSpec._flat_tensor_specs = property(lambda self: [TensorSpec(None, dtypes.variant)])  # type: ignore[misc]
for _function in (_to_tensor_list, _to_batched_tensor_list, _from_compatible_tensor_list):
    setattr(RaggedTensorSpec, _function.__name__, _function)
for _name, _function in (  # type: ignore[assignment]
    ("_to_variant", _to_variant), ("_set_shape", _set_shape), ("_is_eager", _is_eager),
    ("_shape_invariant_to_type_spec", _shape_invariant_to_type_spec), ("_from_variant", classmethod(_from_variant)),
):
    setattr(RaggedTensor, _name, _function)
