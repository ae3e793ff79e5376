"""Kernels that fuse several ops, where the device has them.

These are cuDNN's attention and, on the CPU (`native.py`), a step of Adam, and the gradient of a ReLU after that of a
convolution or a pooling.

Each function returns the result, or None if the caller must compute it in steps: on other devices, and for dtypes and
shapes that the kernel does not support.
"""

from __future__ import annotations

import jax

from reflow.core.context import state
from reflow.core.types import Array, Static
from reflow.ops.xp.dtype_facts import is_narrow
from reflow.ops.xp.names import FUSED
from reflow.ops.xp.xla import native

__all__ = FUSED

LARGEST_HEAD = 128  # limit of cuDNN's training kernels


def _attend(query: Array, key: Array, value: Array, mask: Array, scale: Static, causal: bool) -> Array:
    seen = mask[0] if mask else None
    return jax.nn.dot_product_attention(
        query, key, value, mask=seen, scale=scale, is_causal=causal, implementation="cudnn"
    )


def _takes(query: Array, key: Array, value: Array, mask: Array) -> bool:
    """Whether cuDNN has a kernel: 16-bit floats, heads of a size that fits its tiles, a mask with all axes."""
    narrow = state.accelerated and all(x.dtype.itemsize == 2 and is_narrow(x.dtype) for x in (query, key, value))
    sizes = query.shape[-1] == value.shape[-1] <= LARGEST_HEAD and query.shape[-1] % 8 == 0
    return narrow and sizes and query.shape[2] % key.shape[2] == 0 and (not mask or mask[0].ndim == 4)


def fused_attention(query: Array, key: Array, value: Array, mask: Array, scale: Static, causal: bool) -> Array:
    if not _takes(query, key, value, mask):
        return None
    try:
        return _attend(query, key, value, mask, scale, causal)
    except (RuntimeError, ValueError, NotImplementedError):  # an old cuDNN, or a GPU without the kernel
        return None


def fused_attention_grads(
    query: Array, key: Array, value: Array, mask: Array, scale: Static, causal: bool, g: Array
) -> Array:
    if not _takes(query, key, value, mask):
        return None
    try:
        _, pull = jax.vjp(lambda q, k, v: _attend(q, k, v, mask, scale, causal), query, key, value)
    except (RuntimeError, ValueError, NotImplementedError):
        return None
    return pull(g)


fused_relu_grad = native.relu_grad
fused_adam = native.adam
