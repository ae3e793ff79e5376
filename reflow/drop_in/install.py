"""The drop-in: `import tensorflow` finds Reflow.

A *finder* on `sys.meta_path` handles every module below `tensorflow`:

- `tensorflow` is a *facade*, a separate module whose attributes are Reflow's public ones (`facade.py`).
- `tensorflow.keras…` is Keras as TensorFlow exposes it (`keras._tf_keras.keras`: `keras`' classes, plus old names).
- A public module (`tensorflow.nn`) is the object of that path in `reflow`.
- A private module (`tensorflow.python.…`) is created from a table, or written by hand (`private_modules.py`).
- `tensorflow.python.autograph.pyct` and its relatives are the package that AutoGraph uses here (`names.AUTOGRAPH`).
- `tensorflow.python.keras…`, the copy of Keras 2 in TensorFlow, is `tensorflow.keras…`.
- `tensorflow.core.….x_pb2` is TensorBoard's copy of the same protobuf file, or made of a recording (`protos.py`).
- `tf_keras`, the Keras 2 package that TensorFlow Hub needs, is `tensorflow.keras`, or the other way round
  (`legacy_keras.py`).
- `tensorrt` is `reflow.engine`, unless TensorRT itself is installed.
- `horovod.tensorflow` and `horovod.keras` are those of `reflow/horovod/`, unless Horovod itself is installed.
- Anything else raises `ModuleNotFoundError`. The finder never defers to others: another one would search Reflow's own
  folders, or find an installed TensorFlow.

An alias needs one trick: after `exec_module`, the import system takes whatever is in `sys.modules` under the name, so
the loader puts the existing object there. The object keeps its own `__name__` and `__spec__`.
"""

from __future__ import annotations

import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import types
from typing import Any

from reflow.core import namespaces
from reflow.core.logging import warn
from reflow.data import options
from reflow.drop_in import gast_rewriter, legacy_keras, names
from reflow.drop_in.children import install_in_children
from reflow.drop_in.facade import make_facade, resolve, space_now, version_two
from reflow.drop_in.private_modules import TABLED, closest, is_private_module, make_private

_KERAS = "keras._tf_keras.keras"


class _Alias(importlib.abc.Loader):
    """Loads a name as an object that exists already, or that `find` makes."""

    def __init__(self, find):
        self.find = find

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        name = module.__name__
        target = self.find(module)
        if isinstance(target, types.ModuleType) and not hasattr(target, "__path__"):
            target.__path__ = []  # so that `import tensorflow.nn.experimental` asks the finder for the rest
        sys.modules[name] = target


def _in_autograph(name: str) -> str:
    """The module of AutoGraph's rewriter that a private module is."""
    prefix = next(p for p in names.AUTOGRAPH if name.startswith(p))
    package, _, rest = names.AUTOGRAPH[prefix].partition(".")
    return f"{gast_rewriter.package() if package == 'malt' else package}.{rest}{name.removeprefix(prefix)}"


def _proto(name: str):
    """The protobuf module `…x_pb2`: Reflow's of the same name, TensorBoard's, or one from a recorded file."""
    if name in names.HELD_BY:
        return importlib.import_module(names.HELD_BY[name])
    short = f"{names.PROTO_PACKAGE}.{name.rpartition('.')[2]}"
    if importlib.util.find_spec(short) is None:
        from reflow.drop_in import protos

        made = protos.module(name)
        if made is not None:
            return made
    return importlib.import_module(short)


def _target(name: str):
    """How to make the module `name`: a function of the fresh module, or None if there is no such module."""
    path = name.removeprefix("tensorflow").removeprefix(".")
    if not path:
        return make_facade
    if path == "_api":
        return make_private
    for prefix in ("_api.v2", "compat.v2"):  # other ways to the same
        if path == prefix or path.startswith(f"{prefix}."):
            return lambda _: importlib.import_module("tensorflow" + path.removeprefix(prefix))
    if path.startswith("compat.v1.keras"):
        path = path.removeprefix("compat.v1.")
        if legacy_keras.is_chosen():
            return lambda _: legacy_keras.module(path.removeprefix("keras"), version=1)
    if path == "keras" or path.startswith("keras."):
        return lambda _: _keras_module(path.removeprefix("keras"))
    old = f"{space_now()}.{path}"
    if old[0] != "." and path != "compat" and not path.startswith(("compat.", "python", "core")) and _is_namespace(old):
        return lambda _: resolve(old)
    if path in names.KERAS_NAMESPACES:
        return lambda _: _keras_module(f".{path}")
    if name.startswith(names.PROTO_PREFIX) and name.endswith("_pb2"):
        return lambda _: _proto(name)
    if name == names.KERAS_IN_TENSORFLOW or name.startswith(f"{names.KERAS_IN_TENSORFLOW}."):
        return lambda _: _nearest_keras_module(name.removeprefix(names.KERAS_IN_TENSORFLOW))
    if name.startswith(tuple(names.AUTOGRAPH)):
        return lambda _: importlib.import_module(_in_autograph(name))
    if is_private_module(name):
        return make_private
    if path.startswith("contrib.slim.") and space_now():
        return lambda _: _slim_module(path.removeprefix("contrib.slim."))
    if _part_above(name) is not None:
        part = getattr(_part_above(name), name.rpartition(".")[2], None)
        return (lambda _: part) if isinstance(part, types.ModuleType) else None
    if path.split(".")[0] in names.PUBLIC_MODULES and _is_namespace(path):
        return lambda _: resolve(path)
    return None


