"""`tensorflow.python.ops.lookup_ops`: tables of vocabularies, which were in `tf.contrib.lookup`,
and the classes behind public tables."""

from reflow.lookup.buckets import FastHashSpec as FastHashSpec
from reflow.lookup.buckets import HasherSpec as HasherSpec
from reflow.lookup.buckets import IdTableWithHashBuckets as IdTableWithHashBuckets
from reflow.lookup.buckets import StrongHashSpec as StrongHashSpec
from reflow.lookup.public import InitializableLookupTableBase as InitializableLookupTableBase
from reflow.lookup.public import LookupInterface as LookupInterface
from reflow.lookup.public import TableInitializerBase as TableInitializerBase
from reflow.lookup.vocabularies import TextFileIdTableInitializer as TextFileIdTableInitializer
from reflow.lookup.vocabularies import TextFileStringTableInitializer as TextFileStringTableInitializer
from reflow.lookup.vocabularies import index_table_from_file as index_table_from_file
from reflow.lookup.vocabularies import index_table_from_tensor as index_table_from_tensor
from reflow.lookup.vocabularies import index_to_string_table_from_file as index_to_string_table_from_file
from reflow.lookup.vocabularies import index_to_string_table_from_tensor as index_to_string_table_from_tensor


def check_table_dtypes(table, key_dtype, value_dtype) -> None:
    """TypeError unless a table has keys and values of these dtypes."""
    for what, given, own in (("key", key_dtype, table.key_dtype), ("value", value_dtype, table.value_dtype)):
        if given.base_dtype != own:
            raise TypeError(f"Invalid {what} dtype for table, expected {own} but got {given}.")
