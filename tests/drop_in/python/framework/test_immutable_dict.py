"""A mapping that nobody changes."""

import pytest

from reflow.drop_in.python.framework.immutable_dict import ImmutableDict


def test_contents_and_hash():
    d = ImmutableDict({"x": 1}, y=2)
    assert dict(d) == {"x": 1, "y": 2} and "x" in d and len(d) == 2 and d == {"y": 2, "x": 1}
    assert hash(d) == hash(ImmutableDict(y=2, x=1)) and repr(d) == "ImmutableDict({'x': 1, 'y': 2})"
    with pytest.raises(TypeError):
        d["x"] = 3
