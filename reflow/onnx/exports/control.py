"""Branches and loops. An ONNX graph in a node sees the surrounding values; loop-invariant ones stay outside."""

from __future__ import annotations

from typing import Any

import reflow as tf
from reflow.graph.func_graph import FuncGraph
from reflow.graph.graph import Node
from reflow.onnx.export_table import Unexportable, exports
from reflow.onnx.exports import recurrent
from reflow.onnx.exports.arrays import filled
from reflow.onnx.exports.lists import with_rank
from reflow.onnx.writer import Scope, Value, constant
from reflow.ops import registry

ADD = registry.get("AddV2")


@exports("If", "StatelessIf")
def branch(s: Scope, node: Node, condition: Value, *inputs: Value) -> tuple[Value, ...]:
    return _chosen(s, _truth(s, condition), [node.attrs["then_branch"], node.attrs["else_branch"]], inputs)


@exports("Case", "StatelessCase")
def case(s: Scope, node: Node, index: Value, *inputs: Value) -> tuple[Value, ...]:
    """A branch for each number: an index outside of them runs the last."""
    return _case(s, index, list(node.attrs["branches"]), 0, inputs)


def _case(
    s: Scope, index: Value, branches: list[FuncGraph], first: int, inputs: tuple[Value, ...]
) -> tuple[Value, ...]:
    if first == len(branches) - 1:
        return tuple(s.write(branches[first], inputs))
    here = s.op("Equal", index, s.number(first, index), dtype=tf.bool)
    then, other = Scope(s.model), Scope(s.model)
    results = then.write(branches[first], inputs)
    return _joined(s, here, then, results, other, list(_case(other, index, branches, first + 1, inputs)))


def _truth(s: Scope, condition: Value) -> Value:
    """A scalar that decides a branch: a number does if it is not zero, a tensor if it has elements."""
    if condition.rank != 0:
        return s.op("Greater", s.op("Size", condition, dtype=tf.int64), constant(0, tf.int64), dtype=tf.bool)
    return s.cast(condition, tf.bool)


def _chosen(s: Scope, condition: Value, branches: list[FuncGraph], inputs: tuple[Value, ...]) -> tuple[Value, ...]:
    if condition.known:
        return tuple(s.write(branches[0 if condition.array else 1], inputs))
    then, other = Scope(s.model), Scope(s.model)
    return _joined(s, condition, then, then.write(branches[0], inputs), other, other.write(branches[1], inputs))


def _joined(
    s: Scope, condition: Value, then: Scope, yes: list[Value], other: Scope, no: list[Value]
) -> tuple[Value, ...]:
    """The node that runs one of two graphs."""
    graphs = {name: scope.proto(s.model.fresh(name), (), values, shapes=False)
              for name, scope, values in (("then_branch", then, yes), ("else_branch", other, no))}  # fmt: skip
    made = s.ops("If", [v.dtype for v in yes], condition, **graphs)
    for value, a, b in zip(made, yes, no):
        value.dims = a.dims if a.dims == b.dims else None
    return tuple(made)


@exports("While", "StatelessWhile")
def loop(s: Scope, node: Node, *inputs: Value) -> tuple[Value, ...]:
    return _Loop(s, node.attrs["cond"], node.attrs["body"], inputs).write()


