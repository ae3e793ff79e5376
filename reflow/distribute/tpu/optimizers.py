"""Optimizers of embedding tables on TPUs: their parameters, and the slot variables that each needs in a checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from reflow.api.export import export, with_sections
from reflow.api.initializers import Constant


class Optimizer:
    """The base: what all optimizers have. `slots` are the slot variables, with their first values."""

    slots: tuple[str, ...] = ()

    def __init__(
        self, learning_rate: Any, use_gradient_accumulation: bool = True, clip_weight_min: float | None = None,
        clip_weight_max: float | None = None, weight_decay_factor: float | None = None,
        multiply_weight_decay_factor_by_learning_rate: bool | None = None,
        slot_variable_creation_fn: Callable[..., Any] | None = None, clipvalue: Any = None,
        low_dimensional_packing_status: bool = False,
    ) -> None:
        if slot_variable_creation_fn is not None and not callable(slot_variable_creation_fn):
            raise ValueError(
                "Argument `slot_variable_creation_fn` must be either None or a callable. Received: "
                f"{slot_variable_creation_fn}"
            )
        if not use_gradient_accumulation and clipvalue is not None:
            raise ValueError(
                "When `use_gradient_accumulation` is False, gradient clipping cannot be used and `clipvalue` should be "
                f"left as None. Received value {clipvalue} for argument `clipvalue`."
            )
        self.learning_rate, self.use_gradient_accumulation = learning_rate, use_gradient_accumulation
        self.clip_weight_min, self.clip_weight_max = clip_weight_min, clip_weight_max
        self.weight_decay_factor = weight_decay_factor
        self.multiply_weight_decay_factor_by_learning_rate = multiply_weight_decay_factor_by_learning_rate
        self.slot_variable_creation_fn = slot_variable_creation_fn
        low, high = (
            clipvalue if isinstance(clipvalue, (tuple, list))
            else (None if clipvalue is None else -clipvalue, clipvalue)
        )
        self.clip_gradient_min, self.clip_gradient_max = low, high
        self.low_dimensional_packing_status = low_dimensional_packing_status

    def _slot_names(self) -> list[str]:
        return [*self.slots]

    def _slot_initializers(self) -> list[Any]:
        first = getattr(self, "initial_accumulator_value", 0.0)
        return [Constant(first if name == "accumulators" else 0.0) for name in self.slots]

    def create_slots(self, table: Any, creator: Callable[[str, Any], Any]) -> dict[str, Any]:
        """The slot variables of a table."""
        names, initializers = self._slot_names(), self._slot_initializers()
        if self.slot_variable_creation_fn is not None:
            made: dict[str, Any] = self.slot_variable_creation_fn(table, names, initializers)
            return made
        return {name: creator(name, initializer) for name, initializer in zip(names, initializers, strict=True)}

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((
            type(self), *[v if isinstance(v, (int, float, str, type(None))) else id(v) for v in self.__dict__.values()]
        ))


def _check_accumulator(value: float) -> float:
    if value <= 0:
        raise ValueError(f"Argument `initial_accumulator_value` must be a positive float. Received: {value}")
    return value


_OPTIMIZER = """\
Args:
  learning_rate: How large a step is, a number or a function without arguments.
  use_gradient_accumulation: Whether the gradients of a row are added up before the step.
  clip_weight_min: What weights are kept above.
  clip_weight_max: What weights are kept below.
  weight_decay_factor: How much weights decay in a step.
  multiply_weight_decay_factor_by_learning_rate: Whether the decay is multiplied by the learning rate.
  clipvalue: What gradients are kept within: a number, or a pair of bounds.
  low_dimensional_packing_status: Whether small rows are packed together.
  *args: The other arguments of `SGD`, with `slot_variable_creation_fn` before `clipvalue`.
  **kwargs: The same by name.
