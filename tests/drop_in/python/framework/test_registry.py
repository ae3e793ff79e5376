"""Objects by name."""

import pytest

from reflow.drop_in.python.framework.registry import Registry


def test_names_are_taken_once():
    registry = Registry("gradients")
    registry.register(len)
    assert registry.lookup(b"len") is len and list(registry.list()) == ["len"]
    with pytest.raises(
        KeyError, match=r"Registering two gradients with name 'len'! \(Previous registration was in test_names"
    ):
        registry.register(len)
    with pytest.raises(LookupError, match="gradients registry has no entry for: abs"):
        registry.lookup("abs")
