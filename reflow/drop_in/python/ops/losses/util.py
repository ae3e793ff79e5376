"""`tensorflow.python.ops.losses.util`: losses and their weights of one rank."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from reflow.api.array import arrange
from reflow.api.control.branches import cond
from reflow.api.debugging import asserts
from reflow.api.framework.core_names import control_dependencies
from reflow.api.math import arithmetic
from reflow.core import dtypes
from reflow.drop_in.python.ops.confusion_matrix import remove_squeezable_dimensions


def squeeze_or_expand_dimensions(y_pred: Any, y_true: Any = None, sample_weight: Any = None) -> tuple[Any, ...]:
    """(predictions, labels) or (predictions, labels, weights), of one rank where only a last dimension of 1 differs."""
    if y_true is not None:
        y_true, y_pred = _squeezed(y_true, y_pred)
    if sample_weight is None:
        return y_pred, y_true
    return y_pred, y_true, _fitted(sample_weight, y_pred)


def _squeezed(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    ranks = y_pred.shape.rank, y_true.shape.rank
    if None not in ranks:  # one axis more of any size but 1 is that of the classes
        return (
            (y_true, y_pred) if ranks[0] - ranks[1] == 1 and y_pred.shape[-1] != 1
            else remove_squeezable_dimensions(y_true, y_pred)
        )
    classes = arithmetic.logical_and(
        arithmetic.equal(arrange.rank(y_pred) - arrange.rank(y_true), 1),
        arithmetic.not_equal(arrange.shape(y_pred)[-1], 1),
    )
    return cond(classes, lambda: (y_true, y_pred), lambda: remove_squeezable_dimensions(y_true, y_pred))


def _fitted(weight: Any, y_pred: Any) -> Any:
    """The weight with an axis less or more, if that is the difference."""
    if weight.shape.rank == 0:
        return weight
    if None not in (weight.shape.rank, y_pred.shape.rank):
        more = weight.shape.rank - y_pred.shape.rank
        return arrange.squeeze(weight, [-1]) if more == 1 else arrange.expand_dims(weight, -1) if more == -1 else weight
    more = arrange.rank(weight) - arrange.rank(y_pred)

    def changed():
        expanded = lambda: cond(arithmetic.equal(more, -1), lambda: arrange.expand_dims(weight, -1), lambda: weight)  # noqa: E731
        return cond(arithmetic.equal(more, 1), lambda: arrange.squeeze(weight, [-1]), expanded)

    return cond(arithmetic.equal(arrange.rank(weight), 0), lambda: weight, changed)


def scale_losses_by_sample_weight(losses: Any, sample_weight: Any) -> Any:
    """Losses times the weights of their samples."""
    losses, weight = (arithmetic.cast(x, dtypes.float32) for x in (losses, sample_weight))
    losses, _, weight = squeeze_or_expand_dimensions(losses, None, weight)
    return arithmetic.multiply(losses, weight)


@contextlib.contextmanager
def check_per_example_loss_rank(per_example_loss: Any) -> Iterator[None]:
    """Ops of the `with` block wait until it is known that a loss has at least one axis."""
    message = "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1."
    rank = per_example_loss.shape.rank
    if rank == 0:
        raise ValueError(f"{message} Received per_example_loss={per_example_loss} with rank {rank}")
    checks = [] if rank else [asserts.assert_greater_equal(arrange.rank(per_example_loss), 1, message=message)]
    with control_dependencies(checks):
        yield
