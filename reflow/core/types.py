"""Names for types that signatures of several layers use.

An array of NumPy, one of JAX and a host object have no base class in common, and a structure may hold anything. Names
for such things are `Any` to a type checker; they tell a reader what to expect.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeAlias

#: what a tensor holds: a read-only `ndarray`, a `jax.Array`, or a `HostObject` (`core/tensor.py`)
Value: TypeAlias = Any
#: a tensor's value while a kernel runs: an `ndarray` on the host, a tracer in a program, a tensor under `tensor_xp`
Array: TypeAlias = Any
#: an argument that is no array: a number, a text, a tuple. It is known when a program is made
Static: TypeAlias = Any
#: a nested structure of lists, tuples and dictionaries, or a leaf
Structure: TypeAlias = Any
#: what `as_dtype` accepts: a `DType`, its name or number, a type of NumPy or Python
DTypeLike: TypeAlias = Any
#: what `convert_to_tensor` accepts: a tensor, an array, a number, a structure of these
TensorLike: TypeAlias = Any
#: what `TensorShape` accepts: a shape, a sequence of sizes, a size, a proto, None
ShapeLike: TypeAlias = Any
#: a message of protocol buffers; their classes are made at run time
Proto: TypeAlias = Any
#: a partial shape; None is an unknown size. `Dims | None`: the rank may be unknown too
Dims: TypeAlias = tuple[int | None, ...]
#: the attributes of a node or a call, by the names in the OpDef; those that begin with `_` are Reflow's own
Attrs: TypeAlias = dict[str, Any]


class Tape(Protocol):
    """What is notified of the ops that run: a gradient tape, a forward accumulator, a recorder."""

    watched: Any  # ids of the tensors whose gradients may be computed

    def record(self, op: Any, inputs: Sequence[Any], outputs: tuple[Any, ...], attrs: Attrs) -> None:
        """Remember an op that read a watched tensor."""

    def extend_record(self, outputs: tuple[Any, ...]) -> None:
        """Give the record of the op that made `outputs[0]` all of these outputs: a call now returns intermediates too."""

    def watch_variable(self, variable: Any) -> None:
        """A variable is about to be read."""


class ConstantTraceType:
    """TensorFlow's methods of a *trace type*, for types that hold no tensors: a type of one value, itself.

    Such a value is part of the key of a trace, and what a function is traced with.
    """

    __slots__ = ()

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """What a function is traced with."""
        return self

    def to_tensors(self, value: Any) -> list[Any]:
        """The tensors of a value: none."""
        return []

    def from_tensors(self, tensors: Iterable[Any]) -> Any:
        """The value; no tensors are taken."""
        return self.placeholder_value(None)

    def flatten(self) -> list[Any]:
        """The specs of the tensors of a value: none."""
        return []

    def cast(self, value: Any, cast_context: Any) -> Any:
        """The value, if it is the one of this type; an AssertionError otherwise, as in TensorFlow."""
        if value != self.placeholder_value(None):
            raise AssertionError(f"Can not cast {value!r} to type {self!r}")
        return value
