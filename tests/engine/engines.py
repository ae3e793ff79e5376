"""A small network and its engine, built once for all tests that only look."""

import functools

import numpy as np

import reflow.engine as trt

X = np.random.default_rng(0).standard_normal((2, 1, 8, 8)).astype(np.float32)
QUIET = trt.Logger(trt.Logger.ERROR)


def network(batch=-1, gain=1.0):
    """Convolution, scale, activation, pooling, product, softmax. A `gain` of the convolution is taken back by the
    scale; another activation stands between the two then, so that they cannot become one."""
    rng = np.random.default_rng(1)
    made = trt.Builder(QUIET).create_network()
    x = made.add_input("x", trt.float32, (batch, 1, 8, 8))
    weights = (gain * 0.3 * rng.standard_normal((4, 1, 3, 3))).astype(np.float32)
    conv = made.add_convolution_nd(x, 4, (3, 3), weights, np.ones(4, np.float32))
    if gain != 1.0:
        conv = made.add_activation(conv.get_output(0), trt.ActivationType.RELU)
    scale = made.add_scale(
        conv.get_output(0), trt.ScaleMode.CHANNEL, np.arange(4, dtype=np.float32), np.full(4, 2 / gain, np.float32)
    )
    relu = made.add_activation(scale.get_output(0), trt.ActivationType.RELU)
    pool = made.add_pooling_nd(relu.get_output(0), trt.PoolingType.MAX, (2, 2))
    dense = made.add_fully_connected(pool.get_output(0), 5, 0.1 * rng.standard_normal((5, 36)).astype(np.float32))
    soft = made.add_softmax(dense.get_output(0))
    soft.get_output(0).name = "y"
    made.mark_output(soft.get_output(0))
    return made


def config(*flags):
    """A configuration for batches of 1 to 4, best for 2."""
    made = trt.IBuilderConfig()
    profile = trt.IOptimizationProfile()
    profile.set_shape("x", (1, 1, 8, 8), (2, 1, 8, 8), (4, 1, 8, 8))
    made.add_optimization_profile(profile)
    for flag in flags:
        made.set_flag(flag)
    return made


def expected(x=X, gain=1.0):
    """What the network gives, by the interpreter."""
    graph = network(gain=gain).graph()
    return np.asarray(graph.run([x, *[t._value for t in graph.external_captures]])[0])


@functools.cache
def plan() -> bytes:
    return trt.Builder(QUIET).build_serialized_network(network(), config())


@functools.cache
def engine():
    return trt.Runtime(QUIET).deserialize_cuda_engine(plan())
