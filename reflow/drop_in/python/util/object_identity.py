"""`tensorflow.python.util.object_identity`.

Containers that compare objects by identity, with strong and with weak references.
"""

import weakref
from collections.abc import MutableMapping, MutableSet


class _ObjectIdentityWrapper:
    """Stands for an object as a key: equal to another wrapper of the same object, and to nothing else."""

    __slots__ = ("_wrapped", "__weakref__")

    def __init__(self, wrapped):
        self._wrapped = wrapped

    @property
    def unwrapped(self):
        """The object."""
        return self._wrapped

    def _of(self, other):
        if not isinstance(other, _ObjectIdentityWrapper):
            raise TypeError(
                f"Cannot compare wrapped object with unwrapped object. Expecting {type(self)}. Received: {type(other)}"
            )
        return other.unwrapped

    def __eq__(self, other):
        return other is not None and self.unwrapped is self._of(other)

    def __lt__(self, other):
        return id(self.unwrapped) < id(self._of(other))

    def __gt__(self, other):
        return id(self.unwrapped) > id(self._of(other))

    def __hash__(self):
        return id(self._wrapped)

    def __repr__(self):
        return f"<{type(self).__name__} wrapping {self.unwrapped!r}>"


class _WeakObjectIdentityWrapper(_ObjectIdentityWrapper):
    """A key that compares an object by identity, without keeping the object alive."""

    __slots__ = ("_id",)

    def __init__(self, wrapped):
        super().__init__(weakref.ref(wrapped))
        self._id = id(wrapped)

    @property
    def unwrapped(self):
        """The object; None if it is gone."""
        return self._wrapped()

    def __hash__(self):
        return self._id


class Reference(_ObjectIdentityWrapper):
    """An object that is passed by reference: `deref()` gives it back."""

    __slots__ = ()

    unwrapped = property(lambda self: self._wrapped)

    def deref(self):
        """The object."""
        return self._wrapped


class ObjectIdentityWeakKeyDictionary(MutableMapping):
    """A dictionary by identity whose keys are not kept alive."""

    def __init__(self, *args, **kwargs):
        self._storage: dict = {}
        self.update(*args, **kwargs)

    def __getitem__(self, key):
        return self._storage[_WeakObjectIdentityWrapper(key)]

    def __setitem__(self, key, value):
        self._storage[_WeakObjectIdentityWrapper(key)] = value

    def __delitem__(self, key):
        del self._storage[_WeakObjectIdentityWrapper(key)]

    def _drop_lost(self):
        self._storage = {key: value for key, value in self._storage.items() if key.unwrapped is not None}

    def __iter__(self):
        self._drop_lost()
        return iter([key.unwrapped for key in self._storage])

    def __len__(self):
        self._drop_lost()
        return len(self._storage)


class ObjectIdentityWeakSet(MutableSet):
    """A set by identity whose elements are not kept alive."""

    def __init__(self, items=()):
        self._items = ObjectIdentityWeakKeyDictionary()
        for item in items:
            self.add(item)

    def add(self, key):
        """Put an object in."""
        self._items[key] = None

    def discard(self, key):
        """Take an object out, if it is there."""
        self._items.pop(key, None)

    def __contains__(self, key):
        return key in self._items

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)
