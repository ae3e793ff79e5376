"""Gradients in a SavedModel: those of `tf.custom_gradient` in functions whose Python code is gone.

The node with such a gradient names it in its attribute `_gradient_op_type`. The file's library says which function that
is. The function takes a cotangent for each output of the node, then its captures: variables, constants, and tensors of
the function that contains the node. Such a tensor is also an object of the file, of the kind `captured_tensor`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from reflow.core import nest
from reflow.core.specs import TensorSpec
from reflow.core.types import Attrs
from reflow.function.gradients import NodeGradient, cotangent_type
from reflow.graph.export import OwnGradient
from reflow.graph.func_graph import FuncGraph
from reflow.ops.convert import constant
from reflow.ops.dispatch import dispatch, run
from reflow.ops.kernels.control.flow import CALLS
from reflow.ops.reverse import Cotangents, Tensors, Wanted, dense
from reflow.saved_model import structures
from reflow.saved_model.functions import packed


def traced(own: OwnGradient) -> NodeGradient:
    """The gradient of a node as a graph that takes a cotangent for each output of the node.

    Raises:
      ValueError: the user's function fails.
    """
    cotangents = [TensorSpec(dims, dtype) for dtype, dims in map(cotangent_type, own.node.outputs)]
    try:
        return NodeGradient(own.node, cotangents, [True] * len(own.node.inputs))
    except Exception as error:
        raise ValueError(
            f"The custom gradient of '{own.node.name}' cannot be traced for the SavedModel. Change it, or save without "
            "gradients: tf.saved_model.SaveOptions(experimental_custom_gradients=False)."
        ) from error


@dataclass(frozen=True)
class CapturedTensor:
    """A tensor of one of the file's functions, by its name there."""

    function: str
    name: str


@dataclass
class SavedGradient:
    """The gradient of a node, as the library's function. It is called as every gradient is; see `ops/reverse.py`."""

    op_type: str
    graph: FuncGraph | None = None
    captured: list[Any] = field(default_factory=list)
    structure: Any = None  # what the function returns: None where an input has no gradient

    def bind(self, graph: FuncGraph, captured: list[Any], proto: Any) -> None:
        """Give the gradient its function, once the file's functions are built."""
        self.structure = structures.decode(proto.output_signature)
        specs = [s for s in nest.flatten(self.structure, expand_composites=True) if s is not None]
        if len(specs) != len(graph.outputs) or len(graph.inputs) < len(captured):
            raise ValueError(f"the gradient '{self.op_type}' does not fit its signature")
        self.graph, self.captured = graph, captured

    def __call__(
        self, attrs: Attrs, inputs: Tensors, outputs: Tensors, cotangents: Cotangents, wanted: Wanted
    ) -> Cotangents:
        assert self.graph is not None, "nothing is differentiated before loading is over"
        given = [_zeros(o) if c is None else dense(c) for o, c in zip(outputs, cotangents, strict=True)]
        types = {"Tin": [t._dtype for t in self.graph.inputs], "Tout": [t._dtype for t in self.graph.outputs]}
        results = dispatch(CALLS[1], [*given, *self.captured], {"f": self.graph, **types})
        return list(nest.flatten(packed(self.structure, results)))


def _zeros(output: Any) -> Any:
    """The cotangent of an output that nothing depends on; that of a handle is like the variable's value."""
    if output._dtype.kind != "o":
        return run("ZerosLike", output)
    dtype, dims = cotangent_type(output)
    return constant(np.zeros([d or 0 for d in dims or ()]), dtype)
