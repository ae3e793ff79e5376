"""Labels and predictions of one rank."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.python.ops.confusion_matrix import remove_squeezable_dimensions

CASES = [
    ([2, 3], [2, 3, 1], 0, [2, 3], [2, 3]),
    ([2, 3, 1], [2, 3], 0, [2, 3], [2, 3]),
    ([2, 3, 1], [2, 3, 1], 0, [2, 3, 1], [2, 3, 1]),
    ([2, 3], [2, 3, 2], 0, [2, 3], [2, 3, 2]),
    ([2, 1], [2, 4], 1, [2], [2, 4]),
    ([2], [2, 4, 1], 1, [2], [2, 4]),
    ([], [], 0, [], []),
]


@pytest.mark.parametrize("case", CASES)
def test_squeezed(case):
    labels, predictions, more, of_labels, of_predictions = case
    values = tf.zeros(labels), tf.ones(predictions)
    found = remove_squeezable_dimensions(*values, expected_rank_diff=more)
    assert [x.shape.as_list() for x in found] == [of_labels, of_predictions]
    unknown = [tf.TensorSpec(None, tf.float32)] * 2
    if of_predictions != [2, 3, 2]:  # of an unknown rank the last axis is taken to be 1
        dynamic = tf.function(lambda a, b: remove_squeezable_dimensions(a, b, more), input_signature=unknown)(*values)
        assert [list(np.shape(x)) for x in dynamic] == [of_labels, of_predictions]
