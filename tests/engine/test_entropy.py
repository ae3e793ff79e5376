"""Ranges for INT8 by entropy."""

import numpy as np

import reflow as tf
from reflow.engine.entropy import BINS, clipping_point, divergence, entropy_ranges
from reflow.engine.from_function import frozen


def histogram(values):
    return np.histogram(np.abs(values), BINS, (0, np.abs(values).max()))[0]


def test_an_outlier_is_clipped_and_a_full_range_is_not():
    rng = np.random.default_rng(0)
    normal = rng.standard_normal(100_000)
    outlier = np.append(normal, 100.0)
    assert 3.0 < clipping_point(histogram(outlier), 100.0) < 15.0
    assert clipping_point(histogram(rng.uniform(-1, 1, 100_000)), 1.0) > 0.9


def test_a_histogram_of_128_steps_loses_nothing():
    counts = np.repeat(np.arange(1.0, 129.0), BINS // 128)
    assert abs(divergence(counts, BINS)) < 1e-12 < divergence(counts, BINS // 2)


def test_zeros_do_not_count():
    values = np.maximum(np.random.default_rng(1).standard_normal(50_000), 0)
    counts = histogram(values)
    more = counts.copy()
    more[0] += 10**7
    assert clipping_point(counts, values.max()) == clipping_point(more, values.max())
    assert clipping_point(np.zeros(BINS), 0.0) == 0.0


def test_ranges_of_a_graph_over_two_batches():
    graph, _ = frozen(tf.function(lambda x: x * 2.0), [tf.TensorSpec([None], name="x")])
    rng = np.random.default_rng(2)
    batches = [[rng.standard_normal(5000).astype(np.float32)] for _ in range(2)]
    batches[1][0][7] = 200
    found = entropy_ranges(graph, batches)
    product = next(n.name for n in graph.nodes if n.type == "Mul")
    assert found["x"] < 20 and found[product] == 2 * found["x"]
