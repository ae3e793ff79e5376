"""`tf.io.parse_sequence_example`: contexts and feature lists."""

from tests.expressions import session

test_expressions = session(__file__)
