"""`tf.experimental.dlpack`: tensors as DLPack capsules, which other libraries take without a copy."""

from __future__ import annotations

import numpy as np

from reflow.api.export import export
from reflow.core.tensor import EagerTensor


@export("experimental.dlpack.to_dlpack")
def to_dlpack(tf_tensor):
    """A DLPack capsule of a tensor's memory. It can be consumed once, and nobody may write into it.

    >>> import reflow as tf
    >>> tf.experimental.dlpack.from_dlpack(tf.experimental.dlpack.to_dlpack(tf.constant([1, 2]))).numpy().tolist()
    [1, 2]
    """
    if not isinstance(tf_tensor, EagerTensor):
        raise TypeError(f"Argument `tf_tensor` must be an eager tensor. Received: {tf_tensor!r}")
    return tf_tensor.__dlpack__(max_version=(1, 0))


class _Capsule:
    """A capsule in the form in which NumPy consumes it."""

    def __init__(self, capsule):
        self._capsule = capsule

    def __dlpack__(self, **_):
        return self._capsule

    def __dlpack_device__(self):
        return (1, 0)  # the CPU


@export("experimental.dlpack.from_dlpack")
def from_dlpack(dlcapsule):
    """The tensor of a DLPack capsule, or of an object with `__dlpack__`. The memory is copied: tensors never change.

    >>> import reflow as tf
    >>> capsule = tf.experimental.dlpack.to_dlpack(tf.constant([1, 2]))
    >>> tf.experimental.dlpack.from_dlpack(capsule).numpy().tolist()
    [1, 2]
    """
    holder = dlcapsule if hasattr(dlcapsule, "__dlpack__") else _Capsule(dlcapsule)
    return EagerTensor(np.array(np.from_dlpack(holder)))
