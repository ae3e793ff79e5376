"""Tables: the resources of `tf.lookup`, dictionaries from keys to values.

Three kinds, as in TensorFlow:
- `StaticTable` is filled once, by its initializer; a key may come twice only with the same value;
- `MutableTable` takes insertions and removals;
- `DenseTable` has two keys that stand for an empty and a deleted bucket. It exports all its buckets, laid out as
  TensorFlow's: a key's bucket is its hash modulo their number (a power of two), then 1, 3, 6, ... further on; a deleted
  one is not used again until the table grows.

Keys are Python ints, floats, bools or bytes, in a dense table also tuples of them; values Python scalars, handles, or
arrays of the table's `value_shape`.
"""

from __future__ import annotations

import numpy as np

from reflow.core import dtypes, errors
from reflow.core.resources import boxed
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

    __slots__ = ("key_dtype", "value_dtype", "value_shape", "items", "name", "ref_counted", "__weakref__")
    tensor_dtype = dtypes.resource
    kind = "MutableHashTable"

    def __init__(self, key_dtype, value_dtype, value_shape=(), name=""):
        self.key_dtype, self.value_dtype, self.value_shape, self.name = key_dtype, value_dtype, tuple(value_shape), name
        self.ref_counted = False  # whether it ends with its last handle, as anonymous tables do
        self.items: dict = {}

    def __len__(self):
        return len(self.items)

    def __bool__(self):  # an empty table is one
        return True

    def __repr__(self):
        return f"<{type(self).__name__} of {len(self)} x {self.key_dtype.name} to {self.value_dtype.name}>"

    # --- checks

    def check_same(self, other: Table) -> None:
        """A node that shares this table by its name means one with these dtypes."""
        ours, theirs = ((t.key_dtype.name, t.value_dtype.name) for t in (self, other))
        if ours != theirs:
            both = f"{'->'.join(theirs)} with {'-'.join(ours)} for table {self.name}"
            raise _invalid(f"Conflicting key/value dtypes {both}")

    def check_types(self, keys, values, output: bool = False):
        """Keys and values have the table's dtypes."""
        have = (_dtype(keys).name, self.value_dtype.name if values is None else _dtype(values).name)
        want = (self.key_dtype.name, self.value_dtype.name)
        if have != want:

            def spelled(key, value):
                return f"resource, {key}, {value}->{value}" if output else f"resource, {key}, {value}"

            raise _invalid(f"Signature mismatch, have: {spelled(*have)} expected: {spelled(*want)}")

    def _check_values(self, count, values):
        wanted = count + self.value_shape
        if values.shape != wanted:
            raise _invalid(f"Expected shape {text(wanted)} for value, got {text(values.shape)}")

    def keys_of(self, keys) -> tuple[tuple[int, ...], list]:
        """How many keys a tensor has, as a shape, and all of them."""
        return keys.shape, keys.reshape(-1).tolist()

    # --- use

    def find(self, keys: np.ndarray, default: np.ndarray) -> np.ndarray:
        """The values of keys; `default` where there is none: one value, or one for each key."""
        self.check_types(keys, default, output=True)
        count, rows_of = self.keys_of(keys)
        shape = count + self.value_shape
        if default.shape not in (self.value_shape, shape):
            raise _invalid(
                f"Expected shape {text(self.value_shape)} or {text(shape)} for default value, got {text(default.shape)}"
            )
        out = np.empty(shape, self.value_dtype.np_dtype)  # every element is written: all keys in turn
        rows = out.reshape((-1,) + self.value_shape)
        spare = np.broadcast_to(boxed(default), shape).reshape(rows.shape)
        get = self.items.get
        for i, key in enumerate(rows_of):
            value = get(key)
            rows[i] = spare[i] if value is None else value
        return out.item() if self.value_dtype.kind == "o" and not shape else out

    def _pairs(self, keys, values):
        self.check_types(keys, values)
        count, rows = self.keys_of(keys)
        self._check_values(count, values)
        flat = boxed(values).reshape((-1,) + self.value_shape)
        return zip(rows, flat.tolist() if not self.value_shape else list(flat), strict=True)

    def insert(self, keys, values):
        self.items.update(self._pairs(keys, values))

    def remove(self, keys):
        self.check_types(keys, None)
        for key in self.keys_of(keys)[1]:
            self.items.pop(key, None)

    def replace(self, keys, values):
        """Exactly these entries, from now on."""
        self.items = dict(self._pairs(keys, values))

    def export(self) -> tuple[np.ndarray, np.ndarray]:
        keys = _array(list(self.items), self.key_dtype, ())
        return keys, _array(list(self.items.values()), self.value_dtype, self.value_shape)


