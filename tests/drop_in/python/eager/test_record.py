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
