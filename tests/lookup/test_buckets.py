"""Tables with buckets for unknown keys."""

import pytest

import reflow as tf
from reflow.lookup.buckets import FastHashSpec, HasherSpec, IdTableWithHashBuckets, StrongHashSpec


def words(default=-1):
    init = tf.lookup.KeyValueTensorInitializer(["brain", "salad", "surgery"], tf.range(3, dtype=tf.int64))
    return tf.lookup.StaticHashTable(init, default)


def test_unknown_keys_go_to_buckets_by_either_hash():
    keys = tf.constant(["fruit", "brain", "salad", "surgery", "UNK"])
    fast = IdTableWithHashBuckets(words(), 3, FastHashSpec, name="fast")
    strong = IdTableWithHashBuckets(words(), 3, StrongHashSpec((1, 2)))
    assert fast.lookup(keys).numpy().tolist() == [5, 0, 1, 2, 5]  # as TensorFlow
    assert strong[keys].numpy().tolist() == [5, 0, 1, 2, 3]
    assert int(fast.size()) == 6 and fast.name == "fast"
    assert IdTableWithHashBuckets(words(-7), 0).lookup(keys).numpy().tolist() == [-7, 0, 1, 2, -7]


def test_buckets_alone_take_strings_and_integers():
    assert (
        IdTableWithHashBuckets(None, 5).lookup(tf.constant(["brain", "salad", "surgery"])).numpy().tolist() == [3, 1, 4]
    )
    numbers = IdTableWithHashBuckets(None, 5, key_dtype=tf.int32)
    assert numbers.lookup(tf.ragged.constant([[42, 1], [-1000]])).to_list() == [[1, 4], [2]]
    assert numbers.resource_handle is None and numbers.initializer is None


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda: IdTableWithHashBuckets(None, 0), ValueError, "must be > 0 if no `table`"),
        (lambda: IdTableWithHashBuckets(None, 1, hasher_spec=1), TypeError, "must be of type HasherSpec"),
        (lambda: IdTableWithHashBuckets(None, 1, key_dtype=tf.float64), TypeError, "expected integer or string"),
        (lambda: IdTableWithHashBuckets(words(), 1, key_dtype=tf.int32), TypeError, "expected integer but got"),
        (lambda: StrongHashSpec([1, 2, 3]), ValueError, "must have size 2, received 3"),
        (lambda: StrongHashSpec([None, 2]), TypeError, "Must be unsigned integer values"),
        (
            lambda: IdTableWithHashBuckets(None, 1, HasherSpec("md5", None))[tf.constant(["a"])], ValueError,
            "unknown hasher md5",
        ),
    ],
)  # fmt: skip
def test_errors(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_an_empty_vocabulary_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="keys and values cannot be empty"):
        tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(tf.constant([], tf.string), [], value_dtype=tf.int64), -1
        )
