"""`tensorflow.python.ops.data_flow_ops`: what has no public name: barriers, staging areas and staging maps."""

from __future__ import annotations

from typing import Any

from reflow.api.raw_ops import raw_ops
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.properties import shown
from reflow.core.shapes import TensorShape
from reflow.ops.convert import convert_to_tensor


def _run(op: str, **arguments: Any) -> Any:
    """Run an op. In a graph, what has no result is given as its operation."""
    out = getattr(raw_ops, op)(**arguments)
    return out if out is not None or state.graph is None else state.graph.nodes[-1]


class Barrier:
    """Elements by keys, which leave when all their components have come."""

    def __init__(self, types, shapes=None, shared_name=None, name="barrier"):
        self._types = [dtypes.as_dtype(t) for t in (types if isinstance(types, (list, tuple)) else [types])]
        given = [None] * len(self._types) if shapes is None else shapes
        self._shapes = [TensorShape(s) for s in given]
        for i, shape in enumerate(self._shapes):
            if shape.num_elements() == 0:
                raise ValueError(f"Empty tensors are not supported, but received shape '{shape}' at index {i}")
        known = [] if shapes is None else self._shapes
        self._barrier_ref = raw_ops.Barrier(
            component_types=self._types, shapes=known, shared_name=shared_name or "", name=name
        )

    barrier_ref = property(lambda self: self._barrier_ref, doc="The tensor that holds the barrier.")
    name = property(lambda self: self._barrier_ref.op.name, doc="The name of the node.")

    def insert_many(self, component_index, keys, values, name=None):
        """Give each key its component of that number."""
        tensor = convert_to_tensor(values, self._types[component_index])
        return _run(
            "BarrierInsertMany", handle=self._barrier_ref, keys=keys, values=tensor, component_index=component_index,
            name=name,
        )

    def take_many(self, num_elements, allow_small_batch=False, timeout=None, name=None):
        """The places, keys and components of the next complete elements."""
        indices, keys, values = raw_ops.BarrierTakeMany(
            handle=self._barrier_ref, num_elements=num_elements, component_types=self._types,
            allow_small_batch=allow_small_batch, timeout_ms=-1 if timeout is None else timeout, name=name,
        )
        if state.graph is not None:
            rows = None if allow_small_batch or not isinstance(num_elements, int) else num_elements
            indices.set_shape([rows])
            keys.set_shape([rows])
            for value, shape in zip(values, self._shapes, strict=True):
                value.set_shape(TensorShape([rows]).concatenate(shape))
        return indices, keys, values

    def close(self, cancel_pending_enqueues=False, name=None):
        """Let no new keys in; with `cancel_pending_enqueues` forget those that are incomplete, too."""
        return _run(
            "BarrierClose", handle=self._barrier_ref, cancel_pending_enqueues=cancel_pending_enqueues, name=name
        )

    def ready_size(self, name=None):
        return raw_ops.BarrierReadySize(handle=self._barrier_ref, name=name)

    def incomplete_size(self, name=None):
        return raw_ops.BarrierIncompleteSize(handle=self._barrier_ref, name=name)


class BaseStagingArea:
    """What areas have in common: types, shapes, names of components, limits, and the name for ops to find them."""

    def __init__(self, dtypes_, shapes=None, names=None, shared_name=None, capacity=0, memory_limit=0):
        if shared_name is not None and not isinstance(shared_name, str):
            raise ValueError("shared_name must be a string")
        kind = type(self).__name__
        self._name = shared_name or (kind if state.graph is None else state.graph.unique_name(kind))
        self._dtypes = [dtypes.as_dtype(t) for t in dtypes_]
        if shapes is not None and len(shapes) != len(self._dtypes):
            raise ValueError("StagingArea shapes must be the same length as dtypes")
        self._shapes = [TensorShape(s) for s in (shapes or [None] * len(self._dtypes))]
        if names is not None and len(names) != len(self._dtypes):
            raise ValueError("StagingArea names must be the same length as dtypes")
        self._names = names
        if capacity < 0 or memory_limit < 0:
            raise ValueError("capacity and memory_limit must be >= 0")
        self._capacity, self._memory_limit = capacity, memory_limit

    name, names, dtypes, shapes = shown("name", "names", "dtypes", "shapes")
    capacity, memory_limit = shown("capacity", "memory_limit")

    def _facts(self) -> dict:
        return {"shared_name": self._name, "capacity": self._capacity, "memory_limit": self._memory_limit}

    def _run(self, op: str, name=None, **arguments: Any) -> Any:
        return _run(op, dtypes=self._dtypes, name=name, **self._facts(), **arguments)

    def _checked(self, values, indices=None) -> tuple[list, list[int]]:
        """The components as tensors, and their places."""
        if isinstance(values, dict):
            if not self._names:
                raise ValueError("Staging areas must have names to enqueue a dictionary")
            if not set(values) <= set(self._names):
                raise ValueError(
                    "Keys in dictionary to put do not match names of staging area. Dictionary: "
                    f"{sorted(values)}Queue: {sorted(self._names)}"
                )
            indices = [i for i, key in enumerate(self._names) if key in values]
            values = [values[self._names[i]] for i in indices]
        else:
            if self._names:
                raise ValueError("You must enqueue a dictionary in a staging area with names")
            if indices is None:
                raise ValueError("Indices must be supplied when inserting a list of tensors")
            if len(indices) != len(values):
                raise ValueError(f"Number of indices {len(indices)} doesn't match number of values {len(values)}")
        if len(values) > len(self._dtypes):
            raise ValueError(f"Unexpected number of inputs {len(values)} vs {len(self._dtypes)}")
        tensors = [convert_to_tensor(value, self._dtypes[i]) for value, i in zip(values, indices, strict=True)]
        for tensor, i in zip(tensors, indices, strict=True):
            tensor.shape.assert_is_compatible_with(self._shapes[i])
        return tensors, list(indices)

    def _returned(self, tensors, indices):
        """What an area gives: a dictionary if components have names."""
        if state.graph is not None:
            for tensor, i in zip(tensors, indices, strict=True):
                tensor.set_shape(self._shapes[i])
        return {self._names[i]: t for t, i in zip(tensors, indices, strict=True)} if self._names else list(tensors)


