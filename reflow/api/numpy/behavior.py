"""`tf.experimental.numpy.experimental_enable_numpy_behavior`: NumPy's methods, operators and indexing on tensors.

It replaces methods of `Tensor` and `Variable`; until it is called, this module costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from reflow.api import operators
from reflow.api.export import export
from reflow.api.math import arithmetic as m
from reflow.api.numpy import weak_functions
from reflow.api.numpy.arrays import as_tensor
from reflow.api.numpy.choosing import (
    numpy_getitem,
    with_index_add,
    with_index_max,
    with_index_min,
    with_index_update,
)
from reflow.api.numpy.elementwise import around, clip
from reflow.api.numpy.products import matmul
from reflow.api.numpy.reductions import amax, amin, mean
from reflow.api.numpy.shaping import flatten, ravel, reshape, transpose
from reflow.api.numpy.types import MODES, result_type, settings
from reflow.api.numpy.weak import WeakTensor
from reflow.core.logging import warn
from reflow.core.tensor import EagerTensor, Tensor
from reflow.eager.variables import Variable


def _reshape(self, *newshape, order="C"):
    """`x.reshape(2, 3)` or `x.reshape([2, 3])`."""
    return reshape(
        self, newshape[0] if len(newshape) == 1 and not isinstance(newshape[0], int) else newshape, order=order
    )


def _to_list(self):
    if not isinstance(self, EagerTensor):
        raise ValueError("Symbolic Tensors do not support the tolist API.")
    return self.numpy().tolist()


def _size(self):
    known = self.shape.num_elements()
    return None if known is None else math.prod(self.shape.as_list())


#: what tensors get
METHODS: dict[str, Any] = {
    "T": property(lambda self: transpose(self)),
    "size": property(_size),
    "data": property(lambda self: self),
    "tolist": _to_list,
    "transpose": transpose,
    "flatten": flatten,
    "reshape": _reshape,
    "ravel": ravel,
    "clip": clip,
    "astype": m.cast,
    "max": amax,
    "mean": mean,
    "min": amin,
    "__round__": around,
    "__pos__": lambda self: self,
    "__getitem__": numpy_getitem,
    "_with_index_update": with_index_update,
    "_with_index_add": with_index_add,
    "_with_index_min": with_index_min,
    "_with_index_max": with_index_max,
}


def _promoting(function: Callable, reflection: str) -> tuple[Callable, Callable]:
    """An operator of two arguments that brings them to their common dtype first, and its reflection."""

    def forward(self, other):
        try:
            return promoting(self, other)
        except (TypeError, ValueError):
            return operators.ask_right(other, reflection, self)

    def promoting(self, other):
        if getattr(other, "_is_composite", False) and not isinstance(other, WeakTensor):
            return NotImplemented  # sparse and ragged tensors have operators of their own
        if settings.lattice:
            return weak_functions.promoted(function, self, other)
        dtype = result_type(self, other)
        return function(as_tensor(self, dtype), as_tensor(other, dtype))

    def reflected(self, other):
        return promoting(other, self)

    return forward, reflected


def _install_promotion() -> None:
    """Let the operators of tensors and variables promote dtypes."""
    functions = {**operators.ARITHMETIC, **operators.COMPARISONS, "matmul": matmul}
    for kind in (Tensor, Variable):
        plain = {name: getattr(kind, f"__{name}__") for name in ("eq", "ne", "and", "or", "xor")}
        for name, function in {**functions, **plain}.items():
            forward, reflected = _promoting(function, "" if name in operators.COMPARISONS else f"__r{name}__")
            if name in ("eq", "ne"):
                forward = _with_none(forward, name == "ne")
            setattr(kind, f"__{name}__", forward)
            if name not in operators.COMPARISONS and name not in ("eq", "ne"):
                setattr(kind, f"__r{name}__", reflected)


def _with_none(compare: Callable, differs: bool) -> Callable:
    """`x == None` is False."""
    return lambda self, other: differs if other is None else compare(self, other)


@export("experimental.numpy.experimental_enable_numpy_behavior")
def experimental_enable_numpy_behavior(prefer_float32=False, dtype_conversion_mode="legacy"):
    """Gives tensors NumPy's methods (`x.T`, `x.reshape(2, 3)`), its indexing by arrays, and operators that promote
    dtypes.

    Args:
      prefer_float32: Whether a Python float is float32 where NumPy's is float64.
      dtype_conversion_mode: "legacy" promotes by NumPy's rules, "all" and "safe" by TensorFlow's lattice of dtypes
        ("safe" only where nothing can be lost), "off" not at all.

    Returns:
      None; the change lasts until the end of the program.

    Raises:
      ValueError: There is no such mode.

    >>> tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="some")
    Traceback (most recent call last):
    ValueError: The provided promotion mode some does not exist.
    """
    if dtype_conversion_mode not in MODES:
        raise ValueError(f"The provided promotion mode {dtype_conversion_mode} does not exist.")
    if dtype_conversion_mode in ("safe", "all"):
        warn(
            "UserWarning: enabling the new type promotion must happen at the beginning of the program. Please ensure "
            "no TF APIs have been used yet."
        )
    settings.mode, settings.prefer_float32 = dtype_conversion_mode, prefer_float32
    operators.install()
    for name, method in METHODS.items():
        setattr(Tensor, name, method)
    if settings.lattice:
        weak_functions.install()
    if dtype_conversion_mode != "off":
        _install_promotion()
