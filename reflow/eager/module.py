"""`tf.Module`: a named container of variables, other modules and functions.

A module finds its variables by inspecting its attributes on each access: in the order of their names, through lists,
dictionaries and tuples, then into the modules it found.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from reflow.core import nest
from reflow.core.name_scope import name_scope
from reflow.eager.variables import Variable
from reflow.tracking.trackable import AutoTrackable

if TYPE_CHECKING:
    from reflow.core.types import Structure

_WORD_START = re.compile(r"((?<=[a-z0-9])[A-Z]|(?!^)[A-Z](?=[a-z]))")
_IDENTIFIER = re.compile(r"^[a-zA-Z_]([a-zA-Z0-9_])*$")


def camel_to_snake(value: str) -> str:
    """
    >>> camel_to_snake("HTMLParser")
    'html_parser'
    """
    return _WORD_START.sub(r"_\1", value).lower()


class Module(AutoTrackable):
    """Base of objects that own variables.

    >>> class Dense(Module):
    ...     def __init__(self, units):
    ...         super().__init__()
    ...         self.w = Variable([1.0] * units, name="w")
    >>> model = Module("model")
    >>> model.layers = [Dense(1), Dense(2)]
    >>> [v.shape.as_list() for v in model.variables]
    [[1], [2]]
    """

    #: bookkeeping of `Trackable`: its contents are also reachable through other attributes
    _TF_MODULE_IGNORED_PROPERTIES = frozenset(
        ("_self_unconditional_checkpoint_dependencies", "_self_unconditional_dependency_names")
    )

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = camel_to_snake(type(self).__name__)
        elif not _IDENTIFIER.match(name):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python identifiers "
                "(e.g. a valid class name)."
            )
        self._name = name
        with name_scope(name) as scope_name:
            self._name_scope: Any = name_scope(scope_name)  # in a LinearOperator this is a method

    @property
    def name(self) -> str:
        """The name given to the constructor, without the names of parents."""
        return self._name

    @property
    def name_scope(self) -> Any:
        """The scope for names of variables and ops of this module."""
        return self._name_scope

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of this module, then those of its submodules."""
        return tuple(self._flatten(predicate=_is_variable, expand_composites=True))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The trainable variables among `variables`."""
        return tuple(self._flatten(predicate=_is_trainable, expand_composites=True))

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """The non-trainable variables among `variables`."""
        return tuple(self._flatten(predicate=_is_not_trainable, expand_composites=True))

    @property
    def submodules(self) -> tuple[Module, ...]:
        """All modules below this one."""
        return tuple(self._flatten(predicate=_is_module))

    def _flatten(
        self, recursive: bool = True, predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Any = None, with_path: bool = False, expand_composites: bool = False,
    ) -> Iterator:
        """The leaves of all attributes that satisfy `predicate`, each once; with paths, once per path."""
        options = _Options(
            recursive, predicate or (lambda _: True), attribute_traversal_key, with_path, expand_composites
        )
        return _flatten_module(self, (), options, {id(self)}, ())

    @classmethod
    def with_name_scope(cls, method: Callable) -> Callable:
        """Decorator for methods: run inside the module's name scope."""

        @functools.wraps(method)
        def scoped(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped


def _is_variable(x: Any) -> bool:
    return isinstance(x, Variable)


def _is_trainable(x: Any) -> bool:
    return isinstance(x, Variable) and bool(x.trainable)


def _is_not_trainable(x: Any) -> bool:
    return isinstance(x, Variable) and not x.trainable


def _is_module(x: Any) -> bool:
    return isinstance(x, Module)


class _Options:
    """The arguments of `_flatten`."""

    def __init__(
        self, recursive: bool, predicate: Callable[[Any], bool], key: Any, with_path: bool, expand_composites: bool
    ) -> None:
        self.recursive, self.predicate, self.key = recursive, predicate, key
        self.with_path, self.expand_composites = with_path, expand_composites


def _leaves(structure: Structure, expand_composites: bool) -> Iterator[tuple[tuple, object]]:
    for path, leaf in zip(nest.paths(structure), nest.flatten(structure), strict=True):
        if expand_composites and getattr(leaf, "_is_composite", False) and not isinstance(leaf, type):
            spec = leaf._type_spec
            for inner_path, inner in _leaves(spec._to_components(leaf), expand_composites):
                yield (*path, spec.value_type.__name__, *inner_path), inner
        else:
            yield path, leaf


def _flatten_module(
    module: Module, prefix: tuple, options: _Options, seen: set[int], ancestors: tuple[int, ...]
) -> Iterator:
    """`ancestors` are the modules on the current path: with paths, a cycle ends there; otherwise `seen` ends it."""
    attributes = vars(module)
    submodules = []
    for key in sorted(attributes, key=options.key):
        if key in module._TF_MODULE_IGNORED_PROPERTIES:
            continue
        try:
            leaves = list(_leaves(attributes[key], options.expand_composites))
        except Exception as cause:
            raise ValueError(f"Error processing property {key!r} of {attributes[key]!r}") from cause
        for path, leaf in leaves:
            full_path = (*prefix, key, *path)
            if not options.with_path:
                if id(leaf) in seen:
                    continue
                seen.add(id(leaf))
            if options.predicate(leaf):
                yield (full_path, leaf) if options.with_path else leaf
            if options.recursive and isinstance(leaf, Module) and id(module) not in ancestors:
                submodules.append((full_path, leaf))
    for path, submodule in submodules:
        yield from _flatten_module(submodule, path, options, seen, (*ancestors, id(module)))
