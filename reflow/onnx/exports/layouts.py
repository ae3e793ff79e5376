"""Layouts: ONNX' images are channels-first, TensorFlow's usually channels-last. Runtimes cancel the transpositions
between two layers.
"""

from __future__ import annotations

from reflow.onnx.writer import Scope, Value


def is_first(layout: str) -> bool:
    return layout.startswith("NC")


def first(s: Scope, x: Value, layout: str) -> Value:
    """A value with its channels first."""
    return x if is_first(layout) else s.transpose(x, [0, x.rank - 1, *range(1, x.rank - 1)])


def last(s: Scope, x: Value, layout: str, rank: int) -> Value:
    """A value with channels first, back in a layout."""
    return x if is_first(layout) else s.transpose(x, [0, *range(2, rank), 1])


def spatial(numbers: list | tuple, layout: str) -> list:
    """What a list with a number for each axis says about the axes of space."""
    return list(numbers[2:] if is_first(layout) else numbers[1:-1])