class _Loop:
    """A loop: which of its values change, and which lists it fills one element after the other.

    A value that an iteration hands on as it got it is the same outside: it is no part of the loop. A list that the body
    writes at a counter which starts at zero, and does not read, is what ONNX calls a scan output: the elements, which
    the loop stacks itself.
    """

    def __init__(self, s: Scope, cond: FuncGraph, body: FuncGraph, inputs: tuple[Value, ...]) -> None:
        self.scope, self.cond, self.body, self.inputs = s, cond, body, inputs
        pairs = list(zip(body.inputs, body.outputs, strict=True))
        self.fixed = [given._id == result._id for given, result in pairs]
        for value, fixed in zip(inputs, self.fixed):
            if not fixed and value.dtype == tf.resource:
                raise Unexportable("the loop changes which variable it reads")
        self.stacked = [not fixed and self._is_filled(i) for i, fixed in enumerate(self.fixed)]
        self.inputs = tuple(self._ranked(i) for i in range(len(inputs)))
        self.carried = [i for i in range(len(inputs)) if not self.fixed[i] and not self.stacked[i]]

    def _is_filled(self, i: int) -> bool:
        """Whether a list is written at a counter from zero, and used for nothing else."""
        given, writer = self.body.inputs[i], self.body.outputs[i].op
        if (
            writer.record.list_use != "set" or writer.inputs[0]._id != given._id
            or writer.attrs.get("resize_if_index_out_of_bounds")
        ):
            return False
        readers = [t for graph in (self.body, self.cond) for n in graph.nodes for t in n.inputs]
        if (
            sum(t._id in (given._id, self.body.outputs[i]._id) for t in readers) != 1
            or self.cond.inputs[i]._id in {t._id for t in readers}
        ):
            return False
        index = writer.inputs[1]
        places = [j for j, t in enumerate(self.body.inputs) if t._id == index._id]
        return bool(places) and self._counts_from_zero(places[0])

    def _counts_from_zero(self, j: int) -> bool:
        value, node = self.inputs[j], self.body.outputs[j].op
        if (
            not value.known or value.array.ndim or value.array != 0 or node.record is not ADD
            or node.inputs[0]._id != self.body.inputs[j]._id
        ):
            return False
        step = tf.get_static_value(node.inputs[1])
        return step is not None and step == 1

    def _ranked(self, i: int) -> Value:
        """An input; a list that the body writes has the rank of what is written."""
        value, writer = self.inputs[i], self.body.outputs[i].op
        if self.fixed[i] or self.stacked[i] or writer.record.list_use not in ("set", "push"):
            return value
        item = writer.inputs[-1]
        return with_rank(self.scope, value, Value(item._dtype, item._dims))

    def write(self) -> tuple[Value, ...]:
        s, inner = self.scope, Scope(self.scope.model)
        fresh = s.model.fresh
        round_, going = Value(tf.int64, (), fresh("iteration")), Value(tf.bool, (), fresh("going"))
        held = {i: Value(self.inputs[i].dtype, self._dims(i), fresh("carried")) for i in self.carried}
        given = [held.get(i, value) for i, value in enumerate(self.inputs)]
        targets = [t.op.inputs[2] if stacked else t for t, stacked in zip(self.body.outputs, self.stacked)]
        results = inner.write(self.body, given, targets)
        items = [r for r, stacked in zip(results, self.stacked) if stacked]
        # the condition does not read a list that the body fills: any value will do for it
        (more,) = inner.write(self.cond, results)
        layer = self._as_layer(inner, held, results, more)
        if layer is not None:
            return layer
        outputs = [more, *[results[i] for i in self.carried], *items]
        graph = inner.proto(fresh("loop_body"), [round_, going, *held.values()], outputs, shapes=False)
        (start,) = s.write(self.cond, self.inputs)
        kinds = [v.dtype for v in outputs[1:]]
        made = s.ops("Loop", kinds, None, start, *[self.inputs[i] for i in self.carried], body=graph)
        return self._outputs(made, items)

    # --- recurrent layers

    def _as_layer(
        self, inner: Scope, held: dict[int, Value], results: list[Value], more: Value
    ) -> tuple[Value, ...] | None:
        """What the loop leaves if it is a recurrent layer."""
        counters = [i for i in self.carried if self._counts_from_zero(i)]
        lists = [i for i in self.carried if self.body.outputs[i].op.record.list_use]
        states = [i for i in self.carried if i not in counters and i not in lists]
        trips = self._trips(inner, more, {results[i].name for i in counters})
        element = self._element(inner, {held[i].name for i in counters}, trips)
        if (
            element is None or not 1 <= len(states) <= 2
            or any(results[i].dtype not in (tf.float32, tf.float16, tf.float64) for i in states)
        ):
            return None
        body, sequence = element
        layer = body.layer({held[i].name: results[i] for i in states})
        if layer is None or not all(self._holds_state(inner, i, results[i], layer.states[0]) for i in lists):
            return None
        if any(r.name != layer.states[0].name for r, stacked in zip(results, self.stacked) if stacked):
            return None
        order = [next(i for i in states if results[i].name == state.name) for state in layer.states]
        every, last = recurrent.written(self.scope, layer, sequence, [self.inputs[i] for i in order])
        after = {**dict(zip(order, last)), **{i: constant(trips, self.inputs[i].dtype) for i in counters}}
        after.update((i, self.scope.unsqueeze(last[0], [0])) for i in lists)
        after.update((i, self._padded(i, every, trips)) for i, stacked in enumerate(self.stacked) if stacked)
        return tuple(after.get(i, value) for i, value in enumerate(self.inputs))

    def _padded(self, i: int, every: Value, trips: int) -> Value:
        """The states as a list of its length."""
        dims = self.inputs[i].dims
        return every if dims is not None and dims[0] == trips else self._full_length(self.scope, self.inputs[i], every)

    @staticmethod
    def _trips(inner: Scope, more: Value, counters: set[str]) -> int:
        """The number of iterations, if the condition compares only counters with known numbers; otherwise none."""
        left, bounds = [more], []
        while left:
            node, operands = inner.made_by(left.pop())
            if node is not None and node.op_type == "And":
                left += operands
            elif node is not None and node.op_type == "Less" and operands[0].name in counters and operands[1].known:
                bounds.append(int(operands[1].array))
            else:
                return 0
        return min(bounds, default=0)

    @staticmethod
    def _element(inner: Scope, counters: set[str], trips: int) -> tuple[recurrent.Body, Value] | None:
        """The body of a loop that goes along a sequence to its end, and the sequence."""
        for node in inner.nodes:
            value = Value(tf.float32, None, node.output[0])
            sequence, *index = inner.made_by(value)[1] or [value]
            if (
                node.op_type != "Gather" or not index or index[0].name not in counters
                or inner.made_by(sequence)[0] is not None
            ):
                continue
            dims = sequence.dims
            if dims is not None and len(dims) == 3 and dims[0] == trips > 0 and dims[2] is not None:
                return recurrent.Body(inner, value.name, dims[2]), sequence
        return None

    def _holds_state(self, inner: Scope, i: int, result: Value, state: Value) -> bool:
        """Whether a list has one element, in which each iteration leaves its state."""
        writer, dims = self.body.outputs[i].op, self.inputs[i].dims
        if (
            writer.record.list_use != "set" or dims is None or dims[0] != 1
            or tf.get_static_value(writer.inputs[1]) != 0
        ):
            return False
        operands = inner.made_by(result)[1]
        item = inner.made_by(operands[1])[1] if len(operands) == 3 else []
        return bool(item) and item[0].name == state.name

    def _dims(self, i: int) -> Any:
        """What is known of a carried value's shape in every iteration. That of a list is in its elements."""
        tensor = self.body.inputs[i]
        return tensor._dims if tensor._dtype != tf.variant else self.inputs[i].dims

    def _outputs(self, made: list[Value], items: list[Value]) -> tuple[Value, ...]:
        s, count = self.scope, len(self.carried)
        after: list[Value] = list(self.inputs)
        for i, value in zip(self.carried, made):
            value.dims = self._dims(i)
            after[i] = value
        filled = [i for i, stacked in enumerate(self.stacked) if stacked]
        for i, value, item in zip(filled, made[count:], items):
            value.dims = None if item.dims is None else (None, *item.dims)
            after[i] = self._full_length(s, self.inputs[i], value)
        return tuple(after)

    @staticmethod
    def _full_length(s: Scope, before: Value, value: Value) -> Value:
        """The elements that were written, then zeros up to the list's length: the loop may have ended before."""
        shape = s.op("Shape", value, dtype=tf.int64)
        lengths = [s.op("Slice", v, [0], [1]) for v in (s.op("Shape", before, dtype=tf.int64), shape)]
        missing = s.op("Concat", s.op("Sub", *lengths), s.op("Slice", shape, [1], [value.rank]), axis=0)
        return s.op("Concat", value, filled(s, missing, s.number(0, value)), axis=0, dims=value.dims)
