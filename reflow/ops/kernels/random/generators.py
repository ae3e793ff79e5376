"""Random ops whose stream is in a variable, the state of a `tf.random.Generator`: a two-word counter and a key.

`tf.random.Generator` itself reads and advances the state with `RngReadAndSkip`; these ops do that and draw, in graphs
of TensorFlow 2.0 to 2.3.
"""

from __future__ import annotations

import math

import numpy as np

from reflow.core.tensor import HostObject
from reflow.ops import philox
from reflow.ops.kernels.random.sampling import F32, PHILOX, advance_state, check_algorithm, check_range, dims_of_operand
from reflow.ops.registry import NO_GRADIENT, op

_FACTS: dict = {"grad": NO_GRADIENT, "host": True, "writes": ("resource",), "jit": "between"}


def _shape(position: int):
    def rule(f):
        value = f.values[position]
        return [tuple(value) if isinstance(value, tuple) and None not in value else None]

    return rule


def _drawn(xp, distribution, resource, algorithm, shape, dtype, *bounds):
    check_algorithm(int(algorithm))
    dims = dims_of_operand(shape)
    words = advance_state(resource, math.prod(dims)).view(np.uint64)
    return distribution(xp, words[2:], words[:2], dims, dtype, *bounds)


def _stateful(name: str, distribution, default=F32) -> None:
    @op(name, shape=_shape(2), **_FACTS)
    def kernel(xp, resource: HostObject, algorithm, shape, dtype=None, shape_dtype=None):
        return _drawn(xp, distribution, resource, algorithm, shape, default if dtype is None else dtype.np_dtype)


_stateful("StatefulUniform", philox.uniform)
_stateful("StatefulStandardNormalV2", philox.normal)
_stateful("StatefulTruncatedNormal", philox.truncated_normal)
_stateful("StatefulUniformFullInt", philox.full_int, np.dtype(np.uint64))


@op("StatefulUniformInt", shape=_shape(2), checks=(check_range,), **_FACTS)
def stateful_uniform_int(xp, resource: HostObject, algorithm, shape, minval, maxval, dtype=None, shape_dtype=None):
    return _drawn(xp, philox.uniform_int, resource, algorithm, shape, minval.dtype, minval, maxval)


@op("StatefulStandardNormal", shape=_shape(1), **_FACTS)
def stateful_standard_normal(xp, resource: HostObject, shape, dtype=None, shape_dtype=None):
    """The first form of `StatefulStandardNormalV2`: always Philox."""
    return _drawn(xp, philox.normal, resource, PHILOX, shape, F32 if dtype is None else dtype.np_dtype)