class StagingArea(BaseStagingArea):
    """A line of elements between steps."""

    def __init__(self, dtypes, shapes=None, names=None, shared_name=None, capacity=0, memory_limit=0):
        super().__init__(dtypes, shapes, names, shared_name, capacity, memory_limit)

    def put(self, values, name=None):
        """Add an element; waits while the area is full."""
        if not isinstance(values, (list, tuple, dict)):
            values = [values]
        tensors, _ = self._checked(values, list(range(len(values))))
        return _run("Stage", values=tensors, name=name, **self._facts())

    def get(self, name=None):
        """Take the next element; waits for one."""
        return self._returned(self._run("Unstage", name), range(len(self._dtypes)))

    def peek(self, index, name=None):
        """The element at an index, which stays; waits for it."""
        return self._returned(self._run("StagePeek", name, index=index), range(len(self._dtypes)))

    def size(self, name=None):
        return self._run("StageSize", name)

    def clear(self, name=None):
        return self._run("StageClear", name)


class MapStagingArea(BaseStagingArea):
    """Elements by keys between steps; with `ordered` they leave in the order of their keys."""

    def __init__(self, dtypes, shapes=None, names=None, ordered=False, shared_name=None, capacity=0, memory_limit=0):
        super().__init__(dtypes, shapes, names, shared_name, capacity, memory_limit)
        self._kind = "OrderedMap" if ordered else "Map"

    def put(self, key, vals, indices=None, name=None):
        """Add components of the element with a key."""
        tensors, places = self._checked(vals, indices)
        return self._run(f"{self._kind}Stage", name, key=_key(key), indices=places, values=tensors)

    def _places(self, indices) -> list[int]:
        if indices is None:
            return list(range(len(self._dtypes)))
        if not isinstance(indices, (tuple, list)):
            raise TypeError(f"Invalid indices type {type(indices)}")
        if not indices:
            raise ValueError("Empty indices")
        if all(isinstance(i, str) for i in indices):
            if self._names is None:
                raise ValueError(
                    f"String indices provided {indices}, but this Staging Area was not created with names."
                )
            return [self._names.index(i) for i in indices]
        return list(indices)

    def _take(self, op: str, indices, name, **arguments: Any):
        places = self._places(indices)
        out = _run(
            f"{self._kind}{op}", dtypes=[self._dtypes[i] for i in places], indices=places, name=name, **self._facts(),
            **arguments
        )
        key, values = out if op == "UnstageNoKey" else (arguments["key"], out)
        return key, self._returned(values, places)

    def peek(self, key, indices=None, name=None):
        """Components of the element with a key, which stay; waits for it."""
        return self._take("Peek", indices, name, key=_key(key))[1]

    def get(self, key=None, indices=None, name=None):
        """The key and components of the element with a key, or of any; waits for it."""
        if key is None:
            return self._take("UnstageNoKey", indices, name)
        return self._take("Unstage", indices, name, key=_key(key))

    def size(self, name=None):
        return self._run(f"{self._kind}Size", name)

    def incomplete_size(self, name=None):
        return self._run(f"{self._kind}IncompleteSize", name)

    def clear(self, name=None):
        return self._run(f"{self._kind}Clear", name)


def _key(key):
    return convert_to_tensor(key, dtypes.int64)
