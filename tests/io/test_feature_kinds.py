"""Kinds of features: what `tf.io.parse_example` makes of each."""

from tests.expressions import session

test_expressions = session(__file__)
