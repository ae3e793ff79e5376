"""Custom optimizers written for Keras 2.

Until TensorFlow 2.10 a subclass defined `_create_slots` and `_resource_apply_dense`, with hyperparameters set by
`_set_hyper`; later `build` and an `update_step` without a learning rate. Both become Keras 3's `update_step(gradient,
variable, learning_rate)`.
"""

from __future__ import annotations

import functools
import inspect

from reflow.api.math.arithmetic import cast
from reflow.core.indexed_slices import IndexedSlices
from reflow.eager.variables import Variable
from reflow.keras.compat.patching import is_keras_class, on_subclass, wrap
from reflow.ops.convert import convert_to_tensor


def install(keras) -> None:
    optimizer = keras.optimizers.Optimizer
    _construction(optimizer)
    for method in (_set_hyper, _get_hyper, _serialize_hyperparameter, add_slot, get_slot, _fallback_apply_state):
        setattr(optimizer, method.__name__, method)
    optimizer._prepare_local = _prepare_local
    optimizer._build_learning_rate = _build_learning_rate
    on_subclass(optimizer, _adapt)


def _construction(optimizer) -> None:
    @wrap(optimizer, "__init__")
    def init(original, self, *args, **kwargs):
        if args and isinstance(args[0], str):  # Keras 2: the name is first
            kwargs["name"], args = args[0], args[1:]
        if not args and not {"learning_rate", "lr"} & set(kwargs):
            kwargs["learning_rate"] = 0.001  # until the subclass sets its own
        decay = kwargs.get("decay", 0.0)
        original(self, *args, **kwargs)
        self._initial_decay = decay

    @wrap(optimizer, "add_variable_from_reference")
    def add_variable_from_reference(original, self, *args, **kwargs):
        for old, new in (("model_variable", "reference_variable"), ("variable_name", "name")):
            if old in kwargs:
                kwargs[new] = kwargs.pop(old)
        return original(self, *args, **kwargs)


def _adapt(cls) -> None:
    if is_keras_class(cls):
        return
    own = cls.__dict__
    if "_resource_apply_dense" in own:
        cls.update_step = _update_by_slots
        cls.build = _build_slots(cls)
    elif "update_step" in own and len(inspect.signature(own["update_step"]).parameters) == 3:
        step = own["update_step"]
        cls.update_step = functools.wraps(step)(lambda self, gradient, variable, _rate: step(self, gradient, variable))


def _build_slots(cls):
    def build(self, variables):
        """Make the slots."""
        if not self.built:
            super(cls, self).build(variables)
            self._create_slots([_variable(v) for v in variables])

    return build


def _update_by_slots(self, gradient, variable, learning_rate):
    """One variable's step, by the method that the subclass has for the gradient's kind."""
    value = _variable(variable)
    if isinstance(gradient, IndexedSlices):
        return _with_state(self._resource_apply_sparse, gradient.values, value, gradient.indices)
    return _with_state(self._resource_apply_dense, gradient, value)


def _variable(of):
    """The `tf.Variable` of a variable of Keras."""
    return of if isinstance(of, Variable) else of.value


def _with_state(method, *args):
    python = getattr(method, "python_function", method)  # a `tf.function` is traced as a part of the step
    return python(*args, apply_state=None) if "apply_state" in inspect.signature(python).parameters else python(*args)


# --- hyperparameters


def _set_hyper(self, name: str, value) -> None:
    if name == "learning_rate":
        self.learning_rate = value
    elif name == "decay":
        self._decay = value
    else:
        vars(self).setdefault("_hyper", {})[name] = value


def _hyper(self, name: str):
    own = {"learning_rate": lambda: self.learning_rate, "decay": lambda: getattr(self, "_decay", 0.0)}
    return own[name]() if name in own else vars(self)["_hyper"][name]


def _get_hyper(self, name: str, dtype=None):
    value = _hyper(self, name)
    value = value() if callable(value) else value
    return value if dtype is None else cast(convert_to_tensor(value), dtype)


def _serialize_hyperparameter(self, name: str):
    value = _hyper(self, name)
    return float(value.numpy()) if hasattr(value, "numpy") else value


def _build_learning_rate(self, learning_rate):
    self.learning_rate = learning_rate
    return self._learning_rate


def _prepare_local(self, var_device, var_dtype, apply_state) -> None:
    apply_state.setdefault((var_device, var_dtype), {})["lr_t"] = self._decayed_lr(var_dtype)


def _fallback_apply_state(self, var_device, var_dtype) -> dict:
    state: dict = {(var_device, var_dtype): {}}
    self._prepare_local(var_device, var_dtype, state)
    return state[(var_device, var_dtype)]


# --- slots


def add_slot(self, var, slot_name: str, initializer="zeros", shape=None):
    """A variable of the optimizer's for each of the model's."""
    slots = vars(self).setdefault("_old_slots", {})
    made = self.add_variable_from_reference(var, name=slot_name, initializer=initializer)
    slots[id(var), slot_name] = made.value
    return made.value


def get_slot(self, var, slot_name: str):
    """The slot of a variable."""
    return vars(self)["_old_slots"][id(var), slot_name]
