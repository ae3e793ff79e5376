"""`TensorMap`: an immutable mapping from tensors to tensors as one variant value. A change creates a new map."""

from __future__ import annotations

import numpy as np

from reflow.core import dtypes
from reflow.core.tensor import HostObject
from reflow.ops import shape_rules as rules
from reflow.ops.dispatch import run
from reflow.ops.kernels.control.lists import invalid
from reflow.ops.registry import NO_GRADIENT, op, own_op


class TensorMap(HostObject):
    """Keys and values are arrays; a key is found by its bytes, shape and dtype."""

    __slots__ = ("items",)
    tensor_dtype = dtypes.variant

    def __init__(self, items: dict):
        self.items = items

    def place(self, key, absent: str):
        """The key of a stored pair; an error with this message if there is none."""
        place = _identity(key)
        if place not in self.items:
            raise invalid(absent)
        return place

    def add(self, other: TensorMap) -> TensorMap:
        """The sum of values under the same keys, for gradients."""
        both = dict(self.items)
        for place, (key, value) in other.items.items():
            both[place] = (key, np.add(both[place][1], value, out=...) if place in both else value)
        return TensorMap(both)

    def zeros_like(self) -> TensorMap:
        return TensorMap({place: (key, np.zeros_like(value)) for place, (key, value) in self.items.items()})

    def __repr__(self):
        return f"<TensorMap of {len(self.items)}>"


def _identity(key: np.ndarray):
    return key.dtype.str, key.shape, tuple(key.reshape(-1).tolist())


def map_op(name: str, shape=rules.scalar, **facts):
    return op(name, shape=shape, host=True, **facts)


@map_op("EmptyTensorMap", grad=NO_GRADIENT)
def empty_tensor_map(_):
    return TensorMap({})


@map_op("TensorMapSize", grad=NO_GRADIENT)
def tensor_map_size(_, input_handle):
    return np.asarray(len(input_handle.items), np.int32)


def _lookup_grad(attrs, inputs, outputs, cotangents, wanted):
    return [run("TensorMapInsert", run("EmptyTensorMap"), inputs[1], cotangents[0]), None]


@map_op("TensorMapLookup", shape=lambda f: [None], grad_tensors=_lookup_grad)
def tensor_map_lookup(_, input_handle, key, value_dtype=None, key_dtype=None):
    return input_handle.items[input_handle.place(key, "Trying to lookup non-existent key. Could not find key.")][1]


@own_op(
    "TensorMapTake", "input_handle key like", "rest value", grad=NO_GRADIENT, host=True,
    shape=lambda f: [(), f.shapes[2]],
)
def tensor_map_take(_, input_handle, key, like):
    """A map without a key, and the value that stood under it; zeros like `like` where there was none."""
    place = _identity(key)
    rest = {other: pair for other, pair in input_handle.items.items() if other != place}
    return TensorMap(rest), input_handle.items[place][1] if place in input_handle.items else np.zeros_like(like)


def _insert_grad(attrs, inputs, outputs, cotangents, wanted):
    rest, value = run(
        "Reflow>TensorMapTake", cotangents[0], *inputs[1:], T_rest=dtypes.variant, T_value=inputs[2]._dtype
    )
    return [rest, None, value]


@map_op("TensorMapInsert", grad_tensors=_insert_grad)
def tensor_map_insert(_, input_handle, key, value, key_dtype=None, value_dtype=None):
    return TensorMap({**input_handle.items, _identity(key): (key, value)})


def _erase_grad(attrs, inputs, outputs, cotangents, wanted):
    return [cotangents[0], None]


@map_op("TensorMapErase", grad_tensors=_erase_grad)
def tensor_map_erase(_, input_handle, key, key_dtype=None, value_dtype=None):
    gone = input_handle.place(key, "Trying to erase non-existent item. Could not find key.")
    return TensorMap({place: pair for place, pair in input_handle.items.items() if place != gone})


@map_op("TensorMapHasKey", grad=NO_GRADIENT)
def tensor_map_has_key(_, input_handle, key, key_dtype=None):
    return np.asarray(_identity(key) in input_handle.items)


@map_op("TensorMapStackKeys", shape=lambda f: [None], grad=NO_GRADIENT)
def tensor_map_stack_keys(_, input_handle, key_dtype):
    keys = [key for key, _ in input_handle.items.values()]
    if not keys:
        raise invalid("TensorMapStackKeys cannot be called on empty map.")
    for key in keys:
        if dtypes.FROM_NUMPY[key.dtype] is not key_dtype:
            raise invalid("Key does not match requested dtype.")
        if key.shape != keys[0].shape:
            raise invalid("Keys must all have the same shape.")
    return np.stack(keys)
