"""`dtype` and `shape` of Keras' symbolic tensors and variables, with Keras 2's attributes.

Keras 3 returns a string and a tuple where Keras 2 returned `tf.DType` and `tf.TensorShape`. Here they stay a string and
a tuple, which Keras' own code relies on, and also support the old attributes: `x.dtype.is_floating`,
`x.shape.as_list()`. User-written `build` and `compute_output_shape` receive such shapes.
"""

from __future__ import annotations

import functools
import sys

from reflow.core.dtypes import as_dtype
from reflow.core.shapes import TensorShape
from reflow.keras.compat.patching import is_keras_class, on_subclass


class DTypeName(str):
    """The name of a dtype, with the attributes of `tf.DType`.

    >>> DTypeName("float32").is_floating, DTypeName("float32") == "float32"
    (True, True)
    """

    __slots__ = ()

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(f"'str' object has no attribute {name!r}")
        return getattr(as_dtype(str(self)), name)


class Shape(tuple):
    """A shape as a tuple, with the attributes of `tf.TensorShape`.

    >>> Shape((None, 3)).as_list(), Shape((None, 3)) + [1]
    ([None, 3], (None, 3, 1))
    """

    __slots__ = ()

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(f"'tuple' object has no attribute {name!r}")
        return getattr(TensorShape(tuple(self)), name)

    def __getitem__(self, key):
        found = tuple.__getitem__(self, key)
        return Shape(found) if isinstance(key, slice) else found

    def __add__(self, other):
        return Shape(tuple.__add__(self, tuple(other)))

    def __radd__(self, other):
        return Shape(tuple(other) + tuple(self))

    def __eq__(self, other):
        return tuple.__eq__(self, tuple(other) if isinstance(other, (list, TensorShape)) else other)

    def __ne__(self, other):
        return not self == other

    __hash__ = tuple.__hash__


_name_of = functools.lru_cache(maxsize=64)(DTypeName)


def install(keras) -> None:
    tensor = keras.KerasTensor
    tensor.dtype = _property(tensor.dtype, lambda self: _name_of(self._dtype))
    tensor.shape = _property(tensor.shape, lambda self: Shape(self._shape))
    tensor.get_shape = lambda self: TensorShape(self._shape)
    variable = sys.modules["keras.src.backend.common.variables"].Variable  # the base class has no public name
    read = variable.dtype.fget
    variable.dtype = _property(variable.dtype, lambda self: _name_of(read(self)))
    _shapes_for_users(keras.layers.Layer)


def _property(original: property, read) -> property:
    return property(read, original.fset, doc=original.__doc__)


def _shapes_for_users(layer) -> None:
    """Hand `Shape`s to `build` and `compute_output_shape` of classes outside of Keras."""

    def give_shapes(cls):
        for name in ("build", "compute_output_shape"):
            method = cls.__dict__.get(name)
            if callable(method) and not is_keras_class(cls):
                setattr(cls, name, _with_shapes(method))

    on_subclass(layer, give_shapes)


def _with_shapes(method):
    @functools.wraps(method)
    def call(self, *args, **kwargs):
        return method(self, *map(_shapes, args), **{k: _shapes(v) for k, v in kwargs.items()})

    return call


def _shapes(given):
    """The argument with every shape in it as a `Shape`."""
    if isinstance(given, (tuple, list)):
        if all(d is None or isinstance(d, int) for d in given):
            return Shape(given)
        return type(given)(map(_shapes, given))
    return {k: _shapes(v) for k, v in given.items()} if isinstance(given, dict) else given
