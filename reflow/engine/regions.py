"""Loops and branches of a network, under TensorRT's names: `add_loop`, `add_if_conditional`.

A *region* is a loop or a conditional. Its *boundary layers* pass values in: a recurrence or an iterator of a loop, an
input of a conditional. A layer that depends on one of these is inside the region; an output layer of the region passes
a value out. So the user need not say which layers are inside: `Contexts` computes a set of regions for each layer, and
`evaluate` runs the layers of one context, those of a region as the body of a `tf.while_loop` or of the branches of a
`tf.cond`.

During shape inference (`probe`), the layers inside a region run in place, as in a first iteration, and nothing is
skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import reflow as tf
from reflow.engine.enums import LoopOutput, TripLimit
from reflow.engine.layers import Layer
from reflow.engine.network import INetworkDefinition, ITensor, scope_name

Values = dict[ITensor, Any]
Context = frozenset["Region"]


class Region:
    """A loop or a conditional. `boundary` are the layers through which values come in."""

    def __init__(self, network: INetworkDefinition) -> None:
        self.network = network
        self.name = f"{type(self).__name__[1:]}_{len(network.regions)}"
        self.boundary: list[BoundaryLayer] = []
        self.handed_out: list[OutputLayer] = []

    def add(self, layer: Any) -> Any:
        if isinstance(layer, OutputLayer):
            self.handed_out.append(layer)
        else:
            self.boundary.append(layer)
        return self.network.add(layer)

    def results(self, values: Values, context: Context) -> Sequence[Any]:
        """The values of the output layers, given those around the region."""
        raise NotImplementedError

    def inside(self, values: Values, given: Values, context: Context) -> Values:
        """The values inside the region, given those of its boundary."""
        found = {**values, **given}
        evaluate(self.network, found, context | {self})
        return found


class BoundaryLayer(Layer):
    """A layer through which a value comes into a region."""

    def __init__(self, region: Region, *inputs: ITensor) -> None:
        super().__init__(region.network, *inputs)
        object.__setattr__(self, "region", region)

    region: Region

    def set_input(self, index: int, tensor: ITensor) -> None:
        """Change an input, or give the second one to a layer that was made with one."""
        if index == len(self.inputs) == 1:
            self.inputs.append(tensor)
        super().set_input(index, tensor)


class OutputLayer(BoundaryLayer):
    """A layer that hands a value out of a region."""


# --- loops


class TripLimitLayer(BoundaryLayer):
    """How often a loop runs: a number of times, or while a tensor inside of it is true."""

    number_of_outputs = 0

    def __init__(self, loop: ILoop, tensor: ITensor, kind: TripLimit) -> None:
        super().__init__(loop, tensor)
        self.kind = kind


class RecurrenceLayer(BoundaryLayer):
    """A value that an iteration gets from the one before it.

    The first input at first, then the second, which `set_input(1, tensor)` names.
    """

    def emit(self, *tensors: Any) -> Any:
        return tf.identity(tensors[0])


class IteratorLayer(BoundaryLayer):
    """A slice of a tensor for each iteration."""

    def __init__(self, loop: ILoop, tensor: ITensor, axis: int = 0, reverse: bool = False) -> None:
        super().__init__(loop, tensor)
        self.axis, self.reverse = axis, reverse

    def emit(self, x: Any, index: Any = 0) -> Any:
        if self.reverse:
            index = tf.shape(x)[self.axis] - 1 - index
        return tf.gather(x, index, axis=self.axis)


class LoopOutputLayer(OutputLayer):
    """What a loop leaves: the last value of a tensor, or its values of all iterations along a new axis;
    `set_input(1, tensor)` gives their number."""

    def __init__(self, loop: ILoop, tensor: ITensor, kind: LoopOutput, axis: int = 0) -> None:
        super().__init__(loop, tensor)
        self.kind, self.axis = kind, axis


class ILoop(Region):
    """A loop: `add_trip_limit`, `add_recurrence`, `add_iterator`, `add_loop_output`."""

    def add_trip_limit(self, tensor: ITensor, kind: TripLimit) -> TripLimitLayer:
        return self.add(TripLimitLayer(self, tensor, TripLimit(kind)))

    def add_recurrence(self, initial_value: ITensor) -> RecurrenceLayer:
        return self.add(RecurrenceLayer(self, initial_value))

    def add_iterator(self, tensor: ITensor, axis: int = 0, reverse: bool = False) -> IteratorLayer:
        return self.add(IteratorLayer(self, tensor, axis, reverse))

    def add_loop_output(self, tensor: ITensor, kind: LoopOutput, axis: int = 0) -> LoopOutputLayer:
        return self.add(LoopOutputLayer(self, tensor, LoopOutput(kind), axis))

    def _of(self, kind: type) -> list[Any]:
        return [layer for layer in self.boundary if isinstance(layer, kind)]

    def _given(self, values: Values, step: Any, state: Sequence[Any]) -> Values:
        """The values of the boundary in an iteration."""
        given = {layer.outputs[0]: value for layer, value in zip(self._of(RecurrenceLayer), state)}
        given.update((layer.outputs[0], layer.emit(values[layer.inputs[0]], step)) for layer in self._of(IteratorLayer))
        return given

    def _check(self) -> None:
        if not self._of(TripLimitLayer):
            raise ValueError(f"The loop {self.name!r} has no trip limit: call add_trip_limit(tensor, kind).")
        for layer in self._of(RecurrenceLayer):
            if len(layer.inputs) != 2:
                raise ValueError(
                    f"The recurrence {layer.name!r} has no value for the next iteration: call set_input(1, tensor)."
                )

    def results(self, values: Values, context: Context) -> Sequence[Any]:
        self._check()
        recurrences, limits = self._of(RecurrenceLayer), self._of(TripLimitLayer)
        counts = [tf.cast(tf.reshape(values[t.inputs[0]], []), tf.int32) for t in limits if t.kind is TripLimit.COUNT]
        tests = [t.inputs[0] for t in limits if t.kind is TripLimit.WHILE]
        first = [values[layer.inputs[0]] for layer in recurrences]
        seen = self.inside(values, self._given(values, 0, first), context)
        collected = [o for o in self.handed_out if isinstance(o, LoopOutputLayer) and not self._is_state(o)]
        sizes = [self._size(o, values, counts) for o in collected]

        def more(step: Any, state: Sequence[Any], kept: Sequence[Any]) -> Any:
            going = [step < count for count in counts]
            if tests:
                found = self.inside(values, self._given(values, step, state), context)
                going += [tf.reshape(found[t], []) for t in tests]
            return tf.reduce_all(tf.stack(going))

        def body(step: Any, state: Sequence[Any], kept: Sequence[Any]) -> tuple:
            found = self.inside(values, self._given(values, step, state), context)
            after = [found[layer.inputs[1]] for layer in recurrences]
            return (
                step + 1, after,
                [_written(o, old, found[o.inputs[0]], step, size) for o, old, size in zip(collected, kept, sizes)],
            )

        kept = [_start(seen[o.inputs[0]], size) for o, size in zip(collected, sizes)]
        _, state, arrays = tf.while_loop(more, body, [tf.constant(0), first, kept])
        last = {layer.outputs[0]: value for layer, value in zip(recurrences, state)}
        stacked = {o: _stacked(o, value) for o, value in zip(collected, arrays)}
        return [stacked[o] if o in stacked else last[o.inputs[0]] for o in self.handed_out]

    def _is_state(self, output: LoopOutputLayer) -> bool:
        """Whether an output is the last value of a recurrence, which the loop carries anyway."""
        layer = output.inputs[0]._layer
        return output.kind is LoopOutput.LAST_VALUE and isinstance(layer, RecurrenceLayer) and layer.region is self

    def _size(self, output: LoopOutputLayer, values: Values, counts: Sequence[Any]) -> Any:
        """The number of slices of an output; None for the last value."""
        if output.kind is LoopOutput.LAST_VALUE:
            return None
        if len(output.inputs) == 2:
            size = tf.cast(tf.reshape(values[output.inputs[1]], []), tf.int32)
        elif counts:
            size = counts[0]
        else:
            raise ValueError(f"The output {output.name!r} needs the number of iterations: call set_input(1, tensor).")
        known = tf.get_static_value(size)
        return size if known is None else int(known)


def _start(example: Any, size: Any) -> Any:
    """What an output begins with."""
    return (
        tf.zeros_like(example) if size is None
        else tf.TensorArray(example.dtype, size=size, element_shape=example.shape)
    )


def _written(output: LoopOutputLayer, old: Any, value: Any, step: Any, size: Any) -> Any:
    if output.kind is LoopOutput.LAST_VALUE:
        return value
    return old.write(step if output.kind is LoopOutput.CONCATENATE else size - 1 - step, value)


def _stacked(output: LoopOutputLayer, value: Any) -> Any:
    if output.kind is LoopOutput.LAST_VALUE:
        return value
    rows = value.stack()
    order = list(range(1, len(rows.shape)))
    order.insert(output.axis % len(rows.shape), 0)
    return rows if order == sorted(order) else tf.transpose(rows, order)


# --- conditionals


class ConditionLayer(BoundaryLayer):
    """Which branch of a conditional runs."""

    number_of_outputs = 0


class IfInputLayer(BoundaryLayer):
    """A value that comes into a conditional."""

    def emit(self, x: Any) -> Any:
        return tf.identity(x)


class IfOutputLayer(OutputLayer):
    """What a conditional leaves: one tensor if the condition is true, another if it is not."""


class IIfConditional(Region):
    """A conditional: `set_condition`, `add_input`, `add_output`.

    Of the layers inside only those of the chosen branch run.
    """

    def set_condition(self, condition: ITensor) -> ConditionLayer:
        return self.add(ConditionLayer(self, condition))

    def add_input(self, input: ITensor) -> IfInputLayer:
        return self.add(IfInputLayer(self, input))

    def add_output(self, true_subgraph_output: ITensor, false_subgraph_output: ITensor) -> IfOutputLayer:
        return self.add(IfOutputLayer(self, true_subgraph_output, false_subgraph_output))

    def results(self, values: Values, context: Context) -> Sequence[Any]:
        conditions = [layer for layer in self.boundary if isinstance(layer, ConditionLayer)]
        if not conditions:
            raise ValueError(f"The conditional {self.name!r} has no condition: call set_condition(tensor).")

        def branch(which: int) -> list[Any]:
            given = {
                layer.outputs[0]: values[layer.inputs[0]] for layer in self.boundary if isinstance(layer, IfInputLayer)
            }
            found = self.inside(values, given, context)
            return [tf.identity(found[layer.inputs[which]]) for layer in self.handed_out]

        return tf.cond(tf.reshape(values[conditions[-1].inputs[0]], []), lambda: branch(0), lambda: branch(1))


# --- evaluation


class Contexts:
    """The regions inside which each layer, and each tensor, is. An output of a region is in those around it."""

    def __init__(self, network: INetworkDefinition) -> None:
        self.network = network
        self.of_layer: dict[Layer, Context] = {}
        self.of_tensor: dict[ITensor, Context] = {}
        for layer in network.layers:
            around: Context = frozenset().union(*(self.of_tensor.get(t, frozenset()) for t in _first_inputs(layer)))
            after = around
            if isinstance(layer, BoundaryLayer):
                around -= {layer.region}
                after = around if isinstance(layer, OutputLayer) else around | {layer.region}
            self.of_layer[layer] = around
            self.of_tensor.update((t, after) for t in layer.outputs)

    def needed(self, region: Region) -> set[ITensor]:
        """The tensors around a region on which its layers depend."""
        own = [
            layer for layer in self.network.layers
            if region in self.of_layer[layer] or getattr(layer, "region", None) is region
        ]
        return {t for layer in own for t in layer.inputs if region not in self.of_tensor.get(t, frozenset())}


def _first_inputs(layer: Layer) -> list[ITensor]:
    """What must be there before a layer runs: of a recurrence not the value for the next iteration."""
    return layer.inputs[:1] if isinstance(layer, RecurrenceLayer) else layer.inputs


def evaluate(network: INetworkDefinition, values: Values, context: Context = frozenset(), probe: bool = False) -> None:
    """Run the layers of a context and add their values. `probe`: run all layers, also those inside regions.

    Layers run in the order in which they were added. One whose inputs come later (a loop that was given its number of
    iterations in the end) waits for the next pass.
    """
    where, done = Contexts(network), dict[Region, dict[OutputLayer, Any]]()
    waiting = [layer for layer in network.layers if _runs(layer, probe) and (probe or where.of_layer[layer] == context)]
    while waiting:
        later = []
        for layer in waiting:
            needed = where.needed(layer.region) if isinstance(layer, OutputLayer) else set(_first_inputs(layer))
            if not needed <= values.keys():
                later.append(layer)
                continue
            with tf.name_scope(scope_name(layer.name)):
                if not isinstance(layer, OutputLayer):
                    results = layer.emit(*[values[t] for t in _first_inputs(layer)])
                else:
                    region = layer.region
                    if region not in done:
                        done[region] = dict(zip(region.handed_out, region.results(values, where.of_layer[layer])))
                    results = done[region][layer]
            values.update(zip(layer.outputs, results if isinstance(results, tuple) else (results,)))
        if len(later) == len(waiting):
            raise ValueError(f"These layers depend on one another: {', '.join(layer.name for layer in later)}.")
        waiting = later


def _runs(layer: Layer, probe: bool) -> bool:
    """Whether a layer computes its values: a boundary's come from its region, except during shape inference."""
    return isinstance(layer, OutputLayer) or not isinstance(layer, BoundaryLayer) or (probe and bool(layer.outputs))
