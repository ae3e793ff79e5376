"""Functions of `tf.compat.v1` that are one op each, with the op's inputs and attributes as arguments: `tf.compat.v1.fftnd`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reflow.api.export import export_function
from reflow.api.raw_ops import function_of


def _op_function(op: str, *names: str) -> Callable[..., Any]:
    """The function of an op, whose arguments may be given by position."""
    raw = function_of(op)

    def function(*args: Any, **kwargs: Any) -> Any:
        return raw(**raw.__signature__.bind(*args, **kwargs).arguments)

    function.__signature__ = raw.__signature__  # type: ignore[attr-defined]
    arguments = ", ".join(raw.__signature__.parameters)
    return export_function(function, *(f"compat.v1.{name}" for name in names), doc=f"The op {op}, called with {arguments}.")


conv = _op_function("Conv", "conv")
fftnd = _op_function("FFTND", "fftnd")
ifftnd = _op_function("IFFTND", "ifftnd")
rfftnd = _op_function("RFFTND", "rfftnd")
irfftnd = _op_function("IRFFTND", "irfftnd")
conv3d_backprop_filter = _op_function("Conv3DBackpropFilterV2", "nn.conv3d_backprop_filter", "nn.conv3d_backprop_filter_v2")
quantized_avg_pool = _op_function("QuantizedAvgPool", "nn.quantized_avg_pool")
quantized_conv2d = _op_function("QuantizedConv2D", "nn.quantized_conv2d")
quantized_max_pool = _op_function("QuantizedMaxPool", "nn.quantized_max_pool")
stateless_multinomial = _op_function("StatelessMultinomial", "random.stateless_multinomial")
