"""Losses and their weights of one rank."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.losses import util


def shapes(function, *sizes):
    return [
        None if x is None else tuple(x.shape) for x in function(*(None if s is None else tf.ones(s) for s in sizes))
    ]


def test_ranks_are_made_equal():
    fit = util.squeeze_or_expand_dimensions
    assert shapes(fit, [2, 1], [2]) == [(2,), (2,)]
    assert shapes(fit, [2, 3], [2]) == [(2, 3), (2,)]
    assert shapes(fit, [2], [2], [2, 1]) == [(2,), (2,), (2,)]
    assert shapes(fit, [2, 1], None, [2]) == [(2, 1), None, (2, 1)]
    assert shapes(fit, [2, 1], None, []) == [(2, 1), None, ()]


def test_ranks_that_only_the_run_knows():
    pair = tf.function(util.squeeze_or_expand_dimensions, input_signature=[tf.TensorSpec(None)] * 2)
    assert shapes(pair, [2, 1], [2]) == [(2,), (2,)] and shapes(pair, [2, 3], [2]) == [(2, 3), (2,)]
    weight = tf.function(
        lambda y, w: [util.squeeze_or_expand_dimensions(y, None, w)[2]], input_signature=[tf.TensorSpec(None)] * 2
    )
    assert (
        shapes(weight, [2, 3], [2]) == [(2, 1)] and shapes(weight, [2], [2, 1]) == [(2,)]
        and shapes(weight, [2], []) == [()]
    )


def test_weighted_losses():
    assert util.scale_losses_by_sample_weight([1.0, 2.0], [[1.0], [3.0]]).numpy().tolist() == [1, 6]


def test_a_loss_for_each_example():
    def guarded(loss):
        with util.check_per_example_loss_rank(loss):
            return tf.identity(loss)

    assert guarded(tf.ones([2])).shape == [2]
    with pytest.raises(ValueError, match="at least rank 1"):
        guarded(tf.ones([]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least rank 1"):
        tf.function(guarded, input_signature=[tf.TensorSpec(None)])(tf.ones([]))
