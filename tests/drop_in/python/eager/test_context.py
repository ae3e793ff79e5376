"""Modes and devices of the eager runtime."""

import pytest

import reflow as tf
from reflow.drop_in.python.eager import context


def test_graph_mode():
    with context.graph_mode():
        assert not context.executing_eagerly_v1() and not hasattr(tf.constant(1), "numpy")
    assert context.in_eager_mode()


def test_settings():
    with context.device("CPU:0"):
        assert tf.constant(1.0).device.endswith("CPU:0")
    with context.execution_mode(context.ASYNC), context.device_policy(context.DEVICE_PLACEMENT_SILENT):
        assert not context.is_async() and context.num_gpus() == len(tf.config.list_logical_devices("GPU"))
    with pytest.raises(ValueError, match="SYNC/ASYNC"):
        context.set_execution_mode(7)
    with pytest.raises(ValueError, match="silently"), context.device_policy(context.DEVICE_PLACEMENT_EXPLICIT):
        pass


def test_names_and_seeds():
    assert context.anonymous_name() != context.anonymous_name()
    context.set_global_seed(5)
    assert context.global_seed() == 5


def test_the_device_scope_as_a_spec():
    with tf.device("/device:CPU:0"):
        assert context.context().device_spec.device_type == "CPU"
    assert context.context().device_spec.device_type is None
