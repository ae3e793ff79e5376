"""Optimizers with penalties that keep variables at zero: proximal steps, and dual averaging."""

from __future__ import annotations

from reflow.api.export import export
from reflow.compat.train.optimizers import Optimizer
from reflow.core import dtypes
from reflow.ops.dispatch import run


class _Penalised(Optimizer):
    """An optimizer with two penalties, of the sizes of variables and of their squares."""

    SETTINGS = {"lr": "_learning_rate", "l1": "_l1", "l2": "_l2"}

    def __init__(self, learning_rate, l1, l2, use_locking, name):
        super().__init__(use_locking, name)
        self._learning_rate, self._l1, self._l2 = learning_rate, l1, l2


@export("compat.v1.train.ProximalGradientDescentOptimizer")
class ProximalGradientDescentOptimizer(_Penalised):
    """A step down the gradient, then one towards zero for the penalties.

    >>> v = tf.Variable(1.0)
    >>> optimizer = tf.compat.v1.train.ProximalGradientDescentOptimizer(0.25, l1_regularization_strength=0.1)
    >>> _ = optimizer.apply_gradients([(tf.constant(2.0), v)])
    >>> round(v.numpy().item(), 4)
    0.475
    """

    OP = "ProximalGradientDescent"
    SETTINGS = {"alpha": "_learning_rate", "l1": "_l1", "l2": "_l2"}

    def __init__(
        self, learning_rate, l1_regularization_strength=0.0, l2_regularization_strength=0.0, use_locking=False,
        name="ProximalGradientDescent",
    ):
        super().__init__(learning_rate, l1_regularization_strength, l2_regularization_strength, use_locking, name)


@export("compat.v1.train.ProximalAdagradOptimizer")
class ProximalAdagradOptimizer(_Penalised):
    """Adagrad, then a step towards zero for the penalties.

    >>> v = tf.Variable(1.0)
    >>> optimizer = tf.compat.v1.train.ProximalAdagradOptimizer(0.25, l2_regularization_strength=0.1)
    >>> _ = optimizer.minimize(lambda: 2.0 * v, var_list=[v])
    >>> f"{v.numpy():.4f}"
    '0.7439'
    """

    OP = "ProximalAdagrad"
    INPUTS = {"accum": "accumulator"}
    SLOTS = {"accumulator": "_initial"}

    def __init__(
        self, learning_rate, initial_accumulator_value=0.1, l1_regularization_strength=0.0,
        l2_regularization_strength=0.0, use_locking=False, name="ProximalAdagrad",
    ):
        if initial_accumulator_value <= 0.0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        super().__init__(learning_rate, l1_regularization_strength, l2_regularization_strength, use_locking, name)
        self._initial = initial_accumulator_value


@export("compat.v1.train.AdagradDAOptimizer")
class AdagradDAOptimizer(_Penalised):
    """Adagrad with dual averaging: the variable follows from the sums of all gradients, and of their squares.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     step = tf.compat.v1.train.create_global_step()
    ...     v = tf.compat.v1.get_variable("v", initializer=tf.constant(0.0))
    ...     train = tf.compat.v1.train.AdagradDAOptimizer(0.25, step).minimize(v * 2.0, global_step=step)
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     session.run(train)
    ...     round(session.run(v).item(), 4)
    -0.2469
    """

    OP = "AdagradDA"
    SLOTS = {"gradient_accumulator": 0.0, "gradient_squared_accumulator": "_initial"}

    def __init__(
        self, learning_rate, global_step, initial_gradient_squared_accumulator_value=0.1,
        l1_regularization_strength=0.0, l2_regularization_strength=0.0, use_locking=False, name="AdagradDA",
    ):
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ValueError(
                "initial_gradient_squared_accumulator_value must be positive: "
                f"{initial_gradient_squared_accumulator_value}"
            )
        super().__init__(learning_rate, l1_regularization_strength, l2_regularization_strength, use_locking, name)
        self._step, self._initial = global_step, initial_gradient_squared_accumulator_value

    def _settings(self):
        step = run("Cast", self._step.value(), DstT=dtypes.int64) + 1
        return super()._settings() | {"global_step": step}