"""`tf.distribute`: what TensorFlow prints about a cluster (communication)."""

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_options_are_merged_into_new_ones():
    given = tf.distribute.experimental.CommunicationOptions(5)
    same = given.merge(None)
    assert same is not given and repr(same) == repr(given)
