"""`reflow/drop_in/python/distribute/shared_variable_creator.py`: what the first device makes, the others use."""

import pytest

import reflow as tf
from reflow.drop_in.python.distribute.shared_variable_creator import _canonicalize_variable_name, make_fn


def test_variables_of_several_devices():
    store: dict = {}
    made = []
    for device in range(2):
        with tf.variable_creator_scope(make_fn(store, device)):
            made.append([tf.Variable(1.0, name="a/w"), tf.Variable(2.0, name="a_1/w_2"), tf.Variable(3.0)])
    assert all(x is y for x, y in zip(*made, strict=True)) and [len(v) for v in store.values()] == [2, 1]
    with (
        pytest.raises(RuntimeError, match="b with mismatching name on device 1"),
        tf.variable_creator_scope(make_fn(store, 1)),
    ):
        tf.Variable(1.0, name="b")
    assert [_canonicalize_variable_name(n) for n in (None, "foo_1:0", "foo_a", "x_1/y")] == [
        "Variable", "foo_1:0", "foo_a", "x/y"
    ]
