"""`tf.lookup`: tables from keys to values, for vocabularies.

A table's memory is a resource (`reflow/lookup/tables.py`): functions and dataset transformations capture its handle,
checkpoints save the entries of mutable tables.
"""

from __future__ import annotations

import os
import uuid
from typing import Any

from reflow.api.call import call
from reflow.api.export import export, with_sections
from reflow.core import dtypes
from reflow.core.context import init_scope, state
from reflow.core.ragged import RaggedTensor
from reflow.core.sparse import SparseTensor
from reflow.core.tensor import EagerTensor
from reflow.io.assets import Asset
from reflow.ops.convert import convert_to_tensor
from reflow.tracking.resource import TrackableResource
from reflow.tracking.trackable import Trackable

_EXPORT = """\
Args:
  name: A name for the operation.

Returns:
  Two {kind}: all keys, and their values.
"""
_CHANGE = """\
Args:
  keys: A tensor of keys.
  values: Their values.
  name: A name for the operation.

Returns:
  None; in a graph, the operation that does it.
"""
_TABLE = """\
Args:
  key_dtype: The dtype of the keys.
  value_dtype: The dtype of the values.
  default_value: The value of keys that the table lacks; all values have its shape.
  name: A name for the operation.
  checkpoint: Whether checkpoints save the entries.
  experimental_is_anonymous: Whether the table ends with the object instead of having a name in the runtime.
"""


class LookupInterface(TrackableResource):
    """What all tables have in common."""

    _LEGACY_SAVEABLE_NAME: str | None = None

    def __init__(self, key_dtype, value_dtype):
        self._key_dtype, self._value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
        super().__init__()

    key_dtype = property(lambda self: self._key_dtype, doc="The dtype of keys.")
    value_dtype = property(lambda self: self._value_dtype, doc="The dtype of values.")

    @property
    def name(self):
        """The name of the table, None unless it was given one."""
        return None

    def size(self, name=None):
        """The number of entries."""
        return call("LookupTableSizeV2", (self.resource_handle,), {}, name)

    def lookup(self, keys, name=None):
        raise NotImplementedError

    def __getitem__(self, keys):
        """`table[keys]` is `table.lookup(keys)`."""
        return self.lookup(keys)

    def __repr__(self):
        return f"<{type(self).__module__}.{type(self).__name__} object at {id(self):#x}>"

    def _checked(self, keys):
        """Keys as a tensor (dense, sparse or ragged) of the table's key dtype."""
        if not hasattr(keys, "dtype"):
            return convert_to_tensor(keys, self._key_dtype)
        if dtypes.as_dtype(keys.dtype) is not self._key_dtype:
            raise TypeError(
                f"Dtype of argument `keys` must be {self._key_dtype}, received: {dtypes.as_dtype(keys.dtype)}"
            )
        return keys if isinstance(keys, (SparseTensor, RaggedTensor)) else convert_to_tensor(keys)

    def _found(self, keys, default, value_dims=(), name=None):
        values = call("LookupTableFindV2", (self.resource_handle, keys, default), {"Tout": self._value_dtype}, name)
        if state.graph is not None and keys.shape.rank is not None:
            values.set_shape(keys.shape.as_list() + list(value_dims))
        return values

    def _exported(self, name):
        types = {"Tkeys": self._key_dtype, "Tvalues": self._value_dtype}
        return call("LookupTableExportV2", (self.resource_handle,), types, name)


def inside(function, keys):
    """Apply a function to the values of a dense, sparse or ragged tensor."""
    if isinstance(keys, SparseTensor):
        return SparseTensor(keys.indices, function(keys.values), keys.dense_shape)
    if isinstance(keys, RaggedTensor):
        return keys.with_flat_values(function(keys.flat_values))
    return function(keys)


def _lifted(value, dtype):
    """A tensor outside of all functions. One that belongs to a function under construction is computed now, as the
    first value of a variable is; so tables made in functions are filled once."""
    if state.graph is not None and state.graph.building_function and hasattr(value, "_graph"):
        return state.graph.value_at_trace(convert_to_tensor(value, dtype))
    with init_scope():
        return convert_to_tensor(value, dtype)


