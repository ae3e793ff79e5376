"""How weights begin, and what they cost."""

import pytest

import reflow as tf
from reflow.drop_in.contrib.index import contrib


def test_regularizers_add_up():
    layers, x = contrib.layers, tf.constant([1.0, -2.0])
    assert layers.l1_l2_regularizer(1.0, 2.0)(x).numpy() == 3.0 + 5.0
    assert layers.sum_regularizer([None, layers.l1_regularizer(0.5)])(x).numpy() == 1.5
    assert layers.sum_regularizer([None]) is None and layers.l2_regularizer(0.0)(x) is None
    with pytest.raises(ValueError, match="scale cannot be an integer"):
        layers.l2_regularizer(1)
    with pytest.raises(ValueError, match="less than 0"):
        layers.l1_regularizer(-0.5)


def test_penalties_need_weights():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="No weights to regularize"):
        contrib.layers.apply_regularization(contrib.layers.l1_regularizer(0.5))
