"""Reads and writes the slices of tensors along their first axis: dense, ragged and sparse.

A *reader* returns slice `i` of one tensor. A *collector* collects the slices of one result: its `arrays` are
TensorArrays that a loop carries, `write` stores a slice in them, and `finish` assembles the result.
"""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange, creation
from reflow.api.array.arrange import shape as shape_of
from reflow.api.control.tensor_array import TensorArray
from reflow.api.framework.batchable_type import of_parts, part_specs, parts_of
from reflow.api.math import arithmetic, reduce
from reflow.api.sparse import tensors
from reflow.core import dtypes, nest
from reflow.core.ragged import RaggedTensor, RaggedTensorSpec
from reflow.core.shapes import TensorShape
from reflow.core.sparse import SparseTensor, SparseTensorSpec
from reflow.core.specs import TensorSpec, TypeSpec
from reflow.ops.convert import convert_to_tensor


def is_batch(value) -> bool:
    """Whether a value is of an extension type whose values can be batched."""
    return (
        hasattr(getattr(value, "_type_spec", None), "_unbatch") and not isinstance(value, (SparseTensor, RaggedTensor))
    )


class BatchReader:
    """Reads the values in a batch of an extension type: their parts, each by its own reader."""

    def __init__(self, value, readers):
        self.spec, self.readers = value._type_spec._unbatch(), readers

    def read(self, i):
        return of_parts(self.spec, [r.read(i) for r in self.readers])


class SliceReader:
    """Reads the slices of a sparse or ragged tensor, as a TensorArray reads those of a dense one."""

    def __init__(self, tensor):
        self.tensor = tensor

    def read(self, i):
        if isinstance(self.tensor, RaggedTensor):
            return self.tensor[i]
        shape = self.tensor.dense_shape
        first = arrange.reshape(arithmetic.cast(i, dtypes.int64), [1])
        begin = arrange.concat([first, creation.zeros_like(shape[1:])], 0)
        size = arrange.concat([creation.ones_like(shape[:1]), shape[1:]], 0)
        piece = tensors.reshape(tensors.slice_(self.tensor, begin, size), shape[1:])
        piece.set_shape(self.tensor.shape[1:])
        piece._tell_sizes()
        return piece


class Elements:
    """A structure of tensors as a sequence of structures of slices."""

    def __init__(self, elems):
        self.structure = elems
        self.flat: list[Any] = [
            e if isinstance(e, (SparseTensor, RaggedTensor)) or is_batch(e) else convert_to_tensor(e)
            for e in nest.flatten(elems)
        ]
        if not self.flat:
            raise ValueError(
                f"elems must be a Tensor or (possibly nested) sequence of Tensors. Got {elems}, which does not contain "
                "any Tensors."
            )
        self.parts = [part for t in self.flat for part in _parts(t)]
        for t in self.parts:
            if t.shape.rank == 0:
                raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
        self.static = self._common_length()
        self.count = self.static if self.static is not None else _length(self.parts[0])

    def _common_length(self):
        length = TensorShape([None])
        for t in self.parts:
            if t.shape.rank:
                other = t.shape[0]
                if length[0] is not None and other is not None and length[0] != other:
                    raise ValueError(f"Dimensions {length[0]} and {other} are not compatible")
                length = length.merge_with([other])
        return length[0]

    def readers(self, **facts) -> list:
        """One reader per tensor."""

        def reader(t):
            if is_batch(t):
                return BatchReader(t, [reader(part) for part in parts_of(t._type_spec, t)])
            if isinstance(t, (SparseTensor, RaggedTensor)):
                return SliceReader(t)
            return TensorArray(t.dtype, size=self.count, **facts).unstack(t)

        return [reader(t) for t in self.flat]

    def at(self, readers, i):
        """The structure of slices number `i`."""
        return nest.pack_sequence_as(self.structure, [r.read(i) for r in readers])


def _parts(t) -> list:
    """The tensors that are cut into slices: those of an extension type, however deep."""
    return [part for p in parts_of(t._type_spec, t) for part in _parts(p)] if is_batch(t) else [t]


def _length(t):
    if isinstance(t, RaggedTensor):
        return arithmetic.cast(t.nrows(), dtypes.int32)
    return arithmetic.cast(t.dense_shape[0], dtypes.int32) if isinstance(t, SparseTensor) else shape_of(t)[0]


def element_specs(elements: Elements):
    """The specs of the slices, in the structure of the elements."""

    def spec(t):
        if is_batch(t):
            return t._type_spec._unbatch()
        if isinstance(t, RaggedTensor):
            row = t.shape[1:]
            return RaggedTensorSpec(row, t.dtype, t.ragged_rank - 1, t.row_splits.dtype)
        if isinstance(t, SparseTensor):
            return SparseTensorSpec(t.shape[1:], t.dtype)
        return TensorSpec(None, t.dtype)

    return nest.pack_sequence_as(elements.structure, [spec(t) for t in elements.flat])