def _dtype(array):
    if isinstance(array, HostObject):
        return array.tensor_dtype
    if array.dtype == object and array.size and isinstance(array.flat[0], HostObject):
        return array.flat[0].tensor_dtype
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
                    None, None,
                    f"HashTable has different value for same key. Key {spell(key)} has {spell(items[key])} and "
                    f"trying to add value {spell(value)}",
                )
        self.items, self.filled = items, True


class DenseTable(Table):
    """Exports its buckets: `slots` has the key in each.

    A bucket of a deleted key still shows the value that was there (`left`).
    """

    __slots__ = ("empty_key", "deleted_key", "key_shape", "slots", "left", "load", "hash")
    kind = "MutableDenseHashTable"

    def __init__(self, key_dtype, value_dtype, value_shape, empty_key, deleted_key, buckets, load, hash_of, name=""):
        super().__init__(key_dtype, value_dtype, value_shape, name)
        if empty_key.shape != deleted_key.shape:
            shapes = f"{text(empty_key.shape)} vs. {text(deleted_key.shape)}"
            raise _invalid(f"Empty and deleted keys must have same shape, got shapes: {shapes}")
        if np.array_equal(empty_key, deleted_key):
            raise _invalid("Empty and deleted keys cannot be equal")
        _check_buckets(buckets)
        self.key_shape, self.load, self.hash = empty_key.shape, load, hash_of
        self.empty_key, self.deleted_key = _key(empty_key), _key(deleted_key)
        self.slots = [self.empty_key] * buckets
        self.left: dict = {}

    def keys_of(self, keys):
        count = keys.shape[:1] if keys.ndim > len(self.key_shape) or not self.key_shape else ()
        wanted = count + self.key_shape
        if keys.shape != wanted:
            raise _invalid(f"Expected key shape {text(wanted)} got {text(keys.shape)}")
        rows = keys.reshape((-1,) + self.key_shape)
        flat = [_key(row) for row in rows] if self.key_shape else rows.tolist()
        for key, name in ((self.empty_key, "empty_key"), (self.deleted_key, "deleted_key")):
            if key in flat:
                raise _invalid(f"Using the {name} as a table key is not allowed")
        return count, flat

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
        self.slots, self.left = [self.empty_key] * buckets, {}
        for key in self.items:
            self._place(key)

    def insert(self, keys, values):
        buckets, (_, new) = len(self.slots), self.keys_of(keys)
        while len(self) + len(new) > buckets * self.load:
            buckets *= 2
        if buckets > len(self.slots):
            self._resize(buckets)
        for key, value in self._pairs(keys, values):
            if key not in self.items:
                self._place(key)
            self.items[key] = value

    def remove(self, keys):
        known = {key: self.items[key] for key in self.keys_of(keys)[1] if key in self.items}
        super().remove(keys)
        for key, value in known.items():
            at = self.slots.index(key)
            self.slots[at], self.left[at] = self.deleted_key, value

    def replace(self, keys, values):
        """Buckets as `export` gave them."""
        buckets = len(keys)
        _check_buckets(buckets)
        keys, values = keys.reshape((buckets,) + self.key_shape), values.reshape((buckets,) + self.value_shape)
        names = [_key(row) for row in keys] if self.key_shape else keys.tolist()
        used = [i for i, key in enumerate(names) if key not in (self.empty_key, self.deleted_key)]
        self.items = dict(self._pairs(keys[used], values[used]))
        self._resize(buckets)

    def export(self):
        blank = b"" if self.value_dtype is dtypes.string else 0
        values = np.full((len(self.slots), *(self.value_shape or (1,))), blank, self.value_dtype.np_dtype)
        for at, key in enumerate(self.slots):
            if key in self.items:
                values[at] = self.items[key]
            elif at in self.left:
                values[at] = self.left[at]
        keys = _array(self.slots, self.key_dtype, self.key_shape)
        return keys if self.key_shape else keys.reshape(-1, 1), values


def _check_buckets(buckets: int) -> None:
    if buckets < 4 or buckets & (buckets - 1):
        raise _invalid(f"Number of buckets must be at least 4 and a power of 2, got: {buckets}")


def _key(array: np.ndarray):
    """A key to look up: a number or bytes, or a tuple for a vector."""
    return tuple(array.ravel().tolist()) if array.ndim else array.item()