def _slim_module(path: str) -> types.ModuleType:
    """A module of `tf.contrib.slim`: of the package `tf_slim`, also where programs name the file it was in."""
    below = path.removeprefix("python.slim.")
    return importlib.import_module("tf_slim" if below in ("python", "python.slim") else f"tf_slim.{below}")


def _part_above(name: str) -> Any:
    """The part of `tf.contrib` in which a module is looked for, in a program of version 1."""
    above = sys.modules.get(name.rpartition(".")[0])
    return above if hasattr(type(above), "explain") else None


def _keras_module(path: str) -> types.ModuleType:
    """Keras as TensorFlow exposes it, or its module at `path` (with a dot in front), which runs Keras 2 too."""
    if legacy_keras.is_chosen():
        return legacy_keras.module(path)
    from reflow.keras import compat

    with version_two():
        importlib.import_module(_KERAS)
        compat.install()
        return importlib.import_module(_KERAS + path)


def _nearest_keras_module(path: str) -> types.ModuleType:
    """The module at `path`, or the first above it that exists: `.layers.core` is `.layers`.

    The package of Keras 2 has them all.
    """
    if legacy_keras.is_chosen() and path:
        return importlib.import_module(f"{legacy_keras.PACKAGE}.src{path}")
    try:
        return _keras_module(path)
    except ModuleNotFoundError:
        return _nearest_keras_module(path.rpartition(".")[0])


def _is_namespace(path: str) -> bool:
    """Whether `path` inside `reflow` is a module, or an object used as one."""
    try:
        value = resolve(path)
    except AttributeError:
        return False
    return isinstance(value, (types.ModuleType, types.SimpleNamespace))


class _WithoutJax(importlib.abc.Loader):
    """Loads a module as on a machine without JAX. It stays unloaded until a program is compiled: importing it is a
    third of the time that `reflow.keras` takes."""

    def __init__(self, loader):
        self.loader = loader

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        hidden = "jax" not in sys.modules
        if hidden:
            sys.modules["jax"] = None  # type: ignore[assignment]  # makes `import jax` an ImportError
        try:
            self.loader.exec_module(module)
        finally:
            if hidden:
                del sys.modules["jax"]


def _horovod(name: str):
    """The module of Reflow that stands for one of Horovod's; None where Horovod is installed, or has no such module."""
    target = names.HOROVOD.get(name)
    if target is None or importlib.machinery.PathFinder.find_spec("horovod") is not None:
        return None
    alias = _Alias(lambda _: importlib.import_module(target))
    return importlib.machinery.ModuleSpec(name, alias, origin="reflow", is_package=True)


@functools.cache
def _tensorrt() -> types.ModuleType:
    """`reflow.engine`, which stands for TensorRT where that is not installed, and says so once."""
    warn("TensorRT is not installed: `import tensorrt` finds reflow.engine, which has its names and runs on XLA.")
    return importlib.import_module(names.TENSORRT)


