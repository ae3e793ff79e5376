"""Pipelines as bytes."""

import pytest

import reflow as tf
from reflow.data.service import pipelines
from tests.data.engine.datasets import elements, value_of

D = tf.data.Dataset


def test_a_pipeline_with_captures_and_branches_comes_back():
    weight = tf.constant([1.5, 2.0])
    ds = D.zip(
        D.range(4), D.from_tensor_slices([b"a", b"b", b"c", b"d"])
    ).map(lambda i, s: (weight * tf.cast(i, tf.float32), s))
    ds = ds.batch(2).concatenate(ds.take(2).batch(2))
    assert elements(pipelines.decode(pipelines.encode(ds))) == elements(value_of(ds))


def test_a_dataset_that_a_function_captures_travels():
    held = D.range(3)
    known = D.from_tensors(0).map(lambda _: held.reduce(tf.constant(0, tf.int64), lambda a, b: a + b))
    assert elements(pipelines.decode(pipelines.encode(known))) == [[3]]


def test_what_only_this_process_has_cannot_travel():
    held = tf.Variable(1, dtype=tf.int64)
    with pytest.raises(tf.errors.UnimplementedError, match="cannot be sent to another process"):
        pipelines.encode(D.range(2).map(lambda x: x + held))
    with pytest.raises(tf.errors.UnimplementedError, match="cannot be divided between workers"):
        pipelines.source_of(value_of(D.zip(D.range(2), D.range(2))))
