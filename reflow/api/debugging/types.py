"""`tf.debugging`: checks of dtypes and of Python types."""

from __future__ import annotations

import collections.abc

import numpy as np

from reflow.api.debugging.asserts import PYTHON_CHECK, _prefix
from reflow.api.export import export, with_sections
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.ragged import RaggedTensor
from reflow.core.sparse import SparseTensor
from reflow.core.tensor import EagerTensor, Tensor, is_tensor
from reflow.ops.convert import convert_to_tensor


@export("debugging.assert_type")
@with_sections(PYTHON_CHECK)
def assert_type(tensor, tf_type, message=None, name=None):
    """Fails unless a tensor has a given dtype.

    Args:
      tensor: A tensor, ragged or sparse too.
      tf_type: The dtype.

    Raises:
      TypeError: It has another.

    >>> tf.debugging.assert_type(tf.constant(1), tf.int32)
    """
    tf_type = dtypes.as_dtype(tf_type)
    if not isinstance(tensor, (SparseTensor, RaggedTensor)):
        tensor = convert_to_tensor(tensor)
    if tensor.dtype is not tf_type:
        raise TypeError(
            f"{_prefix(message)}{getattr(tensor, 'name', 'tensor') if state.graph is not None else 'tensor'} must be "
            f"of type {tf_type!r}; got {tensor.dtype!r}"
        )


@export("debugging.assert_integer")
@with_sections(PYTHON_CHECK)
def assert_integer(x, message=None, name=None):
    """Fails unless a tensor holds integers.

    Args:
      x: A tensor.

    Raises:
      TypeError: It holds something else.

    >>> tf.debugging.assert_integer(tf.constant([1, 2]))
    """
    x = convert_to_tensor(x)
    if not x.dtype.is_integer:
        which = "tensor" if isinstance(x, EagerTensor) else x.name
        raise TypeError(
            f"{_prefix(message)}Expected \"x\" to be integer type.  Found: {which} of dtype <dtype: '{x.dtype.name}'>"
        )


@export("debugging.is_numeric_tensor", "is_numeric_tensor")
def is_numeric_tensor(tensor) -> bool:
    """Tells whether something is a tensor of numbers.

    Args:
      tensor: Anything.

    Returns:
      True for a `tf.Tensor` of integers, floats or complex numbers; False for lists and arrays too.

    >>> is_numeric_tensor([1])
    False
    """
    return isinstance(tensor, Tensor) and (
        tensor.dtype.is_integer or tensor.dtype.is_floating or tensor.dtype.is_complex
    )


@export("debugging.assert_proper_iterable")
def assert_proper_iterable(values):
    """Fails unless something can be iterated and is not a tensor, string or array.

    Args:
      values: Anything.

    Returns:
      None.

    Raises:
      TypeError: It cannot, or it is.

    >>> tf.debugging.assert_proper_iterable([1, 2])
    """
    if isinstance(values, (str, bytes, bytearray, np.ndarray)) or is_tensor(values):
        raise TypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}')
    if not isinstance(values, collections.abc.Iterable):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


def _named(tensor) -> str:
    return tensor.name if getattr(tensor, "_is_symbolic", False) else str(tensor)


@export("debugging.assert_same_float_dtype")
def assert_same_float_dtype(tensors=None, dtype=None):
    """Finds the floating dtype that all tensors share, and fails if they do not.

    Args:
      tensors: A list of tensors; Nones in it are skipped.
      dtype: The dtype that they must have; by default that of the first.

    Returns:
      The dtype, `tf.float32` if nothing says another.

    Raises:
      ValueError: A dtype differs, or is not one of floats.

    >>> tf.debugging.assert_same_float_dtype([tf.constant(1.0), tf.constant([2.0])])
    tf.float32
    """
    found = None if dtype is None else dtypes.as_dtype(dtype)
    first = None
    for tensor in tensors or ():
        if tensor is None:
            continue
        kind = dtypes.as_dtype(tensor.dtype)
        if found is not None and kind is not found:
            origin = f" as {_named(first)}" if first is not None else ""
            raise ValueError(
                f"{_named(tensor)}, type=<dtype: '{kind.name}'>, must be of the same type (<dtype: "
                f"'{found.name}'>){origin}."
            )
        found, first = kind, first if first is not None else tensor
    found = found or dtypes.float32
    if not found.is_floating:
        raise ValueError(f"Expected floating point type, got <dtype: '{found.name}'>.")
    return found
