"""`tf.io.parse_example`: Examples that TensorFlow wrote, and those that do not fit."""

import pytest

import reflow as tf
from tests.expressions import session
from tests.io.recorded_files import path, records

test_expressions = session(__file__)
FEATURES = {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64),
            "numbers": tf.io.VarLenFeature(tf.float32)}


def test_parse_in_a_map():
    parsed = list(tf.data.TFRecordDataset(path()).map(lambda s: tf.io.parse_single_example(s, FEATURES)))
    assert [int(p["label"]) for p in parsed] == [1, 2] and parsed[1]["image"].numpy() == b"picture 2"
    assert tf.sparse.to_dense(parsed[1]["numbers"]).numpy().tolist() == [0.5, 0.5]


def test_parse_a_batch():
    (batch,) = tf.data.TFRecordDataset(path()).batch(2)
    features = FEATURES | {"ragged": tf.io.RaggedFeature(tf.float32, value_key="numbers")}
    parsed = tf.io.parse_example(batch, features)
    assert parsed["label"].numpy().tolist() == [1, 2] and parsed["numbers"].dense_shape.numpy().tolist() == [2, 2]
    assert parsed["ragged"].to_list() == [[0.5], [0.5, 0.5]]
    padded = {"numbers": tf.io.FixedLenSequenceFeature([], tf.float32, allow_missing=True, default_value=-1.0)}
    assert tf.io.parse_example(batch, padded)["numbers"].numpy().tolist() == [[0.5, -1.0], [0.5, 0.5]]


@pytest.mark.parametrize(("features", "message"), [
    ({"label": tf.io.FixedLenFeature([], tf.float32)}, "Data types don't match"),
    ({"nothing": tf.io.FixedLenFeature([], tf.float32)}, "is required but could not be found"),
    ({"label": tf.io.FixedLenFeature([2], tf.int64)}, "Some int64_list slice was not parsed"),
])
def test_examples_that_do_not_fit(features, message):
    (record, _) = records(path())
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.io.parse_single_example(record, features)


def test_bytes_that_are_no_example():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse example input"):
        tf.io.parse_single_example(b"\xff\xff\xff", FEATURES)


def example(**features):
    message = tf.train.Example()
    for key, value in features.items():
        kind = message.features.feature[key]
        (kind.float_list if isinstance(value[0], float) else kind.int64_list).value.extend(value)
    return message.SerializeToString()


# the words are TensorFlow's
@pytest.mark.parametrize(("feature", "message"), [
    (
        tf.io.FixedLenFeature([3], tf.float32),
        "Name: first, Key: a, Index: 0.  Number of float values != expected.  Values size: 2 but output shape: [3]",
    ),
    (
        tf.io.FixedLenFeature([2], tf.int64),
        "Name: first, Key: a, Index: 0.  Data types don't match. Data type: float but expected type: int64",
    ),
    (
        tf.io.FixedLenSequenceFeature([3], tf.float32, True),
        (
            "Name: first, Key: a, Index: 0.  Number of float values is not a multiple of stride length. Saw 2 values "
            "but output shape is: [?,3]"
        ),
    ),
])
def test_messages_name_the_example(feature, message):
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        tf.io.parse_example([example(a=[1.0, 2.0])], {"a": feature}, example_names=["first"])
    assert message in str(error.value)


def test_features_that_are_not_there():
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Name: <unknown>, Feature: b \(data type: float\) is required"
    ):
        tf.io.parse_example([example(a=[1.0])], {"b": tf.io.FixedLenFeature([], tf.float32)})
    with pytest.raises(ValueError, match="Missing shape for feature a"):
        tf.io.parse_example([example(a=[1.0])], {"a": tf.io.FixedLenFeature(None, tf.float32)})
