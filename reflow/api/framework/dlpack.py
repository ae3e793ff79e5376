"""`tf.experimental.dlpack`: tensors as DLPack capsules for other libraries."""

from __future__ import annotations

import numpy as np

from reflow.api.export import export
from reflow.core.errors import InvalidArgumentError
from reflow.core.tensor import EagerTensor


@export("experimental.dlpack.to_dlpack")
def to_dlpack(tf_tensor):
    """Returns a DLPack capsule with a copy of a tensor's elements, which can be consumed once.

    A capsule does not say what its consumer knows, and an old one would write into the tensor's memory: hence the copy.
    An array made by `np.from_dlpack(tensor)` shares the memory, and is read-only.

    Args:
      tf_tensor: An eager tensor.

    Returns:
      A DLPack capsule.

    Raises:
      InvalidArgumentError: The argument is not an eager tensor.

    >>> tf.experimental.dlpack.from_dlpack(tf.experimental.dlpack.to_dlpack(tf.constant([1, 2]))).numpy().tolist()
    [1, 2]
    """
    if not isinstance(tf_tensor, EagerTensor):
        raise InvalidArgumentError(
            None, None, "The argument to `to_dlpack` must be a TF tensor, not Python object"
        )
    return tf_tensor.__dlpack__()


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
    """Returns the tensor of a DLPack capsule. The memory is copied: tensors never change.

    Args:
      dlcapsule: A capsule, or an object with `__dlpack__`.

    Returns:
      A tensor.

    >>> capsule = tf.experimental.dlpack.to_dlpack(tf.constant([1, 2]))
    >>> tf.experimental.dlpack.from_dlpack(capsule).numpy().tolist()
    [1, 2]
    """
    holder = dlcapsule if hasattr(dlcapsule, "__dlpack__") else _Capsule(dlcapsule)
    return EagerTensor(_copied(holder))


def _copied(holder) -> np.ndarray:
    try:
        return np.array(np.from_dlpack(holder))
    except (BufferError, RuntimeError):  # NumPy takes no bfloat16, and nothing from an accelerator
        import jax

        return np.array(jax.dlpack.from_dlpack(holder))
