"""Names of `tf.compat.v1` for TensorFlow 2 objects that do the same job, although TensorFlow 1 has different ones.

Names of the very same object in both are not listed: `tools/make_namespaces.py` knows them.
"""

from reflow.api.control import py_functions
from reflow.api.export import export_value
from reflow.api.math import special
from reflow.data import dataset, experimental_names
from reflow.eager import variables
from reflow.io import csv_datasets, datasets, sql
from reflow.lookup import buckets
from reflow.lookup import public as tables

#: name below `tf.compat.v1` -> the thing
ALIASES = {
    "VariableAggregation": variables.VariableAggregation,
    "polyval": special.polyval,
    "xdivy": special.xdivy,
    "py_func": py_functions.numpy_function,
    "lookup.StaticHashTable": tables.StaticHashTable,
    "lookup.StaticVocabularyTable": buckets.StaticVocabularyTable,
    "data.Dataset": dataset.DatasetV2,
    "data.FixedLengthRecordDataset": datasets.FixedLengthRecordDataset,
    "data.TFRecordDataset": datasets.TFRecordDataset,
    "data.TextLineDataset": datasets.TextLineDataset,
    "data.experimental.CsvDataset": csv_datasets.CsvDataset,
    "data.experimental.RandomDataset": experimental_names.RandomDataset,
    "data.experimental.SqlDataset": sql.SqlDataset,
}

for name, thing in ALIASES.items():
    export_value(thing, f"compat.v1.{name}")
del name, thing
