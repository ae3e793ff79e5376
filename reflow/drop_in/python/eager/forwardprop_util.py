"""`tensorflow.python.eager.forwardprop_util`: the tangents of tensors, for functions that take them as arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from reflow.core.tensor import Tensor
from reflow.drop_in.python.eager.record import _listeners


class TangentInfo(NamedTuple):
    """Tangents, and for each accumulator pairs of places, a tensor's and its tangent's, among the tensors with the
    tangents behind them."""

    indices: Sequence[Any] = ()
    tangents: Sequence[Tensor] = ()


def pack_tangents(tensors: Sequence[Tensor]) -> TangentInfo:
    """The tangents that the forward accumulators know of these tensors, the innermost accumulator first."""
    indices: list[Any] = []
    tangents: list[Tensor] = []
    for accumulator in reversed(_listeners(forward=True)):
        pairs = []
        for place, tensor in enumerate(tensors):
            tangent = accumulator.jvp(tensor)
            if tangent is not None:
                pairs.append((place, len(tensors) + len(tangents)))
                tangents.append(tangent)
        indices.append(tuple(pairs))
    return TangentInfo(tuple(indices), tangents)
