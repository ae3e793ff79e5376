"""`tensorflow.python.util.tf_export`: the public names of functions and classes, as TensorFlow and Keras 2 note them in
their sources.

A *symbol* is a function or class with public names; one of them is its *canonical name*, which Keras 2 writes into
files for a function that is a layer of a model. Reflow's own names come from `reflow/api/export.py`.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from reflow.api.export import TABLE
from reflow.api.framework.internal import unwrap
from reflow.drop_in import facade

TENSORFLOW_API_NAME, KERAS_API_NAME = "tensorflow", "keras"
SUBPACKAGE_NAMESPACES: list[str] = []
T = TypeVar("T")


class _Attributes(NamedTuple):
    """The attributes that hold the public names of a symbol, and those of a module's constants."""

    names: str
    constants: str


API_ATTRS = {
    TENSORFLOW_API_NAME: _Attributes("_tf_api_names", "_tf_api_constants"),
    KERAS_API_NAME: _Attributes("_keras_api_names", "_keras_api_constants"),
}
API_ATTRS_V1 = {api: _Attributes(f"{found.names}_v1", f"{found.constants}_v1") for api, found in API_ATTRS.items()}
_V1 = "compat.v1."
#: functions with names in two namespaces whose canonical name is the one at the top level
_TOP_LEVEL_FIRST = frozenset(
    (
        "cast", "einsum", "eye", "concat", "expand_dims", "squeeze", "where", "while_loop", "cond", "tensordot",
        "zeros", "random_index_shuffle",
    )
)
_symbols: dict[str, Any] = {}


class InvalidSymbolNameError(Exception):
    """A symbol was given a public name that does not belong to its package."""


class ExportType(Protocol):
    """What makes decorators that give symbols their public names: `tf_export` and `keras_export`."""

    def __call__(
        self, *v2: str, v1: Sequence[str] | None = None, allow_multiple_exports: bool = True
    ) -> api_export: ...


class api_export:  # TensorFlow's name
    """A decorator that gives a symbol its public names: in `tf.compat.v1` those of `v1`, if there are others there."""

    def __init__(
        self, *args: str, api_name: str = TENSORFLOW_API_NAME, v1: Sequence[str] | None = None,
        allow_multiple_exports: bool = True,
    ) -> None:
        self._names, self._api_name = args, api_name
        self._names_v1 = args if v1 is None else v1
        if api_name == KERAS_API_NAME and not all(name.startswith("keras.") for name in (*args, *self._names_v1)):
            raise InvalidSymbolNameError("Can only export symbols under package name of component.")

    def __call__(self, func: T) -> T:
        decorators, target = unwrap(func)
        setattr(target, API_ATTRS[self._api_name].names, self._names)
        setattr(target, API_ATTRS_V1[self._api_name].names, self._names_v1)
        for decorator in decorators:
            if hasattr(decorator, "decorated_target"):
                decorator.api_names = self._names  # type: ignore[attr-defined]
        _symbols.update(dict.fromkeys(self._names, func))
        _symbols.update({_V1 + name: func for name in self._names_v1})
        return func

    def export_constant(self, module_name: str, name: str) -> None:
        """Give the constant `name` of a module its public names, which the module keeps (`get_v2_constants`)."""
        module = sys.modules[module_name]
        for attribute, names in (
            (API_ATTRS[self._api_name].constants, self._names),
            (API_ATTRS_V1[self._api_name].constants, self._names_v1),
        ):
            vars(module).setdefault(attribute, []).append((names, name))


tf_export = functools.partial(api_export, api_name=TENSORFLOW_API_NAME)
keras_export = functools.partial(api_export, api_name=KERAS_API_NAME)


def get_canonical_name(api_names: Sequence[str], deprecated_api_names: Sequence[str]) -> str | None:
    """The first name that is not deprecated, or None."""
    return next((name for name in api_names if name not in deprecated_api_names), None)


def get_canonical_name_for_symbol(
    symbol: Any, api_name: str = TENSORFLOW_API_NAME, add_prefix_to_v1_names: bool = False
) -> str | None:
    """The canonical public name of a function or class, or None if it has none."""
    _, target = unwrap(symbol)
    own = getattr(target, "__dict__", {})
    deprecated = own.get("_tf_deprecated_api_names", ())
    found = get_canonical_name(own.get(API_ATTRS[api_name].names, ()), deprecated)
    if found is not None:
        return found
    found = get_canonical_name(own.get(API_ATTRS_V1[api_name].names, ()), deprecated)
    if found is not None:
        return (_V1 if add_prefix_to_v1_names else "") + found
    return _canonical_of_ours(symbol, add_prefix_to_v1_names) if api_name == TENSORFLOW_API_NAME else None


def _canonical_of_ours(symbol: Any, add_prefix_to_v1_names: bool) -> str | None:
    found = [name for name, thing in TABLE.items() if thing is symbol]
    if not found and hasattr(symbol, "__wrapped__"):  # by a dispatcher, for instance
        return _canonical_of_ours(symbol.__wrapped__, add_prefix_to_v1_names)
    public = [name for name in found if not name.startswith(_V1)]
    if not public:
        return next((name if add_prefix_to_v1_names else name.removeprefix(_V1) for name in found), None)
    below = [name for name in public if "." in name]
    top = [name for name in public if "." not in name]
    return (top if top and (not below or top[0] in _TOP_LEVEL_FIRST) else below)[0]


def get_symbol_from_name(name: str) -> Any:
    """The function or class with a canonical name, or None."""
    if name in _symbols:
        return _symbols[name]
    try:
        return facade.resolve(name)
    except AttributeError:
        return None


def get_v2_names(symbol: Any) -> list[str]:
    """The public names of a symbol in version 2."""
    return _names_of(symbol, API_ATTRS)


def get_v1_names(symbol: Any) -> list[str]:
    """The public names of a symbol in version 1."""
    return _names_of(symbol, API_ATTRS_V1)


def _names_of(symbol: Any, kinds: dict[str, _Attributes]) -> list[str]:
    own = getattr(unwrap(symbol)[1], "__dict__", {})
    return [name for kind in kinds.values() for name in own.get(kind.names, ())]


def get_v2_constants(module: Any) -> list[tuple[Sequence[str], str]]:
    """(public names, name) of each constant of a module that has public names in version 2."""
    return _constants_of(module, API_ATTRS)


def get_v1_constants(module: Any) -> list[tuple[Sequence[str], str]]:
    """(public names, name) of each constant of a module that has public names in version 1."""
    return _constants_of(module, API_ATTRS_V1)


def _constants_of(module: Any, kinds: dict[str, _Attributes]) -> list[tuple[Sequence[str], str]]:
    return [row for kind in kinds.values() for row in getattr(module, kind.constants, ())]


def kwarg_only(f: Callable) -> Callable:
    """Decorates a function that takes its arguments by name alone."""
    names = inspect.getfullargspec(f).args

    @functools.wraps(f)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if args:
            raise TypeError(
                f"{f.__name__} only takes keyword args (possible keys: {names}). Please pass "
                "these args as kwargs instead."
            )
        return f(**kwargs)

    return wrapper
