"""What a shape rule knows: `NodeFacts`, partial values, and helpers that shape and value rules share.

A *partial value* of a small integer tensor is nested tuples of `int | None` (a scalar is an int), or `None` if nothing
is known about it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from reflow.core.dtypes import DType
from reflow.core.tensor import EagerTensor
from reflow.core.types import Attrs, Dims, Value
from reflow.ops.opdef import MISSING

if TYPE_CHECKING:
    from reflow.ops.registry import Op


#: nested tuples of `int | None`, or `HandleFacts` and `ListFacts` (`core/resources.py`), or None
PartialValue: TypeAlias = Any
Shapes: TypeAlias = list[Dims | None]

MAX_VALUE_ELEMENTS = 64


class ShapeOnly:
    """A stand-in for an array of which a gradient or a check reads only the shape and the dtype.

    With it, the gradient of `x + y` keeps neither x nor y; in a loop that saves a copy of both per iteration.
    """

    __slots__ = ("shape", "dtype", "ndim", "size")

    def __init__(self, shape: Sequence[int], dtype: np.dtype) -> None:
        self.shape, self.dtype = tuple(shape), dtype
        self.ndim, self.size = len(self.shape), math.prod(self.shape)


class NodeFacts:
    """What is known about a node while it is built.

    The dtype, shape and partial value of each input; its attributes.
    """

    __slots__ = ("op", "dtypes", "shapes", "values", "attrs", "inputs")

    def __init__(
        self, op: Op, dtypes: list[DType], shapes: list[Dims | None], values: list[PartialValue], attrs: Attrs,
        inputs: Sequence[Any] = (),
    ) -> None:
        self.op, self.dtypes, self.values, self.attrs = op, dtypes, values, attrs
        self.inputs = inputs  # the tensors themselves, in a graph
        # each `Dims | None`. A rule does not repeat the check for None, which a type checker cannot follow.
        self.shapes: list[Any] = shapes

    @classmethod
    def of_eager(cls, op: Op, inputs: Sequence[EagerTensor], attrs: Attrs) -> NodeFacts:
        """Facts about eager tensors: everything is known."""
        return cls(
            op, [t._dtype for t in inputs], [tuple(t._value.shape) for t in inputs],
            [partial_value(t._value) for t in inputs], attrs,
        )

    def texts(self, index: int) -> np.ndarray | None:
        """The strings of an input, if it is a constant: partial values are only for numbers."""
        value = self.inputs[index].op.attrs.get("value") if self.inputs else None
        return value if isinstance(value, np.ndarray) else None

    def attr(self, name: str, default: Any = None) -> Any:
        value = self.attrs.get(name, default)
        if value is None and name in self.op.definition.attrs:
            value = self.op.definition.attrs[name].default
            value = None if value is MISSING else value
        return value


#: returns the shapes of the outputs; ValueError, with TensorFlow's message, for inputs that can never fit
ShapeRule: TypeAlias = Callable[[NodeFacts], Shapes]
#: returns the partial value of the output; a list of them if the op has several outputs
ValueRule: TypeAlias = Callable[[NodeFacts], PartialValue]


def partial_value(value: Value) -> PartialValue:
    """The partial value of a concrete array: itself as nested tuples if it is a small integer array, else None."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "iub" and value.size <= MAX_VALUE_ELEMENTS:
        return _tuples(value.tolist())
    return None


def _tuples(x: Any) -> Any:
    return tuple(map(_tuples, x)) if isinstance(x, list) else x


def known(value: PartialValue) -> bool:
    """Whether a partial value is completely known."""
    if isinstance(value, tuple):
        return all(map(known, value))
    return value is not None


def too_large(shapes: Shapes) -> str | None:
    """TensorFlow's message if one of these shapes has more elements than 63 bits can count.

    >>> too_large([(2, 3), (2**40, 2**40)])
    'Shape [1099511627776,1099511627776] would have more than 2**63 - 1 elements'
    """
    for dims in shapes:
        size = product(dims)
        if size is not None and size >= 2**63:
            return f"Shape {text(dims)} would have more than 2**63 - 1 elements"
    return None


def text(dims: Dims | None) -> str:
    """A shape in the format of TensorFlow's errors: `[2,?]`."""
    return "<unknown>" if dims is None else "[" + ",".join("?" if d is None else str(d) for d in dims) + "]"


def as_shape(value: PartialValue, shape: Dims | None) -> Dims | None:
    """The shape that a shape operand with this partial value (and its own shape) describes."""
    if isinstance(value, int):  # a single number is a one-dimensional shape
        value = (value,)
    if isinstance(value, tuple):
        return tuple(None if v is None or v < 0 else v for v in value)
    if shape == ():
        return (None,)
    if shape is not None and len(shape) == 1 and shape[0] is not None:
        return (None,) * shape[0]
    return None


def product(dims: Dims | None) -> int | None:
    return None if dims is None or None in dims else math.prod(dims)  # type: ignore[arg-type]  # no None is left