def collector(spec, elements: Elements, infer_shape: bool):
    """The collector for results that a spec (or dtype) describes."""
    if isinstance(spec, RaggedTensorSpec):
        return RaggedCollector(spec, elements)
    if isinstance(spec, SparseTensorSpec):
        return SparseCollector(spec, elements)
    if isinstance(spec, TypeSpec) and hasattr(spec, "_batch") and not isinstance(spec, TensorSpec):
        return BatchCollector(spec, [collector(s, elements, infer_shape) for s in part_specs(spec)], elements)
    return DenseCollector(spec if isinstance(spec, TensorSpec) else TensorSpec(None, spec), elements, infer_shape)


class BatchCollector:
    """Values of an extension type, collected part by part."""

    def __init__(self, spec, parts, elements):
        self.spec, self.parts, self.elements = spec, parts, elements
        self.arrays = [a for part in parts for a in part.arrays]

    def write(self, arrays, i, value):
        rest, written = iter(arrays), []
        for part, tensor in zip(self.parts, parts_of(self.spec, value), strict=True):
            written += part.write([next(rest) for _ in part.arrays], i, tensor)
        return written

    def finish(self, arrays):
        rest = iter(arrays)
        found = [part.finish([next(rest) for _ in part.arrays]) for part in self.parts]
        return of_parts(self.spec._batch(self.elements.static), found)


class DenseCollector:
    """Tensors of one shape, stacked."""

    def __init__(self, spec, elements, infer_shape):
        self.elements, self.spec = elements, spec
        self.arrays = [TensorArray(spec.dtype, elements.count, infer_shape=infer_shape, element_shape=spec.shape)]

    def write(self, arrays, i, value):
        return [arrays[0].write(i, convert_to_tensor(value, dtype_hint=self.spec.dtype))]

    def finish(self, arrays):
        stacked = arrays[0].stack()
        if stacked.shape.rank is not None:
            stacked.set_shape(TensorShape([self.elements.static]).concatenate(stacked.shape[1:]))
        return stacked


class RaggedCollector:
    """Rows of any length: all values concatenated, and for every level the lengths of the rows."""

    def __init__(self, spec, elements):
        self.levels = max(spec.ragged_rank, 0)
        self.splits_dtype = spec.row_splits_dtype
        inner = spec.shape[self.levels + 1 :] if spec.shape.rank is not None else TensorShape(None)
        count = elements.count
        values = TensorArray(spec.dtype, count, infer_shape=False, element_shape=TensorShape([None]).concatenate(inner))
        lengths = [
            TensorArray(self.splits_dtype, count, infer_shape=False, element_shape=[None]) for _ in range(self.levels)
        ]
        self.arrays = [values, TensorArray(self.splits_dtype, count, element_shape=[]), *lengths]

    def write(self, arrays, i, value):
        values, outer, *lengths = arrays
        if not isinstance(value, RaggedTensor):
            value = convert_to_tensor(value, dtype_hint=values.dtype)
            return [values.write(i, value), outer.write(i, shape_of(value, out_type=self.splits_dtype)[0])]
        rows = [arithmetic.cast(r, self.splits_dtype) for r in value.nested_row_lengths()]
        return [
            values.write(i, value.flat_values),
            outer.write(i, arithmetic.cast(value.nrows(), self.splits_dtype)),
            *[a.write(i, r) for a, r in zip(lengths, rows, strict=True)],
        ]

    def finish(self, arrays):
        values, outer, *lengths = arrays
        nested = [outer.stack(), *[a.concat() for a in lengths]]
        result = values.concat()
        for rows in reversed(nested):
            result = RaggedTensor.from_row_lengths(result, rows, validate=False)
        return result


class SparseCollector:
    """Sparse tensors: the places of all with their number in front."""

    def __init__(self, spec, elements):
        self.spec, self.elements = spec, elements
        rank, count = spec.shape.rank, elements.count
        places = TensorArray(
            dtypes.int64, count, infer_shape=False, element_shape=[None, None if rank is None else rank + 1]
        )
        values = TensorArray(spec.dtype, count, infer_shape=False, element_shape=[None])
        self.arrays = [places, values, TensorArray(dtypes.int64, count, element_shape=[rank])]

    def write(self, arrays, i, value):
        places, values, shapes = arrays
        number = creation.fill([shape_of(value.indices)[0], 1], arithmetic.cast(i, dtypes.int64))
        here = arrange.concat([number, value.indices], 1)
        return [places.write(i, here), values.write(i, value.values), shapes.write(i, value.dense_shape)]

    def finish(self, arrays):
        places, values, shapes = arrays
        count = arrange.reshape(arithmetic.cast(convert_to_tensor(self.elements.count), dtypes.int64), [1])
        shape = arrange.concat([count, reduce.reduce_max(shapes.stack(), axis=0)], 0)
        result = SparseTensor(places.concat(), values.concat(), shape)
        result.set_shape(TensorShape([self.elements.static]).concatenate(self.spec.shape))
        return result
