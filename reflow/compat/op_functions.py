"""Functions of `tf.compat.v1` that are one op each, of its inputs and attributes: `tf.compat.v1.fftnd`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reflow.api.export import export_function
from reflow.api.raw_ops import function_of


def _op_function(op: str, *names: str, example: str) -> Callable[..., Any]:
    """The function of an op, whose arguments may be given by position."""
    raw = function_of(op)

    def function(*args: Any, **kwargs: Any) -> Any:
        return raw(**raw.__signature__.bind(*args, **kwargs).arguments)

    function.__signature__ = raw.__signature__  # type: ignore[attr-defined]
    arguments = "\n".join(f"  {name}: {_described(op, name)}" for name in raw.__signature__.parameters)
    doc = (
        f"Runs the op {op}.\n\nArgs:\n{arguments}\n\nReturns:\n  What `tf.raw_ops.{op}` returns: a tensor, "
        "or a named tuple of them."
    )
    public = [f"compat.v1.{name}" for name in names]
    return export_function(function, *public, doc=doc, example=example)


def _described(op: str, name: str) -> str:
    return (
        "A name for the operation." if name == "name" else f"An input or attribute of the op, as in `tf.raw_ops.{op}`."
    )


conv = _op_function("Conv", "conv", example="""
    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.compat.v1.conv(image, tf.ones([2, 2, 1, 1]), [1, 1, 1, 1], "VALID")[0, :, :, 0].numpy().tolist()
    [[8.0, 12.0], [20.0, 24.0]]
""")
fftnd = _op_function("FFTND", "fftnd", example="""
    >>> tf.compat.v1.fftnd(tf.constant([1, 0, 0, 0], tf.complex64), [4], [0]).numpy().tolist()
    [(1+0j), (1+0j), (1+0j), (1+0j)]
""")
ifftnd = _op_function("IFFTND", "ifftnd", example="""
    >>> tf.compat.v1.ifftnd(tf.constant([4, 0, 0, 0], tf.complex64), [4], [0]).numpy().tolist()
    [(1+0j), (1+0j), (1+0j), (1+0j)]
""")
rfftnd = _op_function("RFFTND", "rfftnd", example="""
    >>> tf.compat.v1.rfftnd([1.0, 0.0, 0.0, 0.0], [4], [0]).numpy().tolist()
    [(1+0j), (1+0j), (1+0j)]
""")
irfftnd = _op_function("IRFFTND", "irfftnd", example="""
    >>> tf.compat.v1.irfftnd(tf.constant([4, 0, 0], tf.complex64), [4], [0]).numpy().tolist()
    [1.0, 1.0, 1.0, 1.0]
""")
conv3d_backprop_filter = _op_function(
    "Conv3DBackpropFilterV2", "nn.conv3d_backprop_filter", "nn.conv3d_backprop_filter_v2", example="""
    >>> volumes, cotangent = tf.ones([1, 2, 2, 2, 1]), tf.ones([1, 1, 1, 1, 1])
    >>> found = tf.compat.v1.nn.conv3d_backprop_filter(volumes, [2, 2, 2, 1, 1], cotangent, [1, 1, 1, 1, 1], "VALID")
    >>> found.numpy().sum().item()
    8.0
""")
quantized_avg_pool = _op_function("QuantizedAvgPool", "nn.quantized_avg_pool", example="""
    >>> image = tf.cast(tf.reshape([10, 20, 30, 40], [1, 2, 2, 1]), tf.quint8)
    >>> pooled, low, high = tf.compat.v1.nn.quantized_avg_pool(image, 0.0, 255.0, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    >>> tf.cast(pooled, tf.int32).numpy().ravel().tolist(), low.numpy().item(), high.numpy().item()
    ([25], 0.0, 255.0)
""")
quantized_conv2d = _op_function("QuantizedConv2D", "nn.quantized_conv2d", example="""
    >>> image = tf.cast(tf.reshape([10, 20, 30, 40], [1, 2, 2, 1]), tf.quint8)
    >>> weights = tf.cast(tf.ones([2, 2, 1, 1], tf.int32), tf.quint8)
    >>> strides = [1, 1, 1, 1]
    >>> sums, low, high = tf.compat.v1.nn.quantized_conv2d(image, weights, 0.0, 255.0, 0.0, 255.0, strides, "VALID")
    >>> tf.cast(sums, tf.int32).numpy().ravel().tolist()
    [100]
""")
quantized_max_pool = _op_function("QuantizedMaxPool", "nn.quantized_max_pool", example="""
    >>> image = tf.cast(tf.reshape([10, 20, 30, 40], [1, 2, 2, 1]), tf.quint8)
    >>> pooled, low, high = tf.compat.v1.nn.quantized_max_pool(image, 0.0, 255.0, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    >>> tf.cast(pooled, tf.int32).numpy().ravel().tolist()
    [40]
""")
stateless_multinomial = _op_function("StatelessMultinomial", "random.stateless_multinomial", example="""
    >>> tf.compat.v1.random.stateless_multinomial([[0.0, 100.0]], 3, seed=[1, 2]).numpy().tolist()
    [[1, 1, 1]]
""")
