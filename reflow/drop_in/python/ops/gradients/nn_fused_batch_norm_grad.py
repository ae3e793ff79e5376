"""`tensorflow.python.ops.nn_fused_batch_norm_grad`: the gradient of a batch normalization as ordinary ops."""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange
from reflow.api.math import arithmetic, reduce, unary
from reflow.core import dtypes


def _BatchNormGrad(
    grad_y: Any, x: Any, scale: Any, pop_mean: Any, pop_var: Any, epsilon: float, data_format: Any,
    is_training: bool = True,
) -> tuple[Any, Any, Any]:
    """The gradients for `x`, `scale` and `offset`, in float32 or wider; that for `x` has its dtype.

    In training the mean and the variance are those of `x`, and their gradients are in that for `x`.
    """
    dtype = x.dtype
    if dtype in (dtypes.float16, dtypes.bfloat16):
        x, grad_y = arithmetic.cast(x, dtypes.float32), arithmetic.cast(grad_y, dtypes.float32)
    rank = len(data_format)
    layout = data_format.decode() if isinstance(data_format, bytes) else data_format
    channels = layout.index("C")
    axes = [axis for axis in range(rank) if axis != channels]

    def wide(vector: Any) -> Any:
        """A number for each channel, so that it broadcasts against `x`."""
        return arrange.reshape(vector, [-1 if axis == channels else 1 for axis in range(rank)])

    def mean(values: Any) -> Any:
        return reduce.reduce_mean(values, axes, keepdims=True)

    if is_training:
        centre = mean(x)
        variance = mean(arithmetic.squared_difference(x, arrange.stop_gradient(centre)))
    else:
        centre, variance = wide(pop_mean), wide(pop_var)
    off, inverse = x - centre, unary.rsqrt(variance + epsilon)
    grad_x = grad_y
    if is_training:
        grad_x = grad_y - mean(grad_y) - mean(grad_y * off) * off / (variance + epsilon)
    grad_x = wide(scale) * inverse * grad_x
    grad_scale = reduce.reduce_sum(grad_y * off * inverse, axes)
    return arithmetic.cast(grad_x, dtype), grad_scale, reduce.reduce_sum(grad_y, axes)
