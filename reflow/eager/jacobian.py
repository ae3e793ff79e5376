"""Jacobians: one reverse pass per element of the target, stacked."""

from __future__ import annotations

import numpy as np

from reflow.core import dtypes
from reflow.ops import convert, registry
from reflow.ops.door import dispatch
from reflow.ops.reverse import dense


def _call(name, inputs, **attrs):
    return dispatch(registry.get(name), inputs, attrs)


def _vector(values):
    return convert.constant(np.asarray(values, np.int32))


def _shape(tensor):
    return _call("Shape", (tensor,), out_type=dtypes.int32)


def _join(*shapes):
    return _call("ConcatV2", [*shapes, convert.constant(0)], N=len(shapes))


def jacobian(gradient, target, sources):
    """d target / d source for each source, of shape target.shape + source.shape; `gradient(seed)` is one reverse pass."""
    size = target.shape.num_elements()
    if size is None:
        raise ValueError(
            "The Jacobian of a target whose shape is not fully known at trace time is not supported: give it a static shape "
            "with tf.ensure_shape."
        )
    rows: list = [[] for _ in sources]
    eye = np.eye(size, dtype=target._dtype.np_dtype)
    for i in range(size):
        seed = _call("Reshape", (convert.from_array(eye[i].copy(), target._dtype), _shape(target)))
        for row, grad in zip(rows, gradient(seed), strict=True):
            row.append(None if grad is None else dense(grad))
    return [_stacked(row, target, source) for row, source in zip(rows, sources, strict=True)]


def _stacked(row, target, source):
    if all(g is None for g in row):
        return None
    like = next(g for g in row if g is not None)
    row = [_call("ZerosLike", (like,)) if g is None else g for g in row]
    stacked = _call("Pack", row, N=len(row), axis=0)
    return _call("Reshape", (stacked, _join(_shape(target), _shape(like))))


def batch_jacobian(gradient, target, source):
    """Row-wise Jacobians, of shape [batch, target..., source...]: row b of the target depends on row b of the source
    only."""
    inner = target.shape[1:].num_elements()
    if inner is None:
        raise ValueError("target.shape[1:] must be fully known for batch_jacobian.")
    flat_shape = _vector([-1, inner])
    columns = []
    for i in range(inner):
        one = np.zeros((1, inner), target._dtype.np_dtype)
        one[0, i] = 1
        seed = _call(
            "Mul",
            (_call("OnesLike", (_call("Reshape", (target, flat_shape)),)), convert.from_array(one, target._dtype)),
        )
        grad = gradient(_call("Reshape", (seed, _shape(target))))[0]
        if grad is None:
            return None
        columns.append(dense(grad))
    stacked = _call("Pack", columns, N=len(columns), axis=1)
    rest = _call("StridedSlice", (_shape(source), _vector([1]), _vector([0]), _vector([1])), end_mask=1)
    return _call("Reshape", (stacked, _join(_shape(target), rest)))


def zeros(target, source):
    """The Jacobian of a target that does not depend on the source."""
    shape = _join(_shape(target), _shape(convert.convert_to_tensor(source)))
    return _call("Fill", (shape, convert.constant(0, target._dtype)))


def batch_zeros(target, source):
    rest = _call("StridedSlice", (_shape(source), _vector([1]), _vector([0]), _vector([1])), end_mask=1)
    return _call("Fill", (_join(_shape(target), rest), convert.constant(0, target._dtype)))
