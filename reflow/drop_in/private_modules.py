"""Private modules, `tensorflow.python.…`: created from the tables in `names`.

Names without a public equivalent are written by hand: the module `reflow.drop_in.python.util.nest` holds such names of
`tensorflow.python.util.nest`. The functions of `gen_*_ops` are made of `tf.raw_ops`.
"""

from __future__ import annotations

import contextlib
import difflib
import functools
import importlib
import inspect
import itertools
import pathlib
import types
from collections.abc import Collection

from reflow.drop_in import names
from reflow.drop_in.facade import resolve


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
        elif is_private_module(f"{full}.{name}"):
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
        raise AttributeError(f"Reflow knows no {name!r} of the private module {full!r}{closest(name, known)}")


def _only_imports(by_hand: types.ModuleType | None, full: str, name: str) -> bool:
    """Whether a module written by hand has a name only because its own code needs the thing,
    while TensorFlow's means another."""
    value, what = getattr(by_hand, name), names.recorded().get(full, {}).get(name)
    if not isinstance(what, str) or full in names.HELD_BY or getattr(value, "__module__", None) == by_hand.__name__:  # type: ignore[union-attr]
        return False
    with contextlib.suppress(AttributeError, ImportError):
        return _recorded_thing(what) is not value
    return False


def closest(name: str, known: Collection[str]) -> str:
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


def is_private_module(name: str) -> bool:
    """Whether the table holds `name` itself or a module below it."""
    if _is_generated(name):
        return True
    recorded = (
        (_written_modules(), names.recorded())
        if name.startswith(("tensorflow.python", "tensorflow.core", "tensorflow.tools")) else ()
    )
    known = itertools.chain(TABLED, *recorded)
    return any(module == name or module.startswith(f"{name}.") for module in known)


TABLED = (
    *names.PRIVATE,
    *names.STANDARD,
    *(f"tensorflow.core.{folder}.x_pb2" for folder in names.PROTO_FOLDERS), "tensorflow.compiler.xla.xla_data_pb2",
)


def make_private(module: types.ModuleType) -> types.ModuleType:
    module.__class__ = PrivateModule
    module.__path__ = []
    if module.__name__ in names.REGISTER_OPS:
        written(module.__name__)
    for path, full in names.CLASSES.items():  # Keras 2 looks for them in `vars` of the module
        home, _, name = full.rpartition(".")
        if home == module.__name__:
            setattr(module, name, resolve(path))
    return module
