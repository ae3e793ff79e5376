"""Tables of vocabularies under TensorFlow's private names."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops import lookup_ops
from reflow.lookup import buckets, vocabularies


def test_the_names_lead_to_the_tables():
    assert lookup_ops.IdTableWithHashBuckets is buckets.IdTableWithHashBuckets
    assert lookup_ops.index_table_from_file is vocabularies.index_table_from_file
    assert (
        lookup_ops.TextFileIdTableInitializer("/tmp/words", vocab_size=3)._shared_name
        == "hash_table_/tmp/words_3_-2_-1"
    )


def test_dtypes_of_tables():
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
    lookup_ops.check_table_dtypes(table, tf.string, tf.int32)
    with pytest.raises(TypeError, match="Invalid value dtype"):
        lookup_ops.check_table_dtypes(table, tf.string, tf.int64)
    with pytest.raises(TypeError, match="Invalid key dtype"):
        lookup_ops.check_table_dtypes(table, tf.int32, tf.int32)
