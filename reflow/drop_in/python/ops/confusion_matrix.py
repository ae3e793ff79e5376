"""`tensorflow.python.ops.confusion_matrix`: labels and predictions of one rank."""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange
from reflow.api.math.arithmetic import equal
from reflow.compat.name_scopes import name_scope
from reflow.function.control_flow import cond
from reflow.ops.convert import convert_to_tensor


def remove_squeezable_dimensions(
    labels: Any, predictions: Any, expected_rank_diff: int = 0, name: str | None = None
) -> tuple[Any, Any]:
    """Labels and predictions, without the last axis of the one that has an axis of size 1 too many.

    Args:
      labels, predictions: tensors.
      expected_rank_diff: how many axes more the predictions should have.
      name: a name for the operations.
    """
    with name_scope(name or "remove_squeezable_dimensions"):
        labels, predictions = convert_to_tensor(labels), convert_to_tensor(predictions)
        more = _rank(predictions) - _rank(labels) - expected_rank_diff
        return _squeezed(labels, more, -1), _squeezed(predictions, more, 1)


def _rank(x: Any) -> Any:
    """The rank: an int if it is known, otherwise a tensor."""
    return arrange.rank(x) if x.shape.rank is None else x.shape.rank


def _squeezed(x: Any, more: Any, wanted: int) -> Any:
    """Squeezes the last axis if `more`, a difference of ranks, equals `wanted` and that axis may have size 1."""
    if x.shape.rank is not None and (not x.shape.rank or x.shape[-1] not in (None, 1)):
        return x
    if isinstance(more, int):
        return arrange.squeeze(x, [-1]) if more == wanted else x
    return cond(equal(more, wanted), lambda: arrange.squeeze(x, [-1]), lambda: x)
