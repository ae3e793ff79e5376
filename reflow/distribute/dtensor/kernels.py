"""The records of ops that change a tensor's layout.

On the host they are no-ops; in a program they constrain XLA's partitioner.
"""

from __future__ import annotations

from typing import Any

from reflow.core.tensor import ndarray
from reflow.ops import shape_rules as rules
from reflow.ops.dispatch import run
from reflow.ops.registry import own_op


def _like_input(attrs: Any, inputs: Any, outputs: Any, cts: Any, wanted: Any) -> tuple[Any, ...]:
    """A gradient goes back to where the input was."""
    return (run("Reflow>RelayoutLike", cts[0], inputs[0], T_output=cts[0].dtype), *[None] * (len(inputs) - 1))


@own_op("Relayout", inputs="input", attrs=("layout",), shape=rules.same, grad_tensors=_like_input, needs=("input",))
def relayout(_: Any, input: Any, layout: Any) -> Any:
    if type(input) is ndarray:
        return input
    import jax

    from reflow.distribute.dtensor.layout import sharding_of

    return jax.lax.with_sharding_constraint(input, sharding_of(layout))


@own_op("RelayoutLike", inputs="input layout_input", shape=rules.same, grad_tensors=_like_input, needs=("input",))
def relayout_like(_: Any, input: Any, layout_input: Any) -> Any:
    if type(input) is ndarray or input.shape != layout_input.shape:
        return input
    try:
        from jax.experimental.shard_alike import shard_alike
    except ImportError:  # removed in JAX 0.11: the partitioner chooses, as for every unconstrained value
        return input
    return shard_alike(input, layout_input)[0]
