"""The parts of composite tensors."""

import reflow as tf
from reflow.drop_in.python.framework.specs.composite_tensor import replace_composites_with_components


def test_parts_in_place_of_the_whole():
    found = replace_composites_with_components({"a": tf.sparse.from_dense([0, 5]), "b": 3})
    assert found["b"] == 3 and [part.numpy().tolist() for part in found["a"]] == [[[1]], [5], [2]]
