"""Helpers for the modules of `xp.tensor`: operands as tensors, and what is statically known about a tensor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reflow.core import dtypes
from reflow.core.tensor import EagerTensor, Tensor
from reflow.core.types import Array, Static
from reflow.ops.convert import from_array
from reflow.ops.dispatch import run
from reflow.ops.registry import REGISTRY
from reflow.ops.shape_facts import known

INT32 = np.dtype(np.int32)


# --- static knowledge
# ---------------------------------------------------------------------------------------------------


def dims_of(x: Array) -> Array:
    """The static shape of a tensor: a tuple of ints and Nones, or None."""
    return x.shape._dims


def static_value(x: Array) -> Array:
    """The value of a small integer operand as an int or nested tuples, if it is completely known; else None."""
    if isinstance(x, (int, tuple)) or x is None:
        return x
    if isinstance(x, Tensor):
        if not isinstance(x, EagerTensor):
            return x._static if x._static is not None and known(x._static) else None
        x = x._host()
    return _tuples(x.tolist())


def _tuples(x: Array) -> Array:
    return tuple(map(_tuples, x)) if isinstance(x, list) else x


def static_operands(op: Static, inputs: Sequence[Array]) -> Array:
    """A forward op's inputs in the form that its gradient expects.

    Static operands are host arrays where they are known.
    """
    inputs = list(inputs)
    for i, arg in enumerate(op.definition.inputs):
        if arg.name not in op.static:
            continue
        # After an argument that is a list of tensors, positions are counted from the end.
        place = i if not any(a.is_list for a in op.definition.inputs[:i]) else i - len(op.definition.inputs)
        x = inputs[place]
        if isinstance(x, EagerTensor):
            inputs[place] = x._host()
        elif isinstance(x, Tensor):
            value = constant_value(x)
            inputs[place] = x if value is None else value
    return inputs


def constant_value(x: Array) -> Array:
    """The value of a symbolic tensor as an array, if it is known."""
    if x.op.record is REGISTRY["Const"]:
        return x.op.attrs["value"]
    if x._static is not None and known(x._static):
        return np.array(x._static, x._dtype.np_dtype)
    return None


def operand(x: Array, dtype: Static = INT32) -> Array:
    """An axis, shape or other small integer operand (ints, tuple, array or tensor) as a tensor."""
    if isinstance(x, Tensor):
        return x
    return from_array(x if isinstance(x, np.ndarray) else np.array(x, dtype))


def shape_tensor(x: Array, out_type: Static = dtypes.int32) -> Array:
    """The shape of x: a constant if it is known."""
    dims = dims_of(x)
    if dims is not None and None not in dims:
        return from_array(np.array(dims, out_type.np_dtype))
    return run("Shape", x, out_type=out_type)


def rank_tensor(x: Array) -> Array:
    dims = dims_of(x)
    return run("Rank", x) if dims is None else operand(len(dims))


def tail_shape(x: Array, start: int) -> Array:
    """The shape of x from axis `start` on, as a tuple of ints or a tensor."""
    dims = dims_of(x)
    if dims is not None and None not in dims[start:]:
        return dims[start:]
    return run("StridedSlice", shape_tensor(x), operand([start]), operand([0]), operand([1]), end_mask=1)


def concat_shapes(*parts: Array) -> Array:
    """Shapes given as tuples or tensors, one after the other, as a tuple or a tensor."""
    if all(isinstance(p, tuple) for p in parts):
        return sum_tuples(parts)
    return run("ConcatV2", *[operand(p) for p in parts], operand(0), N=len(parts))


def sum_tuples(parts: Sequence[Array]) -> Array:
    out: tuple = ()
    for p in parts:
        out += tuple(p)
    return out


def as_dtype(dtype: Static) -> dtypes.DType:
    """A DType or np.dtype as DType."""
    return dtype if isinstance(dtype, dtypes.DType) else dtypes.FROM_NUMPY[np.dtype(dtype)]


def cast(x: Array, dtype: Static) -> Array:
    dtype = as_dtype(dtype)
    return x if x._dtype is dtype else run("Cast", x, DstT=dtype)
