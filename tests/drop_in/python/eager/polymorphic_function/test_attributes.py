"""Attributes of functions as protos."""

import pytest

from reflow.drop_in.python.eager.polymorphic_function import attributes


def test_plain_values_of_known_names():
    found = attributes.parse_func_attrs({"api_implements": "x", "_noinline": True, "time_major": [1, 2.0]})
    assert found["api_implements"].s == b"x" and found["_noinline"].b and list(found["time_major"].list.i) == [1]
    with pytest.raises(ValueError, match="Attribute _noinline must be bool"):
        attributes.parse_func_attrs({"_noinline": None})
    with pytest.raises(ValueError, match="does not support `mine`"):
        attributes.parse_func_attrs({"mine": 1})
