"""The shapes that tracing infers are TensorFlow's.

Programs look at `x.shape` while they are traced, and branch on it.
"""


import pytest

import reflow as tf
from tests import recorded
from tests.graph.shape_cases import CASES

EXPECTED = recorded("shapes")

#: where Reflow infers something else, what, and why that is right
DIFFERENT: dict = {}


def inferred(expression, specs) -> list:
    signature = [tf.TensorSpec(shape, dtype) for shape, dtype in specs]
    function = tf.function(lambda *xs: expression(tf, *xs), input_signature=signature)
    outputs = tf.nest.flatten(function.get_concrete_function().structured_outputs)
    return [None if t.shape.rank is None else t.shape.as_list() for t in outputs]


@pytest.mark.parametrize("name", CASES)
def test_static_shapes_match_tensorflow(name):
    assert inferred(*CASES[name]) == DIFFERENT.get(name, (EXPECTED[name], ""))[0]


def test_differences_are_differences():
    """A case on the list must differ from TensorFlow, and never contradict it."""
    for name, (shapes, reason) in DIFFERENT.items():
        assert shapes != EXPECTED[name] and reason
        for ours, theirs in zip(shapes, EXPECTED[name]):
            if ours is not None and theirs is not None:
                assert len(ours) == len(theirs) and all(a == b or None in (a, b) for a, b in zip(ours, theirs)), name
