"""Fractional pooling: what the public functions refuse and which windows they draw.

Values go through tests/ops/test_table.py.
"""

import numpy as np
import pytest

import reflow as tf

IMAGE = tf.random.stateless_normal([1, 9, 8, 1], [1, 2])


def test_a_seed_gives_the_same_windows_and_none_gives_others():
    rows = lambda seed: tf.nn.fractional_max_pool(IMAGE, [1.4, 1.2], seed=seed).row_pooling_sequence.numpy().tolist()
    tf.random.set_seed(1)
    first = rows(3)
    tf.random.set_seed(1)
    assert rows(3) == first
    drawn = {tuple(rows(0)) for _ in range(30)}
    assert len(drawn) > 1 and all(r[0] == 0 and r[-1] == 9 and len(r) == 7 for r in drawn)


def test_in_a_function():
    pool = tf.function(lambda x: tf.nn.fractional_avg_pool(x, [1.0, 2.0, 2.0, 1.0], seed=5).output)
    np.testing.assert_allclose(pool(IMAGE[:, :8]), tf.nn.avg_pool2d(IMAGE[:, :8], 2, 2, "VALID"), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("ratio", "facts", "message"),
    [
        ([1.0, 0.5, 1.0, 1.0], {}, "pooling_ratio cannot be smaller than 1"),
        ([1.0, 1.5, 1.5], {}, "must specify 4 dimensions"),
        ([1.0, 1.5, 1.5, 1.0], {"seed": 3}, "Both seed and seed2 should be 0 if deterministic is false"),
    ],
)
def test_what_is_refused(ratio, facts, message):
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=message):
        tf.compat.v1.nn.fractional_max_pool(IMAGE, ratio, **facts)
    with pytest.raises(tf.errors.UnimplementedError, match="not yet supported on the batch nor channel dimension"):
        tf.compat.v1.nn.fractional_avg_pool(IMAGE, [1.5, 1.0, 1.0, 1.0])
