"""What parsing ops say of examples that do not fit: texts of TensorFlow."""

import pytest

import reflow as tf


def example(count):
    lists = {
        "b": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"1"] * count)),
        "i": tf.train.Feature(int64_list=tf.train.Int64List(value=[1] * count)),
    }
    return tf.train.Example(features=tf.train.Features(feature=lists)).SerializeToString()


@pytest.mark.parametrize(
    ("count", "key", "kind", "alone", "batch"),
    [
        (
            1,
            "b",
            tf.string,
            "Key: b.  Can't parse serialized Example: Some bytes_list slice was not parsed.",
            "Name: n, Key: b, Index: 0.  Number of bytes values != expected.  Values size: 1 but output shape: [2]",
        ),
        (
            3,
            "b",
            tf.string,
            "Key: b.  Can't parse serialized Example: Parsing bytes_list failed.",
            "Name: n, Key: b, Index: 0.  Can't parse serialized Example.",
        ),
        (
            3,
            "i",
            tf.int64,
            "Key: i.  Can't parse serialized Example: Some int64_list slice was not parsed.",
            "Name: n, Key: i, Index: 0.  Number of int64 values != expected.  Values size: 3 but output shape: [2]",
        ),
    ],
)
def test_wrong_counts(count, key, kind, alone, batch):
    features = {key: tf.io.FixedLenFeature([2], kind)}
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        tf.io.parse_single_example(example(count), features)
    assert error.value.message.startswith(alone)
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        tf.io.parse_example([example(count)], features, ["n"])
    assert error.value.message.startswith(batch)


def test_rows_that_are_not_full():
    features = {"b": tf.io.FixedLenSequenceFeature([2], tf.string, allow_missing=True)}
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="feature with key b: number of elements should be divisible by 2"
    ):
        tf.io.parse_single_example(example(3), features)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Number of bytes values is not a multiple of stride length. Saw 3"
    ):
        tf.io.parse_example([example(3)], features)


def test_wrong_types_of_sparse_features():
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Data types don't match. Expected type: float, Actual type: string"
    ):
        tf.io.parse_single_example(example(1), {"b": tf.io.VarLenFeature(tf.float32)})
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Data types don't match. Data type: string but expected type: float"
    ):
        tf.io.parse_single_example(example(1), {"b": tf.io.FixedLenFeature([1], tf.float32)})


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        (
            [[2, 3], [2, 3, 4]],
            r"Total values size: 5 is not consistent with output shape: \[\?,2\]",
        ),
        (
            [[2], [2, 3, 4]],
            r"Name: in, Key: a, Index: 0.  Number of values != expected.  values size: 1 but output shape: \[2\]",
        ),
    ],
)
def test_wrong_steps(steps, words):
    features = [tf.train.Feature(int64_list=tf.train.Int64List(value=step)) for step in steps]
    lists = tf.train.FeatureLists(feature_list={"a": tf.train.FeatureList(feature=features)})
    text = tf.train.SequenceExample(feature_lists=lists).SerializeToString()
    wanted = {"a": tf.io.FixedLenSequenceFeature([2], tf.int64)}
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.io.parse_single_sequence_example(text, sequence_features=wanted, example_name="in")
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.io.parse_sequence_example([text], sequence_features=wanted, example_names=["in"])


@pytest.mark.parametrize(
    ("feature", "words"),
    [
        (
            tf.io.FixedLenFeature([None, 2], tf.float32),
            "First dimension of shape for feature i unknown. Consider using",
        ),
        (
            tf.io.FixedLenFeature([2, None], tf.float32),
            r"All dimensions of shape for feature i need to be known but received \[2, None\]",
        ),
        (
            tf.io.FixedLenSequenceFeature([2, None], tf.int64, allow_missing=True),
            r"dense_shapes\[0\] has unknown rank or unknown inner dimensions",
        ),
        (tf.io.VarLenFeature(None), r"Missing type for feature i. Received feature=VarLenFeature\(dtype=None\)"),
        (
            tf.io.FixedLenSequenceFeature([1], tf.int64, allow_missing=True, default_value=[]),
            "requested shape has 1|with 0 elements",
        ),
    ],
)
def test_shapes_and_types_that_are_missing(feature, words):
    for read in (
        lambda: tf.io.parse_single_example(example(1), {"i": feature}),
        lambda: tf.io.parse_example([example(1)], {"i": feature}),
    ):
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match=words):
            read()
        with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
            read()
