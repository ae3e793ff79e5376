"""The value of an iterator's resource tensor: what it reads, its errors, and when threads begin."""

import time

import numpy as np
import pytest

import reflow as tf
from reflow.data.engine.iterator_resource import IteratorResource
from tests.data.engine.datasets import value_of


def test_it_must_be_started_and_ends():
    iterator = IteratorResource()
    with pytest.raises(tf.errors.FailedPreconditionError, match="has not been initialized"):
        iterator.get_next()
    iterator.start(value_of(tf.data.Dataset.range(1)))
    assert np.asarray(iterator.get_next()).tolist() == [0]
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        iterator.get_next()
    assert iterator.get_next_as_optional().element is None


@pytest.mark.parametrize("warm", [True, False])
def test_a_warm_start_reads_ahead_before_the_first_element_is_asked_for(warm):
    options = tf.data.Options()
    options.experimental_warm_start = warm
    seen = []
    source = tf.data.Dataset.range(3).map(lambda x: tf.py_function(lambda y: seen.append(int(y)) or y, [x], tf.int64))
    iterator = IteratorResource()
    iterator.start(value_of(source.prefetch(2).map(lambda x: x).with_options(options)))
    deadline = time.monotonic() + 20
    while warm and not seen and time.monotonic() < deadline:
        time.sleep(0.001)
    assert bool(seen) == warm


def test_a_position_of_another_pipeline(tmp_path):
    iterator = iter(tf.data.Dataset.range(10))
    next(iterator)
    path = tf.train.Checkpoint(iterator=iterator).write(str(tmp_path / "position"))
    other = iter(tf.data.Dataset.from_tensor_slices([1, 2, 3]))
    with pytest.raises(tf.errors.NotFoundError, match="Make sure the dataset definition has not changed"):
        tf.train.Checkpoint(iterator=other).read(path)


def test_python_functions_of_a_pipeline_see_no_strategy():
    seen = []

    def look(x):
        seen.append(tf.distribute.has_strategy())
        return x

    ds = tf.data.Dataset.range(1)
    with tf.distribute.MirroredStrategy(["/cpu:0"]).scope():
        for function in (tf.py_function, tf.numpy_function):
            iterator = iter(ds.map(lambda i, function=function: function(look, [i], tf.int64)))
            assert next(iterator).numpy() == 0 and not iterator.get_next_as_optional().has_value()
    assert seen == [False, False]
