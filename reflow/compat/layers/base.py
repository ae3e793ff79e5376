"""`Layer`: an object with variables that is called on tensors.

A layer creates its variables on its first call, in a variable scope of its name. As for `get_variable`, `reuse` and the
surrounding scopes decide whether they are new.
"""

from __future__ import annotations

import contextlib
import inspect
import re
from collections.abc import Callable
from typing import Any

from reflow.api.export import export
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.layers.identifiers import initializer_of
from reflow.compat.variable_scopes import get_variable, variable_scope
from reflow.core import dtypes
from reflow.ops.convert import convert_to_tensor

#: what the docstrings of layers have in common that multiply by a kernel and add a vector
WEIGHTED = """\
Args:
  activation: A function of the result, or Keras' name of one.
  use_bias: Whether a vector is added.
  kernel_initializer, bias_initializer: Initializers of the variables, or their names in Keras; by default Glorot's
    uniform one, and zeros.
  kernel_regularizer, bias_regularizer, activity_regularizer: Functions whose results are added to the losses.
  kernel_constraint, bias_constraint: Functions that optimizers apply to the variables after each step.
  trainable: Whether optimizers change the variables.
  name: A name for the layer and its scope.
  **kwargs: `dtype`, that of the variables.
"""


@export("compat.v1.layers.Layer")
class Layer:
    """The base of layers. A subclass gives `build(input_shape)`, which makes variables by `add_weight`, and
    `call(inputs)`.

    Args:
      trainable: Whether optimizers change the variables.
      name: A name for the layer and its scope.
      dtype: The dtype of the variables; by default that of the inputs.
      activity_regularizer: A function of the result, which is added to the losses.

    >>> class Scale(tf.compat.v1.layers.Layer):
    ...     def build(self, input_shape):
    ...         self.factor = self.add_weight("factor", [], initializer=tf.compat.v1.ones_initializer())
    ...     def call(self, inputs):
    ...         return inputs * self.factor
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     y = Scale(name="scale")(tf.constant([1.0, 2.0]))
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     session.run(y).tolist(), [v.name for v in tf.compat.v1.trainable_variables()]
    ([1.0, 2.0], ['scale/factor:0'])
    """

    def __init__(self, trainable=True, name=None, dtype=None, _scope=None, _reuse=None, activity_regularizer=None):
        self.trainable, self._dtype = trainable, None if dtype is None else dtypes.as_dtype(dtype)
        self._given_name, self._scope, self._reuse = name, _scope, _reuse
        self.activity_regularizer = activity_regularizer
        self.built = False
        self._weights: list = []
        self._updates: list = []
        self._scope_object: Any = None
        self._calling = False  # and inside its scope

    def build(self, input_shape):
        """Make the variables; the shape of the inputs is known now."""
        self.built = True

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """What the layer computes of its inputs, the first argument."""
        return args[0]

    @property
    def name(self) -> str:
        """The name: of the scope, once the layer was called."""
        if self._scope_object is not None:
            return self._scope_object.name.rpartition("/")[2]
        return self._given_name or _snake(type(self).__name__)

    scope_name = property(lambda self: None if self._scope_object is None else self._scope_object.name)
    dtype = property(lambda self: self._dtype)
    graph = property(lambda self: get_default_graph())
    variables = property(lambda self: list(self._weights), doc="All variables.")
    weights = variables
    trainable_variables = property(lambda self: [v for v in self._weights if v.trainable and self.trainable])
    trainable_weights = trainable_variables
    non_trainable_variables = property(lambda self: [v for v in self._weights if not (v.trainable and self.trainable)])
    non_trainable_weights = non_trainable_variables
    updates = property(lambda self: list(self._updates), doc="Operations that training has to run.")

    def add_weight(
        self, name, shape, dtype=None, initializer=None, regularizer=None, trainable=None, constraint=None, **options
    ):
        """A variable of the layer, in its scope."""
        trainable = self.trainable if trainable is None else trainable and self.trainable
        with contextlib.nullcontext() if self._calling else self._opened(auxiliary_name_scope=False) as scope:
            self._scope_object = self._scope_object or scope
            variable = get_variable(
                name, shape, dtype or self._dtype or dtypes.float32, initializer_of(initializer), regularizer,
                trainable, constraint=constraint, **options,
            )
        if not any(v is variable for v in self._weights):
            self._weights.append(variable)
        return variable

    add_variable = add_weight

    def add_update(self, updates, inputs=None):
        """Operations that training has to run, such as those of running means: they go to the collection UPDATE_OPS."""
        for update in updates if isinstance(updates, (list, tuple)) else [updates]:
            self._updates.append(update)
            get_default_graph().add_to_collection(GraphKeys.UPDATE_OPS, update)

    def add_loss(self, losses, inputs=None):
        """Losses that training has to add: they go to the collection REGULARIZATION_LOSSES."""
        for loss in losses if isinstance(losses, (list, tuple)) else [losses]:
            get_default_graph().add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)

    def __call__(self, inputs, *args, **kwargs):
        inputs = self._tensors(inputs)
        with self._opened() as scope:
            self._scope_object = self._scope_object or scope
            outer, self._calling = self._calling, True
            try:
                if not self.built:
                    self.build(self._shape_of(inputs))
                    self.built = True
                outputs = self.call(inputs, *args, **kwargs)
            finally:
                self._calling = outer
            if self.activity_regularizer is not None:
                self.add_loss(self.activity_regularizer(outputs))
        return outputs

    apply = __call__

    def _tensors(self, inputs):
        inputs = convert_to_tensor(inputs)
        if self._dtype is None and inputs.dtype.is_floating:
            self._dtype = inputs.dtype
        return inputs

    @staticmethod
    def _shape_of(inputs):
        return inputs.shape

    def _opened(self, auxiliary_name_scope=True):
        """The variable scope of the layer."""
        if self._scope_object is not None:
            reuse = True if self.built else self._reuse
            return variable_scope(self._scope_object, reuse=reuse, auxiliary_name_scope=auxiliary_name_scope)
        given = self._scope if self._scope is not None else self._given_name
        if given is not None:
            return variable_scope(given, reuse=self._reuse, auxiliary_name_scope=auxiliary_name_scope)
        default = _snake(type(self).__name__)
        if self._reuse:  # the variables exist, below the name without a number
            return variable_scope(default, reuse=self._reuse, auxiliary_name_scope=auxiliary_name_scope)
        return variable_scope(None, default_name=default, auxiliary_name_scope=auxiliary_name_scope)


