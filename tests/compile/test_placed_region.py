"""Regions of one device each: instructions that name different devices are kept apart, and run where they say."""

import numpy as np

import reflow as tf
from reflow.compile.placed_region import PlacedRegion
from reflow.compile.runner import plan_of


def regions(function, *arguments):
    steps = plan_of(function.get_concrete_function(*arguments).graph).steps
    return [step for step in steps if isinstance(step, PlacedRegion)]


def test_a_function_runs_on_the_first_gpu(machine):
    machine(2)
    f = tf.function(lambda x: x * 2.0)
    y = f(tf.constant([1.0, 2.0]))
    assert y.device.endswith("GPU:0") and y.numpy().tolist() == [2.0, 4.0]
    (region,) = regions(f, tf.constant([1.0, 2.0]))
    assert region.device == ""  # where the function is called


def test_each_device_has_its_regions(machine):
    machine(2)

    @tf.function
    def f(x):
        with tf.device("/GPU:0"):
            y = tf.exp(x)
        with tf.device("/GPU:1"):
            z = tf.sin(y)
        return y, z

    x = tf.constant([0.5, 1.0])
    for _ in range(2):
        y, z = f(x)
        assert (y.device[-5:], z.device[-5:]) == ("GPU:0", "GPU:1")
        np.testing.assert_allclose(z, np.sin(np.exp([0.5, 1.0])), rtol=1e-6)
    assert [region.device[-5:] for region in regions(f, x)] == ["GPU:0", "GPU:1"]


def test_an_accelerator_compiles_at_the_first_call(machine):
    machine(1)
    f = tf.function(lambda x: x * 2.0)
    f(tf.constant(1.0))
    (region,) = regions(f, tf.constant(1.0))
    assert [program.call is not None for program in region.programs.values()] == [True]
