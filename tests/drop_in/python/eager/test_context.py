"""Modes and devices of the eager runtime."""

import pytest

import reflow as tf
from reflow.api.framework import internal as context_modes
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


def test_a_context_knows_its_scopes():
    runtime = context.context()
    assert [s.enter_context_fn for s in runtime.context_switches.stack] == [context_modes.eager_mode]
    with tf.Graph().as_default() as g:
        assert [s.is_building_function for s in runtime.context_switches.stack] == [False, False]
        assert runtime.context_switches.stack[1].enter_context_fn == g.as_default
    other = context.Context()
    other.scope_name = "foo"
    assert other.scope_name == "foo" and runtime.scope_name == ""
    with runtime.device("GPU:7"):  # whether it exists or not
        assert runtime.device_name == "/job:localhost/replica:0/task:0/device:GPU:7"
        with runtime.device(None):
            assert runtime.device_name == ""


def test_a_cache_keeps_small_tensors():
    cache = context._EagerTensorCache(max_items=2, max_tensor_size=3)
    for key, size in (("large", 4), ("a", 1), ("b", 2), ("c", 3)):
        cache.put(key, tf.zeros([size]))
    assert [cache.get(key) is None for key in ("large", "a", "b", "c")] == [True, True, False, False]
    cache.flush()
    assert cache.get("c") is None
