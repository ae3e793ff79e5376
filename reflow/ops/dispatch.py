"""Dispatch: the single path of every op, which is then run now or added to a graph.

`dispatch(op, inputs, attrs)` takes a record, a flat sequence of tensors and the attributes, and returns a tensor or a
list of tensors. It passes them to the thread's *target*: the backend in eager code (`core/backend.py`), otherwise the
graph under construction.

The *fast path* of eager code is here too. While `state.direct` is set, nothing observes ops: no graph is built, no tape
records, and ops run on host arrays. `dispatch_one` and `dispatch_two` then call the kernel of an elementwise op
directly (0.9 µs for `tanh` of 10x10, of which NumPy takes 0.4; going through the backend takes 0.5 µs more). If the
kernel fails, the backend finds TensorFlow's message. Functions that compute without a kernel (`x[1:3]`, a sum of
everything) use `host_array`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reflow.core.context import entered_again, state
from reflow.core.tensor import EagerTensor
from reflow.core.types import Attrs
from reflow.ops import registry

if TYPE_CHECKING:
    from reflow.ops.record import Op

ndarray = np.ndarray
_NONE: dict = {}
_REFUSED = (ValueError, TypeError, IndexError, MemoryError)


def dispatch(op: Op, inputs: Sequence[Any], attrs: Attrs) -> Any:
    """Run `op` on tensors, or add it to the graph under construction."""
    return (state.target or state.settle()).execute(op, inputs, attrs)


def run(name: str, /, *inputs: Any, **attrs: Any) -> Any:
    """`dispatch` by op name: for gradients written as ops, and functions composed of several ops."""
    return dispatch(registry.get(name), inputs, attrs)


def dispatch_one(op: Op, x: Any) -> Any:
    """`dispatch` of an op with one input and no attributes."""
    direct, kernel = state.direct, op.fast
    if direct is not None and kernel is not None and type(x) is EagerTensor:
        value, allowed = x._value, op.fast_dtypes
        if type(value) is ndarray and (allowed is None or x._dtype.enum in allowed):
            try:
                return EagerTensor(direct(kernel, value))
            except RuntimeError as error:
                entered_again(error)
            except _REFUSED:
                pass
    return dispatch(op, (x,), _NONE)


def dispatch_two(op: Op, x: EagerTensor, y: EagerTensor) -> Any:
    """`dispatch` of an op with two inputs, both of them eager tensors, and no attributes."""
    direct, kernel = state.direct, op.fast
    if direct is not None and kernel is not None:
        a, b = x._value, y._value
        dtype, allowed = x._dtype, op.fast_dtypes
        if (
            type(a) is ndarray
            and type(b) is ndarray
            and dtype is y._dtype
            and (allowed is None or dtype.enum in allowed)
        ):
            try:
                return EagerTensor(direct(kernel, a, b))
            except RuntimeError as error:
                entered_again(error)
            except _REFUSED:
                pass
    return dispatch(op, (x, y), _NONE)


def host_array(x: Any) -> np.ndarray | None:
    """The array of an eager tensor, if nothing records what is computed from it; do not write to it.

    None for a quantized tensor, because its array does not show that it is quantized.
    """
    if state.direct is None or type(x) is not EagerTensor:
        return None
    value = x._value
    return value if type(value) is ndarray and x._dtype.kind != "q" else None
