"""Structures with their variables replaced."""

import reflow as tf
from reflow.drop_in.python.util import variable_utils


def test_variables_become_their_values():
    found = variable_utils.convert_variables_to_tensors([tf.Variable(2.0), "text"])
    assert isinstance(found[0], tf.Tensor) and found[0].numpy() == 2.0 and found[1] == "text"
    assert variable_utils.replace_variables_with_atoms({"a": tf.Variable(2.0), "b": 3}) == {"a": 0, "b": 3}
