"""Parts of `tf.contrib`: names of their own, successors, and errors."""

import pytest

import reflow as tf
from reflow.drop_in.contrib.part import REST, Part, names_of


def test_a_part_has_names_successors_and_explanations():
    part = Part("contrib.x", {"own": 1}, {"one": "math.add", REST: "linalg math"}, {"gone": "another"})
    assert part.own == 1 and part.one is tf.math.add and part.inv is tf.linalg.inv and part.exp is tf.math.exp
    assert part.python.deep.down.own == 1
    with pytest.raises(AttributeError, match="Reflow has no tf.contrib.x.gone; the modern form is another"):
        part.gone  # noqa: B018
    with pytest.raises(AttributeError, match="Reflow has no tf.contrib.x.Class; TensorFlow 2 has no contrib"):
        part.python.deep.Class  # noqa: B018
    assert names_of(tf.math, "add exp") == {"add": tf.math.add, "exp": tf.math.exp}
