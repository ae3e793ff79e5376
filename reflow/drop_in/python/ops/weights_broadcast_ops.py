"""`tensorflow.python.ops.weights_broadcast_ops`: whether weights fit values."""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange
from reflow.api.control.branches import cond
from reflow.api.control.printing import assert_, no_op
from reflow.api.framework.core_names import control_dependencies
from reflow.api.math import arithmetic, reduce
from reflow.compat.losses import broadcast_weights as broadcast
from reflow.compat.losses import check_broadcastable
from reflow.ops.convert import constant, convert_to_tensor


def assert_broadcastable(weights: Any, values: Any) -> Any:
    """An assertion that weights are a number, or have 1 or the size of the values in each place.

    Raises:
        ValueError: it is known already that they do not fit.
    """
    weights, values = convert_to_tensor(weights), convert_to_tensor(values)
    check_broadcastable(weights, values)
    known = weights.shape.is_fully_defined() and values.shape.is_fully_defined()
    if weights.shape.rank == 0 or known:
        return no_op()
    have, want = arrange.shape(weights), arrange.shape(values)

    def same_rank_fits():
        return cond(
            arithmetic.equal(arrange.size(have), arrange.size(want)),
            lambda: reduce.reduce_all(arithmetic.logical_or(arithmetic.equal(have, 1), arithmetic.equal(have, want))),
            lambda: constant(False),
        )

    fits = cond(arithmetic.equal(arrange.size(have), 0), lambda: constant(True), same_rank_fits)
    data = ["weights can not be broadcast to values.", "weights.shape=", have, "values.shape=", want]
    return assert_(fits, data)


def broadcast_weights(weights: Any, values: Any) -> Any:
    """Weights broadcast to the shape of the values, after `assert_broadcastable`."""
    values = convert_to_tensor(values)
    weights = convert_to_tensor(weights, values.dtype)
    guard = assert_broadcastable(weights, values)
    with control_dependencies([] if guard is None else [guard]):
        return broadcast(weights, values)
