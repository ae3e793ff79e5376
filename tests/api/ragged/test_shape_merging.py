"""Axes of a ragged shape as one, and two shapes as one: what TensorFlow's methods of the same names give."""

import pytest

import reflow as tf

of = tf.experimental.DynamicRaggedShape.from_lengths


@pytest.mark.parametrize(
    "lengths, axes, merged",
    [
        ([2, (2, 1), (1, 2, 3)], (0, 1), [3, (1, 2, 3)]),
        ([2, (2, 1), (1, 2, 3)], (1, 2), [2, (3, 3)]),
        ([2, (2, 1), (1, 2, 3)], (0, 2), [6]),
        ([2, (2, 1), 2, 3], (1, 2), [2, (4, 2), 3]),
        ([2, (2, 1), 2, 3], (-2, -1), [2, (2, 1), 6]),
        ([2, (2, 1), 2, 3], (0, 2), [6, 3]),
        ([2, 3, 4], (1, 2), [2, 12]),
        ([2, 3, 4], (1, 1), [2, 3, 4]),
    ],
)
def test_axes_as_one(lengths, axes, merged):
    assert of(lengths)._merge_dims(*axes).static_lengths() == merged


def test_axes_that_are_refused():
    with pytest.raises(ValueError, match="Expected outer_axis \\(1\\) to be less than or equal to inner_axis \\(0\\)"):
        of([2, 3])._merge_dims(1, 0)
    with pytest.raises(ValueError, match="outer_axis=2 out of bounds: expected -2<=outer_axis<2"):
        of([2, 3])._merge_dims(2, 3)


def test_two_shapes_say_more_than_one():
    uniform, dense = of([2, 3, 4], 1), of([2, 3, 4])
    assert dense._merge_with(uniform).num_row_partitions == 1
    assert of([2, (1, 2)])._merge_with_spec(of([2, (1, 2)])._type_spec).static_lengths() == [2, (1, 2)]
    with pytest.raises(ValueError, match="not compatible"):
        of([2, (1, 2)])._merge_with_spec(of([3, (1, 1, 1)])._type_spec)
