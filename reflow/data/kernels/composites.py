"""Batching and unbatching of composite elements: our own ops, and how they are written to files.

Our ops join and split ragged and sparse tensors by their components (`engine/composites.py`). TensorFlow has one op for
all elements and first packs each composite tensor into variants: into one if it is ragged, into three if it is sparse.
So each of our stages is written as three of TensorFlow's: a `map` that packs, the stage itself, a `map` that unpacks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from reflow.api.call import call
from reflow.core import dtypes
from reflow.core.specs import TensorSpec
from reflow.core.tensor import Tensor
from reflow.data.dataset import DatasetV2
from reflow.data.engine import composites
from reflow.data.engine.composites import Dense, Leaf, Ragged, Sparse
from reflow.data.kernels.dataset import remembered
from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, own_op


def _pack(leaf: Leaf, parts: list[Tensor], batched: bool) -> Tensor:
    """The components of one tensor as one; of a batch, with a first axis of its rows."""
    if isinstance(leaf, Ragged):
        flat, *splits = parts
        attrs = {
            "RAGGED_RANK": len(splits), "Tvalues": flat.dtype, "Tsplits": _splits_dtype(leaf), "batched_input": batched
        }
        return call("RaggedTensorToVariant", (*splits, flat), attrs)
    if isinstance(leaf, Sparse):
        attrs = {"T": parts[1].dtype, "out_type": dtypes.variant}
        return call("SerializeManySparse" if batched else "SerializeSparse", parts, attrs)
    return parts[0]


def _unpack(leaf: Leaf, packed: Tensor, dtype: dtypes.DType, batched: bool) -> Sequence[Tensor]:
    """The inverse of `_pack`, for values of a dtype."""
    if isinstance(leaf, Ragged):
        attrs = {
            "input_ragged_rank": leaf.rank, "output_ragged_rank": leaf.rank + batched, "Tvalues": dtype,
            "Tsplits": _splits_dtype(leaf),
        }
        *splits, flat = call("RaggedTensorFromVariant", (packed,), attrs)
        return [flat, *splits]
    if isinstance(leaf, Sparse):
        return call("DeserializeSparse", (packed,), {"dtype": dtype})
    return [packed]


def _splits_dtype(leaf: Ragged) -> dtypes.DType:
    return dtypes.as_dtype(leaf.splits_dtype)


def _packed_spec(leaf: Leaf, part: TensorSpec, batched: bool) -> TensorSpec:
    """The spec of a tensor's rows, or of a batch of them; `part` is that of its first component."""
    rows = [None] if batched else []
    if isinstance(leaf, Dense):
        return TensorSpec(None if part.shape.rank is None else [*rows, *part.shape], part.dtype)
    return TensorSpec([*rows, 3] if isinstance(leaf, Sparse) else rows, dtypes.variant)


def _between_variants(
    attrs: dict[str, Any], source: Tensor, batched: tuple[bool, bool], stage: Callable
) -> list[Tensor]:
    """The dataset that a stage makes of packed elements, unpacked.

    `batched` says whether elements are batches before and after it.
    """
    leaves: list[Leaf] = attrs["leaves"]
    components: list[TensorSpec] = attrs["components"]
    before, after = batched
    starts = [sum(_width(x, before) for x in leaves[:i]) for i in range(len(leaves))]
    kinds = [components[at + isinstance(leaf, Sparse)].dtype for at, leaf in zip(starts, leaves, strict=True)]

    def pack(*flat: Tensor) -> tuple[Tensor, ...]:
        parts = (list(flat[at : at + _width(leaf, before)]) for at, leaf in zip(starts, leaves, strict=True))
        return tuple(_pack(leaf, part, before) for leaf, part in zip(leaves, parts, strict=True))

    def unpack(*packed: Tensor) -> tuple[Tensor, ...]:
        each = zip(leaves, packed, kinds, strict=True)
        return tuple(part for leaf, tensor, dtype in each for part in _unpack(leaf, tensor, dtype, after))

    first = [components[at] for at in starts]
    rows = [TensorSpec(s.shape[1:] if before and s.shape.rank else s.shape, s.dtype) for s in first]
    spec = tuple(_packed_spec(leaf, row, after) for leaf, row in zip(leaves, rows, strict=True))
    dataset = DatasetV2(source, element_spec=tuple(components))
    return [stage(dataset.map(pack), spec).map(unpack)._variant_tensor]


def _width(leaf: Leaf, batched: bool) -> int:
    return leaf.batch_width if batched else leaf.width


def _batch(attrs: dict[str, Any], inputs: Sequence[Tensor]) -> list[Tensor]:
    source, *sizes = inputs
    return _between_variants(
        attrs, source, (False, True), lambda packed, spec: packed._then("BatchDatasetV2", sizes, {}, spec)
    )


def _unbatch(attrs: dict[str, Any], inputs: Sequence[Tensor]) -> list[Tensor]:
    return _between_variants(
        attrs, inputs[0], (True, False), lambda packed, spec: packed._then("UnbatchDataset", (), {}, spec)
    )


def _rebatch(attrs: dict[str, Any], inputs: Sequence[Tensor]) -> list[Tensor]:
    source, *sizes = inputs
    return _between_variants(
        attrs, source, (True, True), lambda packed, spec: packed._then("RebatchDatasetV2", sizes, {}, spec)
    )


def _composite_op(name: str, inputs: str, attrs: str, expand: Callable):
    """A record for elements of which `leaves` says which components are parts of one tensor.

    The specs of the input's are for files.
    """
    given = (*attrs.split(), "leaves", "components")
    return remembered(
        own_op(name, inputs, "handle", given, shape=rules.scalar, grad=NO_GRADIENT, host=True, expand=expand)
    )


@_composite_op("CompositeBatchDataset", "input_dataset batch_size drop_remainder", "", _batch)
def composite_batch_dataset(_, input_dataset, batch_size, drop_remainder, leaves, components):
    return composites.CompositeBatch(input_dataset, int(batch_size), bool(drop_remainder), leaves=leaves)


@_composite_op("CompositeUnbatchDataset", "input_dataset", "rows", _unbatch)
def composite_unbatch_dataset(_, input_dataset, rows, leaves, components):
    return composites.CompositeUnbatch(input_dataset, rows, leaves=leaves)


@_composite_op("CompositeRebatchDataset", "input_dataset batch_sizes drop_remainder", "", _rebatch)
def composite_rebatch_dataset(_, input_dataset, batch_sizes, drop_remainder, leaves, components):
    return composites.CompositeRebatch(
        input_dataset, batch_sizes.reshape(-1).tolist(), bool(drop_remainder), leaves=leaves
    )
