"""Short ways to shapes and dimensions."""

import pytest

from reflow.drop_in.python.framework.specs import tensor_shape


def test_shapes_and_dimensions():
    assert tensor_shape.as_shape([2, None]).as_list() == [2, None]
    assert tensor_shape.as_dimension(3).value == 3
    assert tensor_shape.unknown_shape().rank is None
    assert tensor_shape.unknown_shape(2).as_list() == tensor_shape.unknown_shape(ndims=2).as_list() == [None, None]
    with pytest.raises(TypeError, match="Unknown argument"):
        tensor_shape.unknown_shape(size=2)
