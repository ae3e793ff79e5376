"""Optimizers: `lr=`, `decay=`, `lr`, `get_weights`, `minimize`, and `tf.keras.optimizers.legacy`."""

from __future__ import annotations

import inspect
import sys

import numpy as np

from reflow.api.math.arithmetic import cast
from reflow.core.context import init_scope
from reflow.eager.tape import GradientTape
from reflow.eager.variables import Variable
from reflow.keras.compat.patching import wrap
from reflow.ops.convert import convert_to_tensor

_LEGACY = ("Adadelta", "Adagrad", "Adam", "Adamax", "Ftrl", "Nadam", "Optimizer", "RMSprop", "SGD")


def install(keras) -> None:
    optimizer = keras.optimizers.Optimizer

    @wrap(optimizer, "__init__")
    def init(original, self, *args, **kwargs):
        decay = kwargs.pop("decay", None)
        if "lr" in kwargs:
            kwargs["learning_rate"] = kwargs.pop("lr")
            args = ()
        original(self, *args, **kwargs)
        if decay:
            self._decay = decay

    @wrap(optimizer, "_get_current_learning_rate")
    def current(original, self):
        rate = original(self)
        if not getattr(self, "_decay", 0.0):
            return rate
        steps = keras.ops.cast(self.iterations, "float32")
        return keras.ops.convert_to_tensor(rate) / (1.0 + self._decay * steps)

    optimizer.lr = property(lambda self: self._learning_rate, lambda self, value: setattr(self, "learning_rate", value))
    optimizer.get_weights = _get_weights
    optimizer.set_weights = _setter(optimizer.set_weights)
    optimizer.weights = property(_weights, doc="The step counter and the slots, as Keras 2 orders them.")
    optimizer.minimize = _minimize
    optimizer.compute_gradients = _compute_gradients
    optimizer._decayed_lr = lambda self, var_dtype: keras.ops.cast(self._get_current_learning_rate(), var_dtype)
    _shared(optimizer)
    _loss_scale(keras.optimizers.LossScaleOptimizer)
    for cls in vars(keras.optimizers).values():
        if isinstance(cls, type) and issubclass(cls, optimizer) and "build" in vars(cls):
            _wait_for_variables(cls)
            _default_epsilon(cls)
    _legacy(keras)


def _default_epsilon(cls) -> None:
    """`epsilon=None` is the default."""
    if "epsilon" not in inspect.signature(cls.__init__).parameters:
        return

    @wrap(cls, "__init__")
    def init(original, self, *args, **kwargs):
        if kwargs.get("epsilon", 0) is None:
            del kwargs["epsilon"]
        original(self, *args, **kwargs)


def _wait_for_variables(cls) -> None:
    """Keras 3.15 builds the optimizer of a model from a `.h5` file for no variables at all, and then refuses those of
    the model. Here it waits for them, and the stored state with it."""

    @wrap(cls, "build")
    def build(original, self, variables):
        if not variables:
            self._stored_weights = []
            return
        original(self, variables)
        stored = vars(self).pop("_stored_weights", None)
        if stored:
            with init_scope():  # the first step builds it while it is traced
                self.set_weights(stored)


def _weights(self) -> list:
    return [v for v in self.variables if v is not self._learning_rate]


def _get_weights(self) -> list:
    """The values of `weights`, as arrays."""
    return [v.numpy() for v in _weights(self)]


def _setter(original):
    def set_weights(self, weights):
        """Set what `get_weights` gave, or the values of all `variables`."""
        if "_stored_weights" in vars(self):
            self._stored_weights = [np.asarray(w) for w in weights]
            return None
        variables = _weights(self)
        if len(weights) != len(variables):
            return original(self, weights)
        for variable, value in zip(variables, weights, strict=True):
            variable.assign(value)
        return None

    return set_weights


def _minimize(self, loss, var_list, grad_loss=None, name=None, tape=None):
    """Compute gradients of a loss, which is a function of nothing or a tensor of `tape`, and apply them."""
    return self.apply_gradients(_compute_gradients(self, loss, var_list, grad_loss, tape))


def _compute_gradients(self, loss, var_list, grad_loss=None, tape=None) -> list:
    """Pairs of gradient and variable."""
    if not callable(loss) and tape is None:
        raise ValueError(f"`tape` is required when a `Tensor` loss is passed. Received: loss={loss}, tape={tape}.")
    if callable(loss):
        with tape or GradientTape() as tape:
            if not callable(var_list):
                tape.watch(var_list)
            loss = loss()
    var_list = list(var_list() if callable(var_list) else var_list)
    return list(zip(tape.gradient(loss, var_list, grad_loss), var_list, strict=True))


def _shared(optimizer) -> None:
    """One optimizer for several models, as in many GANs: Keras 3 keeps slots for the variables it saw first only.
    Others get a second optimizer behind the first, with its learning rate."""

    @wrap(optimizer, "apply")
    def apply(original, self, grads, trainable_variables=None):
        variables = None if trainable_variables is None else list(trainable_variables)
        keys = set() if variables is None else {self._var_key(v) for v in variables}
        if variables is not None and len(keys) < len(variables):
            grads, variables = _once(list(grads), variables)
        if variables is None or not self.built or keys <= self._trainable_variables_indices.keys():
            return original(self, grads, variables)
        following = vars(self).get("_following")
        if following is None:
            with init_scope():
                following = vars(self)["_following"] = type(self).from_config(self.get_config())
            following._learning_rate = self._learning_rate
        return following.apply(grads, variables)


def _once(grads: list, variables: list) -> tuple[list, list]:
    """The pairs without those in which a `tf.Variable` comes again.

    Programs of Keras 3 write `model.trainable_variables + [model.scale]`, because there only Keras' own variables are
    weights of a layer. Here the scale is one too, and would take two steps.
    """
    seen: set[int] = set()
    kept = []
    for pair in zip(grads, variables, strict=True):
        if not (isinstance(pair[1], Variable) and id(pair[1]) in seen):
            kept.append(pair)
        seen.add(id(pair[1]))
    return [g for g, _ in kept], [v for _, v in kept]


def _cast_like(value, tensor):
    return cast(convert_to_tensor(value), tensor.dtype)


def _loss_scale(cls) -> None:
    """`get_scaled_loss`, `get_unscaled_gradients`: Keras 3's `apply` divides by the scale itself, so gradients that
    were divided already get it back there."""

    def scale(self):
        return self.dynamic_scale if self.built else self.initial_scale

    def get_scaled_loss(self, loss):
        """The loss times the scale; of a function, a function."""
        return (lambda: self.scale_loss(loss())) if callable(loss) else self.scale_loss(loss)

    def get_unscaled_gradients(self, grads):
        """The gradients divided by the scale."""
        self._unscaled = True
        return [None if g is None else g / _cast_like(scale(self), g) for g in grads]

    @wrap(cls, "apply")
    def apply(original, self, grads, trainable_variables=None):
        if vars(self).pop("_unscaled", False):
            grads = [None if g is None else g * _cast_like(scale(self), g) for g in grads]
        return original(self, grads, trainable_variables)

    cls.get_scaled_loss, cls.get_unscaled_gradients = get_scaled_loss, get_unscaled_gradients
    cls.loss_scale = property(scale, doc="What the loss is multiplied by.")


def _legacy(keras) -> None:
    """The classes of Keras 3 under the names of the old ones, whose arguments they take."""
    for path in ("keras.optimizers.legacy", "keras._tf_keras.keras.optimizers.legacy"):
        module = sys.modules.get(path)
        for name in _LEGACY if module is not None else ():
            setattr(module, name, getattr(keras.optimizers, name))
