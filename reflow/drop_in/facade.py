"""The module `tensorflow`: a facade whose attributes are Reflow's public ones.

It is not `reflow` itself: importing `tensorflow.core.framework.graph_pb2` sets an attribute `core` on its parent, and
Reflow has a `core`.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import sys
import types
import typing
from collections.abc import Iterator

from reflow.api import export
from reflow.core import namespaces, version
from reflow.drop_in import names


def public() -> types.ModuleType:
    """The package `reflow`, whose attributes are the public namespace. It lies above this folder, and is loaded
    whenever this is."""
    return sys.modules["reflow"]


def resolve(path: str):
    """The object at an attribute path inside `reflow`; "" is `reflow` itself."""
    value = public()
    for depth, part in enumerate(path.split(".") if path else []):
        try:
            value = getattr(value, part)
        except AttributeError:
            walked = ".".join(["reflow", *path.split(".")[:depth]])
            raise AttributeError(f"Reflow has no {path!r} yet: {walked} has no attribute {part!r}") from None
    return value


class Facade(types.ModuleType):
    """The module `tensorflow`. An attribute is fetched from `reflow` once and kept.

    `_space` is where: "" for TensorFlow 2, "compat.v1" for a program of version 1 (`reflow/drop_in/version_one.py`)."""

    _space = ""

    def __getattr__(self, name: str):
        if name.startswith("__") and name != "__internal__" and name != "__operators__":
            raise AttributeError(f"module 'tensorflow' has no attribute {name!r}")
        if name == "keras":
            return importlib.import_module("tensorflow.keras")
        if self._space and name != "compat":
            with contextlib.suppress(AttributeError):
                value = getattr(resolve(self._space), name)
                setattr(self, name, value)
                return value
        if name in names.KERAS_NAMESPACES:
            return importlib.import_module(f"tensorflow.{name}")
        value = getattr(public(), name, self)
        internal = isinstance(value, types.ModuleType) and name not in names.PUBLIC_MODULES
        if value is self or internal:
            raise AttributeError(namespaces.explain("", name, "tensorflow"), obj=self)
        setattr(self, name, value)
        return value

    def __dir__(self):
        reflow = public()
        modules = {name for name, value in vars(reflow).items() if isinstance(value, types.ModuleType)}
        shown = set(dir(reflow)) - (modules.union(reflow._OWN) - names.PUBLIC_MODULES)
        return sorted(shown | set(super().__dir__()) | {"keras"})


def make_facade(module: types.ModuleType) -> types.ModuleType:
    """The facade, from the fresh module that the import system made for `tensorflow`."""
    module.__class__ = Facade
    module.__path__ = []
    vars(module)["__version__"] = version.TENSORFLOW
    vars(module)["__git_version__"] = f"v{version.TENSORFLOW}"
    module.__file__ = public().__file__
    module.__doc__ = "TensorFlow's names, answered by Reflow."
    stamp_classes()
    return module


def space_now() -> str:
    """Where the names of the module `tensorflow` are, as whoever imports it now sees it."""
    return getattr(sys.modules.get("tensorflow"), "_space", "")


@contextlib.contextmanager
def version_two() -> Iterator[None]:
    """While Keras is loaded, `tensorflow` is version 2's namespace, also in a program of version 1."""
    if not space_now():
        yield
        return
    outer = sys.modules["tensorflow"]
    sys.modules["tensorflow"] = make_facade(types.ModuleType("tensorflow"))
    try:
        yield
        if "keras.src.utils.module_utils" in sys.modules:  # which would import it when it is first used, or asked for
            lazy = sys.modules["keras.src.utils.module_utils"].tensorflow
            lazy.initialize()
            lazy._available = True
    finally:
        sys.modules["tensorflow"] = outer


def stamp_classes() -> None:
    """Give Reflow's classes the module and class names of TensorFlow's: now, or when they are loaded."""
    for path in names.CLASSES:
        with contextlib.suppress(AttributeError):  # not written yet; tests/drop_in/test_names.py lists it
            _stamp(path, resolve(path))
    for path, thing in list(export.TABLE.items()):
        _stamp(path, thing)
    export.LISTENERS.append(_stamp)


def _stamp(path: str, thing) -> None:
    full = names.class_names().get(path)
    if full is None or not isinstance(thing, type):
        return
    said = inspect.get_annotations(thing)
    # `typing.get_type_hints` would look their names up in the new module
    if any(isinstance(hint, str) for hint in said.values()):
        home = functools.partial(typing.ForwardRef, module=thing.__module__, is_class=True)
        thing.__annotations__ = {name: home(hint) if isinstance(hint, str) else hint for name, hint in said.items()}
    thing.__module__, _, name = full.rpartition(".")
    thing.__name__ = thing.__qualname__ = name
