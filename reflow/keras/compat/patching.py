"""Replaces methods of Keras' classes."""

from __future__ import annotations

import functools
import importlib
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
    """An attribute that is computed unless the object has its own attribute of that name."""

    def __init__(self, compute):
        self.compute, self.__doc__ = compute, compute.__doc__

    def __get__(self, instance, owner=None):
        return self if instance is None else self.compute(instance)


def on_subclass(base, hook) -> None:
    """Call `hook(cls)` for every subclass of `base` created from now on."""
    hooks = vars(base).get("_subclass_hooks")
    if hooks is None:
        hooks = base._subclass_hooks = []

        def init_subclass(cls, **kwargs):
            super(base, cls).__init_subclass__(**kwargs)
            for each in hooks:
                each(cls)

        base.__init_subclass__ = classmethod(init_subclass)
    hooks.append(hook)


def publish(name: str, value, *modules: str) -> None:
    """Make `value` what `name` is in public modules of Keras, for `import keras` and for `tf.keras`."""
    for root in ("keras", "keras._tf_keras.keras"):
        for module in modules:
            setattr(importlib.import_module(f"{root}.{module}"), name, value)


def is_keras_class(cls) -> bool:
    """Whether a class is one of Keras' own, which are in Keras 3's form."""
    return cls.__module__.startswith("keras.")
