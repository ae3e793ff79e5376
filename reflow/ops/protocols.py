"""Types for the parts of an op's record: kernels, gradients, checks (`record.py` documents their meaning)."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any, Protocol, TypeAlias

from reflow.core.tensor import Tensor
from reflow.core.types import Array, Attrs

#: the array namespace `xp`: one of the modules `ops/xp/host`, `ops/xp/xla` and `ops/xp/tensor`, which have the same
#: functions
Xp: TypeAlias = ModuleType
#: the gradient of some scalar with respect to a tensor: a tensor, `IndexedSlices`, or None if unconnected
Cotangent: TypeAlias = Any
Cotangents: TypeAlias = Sequence[Cotangent]
#: an op's inputs or outputs, and for each input whether its cotangent is wanted
Tensors: TypeAlias = Sequence[Tensor]
Wanted: TypeAlias = Sequence[bool]


class Kernel(Protocol):
    """Computes an op's outputs: one value, or a tuple if the OpDef has several outputs or a list of them."""

    def __call__(self, xp: Xp, /, *inputs: Array, **attrs: Any) -> Any: ...


class Gradient(Protocol):
    """Computes the cotangents of an op's inputs with `xp`; what it returns is read only where `wanted`."""

    def __call__(
        self, xp: Xp, attrs: Attrs, inputs: Sequence[Array], outputs: Sequence[Array], cotangents: Cotangents,
        wanted: Sequence[bool], /,
    ) -> Cotangents: ...


class TensorGradient(Protocol):
    """A gradient on tensors, by dispatch: for control flow, calls, variables and `IndexedSlices`."""

    def __call__(
        self, attrs: Attrs, inputs: Tensors, outputs: Tensors, cotangents: Cotangents, wanted: Wanted, /
    ) -> Cotangents: ...


class Check(Protocol):
    """Checks an op's inputs for values that TensorFlow rejects and XLA accepts: pairs of a condition and a message."""

    def __call__(self, xp: Xp, attrs: Attrs, /, *inputs: Array) -> Sequence[tuple[Any, Any]]: ...


class Differentiable(Protocol):
    """The interface of the reverse pass: an `Op`, or the record of a whole call on a tape."""

    name: str
    stateful: bool
    differentiable: bool

    @property
    def nondiff_indices(self) -> frozenset[int]:
        """Positions of the inputs that have no gradient."""

    @property
    def grad_tensors(self) -> TensorGradient | None:
        """Its gradient on tensors."""


#: what a tape records, and what a graph node is: the op, its inputs, its outputs, its attributes
Record: TypeAlias = tuple[Any, Sequence[Tensor], Sequence[Tensor], Attrs]
