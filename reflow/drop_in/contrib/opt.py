"""`tf.contrib.opt`: optimizers beyond those of `tf.train`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from reflow.api.control.printing import group
from reflow.api.framework.core_names import control_dependencies
from reflow.api.math import arithmetic
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.functions import gradients
from reflow.compat.session import get_default_session
from reflow.compat.train import optimizers
from reflow.compat.train.saver import Saver
from reflow.core.logging import logger
from reflow.ops.convert import convert_to_tensor
from reflow.train.moving_average import ExponentialMovingAverage


class LazyAdamOptimizer(optimizers.AdamOptimizer):
    """Adam. Gradients of rows change the averages of these rows only."""

    sparse_by_rows = True


class _Decayed:
    """Weight decay that is decoupled from the gradients (Loshchilov and Hutter)."""

    _weight_decay: Any

    def minimize(self, loss, global_step=None, var_list=None, *args, decay_var_list=None, **kwargs):
        """A step on a loss; `decay_var_list` are the variables that decay, by default all."""
        self._decayed = None if decay_var_list is None else {id(v) for v in decay_var_list}
        return super().minimize(loss, global_step, var_list, *args, **kwargs)  # type: ignore[misc]

    _decayed: set[int] | None = None

    def apply_gradients(self, grads_and_vars, global_step=None, name=None, decay_var_list=None):
        """A step with given gradients."""
        pairs = list(grads_and_vars)
        if decay_var_list is not None:
            self._decayed = {id(v) for v in decay_var_list}
        chosen = [v for g, v in pairs if g is not None and (self._decayed is None or id(v) in self._decayed)]
        decay = self._weight_decay() if callable(self._weight_decay) else self._weight_decay
        shrink = [v.assign_sub(arithmetic.cast(decay, v.dtype.base_dtype) * v) for v in chosen]
        with control_dependencies(shrink):
            return super().apply_gradients(pairs, global_step, name)  # type: ignore[misc]


class AdamWOptimizer(_Decayed, optimizers.AdamOptimizer):
    """Adam with weights that decay."""

    def __init__(
        self, weight_decay, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False, name="AdamW"
    ):
        self._weight_decay = weight_decay
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)


class MomentumWOptimizer(_Decayed, optimizers.MomentumOptimizer):
    """Momentum with weights that decay."""

    def __init__(self, weight_decay, learning_rate, momentum, use_locking=False, name="MomentumW", use_nesterov=False):
        self._weight_decay = weight_decay
        super().__init__(learning_rate, momentum, use_locking, name, use_nesterov)


def extend_with_decoupled_weight_decay(base_optimizer: type) -> type:
    """A class like an optimizer's, whose first argument is how much weights decay."""

    def start(self, weight_decay, *args, **kwargs):
        self._weight_decay = weight_decay
        base_optimizer.__init__(self, *args, **kwargs)  # type: ignore[misc]

    return type(f"{base_optimizer.__name__}WithDecay", (_Decayed, base_optimizer), {"__init__": start})


class MovingAverageOptimizer(optimizers.Optimizer):
    """Another optimizer, and moving averages of what it trains.

    `swapping_saver` saves the averages in place of the variables.
    """

    def __init__(self, opt, average_decay=0.9999, num_updates=None, sequential_update=True):
        super().__init__(False, "MovingAverageOptimizer")
        self._optimizer, self._ema = opt, ExponentialMovingAverage(average_decay, num_updates)
        self._trained: list | None = None

    def compute_gradients(self, *args, **kwargs):
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        pairs = list(grads_and_vars)
        train = self._optimizer.apply_gradients(pairs, global_step, name)
        self._trained = [v for g, v in pairs if g is not None]
        with control_dependencies([train]):
            return group(self._ema.apply(self._trained), name="update")

    def swapping_saver(self, var_list=None, name="swapping_saver", **kwargs) -> Saver:
        """A saver under whose names of variables are their averages."""
        if self._trained is None:
            raise RuntimeError("Must call apply_gradients or minimize before creating the swapping_saver")
        wanted = get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES) if var_list is None else var_list
        trained = {id(v): self._ema.average(v) for v in self._trained}
        return Saver({v.op.name: trained.get(id(v), v) for v in wanted}, name=name, **kwargs)


class ExternalOptimizerInterface:
    """Minimizes a loss by a function outside of the graph, which asks a session for values and gradients."""

    def __init__(
        self, loss, var_list: Sequence | None = None, equalities=None, inequalities=None, var_to_bounds=None,
        **options: Any,
    ) -> None:
        if equalities or inequalities:
            raise ValueError("equalities and inequalities are not supported; use var_to_bounds.")
        self._loss, self._options = loss, options
        self._vars = (
            get_default_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES) if var_list is None else list(var_list)
        )
        self._grads = [convert_to_tensor(g) for g in gradients(loss, self._vars)]
        self._bounds = self._as_bounds(var_to_bounds or {})

    def _as_bounds(self, given: dict) -> list[tuple] | None:
        if not given:
            return None
        bounds: list[tuple] = []
        for variable in self._vars:
            low, high = given.get(variable, (-np.inf, np.inf))
            shape = variable.shape.as_list()
            bounds += zip(np.broadcast_to(low, shape).ravel(), np.broadcast_to(high, shape).ravel(), strict=True)
        return bounds

    def minimize(
        self, session=None, feed_dict=None, fetches=None, step_callback: Callable | None = None,
        loss_callback: Callable | None = None, **run_kwargs: Any,
    ) -> None:
        """Minimize, and give the variables what was found.

        `loss_callback` is called with the loss and the values of `fetches` at each evaluation, `step_callback` with the
        vector at each step.
        """
        session, feeds, more = session or get_default_session(), feed_dict or {}, list(fetches or [])
        shapes = [v.shape.as_list() for v in self._vars]
        ends = np.cumsum([int(np.prod(shape)) for shape in shapes])

        def load(vector: np.ndarray) -> None:
            parts = np.split(vector, ends[:-1])
            for variable, part, shape in zip(self._vars, parts, shapes, strict=True):
                variable.load(part.reshape(shape).astype(variable.dtype.as_numpy_dtype), session)

        def evaluate(vector: np.ndarray) -> tuple[float, np.ndarray]:
            load(vector)
            loss, grads, values = session.run([self._loss, self._grads, more], feeds, **run_kwargs)
            if loss_callback is not None:
                loss_callback(loss, *values)
            return float(loss), np.concatenate([g.ravel() for g in grads]).astype(np.float64)

        start = np.concatenate([value.ravel() for value in session.run(self._vars)]).astype(np.float64)
        load(self._minimize(start, evaluate, step_callback))

    def _minimize(self, start: np.ndarray, evaluate: Callable, step_callback: Callable | None) -> np.ndarray:
        raise NotImplementedError(
            "To use ExternalOptimizerInterface, subclass from it and implement the _minimize() method."
        )


class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """Minimizes a loss by `scipy.optimize.minimize`: `method` is "L-BFGS-B" by default, `options` are SciPy's."""

    def _minimize(self, start, evaluate, step_callback):
        from scipy.optimize import minimize

        options = {"method": "L-BFGS-B", "jac": True, "callback": step_callback, "bounds": self._bounds} | self._options
        found = minimize(evaluate, start, **options)
        logger.info("Optimization terminated with: message: %s, objective function value: %f", found.message, found.fun)
        return found.x
