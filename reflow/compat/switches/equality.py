"""Whether `==` of tensors compares elements (TensorFlow 2) or identity (TensorFlow 1), in eager code and functions.

Tensors and variables of a plain graph always compare by identity. The methods are replaced when a program switches.
"""

from __future__ import annotations

from reflow.api.export import export
from reflow.core.tensor import Tensor
from reflow.eager.variables import Variable

_CLASSES = (Tensor, Variable)
_METHODS = ("__eq__", "__ne__", "__hash__")
_modern: dict[type, dict] = {}  # the methods of version 2, while those of version 1 are in place


@export("compat.v1.disable_tensor_equality")
def disable_tensor_equality() -> None:
    """From now on `==` compares tensors as objects. Those of graphs can be keys, as can variables; eager tensors
    cannot.

    >>> tf.compat.v1.disable_tensor_equality()
    >>> x = tf.constant([1.0])
    >>> x == x, x == tf.constant([1.0])
    (True, False)
    >>> tf.compat.v1.enable_tensor_equality()      # back to the start
    """
    for cls in _CLASSES if not _modern else ():
        _modern[cls] = {name: getattr(cls, name) for name in _METHODS}
        for name in _METHODS:
            setattr(cls, name, getattr(object, name))
    Tensor._USE_EQUALITY = False


@export("compat.v1.enable_tensor_equality")
def enable_tensor_equality() -> None:
    """From now on `==` compares the elements of tensors, as at the start.

    >>> tf.compat.v1.enable_tensor_equality()
    >>> (tf.constant([1.0, 2.0]) == tf.constant([1.0, 3.0])).numpy().tolist()
    [True, False]
    """
    for cls, methods in _modern.items():
        for name, method in methods.items():
            setattr(cls, name, method)
    Tensor._USE_EQUALITY = True
    _modern.clear()
