"""`Reflow>Attention`: scaled dot-product attention as one op, so that a GPU can run it as one kernel.

    softmax(query @ key^T * scale, masked) @ value

Arrays are [batch, length, heads, size], as in Keras. The products are rounded to the inputs' dtype, and the softmax is
computed in at least float32: the same steps in the same order as in Keras' TensorFlow backend, so a model gives the
same numbers with and without this op. On a GPU, `xp.fused_attention` replaces them with cuDNN's kernel if it supports
the shapes: the scores, the largest tensors of a Transformer, are then never written to memory.
"""

from __future__ import annotations

import numpy as np

from reflow.ops.registry import own_op
from reflow.ops.xp.dtype_facts import is_narrow

F32, I32 = np.dtype(np.float32), np.dtype(np.int32)


def _shape(f):
    query, value = f.shapes[0], f.shapes[2]
    return [None if query is None or value is None else (*query[:-1], value[-1])]


def _allowed(xp, query, key, mask, causal):
    """Which keys each query may see, as booleans that broadcast to [batch, heads, queries, keys]; None: all."""
    seen = mask[0] if mask else None
    if causal:
        rows = xp.expand_dims(xp.iota(int(query.shape[1]), I32), 1)
        columns = xp.expand_dims(xp.iota(int(key.shape[1]), I32), 0)
        below = xp.greater_equal(rows, columns)
        seen = below if seen is None else xp.logical_and(seen, below)
    return seen


def _probabilities(xp, query, key, mask, scale, causal):
    """The softmax in its wide dtype."""
    scores = xp.einsum("btnh,bsnh->bnts", query, key)
    dtype = query.dtype if isinstance(query.dtype, np.dtype) else query.dtype.np_dtype
    scores = xp.cast(scores, F32 if is_narrow(dtype) else dtype)
    scores = xp.multiply(scores, xp.const(scale, scores))
    seen = _allowed(xp, query, key, mask, causal)
    if seen is not None:
        lowest = xp.const(np.finfo(F32 if is_narrow(dtype) else dtype).min * 0.7, scores)
        scores = xp.select(seen, scores, lowest)
    powers = xp.exp(xp.subtract(scores, xp.max(scores, (3,), True)))
    return xp.divide(powers, xp.sum(powers, (3,), True))


def _attention_grad(xp, attrs, inputs, outputs, cts, wanted):
    query, key, value, *mask = inputs
    (g,) = cts
    scale, causal = attrs["scale"], attrs["causal"]
    fused = xp.fused_attention_grads(query, key, value, mask, scale, causal, g)
    if fused is not None:
        return (*fused, *[None] * len(mask))
    wide = _probabilities(xp, query, key, mask, scale, causal)
    narrow = xp.cast(wide, query.dtype)
    towards = xp.cast(xp.einsum("btnh,bsnh->bnts", g, value), wide.dtype)
    inner = xp.sum(xp.multiply(towards, wide), (3,), True)
    scores = xp.multiply(xp.multiply(wide, xp.subtract(towards, inner)), xp.const(scale, wide))
    scores = xp.cast(scores, query.dtype)
    return (
        xp.einsum("bnts,bsnh->btnh", scores, key),
        xp.einsum("bnts,btnh->bsnh", scores, query),
        xp.einsum("bnts,btnh->bsnh", narrow, g),
        *[None] * len(mask),
    )


@own_op(
    "Attention", inputs="query key value *mask", outputs="output", attrs=("scale", "causal"), shape=_shape,
    grad=_attention_grad, needs=("query", "key", "value", "mask"), nondiff=("mask",), heavy=True,
)
def attention(xp, query, key, value, mask, scale, causal):
    fused = xp.fused_attention(query, key, value, mask, scale, causal)
    if fused is not None:
        return fused
    probabilities = xp.cast(_probabilities(xp, query, key, mask, scale, causal), value.dtype)
    return xp.einsum("bnts,bsnh->btnh", probabilities, value)
