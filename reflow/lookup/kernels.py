"""Tables of `tf.lookup`: ops on the resource of a table (`reflow/lookup/tables.py`).

A table with a `shared_name` is created once, for as long as it is referenced: all nodes with that name use the same
one.
"""

from __future__ import annotations

import numpy as np

from reflow.core import dtypes
from reflow.core.resources import shared
from reflow.core.shapes import dims_of
from reflow.graph.refusals import check_asset
from reflow.io import records
from reflow.lookup import tables
from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.kernels.strings import elementwise as strings
from reflow.ops.kernels.strings.hashing import MASK, hash64
from reflow.ops.registry import NO_GRADIENT, REGISTRY, also_called, op


def table_op(name: str, shape=rules.no_outputs, **facts):
    return op(name, shape=shape, grad=NO_GRADIENT, host=True, **facts)


def look_op(name: str, shape):
    """An op that reads a table. It runs even if its result is unused: it fails if the table was not initialized."""
    return table_op(name, shape, reads=("table_handle",), effect=True)


def _ref_counted(table: tables.Table) -> tables.Table:
    table.ref_counted = True
    return table


def _plain_tables(kind: type, shared_op: str, anonymous_op: str) -> None:
    """The two ops that make tables of scalars: one table for all nodes of a name, or one of the node's own."""

    @table_op(shared_op, rules.scalar, effect=True)
    def named(_, key_dtype, value_dtype, container="", shared_name=""):
        return shared(container, shared_name, lambda: kind(key_dtype, value_dtype, (), shared_name))

    @table_op(anonymous_op, rules.scalar, effect=True)
    def anonymous(_, key_dtype, value_dtype):
        return _ref_counted(kind(key_dtype, value_dtype))


_plain_tables(tables.StaticTable, "HashTableV2", "AnonymousHashTable")
_plain_tables(tables.MutableTable, "MutableHashTableV2", "AnonymousMutableHashTable")


@table_op("MutableHashTableOfTensorsV2", rules.scalar, effect=True)
def mutable_hash_table_of_tensors(_, key_dtype, value_dtype, value_shape=(), container="", shared_name=""):
    return shared(
        container, shared_name, lambda: _of_tensors(key_dtype, value_dtype, value_shape, shared_name)
    )


@table_op("AnonymousMutableHashTableOfTensors", rules.scalar, effect=True)
def anonymous_mutable_hash_table_of_tensors(_, key_dtype, value_dtype, value_shape=()):
    return _ref_counted(_of_tensors(key_dtype, value_dtype, value_shape))


def _of_tensors(key_dtype, value_dtype, value_shape, name=""):
    dims = dims_of(value_shape)
    if dims is not None and len(dims) != 1:
        raise strings.invalid(f"Default value must be a vector, got shape {rules.text(dims)}")
    return tables.MutableTable(key_dtype, value_dtype, dims, name)


def _hash(key) -> int:
    """Where TensorFlow looks for a key first: integers are their own hashes, those of a vector are combined."""
    if isinstance(key, tuple):
        if len(key) == 1:
            return _hash(key[0])
        combined = 0
        for part in key:
            combined ^= (_hash(part) + 0x9E3779B97F4A7800 + (combined << 10) + (combined >> 4)) & MASK
        return combined
    return hash64(key) if isinstance(key, bytes) else int(key) & MASK


def _dense(empty_key, deleted_key, value_dtype, value_shape, buckets, load, name=""):
    if not 0 < load < 1:
        raise strings.invalid(f"max_load_factor must be between 0 and 1, got: {load:g}")
    return tables.DenseTable(
        dtypes.FROM_NUMPY[empty_key.dtype], value_dtype, dims_of(value_shape), empty_key, deleted_key, buckets, load,
        _hash, name,
    )


@table_op("MutableDenseHashTableV2", rules.scalar, effect=True)
def mutable_dense_hash_table(
    _, empty_key, deleted_key, value_dtype, value_shape=(), initial_num_buckets=2**17, max_load_factor=0.8,
    container="", shared_name="",
):
    return shared(
        container,
        shared_name,
        lambda: _dense(
            empty_key, deleted_key, value_dtype, value_shape, initial_num_buckets, max_load_factor,
            shared_name,
        ),
    )


@table_op("AnonymousMutableDenseHashTable", rules.scalar, effect=True)
def anonymous_mutable_dense_hash_table(
    _, empty_key, deleted_key, value_dtype, value_shape=(), initial_num_buckets=2**17, max_load_factor=0.8
):
    return _ref_counted(
        _dense(empty_key, deleted_key, value_dtype, value_shape, initial_num_buckets, max_load_factor)
    )


