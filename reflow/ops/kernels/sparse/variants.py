"""Tensors in variants, which arrays hold like strings: ops that move strings also move these.

In a TensorFlow dataset, a ragged tensor is one variant, a sparse tensor a row of three.
"""

from __future__ import annotations

import numpy as np

from reflow.core import dtypes
from reflow.core.tensor import HostObject
from reflow.core.types import Array
from reflow.ops.from_python import short_name


class TensorVariant(HostObject):
    """A tensor: a part of a sparse one."""

    __slots__ = ("array",)

    def __init__(self, array: Array) -> None:
        self.array = array

    def __repr__(self) -> str:
        sizes = ",".join(map(str, self.array.shape))
        return f"<Tensor<type: {short_name(dtypes.as_dtype(self.array.dtype))} shape: [{sizes}]>>"


class RaggedVariant(HostObject):
    """Splits from the outermost level inwards, and flat values."""

    __slots__ = ("splits", "values")

    def __init__(self, splits: list[Array], values: Array) -> None:
        self.splits, self.values = splits, values

    def __repr__(self) -> str:
        kind = short_name(dtypes.as_dtype(self.values.dtype))
        splits = short_name(dtypes.as_dtype(self.splits[0].dtype)) if self.splits else "INVALID"
        return f"<RaggedTensorVariant(dtype={kind}, ragged_rank={len(self.splits)}, splits_dtype={splits}>"

    def zeros_like(self) -> RaggedVariant:
        """The same rows, of zeros."""
        return RaggedVariant(self.splits, np.zeros_like(self.values))

    def row(self, i: int) -> RaggedVariant:
        """Row i of the outermost level, by the levels below it."""
        if not self.splits:
            return RaggedVariant([], self.values[i])
        begin, end = self.splits[0][i : i + 2].tolist()
        inner = []
        for splits in self.splits[1:]:
            part = splits[begin : end + 1]
            inner.append(part - part[0])
            begin, end = int(part[0]), int(part[-1])
        return RaggedVariant(inner, self.values[begin:end])
