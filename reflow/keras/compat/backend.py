"""`tf.keras.backend`: Keras 2's learning-phase functions, `function` and `placeholder`.

The *learning phase* is a process-wide flag, 0 or 1, that says whether a layer called without `training=` is training.
"""

from __future__ import annotations

import contextlib
import sys
import weakref

import keras

from reflow.api.array import arrange
from reflow.api.control import printing
from reflow.api.nn import statistics
from reflow.compat.functions import placeholder_with_default
from reflow.core.context import init_scope, state
from reflow.eager.tape import GradientTape

_phase: list = [None]  # what the program has set
_phases: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # graph -> its placeholder


def install(_keras) -> None:
    module = sys.modules["keras._tf_keras.keras.backend"]

    of_graph = module.gradients

    def gradients(loss, variables):
        """The derivatives of a symbolic loss by tensors of the model that it is computed from."""
        wanted = variables if isinstance(variables, (list, tuple)) else [variables]
        if not isinstance(loss, keras.KerasTensor):
            return of_graph(loss, variables)
        sources = keras.utils.get_source_inputs(loss)
        found = _Gradients(loss, list(wanted), sources)(*sources)
        return list(found)

    def placeholder(shape=None, ndim=None, dtype=None, sparse=False, name=None, ragged=False):
        """A symbolic input, with its batch dimension in `shape`."""
        shape = (None,) * ndim if shape is None else tuple(shape)
        return keras.Input(batch_shape=shape, dtype=dtype, sparse=sparse, ragged=ragged, name=name)

    def print_tensor(x, message="", summarize=3):
        """Print a tensor's values whenever they are computed, and return it."""
        printing.print_(message, x, output_stream=sys.stdout, summarize=summarize)
        return x

    def normalize_batch_in_training(x, gamma, beta, reduction_axes, epsilon=1e-3):
        """The batch normalized by its own mean and variance, and those two."""
        mean, variance = statistics.moments(x, reduction_axes)
        keep = [1 if axis in reduction_axes else size for axis, size in enumerate(x.shape)]
        m, v, offset, scale = (None if t is None else arrange.reshape(t, keep) for t in (mean, variance, beta, gamma))
        return statistics.batch_normalization(x, m, v, offset, scale, epsilon), mean, variance

    vars(module)["reset_uids"] = keras.utils.clear_session
    vars(module)["random_binomial"] = module.random_bernoulli
    local = (function, gradients, placeholder, print_tensor, normalize_batch_in_training)
    phases = (learning_phase, set_learning_phase, in_train_phase, in_test_phase, learning_phase_scope)
    for thing in (*local, *phases, manual_variable_initialization):
        vars(module)[thing.__name__] = thing


def function(inputs, outputs, updates=None, name=None, **kwargs):
    """The arrays of `outputs` as a function of the arrays of `inputs`, both symbolic tensors of a model.

    `learning_phase()` may be among the inputs: its value says whether the layers train. Keras 2 also ran `updates`,
    ops of TensorFlow 1's graphs, of which there are none.
    """
    if updates or kwargs:
        raise ValueError(
            f"`updates` and session arguments need TensorFlow 1's graphs. Received: {updates=}, {kwargs}"
        )
    phase = learning_phase()
    places = [i for i, tensor in enumerate(inputs) if tensor is phase] if isinstance(inputs, (list, tuple)) else []
    symbolic = [tensor for tensor in inputs if tensor is not phase] if places else inputs
    model = keras.Model(symbolic, outputs, name=name)

    def run(values):
        training = [values[i] for i in places] or [_phase[0] or 0]
        if places:
            values = [value for i, value in enumerate(values) if i not in places]
        found = keras.tree.flatten(model(values, training=bool(training[0])))  # Keras 3 unpacks a list of one
        return keras.tree.pack_sequence_as(outputs, [keras.ops.convert_to_numpy(value) for value in found])

    return run


def learning_phase():
    """1 if layers called without `training=` train, else 0.

    In a graph of TensorFlow 1 a placeholder for that, unless it has been set.
    """
    graph = state.graph
    if _phase[0] is not None or graph is None or graph.building_function:
        return _phase[0] or 0
    if graph not in _phases:
        with init_scope(), graph.scope(None):
            _phases[graph] = placeholder_with_default(False, [], "keras_learning_phase")
    return _phases[graph]


def set_learning_phase(value) -> None:
    """Set what `learning_phase` answers."""
    if value not in (0, 1):
        raise ValueError(f"Expected learning phase to be 0 or 1. Received: {value}")
    _phase[0] = int(value)


@contextlib.contextmanager
def learning_phase_scope(value):
    """Sets the learning phase inside a `with` block."""
    before = _phase[0]
    set_learning_phase(value)
    try:
        yield
    finally:
        _phase[0] = before


def manual_variable_initialization(value) -> None:
    """Since TensorFlow 2, variables have values from the start; there is no other option."""
    if value:
        raise ValueError("Variables are initialized when they are created; manual initialization is of TensorFlow 1.")


def in_train_phase(x, alt, training=None):
    """`x` in training, else `alt`; functions are called. `training` may be a tensor."""
    from reflow.api.framework.internal import smart_cond

    def value(of):
        return of if callable(of) else lambda: of

    return smart_cond(learning_phase() if training is None else training, value(x), value(alt))


def in_test_phase(x, alt, training=None):
    """`alt` in training, else `x`."""
    return in_train_phase(alt, x, training)


class _Gradients(keras.Operation):
    """Maps the inputs of a functional graph to the derivatives of one of its tensors with respect to others."""

    def __init__(self, loss, wanted, sources):
        super().__init__()
        self.shapes = [keras.KerasTensor(t.shape, t.dtype) for t in wanted]
        self.wanted = keras.Function(sources, wanted)
        others = [s for s in sources if all(s is not t for t in wanted)]
        self.others = [i for i, s in enumerate(sources) if any(s is o for o in others)]
        self.loss = keras.Function([*wanted, *others], loss)

    def call(self, *sources):
        values = list(self.wanted(list(sources)))
        with GradientTape() as tape:
            tape.watch(values)
            loss = self.loss([*values, *(sources[i] for i in self.others)])
        return tape.gradient(loss, values)

    def compute_output_spec(self, *sources):
        return list(self.shapes)
