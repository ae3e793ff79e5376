"""Inference for new nodes: output dtypes from the OpDef, shapes and partial values from the op's rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reflow.core import dtypes
from reflow.core.shapes import compatible, merge
from reflow.core.types import Attrs, Dims
from reflow.graph.derived import derived
from reflow.ops import registry
from reflow.ops.attr_checks import check_node
from reflow.ops.objections import deliberate
from reflow.ops.registry import Op
from reflow.ops.shape_facts import MAX_VALUE_ELEMENTS, PartialValue, Shapes, product
from reflow.ops.shape_rules import NodeFacts, known, partial_value, text
from reflow.ops.trace_checks import told
from reflow.ops.trace_patterns import check_pattern
from reflow.ops.trace_words import Misfit, known_inputs
from reflow.ops.xp import host as host_xp

if TYPE_CHECKING:
    from reflow.graph.func_graph import FuncGraph
    from reflow.graph.node import Node
    from reflow.graph.symbolic import SymbolicTensor
#: (op, input dtypes, type attributes with their names, lengths) -> output dtypes; bounded by the ops a program uses
_dtype_memo: dict = {}


def infer(
    op: Op, inputs: Sequence[SymbolicTensor], attrs: Attrs, node: Node
) -> tuple[list[dtypes.DType], Shapes, list[PartialValue]]:
    """Dtypes, shapes and partial values of the outputs of a node."""
    check_node(op.definition, attrs)
    kinds = output_dtypes(op, inputs, attrs)
    facts = NodeFacts(
        op, [t._dtype for t in inputs], [t._dims for t in inputs], [t._static for t in inputs], attrs, inputs
    )
    try:
        if op.fits:
            check_pattern(facts)
        if op.trace_check is not None:
            op.trace_check(facts)
        shapes = op.shape(facts)
    except ValueError as objection:
        misfit = objection if isinstance(objection, Misfit) else None
        if misfit is None and (op.trace_words is not None or deliberate(objection)):
            misfit = told(op, facts, objection)
        if misfit is not None:
            raise ValueError(_describe(facts, node, misfit)) from None
        shapes = [None] * len(kinds)
    # ranks or sizes that the rule does not handle: the kernel rejects them when it runs
    except (IndexError, ArithmeticError):
        shapes = [None] * len(kinds)
    if len(shapes) != len(kinds):
        fault = "its attributes do not fit together"
        raise ValueError(f"The shape rule of {op.name} gives {len(shapes)} shapes for {len(kinds)} outputs: {fault}.")
    return kinds, shapes, _statics(op, facts, kinds, shapes)


def _describe(facts: NodeFacts, node: Node, misfit: Misfit) -> str:
    """The error of a shape rule, with the node it is about.

    As in TensorFlow, the node gets its name before the error is raised.
    """
    from reflow.graph.describe import summary

    if misfit.bare:
        return str(misfit)
    shapes = ", ".join(text(s) for s in facts.shapes)
    graph = node.graph
    graph.append(node)
    try:
        return f"{misfit} for '{summary(node)}' with input shapes: {shapes}{known_inputs(misfit, facts)}."
    finally:
        graph.drop_nodes(len(graph.nodes) - 1)


def output_dtypes(op: Op, inputs: Sequence[SymbolicTensor], attrs: Attrs) -> list:
    key: list = [op, *[t._dtype for t in inputs]]
    for name, value in attrs.items():
        if type(value) is dtypes.DType:
            key += name, value
        elif type(value) in (list, tuple) and value and type(value[0]) is dtypes.DType:
            key += name, tuple(value)
    for name in op.length_attrs:
        key.append(attrs.get(name))
    memo = tuple(key)
    found = _dtype_memo.get(memo)
    if found is None:
        if len(_dtype_memo) > 20_000:
            _dtype_memo.clear()
        full = registry.full_attrs(op, [t._dtype for t in inputs], attrs)
        _check_fixed(op, inputs, full)
        _check_allowed(op, full)
        found = _dtype_memo[memo] = registry.output_dtypes(op, full)
    return found


def _check_fixed(op: Op, inputs: Sequence[SymbolicTensor], full: Attrs) -> None:
    """Check inputs whose dtype the OpDef fixes."""
    at = 0
    for arg in op.definition.inputs:
        count = len(full[arg.type_list_attr]) if arg.type_list_attr else full[arg.number_attr] if arg.number_attr else 1
        given = [t._dtype for t in inputs[at : at + count]]
        at += count
        wanted = dtypes.as_dtype(arg.type) if arg.type else None
        if wanted is None and arg.number_attr and len(set(given)) > 1:
            types = ", ".join(d.name for d in given)
            raise TypeError(
                f"Tensors in list passed to '{arg.name}' of '{op.name}' Op have types [{types}] that don't all match."
            )
        if wanted is None or all(d is wanted for d in given):
            continue
        if arg.is_list:
            types = ", ".join(d.name for d in given)
            raise TypeError(
                f"Tensors in list passed to '{arg.name}' of '{op.name}' Op have types [{types}] that do not match "
                f"expected type {wanted.name}."
            )
        raise TypeError(
            f"Input '{arg.name}' of '{op.name}' Op has type {given[0].name} that does not match "
            f"expected type of {wanted.name}."
        )


def _check_allowed(op: Op, full: Attrs) -> None:
    for arg in op.definition.inputs:
        attr = op.definition.attrs.get(arg.type_attr) if arg.type_attr else None
        if attr is None or attr.allowed is None or arg.type_attr not in full:
            continue
        dtype = full[arg.type_attr]
        if dtype.proto_name not in attr.allowed:
            allowed = ", ".join(dtypes.as_dtype(a).name for a in attr.allowed)
            raise TypeError(
                f"Value passed to parameter '{arg.name}' has DataType {dtype.name} not in list of "
                f"allowed values: {allowed}"
            )


def full_attrs(node: Node) -> dict:
    """All attributes of a node: given, inferred, and defaults."""
    return registry.full_attrs(node.record, [t._dtype for t in node.inputs], node.attrs)


def _statics(op: Op, facts: NodeFacts, kinds: list[dtypes.DType], shapes: Shapes) -> list[PartialValue]:
    """Partial values of the outputs: from the op's value rule, or by running a small known integer computation.

    Inputs and output must both be small: a few numbers of padding can request terabytes.
    """
    if dtypes.variant in kinds:
        return _list_facts(op, facts, kinds)
    if op.value is not None:
        value = op.value(facts)
        return value if isinstance(value, list) else [value] + [None] * (len(kinds) - 1)
    if (
        len(kinds) == 1
        and kinds[0].kind in "iub"
        and op.plain
        and facts.values
        and all(v is not None and known(v) for v in facts.values)
        and (size := product(shapes[0])) is not None
        and size <= MAX_VALUE_ELEMENTS
    ):
        return [_fold(op, facts)]
    return [None] * len(kinds)


def _list_facts(op: Op, facts: NodeFacts, kinds: list[dtypes.DType]) -> list[PartialValue]:
    """The facts about tensor lists among the outputs."""
    if op.list_facts is not None:
        found = op.list_facts(facts)
    else:
        lists = [v for v, d in zip(facts.values, facts.dtypes, strict=True) if d is dtypes.variant]
        found = [lists[0] if lists else None] * len(kinds)
    return [v if k is dtypes.variant else None for v, k in zip(found, kinds, strict=True)]


# --- through a function called with other shapes than it was traced for


class _Known:
    """What is known about a tensor of a function in one call."""

    __slots__ = ("_dtype", "_dims", "_static")

    def __init__(self, tensor: SymbolicTensor, dims: Dims | None, static: PartialValue) -> None:
        self._dtype, self._static = tensor._dtype, static
        self._dims = merge(tensor._dims, dims) if compatible(tensor._dims, dims) else tensor._dims


def dims_through(graph: FuncGraph, dims: tuple) -> list:
    """The static shapes of a function's outputs for other input shapes than its own; the last few are cached."""
    known = _known_dims(graph)
    found = known.get(dims)
    if found is None:
        if len(known) > 64:
            known.clear()
        found = known[dims] = _dims_through(graph, dims)
    return found


