"""`tf.compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite`: TensorFlow computes parts of graphs in half
precision on a GPU, and the optimizer scales the loss. Only the optimizer changes here: graphs keep their dtypes, as
TensorFlow's do on a CPU.
"""

from __future__ import annotations

from typing import Any

from reflow.api.export import export
from reflow.api.framework.keras_hooks import registered
from reflow.api.runtime_settings import set_experimental_options
from reflow.compat.train.loss_scales import MixedPrecisionLossScaleOptimizer
from reflow.compat.train.optimizers import Optimizer
from reflow.core.logging import warn

_TWO_WAYS = """\
The mixed precision graph rewrite cannot be enabled, because the global Keras dtype Policy has been set to a mixed \
precision policy. At most, one of the following can be called:

  1. tf.keras.mixed_precision.set_global_policy() with a mixed precision policy (You called this first)

  2. tf.train.experimental.enable_mixed_precision_graph_rewrite() (You called this second)
Use the first if in doubt: it supports eager execution."""


def _wrapped(opt: Any, loss_scale: Any) -> Any:
    """An optimizer of version 1 or of Keras 2 with one around it that scales the loss."""
    kinds = {
        Optimizer: (MixedPrecisionLossScaleOptimizer, MixedPrecisionLossScaleOptimizer),
        **registered.get("loss_scale_wrappers", {}),
    }
    for _, wrapper in kinds.values():
        if isinstance(opt, wrapper):
            raise ValueError(
                f'"opt" must not already be an instance of a {wrapper.__name__}. '
                f"`enable_mixed_precision_graph_rewrite` will automatically wrap the optimizer with a "
                f"{wrapper.__name__}."
            )
    for kind, (wrap, _) in kinds.items():
        if isinstance(opt, kind):
            return wrap(opt, loss_scale)
    raise ValueError(
        f'"opt" must be an instance of a tf.train.Optimizer or a tf.keras.optimizers.Optimizer, but got: {opt}'
    )


@export(
    "compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite",
    "compat.v1.train.experimental.enable_mixed_precision_graph_rewrite",
)
def enable_mixed_precision_graph_rewrite(opt: Any, loss_scale: Any = "dynamic") -> Any:
    """Wraps an optimizer so that it scales the loss, and asks for graphs in half precision.

    Reflow does not rewrite graphs: they keep their dtypes, as TensorFlow's do where there is no GPU.

    Args:
      opt: An optimizer of version 1.
      loss_scale: A number, "dynamic", or a `LossScale`.

    Returns:
      The optimizer to use in place of `opt`.

    Raises:
      ValueError: `opt` is no optimizer or scales the loss already, or a policy of Keras computes in half precision.

    >>> inner = tf.compat.v1.train.GradientDescentOptimizer(0.25)
    >>> opt = tf.compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite(inner, 128.0)
    >>> type(opt).__name__, tf.config.optimizer.get_experimental_options()["auto_mixed_precision"]
    ('MixedPrecisionLossScaleOptimizer', True)
    >>> tf.compat.v1.mixed_precision.disable_mixed_precision_graph_rewrite()
    """
    if registered.get("mixed_precision_policy"):
        raise ValueError(_TWO_WAYS)
    if registered.get("session_without_rewrite"):
        warn(
            "You already have existing Sessions that do not use mixed precision. "
            "enable_mixed_precision_graph_rewrite() will not affect these Sessions."
        )
    wrapped = _wrapped(opt, loss_scale)
    _rewrite(True)
    return wrapped


@export(
    "compat.v1.mixed_precision.disable_mixed_precision_graph_rewrite",
    "compat.v1.train.experimental.disable_mixed_precision_graph_rewrite",
)
def disable_mixed_precision_graph_rewrite() -> None:
    """Undoes `enable_mixed_precision_graph_rewrite`; optimizers stay wrapped.

    >>> tf.compat.v1.mixed_precision.disable_mixed_precision_graph_rewrite()
    """
    if not registered.get("graph_rewrite"):
        warn("disable_mixed_precision_graph_rewrite() called when mixed precision is already disabled.")
    _rewrite(False)


def _rewrite(on: bool) -> None:
    set_experimental_options({"auto_mixed_precision": on})
    registered["graph_rewrite"] = on
