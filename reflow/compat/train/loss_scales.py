"""Loss scaling: losses are multiplied before gradients are taken, so that small gradients do not vanish in float16.

A *loss scale* is a number that may change from step to step: `loss_scale()` is the tensor;
`loss_scale.update(gradients)` returns an operation that updates it and whether the gradients may be applied.
`MixedPrecisionLossScaleOptimizer` does both around another optimizer.
"""

from __future__ import annotations

import abc
from typing import Any

from reflow.api.array import arrange
from reflow.api.control.printing import group, no_op
from reflow.api.export import export
from reflow.api.framework.core_names import control_dependencies
from reflow.api.math import arithmetic, reduce, unary
from reflow.compat.graph_variables import VariableV1
from reflow.compat.train.optimizers import Optimizer
from reflow.core import dtypes, nest
from reflow.core.context import init_scope, state
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.tensor import Tensor
from reflow.function.control_flow import cond
from reflow.ops.convert import constant, convert_to_tensor
from reflow.tracking.trackable import AutoTrackable

_SPACES = ("compat.v1.mixed_precision", "compat.v1.mixed_precision.experimental", "compat.v1.train.experimental")


def _names(name: str) -> tuple[str, ...]:
    return tuple(f"{space}.{name}" for space in _SPACES)


@export(*_names("LossScale"))
class LossScale(AutoTrackable, abc.ABC):
    """The base of loss scales. A subclass gives `__call__`, `update` and `get_config`.

    >>> class Constant(tf.compat.v1.mixed_precision.LossScale):
    ...     def __call__(self):
    ...         return tf.constant(128.0)
    ...     def update(self, grads):
    ...         return tf.no_op(), tf.constant(True)
    ...     def get_config(self):
    ...         return {}
    >>> Constant()().numpy().item()
    128.0
    """

    def __init__(self) -> None:
        self._weights: dict[str, Any] = {}

    @abc.abstractmethod
    def __call__(self) -> Tensor:
        """The scale, a number of float32."""

    @abc.abstractmethod
    def update(self, grads: Any) -> tuple[Any, Any]:
        """(an operation that moves the scale, whether the gradients may be applied)."""

    @abc.abstractmethod
    def get_config(self) -> dict:
        """The arguments that make an equal scale."""

    @classmethod
    def from_config(cls, config: dict) -> LossScale:
        """A loss scale made from what `get_config` returned."""
        return cls(**config)

    def _add_weight(self, name: str, initial_value: Any, dtype: Any = None) -> Any:
        make: Any = VariableV1
        with init_scope():
            variable = make(initial_value, name=name, dtype=dtype, trainable=False, use_resource=True)
        self._weights[name] = variable
        return variable


@export(*_names("FixedLossScale"))
class FixedLossScale(LossScale):
    """A loss scale that stays the same.

    >>> tf.compat.v1.train.experimental.FixedLossScale(8.0)().numpy().item()
    8.0
    """

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        if not isinstance(loss_scale_value, (int, float)):
            raise ValueError("loss_scale_value must be a Python int or float.")
        if loss_scale_value < 1:
            raise ValueError("loss_scale_value must be at least 1.")
        self._loss_scale_value = float(loss_scale_value)

    def __call__(self) -> Tensor:
        return constant(self._loss_scale_value, dtypes.float32)

    def update(self, grads: Any) -> tuple[Any, Any]:
        del grads  # it never moves
        return no_op(), True

    def __repr__(self) -> str:
        return f"FixedLossScale({self._loss_scale_value})"

    def get_config(self) -> dict:
        return {"loss_scale_value": self._loss_scale_value}


@export(*_names("DynamicLossScale"))
class DynamicLossScale(LossScale):
    """A loss scale that grows by `multiplier` after `increment_period` steps with finite gradients, and falls by it
    after one without.

    >>> scale = tf.compat.v1.train.experimental.DynamicLossScale(initial_loss_scale=8.0)
    >>> _, applies = scale.update([tf.constant(float("inf"))])
    >>> bool(applies), scale().numpy().item()
    (False, 4.0)
    """

    def __init__(
        self, initial_loss_scale: float = 2.0**15, increment_period: int = 2000, multiplier: float = 2.0
    ) -> None:
        super().__init__()
        self._initial_loss_scale, self._increment_period = float(initial_loss_scale), int(increment_period)
        self._multiplier = float(multiplier)
        self._current_loss_scale = self._add_weight("current_loss_scale", self._initial_loss_scale, dtypes.float32)
        self._num_good_steps = self._add_weight("good_steps", 0, dtypes.int64)

    initial_loss_scale = property(lambda self: self._initial_loss_scale)
    increment_period = property(lambda self: self._increment_period)
    multiplier = property(lambda self: self._multiplier)

    def __call__(self) -> Tensor:
        return convert_to_tensor(self._current_loss_scale)

    def update(self, grads: Any) -> tuple[Any, Any]:
        finite = _all_finite(nest.flatten(grads))
        return cond(finite, self._after_good_step, self._after_bad_step), finite

    def _after_good_step(self) -> Any:
        scale, steps = self._current_loss_scale, self._num_good_steps

        def grown() -> Any:
            larger = scale * self._multiplier
            fits = cond(unary.is_finite(larger), lambda: _done(scale.assign(larger)), _done)
            return _done(fits, steps.assign(0))

        return cond(
            arithmetic.greater_equal(steps + 1, self._increment_period), grown, lambda: _done(steps.assign_add(1))
        )

    def _after_bad_step(self) -> Any:
        smaller = arithmetic.maximum(self._current_loss_scale / self._multiplier, 1.0)
        return _done(self._num_good_steps.assign(0), self._current_loss_scale.assign(smaller))

    def __repr__(self) -> str:
        now = ""
        if state.graph is None:
            now = (
                f"current_loss_scale={self._current_loss_scale.numpy()}, "
                f"num_good_steps={self._num_good_steps.numpy()}, "
            )
        return (
            f"DynamicLossScale({now}initial_loss_scale={self._initial_loss_scale}, "
            f"increment_period={self._increment_period}, multiplier={self._multiplier})"
        )

    def get_config(self) -> dict:
        return {
            "initial_loss_scale": self._initial_loss_scale,
            "increment_period": self._increment_period,
            "multiplier": self._multiplier,
        }


