"""`rejection_resample`."""

import pytest

import reflow as tf

D = tf.data.Dataset


@pytest.mark.parametrize("initial", [None, [0.75, 0.25]])
def test_classes_get_the_wanted_distribution(initial):
    ds = D.from_tensor_slices([0, 0, 1, 0]).repeat(500)
    pairs = list(ds.rejection_resample(lambda x: x, [0.4, 0.6], initial, seed=7))
    assert all(int(c) == int(x) for c, x in pairs)
    assert abs(sum(int(c) for c, _ in pairs) / len(pairs) - 0.6) < 0.08


def test_data_that_have_the_distribution_already_pass_unchanged():
    ds = D.range(4).rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.5, 0.5], [0.5, 0.5])
    assert [(int(c), int(x)) for c, x in ds] == [(0, 0), (1, 1), (0, 2), (1, 3)]
    wanted_only = D.range(50).rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.0, 1.0], [0.5, 0.5], seed=1)
    assert {int(c) for c, _ in wanted_only} == {1}
