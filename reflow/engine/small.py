"""Small networks in plans: a profile's program as C++ steps (`steps.py`), in addition to its XLA program.

One call runs all steps, in memory that is kept for the next call: six dense layers take 5 µs, where calling an XLA
program alone takes 30 to 100. Large products are distributed over threads (`reflow/native/crew.h`). The XLA program
stays in the plan for machines without our kernels. Networks below `FEW` always run in steps; a larger one does if that
is faster at build time (`tactics.py`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from reflow import native
from reflow.engine import plan
from reflow.engine.encoding import CannotEncode
from reflow.engine.steps import Encoded, encode
from reflow.native.network import BadSteps, Network, address_of
from reflow.ops.xp.xla.base import wide_types

#: multiply-adds, or numbers written, of a network that is small without a measurement: some 50 µs
FEW = 1 << 20
MOST = 1 << 38  # of one that is timed
MOST_BYTES = 1 << 30  # of weights

FLOAT = np.dtype(np.float32)
Shapes = Sequence[Sequence[int]]


def encoded(
    function: Callable[..., Any] | None, weights: Sequence[np.ndarray], inputs: Sequence[jax.ShapeDtypeStruct]
) -> Encoded | None:
    """The steps of a program, or None if it has none, if it is too large to measure, or if there are no kernels."""
    if (
        function is None or jax.default_backend() != "cpu" or sum(w.nbytes for w in weights) > MOST_BYTES
        or not native.available()
    ):
        return None
    try:
        with wide_types():
            made = encode(function, weights, inputs, MOST)
        program_of(made)
    except (CannotEncode, BadSteps):
        return None
    return made


def program_of(made: Encoded) -> SmallProgram:
    return SmallProgram(made.steps, made.constants, made.inputs, made.outputs)


def packed(made: Encoded) -> tuple[bytes, bytes]:
    """A network as two sections of a plan: its steps, its constants."""
    head = json.dumps({"inputs": made.inputs, "outputs": made.outputs, "columns": native.panel_columns()}).encode()
    return plan.pack_files({"shapes": head, "steps": np.asarray(made.steps, "<i8").tobytes()}), made.constants.tobytes()


def unpacked(section: memoryview, constants: memoryview) -> SmallProgram | None:
    """The network of a plan; None if it was built for a processor whose kernels have other panels.

    Raises:
      PlanError: the sections do not fit together.
    """
    try:
        files = plan.unpack_files(section)
        head, steps = json.loads(bytes(files["shapes"])), np.frombuffer(files["steps"], "<i8")
        if head["columns"] != native.panel_columns():
            return None
        return SmallProgram(steps.tolist(), np.frombuffer(constants, "<f4"), head["inputs"], head["outputs"])
    except (KeyError, TypeError, ValueError) as error:
        raise plan.PlanError(f"The steps of the plan are damaged: {error}") from error


class SmallProgram:
    """A network that is ready to run."""

    def __init__(self, steps: Sequence[int], constants: np.ndarray, inputs: Shapes, outputs: Shapes) -> None:
        shapes = [tuple(int(n) for n in shape) for shape in (*inputs, *outputs)]
        sizes = [math.prod(shape) for shape in shapes]
        if (
            any(n < 1 for shape in shapes for n in shape) or list(steps[4 : 4 + len(sizes)]) != sizes
            or steps[1] != len(sizes)
        ):
            raise ValueError(f"arguments of {sizes} numbers, of which the steps know nothing")
        self._network = Network(steps, constants)
        self.inputs, self.outputs = shapes[: len(inputs)], shapes[len(inputs) :]
        # scratch memories, with their addresses; each running thread has one
        self._spare: list[tuple[int, np.ndarray]] = []

    def __call__(self, weights: Any, inputs: Sequence[Any]) -> list[np.ndarray]:
        """The outputs for arrays of the right shapes; the weights are those that it was made with."""
        outputs = [np.empty(shape, np.float32) for shape in self.outputs]  # the steps write every element
        given = [x if type(x) is np.ndarray and x.flags.c_contiguous else np.ascontiguousarray(x) for x in inputs]
        self._run(self._network.pointers([address_of(array) for array in (*given, *outputs)]))
        return outputs

    def _run(self, pointers: Any) -> None:
        try:
            scratch = self._spare.pop()
        except IndexError:
            memory = self._network.scratch()
            scratch = address_of(memory), memory
        self._network.run(scratch[0], pointers)
        self._spare.append(scratch)

    def takes(self, inputs: Sequence[Any]) -> bool:
        """Whether these are NumPy arrays of the right shapes and dtypes."""
        return len(inputs) == len(self.inputs) and all(
            [type(x) is np.ndarray and x.shape == shape and x.dtype == FLOAT for x, shape in zip(inputs, self.inputs)]
        )

    def bound(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> Callable[[], None] | None:
        """A call on these arrays without further checks; None if they do not fit, or overlap."""
        if not self.takes(inputs) or any(type(y) is not np.ndarray or y.dtype != FLOAT for y in outputs):
            return None
        if not all(a.flags.c_contiguous for a in (*inputs, *outputs)) or not all(y.flags.writeable for y in outputs):
            return None
        if [y.size for y in outputs] != [math.prod(shape) for shape in self.outputs]:
            return None
        if any(np.may_share_memory(y, a) for i, y in enumerate(outputs) for a in (*inputs, *outputs[:i])):
            return None
        pointers = self._network.pointers([address_of(array) for array in (*inputs, *outputs)])
        return lambda: self._run(pointers)
