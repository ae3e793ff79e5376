"""Ragged tensors as variants: one for a whole tensor, or a vector with one for each of its outermost rows.

TensorFlow passes ragged tensors through datasets, loops and `tf.map_fn` in this form. `reflow.data` and our loops carry
their components instead; these ops are for graphs that contain them.
"""

from __future__ import annotations

import numpy as np

from reflow.core import dtypes
from reflow.core.types import Array
from reflow.ops.dispatch import run
from reflow.ops.from_python import short_name
from reflow.ops.kernels.sparse.variants import RaggedVariant
from reflow.ops.kernels.strings.elementwise import invalid
from reflow.ops.registry import NO_GRADIENT, op


def joined(rows: list[RaggedVariant], dtype: np.dtype, split_dtype: np.dtype, levels: int) -> tuple[list[Array], Array]:
    """Splits and values of the ragged tensor that has these rows."""
    count = [len(r.splits[0]) - 1 if r.splits else len(r.values) for r in rows]
    splits = [np.cumsum([0, *count]).astype(split_dtype)]
    for level in range(levels - 1):
        parts, at = [np.zeros(1, split_dtype)], 0
        for row in rows:
            parts.append(row.splits[level][1:] + at)
            at += int(row.splits[level][-1])
        splits.append(np.concatenate(parts).astype(split_dtype))
    values = np.concatenate([row.values for row in rows]) if rows else np.zeros(0, dtype)
    return splits, values


def _variant_shape(f):
    if not f.attrs["batched_input"]:
        return [()]
    dims = f.shapes[0]
    size = dims[0] if dims else None
    return [(size if size is None or not f.attrs["RAGGED_RANK"] else size - 1,)]


def _variant_grad(attrs, inputs, outputs, cotangents, wanted):
    """The gradient is a variant of the same form: its values, row after row."""
    values = inputs[-1]
    found = run(
        "RaggedTensorToVariantGradient", cotangents[0], inputs[0], run("Shape", values), Tvalues=values.dtype,
        Tsplits=inputs[0].dtype,
    )
    return [*[None] * (len(inputs) - 1), found]


@op("RaggedTensorToVariant", fits="1 1+", shape=_variant_shape, host=True, grad_tensors=_variant_grad)
def ragged_to_variant(_, rt_nested_splits, rt_dense_values, batched_input):
    if rt_nested_splits and not rt_dense_values.ndim:
        raise invalid("Requires flat_values to have rank>=1 when nested_row_splits is not empty, but is 0.")
    if not all(splits.size for splits in rt_nested_splits):
        raise invalid("Invalid ragged splits: ragged splits must have at least one splits, but is empty")
    for splits in rt_nested_splits:
        if splits.ndim != 1:
            raise invalid(f"Invalid ragged splits: ragged splits must be rank 1 but is rank {splits.ndim}")
    for splits, count in zip(rt_nested_splits, [*(s.size - 1 for s in rt_nested_splits[1:]), len(rt_dense_values)]):
        if splits[0] != 0:
            raise invalid(f"Invalid ragged splits: first element of ragged splits must be 0 but is {splits[0]}")
        if (np.diff(splits) < 0).any():
            raise invalid("Invalid ragged splits: ragged splits must be monotonically increasing")
        if splits[-1] != count:
            words = f"last element of ragged splits must be the number of ragged values({count}) but is {splits[-1]}"
            raise invalid(f"Invalid ragged splits: {words}")
    whole = RaggedVariant(list(rt_nested_splits), rt_dense_values)
    if not batched_input:
        return np.array(whole, object)
    if not rt_nested_splits and not rt_dense_values.ndim:
        raise invalid("Scalars cannot be batched: a ragged tensor without splits needs an axis.")
    count = len(rt_nested_splits[0]) - 1 if rt_nested_splits else len(rt_dense_values)
    return np.fromiter([whole.row(i) for i in range(count)], object, count)


@op(
    "RaggedTensorFromVariant", shape=lambda f: [(None,)] * f.attrs["output_ragged_rank"] + [None], grad=NO_GRADIENT,
    host=True,
)
def ragged_from_variant(_, encoded_ragged, input_ragged_rank, output_ragged_rank, Tvalues, Tsplits=dtypes.int64):
    axes = encoded_ragged.ndim
    if input_ragged_rank == -1:
        input_ragged_rank = output_ragged_rank - axes
    if input_ragged_rank + axes != output_ragged_rank or input_ragged_rank < 0:
        raise invalid(
            "output_ragged_rank must be equal to input_ragged_rank + encoded_ragged.dims(); output_ragged_rank: "
            f"{output_ragged_rank}, input_ragged_rank: {input_ragged_rank}, encoded_variant.dims(): {axes}."
        )
    rows = encoded_ragged.reshape(-1).tolist()
    for i, row in enumerate(rows):
        if not isinstance(row, RaggedVariant):
            raise invalid(
                f"Input Variant element at index {i} doesn't hold a RaggedTensorVariant: {type(row).__name__}"
            )
        if len(row.splits) != input_ragged_rank:
            raise invalid(
                f"Encoded input RaggedTensorVariant has ragged_rank={len(row.splits)}.  Expected "
                f"ragged_rank={input_ragged_rank}."
            )
        found = dtypes.as_dtype(row.values.dtype)
        if found is not Tvalues:
            raise invalid(f"Expected values Tensor dtype: {short_name(Tvalues)}, found: {short_name(found)}")
        for splits in row.splits:
            kind = dtypes.as_dtype(splits.dtype)
            if kind is not Tsplits:
                raise invalid(f"Expected row_splits Tensor dtype: {short_name(Tsplits)}, found: {short_name(kind)}")
    if not axes:
        return *rows[0].splits, rows[0].values
    splits, values = joined(rows, Tvalues.np_dtype, Tsplits.np_dtype, output_ragged_rank)
    return *splits, values


@op(
    "RaggedTensorToVariantGradient", shape=lambda f: [None], grad=NO_GRADIENT, host=True, static=("dense_values_shape",)
)
def ragged_variant_gradient(_, encoded_ragged_grad, row_splits, dense_values_shape, Tvalues):
    """The values of all rows, in the shape that they had."""
    rows = encoded_ragged_grad.reshape(-1).tolist()
    dims = tuple(dense_values_shape.tolist())
    parts = [np.reshape(row.values, (-1, *dims[1:])) for row in rows]
    flat = np.concatenate(parts) if parts else np.zeros(dims, Tvalues.np_dtype)
    if flat.shape != dims:
        raise invalid(f"The gradients have shape {list(flat.shape)}, the values {list(dims)}")
    return flat
