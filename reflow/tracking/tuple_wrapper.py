"""Tuples, and named tuples, whose elements are tracked: `_TupleWrapper`."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

from reflow.tracking.trackable import SaveType
from reflow.tracking.wrapping import WRAPPERS, NoDependency, TrackableDataStructure, sticky_attribute_assignment, wrap


class _TupleWrapper(TrackableDataStructure):
    """A tuple whose elements are children named by index, and by field if it is a named tuple.

    Instances are of a subclass that also inherits the tuple's own class: `tuple`, or a named tuple.
    """

    __wrapped__: tuple
    _self_wrapped_type: Any = None
    _self_constructable = True

    def __new__(cls, *args: Any) -> Any:
        kind = cls._self_wrapped_type
        if kind is None:
            value = args[0] if args and isinstance(args[0], tuple) else tuple(*args)
            return value if isinstance(value, _TupleWrapper) else _tuple_class(type(value))(value)
        # `nest` calls the class as it would the tuple's own
        value = args[0] if len(args) == 1 and isinstance(args[0], kind) else kind(*args)
        fields = getattr(value, "_fields", None)
        elements = tuple(map(wrap, value))
        try:
            wrapped = kind(elements) if fields is None else kind(**dict(zip(fields, elements, strict=True)))
        except TypeError:
            wrapped, elements = value, tuple(value)
        self: Any = tuple.__new__(cls, elements)  # type: ignore[type-var]  # `cls` also inherits `kind`, a tuple
        self.__dict__["__wrapped__"] = wrapped
        self._self_constructable = wrapped is not value
        if self._self_constructable:
            for names in (fields or (), map(str, range(len(elements)))):
                for name, original, element in zip(names, value, elements, strict=False):
                    if not isinstance(original, NoDependency):
                        sticky_attribute_assignment(self, name, element)
        return self

    def __init__(self, *args: Any) -> None:
        pass

    @property
    def _values(self) -> tuple:
        return self.__wrapped__

    __hash__ = tuple.__hash__
    __eq__ = tuple.__eq__
    __ne__ = tuple.__ne__

    def __repr__(self) -> str:
        return f"_TupleWrapper({self.__wrapped__!r})"

    def __str__(self) -> str:
        return str(self.__wrapped__)

    def __copy__(self) -> Any:
        return _TupleWrapper(self.__wrapped__)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return _TupleWrapper(copy.deepcopy(self.__wrapped__, memo))

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return _TupleWrapper, (self.__wrapped__,)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.__wrapped__, name)

    def _trackable_children(self, save_type: str = SaveType.CHECKPOINT, **kwargs: Any) -> dict:
        if not self._self_constructable:
            fields: Any = self.__wrapped__._fields  # type: ignore[attr-defined]
            raise ValueError(
                f"Unable to save because the namedtuple {self.__wrapped__} is not constructable from its _fields (i.e. "
                f"__new__ is overridden). Expected keyword arguments {fields}. If you do not need to save this object, "
                "consider wrapping it in a custom object that does not inherit from tuple."
            )
        return super()._trackable_children(save_type, **kwargs)


@functools.lru_cache(maxsize=256)
def _tuple_class(kind: type) -> type:
    """The wrapper class for a class of tuples. Its fields come before the wrapper's own attributes of the same name."""
    fields = {field: getattr(kind, field) for field in getattr(kind, "_fields", ())}
    # These would make wrappers where TensorFlow's give plain named tuples.
    plain = {name: _delegate(name) for name in ("_replace", "_asdict") if fields}
    return type("_TupleWrapper", (_TupleWrapper, kind), {**plain, **fields, "_self_wrapped_type": kind})


def _delegate(name: str) -> Callable[..., Any]:
    return lambda self, *args, **kwargs: getattr(self.__wrapped__, name)(*args, **kwargs)


WRAPPERS[tuple] = _TupleWrapper
