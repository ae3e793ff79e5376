"""Replacing methods of Keras' classes."""

from __future__ import annotations

import functools
import inspect
from typing import Any


def wrap(cls, name: str):
    """Replace `cls.name` by the decorated `f(original, self, *args, **kwargs)`."""

    def replace(function):
        original = getattr(cls, name)

        @functools.wraps(original)
        def method(self, *args, **kwargs) -> Any:
            return function(original, self, *args, **kwargs)

        # Keras reads the names of parameters without following __wrapped__
        vars(method)["__signature__"] = inspect.signature(original)
        setattr(cls, name, method)
        return method

    return replace


class Fallback:
    """An attribute that is computed unless the object has one of its own by that name."""

    def __init__(self, compute):
        self.compute, self.__doc__ = compute, compute.__doc__

    def __get__(self, instance, owner=None):
        return self if instance is None else self.compute(instance)
