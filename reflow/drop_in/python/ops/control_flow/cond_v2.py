"""`tensorflow.python.ops.cond_v2`: branches as nodes that call functions, which all branches are here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from reflow.api.control.branches import switch_case
from reflow.function.control_flow import cond


def cond_v2(pred: Any, true_fn: Callable, false_fn: Callable, name: str = "cond") -> Any:
    """What one of two functions gives, chosen by a boolean."""
    return cond(pred, true_fn, false_fn, name=name)


def indexed_case(
    branch_index: Any, branch_fns: Sequence[Callable], name: str = "indexed_case",
    lower_using_switch_merge: bool | None = None,
) -> Any:
    """What one of several functions gives, chosen by its position; the last one's for any other number.

    Both values of `lower_using_switch_merge` give the same: it tunes TensorFlow's runtime.
    """
    return switch_case(branch_index, list(branch_fns), name=name)