def _done(*assigned: Any) -> Tensor:
    """The result of a branch that only assigns: true, computed after the assignments.

    A plain graph runs only what a result needs.
    """
    with control_dependencies([x for x in (group(*assigned),) if x is not None]):
        return arrange.identity(constant(True))


def _all_finite(grads: list) -> Tensor:
    """Whether all numbers in all gradients are finite."""
    values = [g.values if isinstance(g, IndexedSlices) else g for g in grads if g is not None]
    each = [reduce.reduce_all(unary.is_finite(convert_to_tensor(v))) for v in values]
    return reduce.reduce_all(convert_to_tensor(each)) if each else constant(True)


def get(identifier: Any) -> LossScale | None:
    """The loss scale of a number, of "dynamic", or of a loss scale."""
    if isinstance(identifier, (int, float)):
        return FixedLossScale(identifier)
    if identifier == "dynamic":
        return DynamicLossScale()
    if identifier is None or isinstance(identifier, LossScale):
        return identifier
    raise ValueError(f"Could not interpret loss scale identifier: {identifier}")


@export(
    "compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer",
    "compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer",
)
class MixedPrecisionLossScaleOptimizer(Optimizer):
    """An optimizer around another: it scales the loss, takes the scale out of the gradients, and leaves out steps that
    are not finite.

    >>> v = tf.Variable(1.0)
    >>> inner = tf.compat.v1.train.GradientDescentOptimizer(0.25)
    >>> scaled = tf.compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer(inner, 128.0)
    >>> _ = scaled.minimize(lambda: v * 2.0, var_list=[v])
    >>> v.numpy().item()
    0.5
    """

    def __init__(self, opt: Optimizer, loss_scale: Any) -> None:
        if not isinstance(opt, Optimizer):
            raise ValueError(f'"opt" must be an instance of Optimizer, but got: {type(opt)}')
        super().__init__(False, type(opt).__name__)
        self._optimizer, found = opt, get(loss_scale)
        if found is None:
            raise ValueError("loss_scale cannot be None")
        self._loss_scale = found

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> list:
        scaled = (lambda: self._scaled(loss())) if callable(loss) else self._scaled(loss)
        pairs = self._optimizer.compute_gradients(scaled, *args, **kwargs)
        factor = 1.0 / self._loss_scale()
        return [(None if g is None else _times(g, factor), v) for g, v in pairs]

    def _scaled(self, loss: Any) -> Tensor:
        loss = convert_to_tensor(loss)
        return loss * arithmetic.cast(self._loss_scale(), loss.dtype)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Any:
        pairs = list(grads_and_vars)
        moved, applies = self._loss_scale.update([g for g, _ in pairs])

        def applied() -> Any:
            return _done(self._optimizer.apply_gradients(pairs, global_step, name))

        if isinstance(applies, bool):
            return group(moved, self._optimizer.apply_gradients(pairs, global_step, name))
        with init_scope():
            self._optimizer._make_slots([v for _, v in pairs])  # variables are not made in branches
        return group(moved, cond(applies, applied, _done))

    def get_slot(self, var: Any, name: str) -> Any:
        return self._optimizer.get_slot(var, name)

    def get_slot_names(self) -> list:
        """The slots of the optimizer inside."""
        return self._optimizer.get_slot_names()

    def variables(self) -> list:
        return [*self._optimizer.variables(), *self._loss_scale._weights.values()]


def _times(grad: Any, factor: Tensor) -> Any:
    if isinstance(grad, IndexedSlices):
        return IndexedSlices(_times(grad.values, factor), grad.indices, grad.dense_shape)
    return grad * arithmetic.cast(factor, grad.dtype)
