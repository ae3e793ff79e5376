"""`tensorflow.python.ops.custom_gradient`: which variables of a graph a result depends on."""

from __future__ import annotations

from collections.abc import Sequence

from reflow.compat.behavior import GraphKeys, get_collection
from reflow.core.context import state
from reflow.core.tensor import Tensor
from reflow.eager.variables import Variable
from reflow.function.gradients import records_of


def get_variable_by_name(var_name: str) -> Variable | None:
    """The variable of the graph whose op has a name; None if it is not trained.

    Raises:
      ValueError: there is none, or there are several.
    """
    named = [v for v in get_collection(GraphKeys.GLOBAL_VARIABLES) if v.op.name == var_name]
    if not named:
        raise ValueError(f"Unsuccessful at finding variable {var_name}.")
    trained = [v for v in named if v.trainable]
    if len(trained) > 1:
        raise ValueError(
            f"Unsuccessful at finding trainable variable {var_name}. Number of candidates: "
            f"{len(trained)}. Candidates: {trained}"
        )
    return trained[0] if trained else None


def _get_dependent_variables(input_ops: Sequence[Tensor], output_ops: Sequence[Tensor]) -> list[Variable]:
    """The trained variables through which a cotangent of the outputs flows without passing the inputs."""
    stops = {t._id for t in input_ops}
    reached = {t._id for t in output_ops} - stops
    for op, inputs, outputs, attrs in reversed(records_of(state.graph)):
        differentiable = op.differentiable or "_gradient_function" in attrs
        if differentiable and any(o._id in reached for o in outputs):
            reached |= {t._id for i, t in enumerate(inputs) if i not in op.nondiff_indices} - stops
    return [v for v in get_collection(GraphKeys.TRAINABLE_VARIABLES) if v.handle._id in reached]
