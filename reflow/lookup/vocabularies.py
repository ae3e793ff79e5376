"""Tables between the words of a vocabulary and their positions: the functions that `tf.contrib.lookup` had.

An *index table* maps words to numbers, an *index to string table* back. A word outside the vocabulary becomes the
default or, with `num_oov_buckets`, one of that many numbers after the vocabulary's, by its hash (`buckets.py`).
"""

from __future__ import annotations

from reflow.api.array.arrange import size
from reflow.api.array.creation import range as range_
from reflow.api.math import arithmetic
from reflow.core import dtypes
from reflow.lookup.buckets import FastHashSpec, with_buckets
from reflow.lookup.public import KeyValueTensorInitializer, StaticHashTable, TextFileIndex, TextFileInitializer
from reflow.ops.convert import convert_to_tensor


class TextFileIdTableInitializer(TextFileInitializer):
    """Fills a table from the words of a file, a line each, to their lines' numbers."""

    def __init__(
        self, filename, key_column_index=TextFileIndex.WHOLE_LINE, value_column_index=TextFileIndex.LINE_NUMBER,
        vocab_size=None, delimiter="\t", name="text_file_id_table_init", key_dtype=dtypes.string,
    ):
        super().__init__(
            filename, key_dtype, key_column_index, dtypes.int64, value_column_index, vocab_size, delimiter, name
        )


class TextFileStringTableInitializer(TextFileInitializer):
    """Fills a table from the numbers of a file's lines to their words."""

    def __init__(
        self, filename, key_column_index=TextFileIndex.LINE_NUMBER, value_column_index=TextFileIndex.WHOLE_LINE,
        vocab_size=None, delimiter="\t", name="text_file_string_table_init",
    ):
        super().__init__(
            filename, dtypes.int64, key_column_index, dtypes.string, value_column_index, vocab_size, delimiter, name
        )


def _check_file(vocabulary_file, vocab_size, told: str = "") -> None:
    if vocabulary_file is None or (isinstance(vocabulary_file, str) and not vocabulary_file):
        raise ValueError("`vocabulary_file` must be specified and must not be empty.")
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}{told}.")


def index_table_from_file(
    vocabulary_file=None, num_oov_buckets=0, vocab_size=None, default_value=-1, hasher_spec=FastHashSpec,
    key_dtype=dtypes.string, name=None, key_column_index=TextFileIndex.WHOLE_LINE,
    value_column_index=TextFileIndex.LINE_NUMBER, delimiter="\t",
):
    r"""A table from the words of a file, a line each, to their lines' numbers.

    >>> from reflow.lookup import vocabularies
    >>> import tempfile
    >>> name = tempfile.mkdtemp() + "/words.txt"
    >>> tf.io.write_file(name, "cat\ndog\n")
    >>> vocabularies.index_table_from_file(name).lookup(tf.constant(["dog", "cow"])).numpy().tolist()
    [1, -1]
    """
    shown = getattr(vocabulary_file, "numpy", lambda: vocabulary_file)() if vocab_size is not None else ""
    _check_file(vocabulary_file, vocab_size, f" for vocabulary_file: {shown}")
    if num_oov_buckets < 0:
        raise ValueError(f"num_oov_buckets must be greater or equal than 0, got {num_oov_buckets}.")
    key_dtype = dtypes.as_dtype(key_dtype)
    if not key_dtype.is_integer and key_dtype is not dtypes.string:
        raise TypeError("Dtype for `keys` should be either integer or string.")
    stored = dtypes.int64 if key_dtype.is_integer else key_dtype
    initializer = TextFileIdTableInitializer(
        vocabulary_file, key_column_index, value_column_index, vocab_size, delimiter, "table_init", stored
    )
    return with_buckets(initializer, default_value, num_oov_buckets, hasher_spec, name, key_dtype)


def index_table_from_tensor(
    vocabulary_list, num_oov_buckets=0, default_value=-1, hasher_spec=FastHashSpec, dtype=dtypes.string, name=None
):
    """A table from the words of a list to their positions.

    >>> from reflow.lookup import vocabularies
    >>> vocabularies.index_table_from_tensor(["cat", "dog"]).lookup(tf.constant(["dog", "cow"])).numpy().tolist()
    [1, -1]
    """
    if vocabulary_list is None:
        raise ValueError("`vocabulary_list` must be specified.")
    if num_oov_buckets < 0:
        raise ValueError(f"`num_oov_buckets` must be greater or equal than 0, got {num_oov_buckets}.")
    keys, dtype = convert_to_tensor(vocabulary_list), dtypes.as_dtype(dtype)
    if keys.dtype.is_integer != dtype.is_integer:
        raise ValueError(
            f"Invalid `dtype`: Expected {'integer' if dtype.is_integer else 'non-integer'}, got {keys.dtype}."
        )
    if not dtype.is_integer and keys.dtype is not dtype:
        raise ValueError(f"Invalid `dtype`: Expected {dtype}, got {keys.dtype}.")
    stored = dtypes.int64 if keys.dtype.is_integer else keys.dtype
    initializer = KeyValueTensorInitializer(
        arithmetic.cast(keys, stored) if keys.dtype.is_integer else keys, _positions(keys), stored, dtypes.int64,
        "table_init",
    )
    return with_buckets(initializer, default_value, num_oov_buckets, hasher_spec, name, dtype)


def index_to_string_table_from_file(
    vocabulary_file, vocab_size=None, default_value="UNK", name=None, key_column_index=TextFileIndex.LINE_NUMBER,
    value_column_index=TextFileIndex.WHOLE_LINE, delimiter="\t",
):
    r"""A table from the numbers of a file's lines to their words.

    >>> from reflow.lookup import vocabularies
    >>> import tempfile
    >>> name = tempfile.mkdtemp() + "/words.txt"
    >>> tf.io.write_file(name, "cat\ndog\n")
    >>> vocabularies.index_to_string_table_from_file(name).lookup(tf.constant([1, 5], tf.int64)).numpy().tolist()
    [b'dog', b'UNK']
    """
    _check_file(vocabulary_file, vocab_size)
    initializer = TextFileStringTableInitializer(
        vocabulary_file, key_column_index, value_column_index, vocab_size, delimiter, "table_init"
    )
    return StaticHashTable(initializer, default_value, name)


def index_to_string_table_from_tensor(vocabulary_list, default_value="UNK", name=None):
    """A table from positions in a list to the words there.

    >>> from reflow.lookup import vocabularies
    >>> table = vocabularies.index_to_string_table_from_tensor(["cat", "dog"])
    >>> table.lookup(tf.constant([1, 5], tf.int64)).numpy().tolist()
    [b'dog', b'UNK']
    """
    if vocabulary_list is None:
        raise ValueError("`vocabulary_list` argument must be specified.")
    words = convert_to_tensor(vocabulary_list, dtypes.string)
    initializer = KeyValueTensorInitializer(_positions(words), words, dtypes.int64, dtypes.string, "table_init")
    return StaticHashTable(initializer, default_value, name)


def _positions(words):
    return range_(size(words, out_type=dtypes.int64))
