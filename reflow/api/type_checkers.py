"""Type checks of arguments: which calls of a public function a dispatch target wants (`dispatching.py`).

A *checker* says of a value whether it has a type. A signature is a checker for each of some parameters. It fits a call
if all of them match and one of the values is *dispatchable*: of a composite type, or of one that was registered. So
no signature takes over calls that have only tensors and Python values as arguments.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from typing import Any

from reflow.core.tensor import TensorBase


class MatchType(enum.IntEnum):
    """What a checker says of a value."""

    NO_MATCH = 0
    MATCH = 1
    MATCH_DISPATCHABLE = 2


NO_MATCH, MATCH, MATCH_DISPATCHABLE = MatchType
_registered: list[type] = []


def _is_dispatchable(class_: type) -> bool:
    return getattr(class_, "_is_composite", False) is True or issubclass(class_, tuple(_registered))


def register_dispatchable_type(py_class: Any) -> Any:
    """Let public functions be replaced for a class and its subclasses. Composite tensors are registered already.

    >>> @register_dispatchable_type
    ... class Length:
    ...     pass
    >>> MakeInstanceChecker(Length).Check(Length()).name
    'MATCH_DISPATCHABLE'
    """
    if not isinstance(py_class, type):
        raise ValueError(f"Expected a type object; got object with type {type(py_class).__qualname__}")
    if _is_dispatchable(py_class):
        raise ValueError(f"Type {py_class} (or one of its bases classes) has already been registered")
    _registered.append(py_class)
    return py_class


class PyTypeChecker:
    """Says of a value whether it has a type; `cost` is an estimate of the time that takes."""

    def Check(self, value: Any) -> MatchType:
        raise NotImplementedError

    def cost(self) -> int:
        raise NotImplementedError

    def cache_size(self) -> int:
        """The number of types of which the answer is known."""
        return 0

    def __repr__(self) -> str:
        return f"<PyTypeChecker {self}>"


class MakeInstanceChecker(PyTypeChecker):
    """Matches instances of some classes. The answer for a type is kept; a tensor's never matches as dispatchable."""

    def __init__(self, *py_classes: type) -> None:
        if not all(isinstance(class_, type) for class_ in py_classes):
            raise TypeError("`*py_classes` must be a tuple of types.")
        self._classes = py_classes
        self._known: dict[type, MatchType] = {}

    def Check(self, value: Any) -> MatchType:
        found = self._known.get(type(value))
        if found is None:
            found = self._known[type(value)] = self._check(value)
        return found

    def _check(self, value: Any) -> MatchType:
        if not isinstance(value, self._classes):
            return NO_MATCH
        dispatchable = _is_dispatchable(type(value)) and not isinstance(value, TensorBase)
        return MATCH_DISPATCHABLE if dispatchable else MATCH

    def cost(self) -> int:
        return len(self._classes)

    def cache_size(self) -> int:
        return len(self._known)

    def __str__(self) -> str:
        return ", ".join(class_.__name__ for class_ in self._classes)


class MakeUnionChecker(PyTypeChecker):
    """Matches what one of several checkers matches."""

    def __init__(self, type_checkers: Iterable[PyTypeChecker]) -> None:
        self._options = tuple(type_checkers)

    def Check(self, value: Any) -> MatchType:
        return max([option.Check(value) for option in self._options], default=NO_MATCH)

    def cost(self) -> int:
        return 1 + sum(option.cost() for option in self._options)

    def __str__(self) -> str:
        return f"Union[{', '.join(map(str, self._options))}]"


class MakeListChecker(PyTypeChecker):
    """Matches lists and tuples all of whose elements match; an empty one does too."""

    def __init__(self, element_type: PyTypeChecker) -> None:
        self._element = element_type

    def Check(self, value: Any) -> MatchType:
        if not isinstance(value, (list, tuple)):
            return NO_MATCH
        found = [self._element.Check(element) for element in value]
        return max(found, default=MATCH) if all(found) else NO_MATCH

    def cost(self) -> int:
        return 10 * self._element.cost()

    def __str__(self) -> str:
        return f"List[{self._element}]"


class PySignatureChecker:
    """A checker for each of some parameters, by position; the cheapest goes first."""

    def __init__(self, positional_parameter_checkers: Iterable[tuple[int, PyTypeChecker]]) -> None:
        self._checkers = sorted(positional_parameter_checkers, key=lambda pair: pair[1].cost())

    def CheckCanonicalizedArgs(self, canon_args: Sequence[Any]) -> bool:
        """Whether the arguments of a call, one for each parameter, fit."""
        dispatchable = False
        for position, checker in self._checkers:
            found = checker.Check(canon_args[position]) if position < len(canon_args) else NO_MATCH
            if not found:
                return False
            dispatchable = dispatchable or found == MATCH_DISPATCHABLE
        return dispatchable

    def __str__(self) -> str:
        return ", ".join(f"args[{position}]:{checker}" for position, checker in self._checkers)

    def __repr__(self) -> str:
        return f"<PySignatureChecker {self}>"