# --- initializers ---------------------------------------------------------------------------------------------------


class TableInitializerBase(Trackable):
    """Fills a static table: `initialize(table)`."""

    def __init__(self, key_dtype, value_dtype):
        self._key_dtype, self._value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)

    key_dtype = property(lambda self: self._key_dtype, doc="The dtype of keys.")
    value_dtype = property(lambda self: self._value_dtype, doc="The dtype of values.")

    def initialize(self, table):
        """Fill a table."""
        raise NotImplementedError

    @property
    def _shared_name(self):
        return f"table_{uuid.uuid4()}"

    def _check(self, table):
        if table.key_dtype is not self.key_dtype:
            raise TypeError(f"Invalid key dtype for table, expected {table.key_dtype} got {self.key_dtype}.")
        if table.value_dtype is not self.value_dtype:
            raise TypeError(f"Invalid value dtype for table, expected {table.value_dtype} got {self.value_dtype}.")


@export("lookup.KeyValueTensorInitializer")
class KeyValueTensorInitializer(TableInitializerBase):
    """Fills a table with tensors of keys and values.

    Args:
      keys: The keys, a vector.
      values: The values, as many as there are keys.
      key_dtype: The dtype of the keys; by default that of the tensor.
      value_dtype: The dtype of the values; by default that of the tensor.
      name: A name for the operation.

    >>> init = KeyValueTensorInitializer(["a", "b", "c"], [7, 8, 9])
    >>> StaticHashTable(init, default_value=-1).lookup(convert_to_tensor(["c", "z"])).numpy().tolist()
    [9, -1]
    """

    def __init__(self, keys, values, key_dtype=None, value_dtype=None, name=None):
        self._keys = _lifted(keys, key_dtype and dtypes.as_dtype(key_dtype))
        self._values = _lifted(values, value_dtype and dtypes.as_dtype(value_dtype))
        self._name = name if name is not None else "key_value_init"
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table):
        """Fill a table."""
        self._check(table)
        call("LookupTableImportV2", (table.resource_handle, self._keys, self._values), {}, self._name)


@export("lookup.TextFileIndex")
class TextFileIndex:
    """What a key or value may be besides a column of a line.

    Attributes:
      WHOLE_LINE: The line.
      LINE_NUMBER: Its number, from 0.

    >>> tf.lookup.TextFileIndex.WHOLE_LINE
    -2
    """

    WHOLE_LINE = -2
    LINE_NUMBER = -1


