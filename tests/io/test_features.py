"""Batches of parsed examples from files."""

import pytest

import reflow as tf


def _write(path, numbers):
    with tf.io.TFRecordWriter(str(path)) as writer:
        for n in numbers:
            feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[n]))
            other = tf.train.Feature(int64_list=tf.train.Int64List(value=range(n)))
            features = tf.train.Features(feature={"n": feature, "list": other})
            writer.write(tf.train.Example(features=features).SerializeToString())
    return str(path)


FEATURES = {"n": tf.io.FixedLenFeature([], tf.int64), "list": tf.io.VarLenFeature(tf.int64)}


def test_batches_of_features_with_labels(tmp_path):
    path = _write(tmp_path / "x", range(5))
    make = tf.data.experimental.make_batched_features_dataset
    batches = list(make(path, 2, FEATURES, label_key="n", num_epochs=1, shuffle=False))
    assert [label.numpy().tolist() for _, label in batches] == [[0, 1], [2, 3], [4]]
    assert tf.sparse.to_dense(batches[1][0]["list"]).numpy().tolist() == [[0, 1, 0], [0, 1, 2]]
    assert len(list(make(path, 2, FEATURES, num_epochs=1, drop_final_batch=True))) == 2
    with pytest.raises(ValueError, match="must be one of the `features` keys"):
        make(path, 2, FEATURES, label_key="m")


def test_what_parse_example_dataset_refuses():
    parse = tf.data.experimental.parse_example_dataset(FEATURES)
    with pytest.raises(TypeError, match="vectors of strings"):
        tf.data.Dataset.range(2).apply(parse)


def test_a_reader_of_version_1_is_no_dataset(tmp_path):
    (tmp_path / "a").write_bytes(b"")
    features = {"a": tf.io.FixedLenFeature([], tf.int64)}
    for reader in (tf.compat.v1.TFRecordReader, lambda name: name):
        with pytest.raises(TypeError, match="The `reader` argument must return a `Dataset` object"):
            tf.data.experimental.make_batched_features_dataset(str(tmp_path / "a"), 2, features, reader=reader)
