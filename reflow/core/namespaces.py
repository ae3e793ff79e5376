"""The public namespaces at run time.

`reflow/public/` holds one generated module per TensorFlow namespace (`tools/make_namespaces.py`); each consists of
imports. This module makes them appear where users look for them:

- `tf.math` is the module `reflow.public.math`. It is loaded on first access, and is then also the module `reflow.math`.
- A folder of Reflow that is also a namespace, such as `reflow/data/`, is called a *room* here. It stays the module
  `reflow.data`, because it contains other modules, and takes its public names from `reflow.public.data`.
- Some names are *deferred*: they are loaded on first access, because few programs need them (`public/deferred.txt`).
- An unknown name raises an AttributeError that says whether TensorFlow has it, and which names are similar.
"""

from __future__ import annotations

import functools
import gzip
import importlib
import importlib.machinery
import importlib.util
import json
import os
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

PUBLIC = "reflow.public"
_SPECIAL = ("__internal__", "__operators__")  # namespaces despite their names


def exists(module: str) -> bool:
    """Whether a module of this name can be imported."""
    try:
        return module in sys.modules or importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # its parent does not exist
        return False


def find(space: str, name: str) -> Any:
    """`tf.<space>.<name>`; "" is the space of `tf` itself."""
    path = f"{space}.{name}" if space else name
    if path in deferred():
        return load(space, name)
    if not name.startswith("_") or name in _SPECIAL:
        if exists(f"{PUBLIC}.{path}"):
            return importlib.import_module(f"reflow.{path}")
        public = importlib.import_module(f"{PUBLIC}.{space}".rstrip("."))
        if name in vars(public):
            return vars(public)[name]
    raise AttributeError(explain(space, name), obj=sys.modules.get("reflow"))


@functools.cache
def deferred() -> dict[str, tuple[str, str]]:
    """The deferred names: public name -> module, and its name there. `make namespaces` writes the file."""
    with open(os.path.join(os.path.dirname(os.path.dirname(__file__)), "public", "deferred.txt")) as file:
        return {path: (module, name) for path, module, name in map(str.split, file)}


def load(space: str, name: str) -> Any:
    """Load a deferred name and store it in its namespace."""
    module, own_name = deferred()[f"{space}.{name}" if space else name]
    found = getattr(importlib.import_module(module), own_name)
    setattr(importlib.import_module(f"{PUBLIC}.{space}".rstrip(".")), name, found)
    return found


def later(module: str) -> Callable[[str], Any]:
    """`__getattr__` of a namespace with deferred names."""
    space = module.removeprefix(PUBLIC).removeprefix(".")

    def get(name: str) -> Any:
        if (f"{space}.{name}" if space else name) in deferred():
            return load(space, name)
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return get


def loaded(space: str) -> dict[str, Any]:
    """The public names of a namespace that need not be loaded first."""
    held = vars(importlib.import_module(f"{PUBLIC}.{space}".rstrip(".")))
    return {name: held[name] for name in held.get("__all__", ()) if name in held}


def names_in(space: str) -> list[str]:
    """The public names in a namespace, with those of the namespaces below it."""
    import pkgutil

    module = importlib.import_module(f"{PUBLIC}.{space}".rstrip("."))
    below = [info.name for info in pkgutil.iter_modules(module.__path__)]
    public = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("__")]
    return sorted({*below, *public})


