"""Tensor lists, the basis of `tf.TensorArray`: here a list is one tensor with a leading axis for the elements.

A list that a loop fills may start without the sizes of its elements, or without their rank. Such a size is one at
first, and the first write expands it; without a rank the list is a vector until then.
"""

from __future__ import annotations

from typing import Any

import reflow as tf
from reflow.graph.graph import Node
from reflow.onnx.export_table import Unexportable, exports
from reflow.onnx.writer import Scope, Value, constant


def _zeros(s: Scope, node: Node, element: Value, count: Value | int) -> Value:
    """A list of so many zeros."""
    kind: Any = node.attrs["element_dtype"]
    lengths = element.ints() if element.array.ndim else []
    number = constant("" if kind == tf.string else 0, kind)
    first = constant([count], tf.int64) if isinstance(count, int) else s.reshape(s.cast(count, tf.int64), [1])
    whole = s.op("Concat", first, [abs(n) for n in lengths], axis=0) if lengths else first
    known = count if isinstance(count, int) else int(count.array) if count.known else None
    return s.op("Expand", number, whole, dims=(known, *[None if n < 0 else n for n in lengths]))


def with_rank(s: Scope, x: Value, item: Value) -> Value:
    """A list that was created before the rank of its elements was known, as a list of such items."""
    if x.dims is None or len(x.dims) != 1 or not item.rank:
        return x
    stretched = s.unsqueeze(x, range(1, item.rank + 1))
    stretched.dims = (x.dims[0], *[None] * item.rank)
    return stretched


@exports("TensorListReserve")
def reserve(s: Scope, node: Node, element: Value, count: Value) -> Value:
    return _zeros(s, node, element, count)


@exports("EmptyTensorList")
def empty(s: Scope, node: Node, element: Value, most: Value) -> Value:
    return _zeros(s, node, element, 0)


@exports("TensorListFromTensor")
def from_tensor(s: Scope, node: Node, x: Value, element: Value) -> Value:
    return x


@exports("TensorListStack")
def stack(s: Scope, node: Node, x: Value, element: Value) -> Value:
    return s.op("Identity", x)


@exports("TensorListGetItem")
def get_item(s: Scope, node: Node, x: Value, index: Value, element: Value) -> Value:
    return s.op("Gather", x, index, axis=0)


@exports("TensorListGather")
def gather(s: Scope, node: Node, x: Value, indices: Value, element: Value) -> Value:
    return s.op("Gather", x, indices, axis=0)


@exports("TensorListLength")
def length(s: Scope, node: Node, x: Value) -> Value:
    count = s.op("Gather", s.op("Shape", x, dtype=tf.int64), constant(0, tf.int64))
    return s.cast(count, tf.int32)


@exports("TensorListSetItem")
def set_item(s: Scope, node: Node, x: Value, index: Value, item: Value) -> Value:
    """The element where the place is the index, and the list elsewhere; both are stretched to one shape."""
    if node.attrs.get("resize_if_index_out_of_bounds"):
        raise Unexportable("the list grows by writing behind its end")
    count = s.op("Gather", s.op("Shape", x, dtype=tf.int64), constant(0, tf.int64))
    places = s.op("Range", constant(0, tf.int64), count, constant(1, tf.int64))
    here = s.op("Equal", places, s.cast(index, tf.int64), dtype=tf.bool)
    mask, x = s.unsqueeze(here, range(1, item.rank + 1)), with_rank(s, x, item)
    return s.op("Where", mask, s.unsqueeze(item, [0]), x, dtype=item.dtype, dims=_stretched(x, item))


def _stretched(x: Value, item: Value) -> tuple[int | None, ...] | None:
    return None if item.dims is None else (None if x.dims is None else x.dims[0], *item.dims)


@exports("TensorListPushBack")
def push_back(s: Scope, node: Node, x: Value, item: Value) -> Value:
    count = s.op("Slice", s.op("Shape", x, dtype=tf.int64), [0], [1])
    wanted, x = s.op("Concat", count, s.shape(item), axis=0), with_rank(s, x, item)
    return s.op("Concat", s.op("Expand", x, wanted), s.unsqueeze(item, [0]), axis=0, dims=_stretched(x, item))


@exports("TensorListPopBack")
def pop_back(s: Scope, node: Node, x: Value, element: Value) -> tuple[Value, Value]:
    rest = s.op("Slice", x, [0], [-1], [0], dims=x.dims)
    return rest, s.op("Gather", x, constant(-1, tf.int64), axis=0)


@exports("TensorListConcatV2")
def concat(s: Scope, node: Node, x: Value, element: Value, leading: Value) -> tuple[Value, Value]:
    """The concatenated elements. They have equal shapes here, so their lengths are equal."""
    shape = s.op("Shape", x, dtype=tf.int64)
    flat = s.op("Concat", [-1], s.op("Slice", shape, [2], [2**31]), axis=0)
    lengths = s.op("Expand", s.op("Gather", shape, constant(1, tf.int64)), s.op("Slice", shape, [0], [1]))
    return s.op("Reshape", x, flat), lengths
