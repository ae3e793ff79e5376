"""How one ragged shape is broadcast to another: the numbers and messages are TensorFlow's."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.ragged import dynamic_ragged_shape as shapes

RowPartition = tf.experimental.RowPartition
Layer = shapes._LayerBroadcaster
of = tf.experimental.DynamicRaggedShape.from_lengths


def indices(broadcaster):
    return [layer.gather_index.numpy().tolist() for layer in broadcaster._layer_broadcasters]


def layer(index):
    return Layer.from_gather_index(tf.constant(index, tf.int64))


@pytest.mark.parametrize(
    "a, b, result, from_a, from_b",
    [
        ([], [2, 3], [2, 3], [], [[0, 1], [0, 1, 2, 3, 4, 5]]),
        ([1], [3], [3], [[0, 0, 0]], [[0, 1, 2]]),
        ([2, (3, 1)], [2, 1], [2, (3, 1)], [[0, 1], [0, 1, 2, 3]], [[0, 1], [0, 0, 0, 1]]),
        ([2, 1], [2, (3, 1)], [2, (3, 1)], [[0, 1], [0, 0, 0, 1]], [[0, 1], [0, 1, 2, 3]]),
        ([1], [2, (3, 1)], [2, (3, 1)], [[0, 0, 0, 0]], [[0, 1], [0, 1, 2, 3]]),
        ([2, 1, 2], [1, (2,), 1], [2, (2, 2), 2], [[0, 1], [0, 0, 1, 1], [0, 1, 0, 1, 2, 3, 2, 3]],
         [[0, 0], [0, 1, 0, 1], [0, 0, 1, 1, 0, 0, 1, 1]]),
    ],
)  # fmt: skip
def test_two_shapes_meet(a, b, result, from_a, from_b):
    target, first, second = shapes.broadcast_dynamic_shape_extended(of(a), of(b))
    assert target.static_lengths() == result and (indices(first), indices(second)) == (from_a, from_b)
    assert second.target_shape is target or second.target_shape.static_lengths() == result
    alone = shapes._get_broadcaster(of(b), target)
    assert indices(alone) == from_b and alone.dtype == tf.int64


def test_tensors_are_broadcast_to_a_shape():
    assert shapes.broadcast_to([[1], [2]], of([2, (3, 1)])).to_list() == [[1, 1, 1], [2]]
    assert shapes.broadcast_to([7, 8], of([2, (1, 2), 2])).to_list() == [[[7, 8]], [[7, 8], [7, 8]]]
    rows = tf.ragged.constant([[1, 2], [3]])
    assert shapes.broadcast_to(rows, of([2, 2, (2, 1, 2, 1)])).to_list() == [[[1, 2], [3]], [[1, 2], [3]]]
    _, first, _ = shapes.broadcast_dynamic_shape_extended(of([2, (2, 1), 1]), of([1, 4]))
    values = tf.constant([[1], [2], [3]])
    assert first.broadcast_flat_values(values, inner_dimensions=False).numpy().tolist() == [[1], [2], [3]]
    assert first.broadcast_flat_values(values).numpy().tolist() == [[1] * 4, [2] * 4, [3] * 4]


def test_sizes_that_only_a_run_knows():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int64), tf.TensorSpec([], tf.int64)])
    def meet(splits, length):
        ragged = tf.experimental.DynamicRaggedShape.from_row_partitions([RowPartition.from_row_splits(splits)])
        rows = RowPartition.from_uniform_row_length(length, nrows=2)
        uniform = tf.experimental.DynamicRaggedShape.from_row_partitions([rows])
        target, first, second = shapes.broadcast_dynamic_shape_extended(ragged, uniform)
        return [target.inner_shape, *(x.gather_index for x in first._layer_broadcasters + second._layer_broadcasters)]

    found = [x.numpy().tolist() for x in meet([0, 3, 4], 1)]
    assert found == [[4], [0, 1], [0, 1, 2, 3], [0, 1], [0, 0, 0, 1]]
    assert [x.numpy().tolist() for x in meet([0, 2, 4], 2)][1:] == [[0, 1], [0, 1, 2, 3], [0, 1], [0, 1, 2, 3]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        meet([0, 3, 4], 2)


def test_one_layer():
    assert Layer.first_layer(tf.constant(1), tf.constant(3)).gather_index.numpy().tolist() == [0, 0, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot broadcast"):
        Layer.first_layer(tf.constant(2), tf.constant(3))
    assert str(Layer.get_singleton_broadcaster(tf.constant(2))) == "tf.Tensor([0 0], shape=(2,), dtype=int32)"
    assert Layer.get_identity_broadcaster(2, tf.int64).dtype == tf.int64
    assert layer([1, 0, 1]).broadcast_tensor(tf.constant([4, 5])).numpy().tolist() == [5, 4, 5]
    assert layer([1, 0, 1]).dest_nrows().numpy() == 3 and layer([1]).with_dtype(tf.int32).dtype == tf.int32
    assert layer([1]).with_dependencies([]).gather_index.numpy().tolist() == [1]
    uniform = layer([1, 0, 1]).broadcast_row_partition(RowPartition.from_uniform_row_length(2, nrows=2))
    assert repr(uniform) == "tf.RowPartition(nrows=3, uniform_row_length=2)"
    rows = RowPartition.from_row_lengths([2, 1])
    assert layer([1, 0, 1]).broadcast_row_partition(rows).row_lengths().numpy().tolist() == [1, 2, 1]
    below = layer([1, 0, 1]).next_layer(rows, RowPartition.from_row_lengths([1, 2, 1]))
    assert below.gather_index.numpy().tolist() == [2, 0, 1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot broadcast"):
        layer([1, 0, 1]).next_layer(rows, RowPartition.from_row_lengths([1, 2, 3]))
    half, kept = shapes._broadcast_half(layer([1, 1]), rows)
    assert half.gather_index.numpy().tolist() == [2, 2] and kept.row_lengths().numpy().tolist() == [1, 1]


def test_elementwise_functions_of_ragged_operands():
    rows = tf.ragged.constant([[1, 2], [3]])
    added = shapes.ragged_binary_elementwise_op_impl(tf.add, rows, tf.constant([[10], [20]]))
    assert added.to_list() == [[11, 12], [23]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        shapes.ragged_binary_elementwise_assert_op_impl(tf.debugging.assert_equal, rows, tf.constant([[1], [3]]))
    assert shapes._row_partitions_identical(of([2, (1, 2)]), of([2, (1, 2)])) is False


def test_which_dtype():
    assert shapes._find_dtype([1], None) is None and shapes._find_dtype(tf.constant(1), tf.int64) == tf.int64
    assert shapes._find_dtype_iterable([3, tf.int32], None) == tf.int32
    with pytest.raises(ValueError, match="Illegal dtype"):
        shapes._find_dtype(tf.constant(1.0), None)


def test_texts():
    assert shapes._list_with_ellipsis_to_str(["a", 2, ...]) == "['a', 2, ...]"
    assert shapes._list_tail_with_ellipsis([1, 2]) == ", 1, 2]" and shapes._list_tail_with_ellipsis([]) == "]"
    assert shapes._is_int_or_tuple_of_ints((1, 2)) and not shapes._is_int_or_tuple_of_ints([1])
    assert (shapes._safe_floor_div(4, 2), shapes._safe_floor_div(4, 0)) == (2, None)
    assert shapes._flat_values_shape(tf.ragged.constant([[1, 2]])).numpy().tolist() == [2]


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: shapes._Broadcaster(3, of([]), []), TypeError, "source_shape is not a DynamicRaggedShape"),
        (lambda: shapes._Broadcaster(of([]), 3, []), TypeError, "target_shape is not a DynamicRaggedShape"),
        (lambda: shapes._Broadcaster(of([]), of([]), ()), TypeError, "layer_broadcasters not a list"),
        (lambda: shapes._Broadcaster(of([]), of([]), [3]), TypeError, "Not a LayerBroadcaster: 3"),
        (lambda: Layer.from_gather_index([1.0]), ValueError, "gather_index must be int64 or int32"),
        (lambda: shapes.broadcast_dynamic_shape(of([]), 3), TypeError, "shape_y must be a DynamicRaggedShape"),
        (lambda: shapes.broadcast_to(3, 4), TypeError, "shape must be a DynamicRaggedShape"),
        (lambda: shapes._get_broadcaster(of([2, 2]), of([2])), ValueError, "shape with smaller rank"),
        (lambda: shapes.broadcast_dynamic_shape(of([2, 3]), of([3, 3])), tf.errors.InvalidArgumentError, None),
        (
            lambda: shapes._broadcast_dynamic_shape_next_layer(3, layer([0]), None, None), TypeError,
            "ac_0 should be a _LayerBroadcaster",
        ),
        (lambda: shapes._get_layer_broadcasters_from_rps(3, [], []), TypeError, "Not a _LayerBroadcaster: 3"),
    ],
)
def test_what_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
