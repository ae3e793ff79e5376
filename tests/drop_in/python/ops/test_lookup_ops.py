"""Tables of vocabularies under TensorFlow's private names."""

from reflow.drop_in.python.ops import lookup_ops
from reflow.lookup import buckets, vocabularies


def test_the_names_lead_to_the_tables():
    assert lookup_ops.IdTableWithHashBuckets is buckets.IdTableWithHashBuckets
    assert lookup_ops.index_table_from_file is vocabularies.index_table_from_file
    assert lookup_ops.TextFileIdTableInitializer("/tmp/words", vocab_size=3)._shared_name == "hash_table_/tmp/words_3_-2_-1"
