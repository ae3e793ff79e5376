"""`tensorflow.python.ops.ragged.ragged_util`: places where rows begin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reflow.api.array.arrange import concat
from reflow.api.debugging import asserts
from reflow.api.math.reduce import cumsum
from reflow.drop_in.python.ops.array_ops import convert_to_int_tensor as convert_to_int_tensor
from reflow.drop_in.python.ops.array_ops import get_positive_axis as get_positive_axis


def assert_splits_match(nested_splits_lists: Sequence[Sequence[Any]]) -> list:
    """Assertions that ragged tensors have the same rows; ValueError if they have not even as many ragged axes."""
    message = "Inputs must have identical ragged splits"
    first, *others = nested_splits_lists
    if any(len(splits) != len(first) for splits in others):
        raise ValueError(message)
    return [
        asserts.assert_equal(a, b, message=message) for splits in others for a, b in zip(first, splits, strict=True)
    ]


def lengths_to_splits(lengths: Any) -> Any:
    """Where rows of these lengths begin, and the last one ends."""
    return concat([[0], cumsum(lengths)], -1)