"""


@export("tpu.experimental.embedding.SGD")
@with_sections(_OPTIMIZER)
class SGD(Optimizer):
    """Gradient descent for embedding tables.

    >>> tf.tpu.experimental.embedding.SGD(0.1).learning_rate
    0.1
    """

    def __init__(
        self, learning_rate: Any = 0.01, use_gradient_accumulation: bool = True, clip_weight_min: float | None = None,
        clip_weight_max: float | None = None, weight_decay_factor: float | None = None,
        multiply_weight_decay_factor_by_learning_rate: bool | None = None, clipvalue: Any = None,
        low_dimensional_packing_status: bool = False,
    ) -> None:
        super().__init__(
            learning_rate, use_gradient_accumulation, clip_weight_min, clip_weight_max, weight_decay_factor,
            multiply_weight_decay_factor_by_learning_rate, None, clipvalue, low_dimensional_packing_status,
        )  # fmt: skip


@export("tpu.experimental.embedding.Adagrad")
@with_sections(_OPTIMIZER)
class Adagrad(Optimizer):
    """Adagrad for embedding tables, with a slot variable `accumulators`.

    Args:
      initial_accumulator_value: The first value of the accumulators.

    Raises:
      ValueError: `initial_accumulator_value` is not positive.

    >>> tf.tpu.experimental.embedding.Adagrad(0.1).initial_accumulator_value
    0.1
    """

    slots = ("accumulators",)

    def __init__(
        self, learning_rate: Any = 0.001, initial_accumulator_value: float = 0.1, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate, *args, **kwargs)
        self.initial_accumulator_value = _check_accumulator(initial_accumulator_value)


@export("tpu.experimental.embedding.AdagradMomentum")
@with_sections(_OPTIMIZER)
class AdagradMomentum(Optimizer):
    """Adagrad with momentum for embedding tables, with slot variables `accumulators` and `momenta`.

    Args:
      momentum: How much of the last step is kept.
      use_nesterov: Whether the gradient is taken after that.
      exponent: The exponent of the accumulators.
      beta2: How much of the accumulators is kept.
      epsilon: A small number that keeps divisors from zero.

    Raises:
      ValueError: `epsilon` or `exponent` is not positive.

    >>> tf.tpu.experimental.embedding.AdagradMomentum(0.1, momentum=0.9).momentum
    0.9
    """

    slots = ("accumulators", "momenta")

    def __init__(
        self, learning_rate: Any = 0.001, momentum: float = 0.0, use_nesterov: bool = False, exponent: float = 2,
        beta2: float = 1, epsilon: float = 1e-10, *args: Any, **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, *args, **kwargs)
        if epsilon <= 0:
            raise ValueError("Adagrad momentum: epsilon must be positive")
        if exponent <= 0:
            raise ValueError("Adagrad momentum: Precondition exponent must >0")
        self.momentum, self.use_nesterov, self.exponent = momentum, use_nesterov, exponent
        self.beta2, self.epsilon = beta2, epsilon


@export("tpu.experimental.embedding.FTRL")
@with_sections(_OPTIMIZER)
class FTRL(Optimizer):
    """Follow the regularized leader, for embedding tables, with slot variables `accumulators` and `linears`.

    Args:
      learning_rate_power: The exponent of the accumulators, not above 0.
      l1_regularization_strength: The weight of the absolute values.
      l2_regularization_strength: The weight of the squares.
      beta: What is added to the learning rate's divisor.
      initial_accumulator_value: The first value of the accumulators.
      slot_variable_creation_fn: A function that makes the slot variables.
      multiply_linear_by_learning_rate: Whether `linears` is multiplied by the learning rate.
      allow_zero_accumulator: Whether accumulators may be zero.

    Raises:
      ValueError: `initial_accumulator_value` is not positive.

    >>> tf.tpu.experimental.embedding.FTRL(0.1).learning_rate_power
    -0.5
    """

    slots = ("accumulators", "linears")

    def __init__(
        self, learning_rate: Any = 0.001, learning_rate_power: float = -0.5, l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0, beta: float = 0.0, initial_accumulator_value: float = 0.1,
        use_gradient_accumulation: bool = True, clip_weight_min: float | None = None,
        clip_weight_max: float | None = None, weight_decay_factor: float | None = None,
        multiply_weight_decay_factor_by_learning_rate: bool | None = None,
        slot_variable_creation_fn: Callable[..., Any] | None = None, clipvalue: Any = None,
        multiply_linear_by_learning_rate: bool = False, allow_zero_accumulator: bool = False,
        low_dimensional_packing_status: bool = False,
    ) -> None:
        super().__init__(
            learning_rate, use_gradient_accumulation, clip_weight_min, clip_weight_max, weight_decay_factor,
            multiply_weight_decay_factor_by_learning_rate, slot_variable_creation_fn, clipvalue,
            low_dimensional_packing_status,
        )  # fmt: skip
        self.initial_accumulator_value = _check_accumulator(initial_accumulator_value)
        self.learning_rate_power, self.beta = learning_rate_power, beta
        self.l1_regularization_strength, self.l2_regularization_strength = (
            l1_regularization_strength, l2_regularization_strength
        )
        self.multiply_linear_by_learning_rate, self.allow_zero_accumulator = (
            multiply_linear_by_learning_rate, allow_zero_accumulator
        )


@export("tpu.experimental.embedding.Adam")
@with_sections(_OPTIMIZER)
class Adam(Optimizer):
    """Adam for embedding tables, with slot variables `momenta` and `velocities`.

    Args:
      beta_1: How much of the momenta is kept.
      beta_2: How much of the velocities is kept.
      epsilon: A small number that keeps divisors from zero.
      lazy_adam: Whether only rows with gradients are changed.
      sum_inside_sqrt: Whether `epsilon` is added under the square root.

    Raises:
      ValueError: A number is out of its range.

    >>> tf.tpu.experimental.embedding.Adam(0.1).beta_1
    0.9
    """

    slots = ("momenta", "velocities")

    def __init__(
        self, learning_rate: Any = 0.001, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-07,
        lazy_adam: bool = True, sum_inside_sqrt: bool = True, use_gradient_accumulation: bool = True, *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, use_gradient_accumulation, *args, **kwargs)
        for name, value in (("beta_1", beta_1), ("beta_2", beta_2)):
            if not 0.0 <= value < 1.0:
                raise ValueError(f"Argument `{name}` must be >= 0 and < 1. Received: {beta_1}.")
        if epsilon <= 0.0:
            raise ValueError(f"epsilon must be positive; got {epsilon}.")
        if not use_gradient_accumulation and not lazy_adam:
            raise ValueError("When disabling lazy Adam (`lazy_adam=False`), gradient accumulation must be used.")
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon
        self.lazy_adam, self.sum_inside_sqrt = lazy_adam, sum_inside_sqrt


@export("tpu.experimental.embedding.CustomOptimizer")
class CustomOptimizer(Optimizer):
    """An optimizer of embedding tables whose step is a user function.

    Args:
      custom_computation: The function.
      learning_rate: How large a step is.
      slot_names: The names of the slot variables.
      slot_initializers: What makes their first values, one for each.
      hyperparameters: More arguments of the function.
      slot_dims: How many axes each slot variable has, 1 or 2; by default 2.

    Raises:
      ValueError: The lists differ in length.

    >>> tf.tpu.experimental.embedding.CustomOptimizer(lambda g, p: p - g, slot_names=["m"], slot_initializers=[0]).slots
    ('m',)
    """

    def __init__(
        self, custom_computation: Callable[..., Any], learning_rate: Any = 0.01,
        slot_names: Sequence[str] | None = None, slot_initializers: Sequence[Any] | None = None,
        hyperparameters: Sequence[Any] | None = None, slot_dims: Sequence[int] | None = None,
    ) -> None:
        super().__init__(learning_rate, use_gradient_accumulation=False)
        self.slots, self._initializers = tuple(slot_names or ()), tuple(slot_initializers or ())
        if len(self.slots) != len(self._initializers):
            raise ValueError(
                f"The number of slot_names ({len(self.slots)}) must match the number of slot_initializers "
                f"({len(self._initializers)})."
            )
        self._dims = [2] * len(self.slots) if slot_dims is None else [*slot_dims]
        if len(self._dims) != len(self.slots):
            raise ValueError(
                f"The number of slot_dims ({len(self._dims)}) must match the number of slot_names ({len(self.slots)})."
            )
        for name, dim in zip(self.slots, self._dims, strict=True):
            if dim not in (1, 2):
                raise ValueError(f"Unsupported slot dim '{dim}' for slot '{name}'. Only 1D and 2D are supported.")
        self._computation, self._hyperparameters = custom_computation, tuple(hyperparameters or ())

    custom_computation = property(lambda self: self._computation)
    hyperparameters = property(lambda self: self._hyperparameters)
    slot_dims = property(lambda self: self._dims)

    def _slot_initializers(self) -> list[Any]:
        return [*self._initializers]
