"""Placeholders for fused kernels, on the host and on tensors: they return None, and the caller computes the result in
steps.

`reflow/ops/xp/xla/fused.py` has the real ones.
"""

from __future__ import annotations

from reflow.core.types import Array, Static
from reflow.ops.xp.names import FUSED

__all__ = FUSED


def fused_attention(query: Array, key: Array, value: Array, mask: Array, scale: Static, causal: bool) -> Array:
    """Scaled dot-product attention as one kernel of the device, or None."""
    return None


def fused_attention_grads(
    query: Array, key: Array, value: Array, mask: Array, scale: Static, causal: bool, g: Array
) -> Array:
    """The gradients of `fused_attention` for query, key and value, or None."""
    return None


def fused_adam(
    var: Array, m: Array, v: Array, grad: Array, rate: Array, mean: Array, square: Array, epsilon: Array
) -> Array:
    """The new values of a variable and its slots after a step of Adam in one pass, or None.

    `mean` and `square` say how far the running means of the gradient and of its square move.
    """
    return None


def fused_relu_grad(g: Array, y: Array) -> Array:
    """g where y > 0, else 0, fused into the kernel that computes g, or None."""
    return None
