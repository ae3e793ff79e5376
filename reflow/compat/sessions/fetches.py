"""Fetches and feeds of a session: structures of things to fetch, composites in feeds, and the nodes that both need."""

from __future__ import annotations

from typing import Any

import numpy as np
from tensorboard.compat.proto.resource_handle_pb2 import ResourceHandleProto

from reflow.api.ragged.constants import RaggedTensorValue
from reflow.compat.sessions import expansions
from reflow.compat.sessions.handles import KEEPS, fetched
from reflow.core import nest
from reflow.core.indexed_slices import IndexedSlices, IndexedSlicesValue
from reflow.core.ragged import RaggedTensor
from reflow.core.resources import Handle
from reflow.core.shapes import TensorShape
from reflow.core.sparse import SparseTensor, SparseTensorValue
from reflow.core.tensor import EagerTensor
from reflow.eager.variables import Variable
from reflow.graph.func_graph import PLACEHOLDER
from reflow.graph.graph import SymbolicTensor
from reflow.graph.node import Node
from reflow.ops.kernels.control.state import read_variable, var_handle


def needed_for(fetches, fed) -> set:
    """The nodes that fetches depend on, as far as nothing is fed instead."""
    needed: set = set()
    stack = [f for f in fetches if isinstance(f, Node)]
    stack += [t.op for t in fetches if isinstance(t, SymbolicTensor) and t._id not in fed]
    while stack:
        node = stack.pop()
        if node not in needed:
            needed.add(node)
            stack.extend(n for n in node.waits if not (n.record is PLACEHOLDER and n.outputs[0]._id in fed))
            stack.extend(t.op for t in node.inputs if t._id not in fed)
    return needed


def components(key, value) -> list:
    """A composite in a feed as pairs of its tensors and their values."""
    expansion = expansions.of(key) if expansions.EXPANSIONS else None
    if expansion is not None:
        if expansion.feed is None:
            raise TypeError(f"Feeds of type {type(key).__name__} are not supported: no function was registered.")
        return expansion.feed(key, value)
    if isinstance(key, SparseTensor):
        parts = value if isinstance(value, SparseTensorValue) else SparseTensorValue(*value)
        return [(key.indices, parts.indices), (key.values, parts.values), (key.dense_shape, parts.dense_shape)]
    if isinstance(key, RaggedTensor):
        return [(key.flat_values, value.flat_values), *zip(key.nested_row_splits, value.nested_row_splits, strict=True)]
    if isinstance(key, tuple):  # such as the state of a recurrent cell
        if len(nest.flatten(key)) != len(nest.flatten(value)):
            raise ValueError(f"Could not flatten dictionary. Key had {len(nest.flatten(key))} elements, but value had "
                             f"{len(nest.flatten(value))} elements. Key: {key}, value: {value}.")
        return [pair for k, v in zip(nest.flatten(key), nest.flatten(value), strict=True) for pair in components(k, v)]
    return [(key, value)]


def handle_proto(handle: Handle) -> ResourceHandleProto:
    """What TensorFlow writes about a variable's handle."""
    dims = TensorShape(handle.dims).as_proto()
    known = ResourceHandleProto.DtypeAndShape(dtype=handle.dtype.as_datatype_enum, shape=dims)
    return ResourceHandleProto(
        device="/job:localhost/replica:0/task:0/device:CPU:0", container="localhost", name=handle.name,
        maybe_type_name="N10tensorflow3VarE", dtypes_and_shapes=[known],
    )


def _ragged_value(flat, *splits) -> RaggedTensorValue:
    """The value of a ragged tensor from its innermost values and the row splits, outermost first."""
    for borders in reversed(splits):
        flat = RaggedTensorValue(
            np.asarray(flat) if not isinstance(flat, RaggedTensorValue) else flat, np.asarray(borders)
        )
    return flat


