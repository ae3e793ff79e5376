"""The layout of cuDNN's recurrent weights in the single vector `params`.

- A *cell* is one layer in one direction. Cells are numbered layer by layer; a bidirectional layer has two, forward
  first.
- A cell has the weights of its *gates*, first those that multiply its input, then those that multiply its state, each a
  matrix of (units, columns); then, with a projection, the matrix (projected, units). It has one bias per gate matrix.
- `params` holds all weights of all cells, then all biases. On a GPU cuDNN may leave gaps between them; here there are
  none.
- The order of the gates: LSTM input, forget, candidate, output; GRU reset, update, candidate.
- In the mode `skip_input` the first layer adds its input directly, and has no weights for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from reflow.core.types import Array
from reflow.ops.protocols import Xp
from reflow.ops.shape_facts import text

GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}


@dataclass(frozen=True)
class CellWeights:
    """The weights of one cell: (gates * units, columns) for input and state, biases (gates * units), the projection or
    None. Without weights for the input `of_input` has no columns."""

    of_input: Array
    of_state: Array
    projection: Array | None
    input_bias: Array
    state_bias: Array


@dataclass(frozen=True)
class Layout:
    """The sizes of a network, and where its parameters are."""

    mode: str
    layers: int
    directions: int
    units: int
    input_size: int
    projected: int = 0
    skips: bool = False

    @classmethod
    def of(cls, attrs: dict, layers: int, units: int, input_size: int) -> Layout:
        """The layout of an op with these attributes; ValueError where the sizes do not fit them."""
        mode, projected = attrs.get("rnn_mode", "lstm"), attrs.get("num_proj", 0)
        input_mode = attrs.get("input_mode", "linear_input")
        skips = input_mode == "skip_input" or input_mode == "auto_select" and input_size == units
        if skips and input_size != units:
            raise ValueError(f"skip_input needs an input as wide as the units, got {input_size} and {units}")
        if projected and mode != "lstm":
            raise ValueError(f"Only an lstm has a projection, not {mode}")
        if min(layers, units, input_size) < 1:
            raise ValueError(f"Layers, units and input size must be positive, got {layers}, {units} and {input_size}")
        directions = 2 if attrs.get("direction", "unidirectional") == "bidirectional" else 1
        return cls(mode, layers, directions, units, input_size, projected, skips)

    @property
    def gates(self) -> int:
        return GATES[self.mode]

    @property
    def state_size(self) -> int:
        """How wide a cell's output is."""
        return self.projected or self.units

    @property
    def cells(self) -> int:
        return self.layers * self.directions

    def input_columns(self, cell: int) -> int:
        """How wide the input of a cell is, as its weights see it."""
        if cell < self.directions:
            return 0 if self.skips else self.input_size
        return self.state_size * self.directions

    def weight_shapes(self, cell: int) -> list[tuple[int, int]]:
        """The matrices of one cell, in their order."""
        shapes = [(self.units, self.input_columns(cell))] * self.gates + [(self.units, self.state_size)] * self.gates
        return shapes + [(self.projected, self.units)] * bool(self.projected)

    def all_weight_shapes(self) -> list[tuple[int, int]]:
        return [shape for cell in range(self.cells) for shape in self.weight_shapes(cell)]

    def weight_count(self) -> int:
        return self.cells * (2 * self.gates + bool(self.projected))

    def bias_count(self) -> int:
        return self.cells * self.gates * 2

    def size(self) -> int:
        """How many numbers `params` has."""
        later = self.cells - self.directions  # counted, not added up: a file may say that there are a billion layers
        columns = (
            self.directions * self.input_columns(0) + later * self.input_columns(self.directions)
            + self.cells * self.state_size
        )
        return self.units * (self.gates * columns + self.cells * self.projected + self.bias_count())

    def split(self, xp: Xp, params: Array) -> tuple[list[Array], list[Array]]:
        """The matrices and the biases that `params` holds."""
        if params.shape != (self.size(),):
            raise ValueError(f"params must have shape [{self.size()}], but got shape {text(params.shape)}")
        shapes = self.all_weight_shapes()
        sizes = [*map(math.prod, shapes), *[self.units] * self.bias_count()]
        parts = xp.split(params, sizes, 0)
        weights = [xp.reshape(part, shape) for part, shape in zip(parts, shapes, strict=False)]
        return weights, list(parts[len(shapes) :])

    def join(self, xp: Xp, weights: list[Array], biases: list[Array]) -> Array:
        """`params` of these matrices and biases."""
        return xp.concat([xp.reshape(part, (math.prod(part.shape),)) for part in (*weights, *biases)], 0)

    def unpack(self, xp: Xp, params: Array) -> list[CellWeights]:
        """The weights of each cell, the gates of one kind in one matrix."""
        weights, biases = self.split(xp, params)
        gates, each = self.gates, len(self.weight_shapes(0))
        cells = []
        for cell in range(self.cells):
            own, own_biases = weights[cell * each : (cell + 1) * each], biases[cell * 2 * gates :]
            cells.append(
                CellWeights(
                    xp.concat(own[:gates], 0), xp.concat(own[gates : 2 * gates], 0),
                    own[-1] if self.projected else None, xp.concat(own_biases[:gates], 0),
                    xp.concat(own_biases[gates : 2 * gates], 0),
                )
            )
        return cells

    def pack(self, xp: Xp, cells: list[CellWeights]) -> Array:
        """`params` again: the inverse of `unpack`."""
        weights = [part for c in cells for part in (c.of_input, c.of_state, c.projection) if part is not None]
        return self.join(xp, weights, [bias for c in cells for bias in (c.input_bias, c.state_bias)])