def _snake(name: str) -> str:
    """The name of a layer's scope.

    >>> [_snake(n) for n in ("Dense", "Conv2DTranspose", "BasicLSTMCell", "GRUCell", "MaxPooling1D")]
    ['dense', 'conv2d_transpose', 'basic_lstm_cell', 'gru_cell', 'max_pooling1d']
    """
    words = re.sub(r"(?<=.)([A-Z][a-z0-9]+)", r"_\1", name)
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", words).lower()


def apply_layer(layer: type, inputs, name, reuse, arguments: dict, **call_arguments):
    """The functional form: a layer that is made for one call."""
    return layer(**arguments, name=name, _scope=name, _reuse=reuse)(inputs, **call_arguments)


def with_arguments_of(layer: type) -> Callable[[Callable], Callable]:
    """A decorator for the functional form of a layer: adds the layer's arguments to the docstring, after `inputs`."""

    def add(function: Callable) -> Callable:
        if function.__doc__:  # there is no text in `python -OO`
            text = inspect.cleandoc(function.__doc__)
            before, inputs, after = re.split(r"(?m)(^  inputs: .*\n)", text)
            function.__doc__ = f"{before}{inputs}{arguments_of(layer)}{after}"
        return function

    return add


def arguments_of(layer: type) -> str:
    """What the docstring of a layer says of its arguments, without `**kwargs`."""
    return (inspect.getdoc(layer) or "").partition("Args:\n")[2].partition("  **kwargs")[0]
