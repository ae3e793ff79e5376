"""`tf.keras.backend`: the functions on the learning phase, `function` and `placeholder` of Keras 2.

The *learning phase* is the process-wide answer, 0 or 1, to "is this training?" where a layer was called without
`training=`.
"""

from __future__ import annotations

import sys

_phase = [0]


def install(keras) -> None:
    module = sys.modules["keras._tf_keras.keras.backend"]

    def function(inputs, outputs, updates=None, name=None, **kwargs):
        """The arrays of `outputs` as a function of the arrays of `inputs`, both symbolic tensors of a model.

        Keras 2 also ran `updates`, ops of TensorFlow 1's graphs, of which there are none.
        """
        if updates or kwargs:
            raise ValueError(
                f"`updates` and session arguments need TensorFlow 1's graphs. Received: {updates=}, {kwargs}"
            )
        model = keras.Model(inputs, outputs, name=name)

        def run(values):
            found = model(values, training=bool(learning_phase()))
            return keras.tree.map_structure(keras.ops.convert_to_numpy, found)

        return run

    def placeholder(shape=None, ndim=None, dtype=None, sparse=False, name=None, ragged=False):
        """A symbolic input, with its batch dimension in `shape`."""
        shape = (None,) * ndim if shape is None else tuple(shape)
        return keras.Input(batch_shape=shape, dtype=dtype, sparse=sparse, ragged=ragged, name=name)

    for thing in (learning_phase, set_learning_phase, in_train_phase, in_test_phase, function, placeholder):
        setattr(module, thing.__name__, thing)


def learning_phase() -> int:
    """1 if layers called without `training=` train, else 0."""
    return _phase[0]


def set_learning_phase(value) -> None:
    """Set what `learning_phase` answers."""
    if value not in (0, 1):
        raise ValueError(f"Expected learning phase to be 0 or 1. Received: {value}")
    _phase[0] = int(value)


def in_train_phase(x, alt, training=None):
    """`x` in training, else `alt`; functions are called. `training` may be a tensor."""
    from reflow.api.internal import smart_cond

    def value(of):
        return of if callable(of) else lambda: of

    return smart_cond(learning_phase() if training is None else training, value(x), value(alt))


def in_test_phase(x, alt, training=None):
    """`alt` in training, else `x`."""
    return in_train_phase(alt, x, training)
