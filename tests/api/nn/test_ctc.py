"""`reflow/api/nn/ctc.py`: what TensorFlow prints for the expressions of `ctc.txt`."""

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_loss_of_half_floats_is_computed_in_wide_ones():
    logits = tf.cast(tf.random.stateless_uniform([12, 3, 6], [1, 2]), tf.float16)
    labels, lengths, frames = [[1, 2, 3], [4, 4, 5], [2, 0, 0]], [3, 3, 1], [12, 12, 9]
    half = tf.nn.ctc_loss(labels, logits, lengths, frames)
    wide = tf.nn.ctc_loss(labels, tf.cast(logits, tf.float32), lengths, frames)
    assert half.dtype is tf.float16
    assert half.numpy().tolist() == tf.cast(wide, tf.float16).numpy().tolist()
