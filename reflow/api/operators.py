"""Operators of tensors and variables: `+`, `[]`, `@`, comparisons.

Installed here, above `ops/`, because they dispatch ops.
"""

from __future__ import annotations

import builtins
from typing import Any

from reflow.api.array.indexing import getitem, variable_getitem, variable_setitem
from reflow.api.call import call, operands
from reflow.api.dispatching import copy_of
from reflow.api.export import export_value
from reflow.api.linalg.products import matmul
from reflow.api.math import arithmetic as math
from reflow.api.math import unary
from reflow.core import dtypes, errors
from reflow.core.context import state
from reflow.core.ragged import RaggedTensor
from reflow.core.tensor import EagerTensor, Tensor
from reflow.eager.variables import Variable
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import dispatch_two

_STRING = dtypes.string
#: a separate `tf.add` function, as in TensorFlow: saved Keras 2 models refer to it
add = export_value(copy_of(math.add), "__operators__.add")
#: the functions behind `__add__` and similar methods
ARITHMETIC = {
    "add": math.add,
    "sub": math.subtract,
    "mul": math.multiply,
    "truediv": math.truediv,
    "floordiv": math.floordiv,
    "mod": math.floormod,
    "pow": math.pow,
}
COMPARISONS = {"lt": math.less, "le": math.less_equal, "gt": math.greater, "ge": math.greater_equal}
#: (for booleans, for integers)
_LOGICAL = {
    "and": (math.logical_and, math.bitwise_and),
    "or": (math.logical_or, math.bitwise_or),
    "xor": (math.logical_xor, math.bitwise_xor),
}


def _forward(function, reflection=""):
    op: Any = getattr(function, "op", None)
    direct_type = None if op is None else EagerTensor  # what a function that is an op takes directly
    rescue = _both if function is math.multiply else None

    def method(self, other):
        try:
            if type(other) is direct_type and type(self) is direct_type and self._dtype is not _STRING:
                return dispatch_two(op, self, other)
            return function(self, other)
        except (TypeError, ValueError, errors.InvalidArgumentError) as error:
            if rescue is not None and _has_boolean(self, other):
                return rescue(self, other)
            if isinstance(error, errors.InvalidArgumentError):
                raise
            # an object of another library may know better
            foreign = any(hasattr(type(other), name) for name in ("__array_priority__", "__tf_tensor__"))
            if foreign and not isinstance(other, (Tensor, Variable)):
                return NotImplemented
            return ask_right(other, reflection, self)

    return method


def ask_right(right, reflection, left):
    """The result of the right operand's operator, if the left one's has failed; otherwise that failure."""
    try:
        answer = getattr(type(right), reflection, lambda *_: NotImplemented)(right, left)
    except (TypeError, ValueError):
        answer = NotImplemented
    if answer is NotImplemented:
        raise  # noqa: PLE0704  # what is being handled where this is called
    return answer


def _has_boolean(x, y):
    return getattr(x, "dtype", None) is dtypes.bool_ or getattr(y, "dtype", None) is dtypes.bool_


def _both(x, y):
    """The product of booleans: whether both are true. Numbers beside them are true unless they are 0."""
    return math.logical_and(*(math.cast(convert_to_tensor(v), dtypes.bool_) for v in (x, y)))


def multiply(x, y, name=None):
    """`x * y`: the product, or whether both are true where one of them is boolean."""
    return _both(x, y) if _has_boolean(x, y) else math.multiply(x, y, name)


def _reflected(function):
    def method(self, other):
        known = hasattr(self, "_dtype")  # otherwise a library has given its own type the operators of tensors
        if known and not (hasattr(other, "_dtype") or hasattr(other, "__tf_tensor__")):
            other = convert_to_tensor(other, self.dtype)
        if function is math.multiply and _has_boolean(self, other):
            return _both(other, self)
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
    """`self == other`: of tensors elementwise; False where their shapes do not fit.

    >>> tf.__operators__.eq(tf.constant([1, 2]), 1).numpy().tolist()
    [True, False]
    """
    return False if other is None else _equality("Equal", math.equal, self, other)


def _not_equal(self, other):
    """`self != other`: of tensors elementwise; True where their shapes do not fit.

    >>> tf.__operators__.ne(tf.constant([1, 2]), 1).numpy().tolist()
    [False, True]
    """
    return True if other is None else _equality("NotEqual", math.not_equal, self, other)


