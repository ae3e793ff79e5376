"""Operators of tensors and variables: `+`, `[]`, `@`, comparisons. Installed here because they go through the door."""

from __future__ import annotations

import builtins

from reflow.api import array as array_api
from reflow.api import math as math_api
from reflow.api.export import TABLE
from reflow.api.indexing import getitem, variable_getitem
from reflow.core.tensor import EagerTensor, Tensor
from reflow.eager.variables import Variable
from reflow.ops.convert import convert_to_tensor

_BINARY = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "truediv",
    "floordiv": "math.floordiv",
    "mod": "math.floormod",
    "pow": "pow",
    "matmul": "matmul",
}
_COMPARE = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}
_LOGICAL = {
    "and": ("math.logical_and", "bitwise.bitwise_and"),
    "or": ("math.logical_or", "bitwise.bitwise_or"),
    "xor": ("math.logical_xor", "bitwise.bitwise_xor"),
}


def _forward(function):
    def method(self, other):
        try:
            return function(self, other)
        except (TypeError, ValueError):
            foreign = hasattr(type(other), "__array_priority__") or hasattr(
                type(other), "__tf_tensor__"
            )  # it may know better
            if foreign and not isinstance(other, (Tensor, Variable)):
                return NotImplemented
            raise

    return method


def _reflected(function):
    def method(self, other):
        return function(other, self)

    return method


def _logical(boolean, bits):
    def method(self, other):
        kind = self.dtype.kind
        return (boolean if kind == "b" else bits)(self, other)

    def reflected(self, other):
        return method(convert_to_tensor(other, self.dtype), self)

    return method, reflected


def _equal(self, other):
    if other is None:
        return False
    return _safe_compare("equal", self, other)


def _not_equal(self, other):
    if other is None:
        return True
    return _safe_compare("not_equal", self, other)


def _safe_compare(name, x, y):
    """`==` of tensors that cannot be compared is False, not an error, as in TensorFlow."""
    try:
        return TABLE[name](x, y)
    except (TypeError, ValueError):
        if not isinstance(y, (Tensor, Variable)):
            return name == "not_equal"
        raise


def _invert(self):
    return (TABLE["math.logical_not"] if self.dtype.kind == "b" else TABLE["bitwise.invert"])(self)


def _iterate(self):
    if self._value.ndim == 0:
        raise TypeError("Cannot iterate over a scalar tensor.")
    return (self[i] for i in range(self._value.shape[0]))


def install():
    """Give `Tensor` and `Variable` their operators. The binary ones are the public functions themselves: no extra call."""
    for kind in (Tensor, Variable):
        for name, public in {**_BINARY, **_COMPARE}.items():
            function = TABLE[public]
            setattr(kind, f"__{name}__", _forward(function))
            if name in _BINARY:
                setattr(kind, f"__r{name}__", _reflected(function))
        for name, (boolean, bits) in _LOGICAL.items():
            method, reflected = _logical(TABLE[boolean], TABLE[bits])
            setattr(kind, f"__{name}__", method)
            setattr(kind, f"__r{name}__", reflected)
        kind.__neg__ = lambda self: TABLE["negative"](self)
        kind.__abs__ = lambda self: TABLE["abs"](self)
        kind.__pos__ = lambda self: self
        kind.__invert__ = _invert
        kind.__getitem__ = getitem
        kind.__eq__ = _equal
        kind.__ne__ = _not_equal
    Variable.__getitem__ = variable_getitem
    EagerTensor.__iter__ = _iterate
    Variable.__iter__ = lambda self: iter(self.value())
    for name in ("int", "float", "bool", "len", "index", "complex"):
        setattr(Variable, f"__{name}__", _by_value(getattr(builtins, name, None) or _index))
    for kind in (Tensor, EagerTensor, Variable):
        kind.__hash__ = Tensor.__hash__ if kind is not Variable else Variable.__hash__


def _index(x):
    return x.__index__()


def _by_value(function):
    return lambda self: function(self.value())


_ = (array_api, math_api)
install()
