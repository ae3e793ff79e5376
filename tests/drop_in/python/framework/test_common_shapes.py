"""Static shapes that are broadcast."""

import pytest

from reflow.drop_in.python.framework import common_shapes


def test_broadcast():
    assert common_shapes.broadcast_shape([3, 1], [None, 4]).as_list() == [3, 4]
    assert common_shapes.broadcast_shape(None, [2]).rank is None
    assert common_shapes.is_broadcast_compatible([1, 2], [3, 1]) and not common_shapes.is_broadcast_compatible(
        None, [2]
    )
    with pytest.raises(ValueError, match="Incompatible shapes for broadcasting"):
        common_shapes.broadcast_shape([2], [3])