@derived
def _known_dims(graph: FuncGraph) -> dict:
    """Shapes of inputs -> shapes of outputs."""
    return {}


def _dims_through(graph: FuncGraph, dims: tuple[Dims | None, ...]) -> list:
    now = {t._id: _Known(t, d, t._static) for t, d in zip(graph.inputs, dims, strict=True)}
    for node in graph.nodes:
        if any(t._id in now for t in node.inputs):
            shapes, statics = _again(node, [now.get(t._id, t) for t in node.inputs])
            now.update((t._id, _Known(t, d, s)) for t, d, s in zip(node.outputs, shapes, statics, strict=True))
    return [now.get(t._id, t)._dims for t in graph.outputs]


def _again(node: Node, inputs: Sequence[Any]) -> tuple[Shapes, list[PartialValue]]:
    """Shapes and partial values of a node's outputs for other inputs.

    Mismatched inputs raise when the node runs, not here.
    """
    op, attrs, kinds = node.record, node.attrs, [t._dtype for t in node.outputs]
    facts = NodeFacts(op, [t._dtype for t in inputs], [t._dims for t in inputs], [t._static for t in inputs], attrs)
    try:
        shapes = op.shape(facts)
        return shapes, _statics(op, facts, kinds, shapes)
    except ValueError:
        return [t._dims for t in node.outputs], [t._static for t in node.outputs]


def _fold(op: Op, facts: NodeFacts) -> PartialValue:
    arrays = [np.array(v, d.np_dtype) for v, d in zip(facts.values, facts.dtypes, strict=True)]
    try:
        return partial_value(op.kernel(host_xp, *arrays, **op.bind(facts.attrs)))
    except (ValueError, IndexError, ZeroDivisionError):
        return None
