"""`tensorflow.python.ops.linalg.linear_operator_circulant`: kernels of smoothing convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reflow.api.array import arrange, creation
from reflow.api.linalg.operators.batch import to_complex as _to_complex  # noqa: F401 - its name here
from reflow.api.linalg.operators.circulant import _BACKWARD as _IFFT_OP  # noqa: F401 - its name here
from reflow.api.linalg.operators.circulant import _FORWARD as _FFT_OP  # noqa: F401 - its name here
from reflow.api.math import unary
from reflow.api.signal.frames import ifftshift
from reflow.ops.convert import convert_to_tensor


def exponential_power_convolution_kernel(
    grid_shape: Sequence[int], length_scale: Any, power: Any = None, divisor: Any = None, zero_inflation: Any = None
) -> Any:
    """exp(-Σ |x / length_scale|**power / divisor) on a grid over the unit cube, with x = 0 at the first place.

    Args:
        grid_shape: how many places each axis has.
        power: 2 if it is not given, a Gaussian bell.
        divisor: `power` if it is not given.
        zero_inflation: how much of the kernel is that of the identity instead.
    """
    scale = convert_to_tensor(length_scale)
    power = convert_to_tensor(2.0 if power is None else power, scale.dtype)
    divisor = power if divisor is None else convert_to_tensor(divisor, scale.dtype)
    zero, one = (convert_to_tensor(number, scale.dtype) for number in (0.0, 1.0))
    axes = [creation.linspace(zero, one, size) for size in grid_shape]
    grid = creation.meshgrid(*axes, indexing="ij")
    terms = [
        -(unary.abs((x - axis[len(axis) // 2]) / scale[i]) ** power) / divisor
        for i, (x, axis) in enumerate(zip(grid, axes, strict=True))
    ]
    kernel = unary.exp(ifftshift(sum(terms[1:], terms[0]), axes=[-1 - i for i in range(len(terms))]))
    if not zero_inflation:
        return kernel
    share = convert_to_tensor(zero_inflation, scale.dtype)
    first = arrange.pad(arrange.reshape(one, [1] * len(terms)), [[0, size - 1] for size in grid_shape])
    return (1.0 - share) * kernel + share * first
