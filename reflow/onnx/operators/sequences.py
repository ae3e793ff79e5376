"""Sequences and optional values.

While a model is read a sequence is a list of tensors, and an absent value is `None`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import reflow as tf
from reflow.onnx.node import NeedsValue, Node, OnnxError, positive, rank
from reflow.onnx.table import operator
from reflow.onnx.values import known_constant


def _place(node: Node, position: Any, length: int) -> int:
    return positive(int(np.ravel(node.value(position, "position"))[0]), length)


@operator("SequenceConstruct")
def construct(node: Node, *tensors: Any) -> Any:
    return list(tensors)


@operator("SequenceEmpty")
def empty(node: Node) -> Any:
    return []


@operator("SequenceInsert")
def insert(node: Node, sequence: list, tensor: Any, position: Any = None) -> Any:
    at = len(sequence) if position is None else _place(node, position, len(sequence))
    return [*sequence[:at], tensor, *sequence[at:]]


@operator("SequenceErase")
def erase(node: Node, sequence: list, position: Any = None) -> Any:
    at = len(sequence) - 1 if position is None else _place(node, position, len(sequence))
    return [*sequence[:at], *sequence[at + 1 :]]


@operator("SequenceAt")
def at(node: Node, sequence: list, position: Any) -> Any:
    return sequence[_place(node, position, len(sequence))]


@operator("SequenceLength")
def length(node: Node, sequence: list) -> Any:
    return known_constant(len(sequence), tf.int64)


@operator("ConcatFromSequence")
def concat_from_sequence(node: Node, sequence: list) -> Any:
    return (tf.stack if node.get("new_axis", 0) else tf.concat)(sequence, node.get("axis"))


@operator("SplitToSequence")
def split_to_sequence(node: Node, x: Any, split: Any = None) -> Any:
    axis = positive(node.get("axis", 0), rank(x))
    total = x.shape[axis]
    if total is None:
        raise NeedsValue(f"{node}: the length of the axis that is split must be known when the model is read.")
    sizes = np.ones((), np.int64) if split is None else node.value(split, "split")
    if sizes.ndim == 0:
        size = int(sizes)
        parts = [size] * (total // size) + ([total % size] if total % size else [])
    else:
        parts = [int(n) for n in sizes]
    pieces = tf.split(x, parts, axis)
    if split is None and not node.get("keepdims", 1):
        return [tf.squeeze(p, axis) for p in pieces]
    return list(pieces)


@operator("SequenceMap")
def sequence_map(node: Node, *inputs: Any) -> Any:
    """The body for each element; inputs that are not sequences are shared by all."""
    body = node.body("body")
    rows = [body(*[x[i] if isinstance(x, list) else x for x in inputs]) for i in range(len(inputs[0]))]
    return tuple([row[i] for row in rows] for i in range(len(node.outputs)))


@operator("Optional")
def optional(node: Node, value: Any = None) -> Any:
    return value


@operator("OptionalHasElement")
def has_element(node: Node, value: Any = None) -> Any:
    return known_constant(value is not None, tf.bool)


@operator("OptionalGetElement")
def get_element(node: Node, value: Any = None) -> Any:
    if value is None:
        raise OnnxError(f"{node}: the optional value is absent.")
    return value
