"""How public functions call ops: convert the arguments, name the node, go through the door.

`unary` and `binary` make the public function of an elementwise op from its description. They hold the one fast path of eager code: a plain
op on eager tensors that no tape watches runs its kernel straight away (0.9 µs for `tanh` of 10×10, of which NumPy takes
0.4; the general path takes 0.5 µs more).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from reflow.api.export import export
from reflow.core.context import state
from reflow.core.tensor import EagerTensor, Tensor
from reflow.devices import placement as devices
from reflow.eager.variables import Variable
from reflow.ops import registry
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import dispatch

ndarray = np.ndarray
Function = TypeVar("Function", bound=Callable)
_NONE: dict = {}
_FAST: list = []


def fast_paths(module: str):
    """Say that a module has fast paths, which take values of the type that its global `ndarray` names. While ops are placed on
    devices or logged that is None: everything then goes through the door, and when not, asking costs nothing."""
    _FAST.append(sys.modules[module])


def _switch(placing: bool):
    for module in _FAST:
        module.ndarray = None if placing else np.ndarray


fast_paths(__name__)
devices.SWITCHES.append(_switch)


def call(name: str, inputs, attrs=_NONE, label: str | None = None):
    """Dispatch the op called `name` on tensors; `label` is the user's `name=` argument, which names the graph node."""
    record = registry.REGISTRY.get(name) or registry.get(name)
    if label is None or state.graph is None:
        return dispatch(record, inputs, attrs)
    with state.graph.name_scope_for(label):
        return dispatch(record, inputs, attrs)


def same_dtype(*values):
    """Tensors of one dtype: Python numbers take the dtype of the first tensor among them."""
    dtype = next((_dtype_of(v) for v in values if hasattr(v, "dtype") or hasattr(v, "__tf_tensor__")), None)
    out = []
    for v in values:
        tensor = v if isinstance(v, EagerTensor) else convert_to_tensor(v, dtype_hint=dtype)
        if dtype is None:
            dtype = tensor._dtype
        out.append(tensor)
    return out


def _dtype_of(value):
    """The dtype of a value that has one; a variable is not read for it."""
    return value._dtype if isinstance(value, (Tensor, Variable)) else convert_to_tensor(value)._dtype


def unary(op_name: str, *names: str) -> Callable[[Function], Function]:
    """A decorator that makes and exports the public function of an elementwise op with one input: `f(x, name=None)`."""
    record = registry.get(op_name)
    fast: Any = record.fast
    allowed = record.allowed

    def function(x, name=None):
        if type(x) is EagerTensor and state.graph is None and not state.tapes:
            value = x._value
            if type(value) is ndarray and (allowed is None or x._dtype.enum in allowed):
                return EagerTensor(state.run(fast, value))
        if type(x) is not EagerTensor and hasattr(x, "map_values"):  # sparse or ragged
            return x.map_values(function)
        return call(op_name, (convert_to_tensor(x),), _NONE, name)

    return described(function, *names)


def binary(op_name: str, *names: str) -> Callable[[Function], Function]:
    """A decorator that makes and exports the public function of an elementwise op with two inputs: `f(x, y, name=None)`."""
    record = registry.get(op_name)
    fast: Any = record.fast
    allowed = record.allowed

    def function(x, y, name=None):
        if type(x) is EagerTensor and type(y) is EagerTensor and state.graph is None and not state.tapes:
            a, b = x._value, y._value
            if (
                type(a) is ndarray
                and type(b) is ndarray
                and x._dtype is y._dtype
                and fast is not None
                and (allowed is None or x._dtype.enum in allowed)
            ):
                try:
                    return EagerTensor(state.run(fast, a, b))
                except ValueError:  # shapes that do not fit: the general path says so in TensorFlow's words
                    pass
        if not (type(x) is EagerTensor and type(y) is EagerTensor):
            if hasattr(x, "map_pairs") or hasattr(y, "map_pairs"):  # ragged
                return (x if hasattr(x, "map_pairs") else y).map_pairs(function, x, y)
            x, y = operands(x, y)
        return call(op_name, (x, y), _NONE, name)

    return described(function, *names)


def operands(x, y, lenient=False):
    """Both sides of a binary op as tensors; a Python or NumPy value on one side takes the other's dtype.

    A Python number that does not fit is a TypeError, as in TensorFlow; `lenient` leaves it to the op (TensorFlow's `+`
    does).
    """
    if not isinstance(x, EagerTensor):
        if (
            not hasattr(x, "_dtype")
            and not hasattr(x, "__tf_tensor__")
            and (hasattr(y, "_dtype") or hasattr(y, "__tf_tensor__"))
        ):
            y = convert_to_tensor(y)
            return _like(x, y._dtype, lenient), y
        x = convert_to_tensor(x)
    return x, _like(y, x._dtype, lenient)


def _like(value, dtype, lenient):
    """A tensor of `value`, of the given dtype if the value is plain Python; dtype errors are left to the op."""
    if isinstance(value, EagerTensor):
        return value
    if hasattr(value, "_dtype") or hasattr(value, "__tf_tensor__"):
        return convert_to_tensor(value)
    try:
        return convert_to_tensor(value, dtype)
    except (TypeError, ValueError):
        if not lenient or isinstance(value, (np.ndarray, np.generic)):
            raise
        return convert_to_tensor(value)


def described(function: Callable, *names: str) -> Callable[[Any], Any]:
    """A decorator that puts `function` in the place of what it decorates, whose name, arguments and text it takes, and exports
    it. So the definition is where readers and editors look for it, and holds nothing but its description."""

    def replace(description):
        function.__module__, function.__doc__ = description.__module__, description.__doc__
        function.__name__ = function.__qualname__ = description.__name__
        return export(*names)(function)

    return replace
