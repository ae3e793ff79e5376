"""Fused kernels where there are none, on the host and on tensors: the caller computes the result in steps.

`reflow/ops/xp/xla/fused.py` has the real ones.
"""


def fused_attention(query, key, value, mask, scale, causal):
    """Scaled dot-product attention by one kernel of the device, or None."""
    return None


def fused_attention_grads(query, key, value, mask, scale, causal, g):
    """The gradients of `fused_attention` for query, key and value, or None."""
    return None
