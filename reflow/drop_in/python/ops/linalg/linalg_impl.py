"""`tensorflow.python.ops.linalg.linalg_impl`: checks of factors."""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange
from reflow.api.debugging import asserts


def lu_reconstruct_assertions(lower_upper: Any, perm: Any, validate_args: bool) -> list:
    """Assertions that factors and a permutation belong together, where `validate_args` asks for them.

    Raises:
        ValueError: it is known already that they do not.
    """
    rank, perm_rank = lower_upper.shape.rank, perm.shape.rank
    assertions = []
    if rank is not None and rank < 2:
        raise ValueError("Input `lower_upper` must have at least 2 dimensions.")
    if validate_args:
        assertions.append(
            asserts.assert_rank_at_least(lower_upper, 2, "Input `lower_upper` must have at least 2 dimensions.")
        )
    mismatch = "`rank(lower_upper)` must equal `rank(perm) + 1`"
    if rank is not None and perm_rank is not None:
        if rank != perm_rank + 1:
            raise ValueError(mismatch)
    elif validate_args:
        assertions.append(asserts.assert_rank(lower_upper, arrange.rank(perm) + 1, mismatch))
    if rank is not None and lower_upper.shape[:-2].is_fully_defined():
        if lower_upper.shape[-2] != lower_upper.shape[-1]:
            raise ValueError("`lower_upper` must be square.")
    elif validate_args:
        sizes = arrange.shape(lower_upper)[-2:]
        assertions.append(asserts.assert_equal(sizes[:1], sizes[1:], "`lower_upper` must be square."))
    return assertions