def room(module: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a room: its public names come from `reflow.public`."""
    space = module.removeprefix("reflow.")

    def get(name: str) -> Any:
        files = sys.modules[module].__path__
        if name.startswith("__") or importlib.machinery.PathFinder.find_spec(f"{module}.{name}", files):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")  # the import system loads a module
        value = find(space, name)
        setattr(sys.modules[module], name, value)
        return value

    return get, lambda: names_in(space)


class NamespaceFinder:
    """Finds modules that are not files: `reflow.math` is `reflow.public.math`, `reflow.compat.v2` is `reflow`.

    It implements the finder protocol (and `_Alias` the loader protocol) without a base class: importing `importlib.abc`
    takes 5 ms in Python 3.11.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not name.startswith("reflow."):
            return None
        if name.startswith(f"{PUBLIC}."):  # a name that `from reflow.nn import …` did not find
            refuse_missing(name.removeprefix(f"{PUBLIC}."))
            return None
        v2 = name == "reflow.compat.v2" or name.startswith("reflow.compat.v2.")
        real = name.replace("reflow.compat.v2", "reflow") if v2 else PUBLIC + name.removeprefix("reflow")
        if not exists(real):
            refuse_missing(name.removeprefix("reflow."))
            return None
        return importlib.machinery.ModuleSpec(name, _Alias(real), is_package=True)  # type: ignore[arg-type]


class _Alias:
    """Loads a module as another one. The import statement returns what is in `sys.modules` after `exec_module`."""

    def __init__(self, real: str):
        self.real = real

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = importlib.import_module(self.real)
        if self.real.startswith(PUBLIC):
            for name, loaded in list(sys.modules.items()):
                if name == self.real or name.startswith(f"{self.real}."):
                    publish(loaded)


def publish(module: ModuleType) -> None:
    """Make `reflow.public.math` also `reflow.math`, and let it explain missing names."""
    space = module.__name__.removeprefix(f"{PUBLIC}.")
    sys.modules[f"reflow.{space}"] = module
    if "__getattr__" in vars(module):  # some of its names are deferred
        module.__dir__ = functools.partial(names_in, space)  # type: ignore[method-assign]
    module.__getattr__ = functools.partial(find, space)  # type: ignore[method-assign]


# --- missing names --------------------------------------------------------------------------------------------------


@functools.cache
def tensorflow_names() -> frozenset[str]:
    """Every public name and namespace of TensorFlow, without Keras. Recorded by `tools/private_names.py`."""
    with gzip.open(os.path.join(os.path.dirname(__file__), "tensorflow_names.json.gz")) as packed:
        names = level = set(json.load(packed))
    while level := {name.rpartition(".")[0] for name in level} - {""}:
        names |= level
    return frozenset(names)


def not_yet(path: str) -> str:
    return f"TensorFlow has tf.{path}; Reflow does not yet."


def refuse_missing(path: str) -> None:
    """Raise if the user imports a name that only TensorFlow has.

    The error has no `name=`: with it, Python shortens the message of a `from … import` to "cannot import name".
    """
    if path in tensorflow_names() and not _is_there(path):
        raise ModuleNotFoundError(not_yet(path))


def explain(space: str, name: str, package: str = "reflow") -> str:
    """Why there is no `tf.<space>.<name>`, where `tf` is `package`."""
    path = f"{space}.{name}" if space else name
    module = f"{package}.{space}" if space else package
    if name.startswith("_") and name not in _SPECIAL:
        return f"module {module!r} has no attribute {name!r}"
    if path in tensorflow_names():
        return not_yet(path)
    text = f"module {module!r} has no attribute {name!r}."
    if _is_there(f"compat.v1.{path}"):
        return f"{text} It is a name of TensorFlow 1: tf.compat.v1.{path}; `reflow upgrade` rewrites programs."
    close = _close(space, name)
    return f"{text} Did you mean {' or '.join(close)}?" if close else text


def _close(space: str, name: str) -> list[str]:
    """Public names that a user may have meant: similarly spelled, or the same name in another namespace."""
    import difflib  # a tenth of this module's import time, for a rare case

    here = names_in(space)
    alike = difflib.get_close_matches(name, here, n=3, cutoff=0.75)
    prefix = f"tf.{space}." if space else "tf."
    elsewhere = sorted(n for n in tensorflow_names() if n.rpartition(".")[2] == name and not n.startswith("compat."))
    return [prefix + n for n in alike] or [f"tf.{n}" for n in elsewhere if _is_there(n)][:3]


def _is_there(path: str) -> bool:
    space, _, name = path.rpartition(".")
    return name in names_in(space) if exists(f"{PUBLIC}.{space}".rstrip(".")) else False
