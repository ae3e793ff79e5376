"""Converts loops that are recurrent layers to ONNX' operators LSTM, GRU and RNN, for which runtimes have kernels.

A loop is one of them if it traverses a whole sequence of known length, and if an iteration computes the operator's
form. *Forms* are compared node by node, up to the order of sums and products; the arguments of the activations must be
sums of products of the element and of the state with known weights, however these were concatenated and split
(`Affine`). All other loops stay loops.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reflow.onnx.writer import Scope, Value

Form = str | tuple  # a name for any value, or an operator and the forms of its operands
Found = dict[str, Value]

CELL: Form = ("Add", ("Mul", ("Sigmoid", "forget"), "c"), ("Mul", ("Sigmoid", "input"), ("Tanh", "cell")))
LSTM: Form = ("Mul", ("Sigmoid", "output"), ("Tanh", "new cell"))
GRU: Form = (
    "Add", ("Mul", ("Sigmoid", "update"), "h"), ("Mul", ("Sub", "one", ("Sigmoid", "update")), ("Tanh", "new"))
)
RESET_BEFORE: Form = ("Add", "of x", ("MatMul", ("Mul", ("Sigmoid", "reset"), "h"), "weights"))
RESET_AFTER: Form = ("Add", "of x", ("Mul", ("Sigmoid", "reset"), "of h"))
RNN = tuple((kind, "new") for kind in ("Tanh", "Relu", "Sigmoid"))


class NotAffine(Exception):
    """A value is not a sum of products with known weights."""


@dataclass
class Affine:
    """The sum of a bias and, for each name of a value, of its product with a matrix."""

    terms: dict[str, np.ndarray]
    bias: np.ndarray

    def plus(self, other: Affine) -> Affine:
        terms = dict(self.terms)
        for name, matrix in other.terms.items():
            terms[name] = terms[name] + matrix if name in terms else matrix
        return Affine(terms, self.bias + other.bias)

    def columns(self, first: int, last: int) -> Affine:
        return Affine({name: matrix[:, first:last] for name, matrix in self.terms.items()}, self.bias[first:last])


@dataclass
class Layer:
    """An ONNX operator that does what the iterations of a loop do."""

    operator: str
    gates: list[tuple[Affine, Affine]]  # of the element and of the state, in the operator's order
    attributes: dict[str, Any]
    states: list[Value]  # what an iteration makes of the state, and for an LSTM of the cell


class Body:
    """The nodes of an iteration: `element` is the name of the sequence's element, `width` its number of features."""

    def __init__(self, scope: Scope, element: str, width: int) -> None:
        self.scope, self.element, self.width = scope, element, width

    def operands(self, value: Value, operator: str) -> list[Value] | None:
        node, operands = self.scope.made_by(value)
        return operands if node is not None and node.op_type == operator else None

    def matches(self, value: Value, form: Form, found: Found) -> Iterator[Found]:
        """The ways in which a value has a form: the values for its names, in which those of `found` are given."""
        if isinstance(form, str):
            if form not in found:
                yield {**found, form: value}
            elif found[form].name == value.name and (value.name or found[form] is value):
                yield found
            return
        operands = self.operands(value, form[0])
        if operands is None or len(operands) != len(form) - 1:
            return
        for order in itertools.permutations(operands) if form[0] in ("Add", "Mul") else [operands]:
            ways = [found]
            for operand, inner in zip(order, form[1:]):
                ways = [further for way in ways for further in self.matches(operand, inner, way)]
            yield from ways

    # --- sums of products

    def affine(self, value: Value) -> Affine:
        if value.known:
            return self._known(value)
        node, operands = self.scope.made_by(value)
        kind = None if node is None else node.op_type
        if kind == "MatMul" and operands[1].known and operands[1].array.ndim == 2 and operands[0].name:
            matrix = operands[1].array
            return Affine({operands[0].name: matrix}, np.zeros(matrix.shape[1], matrix.dtype))
        if kind == "Add":
            sides = [self.affine(operand) for operand in operands]
            if sides[0].bias.shape == sides[1].bias.shape:
                return sides[0].plus(sides[1])
        if (
            kind == "Squeeze" and operands[0].dims is not None and operands[0].dims[0] == 1
            and [o.ints() for o in operands[1:]] == [[0]]
        ):
            return self.affine(operands[0])  # the only row: Keras adds that of a batch of one as a vector
        if kind in ("Split", "Slice"):
            whole = self.affine(operands[0])
            first, last = self._cut(node, operands, value, whole.bias.size)
            return whole.columns(first, last)
        raise NotAffine(kind)

    @staticmethod
    def _known(value: Value) -> Affine:
        if value.array.ndim < 1 or value.array.size != value.array.shape[-1]:
            raise NotAffine("a known matrix")
        return Affine({}, value.array.reshape(-1))

    @staticmethod
    def _cut(node: Any, operands: Sequence[Value], value: Value, width: int) -> tuple[int, int]:
        """The columns that a part has of a matrix."""
        if node.op_type == "Slice":
            starts, ends, axes, steps = (operand.ints() for operand in operands[1:5])
            if axes not in ([1], [-1]) or steps != [1]:
                raise NotAffine("rows of a matrix")
            first, last, _ = slice(starts[0], ends[0]).indices(width)
            return first, last
        axis = next((a.i for a in node.attribute if a.name == "axis"), 0)
        if axis not in (1, -1) or len(operands) > 1 and not operands[1].known:
            raise NotAffine("rows of a matrix")
        sizes = operands[1].ints() if len(operands) > 1 else [width // len(node.output)] * len(node.output)
        place = list(node.output).index(value.name)
        return sum(sizes[:place]), sum(sizes[: place + 1])

    def gate(self, value: Value, state: str) -> tuple[Affine, Affine]:
        """The parts of the element and of the state in a sum; the bias is the element's."""
        whole = self.affine(value)
        if not whole.terms.keys() <= {self.element, state}:
            raise NotAffine("something else than the element and the state")
        size = whole.bias.size
        parts = [whole.terms.get(name) for name in (self.element, state)]
        full = [
            np.zeros((n, size), whole.bias.dtype) if part is None else part
            for part, n in zip(parts, (self.width, size))
        ]
        return Affine({self.element: full[0]}, whole.bias), Affine({state: full[1]}, 0 * whole.bias)

    # --- layers

    def layer(self, made: Mapping[str, Value]) -> Layer | None:
        """The layer that makes one or two new states out of old ones, by the names of these."""
        for names in itertools.permutations(made):
            try:
                found = (
                    self._lstm(made, *names) if len(names) == 2
                    else self._gru(made[names[0]], *names) or self._rnn(made[names[0]], *names)
                )
            except NotAffine:
                continue
            if found is not None:
                return found
        return None

    def _lstm(self, made: Mapping[str, Value], h: str, c: str) -> Layer | None:
        for outer in self.matches(made[h], LSTM, {"new cell": made[c]}):
            for inner in self.matches(made[c], CELL, {"c": Value(made[c].dtype, None, c)}):
                gates = [self.gate({**outer, **inner}[name], h) for name in ("input", "output", "forget", "cell")]
                return Layer("LSTM", gates, {}, [made[h], made[c]])
        return None

    def _gru(self, new: Value, h: str) -> Layer | None:
        old = {"h": Value(new.dtype, None, h)}
        for outer in self.matches(new, GRU, old):
            if not outer["one"].known or outer["one"].array.size != 1 or outer["one"].array != 1:
                continue
            for inner in self.matches(outer["new"], RESET_BEFORE, old):
                if inner["weights"].known:
                    new_gate = (
                        self._apart(inner["of x"]), Affine({h: inner["weights"].array}, 0 * inner["weights"].array[0])
                    )
                    return self._gru_of([self.gate(outer["update"], h), self.gate(inner["reset"], h), new_gate], new, 0)
            for inner in self.matches(outer["new"], RESET_AFTER, old):
                of_h = self.affine(inner["of h"])
                if of_h.terms.keys() == {h}:
                    new_gate = self._apart(inner["of x"]), of_h
                    return self._gru_of([self.gate(outer["update"], h), self.gate(inner["reset"], h), new_gate], new, 1)
        return None

    def _apart(self, value: Value) -> Affine:
        """A sum in which the element alone stands."""
        whole = self.affine(value)
        if whole.terms.keys() != {self.element}:
            raise NotAffine("something else than the element")
        return whole

    @staticmethod
    def _gru_of(gates: list[tuple[Affine, Affine]], new: Value, after: int) -> Layer:
        return Layer("GRU", gates, {"linear_before_reset": after}, [new])

    def _rnn(self, new: Value, h: str) -> Layer | None:
        for form in RNN:
            for found in self.matches(new, form, {}):
                return Layer("RNN", [self.gate(found["new"], h)], {"activations": [form[0]]}, [new])
        return None


def written(s: Scope, layer: Layer, sequence: Value, before: Sequence[Value]) -> tuple[Value, list[Value]]:
    """Write a layer; all states, and the last ones."""
    hidden = layer.gates[0][0].bias.size
    w, r = (np.concatenate([next(iter(gate[i].terms.values())).T for gate in layer.gates])[None] for i in (0, 1))
    b = np.concatenate([gate[i].bias for i in (0, 1) for gate in layer.gates])[None]
    starts = [s.unsqueeze(value, [0]) for value in before]
    kinds = [sequence.dtype] * (1 + len(before))
    whole, *last = s.ops(
        layer.operator, kinds, sequence, w, r, b, None, *starts, hidden_size=hidden, **layer.attributes
    )
    states = [s.squeeze(value, [0]) for value in last]
    for value in states:
        value.dims = (None, hidden)
    every = s.squeeze(whole, [1])
    every.dims = (None if sequence.dims is None else sequence.dims[0], None, hidden)
    return every, states
