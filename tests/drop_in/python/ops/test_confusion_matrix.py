"""Labels and predictions of one rank."""

import reflow as tf
from reflow.drop_in.python.ops.confusion_matrix import remove_squeezable_dimensions


def shapes(labels, predictions, **options):
    return [tuple(x.shape) for x in remove_squeezable_dimensions(tf.ones(labels), tf.ones(predictions), **options)]


def test_a_last_dimension_of_one_is_taken_away():
    assert shapes([2], [2, 1]) == shapes([2, 1], [2]) == [(2,), (2,)]
    assert shapes([2, 1], [2, 3]) == [(2, 1), (2, 3)]
    assert shapes([2, 1], [2, 3], expected_rank_diff=1) == [(2,), (2, 3)]
    assert shapes([2], [2, 3]) == [(2,), (2, 3)]


def test_shapes_that_only_the_run_knows():
    unknown = tf.function(remove_squeezable_dimensions, input_signature=[tf.TensorSpec(None)] * 2)
    assert [tuple(x.shape) for x in unknown(tf.ones([2, 1]), tf.ones([2]))] == [(2,), (2,)]
    assert [tuple(x.shape) for x in unknown(tf.ones([2]), tf.ones([2]))] == [(2,), (2,)]
