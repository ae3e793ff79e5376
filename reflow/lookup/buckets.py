"""Tables with room for unknown keys: a key outside the vocabulary gets one of `num_oov_buckets` numbers after it, by
its hash.

A `HasherSpec` says which hash: fast, or strong with a key.
"""

from __future__ import annotations

from collections import namedtuple

from reflow.api.export import export
from reflow.api.math import arithmetic
from reflow.api.strings import elementwise
from reflow.core import dtypes
from reflow.core.name_scope import name_scope
from reflow.lookup.public import LookupInterface, StaticHashTable, inside
from reflow.ops.convert import convert_to_tensor

HasherSpec = namedtuple("HasherSpec", ["hasher", "key"])
FastHashSpec = HasherSpec("fasthash", None)


class StrongHashSpec(HasherSpec):
    """A keyed hash that cannot be predicted without its key: two unsigned integers.

    >>> from reflow.lookup.buckets import IdTableWithHashBuckets, StrongHashSpec
    >>> IdTableWithHashBuckets(None, 5, StrongHashSpec((1, 2))).lookup(tf.constant(["brain"])).numpy().tolist()
    [4]
    """

    __slots__ = ()

    def __new__(cls, key):
        if len(key) != 2:
            raise ValueError(f"`key` must have size 2, received {len(key)}")
        if not all(isinstance(part, int) and not isinstance(part, bool) and part >= 0 for part in key):
            raise TypeError(f"Invalid key {key}. Must be unsigned integer values.")
        return super().__new__(cls, "stronghash", key)


class IdTableWithHashBuckets(LookupInterface):
    """The numbers of a table, and for keys that it lacks `num_oov_buckets` more, by the key's hash. `table=None` is an
    empty one.

    >>> from reflow.lookup.buckets import IdTableWithHashBuckets
    >>> IdTableWithHashBuckets(None, 5).lookup(tf.constant(["brain", "salad"])).numpy().tolist()
    [3, 1]
    """

    def __init__(self, table, num_oov_buckets, hasher_spec=FastHashSpec, name=None, key_dtype=None):
        if table is None and num_oov_buckets <= 0:
            raise ValueError("`oov_buckets` must be > 0 if no `table` is supplied.")
        if not isinstance(hasher_spec, HasherSpec):
            raise TypeError(f"`hasher_spec` must be of type HasherSpec, got {type(hasher_spec)}.")
        key_dtype = dtypes.as_dtype(key_dtype or (dtypes.string if table is None else table.key_dtype))
        if table is not None:
            _check_table(table, key_dtype)
        if not key_dtype.is_integer and key_dtype is not dtypes.string:
            raise TypeError(f"Invalid `key_dtype`, expected integer or string, got {key_dtype}.")
        self._table, self._num_oov_buckets, self._hasher_spec = table, num_oov_buckets, hasher_spec
        self._table_name = name or ("hash_bucket" if table is None else table.name or "hash_table").split("/")[-1]
        super().__init__(key_dtype, dtypes.int64)

    initializer = property(
        lambda self: None if self._table is None else self._table.initializer,
        doc="In a plain graph: the operation that fills the table.",
    )
    name = property(lambda self: self._table_name, doc="The table's name.")  # type: ignore[assignment]
    resource_handle = property(lambda self: None if self._table is None else self._table.resource_handle)  # type: ignore[assignment]

    def _create_resource(self):
        return None if self._table is None else self._table._create_resource()

    def _initialize(self):
        return None if self._table is None else self._table._initialize()

    def size(self, name=None):
        """The number of entries of the table and of buckets."""
        known = convert_to_tensor(0, dtypes.int64) if self._table is None else self._table.size()
        return known + self._num_oov_buckets

    def lookup(self, keys, name=None):
        """The numbers of keys, which may be a dense, sparse or ragged tensor."""
        with name_scope(name or f"{self.name}_Lookup"):
            return inside(self._ids, self._checked(keys))

    def _ids(self, keys):
        if self._table is not None and self._table.key_dtype is dtypes.int64:
            keys = arithmetic.cast(keys, dtypes.int64)
        if not self._num_oov_buckets:
            return self._table.lookup(keys)
        buckets = self._buckets(keys if keys.dtype is dtypes.string else elementwise.as_string(keys))
        if self._table is None:
            return buckets
        ids = self._table.lookup(keys)
        known = arithmetic.not_equal(ids, self._table.default_value)
        return arithmetic.where(known, ids, arithmetic.add(buckets, self._table.size()))

    def _buckets(self, text):
        hasher, key = self._hasher_spec
        if hasher == "fasthash":
            return elementwise.to_hash_bucket_fast(text, self._num_oov_buckets, name="hash_bucket")
        if hasher == "stronghash":
            return elementwise.to_hash_bucket_strong(text, self._num_oov_buckets, list(key), name="hash_bucket")
        raise ValueError(f"Found unknown hasher {hasher} in `hasher_spec`")


