"""Random numbers in ONNX models."""

import numpy as np

from tests.onnx.models import model


def test_numbers_have_the_shape_the_limits_and_no_value_at_reading_time():
    draw = model([("RandomUniform", [], ["y"], {"shape": [1000], "low": 2.0, "high": 3.0, "seed": 7.0})], {}, ["y"])
    first, second = draw(), draw()
    assert first.shape == (1000,) and 2 <= np.min(first) and np.max(first) < 3
    assert not np.array_equal(first, second), "it was computed once, when the model was read"


def test_normal_numbers():
    y = model([("RandomNormal", [], ["y"], {"shape": [4000], "mean": 5.0, "scale": 2.0, "seed": 1.0})], {}, ["y"])()
    assert abs(np.mean(y) - 5) < 0.2 and abs(np.std(y) - 2) < 0.2


def test_bernoulli_keeps_probabilities_of_zero_and_one():
    y = model([("Bernoulli", ["x"], ["y"], {})], {"x": [2]}, ["y"])(np.array([0, 1], np.float32))
    np.testing.assert_array_equal(y, [0, 1])


def test_multinomial_draws_only_what_is_possible():
    pick = model([("Multinomial", ["x"], ["y"], {"sample_size": 50, "seed": 3.0})], {"x": [1, 3]}, ["y"])
    drawn = pick(np.array([[-np.inf, 0.0, -np.inf]], np.float32)).numpy()
    np.testing.assert_array_equal(drawn, np.ones((1, 50), np.int32))
