"""Ops that TensorFlow has only in its XLA bridge."""

from __future__ import annotations

from reflow.ops import shape_rules as rules
from reflow.ops.registry import own_op


@own_op("DynamicUpdateSlice", inputs="input update indices", outputs="output", shape=rules.same)
def dynamic_update_slice(xp, input, update, indices, T_output=None):  # the output's dtype, for graphs
    """`input` with `update` written at `indices`, which are moved so that it fits."""
    return xp.dynamic_update_slice(input, update, [indices[i] for i in range(len(input.shape))])