def _equality(op_name, function, x, y):
    """`==` of tensors whose shapes do not fit is False and `!=` True, as in TensorFlow; `tf.equal` raises."""
    if isinstance(y, RaggedTensor):
        return y == x if op_name == "Equal" else y != x  # the ragged tensor knows what fits
    try:
        return function(x, y)
    except errors.InvalidArgumentError as error:
        if "Incompatible shapes" not in str(error):
            raise
    except ValueError:
        if state.graph is None:
            raise
    return call(op_name, operands(x, y), {"incompatible_shape_error": False})


def _invert(self):
    return (unary.logical_not if self.dtype.kind == "b" else unary.invert)(self)


def _iterate(self):
    if self._value.ndim == 0:
        raise TypeError("Cannot iterate over a scalar tensor.")
    return (self[i] for i in range(self._value.shape[0]))


def _unchanging(what):
    """`x[i] = y` and `del x[i]`: rejected with Python's message, and a hint."""

    def method(self, *_):
        error = TypeError(f"'{type(self).__name__}' object {what}")
        remedy = (
            "tensors never change. Assign to a part of a `tf.Variable`, or make a changed copy: "
            "`tf.tensor_scatter_nd_update`."
        )
        raise errors.advised(error, remedy)

    return method


export_value(_equal, "__operators__.eq")
export_value(_not_equal, "__operators__.ne")

#: operators without a public function
_OWN = {
    "neg": lambda self: unary.negative(self),
    "abs": lambda self: unary.abs(self),
    "invert": _invert,
    "getitem": getitem,
    "eq": _equal,
    "ne": _not_equal,
}


def install():
    """Give `Tensor` and `Variable` their operators: the public functions, or straight the ops that they are."""
    for kind in (Tensor, Variable):
        for name, function in {**ARITHMETIC, "matmul": matmul, **COMPARISONS}.items():
            setattr(kind, f"__{name}__", _forward(function, "" if name in COMPARISONS else f"__r{name}__"))
            if name not in COMPARISONS:
                setattr(kind, f"__r{name}__", _reflected(function))
        for name, (boolean, bits) in _LOGICAL.items():
            method, reflected = _logical(boolean, bits)
            setattr(kind, f"__{name}__", method)
            setattr(kind, f"__r{name}__", reflected)
        for name, method in _OWN.items():
            setattr(kind, f"__{name}__", method)
    setattr(Tensor, "__setitem__", _unchanging("does not support item assignment"))  # noqa: B010
    setattr(Tensor, "__delitem__", _unchanging("doesn't support item deletion"))  # noqa: B010
    setattr(Variable, "__getitem__", variable_getitem)  # noqa: B010
    setattr(Variable, "__setitem__", variable_setitem)  # noqa: B010
    setattr(EagerTensor, "__iter__", _iterate)  # noqa: B010
    setattr(Variable, "__iter__", lambda self: iter(self.value()))  # noqa: B010
    for name in ("int", "float", "bool", "complex"):
        setattr(Variable, f"__{name}__", _by_value(getattr(builtins, name)))
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
        setattr(Variable, f"__i{name}__", _not_in_place(name))
    shared = [*ARITHMETIC, *COMPARISONS, *_LOGICAL, *_OWN, "matmul"]
    reflected = [f"r{name}" for name in (*ARITHMETIC, *_LOGICAL, "matmul")]
    Tensor.OVERLOADABLE_OPERATORS = {f"__{name}__" for name in (*shared, *reflected)}
    for hashed in (Tensor, EagerTensor, Variable):
        setattr(hashed, "__hash__", Tensor.__hash__ if hashed is not Variable else Variable.__hash__)  # noqa: B010


def _not_in_place(name):
    sign = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**"}[name]
    instead = {
        "add": "Use `variable.assign_add(value)` to modify the variable, or `out = variable + value`",
        "sub": "Use `variable.assign_sub(value)` to modify the variable, or `out = variable - value`",
    }.get(
        name, f"Use `variable.assign(variable {sign} value)` to modify the variable, or `out = variable {sign} value`"
    )

    def method(self, other):
        raise RuntimeError(
            f"`variable {sign}= value` with `tf.Variable`s is not supported. {instead} if you need "
            "to get a new output Tensor."
        )

    return method


def _by_value(function):
    return lambda self: function(self.value())


install()
