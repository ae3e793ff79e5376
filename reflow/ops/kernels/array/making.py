"""Ops that create arrays of a size, of a range, or from the bits of others."""

from __future__ import annotations

import numpy as np

from reflow.core.tensor import HostObject
from reflow.ops import require
from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.naming import Naming
from reflow.ops.registry import NO_GRADIENT, op


def sizes(shape) -> tuple:
    """A static shape operand as ints; one number is a shape of one dimension."""
    if shape.ndim > 1:
        raise ValueError(f"sizes input must be 1-D, not {list(shape.shape)}")
    return tuple(shape.reshape(-1).tolist())


def _fill_grad(xp, attrs, inputs, outputs, cts, wanted):
    return None, xp.sum(cts[0], None)


@op(
    "Fill", shape=rules.fill, value=rules.value_fill, grad=_fill_grad, static=("dims",), needs=(),
    trace_check=traced.fill, moves=True, made_on_host=True, lenient=True,
)
def fill(xp, dims, value):
    wanted = sizes(dims)
    if wanted and min(wanted) < 0:
        raise ValueError(f"Dimension {min(wanted)} must be >= 0")
    if value.ndim:
        if value.shape != (1,):
            raise ValueError(f"value must represent a scalar, got shape {rules.text(value.shape)}")
        value = xp.reshape(value, ())
    return xp.full(wanted, value, value.dtype)


@op("Empty", fits="1", shape=rules.fill, grad=NO_GRADIENT, static=("shape",), pure=True)
def empty(xp, shape, dtype, init=False):
    require.vector("shape", shape)
    if dtype.name == "string":
        return np.full(tuple(shape.tolist()), b"", object)
    return xp.zeros(tuple(shape.tolist()), dtype.np_dtype)


def _end(name, x):
    """One of the numbers that describe a range: a scalar, or a vector with one element."""
    if x.shape not in ((), (1,)):
        raise ValueError(f"{name} must be a scalar, not shape {rules.text(x.shape)}")
    return x.reshape(()).item()


@op(
    "Range", shape=rules.range_, value=rules.value_range, grad=NO_GRADIENT, static=("start", "limit", "delta"),
    trace_words=traced.range_steps, trace_check=traced.range_, naming=Naming("range"), lenient=True,
)
def range_(xp, start, limit, delta):
    dtype = start.dtype
    ends = [_end(name, a) for name, a in (("start", start), ("limit", limit), ("delta", delta))]
    start, limit, delta = ends if dtype.kind in "iuf" else map(float, ends)
    if delta == 0:
        raise ValueError("Requires delta != 0: 0")
    if (limit - start) * delta < 0:
        raise ValueError(
            f"Requires start {'<=' if delta > 0 else '>='} limit when delta {'>' if delta > 0 else '<'} 0: "
            f"{start}/{limit}"
        )
    return xp.arange(start, limit, delta, dtype)


@op(
    "ZerosLike", shape=rules.same, elementwise=True, value=rules.value_like(0), grad=NO_GRADIENT, moves=True,
    variants=True,
)
def zeros_like(xp, x):
    if hasattr(x, "zeros_like"):
        return x.zeros_like()
    if x.dtype == object and x.size and isinstance(x.flat[0], HostObject):
        if x.ndim:
            raise ValueError("ZerosLike non-scalar Tensor with dtype=DT_VARIANT is not supported.")
        return np.array(x[()].zeros_like(), object)
    return xp.zeros_like_any(x)


@op("OnesLike", shape=rules.same, elementwise=True, value=rules.value_like(1), grad=NO_GRADIENT, moves=True)
def ones_like(xp, x):
    return xp.ones_like(x)


def _lin_space_shape(f):
    num = f.values[2]
    return [(num if isinstance(num, int) else None,)]


@op("LinSpace", shape=_lin_space_shape, grad=NO_GRADIENT, static=("num",), trace_check=traced.range_)
def lin_space(xp, start, stop, num):
    require.scalars(start=start, stop=stop, num=num)
    count = int(num)
    if count <= 0:
        raise ValueError(f"Requires num > 0: {count}")
    if count == 1:
        return xp.reshape(start, (1,))
    step = xp.divide(xp.subtract(stop, start), xp.const(count - 1, start))
    places = xp.iota(count - 2, start.dtype)
    inner = xp.add(start, xp.multiply(step, xp.add(places, xp.const(1, places))))
    return xp.concat([xp.reshape(start, (1,)), inner, xp.reshape(stop, (1,))], 0)


def _bitcast_shape(f):
    dims, target = f.shapes[0], f.attrs["type"]
    if dims is None or f.dtypes[0].size == target.size:
        return [dims]
    if f.dtypes[0].size > target.size:
        return [(*dims, f.dtypes[0].size // target.size)]
    times = target.size // f.dtypes[0].size
    if not dims or dims[-1] not in (None, times):
        raise ValueError(
            f"Cannot bitcast from {f.dtypes[0].enum} to {target.enum}"
            if dims
            else f"Cannot bitcast a scalar to {target.name}, which is larger"
        )
    return [dims[:-1]]


@op("Bitcast", shape=_bitcast_shape, grad=NO_GRADIENT, trace_words=traced.bitcast, moves=True)
def bitcast(xp, input, type):
    return xp.bitcast(input, type.np_dtype)
