"""Tensors as strings."""

from tests.expressions import session

test_expressions = session(__file__)
