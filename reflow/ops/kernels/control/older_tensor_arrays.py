"""`TensorArray` ops of graphs before version 26: handles are strings, at first references to them, and creating an
array returns no flow.
"""

from __future__ import annotations

import numpy as np

from reflow.ops import shape_rules as rules
from reflow.ops.kernels.control import tensor_arrays as arrays
from reflow.ops.registry import NO_GRADIENT, also_called, op


def _whole(handle) -> np.ndarray:
    return np.arange(len(handle.items), dtype=np.int32)


for _suffix in ("", "V2"):
    for _name, _record in (
        ("Close", arrays.tensor_array_close), ("Size", arrays.tensor_array_size), ("Write", arrays.tensor_array_write),
        ("Read", arrays.tensor_array_read), ("Gather", arrays.tensor_array_gather),
        ("Scatter", arrays.tensor_array_scatter), ("Concat", arrays.tensor_array_concat),
        ("Split", arrays.tensor_array_split),
    ):
        also_called(
            f"TensorArray{_name}{_suffix}", _record, grad=NO_GRADIENT, grad_tensors=None, writes=(), effect=True
        )

    @op(f"TensorArray{_suffix}", shape=lambda f: [(2,)], host=True, effect=True, grad=NO_GRADIENT)
    def tensor_array(xp, size, **attrs):
        return arrays.tensor_array.kernel(xp, size, **attrs)[0]

    @op(f"TensorArrayGrad{_suffix}", shape=lambda f: [(2,)], host=True, effect=True, grad=NO_GRADIENT)
    def tensor_array_grad(_, handle, flow_in, source):
        return handle.gradient(source)


@op("TensorArrayPack", shape=rules.unknown, host=True, effect=True, grad=NO_GRADIENT)
def tensor_array_pack(xp, handle, flow_in, dtype, element_shape=None):
    """All elements, stacked."""
    return arrays.tensor_array_gather.kernel(xp, handle, _whole(handle), flow_in, dtype, element_shape)


@op("TensorArrayUnpack", shape=rules.scalar, host=True, effect=True, grad=NO_GRADIENT)
def tensor_array_unpack(xp, handle, value, flow_in):
    """The rows of a tensor as elements."""
    return arrays.tensor_array_scatter.kernel(xp, handle, np.arange(len(value), dtype=np.int32), value, flow_in)
