"""`tensorflow.python.ops.confusion_matrix`: labels and predictions of one rank."""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange
from reflow.api.control.branches import cond
from reflow.api.scoped import scoped
from reflow.ops.convert import convert_to_tensor


@scoped("remove_squeezable_dimensions")
def remove_squeezable_dimensions(labels: Any, predictions: Any, expected_rank_diff: int = 0, name: str | None = None) -> tuple[Any, Any]:
    """(labels, predictions), without a last dimension of 1 in the one that has an axis more than is expected of it."""
    labels, predictions = convert_to_tensor(labels), convert_to_tensor(predictions)
    ranks = predictions.shape.rank, labels.shape.rank
    if None in ranks:
        more = arrange.rank(predictions) - arrange.rank(labels)
    else:
        more = ranks[0] - ranks[1]

    def squeezed(x, extra):
        if x.shape.rank is not None and (x.shape.rank == 0 or x.shape[-1] not in (1, None)):
            return x
        if isinstance(more, int):
            return arrange.squeeze(x, [-1]) if more == extra else x
        return cond(more == extra, lambda: arrange.squeeze(x, [-1]), lambda: x)

    return squeezed(labels, expected_rank_diff - 1), squeezed(predictions, expected_rank_diff + 1)
