"""Lists, dictionaries and tuples that are trackable.

On assignment to an attribute of an `AutoTrackable` (a `tf.Module`, a `tf.train.Checkpoint`) a plain list becomes a
`ListWrapper`, a dictionary a `_DictWrapper`, and a tuple that holds something trackable a `_TupleWrapper`. They behave as
what they wrap; their elements are children named by index or key, so values restored from a checkpoint reach elements
that are appended later.

A wrapper keeps the user's own list or dictionary as its *storage*, so both names see every change. It also is a list or
dictionary itself, with a copy of the storage's contents: C code that takes `list` and `dict` apart without asking
finds them there. Only additions keep the names of the others; a wrapper remembers a replaced, removed or moved
element, or a change of the storage behind its back, and refuses to be saved.
"""

from __future__ import annotations

import collections
import copy
import functools
from typing import Any

from reflow.core.trackable import SaveType, Trackable, is_function


class NoDependency:
    """Around a value: assign it to the attribute as it is and track nothing."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


def wrap(value):
    """The trackable wrapper of a plain list, dictionary or tuple; other values as they are.

    >>> wrap([1, {"a": 2}])
    ListWrapper([1, DictWrapper({'a': 2})])
    """
    if isinstance(value, NoDependency):
        return value.value
    if isinstance(value, Trackable):
        return value
    # Exact types: subclasses, such as Counter, have a logic of their own.
    kind = type(value)
    if kind is list:
        return ListWrapper(value)
    if kind is dict or kind is collections.OrderedDict:
        return _DictWrapper(value)
    return _TupleWrapper(value) if isinstance(value, tuple) and _should_wrap_tuple(value) else value


wrap_or_unwrap = wrap


def _should_wrap_tuple(value: tuple) -> bool:
    return any(
        isinstance(x, (NoDependency, Trackable))
        or type(x) in (dict, collections.OrderedDict, list)
        or (isinstance(x, tuple) and _should_wrap_tuple(x))
        for x in value
    )


def sticky_attribute_assignment(trackable, name, value):
    """Track `value` as the child `name` if it is trackable or can be made so; returns what to store."""
    if isinstance(value, NoDependency):
        return value.value
    value = wrap(value)
    if isinstance(value, Trackable):
        trackable._track_trackable(value, name=name, overwrite=True)
    return value


def _same(a, b) -> bool:
    """Whether an element is still what it was. Trackables by identity: variables compare element by element."""
    if a is b:
        return True
    return not (isinstance(a, Trackable) or isinstance(b, Trackable)) and bool(a == b)


class TrackableDataStructure(Trackable):
    """Base of the wrappers. Their variables are those of their elements."""

    _self_trainable = True

    @property
    def trainable(self) -> bool:
        return self._self_trainable

    @trainable.setter
    def trainable(self, value: bool):
        self._self_trainable = value

    @property
    def _values(self):
        raise NotImplementedError

    def _collect(self, attribute: str, trainable: bool) -> list:
        """Variables of elements that have some, then elements that are variables."""
        elements: list[Any] = [x for x in self._values if isinstance(x, Trackable)]
        own = [x for x in elements if hasattr(x, "_is_resource_variable")]
        inner = [v for x in elements if not hasattr(x, "_is_resource_variable") for v in getattr(x, attribute, ())]
        return inner + [v for v in own if v.trainable is trainable]

    @property
    def trainable_weights(self) -> list:
        return self._collect("trainable_variables", True) if self._self_trainable else []

    @property
    def non_trainable_weights(self) -> list:
        others = self._collect("non_trainable_variables", False)
        return others if self._self_trainable else self._collect("trainable_variables", True) + others

    weights = property(lambda self: self.trainable_weights + self.non_trainable_weights)
    trainable_variables = property(lambda self: self.trainable_weights)
    non_trainable_variables = property(lambda self: self.non_trainable_weights)
    variables = property(lambda self: self.weights)


# ---------------------------------------------------------------- lists


class ListWrapper(TrackableDataStructure, list):
    """A list whose elements are children named "0", "1", ..."""

    _storage: list
    _non_append_mutation = False
    _external_modification = False

    def __init__(self, wrapped_list=()):
        self._storage = wrapped_list if type(wrapped_list) is list else list(wrapped_list)
        for index, element in enumerate(self._storage):
            self._storage[index] = self._track_value(element, index)
        self._update_snapshot()

    def _track_value(self, value, index: int):
        return sticky_attribute_assignment(self, str(index), value)

    @property
    def _values(self):
        return self._storage

    @property
    def __wrapped__(self):
        return self._storage

    # --- changes

    def _update_snapshot(self):
        """Acknowledge a change made through the wrapper."""
        list.__setitem__(self, slice(None), self._storage)

    def _check_external_modification(self):
        if self._external_modification or self._non_append_mutation:
            return
        now, seen = self._storage, list.__iter__(self)
        if len(now) != list.__len__(self) or not all(map(_same, now, seen)):
            self._external_modification = True

    def _before_mutation(self):
        self._check_external_modification()
        if any(isinstance(x, Trackable) for x in self._storage):
            self._non_append_mutation = True

    def append(self, value):
        self._check_external_modification()
        value = self._track_value(value, len(self._storage))
        self._storage.append(value)
        list.append(self, value)

    def extend(self, values):
        for value in list(values):
            self.append(value)

    def __iadd__(self, values):
        self.extend(values)
        return self

    def __imul__(self, count):
        if count <= 0:
            self._before_mutation()
            self._storage *= count
            self._update_snapshot()
        else:
            self.extend(self._storage * (count - 1))
        return self

    def __setitem__(self, key, value):
        self._check_external_modification()
        if isinstance(key, slice):
            return self._set_slice(key, value)
        index = range(len(self._storage))[key] if -len(self._storage) <= key < len(self._storage) else None
        if index is None:
            raise IndexError("list assignment index out of range")
        if isinstance(self._storage[index], Trackable):
            self._non_append_mutation = True
        self._storage[index] = self._track_value(value, index)
        self._update_snapshot()

    def _set_slice(self, key: slice, values):
        before = list(self._storage)
        self._storage[key] = values
        if any(
            isinstance(old, Trackable) and (i >= len(self._storage) or self._storage[i] is not old)
            for i, old in enumerate(before)
        ):
            self._non_append_mutation = True
        for i, value in enumerate(self._storage):
            if i >= len(before) or value is not before[i]:
                self._storage[i] = self._track_value(value, i)
        self._update_snapshot()

    def __delitem__(self, key):
        self._before_mutation()
        del self._storage[key]
        self._update_snapshot()

    def insert(self, index, obj):
        if index >= len(self._storage):
            return self.append(obj)
        self._before_mutation()
        obj = wrap(obj)
        if isinstance(obj, Trackable):
            self._non_append_mutation = True
        self._storage.insert(index, obj)
        self._update_snapshot()

    def pop(self, index=-1):
        self._before_mutation()
        value = self._storage.pop(index)
        self._update_snapshot()
        return value

    def remove(self, value):
        self._before_mutation()
        self._storage.remove(value)
        self._update_snapshot()

    def clear(self):
        self._before_mutation()
        self._storage.clear()
        self._update_snapshot()

    def sort(self, *, key=None, reverse=False):
        self._before_mutation()
        self._storage.sort(key=key, reverse=reverse)
        self._update_snapshot()

    def reverse(self):
        self._before_mutation()
        self._storage.reverse()
        self._update_snapshot()

    # --- reading

    def __getitem__(self, key):
        return self._storage[key]

    def __len__(self):
        return len(self._storage)

    def __iter__(self):
        return iter(self._storage)

    def __reversed__(self):
        return reversed(self._storage)

    def __contains__(self, value):
        return value in self._storage

    def index(self, *args):
        return self._storage.index(*args)

    def count(self, value):
        return self._storage.count(value)

    def __add__(self, other):
        return self._storage + _plain(other)

    def __radd__(self, other):
        return other + self._storage

    def __mul__(self, count):
        return self._storage * count

    __rmul__ = __mul__

    def __eq__(self, other):
        return self._storage == _plain(other)

    def __ne__(self, other):
        return self._storage != _plain(other)

    def __lt__(self, other):
        return self._storage < _plain(other)

    def __le__(self, other):
        return self._storage <= _plain(other)

    def __gt__(self, other):
        return self._storage > _plain(other)

    def __ge__(self, other):
        return self._storage >= _plain(other)

    def __hash__(self):
        raise TypeError("unhashable type: 'ListWrapper'")

    def __repr__(self):
        return f"ListWrapper({self._storage!r})"

    # --- copying

    def _flags_to(self, copied):
        copied._non_append_mutation = self._non_append_mutation
        copied._external_modification = self._external_modification
        return copied

    def copy(self):
        return self._flags_to(type(self)(list(self._storage)))

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self._flags_to(type(self)(copy.deepcopy(self._storage, memo)))

    def __reduce_ex__(self, protocol):
        return type(self), (self._storage,)

    # --- saving

    def _trackable_children(self, save_type=SaveType.CHECKPOINT, **kwargs) -> dict:
        self._check_external_modification()
        if self._non_append_mutation:
            raise ValueError(
                f"Unable to save the object {self} (a list wrapper constructed to track trackable TensorFlow objects). "
                "A list element was replaced (__setitem__, __setslice__), deleted (__delitem__, __delslice__), or moved "
                "(sort). In order to support restoration on object creation, tracking is exclusively for append-only "
                "data structures."
                "\n\nIf you don't need this list checkpointed, wrap it in a non-trackable object; it will be "
                "subsequently ignored."
            )
        if self._external_modification:
            raise ValueError(
                f"Unable to save the object {self} (a list wrapper constructed to track trackable TensorFlow objects). "
                f"The wrapped list was modified outside the wrapper (its final value was {self._storage}, its value "
                "when a checkpoint dependency "
                f"was added was {list(list.__iter__(self))}), which breaks restoration on object creation.\n\nIf you "
                "don't need this list checkpointed, wrap it in a NoDependency object; it will be subsequently ignored."
            )
        children = super()._trackable_children(save_type, **kwargs)
        if save_type == SaveType.SAVEDMODEL:
            children |= {str(i): value for i, value in enumerate(self._storage) if is_function(value)}
        return children


def _plain(other):
    return other._storage if isinstance(other, ListWrapper) else other


# ---------------------------------------------------------------- dictionaries


class _DictWrapper(TrackableDataStructure, dict):
    """A dictionary whose values are children named by their keys, which must then be strings."""

    _storage: dict
    _self_non_string_key = False
    _self_external_modification = False

    def __init__(self, wrapped_dict=None):
        if not isinstance(wrapped_dict, collections.abc.Mapping):
            wrapped_dict = {} if wrapped_dict is None else dict(wrapped_dict)
        self._storage = wrapped_dict
        for key, value in list(wrapped_dict.items()):
            self._storage[key] = self._track_value(value, key)
        self._update_snapshot()

    def _track_value(self, value, key):
        if isinstance(key, str):
            return sticky_attribute_assignment(self, key, value)
        tracked = not isinstance(value, NoDependency)
        value = wrap(value)
        if tracked and isinstance(value, Trackable):
            self._self_non_string_key = True
        return value

    @property
    def _values(self):
        return [value for _, value in sorted(self._storage.items(), key=lambda item: item[0])]

    @property
    def __wrapped__(self):
        return self._storage

    def __getattr__(self, name):
        # what the wrapped dictionary has beyond a dictionary's methods, such as move_to_end
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._storage, name)

    # --- changes

    def _update_snapshot(self):
        dict.clear(self)
        dict.update(self, self._storage)

    @property
    def _dirty(self) -> bool:
        return self._self_external_modification or self._self_non_string_key

    def _check_self_external_modification(self):
        if self._dirty:
            return
        now = self._storage
        seen = dict(dict.items(self))
        if now.keys() != seen.keys() or not all(_same(value, seen[key]) for key, value in now.items()):
            self._self_external_modification = True

    def __setitem__(self, key, value):
        self._check_self_external_modification()
        value = self._track_value(value, key)
        self._storage[key] = value
        dict.__setitem__(self, key, value)

    def __delitem__(self, key):
        self._check_self_external_modification()
        del self._storage[key]
        self._update_snapshot()

    def pop(self, *args):
        self._check_self_external_modification()
        value = self._storage.pop(*args)
        self._update_snapshot()
        return value

    def popitem(self):
        self._check_self_external_modification()
        item = self._storage.popitem()
        self._update_snapshot()
        return item

    def clear(self):
        self._check_self_external_modification()
        self._storage.clear()
        self._update_snapshot()

    def setdefault(self, key, default=None):
        if key not in self._storage:
            self[key] = default
        return self._storage[key]

    def update(self, *args, **kwargs):
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def __ior__(self, other):
        self.update(other)
        return self

    # --- reading

    def __getitem__(self, key):
        return self._storage[key]

    def __len__(self):
        return len(self._storage)

    def __iter__(self):
        return iter(self._storage)

    def __reversed__(self):
        return reversed(self._storage)

    def __contains__(self, key):
        return key in self._storage

    def keys(self):
        return self._storage.keys()

    def values(self):
        return self._storage.values()

    def items(self):
        return self._storage.items()

    def get(self, key, default=None):
        return self._storage.get(key, default)

    def __or__(self, other):
        return self._storage | (other._storage if isinstance(other, _DictWrapper) else other)

    def __ror__(self, other):
        return other | self._storage

    def __eq__(self, other):
        return self._storage == (other._storage if isinstance(other, _DictWrapper) else other)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        raise TypeError("unhashable type: 'DictWrapper'")

    def __repr__(self):
        return f"DictWrapper({self._storage!r})"

    def __str__(self):
        return str(self._storage)

    # --- copying

    def _flags_to(self, copied):
        copied._self_non_string_key = self._self_non_string_key
        copied._self_external_modification = self._self_external_modification
        return copied

    def copy(self):
        return self._flags_to(type(self)(copy.copy(self._storage)))

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self._flags_to(type(self)(copy.deepcopy(self._storage, memo)))

    def __reduce_ex__(self, protocol):
        return type(self), (self._storage,)

    # --- saving

    def _trackable_children(self, save_type=SaveType.CHECKPOINT, **kwargs) -> dict:
        self._check_self_external_modification()
        what = (
            f"Unable to save the object {self} (a dictionary wrapper constructed automatically on attribute "
            "assignment). The wrapped"
        )
        advice = (
            "\n\nIf you don't need this dictionary checkpointed, wrap it in a non-trackable object; it will be "
            "subsequently ignored."
        )
        if self._self_non_string_key:
            raise ValueError(
                f"{what} dictionary contains a non-string key which maps to a trackable object or mutable data "
                f"structure.{advice}"
            )
        if self._self_external_modification:
            raise ValueError(
                f"{what} dictionary was modified outside the wrapper (its final value was {self}, its "
                f"value when a checkpoint dependency was added was {dict(dict.items(self))}), which breaks "
                "restoration on object "
                f"creation.{advice}"
            )
        children = super()._trackable_children(save_type, **kwargs)
        if save_type == SaveType.SAVEDMODEL:
            children |= {key: value for key, value in self._storage.items() if is_function(value)}
        return children


# ---------------------------------------------------------------- tuples


class _TupleWrapper(TrackableDataStructure):
    """A tuple whose elements are children named by index, and by field if it is a named tuple.

    Instances are of a subclass that also inherits the tuple's own class: `tuple`, or a named tuple.
    """

    __wrapped__: tuple
    _self_wrapped_type: Any = None
    _self_constructable = True

    def __new__(cls, *args):
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
        self = tuple.__new__(cls, elements)
        self.__dict__["__wrapped__"] = wrapped
        self._self_constructable = wrapped is not value
        if self._self_constructable:
            for names in (fields or (), map(str, range(len(elements)))):
                for name, original, element in zip(names, value, elements, strict=False):
                    if not isinstance(original, NoDependency):
                        sticky_attribute_assignment(self, name, element)
        return self

    def __init__(self, *args):
        pass

    @property
    def _values(self):
        return self.__wrapped__

    __hash__ = tuple.__hash__
    __eq__ = tuple.__eq__
    __ne__ = tuple.__ne__

    def __repr__(self):
        return f"_TupleWrapper({self.__wrapped__!r})"

    def __str__(self):
        return str(self.__wrapped__)

    def __copy__(self):
        return _TupleWrapper(self.__wrapped__)

    def __deepcopy__(self, memo):
        return _TupleWrapper(copy.deepcopy(self.__wrapped__, memo))

    def __reduce_ex__(self, protocol):
        return _TupleWrapper, (self.__wrapped__,)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.__wrapped__, name)

    def _trackable_children(self, save_type=SaveType.CHECKPOINT, **kwargs) -> dict:
        if not self._self_constructable:
            fields: Any = self.__wrapped__._fields  # type: ignore[attr-defined]
            raise ValueError(
                f"Unable to save because the namedtuple {self.__wrapped__} is not constructable from its "
                f"_fields (i.e. __new__ is overridden). Expected keyword arguments {fields}. If you do not "
                "need to save this "
                "object, consider wrapping it in a custom object that does not inherit from tuple."
            )
        return super()._trackable_children(save_type, **kwargs)


@functools.lru_cache(maxsize=256)
def _tuple_class(kind: type) -> type:
    """The wrapper class for a class of tuples. Its fields come before the wrapper's own attributes of the same name."""
    fields = {field: getattr(kind, field) for field in getattr(kind, "_fields", ())}
    # These would make wrappers where TensorFlow's give plain named tuples.
    plain = {name: _delegate(name) for name in ("_replace", "_asdict") if fields}
    return type("_TupleWrapper", (_TupleWrapper, kind), {**plain, **fields, "_self_wrapped_type": kind})


def _delegate(name: str):
    return lambda self, *args, **kwargs: getattr(self.__wrapped__, name)(*args, **kwargs)
