"""Ops that `tf.vectorized_map` runs once for all rows, because `jax.vmap` of their kernels would be wrong or
impossible.

As in TensorFlow, a print or an assert sees the stacked rows of its inputs. A random op whose distribution differs by
row draws from all of them in one call. Rules are fields of records (`Op.rows`), on tensors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reflow.core import dtypes
from reflow.core.tensor import Tensor
from reflow.graph.node import Node
from reflow.ops import registry
from reflow.ops.convert import constant
from reflow.ops.dispatch import dispatch, run

Found = tuple[list[Tensor], bool]


def _call(node: Node, inputs: Sequence[Tensor]) -> list[Tensor]:
    """The node's op on other inputs."""
    attrs = {name: value for name, value in node.attrs.items() if name != "_counter"}  # a new node has its own stream
    found = dispatch(node.record, inputs, attrs)
    return [found] if node.record.single else list(found or ())


def _whole(node: Node, inputs: Sequence[Tensor], flags: Sequence[bool], count: Tensor) -> Found:
    """Run on the stacked rows; the result has rows if its first operand does."""
    return _call(node, inputs), flags[0]


def _joined(node: Node, inputs: Sequence[Tensor], flags: Sequence[bool], count: Tensor) -> Found:
    """Run on the stacked rows, with one result for all."""
    return _call(node, inputs), False


def _printed(node: Node, inputs: Sequence[Tensor], flags: Sequence[bool], count: Tensor) -> Found:
    """Print one line with the text of each row."""
    text = run("ReduceJoin", inputs[0], constant([0]), keep_dims=False, separator="\n") if flags[0] else inputs[0]
    return _call(node, [text]), False


def _asserted(node: Node, inputs: Sequence[Tensor], flags: Sequence[bool], count: Tensor) -> Found:
    """The condition must hold for every row."""
    condition = run("All", inputs[0], constant([0]), keep_dims=False) if flags[0] else inputs[0]
    return _call(node, [condition, *inputs[1:]]), False


def _first_to(tensor: Tensor, before: Tensor) -> Tensor:
    """A tensor with the axis after the `before` leading axes moved to the front."""
    rank, place = run("Rank", tensor), run("Size", before, out_type=dtypes.int32)
    zero, one = constant(0), constant(1)
    front, back = run("Range", zero, place, one), run("Range", run("AddV2", place, one), rank, one)
    order = run("ConcatV2", run("ExpandDims", place, zero), front, back, zero)
    return run("Transpose", tensor, order)


def _drawn_from_parameters(node: Node, inputs: Sequence[Tensor], flags: Sequence[bool], count: Tensor) -> Found:
    """`shape` numbers for each parameter of all rows: the results have the axes of `shape` first."""
    return [_first_to(t, inputs[0]) for t in _call(node, inputs)], True


def _drawn_from_logits(node: Node, inputs: Sequence[Tensor], flags: Sequence[bool], count: Tensor) -> Found:
    """Classes drawn from all rows' logits: [rows, batch, classes] as one batch."""
    zero = constant(0)
    logits, samples = inputs
    if not flags[0]:
        logits = run("BroadcastTo", logits, run("ConcatV2", count, run("Shape", logits, out_type=dtypes.int32), zero))
    sizes = run("Shape", logits, out_type=dtypes.int32)
    classes, batch = (
        run("Slice", sizes, constant([2]), constant([1])), run("Slice", sizes, constant([0]), constant([2]))
    )
    flat = run("Reshape", logits, run("ConcatV2", constant([-1]), classes, zero))
    return [run("Reshape", t, run("ConcatV2", batch, constant([-1]), zero)) for t in _call(node, [flat, samples])], True


def _extend(rule: Any, *names: str) -> None:
    registry.extend(*map(registry.get, names), rows=rule)


_extend(_whole, "CheckNumerics", "CheckNumericsV2", "Print")
_extend(_joined, "StringFormat")
_extend(_printed, "PrintV2")
_extend(_asserted, "Assert")
_extend(_drawn_from_parameters, "RandomGamma", "RandomPoissonV2")
_extend(_drawn_from_logits, "Multinomial")
