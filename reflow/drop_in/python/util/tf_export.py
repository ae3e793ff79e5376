"""`tensorflow.python.util.tf_export`: the public names of functions and classes, as TensorFlow and Keras 2 note them in their sources.

A *symbol* is a function or class with public names; one of them is its *canonical name*, which Keras 2 writes into files for a function
that is a layer of a model. Reflow's own names come from `reflow/api/export.py`.
"""

from __future__ import annotations

import functools
from typing import Any

from reflow.api.export import TABLE
from reflow.api.framework.internal import unwrap
from reflow.drop_in import install

TENSORFLOW_API_NAME, KERAS_API_NAME = "tensorflow", "keras"
_ATTRIBUTES = {TENSORFLOW_API_NAME: ("_tf_api_names", "_tf_api_names_v1"), KERAS_API_NAME: ("_keras_api_names", "_keras_api_names_v1")}
_V1 = "compat.v1."
#: functions with names in two namespaces whose canonical name is the one at the top level
_TOP_LEVEL_FIRST = frozenset(
    ("cast", "einsum", "eye", "concat", "expand_dims", "squeeze", "where", "while_loop", "cond", "tensordot", "zeros", "random_index_shuffle")
)
_symbols: dict[str, Any] = {}


class api_export:  # TensorFlow's name
    """A decorator that gives a symbol its public names: in `tf.compat.v1` those of `v1`, if there are others there."""

    def __init__(self, *args: str, api_name: str = TENSORFLOW_API_NAME, v1: Any = None, allow_multiple_exports: bool = True) -> None:
        self._names, self._api_name = args, api_name
        self._names_v1 = args if v1 is None else tuple(v1)

    def __call__(self, func: Any) -> Any:
        decorators, target = unwrap(func)
        for attribute, names in zip(_ATTRIBUTES[self._api_name], (self._names, self._names_v1), strict=True):
            setattr(target, attribute, names)
        for decorator in decorators:
            if hasattr(decorator, "decorated_target"):
                decorator.api_names = self._names  # type: ignore[attr-defined]
        _symbols.update(dict.fromkeys(self._names, func))
        _symbols.update({_V1 + name: func for name in self._names_v1})
        return func

    def export_constant(self, module_name: str, name: str) -> None:
        """Give the constant `name` of a module its public names."""
        import sys

        value = getattr(sys.modules[module_name], name)
        _symbols.update(dict.fromkeys(self._names, value))
        _symbols.update({_V1 + v1_name: value for v1_name in self._names_v1})


tf_export = functools.partial(api_export, api_name=TENSORFLOW_API_NAME)
keras_export = functools.partial(api_export, api_name=KERAS_API_NAME)


def get_canonical_name_for_symbol(
    symbol: Any, api_name: str = TENSORFLOW_API_NAME, add_prefix_to_v1_names: bool = False
) -> str | None:
    """The canonical public name of a function or class, or None if it has none."""
    _, target = unwrap(symbol)
    own = getattr(target, "__dict__", {})
    names, names_v1 = (own.get(attribute, ()) for attribute in _ATTRIBUTES[api_name])
    if names:
        return names[0]
    if names_v1:
        return (_V1 if add_prefix_to_v1_names else "") + names_v1[0]
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
        return install.resolve(name)
    except AttributeError:
        return None


def get_v2_names(symbol: Any) -> list[str]:
    """The public names of a symbol in version 2."""
    return _names_of(symbol, 0)


def get_v1_names(symbol: Any) -> list[str]:
    """The public names of a symbol in version 1."""
    return _names_of(symbol, 1)


def _names_of(symbol: Any, version: int) -> list[str]:
    own = getattr(unwrap(symbol)[1], "__dict__", {})
    return [name for attributes in _ATTRIBUTES.values() for name in own.get(attributes[version], ())]
