"""Keras variables where Keras 2 had TensorFlow's: as arguments of functions, and restored before a model is built.

A function gets the variable itself, which it may assign to; on TensorFlow 2.21 it gets the value.

TensorFlow gives a variable its stored value when it is created, after `restore`. Keras 3 first creates variables in a
symbolic pass, without values, and fails there; the patched variable then keeps the stored value as its initial one.
"""

from __future__ import annotations

from reflow.keras.compat.patching import wrap


def install(keras) -> None:
    keras.Variable._wrapped_variable = property(lambda self: self if self._value is None else self._value)

    @wrap(keras.Variable, "_restore_from_tensors")
    def restore(original, self, restored_tensors):
        if self._value is not None:
            return original(self, restored_tensors)
        value = next(iter(restored_tensors.values()))
        self._initializer = lambda *args, **kwargs: value
        return None
