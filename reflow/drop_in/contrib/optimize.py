"""`tf.contrib.layers.optimize_loss`: a loss as a tensor whose computation takes a step of an optimizer."""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange
from reflow.api.math import arithmetic, clip
from reflow.api.random import sampling
from reflow.compat import summary
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.train import optimizers
from reflow.compat.train.global_step import get_global_step
from reflow.compat.variable_scopes import variable_scope
from reflow.core.indexed_slices import IndexedSlices
from reflow.ops.convert import convert_to_tensor

OPTIMIZER_CLS_NAMES: dict[str, Any] = {
    "Adagrad": optimizers.AdagradOptimizer,
    "Adam": optimizers.AdamOptimizer,
    "Ftrl": optimizers.FtrlOptimizer,
    "Momentum": lambda learning_rate: optimizers.MomentumOptimizer(learning_rate, momentum=0.9),
    "RMSProp": optimizers.RMSPropOptimizer,
    "SGD": optimizers.GradientDescentOptimizer,
}
OPTIMIZER_SUMMARIES = ("learning_rate", "loss", "gradients", "gradient_norm", "global_gradient_norm")


def optimize_loss(
    loss, global_step, learning_rate, optimizer, gradient_noise_scale=None, gradient_multipliers=None,
    clip_gradients=None, learning_rate_decay_fn=None, update_ops=None, variables=None, name=None, summaries=None,
    colocate_gradients_with_ops=False, increment_global_step=True,
):
    """The loss as a tensor whose computation takes a step.

    Args:
      optimizer: the name of one, a class, a function of the learning rate, or an optimizer itself.
      gradient_noise_scale: how much normal noise is added to gradients.
      gradient_multipliers: factors of gradients, by variable or its name.
      clip_gradients: the greatest global norm of gradients, or a function of the pairs of gradients and variables.
      learning_rate_decay_fn: a function of the learning rate and the step.
      update_ops: what runs before; by default the collection UPDATE_OPS.
      variables: what is trained; by default all trainable variables.
      summaries: which are written, of OPTIMIZER_SUMMARIES; by default "learning_rate", "loss" and
        "global_gradient_norm".
      colocate_gradients_with_ops: of `compute_gradients`.
    """
    chosen = ("learning_rate", "loss", "global_gradient_norm") if summaries is None else summaries
    for kind in chosen:
        if kind not in OPTIMIZER_SUMMARIES:
            raise ValueError(f"Summaries should be one of [{', '.join(OPTIMIZER_SUMMARIES)}], you provided {kind}.")
    step = get_global_step() if global_step is None else global_step
    graph = get_default_graph()
    with variable_scope(name, "OptimizeLoss", [loss, step]):
        before = graph.get_collection(GraphKeys.UPDATE_OPS) if update_ops is None else update_ops
        with graph.control_dependencies(list(before)):
            loss = arrange.identity(loss)
        rate = learning_rate
        if learning_rate_decay_fn is not None:
            if step is None:
                raise ValueError("global_step is required for learning_rate_decay_fn.")
            rate = learning_rate_decay_fn(rate, step)
        if rate is not None and "learning_rate" in chosen:
            summary.scalar("learning_rate", rate)
        made = _optimizer(optimizer, rate)
        computed = made.compute_gradients(loss, variables, colocate_gradients_with_ops=colocate_gradients_with_ops)
        pairs = [(g, v) for g, v in computed if g is not None]
        pairs = _changed(pairs, gradient_noise_scale, gradient_multipliers, clip_gradients)
        _summarize(chosen, loss, pairs)
        train = made.apply_gradients(pairs, step if increment_global_step else None, "train")
        with graph.control_dependencies([train]):
            return arrange.identity(loss)


def _summarize(chosen: Any, loss: Any, pairs: list) -> None:
    if "loss" in chosen:
        summary.scalar("loss", loss)
    for gradient, variable in pairs:
        values = gradient.values if isinstance(gradient, IndexedSlices) else gradient
        if "gradients" in chosen:
            summary.histogram(f"gradients/{variable.op.name}", values)
        if "gradient_norm" in chosen:
            summary.scalar(f"gradient_norm/{variable.op.name}", clip.global_norm([values]))
    if "global_gradient_norm" in chosen:
        summary.scalar("global_norm/gradient_norm", clip.global_norm([g for g, _ in pairs]))


def _optimizer(given: Any, rate: Any) -> Any:
    if isinstance(given, str):
        if given not in OPTIMIZER_CLS_NAMES:
            raise ValueError(
                f"Optimizer name should be one of [{', '.join(OPTIMIZER_CLS_NAMES)}], you provided {given}."
            )
        return OPTIMIZER_CLS_NAMES[given](learning_rate=rate)
    if isinstance(given, optimizers.Optimizer):
        return given
    if not callable(given):
        raise ValueError(
            "Unrecognized optimizer: should be string, subclass of Optimizer, instance of subclass of Optimizer or "
            f"function with one argument. Got {given}."
        )
    return given(learning_rate=rate) if isinstance(given, type) else given() if rate is None else given(rate)


def _changed(pairs: list, noise: float | None, multipliers: Any, limit: Any) -> list:
    """Pairs of gradients and variables with noise, factors, and clipped."""
    if noise is not None:
        pairs = [
            (convert_to_tensor(g) + sampling.normal(arrange.shape(convert_to_tensor(g))) * noise, v) for g, v in pairs
        ]
    if multipliers is not None:
        if not isinstance(multipliers, dict) or not multipliers:
            raise ValueError("gradient_multipliers must be a dict of variables or their names to factors.")
        pairs = [(_times(g, multipliers.get(v.name, multipliers.get(v.op.name))), v) for g, v in pairs]
    if limit is None:
        return pairs
    if callable(limit):
        return list(limit(pairs))
    if not isinstance(limit, (int, float)):
        raise ValueError(f"Unknown type {type(limit)} for clip_gradients")
    clipped, _ = clip.clip_by_global_norm([g for g, _ in pairs], limit)
    return list(zip(clipped, [v for _, v in pairs], strict=True))


def _times(gradient: Any, factor: Any) -> Any:
    if factor is None:
        return gradient
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(gradient.values * factor, gradient.indices, gradient.dense_shape)
    return gradient * arithmetic.cast(factor, gradient.dtype)

