"""Tables between words and positions, from lists and files."""

import pytest

import reflow as tf
from reflow.lookup import vocabularies
from reflow.lookup.buckets import StrongHashSpec


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("brain\t300\nsalad\t20\nsurgery\t1\n")
    return str(path)


def test_words_of_a_list():
    table = vocabularies.index_table_from_tensor(["brain", "salad"], num_oov_buckets=1)
    assert table.lookup(tf.constant(["salad", "tarkus"])).numpy().tolist() == [1, 2]
    numbers = vocabularies.index_table_from_tensor([42, 1], dtype=tf.int32, default_value=-9, num_oov_buckets=0)
    assert numbers.lookup(tf.constant([1, 5], tf.int64)).numpy().tolist() == [1, -9]
    back = vocabularies.index_to_string_table_from_tensor(["brain", "salad"], default_value="?")
    assert back.lookup(tf.constant([1, 7], tf.int64)).numpy().tolist() == [b"salad", b"?"]


def test_columns_of_a_file(file):
    table = vocabularies.index_table_from_file(
        file, num_oov_buckets=2, hasher_spec=StrongHashSpec((3, 4)), key_column_index=0
    )
    assert table.lookup(tf.constant(["surgery", "brain"])).numpy().tolist() == [2, 0]
    assert int(table.size()) == 5
    short = vocabularies.index_table_from_file(file, vocab_size=2, key_column_index=0)
    assert short.lookup(tf.constant(["surgery", "brain"])).numpy().tolist() == [-1, 0]
    back = vocabularies.index_to_string_table_from_file(tf.constant(file), value_column_index=0)
    assert back.lookup(tf.constant([2, 3], tf.int64)).numpy().tolist() == [b"surgery", b"UNK"]


def test_a_session_fills_the_table():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        ids = vocabularies.index_table_from_tensor(["a", "b"], num_oov_buckets=1).lookup(tf.constant(["b", "c"]))
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(ids)
        session.run(tf.compat.v1.tables_initializer())
        assert session.run(ids).tolist() == [1, 2]


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda: vocabularies.index_table_from_tensor(None), ValueError, "must be specified"),
        (
            lambda: vocabularies.index_table_from_tensor(["a"], num_oov_buckets=-1), ValueError,
            "greater or equal than 0, got -1",
        ),
        (lambda: vocabularies.index_table_from_tensor([3]), ValueError, "Expected non-integer"),
        (
            lambda: vocabularies.index_table_from_tensor([1.5]), ValueError,
            "Expected <dtype: 'string'>, got <dtype: 'float32'>",
        ),
        (lambda: vocabularies.index_table_from_file(""), ValueError, "must not be empty"),
        (lambda: vocabularies.index_table_from_file("x", vocab_size=0), ValueError, "got 0 for vocabulary_file: x"),
        (lambda: vocabularies.index_table_from_file("x", num_oov_buckets=-1), ValueError, "got -1"),
        (lambda: vocabularies.index_table_from_file("x", key_dtype=tf.float32), TypeError, "either integer or string"),
        (lambda: vocabularies.index_to_string_table_from_tensor(None), ValueError, "must be specified"),
    ],
)  # fmt: skip
def test_errors(make, error, text):
    with pytest.raises(error, match=text):
        make()
