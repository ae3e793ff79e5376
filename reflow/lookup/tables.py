"""Tables: what the resource of `tf.lookup` holds, a dictionary from keys to values.

Three kinds, as in TensorFlow:
- `StaticTable` is filled once, by its initializer; a key may come twice only with the same value;
- `MutableTable` takes insertions and removals;
- `DenseTable` has two keys that stand for an empty and a deleted bucket. It exports all its buckets, laid out as
  TensorFlow's: a key's bucket is its hash modulo their number (a power of two), then 1, 3, 6, ... further on; a deleted
  one is not used again until the table grows.

Keys are Python ints, floats, bools or bytes; values Python scalars, or arrays of the table's `value_shape`.
"""

from __future__ import annotations

import numpy as np

from reflow.core import dtypes, errors
from reflow.core.tensor import HostObject


def _invalid(message: str):
    return errors.InvalidArgumentError(None, None, message)


def text(dims) -> str:
    return "[" + ",".join(map(str, dims)) + "]"


def spell(value) -> str:
    """A key or value as messages show it."""
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


class Table(HostObject):
    """What all kinds have in common."""

    __slots__ = ("key_dtype", "value_dtype", "value_shape", "items", "name", "__weakref__")
    tensor_dtype = dtypes.resource
    kind = "MutableHashTable"

    def __init__(self, key_dtype, value_dtype, value_shape=(), name=""):
        self.key_dtype, self.value_dtype, self.value_shape, self.name = key_dtype, value_dtype, tuple(value_shape), name
        self.items: dict = {}

    def __len__(self):
        return len(self.items)

    def __bool__(self):  # an empty table is one
        return True

    def __repr__(self):
        return f"<{type(self).__name__} of {len(self)} x {self.key_dtype.name} to {self.value_dtype.name}>"

    # --- checks

    def check_types(self, keys, values, output: bool = False):
        """Keys and values have the table's dtypes."""
        have = (_dtype(keys).name, self.value_dtype.name if values is None else _dtype(values).name)
        want = (self.key_dtype.name, self.value_dtype.name)
        if have != want:

            def spelled(key, value):
                return f"resource, {key}, {value}->{value}" if output else f"resource, {key}, {value}"

            raise _invalid(f"Signature mismatch, have: {spelled(*have)} expected: {spelled(*want)}")

    def _check_values(self, keys, values):
        wanted = keys.shape + self.value_shape
        if values.shape != wanted:
            raise _invalid(f"Expected shape {text(wanted)} for value, got {text(values.shape)}")

    def check_keys(self, keys):
        """Nothing to say about keys, but for dense tables."""

    # --- use

    def find(self, keys: np.ndarray, default: np.ndarray) -> np.ndarray:
        """The values of keys; `default` where there is none: one value, or one for each key."""
        self.check_types(keys, default, output=True)
        self.check_keys(keys)
        shape = keys.shape + self.value_shape
        if default.shape not in (self.value_shape, shape):
            raise _invalid(
                f"Expected shape {text(self.value_shape)} or {text(shape)} for default value, got {text(default.shape)}"
            )
        out = np.empty(shape, self.value_dtype.np_dtype)  # every element is written: all keys in turn
        rows = out.reshape((-1,) + self.value_shape)
        spare = np.broadcast_to(default, shape).reshape(rows.shape)
        get = self.items.get
        for i, key in enumerate(keys.reshape(-1).tolist()):
            value = get(key)
            rows[i] = spare[i] if value is None else value
        return out

    def _pairs(self, keys, values):
        self.check_types(keys, values)
        self._check_values(keys, values)
        flat = values.reshape((-1,) + self.value_shape)
        return zip(keys.reshape(-1).tolist(), flat.tolist() if not self.value_shape else list(flat), strict=True)

    def insert(self, keys, values):
        self.check_keys(keys)
        self.items.update(self._pairs(keys, values))

    def remove(self, keys):
        self.check_types(keys, None)
        self.check_keys(keys)
        for key in keys.reshape(-1).tolist():
            self.items.pop(key, None)

    def replace(self, keys, values):
        """Exactly these entries, from now on."""
        self.items = dict(self._pairs(keys, values))

    def export(self) -> tuple[np.ndarray, np.ndarray]:
        keys = _array(list(self.items), self.key_dtype, ())
        return keys, _array(list(self.items.values()), self.value_dtype, self.value_shape)


def _dtype(array):
    return dtypes.string if array.dtype == object else dtypes.FROM_NUMPY[array.dtype]


