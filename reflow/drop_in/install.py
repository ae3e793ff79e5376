"""The drop-in: `import tensorflow` finds Reflow.

A *finder* on `sys.meta_path` handles every module below `tensorflow`:

- `tensorflow` is a *facade*, a separate module whose attributes are Reflow's public ones. (It is not `reflow` itself:
  importing `tensorflow.core.framework.graph_pb2` sets an attribute `core` on its parent, and Reflow has a `core`.)
- `tensorflow.keras…` is Keras as TensorFlow exposes it (`keras._tf_keras.keras`: `keras`' classes, plus old names).
- A public module (`tensorflow.nn`) is the object of that path in `reflow`.
- A private module (`tensorflow.python.…`) is created from the table in `names`. Names without a public equivalent are
  written by hand: the module `reflow.drop_in.python.util.nest` holds such names of `tensorflow.python.util.nest`.
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

import contextlib
import difflib
import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import itertools
import os
import pathlib
import sys
import types
import typing
from collections.abc import Collection, Iterator
from typing import Any

from reflow.api import export
from reflow.core import namespaces, version
from reflow.core.logging import warn
from reflow.data import options
from reflow.drop_in import gast_rewriter, legacy_keras, names

_KERAS = "keras._tf_keras.keras"


def _public() -> types.ModuleType:
    """The package `reflow`, whose attributes are the public namespace. It lies above this folder, and is loaded
    whenever this is."""
    return sys.modules["reflow"]


def resolve(path: str):
    """The object at an attribute path inside `reflow`; "" is `reflow` itself."""
    value = _public()
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
        value = getattr(_public(), name, self)
        internal = isinstance(value, types.ModuleType) and name not in names.PUBLIC_MODULES
        if value is self or internal:
            raise AttributeError(namespaces.explain("", name, "tensorflow"), obj=self)
        setattr(self, name, value)
        return value

    def __dir__(self):
        reflow = _public()
        modules = {name for name, value in vars(reflow).items() if isinstance(value, types.ModuleType)}
        shown = set(dir(reflow)) - (modules.union(reflow._OWN) - names.PUBLIC_MODULES)
        return sorted(shown | set(super().__dir__()) | {"keras"})


class PrivateModule(types.ModuleType):
    """A private module, or a package on the way to one. Its names come from the table, on first use."""

    def __getattr__(self, name: str):
        full = self.__name__
        if name.startswith("__") and not name.endswith("version__"):
            raise AttributeError(f"module {full!r} has no attribute {name!r}")
        target = names.PRIVATE.get(full, {}).get(name)
        by_hand = written(full)
        if hasattr(by_hand, name) and not _only_imports(by_hand, full, name):
            value = getattr(by_hand, name)
        elif target is not None:
            value = resolve(target)
        elif _is_private_module(f"{full}.{name}"):
            return importlib.import_module(f"{full}.{name}")
        else:
            value = self._search(name)
        setattr(self, name, value)
        return value

    def _search(self, name: str):
        full = self.__name__
        if full in names.STANDARD:
            with contextlib.suppress(AttributeError):
                return getattr(importlib.import_module(names.STANDARD[full]), name)
        what = names.recorded().get(full, {}).get(name)
        if _is_generated(full) and what is None:
            if name[0].isupper() and hasattr(resolve("raw_ops"), name):
                return getattr(resolve("raw_ops"), name)
            op = _generated_names().get(name.removeprefix("_"))  # `_range`, `_if`: words of Python's own
            if op is not None:
                return generated_function(op)
        if isinstance(what, dict):
            return what["value"]
        for candidate in (what, what and what.removeprefix("compat.v1.")):
            if candidate:
                with contextlib.suppress(AttributeError, ImportError):
                    return _recorded_thing(candidate)
        by_hand = written(full)
        known = {*names.recorded().get(full, {}), *names.PRIVATE.get(full, {}), *(vars(by_hand) if by_hand else ())}
        raise AttributeError(f"Reflow knows no {name!r} of the private module {full!r}{_close(name, known)}")


def _only_imports(by_hand: types.ModuleType | None, full: str, name: str) -> bool:
    """Whether a module written by hand has a name only because its own code needs the thing,
    while TensorFlow's means another."""
    value, what = getattr(by_hand, name), names.recorded().get(full, {}).get(name)
    if not isinstance(what, str) or full in names.HELD_BY or getattr(value, "__module__", None) == by_hand.__name__:  # type: ignore[union-attr]
        return False
    with contextlib.suppress(AttributeError, ImportError):
        return _recorded_thing(what) is not value
    return False


def _close(name: str, known: Collection[str]) -> str:
    """The end of an error about a name that is not there: the closest that are."""
    close = difflib.get_close_matches(name, known, 3, 0.8)
    return f". Did you mean {' or '.join(close)}?" if close else ""


def _recorded_thing(path: str):
    """What a row of the recording leads to: a public thing, an op's generated function, or another private module."""
    if path.startswith("module:"):
        return importlib.import_module(path.removeprefix("module:"))
    return generated_function(path.removeprefix("raw_ops.")) if path.startswith("raw_ops.") else resolve(path)


@functools.cache
def _written_modules() -> frozenset[str]:
    """The private modules of which a part is written by hand: the files of `reflow/drop_in/python/`, `core/` and
    `tools/`, and those whose names another module of Reflow holds."""
    folder = pathlib.Path(__file__).parent
    found = [
        path.relative_to(folder).with_suffix("") for top in ("python", "core", "tools")
        for path in (folder / top).rglob("*.py")
    ]
    files = frozenset("tensorflow." + ".".join(path.parts) for path in found if path.name != "__init__")
    return files | names.HELD_BY.keys()


