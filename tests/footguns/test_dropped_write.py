"""Surprise: in a graph `TensorArray.write` returns the new array; the old one does not change."""

import reflow as tf


def test_dropped_write_in_a_function():
    @tf.function
    def dropped():
        array = tf.TensorArray(tf.float32, size=2)
        array.write(0, 1.0)
        array.write(1, 2.0)
        return array.stack()

    assert dropped().numpy().tolist() == [0.0, 0.0]  # lost, without a word: as in TensorFlow


def test_kept_write_in_a_function():
    @tf.function
    def kept():
        array = tf.TensorArray(tf.float32, size=2)
        array = array.write(0, 1.0)
        array = array.write(1, 2.0)
        return array.stack()

    assert kept().numpy().tolist() == [1.0, 2.0]


def test_eager_arrays_remember():
    array = tf.TensorArray(tf.float32, size=2)
    array.write(0, 1.0)
    array.write(1, 2.0)
    assert array.stack().numpy().tolist() == [1.0, 2.0]


def test_kept_write_in_a_loop():
    @tf.function
    def f(n):
        array = tf.TensorArray(tf.int32, size=n)
        for i in tf.range(n):
            array = array.write(i, i)
        return array.stack()

    assert f(tf.constant(3)).numpy().tolist() == [0, 1, 2]


def test_dropped_write_in_a_loop():
    @tf.function
    def f(n):
        array = tf.TensorArray(tf.int32, size=n)
        for i in tf.range(n):
            array.write(i, i + 1)
        return array.stack()

    assert f(tf.constant(3)).numpy().tolist() == [0, 0, 0]


def test_a_dropped_eager_write_is_reported(caplog):
    """TensorFlow's words, though nothing is lost: eager arrays remember. In a function it would be."""
    array = tf.TensorArray(tf.float32, size=2, clear_after_read=False)
    array.write(0, 1.0)
    (record,) = caplog.records
    assert record.levelname == "ERROR"
    assert "Object was never used (type <class" in record.message
    assert 'call its "mark_used()" method' in record.message
    assert "array.write(0, 1.0)" in record.message  # the line
    caplog.clear()
    array = array.write(1, 2.0)
    array.write(0, 5.0).mark_used()
    assert array.stack().numpy().tolist() == [5.0, 2.0]
    assert not caplog.records