class TensorFlowFinder(importlib.abc.MetaPathFinder):
    """Answers for `tensorflow`, `tf_keras` and `tensorflow_estimator`, and everything below them."""

    def find_spec(self, name, path=None, target=None):
        if name == names.IMPORTS_JAX:
            spec = importlib.machinery.PathFinder.find_spec(name, path)
            if spec is not None:
                spec.loader = _WithoutJax(spec.loader)
            return spec
        root, _, rest = name.partition(".")
        if root == "horovod":
            return _horovod(name)
        if name == "tensorrt" and importlib.machinery.PathFinder.find_spec(name) is None:
            return importlib.machinery.ModuleSpec(name, _Alias(lambda _: _tensorrt()), origin="reflow", is_package=True)
        if root not in names.STANDS_FOR or (root == legacy_keras.PACKAGE and legacy_keras.is_chosen()):
            return None
        find = legacy_keras.alias(rest) if root == legacy_keras.PACKAGE else None
        find = find or _target(f"{names.STANDS_FOR[root]}.{rest}".rstrip("."))
        if find is None:
            namespaces.refuse_missing(rest)
            close = closest(name, [*TABLED, *names.recorded()]) if rest.startswith("python.") else ""
            part = _part_above(name)
            missing = f"No module named {name!r} (Reflow stands for tensorflow){close}"
            why = missing if part is None else part.explain(name.rpartition(".")[2])
            raise ModuleNotFoundError(why, name=name)
        return importlib.machinery.ModuleSpec(name, _Alias(find), origin="reflow", is_package=True)

    def find_distributions(self, context=None):
        """Answers `importlib.metadata.version("tensorflow")`, which libraries ask before they import it."""
        if getattr(context, "name", None) in (None, "tensorflow"):
            from reflow.drop_in.distribution import Distribution

            yield Distribution()


class KerasFinder(importlib.abc.MetaPathFinder):
    """Answers for `reflow.keras.layers` and the like: the first such import activates the drop-in."""

    def find_spec(self, name, path=None, target=None):
        if not name.startswith("reflow.keras."):
            return None
        install_as_tensorflow()
        real = _KERAS + name.removeprefix("reflow.keras")
        if importlib.util.find_spec(real) is None:
            return None
        alias = _Alias(lambda _: _keras_module(name.removeprefix("reflow.keras")))
        return importlib.machinery.ModuleSpec(name, alias, origin="reflow")


class OldKerasFinder(importlib.abc.MetaPathFinder):
    """Answers, last of all, for modules that Keras 2 had: `keras.utils.np_utils`, `tensorflow.keras.layers.core`."""

    def find_spec(self, name, path=None, target=None):
        if legacy_keras.is_chosen():  # the real Keras 2 is at hand, and libraries ask `keras` which version it is
            return None
        below = name.removeprefix(f"{_KERAS}." if name.startswith(_KERAS) else "keras.")
        new = names.OLD_KERAS_MODULES.get(below) if name.startswith("keras.") else None
        if new is None or name == f"{_KERAS}.{new}":
            return None
        package = any(old.startswith(f"{below}.") for old in names.OLD_KERAS_MODULES)
        alias = _Alias(lambda fresh: _old_keras_package(fresh, new) if package else _keras_module(f".{new}"))
        return importlib.machinery.ModuleSpec(name, alias, origin="reflow", is_package=True)


def _old_keras_package(fresh: types.ModuleType, new: str) -> types.ModuleType:
    """A package of Keras 2 with modules of its own (`engine.input_spec`): a module that has the names of today's module
    `new` and keeps its own name, because `from keras.engine import input_spec` looks for the module below that."""
    fresh.__getattr__ = lambda name: getattr(_keras_module(f".{new}"), name)  # type: ignore[method-assign]
    return fresh


def is_installed() -> bool:
    """Whether `import tensorflow` finds Reflow in this process."""
    return any(isinstance(finder, TensorFlowFinder) for finder in sys.meta_path)


def install_as_tensorflow() -> None:
    """What `reflow.install_as_tensorflow` does, which says when to call it."""
    if is_installed():
        return
    if "tensorflow" in sys.modules:
        raise ImportError(
            "Reflow cannot stand in for TensorFlow: a real tensorflow is already imported in this process "
            f"({getattr(sys.modules['tensorflow'], '__file__', 'unknown file')}). "
            "Call reflow.install_as_tensorflow() first, or run the program with `python -m reflow`."
        )
    _choose_keras_backend()
    sys.meta_path.insert(0, TensorFlowFinder())
    sys.meta_path.append(OldKerasFinder())
    install_in_children()
    options.install_messages(lambda name: getattr(importlib.import_module(names.OPTIONS_PROTO), name))


def _choose_keras_backend() -> None:
    """Select Keras' TensorFlow backend, or explain why it is too late."""
    config = sys.modules.get("keras.src.backend.config")
    backend = config.backend() if config is not None else "tensorflow"
    if backend != "tensorflow":
        raise ImportError(
            f"Reflow cannot serve Keras: keras is already imported with the backend {backend!r}. "
            "Import reflow.keras (or call reflow.install_as_tensorflow()) before keras."
        )
    os.environ["KERAS_BACKEND"] = "tensorflow"
