"""Ways to compile a graph, and the timing cache that chooses."""

import numpy as np
import pytest

import reflow as tf
import reflow.engine as trt
from reflow import native
from reflow.engine import program
from reflow.engine.from_function import frozen
from reflow.engine.rewrite import weights_of
from reflow.engine.tactics import OURS, XLA, Tactics

X = np.random.default_rng(0).standard_normal((1, 16, 16, 8)).astype(np.float32)


@pytest.fixture(scope="module")
def convolution():
    kernel = tf.constant(np.random.default_rng(1).standard_normal((3, 3, 8, 16)).astype(np.float32))
    graph, _ = frozen(
        tf.function(lambda x: tf.nn.relu(tf.nn.conv2d(x, kernel, 1, "SAME"))), [tf.TensorSpec(X.shape, name="x")]
    )
    return graph


def tactics(graph, config):
    import jax

    shapes = [jax.ShapeDtypeStruct(X.shape, X.dtype)]
    return Tactics(graph, program.whole_function(graph), weights_of(graph), shapes, config)


@pytest.mark.skipif(not native.available(), reason="there are no kernels of ours")
def test_the_faster_of_two_programs_is_kept(convolution):
    config, cache = trt.IBuilderConfig(), trt.ITimingCache()
    config.set_timing_cache(cache)
    made = tactics(convolution, config)
    assert set(made.programs) == {OURS, XLA} and not program.kernels_in(made.programs[XLA].mlir_module())
    chosen, files = made.fastest([X])
    assert len(cache.times) == 2 and files and chosen is made.programs[min(made.times, key=made.times.get)]
    for key, seconds in cache.times.items():  # the other one was faster, says the cache
        cache.times[key] = -seconds
    again = tactics(convolution, config)
    other, _ = again.fastest([X])
    assert other.mlir_module() != chosen.mlir_module() and len(cache.times) == 2


def test_nothing_is_timed_unless_it_is_asked_for(convolution):
    made = tactics(convolution, trt.IBuilderConfig())
    assert list(made.programs) == [OURS] and made.fastest([X])[0] is made.programs[OURS] and not made.times
    config = trt.IBuilderConfig()
    config.set_timing_cache(trt.ITimingCache())
    config.set_flag(trt.BuilderFlag.DISABLE_TIMING_CACHE)
    assert list(tactics(convolution, config).programs) == [OURS]
    config.builder_optimization_level = 5
    assert len(tactics(convolution, config).programs) == 1 + native.available()
