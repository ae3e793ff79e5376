"""`tf.io.parse_sequence_example`: contexts and feature lists."""

import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_steps_that_do_not_fit():
    message = tf.train.SequenceExample()
    steps = message.feature_lists.feature_list["a"]
    steps.feature.add().int64_list.value.extend([2, 3])
    steps.feature.add().float_list.value.append(2.0)
    wanted = {"a": tf.io.FixedLenSequenceFeature([2], tf.int64)}
    words = "Name: s, Feature list: a, Index: 1.  Data types don't match. Expected type: int64"
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.io.parse_single_sequence_example(message.SerializeToString(), sequence_features=wanted, example_name="s")
