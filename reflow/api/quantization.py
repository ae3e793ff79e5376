"""`tf.quantization`: fake quantization, for training with the rounding that an integer model will have."""

from __future__ import annotations

import collections

from reflow.api.call import call
from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.errors import InvalidArgumentError
from reflow.ops.convert import convert_to_tensor

FakeQuantWithMinMaxVarsGradient = collections.namedtuple(
    "FakeQuantWithMinMaxVarsGradient", ["backprops_wrt_input", "backprop_wrt_min", "backprop_wrt_max"]
)


def _call(op_name, tensors, attrs, num_bits, narrow_range, name):
    if not 2 <= num_bits <= 16:
        raise InvalidArgumentError(None, None, "num_bits must be between 2 and 16, inclusive")
    attrs = {**attrs, "num_bits": num_bits, "narrow_range": bool(narrow_range)}
    return call(op_name, [convert_to_tensor(t, dtypes.float32) for t in tensors], attrs, name)


@export("quantization.fake_quant_with_min_max_args")
def fake_quant_with_min_max_args(inputs, min=-6, max=6, num_bits=8, narrow_range=False, name=None):
    """Values rounded to one of 2**num_bits steps between two numbers.

    >>> tf.quantization.fake_quant_with_min_max_args([0.4, 9.0], 0, 3, num_bits=2).numpy().tolist()
    [0.0, 3.0]
    """
    if not min < max:
        raise InvalidArgumentError(None, None, f"min has to be smaller than max, was: {min:g} >= {max:g}")
    return _call(
        "FakeQuantWithMinMaxArgs", (inputs,), {"min": float(min), "max": float(max)}, num_bits, narrow_range, name
    )


@export("quantization.fake_quant_with_min_max_vars")
def fake_quant_with_min_max_vars(inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """The same with a range that is trained: `min` and `max` are scalars and get gradients.

    >>> tf.quantization.fake_quant_with_min_max_vars([0.1, 0.9], 0.0, 3.0, num_bits=2).numpy().tolist()
    [0.0, 1.0]
    """
    return _call("FakeQuantWithMinMaxVars", (inputs, min, max), {}, num_bits, narrow_range, name)


@export("quantization.fake_quant_with_min_max_vars_per_channel")
def fake_quant_with_min_max_vars_per_channel(inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """The same with a range for each channel, the last axis.

    >>> x, low, high = [[9.0, 9.0]], [0.0, 0.0], [1.0, 2.0]
    >>> tf.quantization.fake_quant_with_min_max_vars_per_channel(x, low, high).numpy().tolist()
    [[1.0, 2.0]]
    """
    return _call("FakeQuantWithMinMaxVarsPerChannel", (inputs, min, max), {}, num_bits, narrow_range, name)


@export("quantization.fake_quant_with_min_max_vars_gradient")
def fake_quant_with_min_max_vars_gradient(gradients, inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """Cotangents of the inputs, of `min` and of `max`.

    >>> back = tf.quantization.fake_quant_with_min_max_vars_gradient([1.0, 1.0], [0.5, 9.0], 0.0, 6.0)
    >>> [g.numpy().tolist() for g in back]
    [[1.0, 0.0], 0.0, 1.0]
    """
    tensors = (gradients, inputs, min, max)
    return FakeQuantWithMinMaxVarsGradient(*_call("FakeQuantWithMinMaxVarsGradient", tensors, {}, num_bits, narrow_range, name))
