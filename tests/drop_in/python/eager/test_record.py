"""What tapes see."""

import reflow as tf
from reflow.drop_in.python.eager import record


def test_watching_and_pausing():
    x, y = tf.constant(2.0), tf.constant(3.0)
    assert not record.could_possibly_record()
    with tf.GradientTape() as tape:
        tape.watch(x)
        assert record.should_record_backprop([y, x]) and not record.should_record_backprop([y])
        with record.stop_recording():
            z = x * x
    assert tape.gradient(z, x) is None


def test_a_watcher_knows_the_trainable_variables_that_were_read():
    v, fixed = tf.Variable(1.0), tf.Variable(1.0, trainable=False)
    with record.VariableWatcher() as watcher:
        v + fixed
    assert [x is v for x in watcher.watched_variables()] == [True]
