"""`tf_keras`, the package of Keras 2.

With `TF_USE_LEGACY_KERAS=1` and the package installed, `tf_keras` is the package itself and `tensorflow.keras` is it
too, as in TensorFlow. Otherwise `tf_keras` is `tensorflow.keras`: Keras 3, which runs programs of Keras 2
(`docs/keras2.md`). Libraries look for modules that only the package has; of these, `tf_keras.api._v2.keras` and
`tf_keras.api._v1.keras` are other ways to `tf_keras`, and `tf_keras.__internal__` has the functions of version 1's
layers.
"""

from __future__ import annotations

import functools
import importlib
import importlib.machinery
import os
import sys
import types

PACKAGE = "tf_keras"
_SAME = ("api._v1.keras", "api._v2.keras")  # below the package: other ways to it


def is_chosen() -> bool:
    """Whether the program asks for Keras 2 and has it."""
    asked = os.environ.get("TF_USE_LEGACY_KERAS", "").lower() in ("1", "true")
    return asked and importlib.machinery.PathFinder.find_spec(PACKAGE) is not None


def module(path: str, version: int = 2) -> types.ModuleType:
    """The module of Keras 2 that `tensorflow.keras` is, or the one at `path` below it (with a dot in front)."""
    return importlib.import_module(f"{PACKAGE}.api._v{version}.keras{path}")


def alias(path: str):
    """How to make `tf_keras.<path>` where `tf_keras` is an alias.

    A function of the fresh module, or None for a module of Keras.
    """
    if not path:
        return _with_internal
    for same in _SAME:
        if path == same:
            return lambda _: importlib.import_module(PACKAGE)
        if path.startswith(f"{same}."):
            return lambda _: importlib.import_module(f"{PACKAGE}.{path.removeprefix(same + '.')}")
        if same.startswith(f"{path}."):
            return lambda fresh: fresh
    if path.startswith("__internal__"):
        return lambda _: functools.reduce(getattr, path.split("."), importlib.import_module(PACKAGE))
    return None


def _with_internal(_: types.ModuleType) -> types.ModuleType:
    """`tensorflow.keras` with `__internal__`.

    An attribute, because `from tf_keras import __internal__` asks for one.
    """
    keras = importlib.import_module("tensorflow.keras")
    below = {
        "legacy": {"layers": sys.modules["reflow"].compat.v1.layers},
        "utils": {"register_symbolic_tensor_type": register_symbolic_tensor_type},
    }
    internal = types.ModuleType(f"{PACKAGE}.__internal__")
    for name, things in below.items():
        child = types.ModuleType(f"{PACKAGE}.__internal__.{name}")
        vars(child).update(things)
        setattr(internal, name, child)
    vars(keras).setdefault("__internal__", internal)
    return keras


def register_symbolic_tensor_type(cls: type) -> None:
    """Remember a class whose objects models of Keras 2 pass from layer to layer. Models of Keras 3 pass their own."""
    symbolic_types.append(cls)


symbolic_types: list[type] = []
