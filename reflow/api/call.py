"""How public functions call ops: convert the arguments, name the node, dispatch.

`unary` and `binary` make the public function of an elementwise op from its description.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from reflow.api.export import export
from reflow.core.context import state
from reflow.core.tensor import EagerTensor, Tensor, TensorBase
from reflow.eager.variables import Variable
from reflow.ops import registry
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import dispatch, dispatch_one, dispatch_two
from reflow.ops.from_python import mixed_dtypes

Function = TypeVar("Function", bound=Callable)
_NONE: dict = {}


def call(name: str, inputs, attrs=_NONE, label: str | None = None):
    """Dispatch the op called `name` on tensors; `label` is the user's `name=` argument, which names the graph node."""
    record = registry.get(name)
    if label is None or state.graph is None:
        return dispatch(record, inputs, attrs)
    with state.graph.name_scope_for(label):
        return dispatch(record, inputs, attrs)


def same_dtype(*values):
    """Tensors of one dtype: numbers and arrays take the dtype of the first tensor among them, numbers that of an array."""
    typed = (v for test in (_is_tensor, _is_array) for v in values if test(v))
    dtype = next(map(_dtype_of, typed), None)
    out = []
    for v in values:
        tensor = v if isinstance(v, EagerTensor) else convert_to_tensor(v, dtype_hint=dtype)
        if dtype is None:
            dtype = tensor._dtype
        out.append(tensor)
    return out


def one_dtype(op_name, tensors):
    """Refuse tensors of several dtypes, in the words of TensorFlow's kernels."""
    first = tensors[0]._dtype
    for i, tensor in enumerate(tensors):
        if tensor._dtype is not first and state.graph is None:
            raise mixed_dtypes(op_name, i, first, tensor._dtype)


def _is_tensor(value):
    return isinstance(value, TensorBase) or hasattr(value, "__tf_tensor__")


def _is_array(value):
    return hasattr(value, "dtype")


def _dtype_of(value):
    """The dtype of a value that has one; a variable is not read for it."""
    return value._dtype if isinstance(value, (Tensor, Variable)) else convert_to_tensor(value)._dtype


def unary(op_name: str, *names: str) -> Callable[[Function], Function]:
    """A decorator that makes and exports the public function of an elementwise op with one input: `f(x, name=None)`."""
    op = registry.get(op_name)

    def function(x, name=None):
        if type(x) is not EagerTensor:
            if hasattr(x, "map_values"):  # sparse or ragged
                return x.map_values(function)
            x = convert_to_tensor(x)
        return dispatch_one(op, x) if name is None else call(op_name, (x,), _NONE, name)

    function.takes_ragged = True  # type: ignore[attr-defined]
    return described(function, *names)


def binary(op_name: str, *names: str) -> Callable[[Function], Function]:
    """A decorator that makes and exports the public function of an elementwise op with two inputs: `f(x, y, name=None)`."""
    op = registry.get(op_name)

    def function(x, y, name=None):
        if type(x) is not EagerTensor or type(y) is not EagerTensor:
            if hasattr(x, "map_pairs") or hasattr(y, "map_pairs"):  # ragged
                return (x if hasattr(x, "map_pairs") else y).map_pairs(function, x, y)
            x, y = operands(x, y)
        return dispatch_two(op, x, y) if name is None else call(op_name, (x, y), _NONE, name)

    function.op = op  # type: ignore[attr-defined] # for operators
    function.takes_ragged = True  # type: ignore[attr-defined]
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
