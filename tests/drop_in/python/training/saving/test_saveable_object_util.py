"""Saveable objects as objects that give tensors."""

import pytest

import reflow as tf
from reflow.drop_in.python.training.saving import saveable_object_util as util


def test_a_converted_object_gives_and_takes_tensors():
    v = tf.Variable(5.0)
    converted = util.SaveableCompatibilityConverter(v, list(util.saveable_objects_for_op(v, "a")))
    assert {name: float(t) for name, t in converted._serialize_to_tensors().items()} == {"a": 5.0}
    converted._restore_from_tensors({"a": tf.constant(6.0)})
    assert v.numpy() == 6.0
    with pytest.raises(ValueError, match="Could not restore object"):
        converted._restore_from_tensors({})
    assert util.set_cpu0("/job:worker/task:1/device:GPU:3") == "/job:worker/task:1/device:CPU:0"
