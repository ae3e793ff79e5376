"""Initializers that are called with a shape and a dtype. Messages are TensorFlow's."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.python.ops.initializers import init_ops_v2 as init


def test_configurations():
    assert init.VarianceScaling(seed=1).get_config() == {
        "scale": 1.0, "mode": "fan_in", "distribution": "truncated_normal", "seed": 1
    }
    assert init.GlorotNormal(3).get_config() == {"seed": 3} and init.Identity(2.0).get_config() == {"gain": 2.0}
    assert init.TruncatedNormal(1.0, 2.0, 3).get_config() == {"mean": 1.0, "stddev": 2.0, "seed": 3}
    assert init.VarianceScaling.from_config(init.VarianceScaling(2.0).get_config()).scale == 2.0
    assert init.VarianceScaling(distribution="normal").distribution == "truncated_normal"


def test_numbers():
    assert init.identity(2.0)([2, 3]).numpy().tolist() == [[2, 0, 0], [0, 2, 0]]
    q = init.Orthogonal(seed=1)([4, 3])
    np.testing.assert_allclose(tf.matmul(q, q, transpose_a=True), np.eye(3), atol=1e-5)
    for make, variance in (
        (init.lecun_normal, 1 / 200), (init.lecun_uniform, 1 / 200), (init.he_normal, 2 / 200),
        (init.he_uniform, 2 / 200), (init.GlorotNormal, 2 / 300), (init.GlorotUniform, 2 / 300),
    ):  # fmt: skip
        np.testing.assert_allclose(np.var(make(3)([200, 100]).numpy()), variance, rtol=0.05)
    whole, part = (
        init.he_normal(1)([400, 100]),
        init.he_normal(1)([400, 100], partition_shape=[200, 100], partition_offset=[0, 0]),
    )
    assert part.shape == [200, 100]
    np.testing.assert_allclose(np.var(part), np.var(whole), rtol=0.05)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: init.VarianceScaling(scale=0.0), ValueError),
        (lambda: init.VarianceScaling(mode="x"), ValueError),
        (lambda: init.VarianceScaling(distribution="x"), ValueError),
        (lambda: init.Identity()([2]), ValueError),
        (lambda: init.Identity()([2, 2], tf.int32), ValueError),
        (lambda: init.Orthogonal()([2]), ValueError),
        (lambda: init.Orthogonal()([4, 3], partition_shape=[2, 3]), ValueError),
        (lambda: init.he_normal()([4, 3], foo=3), TypeError),
    ],
)
def test_refusals(call, error):
    with pytest.raises(error):
        call()
