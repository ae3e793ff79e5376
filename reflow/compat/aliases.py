"""Names of `tf.compat.v1` for things of TensorFlow 2 that do the same job, although TensorFlow 1 has others there.

Names that lead to the very same thing in both are not listed: `tools/make_namespaces.py` knows them.
"""

from reflow.api import initializers
from reflow.api.array import blocks
from reflow.api.control import py_functions
from reflow.api.debugging import asserts
from reflow.api.export import export_value
from reflow.api.math import segment, special
from reflow.api.random import sampling
from reflow.api.sparse import tensors
from reflow.data import dataset, experimental_names
from reflow.eager import variables
from reflow.io import csv_datasets, datasets, files, sql
from reflow.lookup import buckets
from reflow.lookup import public as tables

#: name below `tf.compat.v1` -> the thing
ALIASES = {
    "VariableAggregation": variables.VariableAggregation,
    "verify_tensor_all_finite": asserts.assert_all_finite,
    "assert_integer": asserts.assert_integer,
    "assert_type": asserts.assert_type,
    "bincount": segment.bincount,
    "confusion_matrix": segment.confusion_matrix,
    "polyval": special.polyval,
    "xdivy": special.xdivy,
    "depth_to_space": blocks.depth_to_space,
    "space_to_depth": blocks.space_to_depth,
    "decode_raw": files.decode_raw,
    "multinomial": sampling.categorical,
    "py_func": py_functions.numpy_function,
    "sparse_add": tensors.add,
    "lookup.StaticHashTable": tables.StaticHashTable,
    "lookup.StaticVocabularyTable": buckets.StaticVocabularyTable,
    "data.Dataset": dataset.DatasetV2,
    "data.FixedLengthRecordDataset": datasets.FixedLengthRecordDataset,
    "data.TFRecordDataset": datasets.TFRecordDataset,
    "data.TextLineDataset": datasets.TextLineDataset,
    "data.experimental.CsvDataset": csv_datasets.CsvDataset,
    "data.experimental.RandomDataset": experimental_names.RandomDataset,
    "data.experimental.SqlDataset": sql.SqlDataset,
    "constant_initializer": initializers.Constant,
    "initializers.constant": initializers.Constant,
    "ones_initializer": initializers.Ones,
    "initializers.ones": initializers.Ones,
    "zeros_initializer": initializers.Zeros,
    "initializers.zeros": initializers.Zeros,
}

for name, thing in ALIASES.items():
    export_value(thing, f"compat.v1.{name}")
del name, thing