@functools.cache
def written(name: str) -> types.ModuleType | None:
    """What is written by hand of a private module, or None."""
    if name not in _written_modules():
        return None
    return importlib.import_module(names.HELD_BY.get(name) or name.replace("tensorflow", "reflow.drop_in", 1))


@functools.cache
def _generated_names() -> dict[str, str]:
    """`mat_mul` -> `MatMul`, for every op."""
    raw_ops = resolve("raw_ops")
    return {getattr(raw_ops, op).__name__: op for op in dir(raw_ops)}


@functools.cache
def generated_function(op: str):
    """The function of an op that also takes positions, which `tf.raw_ops` refuses."""
    raw = getattr(resolve("raw_ops"), op)
    signature = inspect.signature(raw)

    @functools.wraps(raw, assigned=("__name__", "__qualname__", "__doc__"), updated=())
    def call(*args, **kwargs):
        return raw(**signature.bind(*args, **kwargs).arguments)

    return call


def _is_generated(name: str) -> bool:
    """Whether a private module holds the generated functions of ops."""
    return names.GENERATED.fullmatch(name) is not None


def _is_private_module(name: str) -> bool:
    """Whether the table holds `name` itself or a module below it."""
    if _is_generated(name):
        return True
    recorded = (
        (_written_modules(), names.recorded())
        if name.startswith(("tensorflow.python", "tensorflow.core", "tensorflow.tools")) else ()
    )
    known = itertools.chain(_PRIVATE_MODULES, *recorded)
    return any(module == name or module.startswith(f"{name}.") for module in known)


_PRIVATE_MODULES = (
    *names.PRIVATE,
    *names.STANDARD,
    *(f"tensorflow.core.{folder}.x_pb2" for folder in names.PROTO_FOLDERS), "tensorflow.compiler.xla.xla_data_pb2",
)


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


def _facade(module: types.ModuleType) -> types.ModuleType:
    """The facade, from the fresh module that the import system made for `tensorflow`."""
    module.__class__ = Facade
    module.__path__ = []
    vars(module)["__version__"] = version.TENSORFLOW
    vars(module)["__git_version__"] = f"v{version.TENSORFLOW}"
    module.__file__ = _public().__file__
    module.__doc__ = "TensorFlow's names, answered by Reflow."
    stamp_classes()
    return module


def _space_now() -> str:
    """Where the names of the module `tensorflow` are, as whoever imports it now sees it."""
    return getattr(sys.modules.get("tensorflow"), "_space", "")


@contextlib.contextmanager
def _version_two() -> Iterator[None]:
    """While Keras is loaded, `tensorflow` is version 2's namespace, also in a program of version 1."""
    if not _space_now():
        yield
        return
    outer = sys.modules["tensorflow"]
    sys.modules["tensorflow"] = _facade(types.ModuleType("tensorflow"))
    try:
        yield
        if "keras.src.utils.module_utils" in sys.modules:  # which would import it when it is first used, or asked for
            lazy = sys.modules["keras.src.utils.module_utils"].tensorflow
            lazy.initialize()
            lazy._available = True
    finally:
        sys.modules["tensorflow"] = outer


def _private(module: types.ModuleType) -> types.ModuleType:
    module.__class__ = PrivateModule
    module.__path__ = []
    if module.__name__ in names.REGISTER_OPS:
        written(module.__name__)
    for path, full in names.CLASSES.items():  # Keras 2 looks for them in `vars` of the module
        home, _, name = full.rpartition(".")
        if home == module.__name__:
            setattr(module, name, resolve(path))
    return module


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
        return _facade
    if path == "_api":
        return _private
    for prefix in ("_api.v2", "compat.v2"):  # other ways to the same
        if path == prefix or path.startswith(f"{prefix}."):
            return lambda _: importlib.import_module("tensorflow" + path.removeprefix(prefix))
    if path.startswith("compat.v1.keras"):
        path = path.removeprefix("compat.v1.")
        if legacy_keras.is_chosen():
            return lambda _: legacy_keras.module(path.removeprefix("keras"), version=1)
    if path == "keras" or path.startswith("keras."):
        return lambda _: _keras_module(path.removeprefix("keras"))
    old = f"{_space_now()}.{path}"
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
    if _is_private_module(name):
        return _private
    if path.startswith("contrib.slim.") and _space_now():
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

    with _version_two():
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
            close = _close(name, [*_PRIVATE_MODULES, *names.recorded()]) if rest.startswith("python.") else ""
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
    _install_in_children()
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


class _InstallOnUnpickle:
    """Installs the drop-in where it is unpickled: by `exec`, since a child may not find `reflow` by itself yet."""

    def __reduce__(self):
        folder = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        code = (
            f"import sys; sys.path.append({folder!r})\n"
            "import reflow.drop_in.install as drop_in; drop_in.install_as_tensorflow()"
        )
        return exec, (code, {})


def _install_in_children() -> None:
    """Let processes that `multiprocessing` spawns inherit the drop-in.

    A spawned child unpickles *preparation data* (paths, arguments), runs the main module again, then unpickles its
    task. The drop-in has to be there before, so it travels as one more entry of that data. `fork` needs nothing. A fork
    server, which has no such entry, gets no path of the main module, which Python 3.14 would run in the server.
    """
    from multiprocessing import spawn

    prepare = spawn.get_preparation_data

    def get_preparation_data(name):
        data = prepare(name)
        if name == "ignore":  # what the fork server calls itself
            data.pop("init_main_from_path", None)
        return {"reflow": _InstallOnUnpickle(), **data}

    spawn.get_preparation_data = get_preparation_data