@export("lookup.TextFileInitializer")
class TextFileInitializer(TableInitializerBase):
    r"""Fills a table from the lines of a text file.

    Args:
      filename: The file. A SavedModel that has the table takes it along.
      key_dtype: The dtype of the keys.
      key_index: Which column is the key, or a `tf.lookup.TextFileIndex`.
      value_dtype: The dtype of the values.
      value_index: Which column is the value, or a `tf.lookup.TextFileIndex`.
      vocab_size: How many lines are read; by default all.
      delimiter: What stands between columns.
      name: A name for the operation.
      value_index_offset: What is added to line numbers that are values.

    Raises:
      ValueError: There is no file name, or a dtype does not suit its index.

    >>> import tempfile
    >>> name = tempfile.mkdtemp() + "/words.txt"
    >>> tf.io.write_file(name, "cat\ndog\n")
    >>> index = tf.lookup.TextFileIndex
    >>> lines = tf.lookup.TextFileInitializer(name, tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER)
    >>> tf.lookup.StaticHashTable(lines, -1).lookup(tf.constant(["dog", "cow"])).numpy().tolist()
    [1, -1]
    """

    def __init__(
        self, filename, key_dtype, key_index, value_dtype, value_index, vocab_size=None, delimiter="\t", name=None,
        value_index_offset=0,
    ):
        if not hasattr(filename, "dtype") and not filename:
            raise ValueError("`filename` argument required for tf.lookup.TextFileInitializer")
        super().__init__(key_dtype, value_dtype)
        for kind, index, dtype, other in (
            ("key", key_index, self.key_dtype, "if"),
            ("value", value_index, self.value_dtype, "for"),
        ):
            if index < -2:
                raise ValueError(f"`{kind}_index` should be >= -2, received: {index}.")
            if index == TextFileIndex.LINE_NUMBER and dtype is not dtypes.int64:
                words = f"{other} `{kind}_index`" + (" is" if other == "if" else "")
                raise ValueError(f"`{kind}_dtype` must be int64 {words} {index}, received: {dtype}")
            if index == TextFileIndex.WHOLE_LINE and not (dtype.is_integer or dtype is dtypes.string):
                raise ValueError(
                    f"`{kind}_dtype` should be either integer or string for `{kind}_index` {index}, received: {dtype}"
                )
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` should be > 0, received: {vocab_size}")
        self._key_index, self._value_index, self._vocab_size = key_index, value_index, vocab_size
        self._delimiter, self._offset, self._name = delimiter, value_index_offset, name or "text_file_init"
        self._given_filename = filename
        is_path = not (hasattr(filename, "dtype") or isinstance(filename, Asset))
        self._filename: Any = _lifted(os.fspath(filename) if is_path else filename, dtypes.string)
        self._asset: Asset | None = None
        # a model that has the table takes the file along
        if isinstance(self._filename, EagerTensor) and self._filename.shape.rank == 0:
            self._asset = self._track_trackable(Asset(self._filename), "_filename")
        elif state.graph is not None and not state.graph.building_function:
            state.graph.add_to_collection("asset_filepaths", self._filename)

    @property
    def _shared_name(self):
        """The name under which tables of the same file are one in TensorFlow 1."""
        size = f"_{self._vocab_size}" if self._vocab_size else ""
        offset = f"_{self._offset}" if self._offset else ""
        return f"hash_table_{self._given_filename}{size}_{self._key_index}_{self._value_index}{offset}"

    def initialize(self, table):
        """Fill a table."""
        self._check(table)
        attrs = {
            "key_index": self._key_index,
            "value_index": self._value_index,
            "delimiter": self._delimiter,
            "vocab_size": -1 if self._vocab_size is None else self._vocab_size,
            "offset": self._offset,
        }
        call(
            "InitializeTableFromTextFileV2",
            (table.resource_handle, self._filename if self._asset is None else self._asset.asset_path), attrs,
            self._name,
        )


# --- static tables --------------------------------------------------------------------------------------------------


class InitializableLookupTableBase(LookupInterface):
    """A table that an initializer fills when it is made."""

    def __init__(self, default_value, initializer):
        super().__init__(initializer.key_dtype, initializer.value_dtype)
        self._default_value = _lifted(default_value, self._value_dtype)
        if self._default_value.shape.rank != 0:
            raise ValueError(f"Shapes {self._default_value.shape} and () are not compatible")
        self._initializer = self._track_trackable(initializer, "_initializer")
        self._init_op = None
        with init_scope():
            self._initialize()
            if state.graph is not None:  # a session runs it, with `tf.compat.v1.tables_initializer`
                self._init_op = state.graph.nodes[-1]
                state.graph.add_to_collection("table_initializer", self._init_op)

    initializer = property(lambda self: self._init_op, doc="In a plain graph: the operation that fills the table.")
    default_value = property(lambda self: self._default_value, doc="The value of keys that the table lacks.")

    def _initialize(self):
        return self._initializer.initialize(self)

    def lookup(self, keys, name=None):
        """Looks keys up.

        Args:
          keys: A dense, sparse or ragged tensor of the table's `key_dtype`.
          name: A name for the operation.

        Returns:
          The values, with the structure and shape of `keys`; the default for keys that the table lacks.

        Raises:
          TypeError: The keys have another dtype.
        """
        return inside(lambda dense: self._found(dense, self._default_value, name=name), self._checked(keys))


@export("lookup.StaticHashTable")
@with_sections(_TABLE)
class StaticHashTable(InitializableLookupTableBase):
    """A table that does not change once it is made.

    Args:
      initializer: What fills it, such as `tf.lookup.KeyValueTensorInitializer`.
      default_value: The value of keys that the table lacks, a scalar.

    >>> table = StaticHashTable(KeyValueTensorInitializer(["emerson", "lake"], [0, 1]), default_value=-1)
    >>> table[convert_to_tensor(["lake", "palmer"])].numpy().tolist()
    [1, -1]
    """

    def __init__(self, initializer, default_value, name=None, experimental_is_anonymous=False):
        self._is_anonymous = experimental_is_anonymous
        # unique among processes too: SavedModels of several may be loaded into one
        self._name, self._shared_name = name or "hash_table", f"hash_table_{uuid.uuid4()}"
        super().__init__(default_value, initializer)

    def _create_resource(self):
        types = {"key_dtype": self._key_dtype, "value_dtype": self._value_dtype}
        if self._is_anonymous:
            return call("AnonymousHashTable", (), types, self._name)
        return call("HashTableV2", (), types | {"shared_name": self._shared_name}, self._name)

    @with_sections(_EXPORT, kind="vectors")
    def export(self, name=None):
        """Returns everything in the table."""
        keys, values = self._exported(name)
        if state.graph is not None:
            keys.set_shape([None])
            values.set_shape([None])
        return keys, values


# --- mutable tables -------------------------------------------------------------------------------------------------


def _operation(op, inputs, name):
    """Run an op without results: None, or the node of a graph that does it."""
    call(op, inputs, {}, name)
    return None if state.graph is None else state.graph.nodes[-1]


class _MutableTable(LookupInterface):
    """A table with `insert` and `remove`, whose entries checkpoints save."""

    _LEGACY_SAVEABLE_NAME = "table"

    def __init__(self, key_dtype, value_dtype, default_value, name, checkpoint, anonymous):
        super().__init__(key_dtype, value_dtype)
        with init_scope():
            self._default_value = convert_to_tensor(default_value, self._value_dtype)
        self._value_shape = self._default_value.shape
        self._checkpoint, self._is_anonymous, self._name = checkpoint, anonymous, name
        self._shared_name = f"table_{uuid.uuid4()}"
        self._resource_handle_value = None
        _ = self.resource_handle  # errors of its arguments are raised here
        if checkpoint and state.graph is not None and not state.graph.building_function:
            state.graph.add_to_collection("saveable_objects", self)  # where a `tf.compat.v1.train.Saver` looks

    def _made(self, anonymous: str, shared: str, inputs=(), **attrs):
        attrs |= {"key_dtype": self._key_dtype, "value_dtype": self._value_dtype}
        if self._is_anonymous:
            return call(anonymous, inputs, attrs, self._name)
        return call(shared, inputs, attrs | {"shared_name": self._shared_name}, self._name)

    @property
    def name(self):
        return None

    def lookup(self, keys, name=None):
        """Looks keys up.

        Args:
          keys: A dense, sparse or ragged tensor.
          name: A name for the operation.

        Returns:
          The values; the default for keys that the table lacks.
        """
        return self._lookup(keys, self._default_value, name)

    def _lookup(self, keys, default, name):
        if isinstance(keys, (RaggedTensor, SparseTensor)):
            return inside(lambda dense: self._lookup(dense, default, name), self._checked(keys))
        keys = convert_to_tensor(keys, self._key_dtype)
        return self._found(keys, default, self._value_shape.as_list(), name)

    @with_sections(_CHANGE)
    def insert(self, keys, values, name=None):
        """Gives keys values, new ones if they have some."""
        keys, values = convert_to_tensor(keys, self._key_dtype), convert_to_tensor(values, self._value_dtype)
        return _operation("LookupTableInsertV2", (self.resource_handle, keys, values), name)

    @with_sections(_CHANGE)
    def remove(self, keys, name=None):
        """Forgets keys; those that the table lacks do not matter."""
        return _operation("LookupTableRemoveV2", (self.resource_handle, self._checked(keys)), name)

    @with_sections(_EXPORT, kind="tensors")
    def export(self, name=None):
        """Returns everything in the table."""
        return tuple(self._exported(name))

    def _serialize_to_tensors(self):
        if not self._checkpoint:
            return {}
        keys, values = self.export()
        return {"-keys": keys, "-values": values}

    def _restore_from_tensors(self, restored_tensors):
        call(
            "LookupTableImportV2",
            (self.resource_handle, restored_tensors["-keys"], restored_tensors["-values"]),
        )


@export("lookup.experimental.MutableHashTable")
@with_sections(_TABLE)
class MutableHashTable(_MutableTable):
    """A table whose entries can be changed, and which checkpoints save.

    >>> table = MutableHashTable("string", "int64", default_value=-1)
    >>> table.insert(["a", "b"], [1, 2])
    >>> table.lookup(["b", "c"]).numpy().tolist()
    [2, -1]
    """

    def __init__(
        self, key_dtype, value_dtype, default_value, name="MutableHashTable", checkpoint=True,
        experimental_is_anonymous=False,
    ):
        super().__init__(key_dtype, value_dtype, default_value, name, checkpoint, experimental_is_anonymous)

    def _create_resource(self):
        if self._value_shape.rank == 0:
            return self._made("AnonymousMutableHashTable", "MutableHashTableV2")
        return self._made(
            "AnonymousMutableHashTableOfTensors",
            "MutableHashTableOfTensorsV2",
            value_shape=tuple(self._value_shape.as_list()),
        )

    def lookup(self, keys, dynamic_default_values=None, name=None):  # type: ignore[override]  # TensorFlow's order
        """Looks keys up.

        Args:
          keys: A dense, sparse or ragged tensor.
          dynamic_default_values: Values for keys that the table lacks, one for each key; by default the table's
            `default_value`.
          name: A name for the operation.

        Returns:
          The values.
        """
        default = (
            self._default_value
            if dynamic_default_values is None
            else convert_to_tensor(dynamic_default_values, self._value_dtype)
        )
        return self._lookup(keys, default, name)


@export("lookup.experimental.DenseHashTable")
@with_sections(_TABLE)
class DenseHashTable(_MutableTable):
    """A table whose entries can be changed, and whose export has TensorFlow's buckets.

    Args:
      empty_key: A key that stands for an empty bucket, and is never inserted.
      deleted_key: A key that stands for a deleted entry, and is never inserted.
      initial_num_buckets: How many buckets there are at first, a power of two.

    >>> table = DenseHashTable("string", "int64", default_value=-1, empty_key="", deleted_key="$")
    >>> table.insert(["a", "b"], [1, 2])
    >>> int(table["b"])
    2
    """

    def __init__(
        self, key_dtype, value_dtype, default_value, empty_key, deleted_key, initial_num_buckets=None,
        name="MutableDenseHashTable", checkpoint=True, experimental_is_anonymous=False,
    ):
        kind = dtypes.as_dtype(key_dtype)
        with init_scope():
            self._empty_key, self._deleted_key = (
                convert_to_tensor(empty_key, kind),
                convert_to_tensor(deleted_key, kind),
            )
        self._initial_num_buckets = 131072 if initial_num_buckets is None else initial_num_buckets
        super().__init__(key_dtype, value_dtype, default_value, name, checkpoint, experimental_is_anonymous)

    def _create_resource(self):
        return self._made(
            "AnonymousMutableDenseHashTable", "MutableDenseHashTableV2", (self._empty_key, self._deleted_key),
            value_shape=tuple(self._value_shape.as_list()), initial_num_buckets=self._initial_num_buckets,
        )

    @with_sections(_CHANGE)
    def insert_or_assign(self, keys, values, name=None):
        """The same as `insert`."""
        return self.insert(keys, values, name)

    @with_sections(_CHANGE)
    def erase(self, keys, name=None):
        """The same as `remove`."""
        return self.remove(keys, name)