def _check_table(table, key_dtype) -> None:
    """Reject a table whose keys are not words or numbers, or whose values are not positions."""
    if table.key_dtype not in (dtypes.int64, dtypes.string):
        raise TypeError(f"Invalid `key_dtype`, expected one of (tf.int64, tf.string), received {table.key_dtype}.")
    if table.key_dtype.is_integer != key_dtype.is_integer:
        expected = "integer" if key_dtype.is_integer else "non-integer"
        raise TypeError(f"Invalid `key dtype`, expected {expected} but got {table.key_dtype}.")
    if table.value_dtype is not dtypes.int64:
        raise TypeError(f"Invalid `value_dtype`: expected int64 but got {table.value_dtype}.")


def with_buckets(initializer, default_value, num_oov_buckets, hasher_spec, name, key_dtype):
    """A table that an initializer fills, with room for unknown keys if there are buckets."""
    if not num_oov_buckets:
        return StaticHashTable(initializer, default_value, name)
    return IdTableWithHashBuckets(
        StaticHashTable(initializer, default_value), num_oov_buckets, hasher_spec, name, key_dtype
    )


@export("lookup.StaticVocabularyTable")
class StaticVocabularyTable(IdTableWithHashBuckets):
    """Gives strings (or integers) numbers: those of a vocabulary first, all others by their hash.

    Args:
      initializer: What holds the vocabulary and its numbers, int64; None if there is no vocabulary.
      num_oov_buckets: How many numbers there are for all other keys.
      lookup_key_dtype: The dtype of the keys that are looked up; by default that of the initializer.
      name: A name for the operation.
      experimental_is_anonymous: Whether the table ends with the object instead of having a name in the runtime.

    Raises:
      ValueError: `num_oov_buckets` is not positive.
      TypeError: The keys are not strings or int64, or the values are not int64.

    >>> init = tf.lookup.KeyValueTensorInitializer(["emerson", "lake"], [0, 1], value_dtype="int64")
    >>> table = tf.lookup.StaticVocabularyTable(init, num_oov_buckets=3)
    >>> int(table.size())
    5
    """

    def __init__(self, initializer, num_oov_buckets, lookup_key_dtype=None, name=None, experimental_is_anonymous=False):
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        table, wanted = None, lookup_key_dtype
        if initializer is not None:
            wanted = dtypes.as_dtype(lookup_key_dtype or initializer.key_dtype)
            if initializer.key_dtype not in (dtypes.int64, dtypes.string):
                raise TypeError(
                    f"Invalid `key_dtype`, expected one of {(dtypes.int64, dtypes.string)}, but got "
                    f"{initializer.key_dtype}."
                )
            if initializer.key_dtype.is_integer != wanted.is_integer:
                raise TypeError(
                    f"Invalid `key_dtype`, expected {'integer' if wanted.is_integer else 'non-integer'} but got "
                    f"{initializer.key_dtype}."
                )
            if initializer.value_dtype is not dtypes.int64:
                raise TypeError(f"Invalid `value_dtype`, expected {dtypes.int64} but got {initializer.value_dtype}.")
            table = StaticHashTable(initializer, -1, name, experimental_is_anonymous)
        super().__init__(table, num_oov_buckets, name=name, key_dtype=wanted)
        if initializer is not None:
            self._track_trackable(initializer, "_initializer")
