"""Names for types used in signatures across layers.

NumPy arrays, JAX arrays and host objects have no common base class, and a structure may hold anything. To a type
checker these names are `Any`; they tell a reader what to expect.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeAlias

#: the value of a tensor: a read-only `ndarray`, a `jax.Array`, or a `HostObject` (`core/tensor.py`)
Value: TypeAlias = Any
#: the value of a tensor inside a kernel: an `ndarray` on the host, a tracer in a program, a tensor under `tensor_xp`
Array: TypeAlias = Any
#: a non-array argument: a number, a string, a tuple. It is known when a program is built
Static: TypeAlias = Any
#: a nested structure of lists, tuples and dictionaries, or a leaf
Structure: TypeAlias = Any
#: what `as_dtype` accepts: a `DType`, its name or number, a NumPy or Python type
DTypeLike: TypeAlias = Any
#: what `convert_to_tensor` accepts: a tensor, an array, a number, a structure of these
TensorLike: TypeAlias = Any
#: what `TensorShape` accepts: a shape, a sequence of sizes, a size, a proto, None
ShapeLike: TypeAlias = Any
#: a protocol buffer message; the classes are created at run time
Proto: TypeAlias = Any
#: a partial shape; None is an unknown size. `Dims | None`: the rank may be unknown too
Dims: TypeAlias = tuple[int | None, ...]
#: the attributes of a node or a call, by their OpDef names; those that begin with `_` are Reflow's own
Attrs: TypeAlias = dict[str, Any]


class Tape(Protocol):
    """An object that is notified of the ops that run: a gradient tape, a forward accumulator, a recorder."""

    watched: Any  # ids of the tensors whose gradients can be requested

    def record(self, op: Any, inputs: Sequence[Any], outputs: tuple[Any, ...], attrs: Attrs) -> None:
        """Record an op that read a watched tensor."""

    def extend_record(self, outputs: tuple[Any, ...]) -> None:
        """Replace the outputs in the record of the op that produced `outputs[0]`.

        A call now also returns intermediates.
        """

    def watch_variable(self, variable: Any) -> None:
        """Called when a variable is about to be read."""


class ConstantTraceType:
    """TensorFlow's *trace type* methods, for types that hold no tensors: a type with one value, itself.

    Such a value is part of the trace key, and the function is traced with it.
    """

    __slots__ = ()

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """The argument with which a function is traced."""
        return self

    def to_tensors(self, value: Any) -> list[Any]:
        """The tensors of a value: none."""
        return []

    def from_tensors(self, tensors: Iterable[Any]) -> Any:
        """The value; takes no tensors."""
        return self.placeholder_value(None)

    def flatten(self) -> list[Any]:
        """The specs of the tensors of a value: none."""
        return []

    def cast(self, value: Any, cast_context: Any) -> Any:
        """The value, if it is this type's value; otherwise an AssertionError, as in TensorFlow."""
        if value != self.placeholder_value(None):
            raise AssertionError(f"Can not cast {value!r} to type {self!r}")
        return value
