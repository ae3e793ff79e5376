"""`tf.config`'s settings of the runtime: what real TensorFlow 2.21 answers (recorded by hand)."""

import numpy as np
import pytest

import reflow as tf
from reflow.api.framework import internal
from reflow.devices import placement


@pytest.fixture(autouse=True)
def fresh():
    placement.reset()
    yield
    tf.debugging.set_log_device_placement(False)
    placement.reset()


def test_log_device_placement(capsys):
    x = tf.constant([[1.0]])
    tf.debugging.set_log_device_placement(True)
    tf.matmul(x, x)
    assert tf.debugging.get_log_device_placement()
    assert capsys.readouterr().err == "Executing op MatMul in device /job:localhost/replica:0/task:0/device:CPU:0\n"


def test_run_functions_eagerly():
    calls = []

    @tf.function
    def f(x):
        calls.append(type(x).__name__)
        return x

    tf.config.run_functions_eagerly(True)
    try:
        assert tf.config.functions_run_eagerly()
        f(tf.constant(1))
        f(tf.constant(1))
    finally:
        tf.config.run_functions_eagerly(False)
    assert calls == ["EagerTensor"] * 2


def test_switches():
    tf.config.optimizer.set_experimental_options({"constant_folding": True, "foo": 3})
    assert tf.config.optimizer.get_experimental_options() == {
        "constant_folding": True, "disable_model_pruning": False, "disable_meta_optimizer": False}
    tf.config.optimizer.set_jit(True)
    assert tf.config.optimizer.get_jit() == "autoclustering"
    assert tf.config.experimental.get_device_policy() == "silent"
    assert tf.config.experimental.get_synchronous_execution() is True
    tf.config.experimental.enable_op_determinism()
    assert tf.__internal__.config.is_op_determinism_enabled()
    tf.__internal__.config.disable_op_determinism()
    assert not tf.__internal__.config.is_op_determinism_enabled()


def test_the_context_shows_what_was_asked_for():
    context = internal.context()
    seen = [(context.config.experimental.enable_mlir_bridge, context.config.experimental.mlir_bridge_rollout)]
    for switch in (tf.config.experimental.enable_mlir_bridge, tf.config.experimental.disable_mlir_bridge):
        switch()
        seen.append((context.config.experimental.enable_mlir_bridge, context.config.experimental.mlir_bridge_rollout))
    assert seen == [(False, 0), (True, 1), (False, 2)]
    tf.config.experimental.set_synchronous_execution(False)
    assert context.execution_mode == 1
    context.execution_mode = 0
    assert tf.config.experimental.get_synchronous_execution()


IMAGE = np.ones([1, 4, 4, 1], np.float32)
RAW_SEED = "When determinism is enabled, random ops must have a seed specified"
NO_SEEDS = {
    "Random ops require a seed to be set when determinism is enabled": [
        (RuntimeError, lambda: tf.random.uniform([2])), (RuntimeError, lambda: tf.nn.dropout([1.0], 0.5)),
        (RuntimeError, lambda: tf.data.Dataset.range(3).shuffle(2)),
        (RuntimeError, tf.function(lambda: tf.random.normal([2])))],
    RAW_SEED: [
        (tf.errors.InvalidArgumentError, lambda: tf.raw_ops.RandomUniform(shape=[2], dtype=tf.float32)),
        (tf.errors.InvalidArgumentError, lambda: tf.raw_ops.Multinomial(logits=[[1.0, 2.0]], num_samples=3))],
    '"from_non_deterministic_state" cannot be called': [
        (RuntimeError, tf.random.Generator.from_non_deterministic_state)],
    "sample_distorted_bounding_box requires": [
        (ValueError, lambda: tf.image.sample_distorted_bounding_box([4, 4, 3], [[[0.0, 0.0, 1.0, 1.0]]])),
        (ValueError, lambda: tf.compat.v1.image.sample_distorted_bounding_box([4, 4, 3], [[[0.0, 0.0, 1.0, 1.0]]]))],
    "fractional_max_pool requires": [
        (ValueError, lambda: tf.nn.fractional_max_pool(IMAGE, 1.5)),
        (ValueError, lambda: tf.compat.v1.nn.fractional_max_pool(IMAGE, [1.0, 1.5, 1.5, 1.0], seed=1, seed2=1))],
}  # fmt: skip


@pytest.fixture
def determinism():
    tf.random.set_seed(None)
    tf.config.experimental.enable_op_determinism()
    yield
    tf.__internal__.config.disable_op_determinism()


def test_results_that_repeat_need_seeds(determinism):
    """Each without a seed is refused; with one, or with a global seed, it runs."""
    for message, calls in NO_SEEDS.items():
        for kind, call in calls:
            with pytest.raises(kind, match=message):
                call()
    assert tf.random.uniform([2], seed=1).shape == [2]
    tf.random.set_seed(1)
    assert tf.random.uniform([2]).shape == [2]
