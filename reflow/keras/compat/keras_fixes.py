"""Bugs of Keras 3.15 that affect Keras 2 programs. Each has a test; a fix can be removed once Keras has it."""

from __future__ import annotations

import sys

from reflow.core.sparse import SparseTensor
from reflow.keras.compat.patching import wrap


def install(keras) -> None:
    _dense_products()
    _single_keys()
    _unknown_times(keras)


def _dense_products() -> None:
    """Keras 3.15 takes `2 * x` of a dense symbolic `x` for sparse, and functions of TensorFlow on it then fail."""

    @wrap(sys.modules["keras.src.ops.numpy"].Multiply, "compute_output_spec")
    def compute_output_spec(original, self, x1, x2):
        found = original(self, x1, x2)
        found._sparse = any(isinstance(x, SparseTensor) or getattr(x, "sparse", False) for x in (x1, x2))
        return found


def _single_keys() -> None:
    """Keras 3.15 rejects `x[1:]` of a symbolic `x`, but accepts `x[1:,]`."""

    @wrap(sys.modules["keras.src.ops.numpy"].GetItem, "compute_output_spec")
    def compute_output_spec(original, self, x, key):
        return original(self, x, (key,) if isinstance(key, slice) or key is None or key is Ellipsis else key)


def _unknown_times(keras) -> None:
    """`TimeDistributed` over an unknown number of time steps: Keras 3.15 counts to the batch size instead. As in Keras
    2, steps here become rows of one batch."""
    ops = keras.ops

    @wrap(keras.layers.TimeDistributed, "call")
    def call(original, self, inputs, training=None, mask=None):
        if inputs.shape[1] is not None:
            return original(self, inputs, training=training, mask=mask)
        kwargs = {"training": training} if self.layer._call_has_training_arg else {}
        if mask is not None and self.layer._call_has_mask_arg:
            kwargs["mask"] = ops.reshape(mask, (-1, *mask.shape[2:]))
        found = self.layer.call(ops.reshape(inputs, (-1, *inputs.shape[2:])), **kwargs)
        return ops.reshape(found, (-1, ops.shape(inputs)[1], *found.shape[1:]))
