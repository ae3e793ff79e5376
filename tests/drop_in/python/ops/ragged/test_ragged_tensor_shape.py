"""Shapes of ragged tensors with a size or row lengths for each axis; the numbers are TensorFlow's."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.ragged.ragged_tensor_shape import (
    RaggedTensorDynamicShape,
    broadcast_dynamic_shape,
    broadcast_to,
)

of = RaggedTensorDynamicShape.from_dim_sizes


def sizes(shape):
    return [size.numpy().tolist() for size in shape.partitioned_dim_sizes], shape.inner_dim_sizes.numpy().tolist()


def test_the_axes_of_tensors():
    shape = RaggedTensorDynamicShape.from_tensor(tf.ragged.constant([[[1, 2]], []]))
    assert sizes(shape) == ([2, [1, 0], [2]], []) and shape.rank == 3 and shape.dim_size_dtype == tf.int64
    assert sizes(RaggedTensorDynamicShape.from_tensor([[1, 2]], tf.int32)) == ([], [1, 2])
    shape = of([2, (2, 1), 2, 1])
    assert (shape.num_partitioned_dimensions, shape.num_inner_dimensions) == (2, 2)
    assert [shape.is_ragged(axis) for axis in range(4)] == [False, True, False, False]
    assert shape.dimension_size(1).numpy().tolist() == [2, 1] and int(shape.dimension_size(2)) == 2
    assert [int(shape.num_slices_in_dimension(axis)) for axis in range(4)] == [2, 3, 6, 6]
    assert shape.with_dim_size_dtype(tf.int32).dim_size_dtype == tf.int32
    assert repr(shape).startswith(
        "RaggedTensorDynamicShape(partitioned_dim_sizes=(<tf.Tensor: shape=(), dtype=int64, numpy=2>, "
    )


def test_one_axis_is_stretched():
    assert sizes(of([3, (3, 2, 4)]).broadcast_to_rank(4)) == ([1, 1, 3, [3, 2, 4]], [])
    assert sizes(of([3]).broadcast_to_rank(3)) == ([], [1, 1, 3])
    assert sizes(of([1, (5,)]).broadcast_dimension(0, 3)) == ([3, [5, 5, 5]], [])
    assert sizes(of([3, 1, 5]).broadcast_dimension(1, [2, 0, 1])) == ([3, [2, 0, 1]], [5])
    assert sizes(of([3, 1, (3, 1, 2), 5]).broadcast_dimension(1, [4, 1, 2])) == (
        [3, [4, 1, 2], [3, 3, 3, 3, 1, 2, 2]], [5]
    )
    assert sizes(of([2, (2, 1), 1]).broadcast_dimension(1, 1)) == ([2, [2, 1]], [1])


def test_two_shapes_meet():
    met = broadcast_dynamic_shape(of([1, 3, (3, 0, 2), 1, 2]), of([2, 1, 1, (7, 2), 1]))
    assert sizes(met) == ([2, 3, [3, 0, 2, 3, 0, 2], [7, 7, 7, 7, 7, 2, 2, 2, 2, 2]], [2])
    assert sizes(broadcast_dynamic_shape(of([3]), of([4, 2, 1]))) == ([], [4, 2, 3])
    assert broadcast_to([[10], [20], [30]], of([3, (3, 0, 2)])).to_list() == [[10, 10, 10], [], [30, 30]]
    assert broadcast_to([1, 2, 3], of([2, 3]), broadcast_inner_dimensions=False).shape == [3]


@pytest.mark.parametrize(
    "attempt, text",
    [
        (lambda: of([(1, 2)]), "outermost partitioned dimension must be uniform"),
        (lambda: RaggedTensorDynamicShape([2], [3]), "innermost partitioned dimension must be ragged"),
        (lambda: of([2, [[1]]]), "Each dim_size must be a scalar or a vector"),
        (lambda: of([2, 3]).broadcast_to_rank(1), "rank=1 must be greater than self.rank=2"),
        (lambda: of([2]).broadcast_dimension(7, 1), "Expected axis=7 < rank=1"),
        (lambda: of([2]).broadcast_dimension(0, [[1]]), "lengths must be a scalar or vector"),
        (lambda: of([2]).with_dim_size_dtype(tf.float32), "dtype must be int32 or int64"),
        (lambda: of([2]).dimension_size(-1), "Negative axis values are not supported"),
        (lambda: of([2]).is_ragged(-1), "Negative axis values are not supported"),
        (lambda: of([2]).num_slices_in_dimension(-1), "Negative axis values are not supported"),
    ],
)
def test_what_is_refused(attempt, text):
    with pytest.raises(ValueError, match=text):
        attempt()
    with pytest.raises(TypeError, match="shape must be a RaggedTensorDynamicShape"):
        broadcast_to([1], 3)
    with pytest.raises(TypeError, match="shape_y must be a RaggedTensorDynamicShape"):
        broadcast_dynamic_shape(of([2]), 3)