def public_value(value):
    """A result as sessions return it: an array, or a NumPy scalar (bytes for a string).

    A handle is the bytes of its description.
    """
    if isinstance(value, Handle):
        return np.frombuffer(handle_proto(value).SerializeToString(), [("resource", "u1", (1,))])
    array = np.asarray(value)
    return array[()] if array.ndim == 0 else np.array(array)


class Fetches:
    """A structure of things to fetch, and how to put the values into it."""

    def __init__(self, graph, structure):
        self.graph = graph
        self.flat: list[Any] = []
        self.keeps = False  # whether handles of tensors that stay in the session are among them
        self.build = self._plan(structure)
        self.key = tuple([("op", id(f)) if isinstance(f, Node) else ("tensor", f._id) for f in self.flat])

    def pack(self, values, session=None):
        rest = iter(values)
        results = [next(rest) if isinstance(f, SymbolicTensor) else None for f in self.flat]
        if self.keeps:
            results = [
                fetched(f, r, session) if r is not None and f.op.type == KEEPS else r
                for f, r in zip(self.flat, results, strict=True)
            ]
        return self.build(results)

    def _plan(self, item):
        """A function from the flat results to the value of `item`."""
        if item is None:
            raise TypeError('Argument `fetch` = None has invalid type "NoneType". Cannot be None')
        expansion = expansions.of(item) if expansions.EXPANSIONS else None
        if expansion is not None and expansion.fetch is not None:
            tensors, contract = expansion.fetch(item)
            inner = self._plan(tensors)
            return lambda r: contract(inner(r))
        if isinstance(item, (list, tuple)):
            parts = [self._plan(x) for x in item]
            if hasattr(item, "_fields"):
                return lambda r: type(item)(*[p(r) for p in parts])
            return lambda r: type(item)(p(r) for p in parts)
        if isinstance(item, dict):
            named = {k: self._plan(x) for k, x in item.items()}
            return lambda r: type(item)((k, p(r)) for k, p in named.items())
        if isinstance(item, SparseTensor):
            inner = self._plan([item.indices, item.values, item.dense_shape])
            return lambda r: SparseTensorValue(*inner(r))
        if isinstance(item, RaggedTensor):
            inner = self._plan([item.flat_values, *item.nested_row_splits])
            return lambda r: _ragged_value(*inner(r))
        if isinstance(item, IndexedSlices):
            inner = self._plan([x for x in (item.values, item.indices, item.dense_shape) if x is not None])
            return lambda r: IndexedSlicesValue(*inner(r))
        return self._leaf(item)

    def _leaf(self, item):
        if isinstance(item, Variable):
            with self.graph.as_default():
                of_graph: Any = item
                item = of_graph.graph_element()
        elif hasattr(item, "_as_graph_element"):  # an object of another class that represents a tensor
            item = item._as_graph_element()
        if isinstance(item, EagerTensor) or not isinstance(item, (str, Node, SymbolicTensor)):
            raise TypeError(
                f'Argument `fetch` = {item} has invalid type "{type(item).__name__}" must be a string or Tensor. (Can '
                'not convert '
                f"a {type(item).__name__} into a Tensor or Operation.)"
            )
        try:
            element = self.graph.as_graph_element(item)
        except (KeyError, ValueError) as error:
            raise ValueError(f"Argument `fetch` = {item} cannot be interpreted as a Tensor. ({error})") from error
        # as in version 1, the variable's value
        if isinstance(element, SymbolicTensor) and element.op.record is var_handle:
            element = self._read_of(element)
        if not self.graph.is_fetchable(element):
            raise ValueError(f"Operation {element.name!r} has been marked as not fetchable.")
        self.keeps = self.keeps or isinstance(element, SymbolicTensor) and element.op.type == KEEPS
        self.flat.append(element)
        place = len(self.flat) - 1
        return lambda r: r[place]

    def _read_of(self, handle):
        """A read of a variable that waits for nothing: the one created with it.

        A handle that is never read is fetched itself.
        """
        reads = [n for n in handle.consumers() if n.record is read_variable and not n.waits]
        return reads[0].outputs[0] if reads else handle