def _array(items: list, dtype, shape) -> np.ndarray:
    out = np.empty((len(items), *shape), dtype.np_dtype)  # every element is written: all items in turn
    for i, item in enumerate(items):
        out[i] = item
    return out


class MutableTable(Table):
    """Takes insertions and removals."""

    __slots__ = ()


class StaticTable(Table):
    """Filled once; until then it cannot be used."""

    __slots__ = ("filled",)
    kind = "HashTable"

    def __init__(self, key_dtype, value_dtype, value_shape=(), name=""):
        super().__init__(key_dtype, value_dtype, value_shape, name)
        self.filled = False

    def _check_filled(self):
        if not self.filled:
            raise errors.FailedPreconditionError(None, None, "Table not initialized.")

    def find(self, keys, default):
        self._check_filled()
        return super().find(keys, default)

    def insert(self, keys, values):
        raise errors.UnimplementedError(None, None, "Insert not supported by HashTable implementations")

    def remove(self, keys):
        raise errors.UnimplementedError(None, None, "Remove not supported by HashTable implementations")

    def replace(self, keys, values):
        if not keys.size:
            raise _invalid("keys and values cannot be empty tensors.")
        self.fill(self._pairs(keys, values))

    def fill(self, pairs):
        """Take all entries; a second filling changes nothing."""
        if self.filled:
            return
        items: dict = {}
        for key, value in pairs:
            if items.setdefault(key, value) != value:
                raise errors.FailedPreconditionError(
                    None,
                    None,
                    f"HashTable has different value for same key. Key {spell(key)} has {spell(items[key])} and "
                    f"trying to add value {spell(value)}",
                )
        self.items, self.filled = items, True


class DenseTable(Table):
    """Exports its buckets: `slots` has the key in each."""

    __slots__ = ("empty_key", "deleted_key", "slots", "load", "hash")
    kind = "MutableDenseHashTable"

    def __init__(self, key_dtype, value_dtype, value_shape, empty_key, deleted_key, buckets, load, hash_of, name=""):
        super().__init__(key_dtype, value_dtype, value_shape, name)
        if empty_key == deleted_key:
            raise _invalid("Empty and deleted keys cannot be equal")
        if buckets < 4 or buckets & (buckets - 1):
            raise _invalid(f"Number of buckets must be at least 4 and a power of 2, got: {buckets}")
        self.empty_key, self.deleted_key, self.load, self.hash = empty_key, deleted_key, load, hash_of
        self.slots = [empty_key] * buckets

    def check_keys(self, keys):
        flat = keys.reshape(-1).tolist()
        for key, name in ((self.empty_key, "empty_key"), (self.deleted_key, "deleted_key")):
            if key in flat:
                raise _invalid(f"Using the {name} as a table key is not allowed")

    def _place(self, key):
        """Put a new key into the first empty bucket of its own."""
        slots, at, step = self.slots, self.hash(key) % len(self.slots), 0
        while slots[at] != self.empty_key:
            step += 1
            if step > len(slots):  # all others are deleted: make room
                self._resize(len(slots))
                return self._place(key)
            at = (at + step) % len(slots)
        slots[at] = key
        return None

    def _resize(self, buckets: int):
        self.slots = [self.empty_key] * buckets
        for key in self.items:
            self._place(key)

    def insert(self, keys, values):
        self.check_keys(keys)
        buckets = len(self.slots)
        while len(self) + keys.size > buckets * self.load:
            buckets *= 2
        if buckets > len(self.slots):
            self._resize(buckets)
        for key, value in self._pairs(keys, values):
            if key not in self.items:
                self._place(key)
            self.items[key] = value

    def remove(self, keys):
        known = [key for key in dict.fromkeys(keys.reshape(-1).tolist()) if key in self.items]
        super().remove(keys)
        for key in known:
            self.slots[self.slots.index(key)] = self.deleted_key

    def replace(self, keys, values):
        """Buckets as `export` gave them."""
        keys = keys.reshape(len(keys))
        pairs = self._pairs(keys, values.reshape((len(keys),) + self.value_shape))
        self.items = {k: v for k, v in pairs if k not in (self.empty_key, self.deleted_key)}
        self._resize(max(4, len(keys)))

    def export(self):
        blank = b"" if self.value_dtype is dtypes.string else 0
        values = np.full((len(self.slots), *(self.value_shape or (1,))), blank, self.value_dtype.np_dtype)
        for at, key in enumerate(self.slots):
            if key in self.items:
                values[at] = self.items[key]
        return _array(self.slots, self.key_dtype, ()).reshape(-1, 1), values