# --- use ------------------------------------------------------------------------------------------------------------


@look_op("LookupTableFindV2", lambda f: [None])
def lookup_table_find(_, table_handle, keys, default_value):
    return table_handle.find(keys, default_value)


@table_op("LookupTableInsertV2", writes=("table_handle",))
def lookup_table_insert(_, table_handle, keys, values):
    table_handle.insert(keys, values)
    return ()


@table_op("LookupTableRemoveV2", writes=("table_handle",))
def lookup_table_remove(_, table_handle, keys):
    table_handle.remove(keys)
    return ()


@look_op("LookupTableSizeV2", rules.scalar)
def lookup_table_size(_, table_handle):
    return np.asarray(len(table_handle), np.int64)


@look_op("LookupTableExportV2", lambda f: [None, None])
def lookup_table_export(_, table_handle, Tkeys, Tvalues):
    return table_handle.export()


@table_op("LookupTableImportV2", writes=("table_handle",), fits="0 1 1+")
def lookup_table_import(_, table_handle, keys, values):
    table_handle.replace(keys, values)
    return ()


@table_op("InitializeTableV2", writes=("table_handle",), trace_check=traced.table_entries)
def initialize_table(_, table_handle, keys, values):
    table_handle.replace(keys, values)
    return ()


@table_op("InitializeTableFromDataset", writes=("table_handle",))
def initialize_table_from_dataset(_, table_handle, dataset):
    pairs = list(dataset.iterate())
    keys, values = ([pair[i][()] for pair in pairs] for i in (0, 1))
    kinds = [np.asarray(component).dtype for component in pairs[0]] if pairs else (object, np.int64)
    table_handle.replace(np.array(keys, kinds[0]), np.array(values, kinds[1]))
    return ()


# --- text files -----------------------------------------------------------------------------------------------------

LINE_NUMBER, WHOLE_LINE = -1, -2


@table_op("InitializeTableFromTextFileV2", writes=("table_handle",), touches=("assets",), fits="0 0")
def initialize_table_from_text_file(
    _, table_handle, filename, key_index, value_index, vocab_size=-1, delimiter="\t", offset=0, **attrs
):
    if filename.size != 1:
        raise strings.invalid(f"filename should be a single string, but got {rules.text(filename.shape)}")
    path = filename.item().decode()
    check_asset(attrs, path)
    table_handle.fill(
        _lines(table_handle, path, key_index, value_index, vocab_size, strings.as_bytes(delimiter), offset)
    )
    return ()


def _lines(table, path, key_index, value_index, limit, delimiter, offset):
    """Pairs of a key and a value, one a line. Errors name the line."""
    count = 0
    with records.open_file(path, "") as file:
        for line in file:
            if 0 <= limit <= count:
                break
            line = line.removesuffix(b"\n").removesuffix(b"\r")
            fields = (
                [] if min(key_index, value_index) < 0 and max(key_index, value_index) < 0 else line.split(delimiter)
            )
            wanted = max(key_index, value_index) + 1
            if len(fields) < wanted:
                raise strings.invalid(
                    f"Invalid number of columns in {path} line {count} ({tables.spell(line)}) : expected at "
                    f"least {wanted} got {len(fields)}"
                )
            yield (
                _field(line, fields, key_index, table.key_dtype, count, 0),
                _field(line, fields, value_index, table.value_dtype, count, offset),
            )
            count += 1
    if 0 <= limit != count:
        raise strings.invalid(f"Invalid vocab_size in {path}: expected {limit} but got {count}")


def _field(line, fields, index, dtype, number, offset):
    if index == LINE_NUMBER:
        return number + offset
    text = line if index == WHOLE_LINE else fields[index]
    if dtype is dtypes.string:
        return text
    value = strings._number(text, np.dtype(dtype.np_dtype))
    if value is None:
        kind = {"float32": "float", "float64": "double"}.get(dtype.name, dtype.name)
        raise strings.invalid(f"Field {tables.spell(text)} in line {number} is not a valid {kind}.")
    return value


# --- the oldest ops, whose handles are strings: the same under other names ------------------------------------------

for _name in (
    "HashTable", "MutableHashTable", "MutableHashTableOfTensors", "LookupTableFind", "LookupTableInsert",
    "LookupTableSize", "LookupTableExport", "LookupTableImport", "InitializeTable", "InitializeTableFromTextFile",
):
    also_called(_name, REGISTRY[f"{_name}V2"], reads=(), writes=(), effect=True)
